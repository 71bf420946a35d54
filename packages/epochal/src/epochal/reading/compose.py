"""How the expressions of a text complete each other, in any language that tells which words join them.

A tagger reads one expression after the other. Here two that are joined become what they mean together:

    offset from an anchor     "two days before 5 May 2020" is one time, 3 May 2020
    shared parts of a range   of "Q1 to Q3 2020" and "from 9am to 5pm on 3 May" the first end takes the year or day of
                              the last
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import date_value, day_span, timex3_value
from epochal.times.axis import DAY, Grain
from epochal.times.span import Span

__all__ = ["Joints", "compose"]

#: The most characters between two expressions that belong together.
_GAP = 24
_AMOUNT = lazy_regex(r"P(?:\d+(?:CE|DE|Y|Q|M|W|D))*(?:T(?:\d+[HMS])+)?")
_PART = lazy_regex(r"(\d+)(CE|DE|[SMHDWQY])")
_GRAINS = {"D": Grain.DAY, "W": Grain.WEEK, "M": Grain.MONTH, "Q": Grain.QUARTER, "Y": Grain.YEAR}
_GRAINS |= {"DE": Grain.DECADE, "CE": Grain.CENTURY}
_TIMES = {"S": Grain.SECOND, "M": Grain.MINUTE, "H": Grain.HOUR}
#: Parts of a year by which the first end of a range may be stated alone.
_PARTS_OF_YEAR = ("quarter", "season", "half")
_STATES_DAY = frozenset({"day", "weekday", "month"})
_CLOCK_VALUE = lazy_regex(r"(?:\d{4}-\d\d-\d\d|XXXX-XX-XX)T\d\d(?::\d\d)*")
_DAY_VALUE = lazy_regex(r"\d{4}-\d\d-\d\d(?=T)")


@dataclass(frozen=True, slots=True)
class Joints:
    """The words of a language that join two expressions, as patterns of the whole text between them."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    onward: re.Pattern[str]
    reaching: re.Pattern[str]
    #: What leads from a set to its hour.
    at: re.Pattern[str]
    #: What before an amount makes it an interval that adjoins the anchor.
    within: frozenset[str]


def compose(text: str, expressions: Sequence[TimeExpr], joints: Joints) -> list[TimeExpr]:
    """The expressions of a text, those that belong together completed or made one."""
    composed: list[TimeExpr] = []
    for place, expression in enumerate(expressions):
        item = expression
        if composed:
            last = composed[-1]
            gap = text[last.end_char : item.start_char]
            if len(gap) <= _GAP and gap:
                if last.text[-3:] == "day" and (merged := _step_beside(text, last, item, gap, joints)):
                    composed[-1] = merged
                    continue
                if last.kind == "DURATION" and item.kind in ("DATE", "TIME"):
                    merged = _make_offset(text, last, item, gap, joints)
                    if merged is not None:
                        composed[-1] = merged
                        continue
                elif item.kind == "DURATION" and (merged := _add_length(text, last, item, gap)) is not None:
                    composed[-1] = merged
                    continue
                elif joints.reaching.fullmatch(gap):
                    if _is_dated_behind(item, expressions[place + 1 : place + 2]):
                        item = replace(item, stated=(*item.stated, "day"))
                    composed[-1] = last = _share_parts(last, item)
                    if "and" not in gap.lower():
                        composed[-1] = last = _start_before(last, item)
                        item = _continue_year(last, item)
                    if last.kind == item.kind == "TIME":
                        item = _continue_day(composed[-1], item)
                    elif last.kind == "SET" and _is_free_clock(item) and "clock" in last.stated:
                        composed[-1] = _extend(text, last, item)
                        continue
                elif last.kind == "SET" and _is_free_clock(item) and joints.at.fullmatch(gap):
                    composed[-1] = _set_clock(text, last, item)
                    continue
        composed.append(item)
    return composed


def _is_dated_behind(time: TimeExpr, following: Sequence[TimeExpr]) -> bool:
    """Whether a time of day has the day that comes right behind it: "from 10:30 to 3 on 1 May"."""
    return time.kind == "TIME" and any(day.kind == "DATE" and day.value == time.value[:10] for day in following)


def _is_free_clock(item: TimeExpr) -> bool:
    """Whether an expression is a time of day by the clock that states no day."""
    return (
        item.kind == "TIME" and _CLOCK_VALUE.fullmatch(item.value) is not None and _STATES_DAY.isdisjoint(item.stated)
    )


def _extend(text: str, first: TimeExpr, last: TimeExpr) -> TimeExpr:
    """An expression up to the end of the next, which adds to it."""
    return replace(first, text=text[first.start_char : last.end_char], end_char=last.end_char)


