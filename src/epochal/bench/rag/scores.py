"""Short answers compared word by word: token F1 and exact match, the best over all reference answers.

As is usual for such answers, case, punctuation, wide forms of letters and English articles do not count. Scripts that
do not part their words are compared sign by sign.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable

__all__ = ["answer_tokens", "best", "exact_match", "token_f1"]

_PUNCTUATION = str.maketrans("", "", f"{string.punctuation}’")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def answer_tokens(text: str) -> list[str]:
    """The words of an answer that are compared.

    >>> answer_tokens("The  U.S. Army, 1998!"), answer_tokens("魯隱公")
    (['us', 'army', '1998'], ['魯', '隱', '公'])
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PUNCTUATION)
    return _TOKEN.findall(_ARTICLE.sub(" ", plain))


def token_f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall over the words of an answer; 1 where both have none.

    >>> round(token_f1("Ann Hay in 1998", "Ann Hay"), 3)
    0.667
    """
    said, wanted = answer_tokens(answer), answer_tokens(reference)
    if not said or not wanted:
        return float(said == wanted)
    common = sum((Counter(said) & Counter(wanted)).values())
    return 2 * common / (len(said) + len(wanted))


def exact_match(answer: str, reference: str) -> float:
    """1 where an answer has the words of the reference in their order and no others, else 0.

    >>> exact_match("the Ann Hay!", "Ann Hay"), exact_match("Hay, Ann", "Ann Hay")
    (1.0, 0.0)
    """
    return float(answer_tokens(answer) == answer_tokens(reference))


def best(measure: Callable[[str, str], float], answer: str, references: Iterable[str]) -> float:
    """The best that an answer reaches against any of the references.

    >>> best(exact_match, "Bob", ["Ann", "Bob"])
    1.0
    """
    return max(measure(answer, reference) for reference in references)
