"""Which span the parts of a date or time mean, against the date of the text and what the text said before.

A weekday or a month without a year can be the last or the next one. `Context.direction` is what the words around it
show, `Context.prefer` what the caller wants whatever they show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from epochal.errors import TimeRangeError
from epochal.reading.expression import Meaning
from epochal.reading.shared.holidays import find_day
from epochal.reading.shared.parts import Amount, Parts
from epochal.reading.shared.values import (
    LIKELY,
    SURE,
    VAGUE,
    Context,
    Prefer,
    apply_mod,
    describe_unplaced,
    format_amount,
    format_clock,
    format_hour,
    format_value,
    format_week,
    take_half,
)
from epochal.reading.timex3 import date_value, day_span, first_day, part_of_day, season_span, week_span, write_part
from epochal.times.axis import (
    DAY,
    Grain,
    civil_date,
    day_number,
    is_leap_year,
    to_seconds,
    weekday,
)
from epochal.times.span import Span

# ---------------------------------------------------------------------------------------------------------- one time


def resolve_parts(parts: Parts, context: Context) -> Meaning | None:
    if parts.reference == "THEN":  # the time that the text mentioned last
        if context.last is None or context.last.is_open:
            return Meaning("DATE", "PAST_REF", None, parts.mod, VAGUE)
        return Meaning("DATE", format_hour(context.last), context.last, parts.mod, VAGUE)
    if parts.reference is not None:
        span = context.now if parts.reference == "PRESENT_REF" else None
        return Meaning("DATE", parts.reference, span, parts.mod, VAGUE)
    if parts.has_clock:
        return _resolve_clock(parts, context)
    if parts.offset is not None and _is_only_length(parts, context):
        # "Twenty years later he came back", of a text that has named no time: only the length is known.
        amount = Amount(tuple((abs(number), unit) for number, unit in parts.offset))
        return Meaning("DURATION", format_amount(amount), None, parts.mod, VAGUE)
    if parts.offset is not None and min(unit.grain for _, unit in parts.offset) <= Grain.HOUR:
        span = _shift_origin(parts, context)
        if span is None:
            return None
        return Meaning("TIME", format_clock(span), span, parts.mod, LIKELY)
    span = _place(parts, context)
    if span is None:
        return describe_unplaced(parts)
    if parts.unit is not None and span.grain < Grain.DAY:
        return Meaning("TIME", format_clock(span), span, parts.mod, LIKELY)
    is_weekend = any(unit is not None and unit.letter == "WE" for unit in (parts.unit, parts.nth_unit))
    value = format_week(parts, span) if is_weekend else format_value(parts, span)
    span = apply_mod(span, parts.mod)
    return Meaning("DATE", value, span, parts.mod, SURE if parts.year is not None else 0.9)


def _is_only_length(parts: Parts, context: Context) -> bool:
    """Whether an amount is counted from a time that the text has not named."""
    if context.last is not None:
        return False
    if parts.anchor == "mentioned":
        return not context.is_phrase and context.prefer is None
    return parts.anchor in ("text", "tense") and context.direction < 0


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


def _of_year(make: Callable[[int], Span | None], parts: Parts, context: Context, year: int | None) -> Span | None:
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
    def make(one: int) -> Span | None:
        return week_span(one, parts.week or 0)

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
    meaning = None if parts.origin is None else resolve_parts(parts.origin, replace(context))
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
        # As in ISO 8601, a week belongs to the month that has its Thursday.
        thursday = one.start + 3 * DAY
        if nth > 0 and thursday < span.start:
            one = one.shift(1)
        elif nth < 0 and thursday >= span.end:
            one = one.shift(-1)
    one = one.shift(nth - 1 if nth > 0 else nth + 1)
    middle = one.start + 3 * DAY if grain is Grain.WEEK else one.start
    if not span.start <= middle < span.end:
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
        meaning = resolve_parts(parts.origin, replace(context))
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
    dated = drop_clock(parts)
    is_stated = parts.states_day or parts.states_period
    day = context.day
    if is_stated:
        day = _resolve_day(dated, context)
        if day is None and context.now is None and parts.daypart is not None and parts.hour is None:
            whole = describe_unplaced(dated)  # "Monday evening", of a text without a date
            return whole and replace(whole, kind="TIME", value=f"{whole.value}T{parts.daypart}")
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
    start -= round((parts.zone or 0) * 3600)  # the axis is that of UTC
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
    meaning = resolve_parts(dated, context)
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
    elif part in ("AM", "MO", "DA") and hour == 12:
        hour = 0
    if hour >= 24:
        return (hour - 24, 1) if hour > 24 or not parts.minute else (None, 0)
    return hour, 0


def _resolve_daypart(parts: Parts, day: int | None, said_day: bool, context: Context) -> Meaning | None:
    part = parts.daypart or ""
    text = f"T{write_part(part)}"
    if day is None:
        return Meaning("TIME", text, None, parts.mod, VAGUE)
    value = (date_value(day_span(day)) if said_day else "") + text
    hours = part_of_day(day, part)
    if part == "AF":
        hours = Span(hours.start, day * DAY + context.afternoon_ends * 3600, hours.grain)
    span = take_half(hours, parts.mod)
    return Meaning("TIME", value, span, parts.mod, LIKELY if said_day else VAGUE)


def drop_clock(parts: Parts) -> Parts:
    return replace(
        parts, hour=None, minute=None, second=None, meridiem=None, daypart=None, zone=None, is_digital=False, mod=""
    )
