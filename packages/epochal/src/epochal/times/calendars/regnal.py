"""Regnal calendars: years counted by rulers and eras, from a table; their days and months follow the table's rule.

A name that several reigns share gives several dates, never one guess. Where a table sets no days, a reign has all of
its first and last year, so years in which an era was changed belong to both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number, days_in_month
from epochal.times.calendars.base import CalendarDate, keep_valid
from epochal.times.calendars.date_text import (
    HanDate,
    LatinDate,
    format_han_month,
    format_han_year,
    read_latin,
    write_han,
    write_latin,
)
from epochal.times.calendars.julian import to_julian_date
from epochal.times.calendars.lunisolar import LunarMonth, stream
from epochal.times.calendars.regnal_table import RegnalTable, Reign, ReignNames, read_table, written_day
from epochal.times.numerals import get_sexagenary_day, get_sexagenary_year, to_ganzhi
from epochal.times.span import Span

#: The day on which a reign that still runs is taken to end, when its calendar sets no bound itself.
_FAR = day_number(10_000) - 1


class RegnalYears:
    """The years of the reigns of one table: which days they have, and which year holds a day."""

    def __init__(self, table: RegnalTable) -> None:
        self.table = table
        self._year_days: Callable[[Reign, int], tuple[int, int]] = (
            self._get_anniversary if table.years == "anniversary" else self._get_calendar_year
        )

    def last_year(self, reign: Reign) -> int:
        """The number of a reign's last year; of one that still runs, the last that its calendar reaches."""
        if reign.year_starts:
            return reign.first_year + len(reign.year_starts) - 1
        if self.table.years == "anniversary":
            last_day = _FAR if reign.ends is None else reign.ends
            guess = civil_date(last_day)[0] - civil_date(self._get_first_day(reign))[0] + reign.first_year
            return guess if self._get_anniversary_start(reign, guess) <= last_day else guess - 1
        if reign.last is not None:
            return reign.last - reign.first + reign.first_year
        last = civil_date(_FAR)[0]
        if self._is_lunisolar(reign, last):
            last = max(stream(self._stream(reign)).years)
        return last - reign.first + reign.first_year

    def has_year(self, reign: Reign, year: int) -> bool:
        """Whether a reign has a year of that number."""
        return reign.first_year <= year <= self.last_year(reign)

    def days(self, reign: Reign, year: int) -> tuple[int, int]:
        """The first day of a regnal year and the day after its last, cut where the reign began or ended."""
        first, after = self._year_days(reign, year)
        first = first if reign.begins is None else max(first, reign.begins)
        after = after if reign.ends is None else min(after, reign.ends + 1)
        return first, after

    def months(self, reign: Reign, year: int) -> tuple[LunarMonth, ...]:
        """The months of a regnal year in order; none where years are not made of months."""
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
        """Whether a regnal year is a Gregorian one, whose months are numbered plainly."""
        absolute = reign.first + year - reign.first_year
        return self.table.years in ("civil", "lunisolar") and not self._is_lunisolar(reign, absolute)

    def year_at(self, reign: Reign, day: int) -> int | None:
        """The number of the regnal year that holds a day; None when the reign does not."""
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

    def _get_calendar_year(self, reign: Reign, year: int) -> tuple[int, int]:
        absolute = reign.first + year - reign.first_year
        if self._is_lunisolar(reign, absolute):
            months = stream(self._stream(reign)).months(absolute)
            after = months[-1].first + months[-1].length
            cut = self.table.civil_from
            return months[0].first, after if cut is None else min(after, cut)
        return day_number(absolute), day_number(absolute + 1)

    def _get_anniversary(self, reign: Reign, year: int) -> tuple[int, int]:
        return self._get_anniversary_start(reign, year), self._get_anniversary_start(reign, year + 1)

    def _get_anniversary_start(self, reign: Reign, year: int) -> int:
        position = year - reign.first_year
        if reign.year_starts:
            if position < len(reign.year_starts):
                return reign.year_starts[position]
            return _FAR if reign.ends is None else reign.ends + 1
        begins = self._get_first_day(reign)
        cut = self.table.julian_until
        written = civil_date(begins)
        if cut is not None and to_julian_date(begins) <= cut:
            written = to_julian_date(begins)
        start = written_day((written[0] + position, written[1], written[2]), cut)
        # Only 29 February has no anniversary in most years; 1 March replaces it.
        return start if start is not None else written_day((written[0] + position, 3, 1), cut) or 0

    def _get_first_day(self, reign: Reign) -> int:
        if reign.begins is None:
            raise TimeRangeError(f"reign {reign.id!r} has no first day")
        return reign.begins


