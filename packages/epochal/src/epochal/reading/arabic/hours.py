"""Rule functions of Arabic for the hours of the day, in words and digits; words are written as they are read."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.shared.clocks import clock
from epochal.reading.shared.match import Item, Match, NoTime, rule
from epochal.reading.shared.parts import Parsed, Parts, Range, Rolling, TimeUnit
from epochal.times.axis import Grain

__all__ = ["NUMBERS", "add_numbers"]

#: The classes of numbers.
NUMBERS = ("SMALL_NUMBER", "NUMBER_WORD", "ORDINAL")


@rule
def arabic_bound(match: Match) -> Parsed | NoTime | None:
    """A clock time from which or up to which something holds: "بعد الساعة 14:00", "قبل الساعة 2"."""
    if match.times[0].hour is None:
        return None
    return Range(None, match.times[0]) if match.word("AGO") == "قبل" else Range(match.times[0], None)


@rule
def arabic_hours(match: Match) -> Parsed | NoTime | None:
    """A range of hours that ordinals name: "من التاسعة حتى الحادية عشرة"."""
    items = match.all("ORDINAL", "NUMBER_WORD")
    place = match.all("الي", "حتي", "-", "AND")[-1].start
    hours = [
        add_numbers(match, [item for item in items if (item.start < place) is is_first]) for is_first in (True, False)
    ]
    if not all(item.word.endswith("ه") or item.word == "الاولي" for item in match.all("ORDINAL")):
        return None
    if any(hour is None or not 1 <= hour <= 12 for hour in hours):
        return None
    part = match.value("DAYPART")
    first, last = Parts(hour=int(hours[0] or 0)), Parts(hour=int(hours[1] or 0), daypart=str(part) if part else None)
    return Range(first, last)


@rule
def arabic_last_hour(match: Match) -> Parsed | NoTime | None:
    """ "The past hour", where the word for the hour is the mark of clock times."""
    return Rolling(-1 if match.has("LAST") else 1, TimeUnit.named("hour"))


def add_numbers(match: Match, items: list[Item]) -> float | None:
    """The number that the words of a number make together; None where there are none."""
    if not items:
        return None
    return match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in items)


@rule
def arabic_hour(match: Match) -> Parsed | NoTime | None:
    """An hour in words: "الساعة الثالثة والنصف مساء", "الساعة الخامسة إلا ربعا", "الساعة 3 و18 دقيقة"."""
    if match.value("UNIT") not in (None, "minute"):
        return None
    joints = match.all("AND", "LESS")
    numbers = match.all(*NUMBERS)
    minutes: float | None = None
    if (match.has("QUARTER_HOUR", "UNIT", "LESS") or _joins_minutes(match, joints, numbers)) and joints:
        # The first joint behind an hour begins the minutes; "twenty five" has its own.
        place = joints[0].start
        rest = [item for item in numbers if item.start > place]
        numbers = [item for item in numbers if item.start < place]
        minutes = match.value("QUARTER_HOUR") if match.has("QUARTER_HOUR") else add_numbers(match, rest)
    elif match.has("AND") and len(numbers) > 1 and not match.has("ORDINAL"):
        return None  # "between the hours 3 and 4"
    hour = add_numbers(match, numbers)
    if len([item for item in numbers if item in match.all("ORDINAL") and (match.number_at(item) or 0) < 20]) > 1:
        return None  # "the third and the fifth" are two hours
    if hour is None or not 0 <= hour <= 24 or (minutes is not None and not 0 < minutes < 60):
        return None
    if match.has("LESS") and minutes is not None:
        hour, minutes = (hour - 1) % 24 or 12, 60 - minutes
    return _with_part(match, Parts(hour=int(hour), minute=None if minutes is None else int(minutes)))


@rule
def arabic_feminine_hour(match: Match) -> Parsed | NoTime | None:
    """An hour by its ordinal alone, "غدا في الثامنة": hours are feminine, days are not."""
    ordinals = match.all("ORDINAL")
    is_hour = all(item.word.endswith("ه") or item.word == "الاولي" for item in ordinals)
    return arabic_hour(match) if is_hour and match.value("UNIT") in (None, "minute") else None


@rule
def arabic_minutes_beside(match: Match) -> Parsed | NoTime | None:
    """Minutes before or after an hour: "خمس دقائق قبل الرابعة", "بعد الثالثة بعشر دقائق"."""
    amount, time = match.amounts[0], match.times[0]
    if time.hour is None or match.word("AGO") == "منذ":
        return None
    if any(named.grain > Grain.HOUR or not count for count, named in amount.numbers):
        return None
    sign = 1 if match.has("بعد") else -1
    time = replace(time, minute=time.minute or 0)
    return Parts(offset=tuple((sign * (count or 0), named) for count, named in amount.numbers), origin=time)


def _joins_minutes(match: Match, joints: list[Item], numbers: list[Item]) -> bool:
    """Whether a number behind "and" is one of minutes: "the third and ten", where "the third and twentieth" is none."""
    behind = [item for item in numbers if joints and item.start > joints[0].start]
    return (
        bool(behind)
        and "بين" not in (match.before, match.before_that)
        and not any(item in match.all("ORDINAL") for item in behind)
    )


@rule
def arabic_hours_of_part(match: Match) -> Parsed | NoTime | None:
    """A range of hours whose first has no word for hours: "from the third to the fifth in the evening"."""
    first = add_numbers(match, [item for item in match.all("ORDINAL", "NUMBER_WORD") if item.parsed is None])
    last = match.times[0]
    if first is None or not 1 <= first <= 12 or last.hour is None:
        return None
    return Range(Parts(hour=int(first)), last)


@rule
def arabic_hours_to(match: Match) -> Parsed | NoTime | None:
    """A range of hours whose last has no word for hours: "from the hour nine to the eleventh"."""
    first = match.times[0]
    hour = add_numbers(match, [item for item in match.all(*NUMBERS) if item.parsed is None])
    if first.hour is None or hour is None or not 1 <= hour <= 24 or hour != int(hour):
        return None
    return Range(first, Parts(hour=int(hour)))


@rule
def arabic_clock(match: Match) -> Parsed | NoTime | None:
    """A clock time in digits, with a part of the day or without."""
    if match.has("AM_PM", "ERA"):  # the letter for the evening is that of the era
        half = "AM" if match.value("AM_PM") == "AM" else "PM"
        if match.has("ERA") and match.word("ERA") not in ("م", "م."):
            return None
        number = match.number("SMALL_NUMBER")
        if number is not None:
            return Parts(hour=int(number), meridiem=half) if 1 <= number <= 12 else None
        parsed = clock(match)
        return replace(parsed, meridiem=half) if isinstance(parsed, Parts) and (parsed.hour or 0) <= 12 else parsed
    parsed = clock(match)
    if isinstance(parsed, Parts) and match.before == "الساعه":
        parsed = replace(parsed, is_digital=False)  # the hours of the day are counted to twelve
    return _with_part(match, parsed) if isinstance(parsed, Parts) else parsed


def _with_part(match: Match, parsed: Parts) -> Parts:
    part = match.value("DAYPART")
    if part == "24:00" and match.has("بعد") and 1 <= (parsed.hour or 0) <= 6:
        return replace(parsed, meridiem="AM")  # "one after midnight"
    if part == "24:00" and parsed.hour == 12:
        return replace(parsed, hour=0)
    if part is None or ":" in str(part):
        return parsed
    # An hour "of noon" is twelve or one of the hours behind it.
    noon = "AF" if (parsed.hour or 0) < 10 else "MI"
    return replace(parsed, daypart=noon if part == "MI" else str(part))
