"""Numbers in Chinese characters, as dates write them: 元年, 廿三, 卅, 十有二, 二〇〇四, 正月."""

from __future__ import annotations

__all__ = ["DIGITS", "NUMERAL_CHARS", "from_han", "to_han"]

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
    """The number that characters (or digits) stand for; None when they are none.

    元 and 正 alone are 1, as in 元年 and 正月; 有 joins tens and ones, as in 十有二.

    >>> [from_han(text) for text in ("元", "廿三", "十有二", "二〇〇四", "三百二十一", "12", "月")]
    [1, 23, 12, 2004, 321, 12, None]
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
    return _additive(text)


def _additive(text: str) -> int | None:
    """百 and 十 with their multipliers, each unit smaller than the one before."""
    total, digit, last_unit = 0, None, 10_000
    for place, char in enumerate(text):
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
        elif char in "有又" and total and digit is None and place < len(text) - 1:
            continue
        else:
            return None
    if digit is not None and last_unit == 10_000 and len(text) > 1:
        return None
    return total + (digit or 0) if text and (total or digit is not None) else None


def to_han(number: int) -> str:
    """A number from 0 to 9999 in characters.

    >>> [to_han(number) for number in (1, 10, 12, 23, 60, 105, 2004)]
    ['一', '十', '十二', '二十三', '六十', '一百零五', '二千零四']
    """
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