#: The tables that come with Epochal.
BUNDLED = ("lu.toml", "chinese.toml", "nengo.toml", "british.toml")

_KEY = lazy_regex(r"[1-9][0-9]{0,8}(-[1-9][0-9]{0,8}){2}")


class RegnalCalendar:
    """A calendar over a table of reigns."""

    def __init__(self, table: RegnalTable) -> None:
        self.table = table
        self.years = RegnalYears(table)

    @classmethod
    def load(cls, name_or_path: str | Path) -> RegnalCalendar:
        """A calendar from a table in TOML."""
        return cls(read_table(name_or_path))

    @property
    def name(self) -> str:
        """The name it is registered under."""
        return self.table.name

    @property
    def title(self) -> str:
        """A few words that say what it is."""
        return self.table.title

    @cached_property
    def names(self) -> ReignNames:
        """How its reigns are called."""
        return ReignNames(self.table)

    @cached_property
    def coverage(self) -> Span:
        """From the first day of its first reign to the last day of its last."""
        bounds = [self._get_bounds(reign) for reign in self.table.reigns]
        first, after = min(low for low, _ in bounds), max(high for _, high in bounds)
        return Span(first * DAY, after * DAY, Grain.DAY)

    def _get_bounds(self, reign: Reign) -> tuple[int, int]:
        first = self.years.days(reign, reign.first_year)[0]
        return first, self.years.days(reign, self.years.last_year(reign))[1]

    @cached_property
    def _all_bounds(self) -> list[tuple[int, int, Reign]]:
        reigns = self.table.reigns
        bounds = self.table.derive("reign-bounds", lambda: [self._get_bounds(reign) for reign in reigns])
        return [(low, high, reign) for (low, high), reign in zip(bounds, reigns, strict=True)]

    def list_reigns(self, low: int, high: int) -> list[tuple[int, int, Reign]]:
        """The reigns of which some lies between two days, by their first days, with that part: first day and day after.

        >>> lu = RegnalCalendar.load("lu.toml")
        >>> [(first, reign.latin) for first, _, reign in lu.list_reigns(-980_000, -970_000)]
        [(-980000, 'Duke Yin'), (-978849, 'Duke Huan'), (-972276, 'Duke Zhuang')]
        """
        found = [(max(low, first), min(high, after), reign) for first, after, reign in self._all_bounds]
        return sorted((item for item in found if item[0] < item[1]), key=lambda item: item[:2])

    def derive_tables(self) -> None:
        """Make and keep what follows from the table."""
        _ = (self._all_bounds, self.names.han)

    # ---------------------------------------------------------------- text to dates

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Every date that the text may name: in characters or in Latin letters. Regnal dates are never bare."""
        dates = [date for reign, stated in self.names.find_han(text) for date in self._parse_han(reign, stated)]
        for latin in read_latin(text):
            for reign in self.names.find_latin(latin.name):
                dates += self._parse_latin(reign, latin)
        return tuple(dict.fromkeys(dates))

    def _parse_latin(self, reign: Reign, stated: LatinDate) -> Iterator[CalendarDate]:
        month, day = stated.month, stated.day
        yield from keep_valid(self, CalendarDate(self.name, stated.year, month, day, stated.leap, reign.id))

    def _parse_han(self, reign: Reign, stated: HanDate) -> Iterator[CalendarDate]:
        if stated.year is not None:
            years = [stated.year]
        else:
            target = stated.year_name
            last = self.years.last_year(reign)
            years = [
                year
                for year in range(reign.first_year, last + 1)
                if get_sexagenary_year(reign.first + year - reign.first_year) == target
            ]
        for year in years:
            if self.years.has_year(reign, year):
                yield from self._list_dates(reign, year, stated)

    def _list_dates(self, reign: Reign, year: int, stated: HanDate) -> Iterator[CalendarDate]:
        era = reign.id
        if stated.month is None:
            yield from keep_valid(self, CalendarDate(self.name, year, era=era, season=stated.season or 0))
            return
        month = self._get_month_number(reign, year, stated)
        if month is None:
            return
        date = CalendarDate(self.name, year, month, stated.day, stated.leap, era)
        if stated.day_name is None:
            yield from keep_valid(self, date)
        elif self.table.years == "nominal":
            yield from keep_valid(
                self, CalendarDate(self.name, year, month, None, stated.leap, era, 0, stated.day_name)
            )
        else:
            same = [
                lunar_month for lunar_month in self.years.months(reign, year) if lunar_month[:2] == (month, stated.leap)
            ]
            for lunar_month in same[-1:]:
                position = (stated.day_name - get_sexagenary_day(lunar_month.first)) % 60
                yield from keep_valid(self, CalendarDate(self.name, year, month, position + 1, stated.leap, era))

    def _get_month_number(self, reign: Reign, year: int, stated: HanDate) -> int | None:
        if stated.month == 0:
            leaps = [month.number for month in self.years.months(reign, year) if month.leap]
            return leaps[0] if leaps else self.table.unnumbered_leap
        numbers = {month.number for month in self.years.months(reign, year)}
        return {"腊": 13, "一": 14}.get(stated.month_name, stated.month) if 13 in numbers else stated.month

    def problem(self, text: str) -> str | None:
        """Why a text that names a reign is no date of it: a sentence, or None when it names no reign."""
        problems = [self._explain_han(reign, stated) for reign, stated in self.names.find_han(text)]
        for latin in read_latin(text):
            problems += [
                self._explain_date(CalendarDate(self.name, latin.year, latin.month, latin.day, latin.leap, reign.id))
                for reign in self.names.find_latin(latin.name)
            ]
        return next(filter(None, problems), None)

    def _explain_han(self, reign: Reign, stated: HanDate) -> str | None:
        if any(self._parse_han(reign, stated)):
            return None
        year, month = stated.year, stated.month
        if year is None:
            return f"{reign.id} has no such date in a year {to_ganzhi(stated.year_name or 1)}"
        if self.years.has_year(reign, year):
            if month is not None:
                month = self._get_month_number(reign, year, stated)
                if month is None:
                    return f"year {year} of {reign.id} has no intercalary month"
            problem = self._explain_date(CalendarDate(self.name, year, month, stated.day, stated.leap, reign.id))
            if problem is None and stated.day_name:
                return f"month {month} of year {year} of {reign.id} has no day {to_ganzhi(stated.day_name)}"
            return problem
        return self._explain_date(CalendarDate(self.name, year, era=reign.id))

    def _explain_date(self, date: CalendarDate) -> str | None:
        try:
            self.span(date)
        except TimeRangeError as error:
            return str(error)
        return None

    # ---------------------------------------------------------------- dates to text

    def format(self, date: CalendarDate) -> str:
        """The date as its table writes it, with the shortest name that is not ambiguous."""
        reign = self._get_reign(date)
        if self.table.text == "latin":
            return write_latin(LatinDate(self.names.shortest(reign), date.year, date.month, date.day, date.leap))
        name = self.names.shortest(reign)
        if date.sexagenary and date.month is not None:
            days = format_han_month(date.month, date.leap) + to_ganzhi(date.sexagenary)
            return f"{name}{format_han_year(date.year)}{days}"
        stated = HanDate(date.year, None, date.season, date.month, date.leap, date.day)
        return name + write_han(stated, civil=self.years.is_civil(reign, date.year))

    def latin(self, date: CalendarDate) -> str:
        """The date in Latin letters."""
        reign = self._get_reign(date)
        text = f"{reign.latin or reign.name}, year {date.year}"
        if date.month is not None:
            text += f", {'intercalary ' if date.leap else ''}month {date.month}"
        elif date.season:
            text += f", {('spring', 'summer', 'autumn', 'winter')[date.season - 1]}"
        return text if date.day is None else f"{text}, day {date.day}"

    # ---------------------------------------------------------------- dates and days

    def span(self, date: CalendarDate) -> Span:
        """The span of a date. Nominal years have approximate ends."""
        reign = self._get_reign(date)
        if not self.years.has_year(reign, date.year):
            raise TimeRangeError(
                f"{reign.id} has no year {date.year}; its years are {reign.first_year} to {self.years.last_year(reign)}"
            )
        doubt = Certainty.APPROXIMATE if self.table.years == "nominal" else Certainty.CERTAIN
        first, after = self.years.days(reign, date.year)
        if date.sexagenary:
            day = self._find_named_day(reign, date)
            return Span(day * DAY, (day + 1) * DAY, Grain.DAY, Grain.DAY, doubt, doubt)
        if date.month is not None or date.season:
            months = self._find_months(reign, date)
            low, high = months[0].first, months[-1].first + months[-1].length
            if date.day is not None:
                low = self._find_day(reign, date, months[0])
                high = low + 1
            first, after = max(first, low), min(after, high)
        if first >= after:
            raise TimeRangeError(f"{reign.id} had not begun, or was over, on the days of {date.year}-{date.month}")
        return Span(first * DAY, after * DAY, date.grain, date.grain, doubt, doubt)

    def _get_reign(self, date: CalendarDate) -> Reign:
        reign = self.table.by_id.get(date.era)
        if reign is None:
            raise TimeRangeError(f"the calendar {self.name!r} has no reign {date.era!r}")
        return reign

    def _find_months(self, reign: Reign, date: CalendarDate) -> list[LunarMonth]:
        """The month that a date names, or the months of its season."""
        months = self.years.months(reign, date.year)
        if not months:
            raise TimeRangeError(f"{self.title} counts years only, so it has no month {date.month}")
        if date.month is None:
            low = 3 * (date.season - 1)
            selected = [month for month in months if low < month.number <= low + 3]
        else:
            selected = [month for month in months if (month.number, month.leap) == (date.month, date.leap)]
            if not selected and date.leap and self.table.years == "nominal":
                # Intercalary months were kept but their lengths are lost: one takes its namesake's days.
                selected = [month for month in months if month.number == date.month]
        if not selected:
            leap = "intercalary " if date.leap else ""
            raise TimeRangeError(f"year {date.year} of {reign.id} has no {leap}month {date.month}")
        # A number may come twice, when the start of the year was moved; the later month is meant while the reign lasts.
        return selected if date.month is None else selected[-1:]

    def _find_day(self, reign: Reign, date: CalendarDate, month: LunarMonth) -> int:
        day = date.day or 0
        if self.table.years == "nominal":
            raise TimeRangeError(f"the days of {self.title} are not known by number")
        if not 1 <= day <= month.length:
            raise TimeRangeError(
                f"month {date.month} of year {date.year} of {reign.id} has {month.length} days, but not a day {day}"
            )
        return month.first + day - 1

    def _find_named_day(self, reign: Reign, date: CalendarDate) -> int:
        """The day of that name nearest to the middle of its nominal month: in sixty days each name comes once."""
        month = self._find_months(reign, date)[0]
        low = month.first + month.length // 2 - 30
        return low + (date.sexagenary - get_sexagenary_day(low)) % 60

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The dates that hold a day, one for each reign then counted, as finely as the table can tell."""
        dates = []
        for first, after, reign in self._all_bounds:
            if first <= day < after:
                year = self.years.year_at(reign, day)
                if year is not None:
                    dates.append(self._make_date(reign, year, day, grain))
        return tuple(dates)

    def _make_date(self, reign: Reign, year: int, day: int, grain: Grain) -> CalendarDate:
        whole_year = CalendarDate(self.name, year, era=reign.id)
        if grain >= Grain.YEAR:
            return whole_year
        months = self.years.months(reign, year)
        for month in months:
            if month.first <= day < month.first + month.length:
                later = [other for other in months if other[:2] == month[:2] and other.first > month.first]
                if later:
                    break  # the number comes twice, and alone it means the later month
                position = None if grain >= Grain.MONTH or self.table.years == "nominal" else day - month.first + 1
                return CalendarDate(self.name, year, month.number, position, month.leap, reign.id)
        return whole_year

    # ---------------------------------------------------------------- the ordinal axis

    @cached_property
    def _ordinal_starts(self) -> dict[str, int]:
        if not self.table.ordinal:
            raise TimeRangeError(f"the calendar {self.name!r} has no ordinal axis")
        starts, total = {}, 0
        for reign in self.table.reigns:
            starts[reign.id] = total
            total += (reign.years or 0) * self.table.months
        return starts

    @property
    def ordinals(self) -> int:
        """How many month keys the ordinal axis has."""
        return sum((reign.years or 0) * self.table.months for reign in self.table.reigns if self._ordinal_starts)

    def ordinal(self, date: CalendarDate) -> int:
        """The place of a month on the ordinal axis, from 0; an intercalary month has that of the month before it."""
        reign = self._get_reign(date)
        start = self._ordinal_starts[reign.id]
        if date.month is None or not 1 <= date.year <= (reign.years or 0) or not 1 <= date.month <= self.table.months:
            raise TimeRangeError(
                f"year {date.year}, month {date.month} of {reign.id} has no place on the ordinal axis, "
                f"where it has {reign.years} years of {self.table.months} months"
            )
        return start + (date.year - 1) * self.table.months + date.month - 1

    def date_at(self, ordinal: int) -> CalendarDate:
        """The month at a place of the ordinal axis."""
        for reign in reversed(self.table.reigns):
            start = self._ordinal_starts[reign.id]
            if ordinal >= start:
                year, month = divmod(ordinal - start, self.table.months)
                if year < (reign.years or 0) and ordinal >= 0:
                    return CalendarDate(self.name, year + 1, month + 1, era=reign.id)
                break
        raise TimeRangeError(f"{ordinal} is no place on the ordinal axis, which runs from 0 to {self.ordinals - 1}")

    def key(self, date: CalendarDate) -> str:
        """The key `reign-year-month` of a month on the ordinal axis, reigns counted from 1."""
        self.ordinal(date)
        reign = list(self.table.by_id).index(self._get_reign(date).id) + 1
        return f"{reign}-{date.year}-{date.month}"

    def from_key(self, key: str) -> CalendarDate:
        """The month of a key `reign-year-month`; an error when the ordinal axis has no such month."""
        if not _KEY.fullmatch(key):
            raise TimeRangeError(f"{key!r} is not a key such as 5-28-3 (reign, year, month)")
        reign, year, month = (int(part) for part in key.split("-"))
        if not 1 <= reign <= len(self.table.reigns):
            raise TimeRangeError(f"{key!r} names reign {reign}, but there are {len(self.table.reigns)}")
        date = CalendarDate(self.name, year, month, era=self.table.reigns[reign - 1].id)
        self.ordinal(date)
        return date


def load_bundled_calendars() -> Iterator[RegnalCalendar]:
    """The regnal calendars that come with Epochal."""
    return (RegnalCalendar.load(name) for name in BUNDLED)
