"""Roman numerals, strictly: one way to write each number from 1 to 3999, and nothing else is read."""

from __future__ import annotations

import re
from typing import Final

from epochal.errors import TimeParseError, TimeRangeError

__all__ = ["from_roman", "is_roman", "to_roman"]

_LAST: Final = 3999
_SIGNS: Final = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")),
    *((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_PATTERN = re.compile(r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


def to_roman(number: int) -> str:
    """The Roman numeral of a number from 1 to 3999.

    >>> to_roman(2), to_roman(14), to_roman(1794)
    ('II', 'XIV', 'MDCCXCIV')
    """
    if not 1 <= number <= _LAST:
        raise TimeRangeError(f"{number} has no Roman numeral, they reach from 1 to {_LAST}")
    written, rest = "", number
    for value, sign in _SIGNS:
        count, rest = divmod(rest, value)
        written += sign * count
    return written


def is_roman(text: str) -> bool:
    """Whether a text is a Roman numeral in capitals, well formed.

    >>> is_roman("XIV"), is_roman("IIII"), is_roman("xiv"), is_roman("")
    (True, False, False, False)
    """
    return _PATTERN.fullmatch(text) is not None


def from_roman(text: str) -> int:
    """The number of a Roman numeral in capitals; the inverse of `to_roman`.

    >>> from_roman("MDCCXCIV")
    1794
    >>> from_roman("IIII")
    Traceback (most recent call last):
    ...
    epochal.errors.TimeParseError: 'IIII' is not a Roman numeral; accepted: I to MMMCMXCIX in capitals, such as XIV
    """
    if not is_roman(text):
        raise TimeParseError(text, "I to MMMCMXCIX in capitals, such as XIV", "is not a Roman numeral")
    number, rest = 0, text
    for value, sign in _SIGNS:
        while rest.startswith(sign):
            number, rest = number + value, rest[len(sign) :]
    return number
