"""Rule functions that read words: dates, weekdays, units, seasons, holidays, decades, centuries, references."""

from __future__ import annotations

import re
from typing import Any

from epochal.lazy import lazy_regex
from epochal.reading.shared.match import NO_TIME, Item, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Range, Recurrence, TimeUnit
from epochal.reading.timex3 import duration_value, write_part
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []

_DAY_CLASSES = ("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD", "ORDINAL_NUMBER", "DAY_NAME", "A")
#: The parts of a day that its beginning, its middle and its end are.
_DAY_PARTS = {"START": "MO", "MID": "MI", "END": "EV"}
#: Numbers in front of these are prices, percentages and codes.
_NO_YEAR_BEFORE = frozenset("$£€#№+=*@§%&_\\")
_NO_YEAR_AFTER = frozenset("%°×$£€_@")
#: What joins the parts of an identifier, and how one goes on behind a number.
_JOINTS = frozenset("-_/")
_CODE_END = lazy_regex(r"[-_/]\d")
_CODE_TAIL = lazy_regex(r"-(?:0\d{2,}|\d{5,}|\d{3}(?!\d))")
#: A second number, and the word behind it.
_NEXT_NUMBER = lazy_regex(r"\s*[^\W\d_]{0,5}[-–]?\s*\d[\d.,]*\s*([^\W\d_]+|[%€$£])")


def _mod(match: Match) -> str:
    """The modifier that "early" or "about" means."""
    part = match.value("PART")
    return str(part) if part is not None else "APPROX" if match.has("ABOUT") else ""


def _turn(match: Match) -> int | None:
    """-1 for "last", 0 for "this", 1 for "next"; None where nothing of the kind is said."""
    for name, plain in (("LAST", -1), ("PRIOR", -1), ("NEXT", 1), ("THIS", 0)):
        if match.has(name):
            value = match.value(name)
            return value if isinstance(value, int) else plain
    return None


def _anchor(match: Match) -> Any:
    """Whether "that" and "the following" count from the time that the text mentioned last."""
    return "text" if match.has("POINTING") else None


def read_year(match: Match) -> int | None:
    """The year stated, before our era as a number below 1."""
    items = match.all("YEAR", "SHORT_YEAR", "YEAR_NUMBER")
    number = match.number_at(items[0]) if items else None
    if number is None and match.has("ERA"):
        found = match.all("SMALL_NUMBER", "THREE_DIGITS", "LARGE_NUMBER")
        number = match.number_at(found[-1]) if found else None
    if number is None:
        return None
    year = int(number)
    if items and len(items[0].word.strip("'’")) <= 2 and not match.has("ERA"):
        year += 1900 if year > 50 else 2000
    return 1 - year if match.value("ERA") in ("bc", -1) else year


def _day_number(match: Match, item: Item | None) -> int | None:
    number = None if item is None else match.number_at(item)
    return int(number) if number is not None and number == int(number) and 1 <= number <= 31 else None


@rule
def date(match: Match) -> Parsed | None:
    """A day, a month, a year: all that is there of them."""
    year = read_year(match)
    month = match.value("MONTH_NAME")
    days = match.all(*_DAY_CLASSES)
    if year is not None and match.has("ERA") and not match.has("YEAR", "SHORT_YEAR", "YEAR_NUMBER"):
        years = match.all("SMALL_NUMBER", "THREE_DIGITS", "LARGE_NUMBER")
        days = [item for item in days if item is not years[-1]]
    day = None
    if len(days) > 1 and all(item.word.isalpha() for item in days):
        total = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in days)
        day = int(total) if 1 <= total <= 31 else None
    elif days:
        day = _day_number(match, days[0])
    if days and day is None:
        return None
    weekday = match.value("WEEKDAY")
    return Parts(
        year=year, month=month, day=day, weekday=weekday, turn=_turn(match), anchor=_anchor(match), mod=_mod(match)
    )


@rule
def date_short_year(match: Match) -> Parsed | None:
    """A date whose last number is a year of two digits: "18 July 14"."""
    numbers = match.all(*_DAY_CLASSES)
    day, short = _day_number(match, numbers[0]), match.number_at(numbers[-1])
    if day is None or short is None:
        return None
    return Parts(year=int(short) + (1900 if short > 50 else 2000), month=match.value("MONTH_NAME"), day=day)


