"""What words say of a time, before anybody knows which time it is; and how two such statements make one.

"Friday", "14 May", "at three" and "last week" are each a `Parts` with some fields set. Side by side they complete each
other: `combine` gives "Friday, 14 May, at three" as one `Parts`, and None for what contradicts itself or has no sense,
such as two months or "at three, 1990". Nothing here knows a language or the date of a text: see `resolve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from epochal.times.axis import Grain
from epochal.times.span import Span

__all__ = ["Amount", "Anchor", "Parsed", "Parts", "Range", "Recurrence", "Rolling", "TimeUnit", "combine", "inherit"]

#: What relative times are counted from: the date of the text ("now"), the time that the text mentioned last or else its
#: date ("text"), that time and nothing else ("mentioned"), or that time where the words look back ("tense").
Anchor = Literal["now", "text", "mentioned", "tense"]


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """A unit as words name it: its grain, the letter of an ISO 8601 duration, and how many of the grain it is."""

    grain: Grain
    letter: str
    count: float = 1

    @classmethod
    def named(cls, name: str) -> TimeUnit:
        """The unit of a key of the table UNIT in a `words.toml`.

        >>> TimeUnit.named("fortnight").letter
        '2W'
        """
        return _UNITS[name]


_UNITS = {
    "second": TimeUnit(Grain.SECOND, "TS"),
    "minute": TimeUnit(Grain.MINUTE, "TM"),
    "quarter_hour": TimeUnit(Grain.MINUTE, "TM", 15),
    "half_hour": TimeUnit(Grain.MINUTE, "TM", 30),
    "three_quarter_hour": TimeUnit(Grain.MINUTE, "TM", 45),
    "hour": TimeUnit(Grain.HOUR, "TH"),
    "day": TimeUnit(Grain.DAY, "D"),
    "workday": TimeUnit(Grain.DAY, "D"),
    "week": TimeUnit(Grain.WEEK, "W"),
    "weekend": TimeUnit(Grain.WEEK, "WE"),
    "fortnight": TimeUnit(Grain.WEEK, "2W", 2),
    "month": TimeUnit(Grain.MONTH, "M"),
    "quarter": TimeUnit(Grain.QUARTER, "Q"),
    "half_year": TimeUnit(Grain.MONTH, "M", 6),
    "year": TimeUnit(Grain.YEAR, "Y"),
    "decade": TimeUnit(Grain.DECADE, "DE"),
    "century": TimeUnit(Grain.CENTURY, "CE"),
    "millennium": TimeUnit(Grain.MILLENNIUM, "ML"),
}


@dataclass(frozen=True, slots=True)
class Parts:
    """What words say of one time; a field is None where they say nothing of it.

    `turn` is "last" (-1), "this" (0) or "next" (1) before a weekday, a month, a season or a holiday; `unit` and `step`
    are those of "last week". `offset` counts amounts from `origin`, or from the anchor if there is none. `nth` is the
    number of a weekday or unit in a longer unit, -1 for the last; with `share` it is one of so many equal shares.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    turn: int | None = None
    unit: TimeUnit | None = None
    step: int | None = None
    week: int | None = None
    season: str | None = None
    quarter: int | None = None
    half: int | None = None
    holiday: str | None = None
    span: Span | None = None
    nth: int | None = None
    nth_unit: TimeUnit | None = None
    share: int | None = None
    offset: tuple[tuple[float, TimeUnit], ...] | None = None
    origin: Parts | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    meridiem: str | None = None
    daypart: str | None = None
    zone: float | None = None
    #: Whether the hour is written as a clock shows it: 3:18.
    is_digital: bool = False
    reference: str | None = None
    anchor: Anchor | None = None
    mod: str = ""
    bound: str = ""

    @property
    def has_clock(self) -> bool:
        """Whether a time of day is stated, by the clock or by name."""
        return self.hour is not None or self.daypart is not None

    @property
    def states_day(self) -> bool:
        """Whether a day is stated, by number or by name."""
        if self.day is not None or self.weekday is not None or self.holiday is not None:
            return True
        if self.nth_unit is not None:
            return self.nth_unit.grain <= Grain.DAY
        if self.offset is not None:
            return min(unit.grain for _, unit in self.offset) <= Grain.DAY
        return self.unit is not None and self.unit.grain <= Grain.DAY

    @property
    def states_period(self) -> bool:
        """Whether something longer than a day is stated."""
        named = (self.year, self.month, self.season, self.quarter, self.half, self.span, self.week, self.unit)
        return any(one is not None for one in named) or self.offset is not None

    @property
    def node(self) -> str:
        """The class of tokens of the grammar that this is one of."""
        if self.reference is not None:
            return "REFERENCE"
        if self.has_clock:
            return "MOMENT" if self.states_day or self.states_period else "TIME"
        return "DAY" if self.states_day else "PERIOD"


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time, such as "two years and three months"; a number of None is "some"."""

    numbers: tuple[tuple[float | None, TimeUnit], ...]
    mod: str = ""
    node: str = field(default="DURATION", init=False)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A set of times, by its TIMEX3 value."""

    value: str
    node: str = field(default="SET", init=False)


