"""Numerals of dates: the cycle of sixty (干支), Chinese numbers (元年, 廿三, 十有二, 二〇〇四), Roman numerals."""

from __future__ import annotations

from typing import Final

from epochal.errors import TimeParseError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import julian_day_number

STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"


def to_ganzhi(position: int) -> str:
    """The two characters at a place of the cycle, 1 to 60."""
    return STEMS[(position - 1) % 10] + BRANCHES[(position - 1) % 12]


def from_ganzhi(text: str) -> int | None:
    """The place of two characters in the cycle, 1 to 60; None for what is no pair of it."""
    if len(text) != 2 or text[0] not in STEMS or text[1] not in BRANCHES:
        return None
    stem, branch = STEMS.index(text[0]), BRANCHES.index(text[1])
    # Only pairs of like parity occur: the place is the one number below 60 with both remainders.
    return None if (stem - branch) % 2 else (6 * stem - 5 * branch) % 60 + 1


def get_sexagenary_day(day: int) -> int:
    """The place in the cycle of a day (counted from 1970-01-01)."""
    return (julian_day_number(day) + 49) % 60 + 1


def get_sexagenary_year(year: int) -> int:
    """The place in the cycle of the Chinese year that begins in an astronomical year."""
    return (year - 4) % 60 + 1


DIGITS = "〇一二三四五六七八九"
_VALUES = {char: value for value, char in enumerate(DIGITS)} | {
    "零": 0,
    "○": 0,
    "兩": 2,
    "两": 2,
    "壹": 1,
    "貳": 2,
    "贰": 2,
    "參": 3,
    "叁": 3,
    "肆": 4,
    "伍": 5,
    "陸": 6,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
}
_TENS = {"廿": 20, "卄": 20, "卅": 30, "丗": 30, "卌": 40}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_ARABIC = str.maketrans("０１２３４５６７８９", "0123456789")
#: No number of a date has more characters; what is longer is no number.
_LONGEST = 16
#: Every character that a number may hold, for regular expressions.
NUMERAL_CHARS = "".join(_VALUES) + "".join(_TENS) + "".join(_UNITS) + "有又元正0123456789０１２３４５６７８９"


def from_han(text: str) -> int | None:
    """The number that characters (or digits) represent; None when they are none.

    元 and 正 alone are 1, as in 元年 and 正月; 有 joins tens and ones, as in 十有二.
    """
    text = text.translate(_ARABIC)
    if len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    if text in ("元", "正"):
        return 1
    if len(text) > 1 and all(char in _VALUES for char in text):
        return int("".join(str(_VALUES[char]) for char in text))
    return _parse_additive(text)


def _parse_additive(text: str) -> int | None:
    """百 and 十 with their multipliers, each unit smaller than the one before."""
    total, digit, last_unit = 0, None, 10_000
    for position, char in enumerate(text):
        if char in _VALUES:
            if digit not in (None, 0):
                return None
            digit = _VALUES[char]
        elif char in _UNITS or char in _TENS:
            unit = _UNITS.get(char, 10)
            if unit >= last_unit or (char in _TENS and digit not in (None, 0)) or (digit == 0 and char in _UNITS):
                return None
            total += _TENS[char] if char in _TENS else (1 if digit is None else digit) * unit
            digit, last_unit = None, unit
        elif char in "有又" and total and digit is None and position < len(text) - 1:
            continue
        else:
            return None
    if digit is not None and last_unit == 10_000 and len(text) > 1:
        return None
    return total + (digit or 0) if text and (total or digit is not None) else None


def to_han(number: int) -> str:
    """A number from 0 to 9999 in characters."""
    if not 0 <= number <= 9999:
        return str(number)
    if number < 10:
        return DIGITS[number]
    text, pending_zero = "", False
    for unit, char in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if pending_zero and text else "") + (
                "" if unit == 10 and digit == 1 and not text else DIGITS[digit]
            )
            text += char
            pending_zero = False
        else:
            pending_zero = True
    return text


_LAST: Final = 3999
_SIGNS: Final = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")),
    *((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_PATTERN = lazy_regex(r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


def to_roman(number: int) -> str:
    """The Roman numeral of a number from 1 to 3999."""
    if not 1 <= number <= _LAST:
        raise TimeRangeError(f"{number} has no Roman numeral, they reach from 1 to {_LAST}")
    written, rest = "", number
    for value, sign in _SIGNS:
        count, rest = divmod(rest, value)
        written += sign * count
    return written


def is_roman(text: str) -> bool:
    """Whether a text is a Roman numeral in capitals, well formed."""
    return _PATTERN.fullmatch(text) is not None


def from_roman(text: str) -> int:
    """The number of a Roman numeral in capitals; the inverse of `to_roman`."""
    if not is_roman(text):
        raise TimeParseError(text, "I to MMMCMXCIX in capitals, such as XIV", "is not a Roman numeral")
    number, rest = 0, text
    for value, sign in _SIGNS:
        while rest.startswith(sign):
            number, rest = number + value, rest[len(sign) :]
    return number
