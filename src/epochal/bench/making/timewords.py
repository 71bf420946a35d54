"""Windows in words: the ways in which people write a day, a month or a stretch of years, all of them exact."""

from __future__ import annotations

from typing import Final

from epochal.times import Grain, Span
from epochal.times.axis import DAY, civil_date
from epochal.times.words import MONTHS, ordinal, year_words

__all__ = ["during", "names"]

_COUNTED: Final = ("first", "second", "third", "fourth")


def names(unit: Span, language: str = "en") -> list[str]:
    """What one unit of a grain is called, in several ways; each names exactly this unit.

    >>> names(Span.day(2014, 3, 5))
    ['5 March 2014', 'March 5, 2014', '2014-03-05', 'the 5th of March 2014']
    >>> names(Span.parse("2014-33")), names(Span.month(2014, 3), "zh")
    (['the first quarter of 2014', 'Q1 2014'], ['2014年3月'])
    """
    year, month, day = civil_date(unit.start // DAY)
    modern = 1000 <= year <= 9999
    if language == "zh":
        return _in_chinese(unit.grain, year, month, day)
    words = year_words(year)
    if unit.grain is Grain.DAY:
        iso = [f"{year:04}-{month:02}-{day:02}"] if modern else []
        name = MONTHS[month - 1]
        return [f"{day} {name} {words}", f"{name} {day}, {words}", *iso, f"the {ordinal(day)} of {name} {words}"]
    if unit.grain is Grain.MONTH:
        return [f"{MONTHS[month - 1]} {words}", *([f"{MONTHS[month - 1]} of {words}"] if modern else [])]
    if unit.grain is Grain.QUARTER:
        quarter = (month - 1) // 3
        return [f"the {_COUNTED[quarter]} quarter of {words}", *([f"Q{quarter + 1} {words}"] if modern else [])]
    if unit.grain is Grain.YEAR:
        return [words, *([f"the year {words}"] if modern else [])]
    if unit.grain is Grain.DECADE and modern:
        return [f"the {year}s"]
    return [unit.describe()]


def _in_chinese(grain: Grain, year: int, month: int, day: int) -> list[str]:
    words = f"{year}年" if year > 0 else f"公元前{1 - year}年"
    if grain is Grain.DAY:
        return [f"{words}{month}月{day}日"]
    if grain is Grain.MONTH:
        return [f"{words}{month}月"]
    if grain is Grain.QUARTER:
        return [f"{words}第{'一二三四'[(month - 1) // 3]}季度"]
    if grain is Grain.DECADE and year > 0:
        return [f"{year // 100 + 1}世纪{year % 100 // 10 * 10}年代"] if year % 100 else [f"{words}至{year + 9}年"]
    return [words]


def during(first: Span, last: Span, choice: int, language: str = "en") -> str:
    """The words that put something into a unit, or into a stretch of units of one grain, both of them included.

    >>> during(Span.year(1998), Span.year(1998), 0), during(Span.month(1998, 3), Span.month(1999, 1), 1)
    ('in 1998', 'between March 1998 and January 1999')
    >>> during(Span.year(1998), Span.year(2003), 0, "zh")
    '1998年至2003年间'
    """
    if first == last:
        called = names(first, language)
        words = called[choice % len(called)]
        if language == "zh":
            return words
        return f"{'on' if first.grain is Grain.DAY else 'in'} {words}"
    one, two = names(first, language), names(last, language)
    way = choice // 2 if first.grain is Grain.DAY else 0
    start, end = one[way % len(one)], two[way % len(two)]
    if language == "zh":
        return f"{start}至{end}间" if choice % 2 == 0 else f"从{start}到{end}"
    return f"from {start} to {end}" if choice % 2 == 0 else f"between {start} and {end}"
