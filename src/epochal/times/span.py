"""Span: a stretch of time with the grain and the certainty of each end."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from epochal.errors import TimeParseError, TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, OPEN_END, OPEN_START, add_months, civil_date, seconds_of
from epochal.times.certainty import Certainty
from epochal.times.grain import Grain

if TYPE_CHECKING:
    from epochal.times.allen import Allen

__all__ = ["Part", "Span"]

Part = Literal["early", "mid", "late"]


@dataclass(frozen=True, slots=True, repr=False)
class Span:
    """A half-open stretch `[start, end)` of the axis, never empty.

    `grain` and `certainty` belong to the start, `end_grain` and `end_certainty` to the end; left out, the end's
    are the start's. An open end is `OPEN_START` or `OPEN_END`; an open end that is uncertain is an unknown one, and
    no open end is approximate.

    >>> march = Span.parse("1998-03")
    >>> march.days, march.grain
    (31, Grain.MONTH)
    >>> march in Span.year(1998), march.overlaps(Span.parse("1998-03-31/1998-04-02"))
    (True, True)
    >>> print(Span.year(-721).describe())
    722 BCE
    """

    start: int
    end: int
    grain: Grain = Grain.SECOND
    end_grain: Grain = None  # type: ignore[assignment]  # filled in below: the start's grain
    certainty: Certainty = Certainty.CERTAIN
    end_certainty: Certainty = None  # type: ignore[assignment]  # filled in below: the start's certainty

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "start", int(self.start))
        put(self, "end", int(self.end))
        if self.start < OPEN_START or self.end > OPEN_END:
            raise TimeRangeError(
                f"a span must lie on the axis ({OPEN_START} to {OPEN_END}), but runs from {self.start} to {self.end}"
            )
        if self.start >= self.end:
            raise TimeRangeError(
                f"a span must end after it starts, but start is {self.start} and end is {self.end} (axis seconds)"
            )
        put(self, "grain", Grain(self.grain))
        put(self, "end_grain", self.grain if self.end_grain is None else Grain(self.end_grain))
        put(self, "certainty", Certainty(self.certainty))
        put(self, "end_certainty", self.certainty if self.end_certainty is None else Certainty(self.end_certainty))
        # An open end states nothing: it lies near nothing, and has the grain of the other end. Then spans that say
        # the same compare equal.
        if self.start == OPEN_START:
            put(self, "certainty", Certainty(self.certainty & Certainty.UNCERTAIN))
        if self.end == OPEN_END:
            put(self, "end_certainty", Certainty(self.end_certainty & Certainty.UNCERTAIN))
        if self.start == OPEN_START and self.end == OPEN_END:
            put(self, "grain", Grain.ERA)
            put(self, "end_grain", Grain.ERA)
        elif self.start == OPEN_START:
            put(self, "grain", self.end_grain)
        elif self.end == OPEN_END:
            put(self, "end_grain", self.grain)

    # ---------------------------------------------------------------- making

    @classmethod
    def parse(cls, text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> Span:
        """Read ISO 8601 or EDTF (levels 0 to 2). Times of day that state no zone are taken in `tz`.

        >>> Span.parse("1984~/2004-06").describe()
        'from about 1984 to June 2004'
        >>> Span.parse("2004-W05") == Span.parse("2004-01-26/2004-02-01").with_grain(Grain.WEEK)
        True
        """
        from epochal.times.edtf import parse_span

        return parse_span(text, tz=tz)

    @classmethod
    def of(cls, value: Any, *, tz: dt.tzinfo = dt.timezone.utc) -> Span:
        """A span from what people have at hand: text, a date, a datetime, a numpy datetime64 or a span.

        Naive datetimes, and dates, are taken in `tz`; aware datetimes keep their own zone. The grain is that of
        the value: a date is a day, a datetime a second, a `datetime64[M]` a month. A `datetime64` is in UTC, and
        its weeks start on Thursday.

        >>> Span.of(dt.date(2004, 2, 29)).describe()
        '29 February 2004'
        >>> Span.of(dt.datetime(2004, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))).edtf()
        '2003-12-31T23:00:00Z'
        """
        from epochal.times.values import span_of_value

        return span_of_value(value, tz)

    @classmethod
    def at(cls, second: int) -> Span:
        """The one second of the axis that starts at `second`.

        >>> Span.at(0).edtf()
        '1970-01-01T00:00:00Z'
        """
        return cls(second, second + 1, Grain.SECOND)

    @classmethod
    def day(cls, year: int, month: int, day: int) -> Span:
        """One Gregorian day.

        >>> Span.day(-43, 3, 15).describe()
        '15 March 44 BCE'
        """
        start = seconds_of(year, month, day)
        if civil_date(start // DAY) != (year, month, day):
            raise TimeRangeError(f"there is no day {year}-{month}-{day} in the Gregorian calendar")
        return cls(start, start + DAY, Grain.DAY)

    @classmethod
    def month(cls, year: int, month: int) -> Span:
        """One Gregorian month.

        >>> Span.month(2024, 2).days
        29
        """
        if not 1 <= month <= 12:
            raise TimeRangeError(f"month {month} is not one of 1 to 12")
        return cls(seconds_of(year, month), seconds_of(year, month + 1), Grain.MONTH)

    @classmethod
    def year(cls, year: int) -> Span:
        """One astronomical Gregorian year: 0 is 1 BCE.

        >>> Span.year(0).describe()
        '1 BCE'
        """
        return cls(seconds_of(year), seconds_of(year, 13), Grain.YEAR)

    @classmethod
    def unit(cls, second: int, grain: Grain) -> Span:
        """The unit of a grain that holds a second of the axis.

        >>> Span.unit(0, Grain.DECADE).describe()
        'the 1970s'
        """
        start, end = grain.unit(second)
        return cls(start, end, grain)

    @classmethod
    def between(cls, first: Span, last: Span) -> Span:
        """From the start of one span to the end of another.

        >>> Span.between(Span.year(2004), Span.month(2006, 8)).edtf()
        '2004/2006-08'
        """
        return cls(first.start, last.end, first.grain, last.end_grain, first.certainty, last.end_certainty)

    # ---------------------------------------------------------------- what it is

    @property
    def is_open(self) -> bool:
        """Whether it has no start or no end.

        >>> Span.parse("1985/..").is_open
        True
        """
        return self.start == OPEN_START or self.end == OPEN_END

    @property
    def coarsest_grain(self) -> Grain:
        """The coarser of its two grains.

        >>> Span.parse("2004/2006-08").coarsest_grain
        Grain.YEAR
        """
        return max(self.grain, self.end_grain)

    @property
    def worst_certainty(self) -> Certainty:
        """What is doubtful of either end.

        >>> Span.parse("1984~/2004?").worst_certainty
        Certainty.BOTH
        """
        return self.certainty | self.end_certainty

    @property
    def seconds(self) -> int:
        """Its length in seconds; that of an open span is astronomically large.

        >>> Span.parse("2004-01-01").seconds
        86400
        """
        return self.end - self.start

    @property
    def days(self) -> int:
        """Its length in days, the last one counted whole.

        >>> Span.parse("2004").days
        366
        """
        return -(-self.seconds // DAY)

    @property
    def first_year(self) -> int | None:
        """The astronomical year in which it starts; None when its start is open.

        >>> Span.parse("-0721-03").first_year
        -721
        """
        return None if self.start == OPEN_START else civil_date(self.start // DAY)[0]

    @property
    def last_year(self) -> int | None:
        """The astronomical year of its last second; None when its end is open.

        >>> Span.parse("156X").last_year
        1569
        """
        return None if self.end == OPEN_END else civil_date((self.end - 1) // DAY)[0]

    def __contains__(self, other: object) -> bool:
        """Whether another span lies within this one; False for anything that is no span."""
        return isinstance(other, Span) and self.start <= other.start and other.end <= self.end

    # ---------------------------------------------------------------- against another span

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a second.

        >>> Span.year(2004).overlaps(Span.year(2005))
        False
        """
        return self.start < other.end and other.start < self.end

    def relation(self, other: Span) -> Allen:
        """Which of Allen's thirteen relations this span has to the other.

        >>> Span.year(2004).relation(Span.year(2005))
        Allen.MEETS
        """
        from epochal.times.allen import relation

        return relation(self, other)

    def gap(self, other: Span) -> int:
        """Seconds from this span to the other: 0 when they touch or overlap, negative when the other is earlier.

        >>> Span.day(2004, 1, 1).gap(Span.day(2004, 1, 4)) // DAY
        2
        >>> Span.day(2004, 1, 4).gap(Span.day(2004, 1, 1)) // DAY
        -2
        """
        return max(other.start - self.end, 0) + min(other.end - self.start, 0)

    def __and__(self, other: Span) -> Span | None:
        """What both share, or None; of two edges at one point the finer counts, then the surer.

        >>> (Span.parse("2004/2006") & Span.parse("2006-03/2008")).edtf()
        '2006-03/2006'
        """
        if not self.overlaps(other):
            return None
        late = min(self, other, key=lambda span: (-span.start, _start_rank(span)))
        soon = min(self, other, key=lambda span: (span.end, _end_rank(span)))
        return Span.between(late, soon)

    def hull(self, other: Span) -> Span:
        """The least span that holds both; of two edges at one point the finer counts, then the surer.

        >>> Span.year(2004).hull(Span.year(2009)).edtf()
        '2004/2009'
        """
        soon = min(self, other, key=lambda span: (span.start, _start_rank(span)))
        late = min(self, other, key=lambda span: (-span.end, _end_rank(span)))
        return Span.between(soon, late)

    # ---------------------------------------------------------------- a changed copy

    def with_grain(self, grain: Grain) -> Span:
        """The same stretch, stated in another grain.

        >>> Span.year(2004).with_grain(Grain.DAY).grain
        Grain.DAY
        """
        return replace(self, grain=grain, end_grain=grain)

    def with_certainty(self, certainty: Certainty, end_certainty: Certainty | None = None) -> Span:
        """The same stretch, with other certainties.

        >>> Span.year(1984).with_certainty(Certainty.APPROXIMATE).edtf()
        '1984~'
        """
        return replace(self, certainty=certainty, end_certainty=certainty if end_certainty is None else end_certainty)

    def widen(self, grain: Grain) -> Span:
        """The whole units of a grain that it touches.

        >>> Span.parse("2004-06-11").widen(Grain.YEAR).edtf()
        '2004'
        """
        start = self.start if self.start == OPEN_START else grain.unit(self.start)[0]
        end = self.end if self.end == OPEN_END else grain.unit(self.end - 1)[1]
        return Span(start, end, grain, grain, self.certainty, self.end_certainty)

    def shift(self, count: int, grain: Grain | None = None) -> Span:
        """Moved by a count of units (its own grain unless another is named); months and years are calendar ones.

        A day that the target month does not have becomes its last day.

        >>> Span.parse("2004-02-29").shift(1, Grain.YEAR).edtf()
        '2005-02-28'
        >>> Span.parse("2004-33").shift(-1).edtf()
        '2003-36'
        """
        unit = self.grain if grain is None else grain
        if unit is Grain.ERA:
            raise TimeRangeError("an era has no fixed length, so nothing can be moved by eras")
        if not unit.months:
            step = count * unit.seconds
            return replace(
                self,
                start=self.start if self.start == OPEN_START else self.start + step,
                end=self.end if self.end == OPEN_END else self.end + step,
            )
        months = count * unit.months
        start = self.start if self.start == OPEN_START else add_months(self.start, months)
        if self.end == OPEN_END:
            end = self.end
        elif self.start != OPEN_START and self.coarsest_grain <= Grain.WEEK:
            end = start + self.seconds  # what is shorter than a month keeps its length
        else:
            end = add_months(self.end, months)
        return replace(self, start=start, end=end)

    def part(self, name: Part) -> Span:
        """The early, mid or late third of a single unit; its ends are approximate.

        >>> Span.year(2004).part("early").edtf()
        '2004-01~/2004-04~'
        >>> Span.parse("199X").part("late").describe()
        'the late 1990s'
        """
        if name not in ("early", "mid", "late"):
            raise UnknownNameError("part of a span", name, ["early", "mid", "late"])
        if self.is_open:
            raise TimeRangeError(f"{self.edtf()!r} is open, so it has no {name} part")
        if self.grain != self.end_grain or 2 * self.seconds > 3 * self.grain.seconds:
            raise TimeRangeError(f"{self} is more than one {self.grain.label}, so it has no {name} part")
        sub, first, second = self.grain.thirds(self.start)
        start, end = {"early": (self.start, first), "mid": (first, second), "late": (second, self.end)}[name]
        doubt = self.worst_certainty | Certainty.APPROXIMATE
        return Span(start, end, sub, sub, doubt, doubt)

    # ---------------------------------------------------------------- as text

    def edtf(self) -> str:
        """EDTF text (ISO 8601 for times of day and weeks).

        Ends that do not lie on the edge of a Gregorian unit of their grain, as those of a lunar month, are written
        in the finest grain that they need; then the text states the same stretch in a finer grain.

        >>> Span.parse("2004-06-11%").edtf()
        '2004-06-11%'
        """
        from epochal.times.edtf import format_span

        return format_span(self)

    def describe(self) -> str:
        """Words for people.

        >>> Span.month(-721, 3).describe(), Span.parse("199X").describe(), Span.year(2004).part("early").describe()
        ('March 722 BCE', 'the 1990s', 'early 2004')
        """
        from epochal.times.words import describe

        return describe(self)

    def __str__(self) -> str:
        return self.edtf()

    def __repr__(self) -> str:
        text = self.edtf()
        try:
            if Span.parse(text) == self:
                return f"Span.parse({text!r})"
        except TimeParseError:
            pass  # two unknown ends, or years at the very rim of the axis, which EDTF cannot state
        fields = [str(self.start), str(self.end), repr(self.grain)]
        if self.end_grain != self.grain:
            fields.append(f"end_grain={self.end_grain!r}")
        if self.certainty or self.end_certainty:
            fields += [f"certainty={self.certainty!r}", f"end_certainty={self.end_certainty!r}"]
        return f"Span({', '.join(fields)})"


def _start_rank(span: Span) -> tuple[int, int]:
    """What settles which of two equal starts counts; the grain of an open one is only borrowed from the end."""
    return 0 if span.start == OPEN_START else span.grain, span.certainty


def _end_rank(span: Span) -> tuple[int, int]:
    return 0 if span.end == OPEN_END else span.end_grain, span.end_certainty