@dataclass(frozen=True, slots=True)
class Range:
    """From one time to another; an end of None is open."""

    first: Parts | None
    last: Parts | None
    node: str = field(default="RANGE", init=False)


@dataclass(frozen=True, slots=True)
class Rolling:
    """A number of units up to now (below 0) or from now on: "the last three days"."""

    number: float
    unit: TimeUnit
    #: Whether it begins today, as "within two weeks" does, not with the next whole unit.
    is_within: bool = False
    anchor: Anchor | None = None
    node: str = field(default="WINDOW", init=False)


#: What the words of an expression say.
Parsed = Parts | Amount | Recurrence | Range | Rolling

_DEFAULTS: dict[str, Any] = {one.name: one.default for one in fields(Parts)}
_CLOCK = ("hour", "minute", "second", "meridiem", "daypart", "zone", "is_digital")
_DATE = tuple(name for name in _DEFAULTS if name not in (*_CLOCK, "mod", "bound"))


def combine(one: Parts, other: Parts) -> Parts | None:
    """Two statements about one time as one; None where they are about two times.

    >>> both = combine(Parts(weekday=5), Parts(month=5, day=14))
    >>> both.weekday, both.day
    (5, 14)
    >>> combine(Parts(month=5), Parts(month=6)) is None
    True
    """
    if one.reference is not None or other.reference is not None:
        return None
    counted = _count_from(one, other) or _count_from(other, one)
    if counted is not None:
        return counted
    one, other = _count_in(one, other), _count_in(other, one)
    merged: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        first, second = getattr(one, name), getattr(other, name)
        if first == default:
            merged[name] = second
        elif (
            second in (default, first)
            or (name == "daypart" and (one.hour is None) != (other.hour is None))
            or name == "mod"
        ):
            merged[name] = first
        else:
            return None
    both = Parts(**merged)
    if both in (one, other):
        return None  # said twice: two expressions
    return both if _has_sense(one, other, both) else None


def _count_from(one: Parts, other: Parts) -> Parts | None:
    """ "A year ago" and "today" as the day a year ago; None for others."""
    is_counted = one.offset is not None and one.origin is None and one.anchor is None
    if not is_counted or other.unit is None or other.step is None or other != Parts(unit=other.unit, step=other.step):
        return None
    longest = max(unit.grain for _, unit in one.offset or ())
    return replace(one, origin=other) if Grain.DAY <= other.unit.grain < longest else None


def _count_in(one: Parts, other: Parts) -> Parts:
    """ "The last Sunday" as that of the month or year beside it, "three years ago" as a year that has a summer."""
    years = _count_years(one)
    if years is not None and (other.month is not None or other.season is not None or other.quarter is not None):
        return replace(one, offset=None, unit=TimeUnit.named("year"), step=years)  # "three years ago in summer"
    is_whole = (other.month is not None or other.year is not None) and other.day is None and other.weekday is None
    if not is_whole or other.has_clock:
        return one
    if one.weekday is not None and one.turn == -1 and one.day is None and one.month is None:
        return replace(one, turn=None, nth=-1)
    if one.unit is not None and one.step == -1 and one.unit.grain <= Grain.WEEK and one.weekday is None:
        return replace(one, unit=None, step=None, nth=-1, nth_unit=one.unit)
    return one


def _count_years(parts: Parts) -> int | None:
    """How many years from now a time is that is counted in whole years; None for any other."""
    if parts.offset is None or len(parts.offset) != 1 or parts.origin is not None or parts.anchor is not None:
        return None
    number, unit = parts.offset[0]
    return int(number) if unit.letter == "Y" and number == int(number) else None


