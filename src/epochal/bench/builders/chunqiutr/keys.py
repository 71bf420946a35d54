"""Month keys: the twelve dukes of Lu, their years, and twelve months a year, stitched into one line of months."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from epochal.errors import EpochalError
from epochal.times import CalendarDate, Span, calendar
from epochal.times.calendars.han_text import month_text, year_text

__all__ = ["DUKES", "MonthKey", "Timeline", "year_name"]

#: The dukes by the number that a key has for them, counted from 1.
DUKES: Final = "隱桓莊閔僖文宣成襄昭定哀"
_MONTHS: Final = 12


@dataclass(frozen=True, slots=True, order=True)
class MonthKey:
    """A month by the number of its duke, its year and its place in the year, all counted from 1.

    >>> MonthKey(1, 1, 12).text, str(MonthKey(5, 28, 3))
    ('魯隱公元年十二月', '5-28-3')
    """

    duke: int
    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.duke}-{self.year}-{self.month}"

    @classmethod
    def parse(cls, text: str) -> MonthKey:
        """The key of a text such as 5-28-3.

        >>> MonthKey.parse("5-28-3") < MonthKey.parse("5-28-10")
        True
        """
        parts = text.split("-")
        if len(parts) != 3 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[0]) <= len(DUKES):
            raise EpochalError(f"{text!r} is no month key; accepted: duke 1 to 12, year and month, such as 5-28-3")
        return cls(*(int(part) for part in parts))

    @property
    def duke_name(self) -> str:
        """The duke with his state.

        >>> MonthKey(2, 1, 1).duke_name
        '魯桓公'
        """
        return f"魯{DUKES[self.duke - 1]}公"

    @property
    def text(self) -> str:
        """The month in full, as questions and placeholders write it.

        >>> MonthKey(8, 7, 1).text
        '魯成公七年正月'
        """
        return f"{year_name(self)}{month_text(self.month)}"

    @property
    def date(self) -> CalendarDate:
        """The month in the calendar of Lu.

        >>> MonthKey(8, 7, 1).date.era
        '魯成公'
        """
        return CalendarDate("lu", self.year, self.month, era=self.duke_name)

    @property
    def span(self) -> Span:
        """The month on the axis of days.

        >>> MonthKey(1, 1, 3).span.edtf()
        '-0721-03~'
        """
        return calendar("lu").span(self.date)


def year_name(key: MonthKey) -> str:
    """The year of a key in full.

    >>> year_name(MonthKey(1, 1, 12))
    '魯隱公元年'
    """
    return f"{key.duke_name}{year_text(key.year)}"


class Timeline:
    """All months in their order, each with the split that it belongs to.

    >>> line = Timeline({MonthKey(1, 11, month): "train" for month in range(1, 13)} | {MonthKey(2, 1, 1): "val"})
    >>> [str(key) for key in line.between(11, 12)], line.split(line.between(11, 12))
    (['1-11-12', '2-1-1'], 'mixed')
    """

    def __init__(self, splits: Mapping[MonthKey, str]) -> None:
        self.splits = dict(sorted(splits.items()))
        self.keys = tuple(self.splits)

    @classmethod
    def whole_years(cls, keys: Iterable[MonthKey], split: str = "train") -> Timeline:
        """The line that has every month of the years of the keys, in one split.

        >>> len(Timeline.whole_years([MonthKey(1, 1, 3), MonthKey(1, 2, 5)]).keys)
        24
        """
        years = {(key.duke, key.year) for key in keys}
        return cls({MonthKey(*year, month): split for year in years for month in range(1, _MONTHS + 1)})

    @cached_property
    def places(self) -> dict[MonthKey, int]:
        """The place of each month, counted from 0: what the benchmark calls its time id.

        >>> Timeline.whole_years([MonthKey(3, 1, 1)]).places[MonthKey(3, 1, 2)]
        1
        """
        return {key: place for place, key in enumerate(self.keys)}

    def between(self, first: int, last: int) -> tuple[MonthKey, ...]:
        """The months from one place to another, both included; none where the line does not reach so far.

        >>> Timeline.whole_years([MonthKey(3, 1, 1)]).between(-1, 2)
        ()
        """
        return self.keys[first : last + 1] if 0 <= first <= last < len(self.keys) else ()

    def year(self, key: MonthKey, offset: int = 0) -> tuple[MonthKey, ...]:
        """The months of the year of a key, or of one so many years later; a reign is followed by the next.

        >>> line = Timeline.whole_years([MonthKey(1, 11, 1), MonthKey(2, 1, 1)])
        >>> line.year(MonthKey(2, 1, 5), -1)[-1].text
        '魯隱公十一年十二月'
        """
        first = self.places[key] - (key.month - 1) + _MONTHS * offset
        return self.between(first, first + _MONTHS - 1)

    def split(self, keys: Iterable[MonthKey]) -> str:
        """The split that all of the months are in, or "mixed".

        >>> Timeline.whole_years([MonthKey(1, 1, 1)], "test").split([MonthKey(1, 1, 2)])
        'test'
        """
        found = {self.splits[key] for key in keys}
        return found.pop() if len(found) == 1 else "mixed"
