"""Intervals of the axis with the grain and certainty of each end, their arithmetic, and Allen's thirteen relations.

Intervals neither read nor write text: `Span`, which the public API takes and returns, adds that.

The relations are those of J. F. Allen, "Maintaining Knowledge about Temporal Intervals" (1983). An open end compares as
the farthest point of the axis, so two spans without a start begin together, and the thirteen stay complete and
exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal, TypeVar

from epochal.errors import TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Certainty, Grain, add_months, civil_date, to_seconds

Part = Literal["early", "mid", "late"]
AnyInterval = TypeVar("AnyInterval", bound="Interval")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Interval:
    """A half-open interval `[start, end)` of the axis, never empty.

    `grain` and `certainty` belong to the start, `end_grain` and `end_certainty` to the end; left out, the end's
    are the start's. An open end is `OPEN_START` or `OPEN_END`; an open end that is uncertain is an unknown one, and
    no open end is approximate.

    Intervals are equal, and have one hash, when their six fields are equal, whichever of them are spans.
    """

    start: int
    end: int
    grain: Grain = Grain.SECOND
    end_grain: Grain = None  # type: ignore[assignment]  # filled in below: the start's grain
    certainty: Certainty = Certainty.CERTAIN
    end_certainty: Certainty = None  # type: ignore[assignment]  # filled in below: the start's certainty

    def __post_init__(self) -> None:
        put = object.__setattr__
        # Most spans are made of what they consist of: to convert that again would take most of the time.
        if type(self.start) is not int or type(self.end) is not int:
            if isinstance(self.start, str) or isinstance(self.end, str):
                raise TimeRangeError("a span takes seconds since 1970; texts are read by Span.parse('2020/2021')")
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
        if type(self.grain) is not Grain:
            put(self, "grain", Grain(self.grain))
        if type(self.end_grain) is not Grain:
            put(self, "end_grain", self.grain if self.end_grain is None else Grain(self.end_grain))
        if type(self.certainty) is not Certainty:
            put(self, "certainty", Certainty(self.certainty))
        if type(self.end_certainty) is not Certainty:
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
        start = to_seconds(year, month, day)
        if civil_date(start // DAY) != (year, month, day):
            raise TimeRangeError(f"there is no day {year}-{month}-{day} in the Gregorian calendar")
        return cls(start, start + DAY, Grain.DAY)

    @classmethod
    def month(cls: type[AnyInterval], year: int, month: int) -> AnyInterval:
        """One Gregorian month."""
        if not 1 <= month <= 12:
            raise TimeRangeError(f"month {month} is not one of 1 to 12")
        return cls(to_seconds(year, month), to_seconds(year, month + 1), Grain.MONTH)

    @classmethod
    def year(cls: type[AnyInterval], year: int) -> AnyInterval:
        """One astronomical Gregorian year: 0 is 1 BCE."""
        return cls(to_seconds(year), to_seconds(year, 13), Grain.YEAR)

    @classmethod
    def unit(cls: type[AnyInterval], second: int, grain: Grain) -> AnyInterval:
        """The unit of a grain that holds a second of the axis."""
        start, end = grain.unit(second)
        return cls(start, end, grain)

    @classmethod
    def between(cls: type[AnyInterval], first: Interval, last: Interval) -> AnyInterval:
        """From the start of one span to the end of another."""
        return cls(first.start, last.end, first.grain, last.end_grain, first.certainty, last.end_certainty)

    # ---------------------------------------------------------------- what it is

    @property
    def is_open(self) -> bool:
        """Whether it has no start or no end."""
        return self.start == OPEN_START or self.end == OPEN_END

    @property
    def coarsest_grain(self) -> Grain:
        """The coarser of its two grains."""
        return max(self.grain, self.end_grain)

    @property
    def worst_certainty(self) -> Certainty:
        """What is doubtful of either end."""
        return self.certainty | self.end_certainty

    @property
    def seconds(self) -> int:
        """Its length in seconds; that of an open span is astronomically large."""
        return self.end - self.start

    @property
    def days(self) -> int:
        """Its length in days, the last one counted whole."""
        return -(-self.seconds // DAY)

    @property
    def first_year(self) -> int | None:
        """The astronomical year in which it starts; None when its start is open."""
        return None if self.start == OPEN_START else civil_date(self.start // DAY)[0]

    @property
    def last_year(self) -> int | None:
        """The astronomical year of its last second; None when its end is open."""
        return None if self.end == OPEN_END else civil_date((self.end - 1) // DAY)[0]

    def __contains__(self, other: object) -> bool:
        """Whether another span lies within this one; False for anything that is no span."""
        return isinstance(other, Interval) and self.start <= other.start and other.end <= self.end

    # ---------------------------------------------------------------- against another span

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a second."""
        return self.start < other.end and other.start < self.end

    def gap(self, other: Interval) -> int:
        """Seconds from this span to the other: 0 when they touch or overlap, negative when the other is earlier."""
        return max(other.start - self.end, 0) + min(other.end - self.start, 0)

    def __and__(self: AnyInterval, other: Interval) -> AnyInterval | None:
        """What both share, or None; of two edges at one point the finer counts, then the surer."""
        if not self.overlaps(other):
            return None
        both: tuple[Interval, Interval] = (self, other)
        late = min(both, key=lambda span: (-span.start, _start_rank(span)))
        soon = min(both, key=lambda span: (span.end, _end_rank(span)))
        return type(self).between(late, soon)

    def hull(self: AnyInterval, other: Interval) -> AnyInterval:
        """The least span that holds both; of two edges at one point the finer counts, then the surer."""
        both: tuple[Interval, Interval] = (self, other)
        soon = min(both, key=lambda span: (span.start, _start_rank(span)))
        late = min(both, key=lambda span: (-span.end, _end_rank(span)))
        return type(self).between(soon, late)

    # ---------------------------------------------------------------- a changed copy

    def with_grain(self: AnyInterval, grain: Grain) -> AnyInterval:
        """The same interval in another grain."""
        return replace(self, grain=grain, end_grain=grain)

    def with_certainty(self: AnyInterval, certainty: Certainty, end_certainty: Certainty | None = None) -> AnyInterval:
        """The same interval with other certainties."""
        return replace(self, certainty=certainty, end_certainty=certainty if end_certainty is None else end_certainty)

    def widen(self: AnyInterval, grain: Grain) -> AnyInterval:
        """The whole units of a grain that it touches."""
        start = self.start if self.start == OPEN_START else grain.unit(self.start)[0]
        end = self.end if self.end == OPEN_END else grain.unit(self.end - 1)[1]
        return type(self)(start, end, grain, grain, self.certainty, self.end_certainty)

    def shift(self: AnyInterval, count: int, grain: Grain | None = None) -> AnyInterval:
        """Moved by a count of units (its own grain unless another is named); months and years are calendar ones.

        A day that the target month does not have becomes its last day.
        """
        unit = self.grain if grain is None else grain
        if unit is Grain.ERA:
            raise TimeRangeError("an era has no fixed length, so nothing can be moved by eras")
        if not count:
            return self
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
        """The early, mid or late third of a single unit; its ends are approximate."""
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
    """The order of equal starts; the grain of an open one is only borrowed from the end."""
    return 0 if span.start == OPEN_START else span.grain, span.certainty