@rule
def month_number_date(match: Match) -> Parsed | None:
    """A day and a month that are both numbers: "the 4th of the 5th"."""
    numbers = match.all(*_DAY_CLASSES)
    if len(numbers) < 2:
        return None
    day, month = _day_number(match, numbers[0]), _day_number(match, numbers[1])
    if day is None or month is None or month > 12:
        return None
    return Parts(year=read_year(match), month=month, day=day, weekday=match.value("WEEKDAY"))


@rule
def numeric_date(match: Match) -> Parsed | None:
    """A date in digits: 14.05.2024, 2024-05-14, 14/5."""
    groups = match.value("NUMERIC_DATE", "DAY_MONTH")
    if not isinstance(groups, dict) or _is_in_code(match):
        return None
    if match.before in match.tokeniser.language.cue_words("versions"):
        return None  # "version 2.11.2023"
    numbers = {name: int(text) for name, text in groups.items() if text is not None and text.isdigit()}
    year = numbers.get("y", read_year(match))
    if year is not None and "y" in numbers and len(groups["y"]) == 2:
        year += 1900 if year > 50 else 2000
    if "end" in numbers:
        is_next = year is not None and groups["end"] in (str(year + 1), str(year + 1)[2:])
        return Range(Parts(year=year), Parts(year=(year or 0) + 1)) if is_next else None
    if "last" in numbers:
        last = (year or 0) // 100 * 100 + numbers["last"]
        return Range(Parts(year=year), Parts(year=last)) if last > (year or 0) else None
    if "w" in numbers:
        return Parts(year=year, week=numbers["w"], weekday=numbers.get("wd"))
    return Parts(
        year=year,
        month=numbers.get("m"),
        day=numbers.get("d"),
        hour=numbers.get("H"),
        minute=numbers.get("M"),
        second=numbers.get("S"),
        weekday=match.value("WEEKDAY"),
        mod=_mod(match),
    )


def _is_in_code(match: Match) -> bool:
    """Whether a number is part of a version, a path, an identifier."""
    text, start, end = match.tokens.text, match.items[0].start, match.items[-1].end
    if text[start - 1 : start] in _NO_YEAR_BEFORE and start:
        return True
    return (
        re.match(r"[-_/.:]\w*\d|[%°_@]", text[end : end + 6]) is not None
        and text[end : end + 1] != " "
        and (re.match(r"[-–.]\d", text[end : end + 2]) is None or re.match(r"\.\d", text[end : end + 2]) is not None)
    )


@rule
def year(match: Match) -> Parsed | NoTime | None:
    """A year by itself, unless it is a price, a count, a page."""
    number = read_year(match)
    if number is None:
        return None
    cues = match.has("UNIT", "PART", "ERA", "ABOUT", "IN", "YEAR_CUE", "SHORT_YEAR")
    if not cues and not _is_year(match, number):
        return None
    return Parts(year=number, mod=_mod(match))


def _is_year(match: Match, number: int) -> bool:
    language = match.tokeniser.language
    before, after = match.before, match.after
    if before in language.cue_words("not_years_behind") or after in language.cue_words("counted"):
        return False
    if len(before) < 4 and match.before_that in language.cue_words("not_years_behind"):
        return False  # "flight AF 1680"
    if (match.char_before in _NO_YEAR_BEFORE and match.char_before) or (
        match.char_after in _NO_YEAR_AFTER and match.char_after
    ):
        return False
    text, start, end = match.tokens.text, match.items[0].start, match.items[-1].end
    if text[start - 1 : start] in _JOINTS and start > 1 and text[start - 2].isalpha() and _CODE_END.match(text, end):
        return False  # "AB-2019-77"
    if start and text[start - 1] in "/.:-–" and text[start - 2 : start - 1].isdigit():
        return (
            text[start - 1] in "-–/"
            and re.search(r"(?<!\d)[12]\d{3}\Z", text[max(0, start - 6) : start - 1]) is not None
        )
    if _CODE_TAIL.match(text, end) or _is_counted_behind(match, text, end):
        return False
    if re.match(r"[.:,]\d|[-/]\w*[^\W\d]", text[end : end + 3]):
        return re.match(r"[-/](?:er|ers)?\s", text[end : end + 4]) is not None
    if number < 1500:
        return before in language.cue_words("year_cues")
    return True


