"""Rule functions that only Dutch needs."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.shared.amounts import earlier, later, rolling
from epochal.reading.shared.atoms import date, decade, numeric_date, year
from epochal.reading.shared.clocks import clock, clock_hour
from epochal.reading.shared.match import NO_TIME, Match, NoTime, rule
from epochal.reading.shared.parts import Parsed, Parts, Range, Recurrence, Rolling, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain

__all__: list[str] = []

_PLURALS = frozenset("seconden minuten uren dagen weken maanden jaren decennia eeuwen kwartalen weekenden".split())


@rule
def dutch_plural(match: Match) -> Parsed | NoTime | None:
    """Units in the plural, without a number: "de laatste jaren"."""
    return rolling(match) if match.word("UNIT") in _PLURALS else None


@rule
def dutch_clock(match: Match) -> Parsed | NoTime | None:
    """A clock time with a full stop: "om 17.15"; a comma makes a number, and so does what is counted."""
    counted = match.tokeniser.language.cue_words("counted")
    return None if "," in (match.word("DECIMAL") or "") or match.after in counted else clock(match)


@rule
def dutch_counted(match: Match) -> Parsed | NoTime | None:
    """A duration after or before the time that the text mentioned last: "twee dagen later", "de dag ervoor"."""
    step = match.value("AFTERWARDS")
    if match.amounts:
        return later(match) if step > 0 else earlier(match)
    return Parts(unit=TimeUnit.named(str(match.value("UNIT"))), step=step, anchor="text")


@rule
def dutch_decade(match: Match) -> Parsed | NoTime | None:
    """A decade behind the plural of the word for year: "de jaren twintig", "de jaren '90"."""
    return decade(match) if match.word("UNIT") == "jaren" else None


@rule
def dutch_year(match: Match) -> Parsed | NoTime | None:
    """A year, unless it counts what follows: "er werden 1850 stemmen geteld"."""
    before, text = match.before, match.tokens.text
    is_name = before != "" and text[match.tokens.starts[match.items[0].first - 1]].isupper()
    is_free = len(match.items) == 1 and before.isalpha() and not is_name
    cues = match.tokeniser.language.cue_words("year_cues")
    if is_free and before not in cues and len(match.after) > 4 and match.after.endswith(("en", "s")):
        return None
    return year(match)


@rule
def dutch_month(match: Match) -> Parsed | NoTime | None:
    """A month without a day or year; "Jan" is a name unless it says "in jan"."""
    if match.word("MONTH_NAME") in ("jan", "jan.", "mar", "oct") and match.before not in ("in", "vanaf", "tot"):
        return None
    return date(match)


@rule
def dutch_half_month(match: Match) -> Parsed | NoTime | None:
    """The middle of a month: "half mei"."""
    parsed = date(match)
    return replace(parsed, mod="MID") if isinstance(parsed, Parts) else None


@rule
def dutch_short_day(match: Match) -> NoTime | None:
    """ "Ma", "wo" and "zo" are weekdays beside a date or another weekday only: "ma belde", "zo ging het"."""
    return NO_TIME if len((match.word("WEEKDAY") or "").rstrip(".")) <= 3 else None


@rule
def dutch_early_date(match: Match) -> Parsed | None:
    """A date in a year of three digits, which counts nothing: "op 25 december 800 gekroond"."""
    is_counted = match.after in match.tokeniser.language.cue_words("counted") or match.after.endswith(("en", "s"))
    parsed, number = date(match), match.number("THREE_DIGITS")
    if is_counted or not isinstance(parsed, Parts) or number is None:
        return None
    return Parts(year=int(number), month=parsed.month, day=parsed.day)


@rule
def dutch_clock_tonight(match: Match) -> Parsed | NoTime | None:
    """An hour before the evening that it is of: "8 uur vanavond"."""
    value = match.tokeniser.value(match.after)
    return clock_hour(match) if " " in str(value) else None


@rule
def dutch_weekday(match: Match) -> Parsed | None:
    """ "Volgende vrijdag" is that of next week, "vorige vrijdag" that of last week; "komende" is the next to come."""
    weeks = {"volgend": 1, "volgende": 1, "vorig": -1, "vorige": -1}.get(match.word("LAST", "NEXT") or "")
    if weeks is None:
        return None
    return Parts(weekday=match.value("WEEKDAY"), unit=TimeUnit.named("week"), step=weeks)


@rule
def dutch_day(match: Match) -> Parsed | None:
    """A day by its number alone: "op de 15de", where nothing follows that it counts."""
    number = match.number("ORDINAL", "SMALL_NUMBER")
    is_written = match.items[0].word[0].isdigit()
    return Parts(day=int(number)) if is_written and number is not None and 1 <= number <= 31 else None


@rule
def dutch_day_of_month(match: Match) -> Parsed | None:
    """A day of the month at hand: "de 15e van de maand"."""
    number = match.number("ORDINAL")
    if match.value("UNIT") != "month" or number is None or not 1 <= number <= 31:
        return None
    return Parts(day=int(number), unit=TimeUnit.named("month"), step=0)


@rule
def dutch_rest(match: Match) -> Parsed | None:
    """From today to the last day of a unit: "de rest van de week"."""
    unit_of, day = TimeUnit.named(str(match.value("UNIT"))), TimeUnit.named("day")
    if unit_of.grain <= Grain.DAY:
        return None
    return Range(Parts(unit=day, step=0), Parts(unit=unit_of, step=0, nth=-1, nth_unit=day))


@rule
def dutch_every_other(match: Match) -> Parsed | None:
    """Every second of a unit: "om de dag"."""
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    if unit_of.grain < Grain.DAY:
        return Recurrence(duration_value(unit_of.count, unit_of.letter))  # "om het kwartier"
    return Recurrence(duration_value(2, unit_of.letter))


@rule
def dutch_age(match: Match) -> NoTime | None:
    """ "Een man van 34 jaar": the years of a person are an age."""
    is_person = match.before in match.tokeniser.language.cue_words("persons")
    return NO_TIME if is_person and match.value("UNIT") == "year" else None


@rule
def dutch_age_of_verb(match: Match) -> NoTime | None:
    """ "Zij is 34 jaar": the years that somebody is are an age."""
    return NO_TIME if match.value("UNIT") == "year" else None


@rule
def dutch_hour(match: Match) -> Parsed | None:
    """ "Het afgelopen uur", "het komende uur"."""
    return Rolling(-1 if match.has("LAST") else 1, TimeUnit.named("hour"))


@rule
def dutch_clock_digits(match: Match) -> Parsed | None:
    """Hours and minutes in one number, with the half of the day: "1140 a.m.", "630 pm"."""
    hour, minute = divmod(int(match.number("YEAR", "THREE_DIGITS") or 0), 100)
    is_clock = 1 <= hour <= 12 and minute < 60
    return Parts(hour=hour, minute=minute, meridiem=str(match.value("AM_PM"))) if is_clock else None


@rule
def dutch_half_hourly(match: Match) -> Parsed | None:
    """Every half hour: "om het half uur"."""
    return Recurrence("PT30M")


@rule
def dutch_padded_date(match: Match) -> Parsed | NoTime | None:
    """A day and a month of two digits, one of them with a zero: "22/04"; "24/7" and "7/10" may be anything."""
    word = match.word("DAY_MONTH") or ""
    is_padded = len(word) == 5 and word[2] == "/" and "0" in (word[0], word[3])
    is_counted = match.after in match.tokeniser.language.cue_words("counted")
    return numeric_date(match) if is_padded and not is_counted else None