def _end_rank(span: Interval) -> tuple[int, int]:
    return 0 if span.end == OPEN_END else span.end_grain, span.end_certainty


class Allen(IntEnum):
    """How one span lies to another, in the order of Allen's paper.

    The value of the inverse relation is 12 minus the value.

    >>> Allen.BEFORE.inverse
    Allen.AFTER
    """

    BEFORE = 0
    MEETS = 1
    OVERLAPS = 2
    STARTS = 3
    DURING = 4
    FINISHED_BY = 5
    EQUALS = 6
    FINISHES = 7
    CONTAINS = 8
    STARTED_BY = 9
    OVERLAPPED_BY = 10
    MET_BY = 11
    AFTER = 12

    def __repr__(self) -> str:
        return f"Allen.{self.name}"

    __str__ = __repr__

    @property
    def inverse(self) -> Allen:
        """The relation seen from the other span.

        >>> Allen.STARTS.inverse, Allen.EQUALS.inverse
        (Allen.STARTED_BY, Allen.EQUALS)
        """
        return Allen(12 - self)

    @property
    def label(self) -> str:
        """The name as JSON and the command line write it.

        >>> Allen.MET_BY.label
        'met_by'
        """
        return self.name.lower()


# Where two spans share time, the signs of
# (start against start) and (end against end) name the relation.
_SHARING = {
    (-1, -1): Allen.OVERLAPS,
    (-1, 0): Allen.FINISHED_BY,
    (-1, 1): Allen.CONTAINS,
    (0, -1): Allen.STARTS,
    (0, 0): Allen.EQUALS,
    (0, 1): Allen.STARTED_BY,
    (1, -1): Allen.DURING,
    (1, 0): Allen.FINISHES,
    (1, 1): Allen.OVERLAPPED_BY,
}


def relation(first: Interval, second: Interval) -> Allen:
    """The relation of the first span to the second."""
    if first.end <= second.start:
        return Allen.MEETS if first.end == second.start else Allen.BEFORE
    if second.end <= first.start:
        return Allen.MET_BY if second.end == first.start else Allen.AFTER
    return _SHARING[_get_sign(first.start, second.start), _get_sign(first.end, second.end)]


def _get_sign(left: int, right: int) -> int:
    return (left > right) - (left < right)