def _is_counted_behind(match: Match, text: str, end: int) -> bool:
    """Whether another number follows that counts something, and so does this one: "from 1500 to 2010 euros"."""
    found = _NEXT_NUMBER.match(text, end)
    return found is not None and found[1].lower() in match.tokeniser.language.cue_words("counted")


@rule
def date_of_years(match: Match) -> Parsed | None:
    """A year that is an end of a range of years."""
    number = read_year(match)
    return None if number is None else Parts(year=number)


@rule
def no_time(match: Match) -> NoTime:
    """What looks like a time and is none, such as an age."""
    return NO_TIME


@rule
def weekday(match: Match) -> Parsed | None:
    """A weekday, last, this or next."""
    unit = match.value("UNIT")
    step = _turn(match)
    if unit is not None and step is not None:
        return Parts(weekday=match.value("WEEKDAY"), unit=TimeUnit.named(unit), step=step, mod=_mod(match))
    return Parts(weekday=match.value("WEEKDAY"), turn=step, anchor=_anchor(match), mod=_mod(match))


@rule
def today(match: Match) -> Parsed | None:
    """ "Today", "yesterday": the value is a number of days; a part of the day may follow it ("0 NI" for tonight)."""
    value = match.value("TODAY")
    days, _, part = str(value).partition(" ")
    part = match.value("DAYPART", "MORNING") or part
    hour = part if ":" in part else None
    return Parts(
        unit=TimeUnit.named("day"),
        step=int(days),
        daypart=part or None if hour is None else None,
        hour=int(hour[:2]) if hour else None,
        minute=int(hour[3:]) if hour else None,
        mod=_mod(match),
        anchor=_anchor(match),
    )


@rule
def unit(match: Match) -> Parsed | None:
    """ "Last week", "this year", "the year after next"."""
    step = _turn(match)
    name = match.value("UNIT", "YEAR_SHIFT")
    if name is None or step is None:
        return None
    named = TimeUnit.named(str(name))
    if step and match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return Amount(((None, named),))
    if named.grain < Grain.DAY and step:
        return None
    return Parts(unit=named, step=step, anchor=_anchor(match), mod=_mod(match))


@rule
def unit_word(match: Match) -> Parsed | None:
    """One word for "this year", "last year": the value is the unit and the steps, such as "year -1"."""
    name, _, step = str(match.value("UNIT_WORD")).partition(" ")
    return Parts(unit=TimeUnit.named(name), step=int(step), mod=_mod(match), anchor=_anchor(match))


@rule
def weekend(match: Match) -> Parsed | None:
    """The weekend, without a word that says which."""
    if match.value("UNIT") != "weekend":
        return None
    return Parts(unit=TimeUnit.named("weekend"), step=_turn(match) or 0, mod=_mod(match), anchor=_anchor(match))


@rule
def this_unit(match: Match) -> Parsed | None:
    """ "The end of the year", "in the month": the unit at hand."""
    name = match.value("UNIT")
    if name is None or TimeUnit.named(str(name)).grain < Grain.DAY:
        return None
    return Parts(unit=TimeUnit.named(str(name)), step=0, mod=_mod(match), anchor=_anchor(match))


@rule
def season(match: Match) -> Parsed | None:
    """A season, of a year where one is stated."""
    return Parts(
        season=match.value("SEASON"), year=read_year(match), turn=_turn(match), anchor=_anchor(match), mod=_mod(match)
    )


@rule
def holiday(match: Match) -> Parsed | None:
    """A holiday, of a year where one is stated."""
    return Parts(holiday=str(match.value("HOLIDAY")), year=read_year(match), turn=_turn(match), mod=_mod(match))


def _ordinal(match: Match) -> int | None:
    if match.has("LAST") and not match.has("ORDINAL"):
        return -1
    if match.has("ORDINAL"):
        number = match.number("NUMBER_WORD", "ORDINAL")  # "twenty first"
    else:
        number = match.number("SMALL_NUMBER", "NUMBER_WORD", "ROMAN", "FIRST")
    return None if number is None else int(number)


@rule
def quarter(match: Match) -> Parsed | None:
    """A quarter of a year: Q3, "the third quarter"."""
    number = match.number("QUARTER") if match.has("QUARTER") else _ordinal(match)
    if number is None or not 1 <= number <= 4:
        return None
    return Parts(quarter=int(number), year=read_year(match), mod=_mod(match))


