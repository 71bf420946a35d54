"""Porter's stemmer of 1980 with his two later changes (bli, logi), as Lucene's English analysis has it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["stem"]

_VOWELS: Final = frozenset("aeiou")
#: Endings with what stands for them where a syllable is left before; of two that fit, the first counts.
_SECOND: Final = tuple(
    tuple(pair.split(">"))
    for pair in (
        "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize "
        "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log"
    ).split()
)
_THIRD: Final = tuple(tuple(pair.split(">")) for pair in "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>".split())
#: Endings that fall where two syllables are left before.
_FOURTH: Final = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a word in small letters.

    >>> [stem(word) for word in ("relational", "ponies", "hopping", "tariffs", "1998")]
    ['relat', 'poni', 'hop', 'tariff', '1998']
    """
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(word, _SECOND)
    word = _replaced(word, _THIRD)
    word = _shortened(word)
    return _final(word)


def _shape(word: str) -> str:
    """The word as v for vowels and c for consonants; y is a vowel after a consonant."""
    found: list[str] = []
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and bool(found) and found[-1] == "c")
        found.append("v" if vowel else "c")
    return "".join(found)


def _measure(word: str) -> int:
    """How many times consonants follow vowels."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _is_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Whether it ends as hop does: consonant, vowel, and a consonant other than w, x, y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            if not _has_vowel(rest):
                return word
            if rest.endswith(("at", "bl", "iz")):
                return f"{rest}e"
            if _is_doubled(rest):
                return rest if rest[-1] in "lsz" else rest[:-1]
            return f"{rest}e" if _measure(rest) == 1 and _ends_short(rest) else rest
    return word


def _replaced(word: str, endings: tuple[tuple[str, ...], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + instead if _measure(rest) else word
    return word


def _shortened(word: str) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            # Of -sion and -tion, -ion falls.
            rest = word[:-3] if ending in ("sion", "tion") else word.removesuffix(ending)
            return rest if _measure(rest) > 1 else word
    return word


def _final(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
