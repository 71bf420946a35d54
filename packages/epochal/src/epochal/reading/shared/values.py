"""What resolving needs: the context in which a text is read, and the TIMEX3 values of dates, times and amounts."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Literal

from epochal.errors import TimeRangeError
from epochal.reading.expression import Meaning
from epochal.reading.shared.parts import Amount, Parts, TimeUnit
from epochal.reading.timex3 import date_value, day_span, duration_value, first_day, write_part
from epochal.times.axis import (
    DAY,
    Certainty,
    Grain,
)
from epochal.times.span import Span

#: Which of several possible times is taken where the words leave it open.
Prefer = Literal["past", "future", "nearest"]


@dataclass(slots=True)
class Context:
    """What is known while a text is read.

    `last` is the time that the text mentioned last, `day` the last day, by its number, which clock times without a day
    are of; `direction` is 1 where the words around an expression look ahead, -1 where they look back.
    """

    now: Span | None = None
    prefer: Prefer | None = None
    last: Span | None = None
    day: int | None = None
    direction: int = 0
    #: Whether the text is a short message or a heading, in which times lie ahead rather than back.
    brief: bool = False
    #: Whether the text is hardly more than the words of a time: what somebody enters, who looks ahead.
    is_phrase: bool = False
    #: Whether "next Friday", said on a Thursday, is that of the week after: tomorrow has a word of its own.
    skips_tomorrow: bool = False
    #: The hour at which the afternoon ends: "las ocho de la tarde" is of it in Spanish.
    afternoon_ends: int = 18
    #: Where the last time ends, and whether it stated its year.
    end: int = 0
    is_dated: bool = False

    def anchor(self, name: str | None) -> Span | None:
        """What a relative time is counted from."""
        is_last = name in ("text", "mentioned") or (name == "tense" and self.direction < 0)
        return self.last if is_last and self.last is not None else self.now

    @property
    def choice(self) -> Prefer:
        """Which of several possible times is taken."""
        if self.prefer is not None:
            return self.prefer
        if self.direction:
            return "future" if self.direction > 0 else "past"
        return "future" if self.brief else "nearest"

    @property
    def says_more(self) -> bool:
        """Whether the caller, the words around an expression, or their absence show which way it looks."""
        return self.prefer is not None or self.direction != 0 or self.is_phrase


#: The confidence of the kinds of times.
SURE, LIKELY, VAGUE = 0.95, 0.85, 0.6


def format_amount(amount: Amount) -> str:
    numbers = [_split_fraction(number, unit) for number, unit in amount.numbers]
    values = [
        duration_value(None if number is None else number * get_scale(unit), get_letter(unit))
        for number, unit in numbers
    ]
    dates = "".join(value[1:] for value in values if not value.startswith("PT"))
    times = "".join(value[2:] for value in values if value.startswith("PT"))
    return f"P{dates}" + (f"T{times}" if times else "")


def _split_fraction(number: float | None, unit: TimeUnit) -> tuple[float | None, TimeUnit]:
    """A quarter of an hour in minutes: TIMEX3 has no fractions of it."""
    if number is not None and unit.letter == "TH" and number in (0.25, 0.75):
        return number * 60, TimeUnit.named("minute")
    return number, unit


def get_letter(unit: TimeUnit) -> str:
    return "W" if unit.letter == "2W" else unit.letter


def get_scale(unit: TimeUnit) -> float:
    return unit.count


def format_value(parts: Parts, span: Span) -> str:
    if (
        (parts.share is not None and span.grain not in (Grain.HALF, Grain.QUARTER))
        or (span.grain is not span.end_grain)
        or span.grain.unit(span.start) != (span.start, span.end)
    ):
        return span.edtf()
    if parts.offset is not None and parts.weekday is None and parts.origin is None and parts.unit is None:
        # "Two weeks ago" is a week in TIMEX3, and a day by the calendar.
        grain = min(unit.grain for _, unit in parts.offset)
        if grain is Grain.WEEK:
            return date_value(Span.unit(span.start, Grain.WEEK))
    return date_value(span)


def format_week(parts: Parts, span: Span) -> str:
    return f"{date_value(Span.unit(span.start, Grain.WEEK))}-WE"


#: The days of a week that are its beginning, its middle and its end.
_WEEK_PARTS = {"START": (0, 2), "MID": (2, 4), "END": (4, 7)}


def apply_mod(span: Span, mod: str) -> Span:
    names = {"START": "early", "MID": "mid", "END": "late"}
    if mod in names and span.grain is Grain.WEEK and span.end - span.start == 7 * DAY:
        first, last = _WEEK_PARTS[mod]
        part = Span(span.start + first * DAY, span.start + last * DAY, Grain.DAY)
        return part.with_certainty(span.certainty | Certainty.APPROXIMATE)
    if mod in names and span.grain >= Grain.MONTH:
        with contextlib.suppress(TimeRangeError):  # what is no single unit keeps its whole
            return span.part(names[mod])  # type: ignore[arg-type]
    return span.with_certainty(span.certainty | Certainty.APPROXIMATE) if mod == "APPROX" else span


def describe_unplaced(parts: Parts) -> Meaning | None:
    """The value of a time that cannot be placed since the text has no date; None where it cannot be at all."""
    if parts.nth is not None:
        return None
    if parts.weekday is not None and parts.day is None:
        return Meaning("DATE", f"XXXX-WXX-{parts.weekday}", None, parts.mod, 0.7)
    if parts.month is not None and parts.year is None:
        if parts.day is None:
            return Meaning("DATE", f"XXXX-{parts.month:02d}", None, parts.mod, 0.7)
        if first_day(2000, parts.month, parts.day) is not None:
            return Meaning("DATE", f"XXXX-{parts.month:02d}-{parts.day:02d}", None, parts.mod, 0.7)
        return None
    if parts.season is not None:
        return Meaning("DATE", f"XXXX-{parts.season}", None, parts.mod, 0.7)
    if parts.quarter is not None:
        return Meaning("DATE", f"XXXX-Q{parts.quarter}", None, parts.mod, 0.7)
    if parts.offset is not None and parts.origin is None and parts.unit is None:
        amount = Amount(tuple((abs(number), unit) for number, unit in parts.offset))
        return Meaning("DURATION", format_amount(amount), None, parts.mod, VAGUE)  # only the length is known
    if parts.unit is not None or parts.offset is not None:
        step = parts.step if parts.unit is not None else parts.offset[0][0] if parts.offset else 0
        if parts.unit is not None and parts.unit.grain is Grain.DAY:
            return Meaning("DATE", "XXXX-XX-XX", None, parts.mod, 0.7)
        value = "PAST_REF" if (step or 0) < 0 else "FUTURE_REF" if (step or 0) > 0 else "PRESENT_REF"
        return Meaning("DATE", value, None, parts.mod, VAGUE)
    return None


def take_half(span: Span, mod: str) -> Span:
    """The first, the middle or the last half of a part of the day: "early in the morning"."""
    hours = (span.end - span.start) // 3600
    first, last = {"START": (0, hours - hours // 2), "MID": (hours // 4, hours - hours // 4)}.get(mod, (0, hours))
    if mod == "END":
        first = hours // 2
    return Span(span.start + first * 3600, span.start + last * 3600, span.grain)


def format_clock(span: Span) -> str:
    start = span.start % DAY
    text = f"{date_value(day_span(span.start // DAY))}T{start // 3600:02d}:{start // 60 % 60:02d}"
    return text + (f":{start % 60:02d}" if span.grain is Grain.SECOND else "")


def format_end(span: Span, value: str) -> str:
    """The value of an end of a range; a part of a unit ("early May") has that of the unit."""
    if span.grain.unit(span.start) == (span.start, span.end):
        return date_value(span)
    return span.edtf() if "/" in value else value


def format_moment(parts: Parts, span: Span) -> str:
    if parts.hour is None and parts.daypart is not None:
        # The end of a night is on the next day.
        day = span.start // DAY - (parts.daypart == "NI" and span.start % DAY < DAY // 2)
        return f"{date_value(day_span(day))}T{write_part(parts.daypart)}"
    return format_hour(span)


def format_hour(span: Span) -> str:
    return span.edtf().removesuffix("Z").replace("~", "") if span.grain < Grain.DAY else date_value(span)