def _set_clock(text: str, recurring: TimeExpr, clock: TimeExpr) -> TimeExpr:
    """ "Every Monday at 9am" as one set, of that hour and no day in particular."""
    hour = clock.value.partition("T")[2]
    value = "XXXX-XX-XX" if recurring.value == "P1D" else recurring.value.partition("T")[0]
    value = f"{value}T{hour}" if value.startswith("XXXX-") and "T" not in value else value
    return replace(_extend(text, recurring, clock), value=value, stated=(*recurring.stated, "clock"))


def _make_offset(text: str, amount: TimeExpr, anchor: TimeExpr, gap: str, joints: Joints) -> TimeExpr | None:
    """ "Two days before 5 May 2020" as one time; None where the words say something else."""
    sign = -1 if joints.before.fullmatch(gap) else 1 if joints.after.fullmatch(gap) else 0
    if joints.onward.fullmatch(gap) and "year" not in anchor.stated:
        sign = 1  # "two weeks from Friday", but "64 days from 21 November 1948 to 31 January 1949"
    lead = text[max(0, amount.start_char - _GAP) : amount.start_char].split()
    if amount.mod or not joints.within.isdisjoint(word.lower() for word in (*lead[-1:], amount.text.split()[0])):
        return None  # "within two years after 1998" is an interval
    if amount.text.isalpha() and lead and lead[-1].isalpha() and lead[-1].lower() not in _LEADING:
        return None  # the third business day following 30 June
    steps = _read_steps(amount.value)
    span = anchor.span
    if not sign or not steps or span is None or span.is_open or anchor.value in ("PAST_REF", "FUTURE_REF"):
        return None
    grain = min(grain for _, grain in steps)
    if span.coarsest_grain > grain and not (grain is Grain.WEEK and span.coarsest_grain is Grain.DAY):
        return None  # two days before 1945 are no day
    if anchor.value == "PRESENT_REF" and grain >= Grain.DAY:
        # "Two years from now" is as vague as "two years ago"; days and weeks are counted in days.
        span = Span.unit(span.start, grain if grain >= Grain.MONTH else Grain.DAY)
    try:
        moved = span
        for count, unit in steps:
            moved = moved.shift(sign * count, unit)
        value = timex3_value(moved)
    except TimeRangeError:
        return None
    start = amount.start_char
    return replace(
        anchor,
        text=text[start : anchor.end_char],
        start_char=start,
        kind=anchor.kind if moved.grain < Grain.DAY else "DATE",
        value=value,
        span=moved,
        confidence=min(amount.confidence, anchor.confidence),
    )


def _step_beside(text: str, unit: TimeExpr, anchor: TimeExpr, gap: str, joints: Joints) -> TimeExpr | None:
    """ "The day after Christmas 2020": the day beside another."""
    found = _DEFINITE.fullmatch(unit.text) if unit.kind == anchor.kind == "DATE" else None
    sign = 0 if found is None else -1 if joints.before.fullmatch(gap) else 1 if joints.after.fullmatch(gap) else 0
    span = anchor.span
    if found is None or not sign or span is None or span.is_open or anchor.value.endswith("_REF"):
        return None
    if text[anchor.end_char : anchor.end_char + 1] in ("'", "’"):
        return None  # the day before last Tuesday's hearing
    grain = Grain.named(found[1].lower())
    if span.coarsest_grain is not grain or span.grain is not grain or Span.unit(span.start, grain).end != span.end:
        return None
    moved = span.shift(sign, grain)
    return replace(_extend(text, unit, anchor), value=timex3_value(moved), span=moved, confidence=anchor.confidence)


_DEFINITE = lazy_regex(r"the (day)", re.IGNORECASE)


#: What may stand before a unit without a number that is counted from another time: "on day after Easter".
_LEADING = frozenset("a an am and at by from in is on or the to until was".split())


def _add_length(text: str, anchor: TimeExpr, amount: TimeExpr, gap: str) -> TimeExpr | None:
    """ "Now + 40 minutes", "next Tuesday + 10 days", as calculators write it."""
    sign = {"+": 1, "-": -1, "−": -1}.get(gap.strip(), 0)
    steps, span = _read_steps(amount.value), anchor.span
    is_signed = gap.strip() == "+" or (anchor.value == "PRESENT_REF" and gap.startswith(" ") and gap.endswith(" "))
    if not sign or not is_signed or not steps or span is None or span.is_open or anchor.kind not in ("DATE", "TIME"):
        return None
    grain = min(grain for _, grain in steps)
    if span.coarsest_grain > grain:
        return None
    if anchor.value == "PRESENT_REF" and grain >= Grain.DAY:
        span = Span.unit(span.start, grain)
    try:
        for count, unit in steps:
            span = span.shift(sign * count, unit)
        value = timex3_value(span)
    except TimeRangeError:
        return None
    kind = anchor.kind if span.grain < Grain.DAY else "DATE"
    kind = "TIME" if span.grain < Grain.DAY else kind
    return replace(_extend(text, anchor, amount), kind=kind, value=value, span=span)