def _has_sense(one: Parts, other: Parts, both: Parts) -> bool:
    """Whether the fields of two statements belong to one time."""
    if both.hour is not None and not both.states_day and both.states_period and not _is_short(both):
        return False  # at three in May
    if both.daypart is not None and both.hour is None and not both.states_day and both.states_period:
        return both.unit is not None and both.unit.grain <= Grain.WEEK
    if both.nth is not None and (one.states_period or other.states_period):
        return both.day is None and both.offset is None
    if both.unit is not None:
        return _fits_unit(one, other, both)
    if both.offset is not None:
        return both.weekday is not None or both.has_clock
    if both.span is not None:
        return both.nth is not None
    if both.holiday is not None:
        return both.month is None and both.day is None and both.season is None
    if both.turn is not None and both.weekday is not None and both.month is not None and both.day is None:
        return False
    if both.season is not None or both.quarter is not None or both.half is not None or both.week is not None:
        # A season, a quarter or a week is of a year, and of nothing else; a weekday may be of a week.
        others = (both.month, both.day, both.holiday)
        return all(item is None for item in others) and (both.weekday is None or both.week is not None)
    if both.weekday is not None and both.day is None and both.month is not None:
        return both.nth is not None
    if both.weekday is not None and both.day is None and both.year is not None:
        return both.nth is not None
    return not (both.day is not None and both.month is None and both.year is not None)


def _is_short(both: Parts) -> bool:
    return (both.unit is not None and both.unit.grain <= Grain.DAY) or both.offset is not None


def _fits_unit(one: Parts, other: Parts, both: Parts) -> bool:
    """Whether "last week" goes with the rest: a weekday of a week, a month of a year, a day of a month."""
    if both.unit is None:
        return False
    grain = both.unit.grain
    if both.nth_unit is not None and both.nth_unit.grain < grain:
        return True
    if grain <= Grain.DAY:
        # "Today, Friday 14 May": the date says what "today" does.
        is_date = both.day is not None or (both.year is None and both.month is None)
        return is_date and both.span is None and both.season is None and both.quarter is None
    if both.year is not None or both.span is not None or (both.holiday is not None and grain is not Grain.YEAR):
        return False
    if grain is Grain.WEEK:
        return both.month is None and both.day is None and both.season is None and both.quarter is None
    if grain is Grain.MONTH:
        return both.month is None and both.season is None and both.quarter is None and both.weekday is None
    if grain is Grain.YEAR:
        return both.weekday is None or both.day is not None or both.nth is not None
    return False


def inherit(first: Parts, last: Parts) -> tuple[Parts, Parts]:
    """The two ends of a range, each with what only the other states: "from 1 to 3 May 2020", "Friday from 9 to 5"."""
    first, last = _inherit(first, last, is_first=True), _inherit(last, first, is_first=False)
    return first, last


def _inherit(end: Parts, other: Parts, *, is_first: bool) -> Parts:
    if end.hour is not None and not end.states_day and (other.states_day or other.states_period):
        taken = {name: getattr(other, name) for name in _DATE}
        end = replace(end, **taken)
    if end.has_clock and end.meridiem is None and end.daypart is None and is_first:
        if other.meridiem is not None and (end.hour or 0) <= (other.hour or 0) % 12:
            end = replace(end, meridiem=other.meridiem)
        elif other.daypart is not None and other.hour is not None and (end.hour or 0) <= other.hour:
            end = replace(end, daypart=other.daypart)
    if (
        end.day is not None
        and end.month is None
        and end.unit is None
        and (end.weekday is None or other.month is not None)
    ):
        end = replace(end, month=other.month, unit=other.unit, step=other.step)
    if end.year is None and end.unit is None and end.span is None and end.offset is None:
        small = end.month is not None or end.season is not None or end.quarter is not None or end.half is not None
        if small and end.turn is None:
            end = replace(end, year=other.year)
            if other.unit is not None and other.unit.grain is Grain.YEAR:
                end = replace(end, unit=other.unit, step=other.step)
        elif end.weekday is not None and other.weekday is not None and other.unit is not None and end.turn is None:
            end = replace(end, unit=other.unit, step=other.step)
    return end
