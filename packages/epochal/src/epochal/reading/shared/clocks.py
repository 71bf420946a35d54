"""Rule functions of the time of day: the clock in digits and in words, and the parts of the day."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Parsed, Parts, TimeUnit

__all__: list[str] = []

_NUMBERS = ("SMALL_NUMBER", "NUMBER_WORD", "A")


def _part(match: Match) -> tuple[str | None, str | None]:
    """The half of the day ("AM", "PM") and the part of the day that are said."""
    half, part = match.value("AM_PM"), match.value("DAYPART", "MORNING", "MORROW")
    return (str(half).upper() if half else None), (str(part) if part and ":" not in str(part) else None)


def _make(match: Match, hour: float | None, minute: float | None = None, second: float | None = None) -> Parsed | None:
    if hour is None or not 0 <= hour <= 24 or not 0 <= (minute or 0) < 60 or hour != int(hour):
        return None
    half, part = _part(match)
    zone = match.value("ZONE")
    return Parts(
        hour=int(hour),
        minute=None if minute is None else int(minute),
        second=None if second is None else int(second),
        meridiem=half,
        daypart=part,
        zone=zone if isinstance(zone, int | float) else None,
        mod="APPROX" if match.has("ABOUT") else "",
    )


@rule
def clock(match: Match) -> Parsed | None:
    """A clock time in digits: 15:30, 3pm, 17.15; the mark of hours may be beside it."""
    groups = match.value("CLOCK", "DAY_MONTH", "DECIMAL", "NUMERIC_DATE")
    if not isinstance(groups, dict):
        return None
    if groups.get("H") is None:
        # "17.15" has the shape of a date or of a number.
        word = match.word("DAY_MONTH", "DECIMAL") or ""
        digits = re.fullmatch(r"(\d{1,2})[.,](\d\d)", word)
        return None if digits is None else _make(match, int(digits[1]), int(digits[2]))
    parsed = _make(match, int(groups["H"]), *(None if groups.get(name) is None else int(groups[name]) for name in "MS"))
    if isinstance(parsed, Parts) and groups.get("ap"):
        return Parts(hour=parsed.hour, minute=parsed.minute, meridiem=groups["ap"].upper() + "M", mod=parsed.mod)
    return replace(parsed, is_digital=True) if isinstance(parsed, Parts) else parsed


@rule
def clock_hour(match: Match) -> Parsed | None:
    """An hour, with or without minutes behind it: "3 Uhr", "3 Uhr 15", "trois heures dix", "3 heures et demie"."""
    mark = match.all("HOUR_MARK", "HOUR_WORD")
    numbers = match.all(*_NUMBERS)
    place = mark[0].start if mark else 1 << 60
    hours = [item for item in numbers if item.start < place]
    minutes = [item for item in numbers if item.start > place]
    language = match.tokeniser.language
    hour = language.add_numbers(match.number_at(item) or 0 for item in hours) if hours else None
    part = match.value("QUARTER_HOUR")
    minute = language.add_numbers(match.number_at(item) or 0 for item in minutes) if minutes else part
    if minute is not None and match.has("LESS"):
        return _make(match, None if hour is None else (hour - 1) % 24, 60 - minute)
    return _make(match, hour, minute)


@rule
def clock_half_before(match: Match) -> Parsed | None:
    """Half an hour before an hour: "halb drei" is 2:30."""
    hour = match.number(*_NUMBERS)
    return None if hour is None or not 1 <= hour <= 24 else _make(match, (hour - 1) % 24, 30)


@rule
def clock_quarter_before(match: Match) -> Parsed | None:
    """A quarter or three quarters into the hour that ends at an hour: "viertel drei" is 2:15."""
    hour, minutes = match.number(*_NUMBERS), match.value("QUARTER_HOUR")
    return None if hour is None or minutes is None else _make(match, (hour - 1) % 24, minutes)


def _minutes_and_hour(match: Match) -> tuple[float | None, float | None]:
    """The minutes and the hour of "ten past three", whichever words they are; the last number is the hour."""
    numbers = match.all(*_NUMBERS)
    if not numbers or match.value("UNIT") not in (None, "minute"):
        return None, None
    part = match.value("QUARTER_HOUR")
    if part is not None:
        return part, match.number_at(numbers[-1])
    if len(numbers) < 2:
        return None, None
    language = match.tokeniser.language
    return language.add_numbers(match.number_at(item) or 0 for item in numbers[:-1]), match.number_at(numbers[-1])


@rule
def clock_past(match: Match) -> Parsed | None:
    """Minutes past an hour: "zehn nach drei", "viertel nach drei"."""
    minute, hour = _minutes_and_hour(match)
    return None if minute is None else _make(match, hour, minute)


@rule
def clock_to(match: Match) -> Parsed | None:
    """Minutes before an hour: "zehn vor drei"."""
    minute, hour = _minutes_and_hour(match)
    return None if minute is None or hour is None or not 0 < minute < 60 else _make(match, (hour - 1) % 24, 60 - minute)


@rule
def clock_past_half(match: Match) -> Parsed | None:
    """Minutes past the half hour before an hour: "fünf nach halb drei" is 2:35."""
    minute, hour = _minutes_and_hour(match)
    return None if minute is None or hour is None else _make(match, (hour - 1) % 24, 30 + minute)


@rule
def clock_to_half(match: Match) -> Parsed | None:
    """Minutes before the half hour before an hour: "fünf vor halb drei" is 2:25."""
    minute, hour = _minutes_and_hour(match)
    return None if minute is None or hour is None else _make(match, (hour - 1) % 24, 30 - minute)


@rule
def in_zone(match: Match) -> Parsed | None:
    """A clock time with its zone behind it: "at four CET", "16h UTC"."""
    time, zone = match.times[0], match.value("ZONE")
    if time.hour is None or time.zone is not None or not isinstance(zone, int | float):
        return None
    return replace(time, zone=zone)


@rule
def daypart(match: Match) -> Parsed | None:
    """A part of the day, or an hour with a name: "in the evening", "noon"."""
    value = str(match.value("DAYPART", "MORNING", "MORROW"))
    mod = match.value("PART") or ""
    if ":" in value:
        hour, minute = map(int, value.split(":"))
        return Parts(hour=hour, minute=minute or None, mod=str(mod))
    if match.has("LAST", "NEXT", "THIS"):
        turn = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
        return Parts(daypart=value, unit=TimeUnit.named("day"), step=turn)
    return Parts(daypart=value, mod=str(mod))