def _read_steps(value: str) -> list[tuple[int, Grain]]:
    """The numbers and units of a duration; none where it is not known."""
    if _AMOUNT.fullmatch(value) is None:
        return []
    days, _, times = value[1:].partition("T")
    steps = [(int(count), _GRAINS[letter]) for count, letter in _PART.findall(days)]
    return steps + [(int(count), _TIMES[letter]) for count, letter in _PART.findall(times)]


def _share_parts(first: TimeExpr, last: TimeExpr) -> TimeExpr:
    """The first end of a range with the year or the day that only the last end states."""
    one, two = first.span, last.span
    if one is None or two is None or one.is_open or two.is_open:
        return first
    if first.kind == last.kind == "TIME":
        return _share_day(first, one, last, two)
    parted = [part for part in _PARTS_OF_YEAR if part in first.stated and part in last.stated]
    if not parted or "year" in first.stated or "year" not in last.stated:
        return first
    here, there = one.first_year, two.first_year
    if here is None or there is None:
        return first
    moved = one.shift(there - here, Grain.YEAR)
    if moved.start > two.start and "season" not in first.stated:
        moved = moved.shift(-1, Grain.YEAR)
    return replace(first, span=moved, value=timex3_value(moved))


def _start_before(first: TimeExpr, last: TimeExpr) -> TimeExpr:
    """The first month of a range, before the last where neither states its year: "from August to October"."""
    one, two = first.span, last.span
    if one is None or two is None or first.mod or not one.grain is two.grain is Grain.MONTH:
        return first
    if one.start <= two.start or "year" in (*first.stated, *last.stated):
        return first
    moved = one.shift(-1, Grain.YEAR)
    return replace(first, span=moved, value=timex3_value(moved))


def _continue_day(first: TimeExpr, last: TimeExpr) -> TimeExpr:
    """The last end of a range of hours, on the day of the first or past midnight: "Tuesday 2 to 4 p.m."."""
    own, other = _DAY_VALUE.match(last.value), _DAY_VALUE.match(first.value)
    if own is None or other is None or last.span is None or not _STATES_DAY.isdisjoint(last.stated):
        return last
    days = (Span.parse(other[0]).start - Span.parse(own[0]).start) // DAY
    if first.span is not None and "T" in last.value and last.span.start + days * DAY < first.span.start:
        days += 1
    span = Span(last.span.start + days * DAY, last.span.end + days * DAY, last.span.grain)
    day = Span.parse(own[0]).shift(days, Grain.DAY)
    return replace(last, span=span, value=timex3_value(day) + last.value[10:]) if days else last


def _continue_year(first: TimeExpr, last: TimeExpr) -> TimeExpr:
    """The last day or month of a range, of the year that only the first states: "10 August 2013 to 12 September"."""
    one, two = first.span, last.span
    if one is None or two is None or one.is_open or two.is_open or first.kind != "DATE" or last.kind != "DATE":
        return last
    is_stated = "year" in first.stated and "month" in first.stated and "month" in last.stated
    if not is_stated or "year" not in last.carried or one.first_year is None or two.first_year is None:
        return last
    moved = two.shift(one.first_year - two.first_year, Grain.YEAR)
    if moved.start < one.start:
        moved = moved.shift(1, Grain.YEAR)
    return replace(last, span=moved, value=timex3_value(moved))


def _share_day(first: TimeExpr, one: Span | None, last: TimeExpr, two: Span | None) -> TimeExpr:
    own, other = _DAY_VALUE.match(first.value), _DAY_VALUE.match(last.value)
    if (
        one is None
        or two is None
        or own is None
        or other is None
        or not _STATES_DAY.isdisjoint(first.stated)
        or _STATES_DAY.isdisjoint(last.stated)
    ):
        return first
    days = (Span.parse(other[0]).start - Span.parse(own[0]).start) // DAY
    if one.start + days * DAY > two.start:
        days -= 1  # from 10 p.m. to 6 a.m. on Friday
    moved = Span(one.start + days * DAY, one.end + days * DAY, one.grain)
    day = date_value(day_span(Span.parse(own[0]).start // DAY + days))
    return replace(first, span=moved, value=day + first.value[10:])
