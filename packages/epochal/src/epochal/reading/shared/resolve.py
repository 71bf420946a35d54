"""The span and the TIMEX3 value of what words say: of a date or time, an amount, a range, a rolling window."""

from __future__ import annotations

from dataclasses import replace

from epochal.errors import TimeRangeError
from epochal.reading.expression import Meaning
from epochal.reading.shared.parts import Amount, Parsed, Parts, Range, Recurrence, Rolling, inherit
from epochal.reading.shared.placing import drop_clock, resolve_parts
from epochal.reading.shared.values import (
    LIKELY,
    Context,
    format_amount,
    format_end,
    format_hour,
    format_moment,
    get_letter,
    get_scale,
)
from epochal.reading.timex3 import duration_value
from epochal.times.axis import (
    DAY,
    OPEN_END,
    OPEN_START,
    Grain,
)
from epochal.times.span import Span

__all__ = ["resolve"]


def resolve(parsed: Parsed, context: Context) -> Meaning | None:
    """The meaning of what words say; None where it has none, such as 31 June."""
    try:
        if isinstance(parsed, Amount):
            return Meaning("DURATION", format_amount(parsed), None, parsed.mod, LIKELY)
        if isinstance(parsed, Recurrence):
            return Meaning("SET", parsed.value, None, "", LIKELY)
        if isinstance(parsed, Range):
            return _resolve_range(parsed, context)
        if isinstance(parsed, Rolling):
            return _resolve_rolling(parsed, context)
        return resolve_parts(parsed, context)
    except (TimeRangeError, OverflowError):
        return None


def _resolve_rolling(parsed: Rolling, context: Context) -> Meaning:
    """A duration in TIMEX3; its span is whole units of the calendar before the present one, or after it."""
    number, unit = abs(parsed.number), parsed.unit
    value = duration_value(number * get_scale(unit), get_letter(unit))
    origin = context.anchor(parsed.anchor)
    if origin is None or number != int(number) or unit.letter == "WE":
        return Meaning("DURATION", value, None, "", LIKELY)
    count = int(number * unit.count)
    if parsed.is_within:
        today = Span.unit(origin.start, min(origin.grain, Grain.DAY))
        return Meaning("DURATION", value, Span.between(today, today.shift(count, unit.grain).shift(-1)), "", LIKELY)
    here = Span.unit(origin.start, unit.grain)
    first, last = (here.shift(-count), here.shift(-1)) if parsed.number < 0 else (here.shift(1), here.shift(count))
    return Meaning("DURATION", value, Span(first.start, last.end, unit.grain), "", LIKELY)


# -------------------------------------------------------------------------------------------------------- two times


def _resolve_range(parsed: Range, context: Context) -> Meaning | None:
    first, last = parsed.first, parsed.last
    if first is None or last is None:
        only = first or last
        return None if only is None else _resolve_open(only, context, is_start=first is not None)
    zone = last.zone if first.zone is None else first.zone
    if zone is not None and {first.zone, last.zone} <= {zone, None}:
        meaning = _resolve_range(Range(replace(first, zone=None), replace(last, zone=None)), context)
        return meaning and _shift_to_utc(meaning, zone)
    first, last = inherit(first, last)
    one = resolve_parts(first, context)
    if one is None or one.span is None:
        return _name_range(one, resolve_parts(last, context))
    two = resolve_parts(last, _after(one.span, context))
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
        return Meaning("TIME", f"{format_moment(first, begin)}/{format_moment(last, end)}", span, "", 0.9)
    span = Span(begin.start, end.end, begin.grain, end.grain, begin.certainty, end.end_certainty)
    values = (format_end(begin, one.value), format_end(end, two.value))
    return Meaning("DATE", "/".join(values), span, "", 0.9)


def _shift_to_utc(meaning: Meaning, zone: float) -> Meaning:
    """A range of hours of a zone, which both ends have: "from 9 to 11 EST"."""
    if meaning.span is None:
        return meaning
    span, hours = meaning.span, round(zone * 3600)
    return replace(meaning, span=Span(span.start - hours, span.end - hours, span.grain, span.end_grain))


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
            (not last.states_day or drop_clock(first) == drop_clock(last))
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


def _move_before(begin: Span, end: Span, first: Parts) -> Span | None:
    """The first end of a range, a year earlier if that puts it before the last: "November to March 2004"."""
    if first.month is not None or first.season is not None:
        moved = begin.shift(-1, Grain.YEAR)
        return moved if moved.start <= end.start else None
    return None


def _resolve_open(end: Parts, context: Context, *, is_start: bool) -> Meaning | None:
    """ "From three on", "until Friday": one end, the other open."""
    meaning = resolve_parts(end, context)
    if meaning is None or meaning.span is None:
        return None
    span = meaning.span
    if is_start:
        whole = Span(span.start, OPEN_END, span.grain, span.grain)
    else:
        whole = Span(OPEN_START, span.start if span.grain < Grain.DAY else span.end, span.grain, span.grain)
    if not context.brief:
        return replace(meaning, span=whole)  # TIMEX3 marks the time, not what it bounds
    full = meaning.value if end.states_day or "/" in span.edtf() else format_hour(span)
    return Meaning(meaning.kind, f"{full}/.." if is_start else f"../{full}", whole, meaning.mod, meaning.confidence)