@rule
def half_year(match: Match) -> Parsed | None:
    """The first or second half of a year."""
    number = _ordinal(match)
    if number is not None and number < 0:
        number = 2
    return None if number not in (1, 2) else Parts(half=number, year=read_year(match), mod=_mod(match))


@rule
def week_number(match: Match) -> Parsed | None:
    """ "Week 32", "the 32nd week"."""
    number = match.number("SMALL_NUMBER", "ORDINAL")
    if match.value("UNIT") != "week":
        return None
    return (
        None
        if number is None or not 1 <= number <= 53
        else Parts(week=int(number), year=read_year(match), mod=_mod(match))
    )


@rule
def decade(match: Match) -> Parsed | None:
    """ "The 1920s", "the twenties": a number of four digits, or of two in the twentieth century."""
    number = (
        match.number("DECADE")
        if match.has("DECADE")
        else match.number("YEAR", "SMALL_NUMBER", "NUMBER_WORD", "SHORT_YEAR", "ORDINAL")
    )
    if number is None or number % 10:
        return None
    first = int(number) + (1900 if number < 100 else 0)
    if match.value("ERA") in ("bc", -1):
        return Parts(span=Span(to_seconds(-8 - first), to_seconds(2 - first), Grain.DECADE), mod=_mod(match))
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE), mod=_mod(match))


@rule
def century(match: Match) -> Parsed | None:
    """ "The 18th century", "the 3rd millennium BC"."""
    number = _ordinal(match)
    name = match.value("UNIT")
    grain = TimeUnit.named(str(name)).grain if name is not None else Grain.CENTURY
    if number is None or not 0 < number <= 100 or grain not in (Grain.CENTURY, Grain.MILLENNIUM):
        return None
    size = grain.months // 12
    low = (number - 1) * size
    if match.value("ERA") in ("bc", -1):
        return Parts(span=Span(to_seconds(-(low + size - 1)), to_seconds(-low + 1), grain), mod=_mod(match))
    return Parts(span=Span(to_seconds(low), to_seconds(low + size), grain), mod=_mod(match))


@rule
def reference(match: Match) -> Parsed | None:
    """ "Now", "recently", "soon": the value is that of TIMEX3."""
    return Parts(reference=str(match.value("NOW")))


@rule
def ordinal_weekday(match: Match) -> Parsed | None:
    """ "The second Tuesday", which needs a month to be one of."""
    number = _ordinal(match)
    return None if number is None else Parts(nth=number, weekday=match.value("WEEKDAY"))


@rule
def ordinal_unit(match: Match) -> Parsed | None:
    """ "The third day", which needs a whole to be one of."""
    number, name = _ordinal(match), match.value("UNIT")
    if number is None or name is None:
        return None
    return Parts(nth=number, nth_unit=TimeUnit.named(str(name)))


@rule
def ordinal_of_year(match: Match) -> Parsed | None:
    """ "The third quarter", "the second half-year", "the 32nd week", of a year where one is stated."""
    number, name = _ordinal(match), match.value("UNIT")
    if number is None or number < 0:
        return None
    year_number = read_year(match)
    if name == "quarter" and number <= 4:
        return Parts(quarter=number, year=year_number)
    if name == "half_year" and number <= 2:
        return Parts(half=number, year=year_number)
    if name == "week" and 4 < number <= 53:
        return Parts(week=number, year=year_number)
    return None


@rule
def year_of_era(match: Match) -> Parsed | None:
    """A year of any number of digits with its era: "466 BC"."""
    number = read_year(match)
    return None if number is None else Parts(year=number, mod=_mod(match))


@rule
def year_of_unit(match: Match) -> Parsed | None:
    """A year of few digits behind the word for year: "the year 731"."""
    number = match.number("THREE_DIGITS", "SMALL_NUMBER")
    if match.value("UNIT") != "year" or not number:
        return None
    return Parts(year=int(number), mod=_mod(match))


@rule
def pointed_unit(match: Match) -> Parsed | None:
    """ "The following day", "the previous year": counted from the time that the text mentioned last."""
    named = TimeUnit.named(str(match.value("UNIT")))
    if match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return Amount(((None, named),))  # "the following weeks"
    return Parts(unit=named, step=int(match.value("POINTING")), anchor="text")


