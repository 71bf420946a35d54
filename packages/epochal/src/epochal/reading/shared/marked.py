"""Rule functions of dates and clock times in which each number is followed by its unit: 2024年5月14日, 오후 3시 30분.

The tables `YEAR_MARK`, `MONTH_MARK`, `DAY_MARK`, `HOUR_SIGN`, `MINUTE_MARK` and `SECOND_MARK` of a language hold these
units; their values are the names of units of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from epochal.reading.shared.match import NO_TIME, Item, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Recurrence, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []

_MARKS = ("YEAR_MARK", "MONTH_MARK", "DAY_MARK", "HOUR_SIGN", "MINUTE_MARK", "SECOND_MARK")
_HALVES = {"AM": "MO", "PM": "AF"}
#: Japan counts its days by the Gregorian calendar since then; days before it are those of the lunisolar one.
_GREGORIAN_SINCE = 1873
#: Programmes of the night count on: 25時 is one o'clock of the next day.
_LAST_HOUR = 30
_NUMBERS = ("SMALL_NUMBER", "THREE_DIGITS", "YEAR", "LARGE_NUMBER", "DECIMAL", "NUMBER_WORD")


def _read_number(match: Match, items: Sequence[Item]) -> float | None:
    """The number that digits or numerals mean: 十二 is 12, 二〇二四 is 2024."""
    values = [1.0 if item in match.all("FIRST") else match.number_at(item) for item in items]
    if not values or any(value is None for value in values):
        return None
    numbers = [value or 0.0 for value in values]
    if len(numbers) > 1 and all(number < 10 for number in numbers):
        return float("".join(str(int(number)) for number in numbers))
    total = current = 0.0
    for number in numbers:
        if number in (10, 100, 1000):
            total, current = total + max(current, 1) * number, 0.0
        else:
            current += number
    return total + current


def _read_fields(match: Match) -> dict[str, float] | None:
    """The numbers by the unit that follows each; None where a unit has no number."""
    fields: dict[str, float] = {}
    numbers: list[Item] = []
    number_items, mark_items = match.all(*_NUMBERS), match.all(*_MARKS)
    for item in match.items:
        if any(item is other for other in (*number_items, *match.all("FIRST"))):
            numbers.append(item)
        elif any(item is other for other in mark_items):
            number = _read_number(match, numbers)
            name = str(match.tokeniser.value(item.word))
            if number is None or name in fields:
                return None
            fields[name] = number
            numbers = []
    return fields


def _make_mod(match: Match) -> str:
    part: Any = match.value("PART")
    return str(part) if part is not None else "APPROX" if match.has("ABOUT") else ""


@rule
def marked_date(match: Match) -> Parsed | NoTime | None:
    """A year, a month, a day, as many as are there; a reign counts its years from its own beginning."""
    fields = _read_fields(match)
    if not fields or any(number != int(number) for number in fields.values()):
        return None
    year, month, day = (None if name not in fields else int(fields[name]) for name in ("year", "month", "day"))
    month = match.value("MONTH_NAME") if month is None else month
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    if year is not None:
        if (start := match.value("REIGN")) is not None:
            year += int(start)
            if year < _GREGORIAN_SINCE:
                return NO_TIME
        elif match.value("ERA") == "bc":
            year = 1 - year
        elif year < 100 and not match.has("ERA"):
            if month is None:
                return None  # "12年" by itself is a duration more often than a year
            year += 1900 if year > 50 else 2000
    turn = next((match.value(name) for name in ("LAST", "NEXT") if match.has(name)), None)
    return Parts(year=year, month=month, day=day, turn=turn, mod=_make_mod(match))


@rule
def marked_clock(match: Match) -> Parsed | None:
    """An hour with what follows it; "half" is 30 minutes, and with a word for "before" minutes are to the hour."""
    fields = _read_fields(match)
    if not fields or "hour" not in fields:
        return None
    hour, minute, second = fields["hour"], fields.get("minute"), fields.get("second")
    if match.has("HALF"):
        minute = 30.0
    if not 0 <= hour < _LAST_HOUR or not 0 <= (minute or 0) < 60 or not 0 <= (second or 0) < 60:
        return None
    if minute is not None and match.has("BEFORE"):
        hour, minute = (hour - 1) % 24, 60 - minute
    half, part = match.value("AM_PM"), match.value("DAYPART")
    return Parts(
        hour=int(hour),
        minute=None if minute is None else int(minute),
        second=None if second is None else int(second),
        meridiem=str(half) if half else None,
        daypart=str(part) if part and ":" not in str(part) else None,
        mod=_make_mod(match),
    )


@rule
def marked_duration(match: Match) -> Parsed | None:
    """An amount of units that can be of a date too: "3日" in "3日前"."""
    fields = _read_fields(match)
    if not fields or fields.get("year", 0) >= 1000:
        return None  # "2010年以前" is a year
    numbers = [(number + (0.5 if match.has("HALF") else 0.0), TimeUnit.named(name)) for name, number in fields.items()]
    return Amount(tuple(numbers), "APPROX" if match.has("ABOUT") else "")


@rule
def marked_decade(match: Match) -> Parsed | None:
    """ "1920年代", "80년대"."""
    number = _read_number(match, match.all(*_NUMBERS))
    if number is None or number % 10 or number > 3000:
        return None
    first = int(number) + (1900 if number < 100 else 0)
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE), mod=_make_mod(match))


@rule
def marked_century(match: Match) -> Parsed | None:
    """ "18世紀", "기원전 3세기"."""
    number = _read_number(match, match.all(*_NUMBERS))
    if number is None or not 1 <= number <= 60 or number != int(number) or match.value("UNIT") != "century":
        return None
    low = (int(number) - 1) * 100
    if match.value("ERA") == "bc":
        span = Span(to_seconds(-(low + 99)), to_seconds(-low + 1), Grain.CENTURY)
    else:
        span = Span(to_seconds(low), to_seconds(low + 100), Grain.CENTURY)
    return Parts(span=span, mod=_make_mod(match))


@rule
def named_half_year(match: Match) -> Parsed | None:
    """A half of a year that has a name: 上半期, 하반기."""
    return Parts(half=int(match.value("HALF_YEAR")))


@rule
def part_of_this_month(match: Match) -> Parsed | None:
    """ "月末": a part of the month at hand."""
    return Parts(unit=TimeUnit.named("month"), step=0, mod=_make_mod(match))


@rule
def pointed_word(match: Match) -> Parsed | None:
    """One word for "the next day" of the time that the text mentioned last; the value is such as "day 1"."""
    name, _, step = str(match.value("POINTED")).partition(" ")
    return Parts(unit=TimeUnit.named(name), step=int(step), anchor="text")


@rule
def pointed_mark(match: Match) -> Parsed | None:
    """A day, month or year beside the time that the text mentioned last: "次の日", "前の年", "その月"."""
    item = match.items[-1]
    name = str(match.tokeniser.value(item.word))
    if match.has("UNIT") and (name != "week" or item.word != "週"):
        return None
    if (match.has("NEXT") and match.word("NEXT") != "次の") or match.char_after in ("付", "本", "常"):
        return None  # "その日付" is a date, "この日本" a country
    step = -1 if match.has("PRIOR") else 1 if match.has("NEXT") else 0
    return Parts(unit=TimeUnit.named(name), step=step, anchor="text")


@rule
def weekday_in_brackets(match: Match) -> Parsed | None:
    """A weekday in one sign, which counts in brackets only: "(木)"."""
    return Parts(weekday=match.value("WEEKDAY_SIGN"))


@rule
def hour_of_half(match: Match) -> Parsed | None:
    """An hour in digits with "am" or "pm" in Latin letters: "3pm"."""
    hour, half = match.number("SMALL_NUMBER"), match.value("AM_PM")
    is_written = (match.word("AM_PM") or "").isascii() and hour is not None and 1 <= hour <= 12
    return Parts(hour=int(hour or 0), meridiem=str(half)) if is_written else None


@rule
def half_of_day(match: Match) -> Parsed | None:
    """The word for the hours before or after noon, without an hour: "明日の午後"."""
    is_word = len(match.word("AM_PM") or "") > 1 and not (match.word("AM_PM") or "").isascii()
    return Parts(daypart=_HALVES[match.value("AM_PM")]) if is_word else None


@rule
def half_of(match: Match) -> Parsed | None:
    """The first or second half of a century, a year or a month; of a decade, its beginning or its end."""
    half = int(match.value("HALF_OF"))
    time = match.times[0] if match.times else Parts(unit=TimeUnit.named("month"), step=0)
    if time.mod or time.has_clock or time.nth is not None:
        return None
    is_short = time.span is None and (time.unit is None or time.unit.grain <= Grain.YEAR)
    is_century = time.span is not None and time.span.coarsest_grain is Grain.CENTURY
    if is_short or is_century:
        return replace(time, nth=half, share=2)
    return replace(time, mod="START" if half == 1 else "END")


def _read_amount(match: Match) -> tuple[float, TimeUnit] | None:
    """The unit and its number, one where none is said: "3日", "2週間", "週"."""
    if match.has("WHOLE_DURATION"):
        count, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return float(count), TimeUnit.named(name)
    mark = match.all(*_MARKS, "UNIT")[0]
    numbers = [item for item in match.all(*_NUMBERS) if item.start < mark.start]
    number = _read_number(match, numbers) if numbers else 1.0
    return None if not number else (number, TimeUnit.named(str(match.tokeniser.value(mark.word))))


@rule
def marked_set(match: Match) -> Parsed | None:
    """How often in a time, or after which time again: "週に3回", "年20日", "3日ごと"."""
    amount = _read_amount(match)
    if amount is None:
        return None
    number, unit = amount
    if number != 1 and unit.grain is Grain.DAY and not match.has("EVERY", "TIMES"):
        return None  # "1日8時間" is of every day, "3日8時間" is one length
    if match.word("EVERY") == "おき" and number == 1 and unit.grain >= Grain.DAY:
        number = 2.0  # with one between
    return Recurrence(duration_value(number * unit.count, unit.letter))


@rule
def few_units(match: Match) -> Parsed | None:
    """Some units, without saying how many: "数年"."""
    mark = match.all(*_MARKS)[0]
    return Amount(((None, TimeUnit.named(str(match.tokeniser.value(mark.word)))),))


@rule
def nth_amount(match: Match) -> Parsed | None:
    """The n-th of some units, which is no date: "8日目"."""
    amount = _read_amount(match)
    return None if amount is None else Amount((amount,))
