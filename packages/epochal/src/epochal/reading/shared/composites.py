"""Rule functions that make one time of several: parts of a whole, the n-th in a whole, ranges, bounds."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.lazy import lazy_regex
from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Parsed, Parts, Range, Recurrence, Rolling, TimeUnit, combine, inherit
from epochal.reading.shared.resolve import resolve
from epochal.reading.shared.values import Context
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []

_DATELINE = lazy_regex(r"[ \t]*\n\s*[^\W\d_a-zß-öø-ÿ]")


@rule
def join(match: Match) -> Parsed | None:
    """Times side by side that complete each other: "Friday, 14 May, at three"."""
    ranges = [item.parsed for item in match.items if isinstance(item.parsed, Range)]
    times = match.times
    if times and times[0].year is not None and _DATELINE.match(match.tokens.text, match.items[0].end):
        return None  # a date at the end of a line, and the first words of a text
    if ranges:
        return _join_range(ranges[0], times[0]) if len(ranges) == 1 and len(times) == 1 else None
    if match.has("AT", "AL") and all(time.states_day and not time.has_clock for time in times):
        return None  # from one day to another: "d'aujourd'hui à vendredi"
    whole: Parts | None = times[0]
    for other in times[1:]:
        whole = None if whole is None else combine(whole, other)
    return whole


def _join_range(joined: Range, time: Parts) -> Parsed | None:
    """A day and a range of its hours, or a year and a range of its months."""
    ends = [None if end is None else combine(end, time) for end in (joined.first, joined.last)]
    if any((end is None) != (old is None) for end, old in zip(ends, (joined.first, joined.last), strict=True)):
        return None
    return Range(ends[0], ends[1])


@rule
def part_of(match: Match) -> Parsed | None:
    """ "Early", "the middle of", "the end of" a time."""
    time = match.times[0]
    part = match.value("PART")
    if part is None or time.mod or time.reference is not None:
        return None
    return replace(time, mod=str(part))


@rule
def about(match: Match) -> Parsed | None:
    """ "Around", "about" a time."""
    time = match.times[0]
    return None if time.reference is not None else replace(time, mod=time.mod or "APPROX")


@rule
def share_of(match: Match) -> Parsed | None:
    """ "The first half of the 18th century", "the last third of the year": SHARE is how many shares there are."""
    whole = match.times[0]
    nth = match.number("ORDINAL") if match.has("ORDINAL") else -1 if match.has("LAST") else 1
    share = match.value("SHARE")
    if nth is None or share is None or whole.has_clock or whole.mod:
        return None
    return replace(whole, nth=int(nth), share=int(share))


@rule
def night_between(match: Match) -> Parsed | None:
    """The night before a day, or between two: "the night to Sunday", "the night of Saturday to Sunday"."""
    night, first, last = match.times[0], match.times[1], match.times[-1]
    if night.daypart != "NI" or night.hour is not None or first.has_clock or not first.states_day:
        return None
    if len(match.times) > 2:
        return combine(inherit(first, last)[0], night)
    return Parts(offset=((-1, TimeUnit.named("day")),), origin=last, daypart="NI")


def _day_beside(match: Match, sign: int) -> Parsed | None:
    if match.value("UNIT") != "day" or match.times[0].has_clock:
        return None
    return Parts(offset=((sign, TimeUnit.named("day")),), origin=match.times[0])


@rule
def day_after(match: Match) -> Parsed | None:
    """ "The day after Easter"."""
    return _day_beside(match, 1)


@rule
def day_before(match: Match) -> Parsed | None:
    """ "The day before yesterday"."""
    return _day_beside(match, -1)


@rule
def day_of_unit(match: Match) -> Parsed | None:
    """The number of a day in a month that is counted from now: "the 20th of next month"."""
    period, number = match.times[0], match.number("SMALL_NUMBER", "ORDINAL")
    if number is None or not 1 <= number <= 31 or period.unit is None or period.unit.grain is not Grain.MONTH:
        return None
    return combine(Parts(day=int(number)), period)


def _weekday_beside(match: Match, sign: int) -> Parsed | None:
    first, other = match.times[0], match.times[-1]
    if first.weekday is None or replace(first, weekday=None, nth=None) != Parts() or other.has_clock:
        return None
    if other.day is None and other.holiday is None:
        return None
    return Parts(weekday=first.weekday, nth=sign * (first.nth or 1), origin=other)


@rule
def weekday_after(match: Match) -> Parsed | None:
    """ "The Sunday after Easter", "the second Tuesday after 3 May"."""
    return _weekday_beside(match, 1)


@rule
def weekday_before(match: Match) -> Parsed | None:
    """ "The Saturday before Whitsun"."""
    return _weekday_beside(match, -1)


@rule
def units_of_period(match: Match) -> Parsed | None:
    """ "The last four months of 2021", "the first ten days of May 2020": units at an end of a year or month."""
    period = match.times[-1]
    windows = [item.parsed for item in match.items if isinstance(item.parsed, Rolling)]
    if windows and windows[0].number < 0:
        number, unit, is_last = -windows[0].number, windows[0].unit, True
    elif match.amounts and match.number("ORDINAL") == 1:
        amount, unit = match.amounts[0].numbers[0]
        number, is_last = amount or 0, False
    else:
        return None
    if period.year is None or period != Parts(year=period.year, month=period.month) or number != int(number):
        return None
    whole = Span.year(period.year) if period.month is None else Span.month(period.year, period.month)
    if unit.grain >= whole.grain or unit.grain < Grain.DAY or number * unit.count < 1:
        return None
    count = int(number * unit.count)
    end = Span.unit(whole.end - 1 if is_last else whole.start, unit.grain)
    other = end.shift(1 - count if is_last else count - 1)
    first, last = (other, end) if is_last else (end, other)
    return Parts(span=Span(first.start, last.end, unit.grain)) if count > 1 else Parts(span=first)


@rule
def listed_day(match: Match) -> Parsed | None:
    """The number of a day whose month a later day of the list states: "the 3rd, 4th and 5th of May"."""
    number = match.number("SMALL_NUMBER", "ORDINAL")
    return Parts(day=int(number)) if number is not None and 1 <= number <= 31 else None


@rule
def range_of_digits(match: Match) -> Parsed | None:
    """From one time to another of the same half of the day, the first in bare digits: "630-930am"."""
    last, number = match.times[0], match.number("THREE_DIGITS", "YEAR")
    hour, minute = divmod(int(number or 0), 100)
    if last.meridiem is None or last.states_day or not 1 <= hour <= 12 or minute > 59:
        return None
    return Range(Parts(hour=hour, minute=minute), last)


@rule
def set_and_time(match: Match) -> Parsed | None:
    """A day that comes back, and the hour of it: "every Monday at four"."""
    time, days = match.times[0], next(item.parsed for item in match.items if isinstance(item.parsed, Recurrence))
    value = {"P1D": "XXXX-XX-XX"}.get(days.value, days.value)
    if time.hour is None or time.mod or not re.fullmatch(r"XXXX-(?:XX-(?:XX|\d\d)|WXX-[1-7])", value):
        return None
    meaning = resolve(time, Context())
    return None if meaning is None else Recurrence(value + meaning.value)


@rule
def days_of_period(match: Match) -> Parsed | None:
    """From one day to another of a month that is counted from today: "from the 4th to the 23rd of next month"."""
    period, days = match.times[0], [match.number_at(item) for item in match.all("SMALL_NUMBER", "ORDINAL")]
    if len(days) != 2 or period.unit is None or period.unit.letter != "M" or period.mod:
        return None
    ends = [None if day is None or not 1 <= day <= 31 else combine(Parts(day=int(day)), period) for day in days]
    return Range(ends[0], ends[1]) if all(ends) and (days[0] or 0) < (days[1] or 0) else None


@rule
def range_of(match: Match) -> Parsed | None:
    """From one time to another."""
    times = match.times
    if len(times) != 2:
        return None
    first, last = (_today(time) for time in times)
    if first.reference is not None or last.reference is not None:
        return None
    if not _are_alike(first, last):
        return None
    if first.hour == 24:
        first = replace(first, hour=0)  # "from midnight to seven" is early on that day
    return Range(first, last)


def _today(time: Parts) -> Parts:
    """ "Now" as an end of a range is today."""
    return Parts(unit=TimeUnit.named("day"), step=0) if time.reference == "PRESENT_REF" else time


def _are_alike(first: Parts, last: Parts) -> bool:
    """Whether two times can be the ends of one range: clock with clock, date with date."""
    if last.hour is not None and first.hour is None:
        return first.daypart is None and first.states_day and last.states_day
    if first.hour is not None and last.hour is None:
        return False
    return (first.daypart is None) == (last.daypart is None) or first.hour is not None


@rule
def range_of_numbers(match: Match) -> Parsed | None:
    """A range whose first end is a number only: "from 1 to 3 May", "9-17 Uhr"."""
    last = match.times[0]
    items = [item for item in match.all("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD") if item.parsed is None]
    number = match.number_at(items[0]) if items else None
    if len(items) > 1 and all(item.word.isalpha() for item in items):
        number = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in items)
    if number is None or number != int(number):
        return None
    if last.hour is not None and last.day is None:
        return Range(Parts(hour=int(number)), last) if 0 <= number <= 24 else None
    if last.day is None or not 1 <= number <= 31:
        return None
    return Range(Parts(day=int(number), hour=last.hour, minute=last.minute, daypart=last.daypart), last)


@rule
def range_to_day(match: Match) -> Parsed | None:
    """A range whose last end is the number of a day only: "from 9 April to the 17th"."""
    first, number = match.times[0], match.number("SMALL_NUMBER", "ORDINAL")
    if first.day is None or first.month is None or first.has_clock or number is None or not first.day < number <= 31:
        return None
    return Range(first, Parts(day=int(number)))


@rule
def range_of_days(match: Match) -> Parsed | None:
    """A month and the numbers of two of its days: "November 19-20"."""
    month = match.value("MONTH_NAME")
    days = [match.number_at(item) for item in match.all("SMALL_NUMBER")]
    if (
        len(days) != 2
        or not all(day is not None and 1 <= day <= 31 for day in days)
        or (days[0] or 0) >= (days[1] or 0)
    ):
        return None
    years = match.all("YEAR")
    year = int(match.number_at(years[0]) or 0) if years else None
    first, last = (Parts(year=year, month=month, day=int(day or 0)) for day in days)
    return Range(first, last)


@rule
def range_of_hours(match: Match) -> Parsed | None:
    """Two numbers beside a day, which are hours there: "tomorrow from five to seven"."""
    time = match.times[0]
    items = [item for item in match.all("SMALL_NUMBER", "NUMBER_WORD") if item.parsed is None]
    hours = [match.number_at(item) for item in items]
    if time.hour is not None or not (time.states_day or time.daypart) or len(hours) != 2:
        return None
    if any(hour is None or hour != int(hour) or not 0 <= hour <= 24 for hour in hours):
        return None
    # From ten to twelve in the morning is until noon.
    late = replace(time, daypart="MI") if time.daypart == "MO" and hours[1] == 12 else time
    first, last = (combine(Parts(hour=int(hour or 0)), one) for hour, one in zip(hours, (time, late), strict=True))
    return None if first is None or last is None else Range(first, last)


@rule
def since(match: Match) -> Parsed | None:
    """A clock time from which something holds: "ab 16 Uhr"; of a date where nothing else is said.

    In a sentence dates keep their value: see `expression.find_cue`.
    """
    time = match.times[0]
    return Range(time, None) if time.hour is not None or _is_phrase(match) else None


@rule
def until(match: Match) -> Parsed | None:
    """A clock time up to which something holds: "bis 11 Uhr"; of a date where nothing else is said."""
    time = match.times[0]
    return Range(None, time) if time.hour is not None or _is_phrase(match) else None


def _is_phrase(match: Match) -> bool:
    """Whether the words are all of the text but a word or two."""
    return len(match.tokens.text.strip()) <= 4 * (match.items[-1].end - match.items[0].start) / 3


@rule
def century_in_list(match: Match) -> Parsed | None:
    """ "Siglos XVI y XVII", "im 15. und 16. Jahrhundert": a century whose word is beside another number."""
    number = match.number("ROMAN", "ORDINAL", "SMALL_NUMBER")
    first, last, code = match.items[0].first, match.items[-1].last, match.tokeniser.language.classes["UNIT"]
    near = [
        at for at in range(max(0, first - 6), min(len(match.tokens.words), last + 6)) if match.tokens.codes[at] == code
    ]
    if number is None or not any(match.tokeniser.value(match.tokens.words[at]) == "century" for at in near):
        return None
    low = (int(number) - 1) * 100
    return Parts(span=Span(to_seconds(low), to_seconds(low + 100), Grain.CENTURY))


@rule
def year_words(match: Match) -> Parsed | None:
    """A year in one word, with a day and a month or without: "negentienhonderdtachtig"."""
    *days, last = match.all("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    number, day = match.number_at(last), match.number_at(days[0]) if days else None
    if number is None or not 1100 < number < 2100 or not number % 100 or (day is not None and not 1 <= day <= 31):
        return None
    return Parts(year=int(number), month=match.value("MONTH_NAME"), day=None if day is None else int(day))
