"""Interval: a stretch of time with the grain and the certainty of each end, and its arithmetic.

It knows no text: `Span`, the interval that everything public takes and returns, adds reading and writing to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from epochal.errors import TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, OPEN_END, OPEN_START, add_months, civil_date, seconds_of
from epochal.times.certainty import Certainty
from epochal.times.grain import Grain

__all__ = ["AnyInterval", "Interval", "Part"]

Part = Literal["early", "mid", "late"]
AnyInterval = TypeVar("AnyInterval", bound="Interval")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Interval:
    """A half-open stretch `[start, end)` of the axis, never empty.

    `grain` and `certainty` belong to the start, `end_grain` and `end_certainty` to the end; left out, the end's
    are the start's. An open end is `OPEN_START` or `OPEN_END`; an open end that is uncertain is an unknown one, and
    no open end is approximate.

    Intervals are equal, and have one hash, when their six fields are equal, whichever of them are spans.

    >>> march = Interval.month(1998, 3)
    >>> march.days, march.grain, march in Interval.year(1998)
    (31, Grain.MONTH, True)
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
    def at(cls: type[AnyInterval], second: int) -> AnyInterval:
        """The one second of the axis that starts at `second`."""
        return cls(second, second + 1, Grain.SECOND)

    @classmethod
    def day(cls: type[AnyInterval], year: int, month: int, day: int) -> AnyInterval:
        """One Gregorian day."""
        start = seconds_of(year, month, day)
        if civil_date(start // DAY) != (year, month, day):
            raise TimeRangeError(f"there is no day {year}-{month}-{day} in the Gregorian calendar")
        return cls(start, start + DAY, Grain.DAY)

    @classmethod
    def month(cls: type[AnyInterval], year: int, month: int) -> AnyInterval:
        """One Gregorian month.

        >>> Interval.month(2024, 2).days
        29
        """
        if not 1 <= month <= 12:
            raise TimeRangeError(f"month {month} is not one of 1 to 12")
        return cls(seconds_of(year, month), seconds_of(year, month + 1), Grain.MONTH)

    @classmethod
    def year(cls: type[AnyInterval], year: int) -> AnyInterval:
        """One astronomical Gregorian year: 0 is 1 BCE."""
        return cls(seconds_of(year), seconds_of(year, 13), Grain.YEAR)

    @classmethod
    def unit(cls: type[AnyInterval], second: int, grain: Grain) -> AnyInterval:
        """The unit of a grain that holds a second of the axis.

        >>> Interval.unit(0, Grain.DECADE).last_year
        1979
        """
        start, end = grain.unit(second)
        return cls(start, end, grain)

    @classmethod
    def between(cls: type[AnyInterval], first: Interval, last: Interval) -> AnyInterval:
        """From the start of one span to the end of another.

        >>> Interval.between(Interval.year(2004), Interval.month(2006, 8)).end_grain
        Grain.MONTH
        """
        return cls(first.start, last.end, first.grain, last.end_grain, first.certainty, last.end_certainty)

    # ---------------------------------------------------------------- what it is

    @property
    def is_open(self) -> bool:
        """Whether it has no start or no end.

        >>> Interval(0, OPEN_END).is_open
        True
        """
        return self.start == OPEN_START or self.end == OPEN_END

    @property
    def coarsest_grain(self) -> Grain:
        """The coarser of its two grains.

        >>> Interval.between(Interval.year(2004), Interval.month(2006, 8)).coarsest_grain
        Grain.YEAR
        """
        return max(self.grain, self.end_grain)

    @property
    def worst_certainty(self) -> Certainty:
        """What is doubtful of either end.

        >>> Interval.year(1984).with_certainty(Certainty.APPROXIMATE, Certainty.UNCERTAIN).worst_certainty
        Certainty.BOTH
        """
        return self.certainty | self.end_certainty

    @property
    def seconds(self) -> int:
        """Its length in seconds; that of an open span is astronomically large."""
        return self.end - self.start

    @property
    def days(self) -> int:
        """Its length in days, the last one counted whole.

        >>> Interval.year(2004).days
        366
        """
        return -(-self.seconds // DAY)

    @property
    def first_year(self) -> int | None:
        """The astronomical year in which it starts; None when its start is open.

        >>> Interval.month(-721, 3).first_year
        -721
        """
        return None if self.start == OPEN_START else civil_date(self.start // DAY)[0]

    @property
    def last_year(self) -> int | None:
        """The astronomical year of its last second; None when its end is open.

        >>> Interval.unit(0, Grain.DECADE).last_year
        1979
        """
        return None if self.end == OPEN_END else civil_date((self.end - 1) // DAY)[0]

    def __contains__(self, other: object) -> bool:
        """Whether another span lies within this one; False for anything that is no span."""
        return isinstance(other, Interval) and self.start <= other.start and other.end <= self.end

    # ---------------------------------------------------------------- against another span

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a second.

        >>> Interval.year(2004).overlaps(Interval.year(2005))
        False
        """
        return self.start < other.end and other.start < self.end

    def gap(self, other: Interval) -> int:
        """Seconds from this span to the other: 0 when they touch or overlap, negative when the other is earlier.

        >>> Interval.day(2004, 1, 1).gap(Interval.day(2004, 1, 4)) // DAY
        2
        >>> Interval.day(2004, 1, 4).gap(Interval.day(2004, 1, 1)) // DAY
        -2
        """
        return max(other.start - self.end, 0) + min(other.end - self.start, 0)

    def __and__(self: AnyInterval, other: Interval) -> AnyInterval | None:
        """What both share, or None; of two edges at one point the finer counts, then the surer.

        >>> (Interval.year(2006).with_certainty(Certainty.APPROXIMATE) & Interval.month(2006, 1)).certainty
        Certainty.CERTAIN
        """
        if not self.overlaps(other):
            return None
        both: tuple[Interval, Interval] = (self, other)
        late = min(both, key=lambda span: (-span.start, _start_rank(span)))
        soon = min(both, key=lambda span: (span.end, _end_rank(span)))
        return type(self).between(late, soon)

    def hull(self: AnyInterval, other: Interval) -> AnyInterval:
        """The least span that holds both; of two edges at one point the finer counts, then the surer.

        >>> Interval.year(2004).hull(Interval.year(2009)) == Interval.between(Interval.year(2004), Interval.year(2009))
        True
        """
        both: tuple[Interval, Interval] = (self, other)
        soon = min(both, key=lambda span: (span.start, _start_rank(span)))
        late = min(both, key=lambda span: (-span.end, _end_rank(span)))
        return type(self).between(soon, late)

    # ---------------------------------------------------------------- a changed copy

    def with_grain(self: AnyInterval, grain: Grain) -> AnyInterval:
        """The same stretch, stated in another grain."""
        return replace(self, grain=grain, end_grain=grain)

    def with_certainty(self: AnyInterval, certainty: Certainty, end_certainty: Certainty | None = None) -> AnyInterval:
        """The same stretch, with other certainties.

        >>> Interval.year(1984).with_certainty(Certainty.APPROXIMATE).end_certainty
        Certainty.APPROXIMATE
        """
        return replace(self, certainty=certainty, end_certainty=certainty if end_certainty is None else end_certainty)

    def widen(self: AnyInterval, grain: Grain) -> AnyInterval:
        """The whole units of a grain that it touches.

        >>> Interval.day(2004, 6, 11).widen(Grain.YEAR) == Interval.year(2004)
        True
        """
        start = self.start if self.start == OPEN_START else grain.unit(self.start)[0]
        end = self.end if self.end == OPEN_END else grain.unit(self.end - 1)[1]
        return type(self)(start, end, grain, grain, self.certainty, self.end_certainty)

    def shift(self: AnyInterval, count: int, grain: Grain | None = None) -> AnyInterval:
        """Moved by a count of units (its own grain unless another is named); months and years are calendar ones.

        A day that the target month does not have becomes its last day.

        >>> Interval.day(2004, 2, 29).shift(1, Grain.YEAR) == Interval.day(2005, 2, 28)
        True
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

    def part(self: AnyInterval, name: Part) -> AnyInterval:
        """The early, mid or late third of a single unit; its ends are approximate.

        >>> Interval.year(2004).part("early").days
        121
        """
        if name not in ("early", "mid", "late"):
            raise UnknownNameError("part of a span", name, ["early", "mid", "late"])
        if self.is_open:
            raise TimeRangeError(f"{str(self)!r} is open, so it has no {name} part")
        if self.grain != self.end_grain or 2 * self.seconds > 3 * self.grain.seconds:
            raise TimeRangeError(f"{self} is more than one {self.grain.label}, so it has no {name} part")
        sub, first, second = self.grain.thirds(self.start)
        start, end = {"early": (self.start, first), "mid": (first, second), "late": (second, self.end)}[name]
        doubt = self.worst_certainty | Certainty.APPROXIMATE
        return type(self)(start, end, sub, sub, doubt, doubt)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interval):
            return NotImplemented
        return (
            self.start == other.start
            and self.end == other.end
            and self.grain == other.grain
            and self.end_grain == other.end_grain
            and self.certainty == other.certainty
            and self.end_certainty == other.end_certainty
        )

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.grain, self.end_grain, self.certainty, self.end_certainty))

    def __repr__(self) -> str:
        fields = [str(self.start), str(self.end), repr(self.grain)]
        if self.end_grain != self.grain:
            fields.append(f"end_grain={self.end_grain!r}")
        if self.certainty or self.end_certainty:
            fields += [f"certainty={self.certainty!r}", f"end_certainty={self.end_certainty!r}"]
        return f"{type(self).__name__}({', '.join(fields)})"


def _start_rank(span: Interval) -> tuple[int, int]:
    """What settles which of two equal starts counts; the grain of an open one is only borrowed from the end."""
    return 0 if span.start == OPEN_START else span.grain, span.certainty


def _end_rank(span: Interval) -> tuple[int, int]:
    return 0 if span.end == OPEN_END else span.end_grain, span.end_certainty
