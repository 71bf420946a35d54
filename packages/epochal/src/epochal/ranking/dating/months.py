"""MonthAxis: the months of a calendar as one axis with reigns and years, and the year functions of learned weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, TimeRangeError
from epochal.times.axis import DAY, OPEN_END, OPEN_START, civil_date
from epochal.times.span import Span

#: Months of a year. Intercalary months have no place of their own: their records count with the month before.
MONTHS: Final = 12

#: Years that each duke of Lu reigned, from 722 BCE on without a gap.
_LU: Final = (11, 18, 32, 2, 33, 18, 18, 18, 31, 32, 15, 27)

Ints = npt.NDArray[np.int64]


class Months(NamedTuple):
    """A range of an axis: its first and its last month, both counted from 0 and both in it."""

    first: int
    last: int

    @property
    def length(self) -> int:
        """How many months it has."""
        return self.last - self.first + 1


class Levels(NamedTuple):
    """Where a month lies: which reign, which year of the reign and which month of the year, all counted from 0."""

    reign: int
    year: int
    month: int


@dataclass(frozen=True)
class MonthAxis:
    """Consecutive years of twelve months, parted into reigns; `first_year` is astronomical, so that -721 is 722 BCE.

    >>> lu = MonthAxis.lu()
    >>> lu.years, lu.months, len(lu.lengths)
    (255, 3060, 12)
    >>> lu.levels(lu.place([Span.parse("-0631-03~")]).first)
    Levels(reign=4, year=27, month=2)
    """

    name: str
    first_year: int
    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.lengths or min(self.lengths) < 1:
            raise EpochalError(
                f"the reigns of {self.name!r} have {list(self.lengths)} years; accepted: one or more each"
            )

    @classmethod
    def lu(cls) -> MonthAxis:
        """The twelve dukes of Lu, 722 to 468 BCE.

        >>> MonthAxis.lu().levels(0), MonthAxis.lu().levels(3059)
        (Levels(reign=0, year=0, month=0), Levels(reign=11, year=26, month=11))
        """
        return cls("lu", -721, _LU)

    @classmethod
    def gregorian(cls, first_year: int, last_year: int) -> MonthAxis:
        """Years of the common calendar; its reigns are the decades, of which the first and the last may be cut short.

        >>> MonthAxis.gregorian(1998, 2011).lengths
        (2, 10, 2)
        """
        if last_year < first_year:
            raise EpochalError(f"an axis cannot run from {first_year} to {last_year}; accepted: years in their order")
        counts: dict[int, int] = {}
        for year in range(first_year, last_year + 1):
            counts[year // 10] = counts.get(year // 10, 0) + 1
        return cls("gregorian", first_year, tuple(counts.values()))

    @classmethod
    def reigns(cls, name: str, starts: Sequence[int], last_year: int) -> MonthAxis:
        """A calendar of reigns by the (astronomical) year that each begins with, and the last year of all.

        >>> MonthAxis.reigns("georgian", [1714, 1727, 1760, 1820], 1829).lengths
        (13, 33, 60, 10)
        """
        bounds = [*starts, last_year + 1]
        return cls(name, bounds[0], tuple(after - before for before, after in pairwise(bounds)))

    @property
    def years(self) -> int:
        """How many years it has.

        >>> MonthAxis.gregorian(1998, 2011).years
        14
        """
        return sum(self.lengths)

    @property
    def months(self) -> int:
        """How many months it has.

        >>> MonthAxis.gregorian(1998, 1999).months
        24
        """
        return self.years * MONTHS

    @cached_property
    def reign_of_year(self) -> Ints:
        """The reign of each year.

        >>> MonthAxis.reigns("two", [1, 3], 4).reign_of_year.tolist()
        [0, 0, 1, 1]
        """
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def year_in_reign(self) -> Ints:
        """The place of each year in its reign, from 0.

        >>> MonthAxis.reigns("two", [1, 3], 5).year_in_reign.tolist()
        [0, 1, 0, 1, 2]
        """
        return np.concatenate([np.arange(length) for length in self.lengths])

    def levels(self, month: int) -> Levels:
        """Reign, year and month of a month.

        >>> MonthAxis.gregorian(1998, 2011).levels(26)
        Levels(reign=1, year=0, month=2)
        """
        if not 0 <= month < self.months:
            raise TimeRangeError(f"{month} is no month of {self.name!r}; accepted: 0 to {self.months - 1}")
        year, rest = divmod(month, MONTHS)
        return Levels(int(self.reign_of_year[year]), int(self.year_in_reign[year]), rest)

    def index(self, levels: Levels) -> int:
        """The month at a reign, year and month; the reverse of `levels`.

        >>> MonthAxis.lu().index(Levels(4, 27, 2))
        1082
        """
        reign, year, month = levels
        if not (0 <= reign < len(self.lengths) and 0 <= year < self.lengths[reign] and 0 <= month < MONTHS):
            raise TimeRangeError(
                f"{tuple(levels)} is no month of {self.name!r}; accepted: reign, year and month from 0"
            )
        return (sum(self.lengths[:reign]) + year) * MONTHS + month

    def place(self, spans: Iterable[Span]) -> Months:
        """The months from the first to the last of some spans; what lies before or after the axis is cut off.

        >>> axis = MonthAxis.gregorian(1998, 1999)
        >>> axis.place([Span.parse("1998-03-15")]), axis.place([Span.parse("1998-11"), Span.parse("1999-02")])
        (Months(first=2, last=2), Months(first=10, last=13))
        >>> axis.place([Span.parse("1870")])
        Traceback (most recent call last):
        ...
        epochal.errors.TimeRangeError: 1870 lies outside the axis 'gregorian', which has the years 1998 to 1999
        """
        placed = list(spans)
        if not placed:
            raise EpochalError(f"no time to place on the axis {self.name!r}; accepted: one span or more")
        first = min(self._find_month(span.start) for span in placed)
        last = max(self._find_month(span.end - 1) for span in placed)
        if last < 0 or first >= self.months:
            until = self.first_year + self.years - 1
            texts = ", ".join(span.edtf() for span in placed)
            raise TimeRangeError(
                f"{texts} lies outside the axis {self.name!r}, which has the years {self.first_year} to {until}"
            )
        return Months(max(first, 0), min(last, self.months - 1))

    def holds(self, span: Span) -> bool:
        """Whether a span lies wholly on the axis.

        >>> MonthAxis.lu().holds(Span.parse("-0631-03~")), MonthAxis.lu().holds(Span.parse("0479-02"))
        (True, False)
        """
        return 0 <= self._find_month(span.start) <= self._find_month(span.end - 1) < self.months

    def to_dict(self) -> dict[str, Any]:
        """The axis as JSON can hold it.

        >>> MonthAxis.from_dict(MonthAxis.lu().to_dict()) == MonthAxis.lu()
        True
        """
        return {"name": self.name, "first_year": self.first_year, "lengths": list(self.lengths)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> MonthAxis:
        """An axis from what `to_dict` gave.

        >>> MonthAxis.from_dict({"name": "own", "first_year": 1900, "lengths": [2, 3]}).years
        5
        """
        return cls(str(record["name"]), int(record["first_year"]), tuple(int(length) for length in record["lengths"]))

    def _find_month(self, second: int) -> int:
        """The month that a second lies in, from 0; below 0 before the axis, and `months` or more after it."""
        if second <= OPEN_START:
            return -1
        if second >= OPEN_END - 1:
            return self.months
        year, month, _ = civil_date(second // DAY)
        return (year - self.first_year) * MONTHS + month - 1


def make_year_functions(years: int, spread: float) -> npt.NDArray[np.float32]:
    """Functions of the year, one a column: each year's own, and bumps that reach over others.

    The bumps are `spread` years wide and as far apart; what is learned for one holds for years without any training
    text too. They are half as high, so that a year's own column comes first where there are texts to learn from. A
    spread of 0 leaves them out.
    """
    if not (math.isfinite(spread) and spread >= 0):
        raise EpochalError(f"the spread of years is {spread}; accepted: a number from 0")
    own = np.eye(years, dtype=np.float32)
    if spread == 0 or years == 1:
        return own
    middles = np.linspace(0, years - 1, math.ceil((years - 1) / spread) + 1)
    bumps = 0.5 * np.exp(-0.5 * ((np.arange(years)[:, None] - middles) / spread) ** 2)
    return np.concatenate([own, bumps.astype(np.float32)], axis=1)
