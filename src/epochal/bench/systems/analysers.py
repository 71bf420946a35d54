"""How published pipelines take texts apart: Lucene's English analysis, and characters with their pairs for Chinese."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from epochal.bench.systems.porter import stem

__all__ = ["han_tokens", "lucene_tokens"]

#: Scripts in which the tokenizer makes a word of every character: Han and hiragana.
_APART: Final = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SIGN: Final = rf"[^\W{_APART}]"
#: Words as Unicode (UAX 29) has them: points within letters and within digits join, hyphens and slashes part.
_WORD: Final = re.compile(
    rf"[{_APART}]|{_SIGN}+(?:(?:(?<=[^\W\d_])[:.\u00b7'\u2019](?=[^\W\d_])|(?<=\d)[.,;'\u2019](?=\d)){_SIGN}+)*"
)
#: Those that Lucene's English analysis leaves out.
_STOPPED: Final = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
_OWN: Final = ("'s", "\u2019s", "\uff07s")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
#: What stands for a text that has no Han character.
_NOTHING: Final = "<EMPTY>"


def lucene_tokens(text: str) -> list[str]:
    """The tokens of Lucene's English analysis: words without possessives and stop words, in small letters, stemmed.

    >>> lucene_tokens("The company's tariffs of 1,998.5 were raised by the U.S. government.")
    ['compani', 'tariff', '1,998.5', 'were', 'rais', 'u.', 'govern']
    """
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        if not word.strip("_"):
            continue
        if word[-2:].lower() in _OWN:
            word = word[:-2]
        word = word.lower()
        if word and word not in _STOPPED:
            found.append(stem(word))
    return found


def han_tokens(text: str) -> list[str]:
    """The Han characters of a text, then all pairs of neighbours; other signs are left out before pairs are made.

    >>> han_tokens("魯成公，六年")
    ['魯', '成', '公', '六', '年', '魯成', '成公', '公六', '六年']
    >>> han_tokens("1998")
    ['<EMPTY>']
    """
    signs = _HAN.findall(text)
    return [*signs, *(first + second for first, second in pairwise(signs))] or [_NOTHING]