@rule
def part_unit(match: Match) -> Parsed | None:
    """One word for a part of a unit: the value is the unit and the part, such as "year END"."""
    name, _, part = str(match.value("PART_UNIT")).partition(" ")
    number = read_year(match)
    if number is not None:
        return Parts(year=number, mod=part)
    return Parts(unit=TimeUnit.named(name), step=_turn(match) or 0, mod=part)


@rule
def this_part(match: Match) -> Parsed | None:
    """ "The end of the month": a part of the unit at hand."""
    name = match.value("UNIT")
    if name is None or TimeUnit.named(str(name)).grain < Grain.DAY:
        return None
    if name == "day" and (part := match.value("PART")) in _DAY_PARTS:
        return Parts(daypart=_DAY_PARTS[part])
    return Parts(unit=TimeUnit.named(str(name)), step=0, mod=_mod(match))


@rule
def weekday_part(match: Match) -> Parsed | None:
    """A weekday and a part of the day: "Friday evening"."""
    part = str(match.value("DAYPART", "MORNING", "MORROW"))
    if ":" in part:
        return Parts(weekday=match.value("WEEKDAY"), turn=_turn(match), hour=int(part[:2]), minute=int(part[3:]))
    return Parts(weekday=match.value("WEEKDAY"), turn=_turn(match), daypart=part)


@rule
def today_morning(match: Match) -> Parsed | None:
    """ "Heute Morgen", "gestern Morgen"; not "vanavond morgen", whose first word has a part of the day in it."""
    days = str(match.value("TODAY"))
    return None if " " in days else Parts(unit=TimeUnit.named("day"), step=int(days), daypart="MO")


@rule
def tomorrow(match: Match) -> Parsed | None:
    """ "Morgen", with a part of the day behind it or none."""
    part = match.value("DAYPART", "MORNING")
    if part is not None and ":" in part:
        return Parts(unit=TimeUnit.named("day"), step=1, hour=int(part[:2]), minute=int(part[3:]))
    return Parts(unit=TimeUnit.named("day"), step=1, daypart=part)


@rule
def daypart_morning(match: Match) -> Parsed | None:
    """ "Am Morgen", "früh"."""
    return Parts(daypart="MO")


# ---------------------------------------------------------------------------------------------------------------- sets


@rule
def frequency(match: Match) -> Parsed | None:
    """ "Daily", "weekly": the value is that of TIMEX3."""
    return Recurrence(str(match.value("FREQUENCY")))


@rule
def every(match: Match) -> Parsed | None:
    """ "Every day", "every two weeks", "every Monday", "every spring"."""
    if (number := match.value("WEEKDAY")) is not None:
        return Recurrence(f"XXXX-WXX-{number}")
    if (number := match.value("MONTH_NAME")) is not None:
        return Recurrence(f"XXXX-{number:02d}")
    if (name := match.value("SEASON")) is not None:
        return Recurrence(f"XXXX-{name}")
    if (part := match.value("DAYPART", "MORROW")) is not None:
        return Recurrence(f"XXXX-XX-XXT{write_part(str(part))}")
    named = match.value("UNIT", "HOUR_WORD")
    if named is None:
        return None
    unit_of = TimeUnit.named(str(named))
    number = match.number() or match.number("ORDINAL") or (2 if match.has("OTHER_WORD") else 1)
    if match.has("HALF"):
        number -= 0.5  # "every half hour"
    if unit_of.letter == "WE" and number == 1:
        return Recurrence("XXXX-WXX-WE")
    return Recurrence(duration_value(number * unit_of.count, "W" if unit_of.letter == "2W" else unit_of.letter))


@rule
def each_month(match: Match) -> Parsed | None:
    """A day of each month: "on the 19th of every month"."""
    number = match.number("SMALL_NUMBER", "ORDINAL")
    if match.value("UNIT") != "month" or number is None or not 1 <= number <= 31:
        return None
    return Recurrence(f"XXXX-XX-{int(number):02d}")


@rule
def how_often(match: Match) -> Parsed | None:
    """ "Twice a week", "once a year": TIMES are words for how often, which TIMEX3 keeps apart from the value."""
    named = TimeUnit.named(str(match.value("UNIT")))
    return Recurrence(duration_value(named.count, named.letter)) if named.grain >= Grain.DAY else None


@rule
def every_weekday(match: Match) -> Parsed | None:
    """One word for "every Monday"."""
    return Recurrence(f"XXXX-WXX-{match.value('WEEKDAY_SET')}")
