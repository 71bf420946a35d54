"""The span and the TIMEX3 value of what words say, against the date of the text and what the text said before.

A weekday or a month without a year can be the last or the next one. `Context.direction` is what the words around it
show, `Context.prefer` what the caller wants whatever they show.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from epochal.errors import TimeRangeError
from epochal.reading.expression import Meaning
from epochal.reading.shared.holidays import find_day
from epochal.reading.shared.parts import Amount, Parts, Range, Recurrence, Rolling, Said, TimeUnit, inherit
from epochal.reading.timex3 import date_value, day_span, duration_value, first_day, part_of_day, season_span
from epochal.times.axis import (
    DAY,
    OPEN_END,
    OPEN_START,
    Certainty,
    Grain,
    civil_date,
    day_number,
    is_leap_year,
    to_seconds,
    weekday,
)
from epochal.times.span import Span

__all__ = ["Context", "Prefer", "resolve"]

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
        return self.last if name == "text" and self.last is not None else self.now

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
_SURE, _LIKELY, _VAGUE = 0.95, 0.85, 0.6


def resolve(said: Said, context: Context) -> Meaning | None:
    """The meaning of what words say; None where it has none, such as 31 June."""
    try:
        if isinstance(said, Amount):
            return Meaning("DURATION", _amount_value(said), None, said.mod, _LIKELY)
        if isinstance(said, Recurrence):
            return Meaning("SET", said.value, None, "", _LIKELY)
        if isinstance(said, Range):
            return _resolve_range(said, context)
        if isinstance(said, Rolling):
            return _resolve_rolling(said, context)
        return _resolve_parts(said, context)
    except (TimeRangeError, OverflowError):
        return None


def _amount_value(amount: Amount) -> str:
    numbers = [_split_fraction(number, unit) for number, unit in amount.numbers]
    values = [
        duration_value(None if number is None else number * _scale(unit), _letter(unit)) for number, unit in numbers
    ]
    dates = "".join(value[1:] for value in values if not value.startswith("PT"))
    times = "".join(value[2:] for value in values if value.startswith("PT"))
    return f"P{dates}" + (f"T{times}" if times else "")


def _split_fraction(number: float | None, unit: TimeUnit) -> tuple[float | None, TimeUnit]:
    """A quarter of an hour in minutes: TIMEX3 has no fractions of it."""
    if number is not None and unit.letter == "TH" and number in (0.25, 0.75):
        return number * 60, TimeUnit.named("minute")
    return number, unit


def _resolve_rolling(said: Rolling, context: Context) -> Meaning:
    """A duration in TIMEX3; its span is whole units of the calendar before the present one, or after it."""
    number, unit = abs(said.number), said.unit
    value = duration_value(number * _scale(unit), _letter(unit))
    origin = context.anchor(said.anchor)
    if origin is None or number != int(number) or unit.letter == "WE":
        return Meaning("DURATION", value, None, "", _LIKELY)
    count = int(number * unit.count)
    if said.is_within:
        today = Span.unit(origin.start, min(origin.grain, Grain.DAY))
        return Meaning("DURATION", value, Span.between(today, today.shift(count, unit.grain).shift(-1)), "", _LIKELY)
    here = Span.unit(origin.start, unit.grain)
    first, last = (here.shift(-count), here.shift(-1)) if said.number < 0 else (here.shift(1), here.shift(count))
    return Meaning("DURATION", value, Span(first.start, last.end, unit.grain), "", _LIKELY)


def _letter(unit: TimeUnit) -> str:
    return "W" if unit.letter == "2W" else unit.letter


def _scale(unit: TimeUnit) -> float:
    return unit.count


# ---------------------------------------------------------------------------------------------------------- one time


def _resolve_parts(parts: Parts, context: Context) -> Meaning | None:
    if parts.reference is not None:
        span = context.now if parts.reference == "PRESENT_REF" else None
        return Meaning("DATE", parts.reference, span, parts.mod, _VAGUE)
    if parts.has_clock:
        return _resolve_clock(parts, context)
    if parts.offset is not None and parts.anchor == "text" and context.last is None and context.direction < 0:
        # "Twenty years later he came back", of a text that has named no time: only the length is known.
        amount = Amount(tuple((abs(number), unit) for number, unit in parts.offset))
        return Meaning("DURATION", _amount_value(amount), None, parts.mod, _VAGUE)
    if parts.offset is not None and min(unit.grain for _, unit in parts.offset) <= Grain.HOUR:
        span = _shift_origin(parts, context)
        if span is None:
            return None
        return Meaning("TIME", _clock_value(span), span, parts.mod, _LIKELY)
    span = _place(parts, context)
    if span is None:
        return _unplaced(parts)
    if parts.unit is not None and span.grain < Grain.DAY:
        return Meaning("TIME", _clock_value(span), span, parts.mod, _LIKELY)
    is_weekend = any(unit is not None and unit.letter == "WE" for unit in (parts.unit, parts.nth_unit))
    value = _week_value(parts, span) if is_weekend else _value(parts, span)
    span = _apply_mod(span, parts.mod)
    return Meaning("DATE", value, span, parts.mod, _SURE if parts.year is not None else 0.9)


def _value(parts: Parts, span: Span) -> str:
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


def _week_value(parts: Parts, span: Span) -> str:
    return f"{date_value(Span.unit(span.start, Grain.WEEK))}-WE"


#: The days of a week that are its beginning, its middle and its end.
_WEEK_PARTS = {"START": (0, 2), "MID": (2, 4), "END": (4, 7)}


def _apply_mod(span: Span, mod: str) -> Span:
    names = {"START": "early", "MID": "mid", "END": "late"}
    if mod in names and span.grain is Grain.WEEK and span.end - span.start == 7 * DAY:
        first, last = _WEEK_PARTS[mod]
        return Span(span.start + first * DAY, span.start + last * DAY, Grain.DAY)
    if mod in names and span.grain >= Grain.MONTH:
        with contextlib.suppress(TimeRangeError):  # what is no single unit keeps its whole
            return span.part(names[mod])  # type: ignore[arg-type]
    return span.with_certainty(span.certainty | Certainty.APPROXIMATE) if mod == "APPROX" else span


def _unplaced(parts: Parts) -> Meaning | None:
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
        return Meaning("DURATION", _amount_value(amount), None, parts.mod, _VAGUE)  # only the length is known
    if parts.unit is not None or parts.offset is not None:
        step = parts.step if parts.unit is not None else parts.offset[0][0] if parts.offset else 0
        if parts.unit is not None and parts.unit.grain is Grain.DAY:
            return Meaning("DATE", "XXXX-XX-XX", None, parts.mod, 0.7)
        value = "PAST_REF" if (step or 0) < 0 else "FUTURE_REF" if (step or 0) > 0 else "PRESENT_REF"
        return Meaning("DATE", value, None, parts.mod, _VAGUE)
    return None


def _place(parts: Parts, context: Context) -> Span | None:
    """The span of the date; None where there is none, or nothing says which."""
    if parts.offset is not None:
        return _place_offset(parts, context)
    if parts.origin is not None and parts.weekday is not None:
        return _place_beside(parts, context)
    if parts.nth is not None:
        return _place_nth(parts, context)
    if parts.span is not None:
        return parts.span
    if parts.holiday is not None:
        return _place_holiday(parts, context)
    year = _stated_year(parts, context)
    if parts.month is not None:
        return _place_month(parts, context, year)
    if parts.day is not None:
        return _place_day(parts, context)
    if parts.season is not None:
        return _choose_year(lambda one: season_span(one, parts.season or ""), parts, context, year)
    if parts.quarter is not None:
        start = 3 * parts.quarter - 2
        return _of_year(lambda one: Span.unit(to_seconds(one, start), Grain.QUARTER), parts, context, year)
    if parts.half is not None:
        start = 6 * parts.half - 5
        return _of_year(lambda one: Span.unit(to_seconds(one, start), Grain.HALF), parts, context, year)
    if parts.week is not None:
        return _place_week(parts, context, year)
    if parts.weekday is not None:
        return _place_weekday(parts, context)
    if parts.year is not None:
        return Span.year(parts.year)
    return _place_unit(parts, context)


def _stated_year(parts: Parts, context: Context) -> int | None:
    if parts.year is not None:
        return parts.year
    if parts.unit is not None and parts.unit.grain is Grain.YEAR:
        span = _place_unit(parts, context)
        return None if span is None else span.first_year
    return None


def _place_unit(parts: Parts, context: Context) -> Span | None:
    origin = context.anchor(parts.anchor)
    if parts.origin is not None:  # "the week of 7 October"
        origin = _place(parts.origin, context)
    if parts.unit is None or origin is None:
        return None
    step = parts.step or 0
    if parts.unit.letter == "WE":
        week = Span.unit(origin.start, Grain.WEEK).shift(step)
        return Span(week.start + 5 * DAY, week.end, Grain.DAY)
    return Span.unit(origin.start, parts.unit.grain).shift(int(step * parts.unit.count))


def _choose_year(make: Callable[[int], Span], parts: Parts, context: Context, year: int | None) -> Span | None:
    """The unit of a year that the words state, or of the year that fits their direction."""
    if year is not None:
        return make(year)
    origin = context.anchor(parts.anchor)
    if origin is None or origin.first_year is None:
        return None
    here = origin.first_year
    years = [here - 1, here, here + 1]
    if parts.month == 2 and parts.day == 29:  # the year before, this year and the next that have it
        leap = [year for year in range(here - 8, here + 9) if is_leap_year(year)]
        at = next(place for place, year in enumerate(leap) if year >= here)
        years = leap[at - 1 : at + 2]
    spans = [make(year) for year in years]
    if parts.turn is not None:
        if parts.turn == 0:  # "this winter" is the one at hand, which may have begun last year
            return next((one for one in spans if one.start <= origin.start < one.end), spans[1])
        if parts.turn < 0:
            return max((one for one in spans if one.end <= origin.start), key=_start, default=spans[0])
        following = min((one for one in spans if one.start > origin.start), key=_start, default=spans[2])
        return following.shift(parts.turn - 1, Grain.YEAR)
    if origin.grain is Grain.YEAR:
        return spans[1]
    choice = context.choice
    if choice == "past":
        return max((one for one in spans if one.start <= origin.start), key=_start)
    if choice == "future":
        return min((one for one in spans if one.end > origin.start), key=_start)
    return min(spans, key=lambda one: _distance(one, origin))


def _of_year(make: Callable[[int], Span], parts: Parts, context: Context, year: int | None) -> Span | None:
    origin = context.anchor(parts.anchor)
    if year is None and (origin is None or origin.first_year is None):
        return None
    return make(year if year is not None else (origin.first_year or 0) + (parts.turn or 0))  # type: ignore[union-attr]


def _start(span: Span) -> int:
    return span.start


def _distance(span: Span, origin: Span) -> int:
    return max(0, span.start - origin.start, origin.start - span.end + 1)


def _place_month(parts: Parts, context: Context, year: int | None) -> Span | None:
    month, day = parts.month or 0, parts.day
    if day is None:
        return _choose_year(lambda one: Span.month(one, month), parts, context, year)
    if year is not None:
        number = first_day(year, month, day)
        return None if number is None else day_span(number)
    if first_day(2000, month, day) is None:
        return None

    def make(one: int) -> Span:
        return day_span(first_day(one, month, day) or day_number(one, month, day))

    span = _choose_year(make, parts, context, None)
    if (
        span is not None
        and parts.weekday is not None
        and context.now is not None
        and context.now.first_year is not None
    ):
        # The weekday says which year was meant, if one of the three fits.
        near = [make(context.now.first_year + shift) for shift in (-1, 0, 1)]
        fitting = [one for one in near if weekday(one.start // DAY) == parts.weekday]
        if fitting and weekday(span.start // DAY) != parts.weekday:
            return min(fitting, key=lambda one: _distance(one, context.now or one))
    return span


def _place_day(parts: Parts, context: Context) -> Span | None:
    """A day of a month that is not named: "on the 4th", "the 4th of next month"."""
    origin = context.anchor(parts.anchor if parts.anchor is not None else "now")
    if origin is None:
        return None
    year, month, today = civil_date(origin.start // DAY)
    choice = "past" if parts.turn == -1 else "future" if parts.turn == 1 else context.choice
    if parts.unit is not None:
        month += parts.step or 0
    elif choice == "future" and (parts.day or 0) < today:
        month += 1
    elif choice == "past" and (parts.day or 0) > today:
        month -= 1
    for shift in _order_months(choice) if parts.unit is None else (0,):
        at = month + shift
        number = first_day(year + (at - 1) // 12, (at - 1) % 12 + 1, parts.day or 0)
        # Not every month has a 31st; and a weekday says which month was meant.
        if number is not None and parts.weekday in (None, weekday(number)):
            return day_span(number)
    return None


def _order_months(choice: Prefer) -> list[int]:
    """How far the months are in which a day may be, in the order in which they are tried."""
    shifts = sorted(range(-11, 12), key=lambda shift: (abs(shift), -shift))
    if choice == "nearest":
        return shifts
    sign = 1 if choice == "future" else -1
    return sorted(shifts, key=lambda shift: sign * shift < 0)


def _place_week(parts: Parts, context: Context, year: int | None) -> Span | None:
    def make(one: int) -> Span:
        return Span.parse(f"{one:04d}-W{parts.week:02d}")

    week = _of_year(make, parts, context, year)
    if week is None or parts.weekday is None:
        return week
    return day_span(week.start // DAY + parts.weekday - 1)


def _place_weekday(parts: Parts, context: Context) -> Span | None:
    origin, number = context.anchor(parts.anchor), parts.weekday or 1
    if parts.unit is not None and parts.unit.grain is Grain.DAY:
        return _place_unit(parts, context)
    if origin is None:
        return None
    today = origin.start // DAY
    if parts.unit is not None:
        week = _place_unit(parts, context)
        return None if week is None else day_span(Span.unit(week.start, Grain.WEEK).start // DAY + number - 1)
    back = (weekday(today) - number) % 7
    turn = parts.turn
    if turn is not None and turn < 0:
        is_yesterday = context.skips_tomorrow and parts.anchor == "text" and back == 1
        return day_span(today - (back or 7) + 7 * (turn + 1 - is_yesterday))
    if turn is not None and turn > 0:
        is_tomorrow = context.skips_tomorrow and back == 6
        return day_span(today - back + 7 * (turn + is_tomorrow))
    choice = context.choice
    if turn == 0 and choice != "past":
        choice = "future"
    is_open = choice == "nearest" or turn == 0 or not context.says_more
    if choice == "past" or (not back and is_open):
        return day_span(today - back)
    if choice == "nearest" and back <= 3:
        return day_span(today - back)
    return day_span(today - back + 7)


def _place_holiday(parts: Parts, context: Context) -> Span | None:
    name = parts.holiday or ""

    def make(one: int) -> Span:
        number = find_day(name, one)
        if number is None:
            raise TimeRangeError(f"no day of the year {one} is known for {name!r}")
        return day_span(number)

    return _choose_year(make, parts, context, _stated_year(parts, context))


def _place_beside(parts: Parts, context: Context) -> Span | None:
    """The n-th weekday after a day that is named, or before it where n is below 0: "the Sunday after Easter"."""
    meaning = None if parts.origin is None else _resolve_parts(parts.origin, replace(context))
    if meaning is None or meaning.span is None or meaning.span.grain is not Grain.DAY:
        return None
    day, number, nth = meaning.span.start // DAY, parts.weekday or 1, parts.nth or 1
    if nth > 0:
        return day_span(day + ((number - weekday(day) - 1) % 7 + 1) + 7 * (nth - 1))
    return day_span(day - ((weekday(day) - number - 1) % 7 + 1) + 7 * (nth + 1))


def _place_nth(parts: Parts, context: Context) -> Span | None:
    """The n-th weekday or unit of a longer unit, or one of its equal shares."""
    whole = replace(parts, nth=None, nth_unit=None, share=None, weekday=None if parts.share is None else parts.weekday)
    span = _place(whole, context)
    nth = parts.nth or 1
    if span is None:
        return None
    if parts.share is not None:
        return _take_share(span, nth, parts.share)
    if parts.nth_unit is None:
        if parts.weekday is None:
            return None
        if nth > 0:
            first = span.start // DAY
            number = first + (parts.weekday - weekday(first)) % 7 + 7 * (nth - 1)
        else:
            last = span.end // DAY - 1
            number = last - (weekday(last) - parts.weekday) % 7 + 7 * (nth + 1)
        return day_span(number) if span.start <= number * DAY < span.end else None
    grain = parts.nth_unit.grain
    if grain >= span.grain:
        return None
    if parts.nth_unit.letter == "WE":
        nth_weekend = _place_nth(replace(parts, nth_unit=None, weekday=6), context)
        return nth_weekend and Span(nth_weekend.start, nth_weekend.start + 2 * DAY, Grain.DAY)
    if grain is Grain.WEEK and span.grain is Grain.YEAR and 0 < nth < 53:
        return _place_week(replace(parts, nth=None, nth_unit=None, week=nth), context, span.first_year)
    one = Span.unit(span.start if nth > 0 else span.end - 1, grain)
    if grain is Grain.WEEK:
        # A week belongs to the month that has all of it.
        if nth > 0 and one.start < span.start:
            one = one.shift(1)
        elif nth < 0 and one.end > span.end:
            one = one.shift(-1)
    one = one.shift(nth - 1 if nth > 0 else nth + 1)
    if not span.start <= one.start < span.end:
        return None
    # "Friday of the third week"
    return one if grain is not Grain.WEEK or parts.weekday is None else day_span(one.start // DAY + parts.weekday - 1)


def _take_share(span: Span, nth: int, share: int) -> Span | None:
    if not 1 <= (nth if nth > 0 else share + 1 + nth) <= share:
        return None
    number = nth - 1 if nth > 0 else share + nth
    if span.grain is Grain.YEAR and share in (2, 4):
        grain = Grain.HALF if share == 2 else Grain.QUARTER
        return Span.unit(span.start, grain).shift(number)
    first, last = (civil_date(second // DAY)[:2] for second in (span.start, span.end))
    months = (last[0] - first[0]) * 12 + last[1] - first[1]
    if months == 1 and share == 2:
        middle = span.start + 15 * DAY
        return Span(span.start, middle, Grain.DAY) if number == 0 else Span(middle, span.end, Grain.DAY)
    if months < share:
        return None

    def start_of(index: int) -> int:
        return to_seconds(first[0], first[1] + months * index // share)

    return Span(start_of(number), start_of(number + 1), Grain.YEAR if months // share % 12 == 0 else Grain.MONTH)


def _place_offset(parts: Parts, context: Context) -> Span | None:
    if parts.weekday is not None:
        # "Wednesday in two weeks" is that day of the week two weeks on.
        shifted = _shift_origin(parts, context)
        if shifted is None:
            return None
        return day_span(Span.unit(shifted.start, Grain.WEEK).start // DAY + parts.weekday - 1)
    return _shift_origin(parts, context)


def _shift_origin(parts: Parts, context: Context) -> Span | None:
    offset = parts.offset or ()
    origin = context.anchor(parts.anchor)
    if parts.origin is not None:
        meaning = _resolve_parts(parts.origin, replace(context))
        origin = None if meaning is None else meaning.span
    if origin is None or origin.is_open:
        return None
    finest = min((unit.grain for _, unit in offset), default=Grain.DAY)
    if finest.months and any(number * unit.count % 1 for number, unit in offset):
        finest = Grain.MONTH  # two and a half years ago
    is_exact = parts.origin is not None and origin.grain <= Grain.DAY
    # Months and years are counted in units; weeks in days, and so is what is counted from a day that is named.
    kept = Grain.DAY if is_exact and finest >= Grain.DAY else _kept_grain(finest)
    # An hour from 4:30 is 5:30.
    span = Span.unit(origin.start, min(kept, origin.grain) if kept is Grain.HOUR else kept)
    if origin.coarsest_grain > span.grain and parts.origin is not None:
        span = Span.unit(origin.start, origin.grain)
    for number, unit in offset:
        count = number * unit.count
        whole = int(count)
        span = span.shift(whole, unit.grain)
        rest = count - whole
        if rest and unit.grain.months:
            span = span.shift(round(rest * unit.grain.months), Grain.MONTH)
        elif rest:
            seconds = round(rest * unit.grain.seconds)
            span = Span(
                span.start + seconds, span.end + seconds, Grain.DAY if unit.grain is Grain.WEEK else Grain.MINUTE
            )
    if span.grain is Grain.DAY and is_exact is False and finest is Grain.WEEK:
        return Span.unit(span.start, Grain.DAY)
    return span


def _kept_grain(finest: Grain) -> Grain:
    return Grain.DAY if finest is Grain.WEEK else finest


# --------------------------------------------------------------------------------------------------------- the clock


def _resolve_clock(parts: Parts, context: Context) -> Meaning | None:
    dated = _without_clock(parts)
    is_stated = parts.states_day or parts.states_period
    day = context.day
    if is_stated:
        day = _resolve_day(dated, context)
        if day is None and (context.now is not None or parts.unit is None or parts.unit.grain > Grain.DAY):
            return None
        is_stated = day is not None  # of "tonight at nine" in a text without a date the clock is left
    elif day is None and context.now is not None:
        day = context.now.start // DAY
        parts, day = _choose_hour(parts, day, context)
    # In running text a clock time is of the day of the text; in a phrase nothing says so.
    said_day = is_stated or context.day is not None or not context.brief
    if parts.hour is None:
        return _resolve_daypart(parts, day, said_day, context)
    hour, extra = _get_hour(parts)
    if hour is None:
        return None
    minute, second = parts.minute, parts.second
    text = f"T{hour:02d}:{minute or 0:02d}" + (f":{second:02d}" if second is not None else "")
    if minute is None and not said_day:
        text = f"T{hour:02d}"
    if day is None:
        return Meaning("TIME", text, None, parts.mod, 0.8)
    day += extra
    start = day * DAY + hour * 3600 + (minute or 0) * 60 + (second or 0)
    grain = Grain.HOUR if minute is None else Grain.MINUTE if second is None else Grain.SECOND
    span = Span(start, start + grain.seconds, grain)
    value = (date_value(day_span(day)) if said_day else "") + text
    return Meaning("TIME", value, span, parts.mod, 0.9 if said_day else 0.8)


def _choose_hour(parts: Parts, day: int, context: Context) -> tuple[Parts, int]:
    """A clock time without a day, the next or the last one where the caller prefers one and gives the hour it is.

    "At three" can be at night or in the afternoon; three o'clock in digits is on the clock of 24 hours.
    """
    now, hour = context.now, parts.hour
    if now is None or now.grain >= Grain.DAY or hour is None or context.prefer not in ("past", "future"):
        return parts, day
    sign = 1 if context.prefer == "future" else -1
    if parts.meridiem or parts.daypart:
        clock, extra = _get_hour(parts)
        start = (day + extra) * DAY + (clock or 0) * 3600 + (parts.minute or 0) * 60
        is_now = parts.minute is None and start <= now.start < start + 3600  # the hour at hand
        return parts, day if is_now or sign * (start - now.start) >= 0 else day + sign
    is_open = 1 <= hour <= 12 and not parts.is_digital
    hours = sorted({hour, (hour + 12) % 24} if is_open else {hour}, reverse=sign < 0)
    for shift in (0, sign):
        for one in hours:
            start = (day + shift) * DAY + one * 3600 + (parts.minute or 0) * 60 + (parts.second or 0)
            if sign * (start - now.start) >= 0:
                return replace(parts, hour=one), day + shift
    return parts, day


def _resolve_day(dated: Parts, context: Context) -> int | None:
    meaning = _resolve_parts(dated, context)
    if meaning is None or meaning.span is None or meaning.span.grain > Grain.DAY:
        return None
    return meaning.span.start // DAY


def _get_hour(parts: Parts) -> tuple[int | None, int]:
    """The hour on the clock of the day, and whether it is of the next day."""
    hour = parts.hour or 0
    part = parts.meridiem or parts.daypart or ""
    if (part in ("EV", "NI") and hour == 12) or (part == "EV" and hour == 0):
        return 0, 1
    if (part in ("PM", "AF", "EV") and hour < 12) or (part == "NI" and 5 < hour < 12):
        hour += 12
    elif part in ("AM", "MO") and hour == 12:
        hour = 0
    if hour >= 24:
        return (hour - 24, 1) if hour > 24 or not parts.minute else (None, 0)
    return hour, 0


def _resolve_daypart(parts: Parts, day: int | None, said_day: bool, context: Context) -> Meaning | None:
    part = parts.daypart or ""
    text = f"T{part}"
    if day is None:
        return Meaning("TIME", text, None, parts.mod, _VAGUE)
    value = (date_value(day_span(day)) if said_day else "") + text
    hours = part_of_day(day, part)
    if part == "AF":
        hours = Span(hours.start, day * DAY + context.afternoon_ends * 3600, hours.grain)
    span = _take_half(hours, parts.mod)
    return Meaning("TIME", value, span, parts.mod, _LIKELY if said_day else _VAGUE)


def _take_half(span: Span, mod: str) -> Span:
    """The first, the middle or the last half of a part of the day: "early in the morning"."""
    hours = (span.end - span.start) // 3600
    first, last = {"START": (0, hours - hours // 2), "MID": (hours // 4, hours - hours // 4)}.get(mod, (0, hours))
    if mod == "END":
        first = hours // 2
    return Span(span.start + first * 3600, span.start + last * 3600, span.grain)


def _clock_value(span: Span) -> str:
    start = span.start % DAY
    text = f"{date_value(day_span(span.start // DAY))}T{start // 3600:02d}:{start // 60 % 60:02d}"
    return text + (f":{start % 60:02d}" if span.grain is Grain.SECOND else "")


# -------------------------------------------------------------------------------------------------------- two times


def _resolve_range(said: Range, context: Context) -> Meaning | None:
    first, last = said.first, said.last
    if first is None or last is None:
        only = first or last
        return None if only is None else _resolve_open(only, context, is_start=first is not None)
    first, last = inherit(first, last)
    one = _resolve_parts(first, context)
    if one is None or one.span is None:
        return _name_range(one, _resolve_parts(last, context))
    two = _resolve_parts(last, _after(one.span, context))
    if two is None or two.span is None:
        return None
    begin, end = _begin_before_now(one.span, _move_behind(one.span, two.span, first, last), first, last, context)
    if end.start < begin.start:
        moved = _move_before(begin, end, first)
        if moved is None:
            return None
        begin = moved
    is_clock = last.hour is not None or end.grain < Grain.DAY
    if is_clock:
        span = Span(
            begin.start,
            max(end.start, begin.start + 60),
            Grain.MINUTE if end.grain <= Grain.MINUTE or begin.grain <= Grain.MINUTE else Grain.HOUR,
        )
        if last.hour is None:  # the last end is a part of a day, all of it
            span = Span(begin.start, end.end, begin.grain, end.grain)
        return Meaning("TIME", f"{_moment_value(first, begin)}/{_moment_value(last, end)}", span, "", 0.9)
    span = Span(begin.start, end.end, begin.grain, end.grain, begin.certainty, end.end_certainty)
    values = (_end_value(begin, one.value), _end_value(end, two.value))
    return Meaning("DATE", "/".join(values), span, "", 0.9)


def _after(span: Span, context: Context) -> Context:
    """The context of the last end of a range: it comes after the first."""
    return replace(context, last=span, day=span.start // DAY if span.grain <= Grain.DAY else context.day)


def _name_range(one: Meaning | None, two: Meaning | None) -> Meaning | None:
    return None if one is None or two is None else Meaning("DATE", f"{one.value}/{two.value}", None, "", 0.7)


def _move_behind(begin: Span, end: Span, first: Parts, last: Parts) -> Span:
    """The last end of a range, later by as much as it takes to come after the first."""
    if end.start > begin.start or (end.start == begin.start and end.grain >= Grain.DAY):
        return end
    if last.hour is not None and end.grain < Grain.DAY:
        if (
            (not last.states_day or _without_clock(first) == _without_clock(last))
            and last.meridiem is None
            and last.daypart is None
            and begin.start - end.start < DAY // 2
        ):
            half = Span(end.start + DAY // 2, end.end + DAY // 2, end.grain)
            if half.start > begin.start and (last.hour or 0) <= 12:
                return half
        return Span(end.start + DAY, end.end + DAY, end.grain)
    if last.weekday is not None and last.day is None:
        return Span(end.start + 7 * DAY, end.end + 7 * DAY, end.grain)
    if last.year is None and (last.month is not None or last.season is not None) and last.unit is None:
        return end.shift(1, Grain.YEAR)
    if last.day is not None and last.month is None and last.unit is None:
        return end.shift(1, Grain.MONTH)
    return end


def _begin_before_now(begin: Span, end: Span, first: Parts, last: Parts, context: Context) -> tuple[Span, Span]:
    """The ends of a range without a year; where those of a year before have not ended yet, these."""
    is_free = all(one.year is None and one.unit is None and one.turn is None for one in (first, last))
    if context.choice == "future" and context.now is not None and is_free and first.month is not None:
        earlier = end.shift(-1, Grain.YEAR)
        if earlier.end > context.now.start and begin.start > context.now.start:
            return begin.shift(-1, Grain.YEAR), earlier
    return begin, end


def _without_clock(parts: Parts) -> Parts:
    return replace(
        parts, hour=None, minute=None, second=None, meridiem=None, daypart=None, zone=None, is_digital=False, mod=""
    )


def _move_before(begin: Span, end: Span, first: Parts) -> Span | None:
    """The first end of a range, a year earlier if that puts it before the last: "November to March 2004"."""
    if first.month is not None or first.season is not None:
        moved = begin.shift(-1, Grain.YEAR)
        return moved if moved.start <= end.start else None
    return None


def _end_value(span: Span, value: str) -> str:
    """The value of an end of a range; a part of a unit ("early May") has that of the unit."""
    if span.grain.unit(span.start) == (span.start, span.end):
        return date_value(span)
    return span.edtf() if "/" in value else value


def _moment_value(parts: Parts, span: Span) -> str:
    if parts.hour is None and parts.daypart is not None:
        return f"{date_value(day_span(span.start // DAY))}T{parts.daypart}"
    return _hour_value(span)


def _hour_value(span: Span) -> str:
    return span.edtf().removesuffix("Z").replace("~", "") if span.grain < Grain.DAY else date_value(span)


def _resolve_open(end: Parts, context: Context, *, is_start: bool) -> Meaning | None:
    """ "From three on", "until Friday": one end, the other open."""
    meaning = _resolve_parts(end, context)
    if meaning is None or meaning.span is None:
        return None
    span = meaning.span
    if is_start:
        whole = Span(span.start, OPEN_END, span.grain, span.grain)
    else:
        whole = Span(OPEN_START, span.start if span.grain < Grain.DAY else span.end, span.grain, span.grain)
    if not context.brief:
        return replace(meaning, span=whole)  # TIMEX3 marks the time, not what it bounds
    full = meaning.value if end.states_day or "/" in span.edtf() else _hour_value(span)
    return Meaning(meaning.kind, f"{full}/.." if is_start else f"../{full}", whole, meaning.mod, meaning.confidence)
