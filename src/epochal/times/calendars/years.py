"""What a regnal year is: its days and its months, by the rule of its table."""

from __future__ import annotations

from collections.abc import Callable

from epochal.errors import TimeRangeError
from epochal.times.axis import civil_date, day_number, days_in_month
from epochal.times.calendars.julian import date_of_julian
from epochal.times.calendars.lunisolar import LunarMonth, stream
from epochal.times.calendars.table import RegnalTable, Reign, written_day

__all__ = ["RegnalYears"]

#: The day on which a reign that still runs is taken to end, when its calendar sets no bound itself.
_FAR = day_number(10_000) - 1


class RegnalYears:
    """The years of the reigns of one table: which days they have, and which year holds a day.

    >>> from epochal.times.calendars.table import read_table
    >>> table = read_table("british.toml")
    >>> henry = table.by_id["Henry VIII"]
    >>> RegnalYears(table).last_year(henry)
    38
    """

    def __init__(self, table: RegnalTable) -> None:
        self.table = table
        self._year_days: Callable[[Reign, int], tuple[int, int]] = (
            self._anniversary if table.years == "anniversary" else self._calendar_year
        )

    def last_year(self, reign: Reign) -> int:
        """The number of a reign's last year; of one that still runs, the last that its calendar reaches.

        >>> from epochal.times.calendars.table import read_table
        >>> lu = read_table("lu.toml")
        >>> RegnalYears(lu).last_year(lu.reigns[4])
        33
        """
        if reign.year_starts:
            return reign.first_year + len(reign.year_starts) - 1
        if self.table.years == "anniversary":
            last_day = _FAR if reign.ends is None else reign.ends
            guess = civil_date(last_day)[0] - civil_date(self._begins(reign))[0] + reign.first_year
            return guess if self._anniversary_start(reign, guess) <= last_day else guess - 1
        if reign.last is not None:
            return reign.last - reign.first + reign.first_year
        last = civil_date(_FAR)[0]
        if self._is_lunisolar(reign, last):
            last = max(stream(self._stream(reign)).years)
        return last - reign.first + reign.first_year

    def has_year(self, reign: Reign, year: int) -> bool:
        """Whether a reign has a year of that number.

        >>> from epochal.times.calendars.table import read_table
        >>> lu = read_table("lu.toml")
        >>> RegnalYears(lu).has_year(lu.reigns[0], 12)
        False
        """
        return reign.first_year <= year <= self.last_year(reign)

    def days(self, reign: Reign, year: int) -> tuple[int, int]:
        """The first day of a regnal year and the day after its last, cut where the reign began or ended.

        >>> from epochal.times.calendars.table import read_table
        >>> nengo = read_table("nengo.toml")
        >>> first, after = RegnalYears(nengo).days(nengo.by_id["日本平成"], 31)
        >>> civil_date(first), civil_date(after)
        ((2019, 1, 1), (2019, 5, 1))
        """
        first, after = self._year_days(reign, year)
        first = first if reign.begins is None else max(first, reign.begins)
        after = after if reign.ends is None else min(after, reign.ends + 1)
        return first, after

    def months(self, reign: Reign, year: int) -> tuple[LunarMonth, ...]:
        """The months of a regnal year in order; none where years are not made of months.

        >>> from epochal.times.calendars.table import read_table
        >>> lu = read_table("lu.toml")
        >>> len(RegnalYears(lu).months(lu.reigns[0], 1))
        12
        """
        if self.table.years == "anniversary":
            return ()
        absolute = reign.first + year - reign.first_year
        if self._is_lunisolar(reign, absolute):
            months = stream(self._stream(reign)).months(absolute)
            cut = self.table.civil_from
            if cut is not None:
                months = tuple(month for month in months if month.first < cut)
            return months
        count = self.table.months if self.table.years == "nominal" else 12
        return tuple(
            LunarMonth(number, False, day_number(absolute, number), days_in_month(absolute, number))
            for number in range(1, count + 1)
        )

    def is_civil(self, reign: Reign, year: int) -> bool:
        """Whether a regnal year is a Gregorian one, whose months are numbered plainly.

        >>> from epochal.times.calendars.table import read_table
        >>> nengo = read_table("nengo.toml")
        >>> meiji = nengo.by_id["日本明治"]
        >>> RegnalYears(nengo).is_civil(meiji, 5), RegnalYears(nengo).is_civil(meiji, 6)
        (False, True)
        """
        absolute = reign.first + year - reign.first_year
        return self.table.years in ("civil", "lunisolar") and not self._is_lunisolar(reign, absolute)

    def year_at(self, reign: Reign, day: int) -> int | None:
        """The number of the regnal year that holds a day; None when the reign does not.

        >>> from epochal.times.calendars.table import read_table
        >>> table = read_table("british.toml")
        >>> RegnalYears(table).year_at(table.by_id["Henry VIII"], day_number(1520))
        11
        """
        guess = civil_date(day)[0] - reign.first + reign.first_year
        for year in (guess - 1, guess, guess + 1):
            if self.has_year(reign, year):
                first, after = self.days(reign, year)
                if first <= day < after:
                    return year
        return None

    # ---------------------------------------------------------------- by rule

    def _stream(self, reign: Reign) -> int:
        return self.table.stream if reign.stream is None else reign.stream

    def _is_lunisolar(self, reign: Reign, absolute: int) -> bool:
        if self.table.years != "lunisolar" or reign.civil:
            return False
        cut = self.table.civil_from
        return cut is None or absolute < civil_date(cut)[0]

    def _calendar_year(self, reign: Reign, year: int) -> tuple[int, int]:
        absolute = reign.first + year - reign.first_year
        if self._is_lunisolar(reign, absolute):
            months = stream(self._stream(reign)).months(absolute)
            after = months[-1].first + months[-1].length
            cut = self.table.civil_from
            return months[0].first, after if cut is None else min(after, cut)
        return day_number(absolute), day_number(absolute + 1)

    def _anniversary(self, reign: Reign, year: int) -> tuple[int, int]:
        return self._anniversary_start(reign, year), self._anniversary_start(reign, year + 1)

    def _anniversary_start(self, reign: Reign, year: int) -> int:
        place = year - reign.first_year
        if reign.year_starts:
            if place < len(reign.year_starts):
                return reign.year_starts[place]
            return _FAR if reign.ends is None else reign.ends + 1
        begins = self._begins(reign)
        cut = self.table.julian_until
        written = civil_date(begins)
        if cut is not None and date_of_julian(begins) <= cut:
            written = date_of_julian(begins)
        start = written_day((written[0] + place, written[1], written[2]), cut)
        # Only 29 February has no anniversary in most years; 1 March stands for it.
        return start if start is not None else written_day((written[0] + place, 3, 1), cut) or 0

    def _begins(self, reign: Reign) -> int:
        if reign.begins is None:
            raise TimeRangeError(f"reign {reign.id!r} has no first day")
        return reign.begins
