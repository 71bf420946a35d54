"""The one date that a text states, as classes of the heads and back, and as a span of the axis."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epochal.errors import EpochalError
from epochal.times.axis import DAY, civil_date
from epochal.times.grain import Grain
from epochal.times.span import Span

__all__ = ["HEADS", "IGNORED", "LAST_YEAR", "NONE", "Label", "days_in_month"]

#: The heads in their order, with how many classes each has. Class 0 of month and day says that there is none.
HEADS: Final[dict[str, int]] = {"century": 21, "decade": 10, "year": 10, "month": 13, "day": 32, "exists": 2}
#: The class of a head that has nothing to learn from a text, as `torch.nn.functional.cross_entropy` takes it.
IGNORED: Final = -100
#: The last year that the heads can say.
LAST_YEAR: Final = 2099

_TEXT = re.compile(r"(?P<year>\d{4}|XXXX)(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?")
_FORMS: Final = "'1998', '1998-03', '1998-03-04', 'XXXX-03', 'XXXX-03-04' and '' for none"
#: 29 February is at most eight years off.
_FAR: Final = 8


@dataclass(frozen=True, slots=True)
class Label:
    """What a text states of a date: its year, month and day, each None where it does not say.

    A text may leave out the year ("Monday, June 9"); then the year is that of a date of reference.

    >>> Label(2014, 6, 9).classes
    (20, 1, 4, 6, 9, 1)
    >>> Label(None, 6, 9).span(Span.parse("2014-06-01")).edtf()
    '2014-06-09'
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if self.year is not None and not 1 <= self.year <= LAST_YEAR:
            raise EpochalError(f"the year of a label is {self.year}; accepted: 1 to {LAST_YEAR}, or None")
        if self.month is not None and not 1 <= self.month <= 12:
            raise EpochalError(f"the month of a label is {self.month}; accepted: 1 to 12, or None")
        if self.day is not None:
            if self.month is None:
                raise EpochalError(f"a label has the day {self.day} and no month; accepted: a day of a month")
            if not 1 <= self.day <= days_in_month(self.year, self.month):
                raise EpochalError(f"the day of a label is {self.day}; accepted: a day that month {self.month} has")

    @classmethod
    def parse(cls, text: str) -> Label:
        """From the text that `str` gives.

        >>> Label.parse("XXXX-06-09")
        Label(year=None, month=6, day=9)
        """
        if text == "":
            return NONE
        match = _TEXT.fullmatch(text)
        if match is None or text == "XXXX":
            raise EpochalError(f"the label {text!r} is no date; accepted: {_FORMS}")
        year, month, day = match["year"], match["month"], match["day"]
        return cls(
            None if year == "XXXX" else int(year),
            None if month is None else int(month),
            None if day is None else int(day),
        )

    def __str__(self) -> str:
        if self == NONE:
            return ""
        parts = ["XXXX" if self.year is None else f"{self.year:04}"]
        parts += [f"{part:02}" for part in (self.month, self.day) if part is not None]
        return "-".join(parts)

    @property
    def classes(self) -> tuple[int, ...]:
        """The class of each of the `HEADS`; century, decade and year are `IGNORED` where no year is stated.

        >>> Label(1998).classes, Label().classes
        ((19, 9, 8, 0, 0, 1), (-100, -100, -100, 0, 0, 0))
        """
        year = (IGNORED,) * 3 if self.year is None else (self.year // 100, self.year // 10 % 10, self.year % 10)
        return (*year, self.month or 0, self.day or 0, int(self.year is not None))

    @classmethod
    def of_classes(cls, classes: Sequence[int]) -> Label:
        """The label of a class for each of the `HEADS`; a day without a month says nothing.

        >>> Label.of_classes([20, 1, 4, 6, 9, 1]) == Label(2014, 6, 9)
        True
        """
        century, decade, year, month, day, exists = classes
        # The heads can say the year 0, which no text states.
        stated = (100 * century + 10 * decade + year or None) if exists else None
        return cls(stated, month or None, (day or None) if month else None)

    @classmethod
    def of_span(cls, span: Span) -> Label | None:
        """The label of a span that is one year, month or day; None for all other spans.

        >>> Label.of_span(Span.parse("1998-03"))
        Label(year=1998, month=3, day=None)
        """
        if span.is_open or span.grain != span.end_grain:
            return None
        year, month, day = civil_date(span.start // DAY)
        if not 1 <= year <= LAST_YEAR:
            return None
        known = {Grain.YEAR: cls(year), Grain.MONTH: cls(year, month), Grain.DAY: cls(year, month, day)}
        found = known.get(span.grain)
        whole = None if found is None else found.span()
        return found if whole is not None and (whole.start, whole.end) == (span.start, span.end) else None

    def span(self, reference: Span | None = None) -> Span | None:
        """The year, month or day on the axis; None where nothing is stated, or no year and there is no reference.

        A year that is not stated is the one that puts the date nearest to the start of the reference.

        >>> Label(1998, 3).span().edtf(), Label(None, 1, 2).span(Span.parse("2021-12-30")).edtf()
        ('1998-03', '2022-01-02')
        """
        if self.year is not None:
            return _span(self.year, self.month, self.day)
        if self.month is None or reference is None or reference.is_open:
            return None
        here = reference.start // DAY
        present = civil_date(here)[0]
        near = [
            span
            for year in range(present - _FAR, present + _FAR + 1)
            if self.day is None or self.day <= days_in_month(year, self.month)
            if (span := _span(year, self.month, self.day)) is not None
        ]
        # A month that holds the reference is nearest to it, however long ago it began.
        return min(
            near, key=lambda span: (max(span.start - reference.start, reference.start - span.end, 0), span.start)
        )


def days_in_month(year: int | None, month: int) -> int:
    """How many days a month has; February of no particular year has 29.

    >>> days_in_month(2023, 2), days_in_month(None, 2)
    (28, 29)
    """
    return calendar.monthrange(2024 if year is None or not dt.MINYEAR <= year <= dt.MAXYEAR else year, month)[1]


def _span(year: int, month: int | None, day: int | None) -> Span:
    if month is None:
        return Span.year(year)
    return Span.month(year, month) if day is None else Span.day(year, month, day)


#: What a text without a date states.
NONE: Final = Label()
