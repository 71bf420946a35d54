"""The words of questions in the languages of the shared reader: of an order in time, of the state at a time, of news.

They are data: the table `[questions]` of each language's `words.toml`. English and Chinese have patterns of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import plain_text
from epochal.reading.shared.detect import detect_language
from epochal.reading.shared.language import Language
from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language

__all__ = [
    "asks_held_state",
    "find_language",
    "find_order_words",
    "find_recent_words",
    "find_state_words",
    "names_provision",
]

_ORDERS = ("previous", "newest", "oldest", "next")


@lru_cache(maxsize=32)
def find_language(text: str) -> str:
    """The code of the language of a question, where the shared reader reads it; else the empty text."""
    code = detect_language(text).code
    return code if code in SHARED_LANGUAGES else ""


def find_order_words(text: str, code: str) -> Iterator[tuple[str, int, int]]:
    """The words of order with their place: `newest`, `oldest`, `previous` (the last but one) or `next`.

    >>> list(find_order_words("die neueste Fassung", "de"))
    [('newest', 4, 11)]
    """
    language = load_language(code)
    for match in _compile_orders(code).finditer(language.unify(text.lower())):
        yield match.lastgroup or "", match.start(), match.end()


def find_state_words(text: str, start: int, end: int, code: str) -> tuple[int, int] | None:
    """Where words make the time at `[start, end)` the date of a state of affairs, together with it; None without any.

    >>> find_state_words("la loi en vigueur le 5 mai 2008", 21, 31, "fr")
    (7, 31)
    """
    language = load_language(code)
    plain = language.unify(text.lower())
    before, behind = _compile_states(code)
    if before is not None and (match := before.search(plain, max(0, start - _NEAR), start)):
        return match.start(), end
    if behind is not None and (match := behind.match(plain, end)):
        return start, match.end()
    return None


def names_provision(text: str, start: int, code: str) -> bool:
    """Whether the words before `start` ask what a rule said, which held before and after any day that it held on.

    >>> names_provision("Que disait l'article 5 le 3 mai 2008 ?", 25, "fr")
    True
    >>> names_provision("Que disait le ministre le 3 mai 2008 ?", 25, "fr")
    False
    """
    patterns = _compile_provisions(code)
    plain = load_language(code).unify(text[:start].lower())
    return patterns is not None and all(pattern.search(plain, max(0, start - _FAR)) for pattern in patterns)


def asks_held_state(text: str, code: str) -> bool:
    """Whether a question without its time is for what was so: it has a verb or, of few words, a noun of what lasts.

    >>> asks_held_state("Wie hoch war die Hundesteuer?", "de"), asks_held_state("Hundesteuer", "de")
    (True, True)
    >>> asks_held_state("Wer gewann die Wahl?", "de")
    False
    """
    verbs, nouns = _compile_held(code)
    plain = load_language(code).unify(text.lower())
    if verbs is not None and verbs.search(plain):
        return True
    return nouns is not None and len(plain.split()) <= _FEW_WORDS and nouns.search(plain) is not None


def find_recent_words(text: str, code: str) -> tuple[int, int] | None:
    """Where a question has words for what is recent or new.

    >>> find_recent_words("Quoi de neuf à la mairie ?", "fr"), find_recent_words("La mairie neuve", "fr")
    ((0, 12), None)
    """
    found = _compile_recent(code).search(load_language(code).unify(text.lower()))
    return None if found is None else found.span()


#: A question of so many words may have no verb.
_FEW_WORDS = 5
#: Languages whose nouns are written as one word: "Hundesteuer".
_COMPOUNDING = ("de", "nl")

#: How many characters before a time its words are looked for, and what is said of it.
_NEAR = 40
_FAR = 160


@cache
def _compile_orders(code: str) -> re.Pattern[str]:
    language = load_language(code)
    names = _join(language, "names")
    orders = "|".join(f"(?P<{name}>{_join(language, name)})" for name in _ORDERS)
    return re.compile(_bound(language, orders) + (rf"(?!\s+(?:{names})(?!\w))" if names else ""))


@cache
def _compile_recent(code: str) -> re.Pattern[str]:
    language = load_language(code)
    return re.compile(_bound(language, _join(language, "recent")))


def _bound(language: Language, words: str) -> str:
    """The pattern of words that begin and end where words of the language do."""
    settings = language.settings
    start = r"(?<!\w)" if settings.tokens != "longest" or settings.word_starts else ""
    end = r"(?!\w)" if settings.tokens != "longest" else ""
    return f"{start}(?:{words}){end}"


@cache
def _compile_states(code: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    language = load_language(code)
    before, links, behind = (_join(language, name) for name in ("as_of", "links", "as_of_behind"))
    return (
        lazy_regex(rf"(?<!\w)(?:{before})(?:\s*(?<!\w)(?:{links})(?!\w))*[\s:,]*\Z") if before else None,
        lazy_regex(rf"\s*(?:{behind})") if behind else None,
    )


@cache
def _compile_provisions(code: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    language = load_language(code)
    rules, verbs = _join(language, "rules"), _join(language, "provided")
    if not rules or not verbs:
        return None
    return lazy_regex(rf"(?<!\w)(?:{verbs})(?!\w)"), lazy_regex(rf"(?<!\w)(?:{rules})(?!\w)")


@cache
def _compile_held(code: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    language = load_language(code)
    verbs, nouns = _join(language, "held"), _join(language, "lasting")
    start = r"(?<!\w)\w*" if code in _COMPOUNDING else r"(?<!\w)"
    return (
        lazy_regex(rf"(?<!\w)(?:{verbs})(?!\w)") if verbs else None,
        lazy_regex(rf"{start}(?:{nouns})(?!\w)") if nouns else None,
    )


def _join(language: Language, name: str) -> str:
    words = language.question_words(name)
    # A question with Chinese signs is read with all of them simplified.
    forms = dict.fromkeys(form for word in words for form in (word, plain_text(word)))
    return "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in forms)
