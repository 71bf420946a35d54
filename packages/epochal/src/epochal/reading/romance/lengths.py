"""Rule functions of lengths that look like something else, and of units that point: "24h", "una hora y cuarto"."""

from __future__ import annotations

import re

from epochal.reading.shared.match import Match, NoTime, get_rule, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Recurrence, Rolling, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain


@rule
def length_of_hours(match: Match) -> Parsed | None:
    """ "Moins de 24h", "pendant 48h": hours that are counted, not those of the clock."""
    behind = match.tokeniser.language.cue_words("lengths_behind")
    classes, first = match.tokeniser.language.classes, match.items[0].first
    is_least = match.tokens.codes[max(0, first - 2) : first] == classes["AL"] + classes["LESS"]  # "au moins 2 h"
    is_ago = match.tokens.codes[max(0, first - 1) : first] == classes["AGO_BEFORE"]
    if not match.has("MORE") and match.before not in behind and not is_least and not is_ago:
        return None
    word = match.word("CLOCK") or ""
    digits = re.fullmatch(r"(\d{1,3})\s?h(\d\d)?", word)
    number: float | None
    if digits is not None and digits[2]:
        return Amount(((float(digits[1]), TimeUnit.named("hour")), (float(digits[2]), TimeUnit.named("minute"))))
    if digits is not None:
        number = float(digits[1])
    else:
        number = match.number("SMALL_NUMBER", "THREE_DIGITS") if not word else None
    if number is None:
        return None
    return Amount(((number, TimeUnit.named("hour")),), str(match.value("MORE") or ""))


@rule
def minutes_by_sign(match: Match) -> Parsed | None:
    """ "Pendant 20'": the prime is the sign of minutes."""
    number = match.number("SMALL_NUMBER")
    return None if not number else Amount(((number, TimeUnit.named("minute")),))


@rule
def number_in_brackets(match: Match) -> Parsed | None:
    """ "Trente (30) jours": a number that is written twice, as contracts do."""
    number = match.number("SMALL_NUMBER", "THREE_DIGITS")
    return None if number is None else Amount(((number, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def hours_and_quarter(match: Match) -> Parsed | None:
    """ "Una hora y cuarto", "due ore e tre quarti": a length, where nothing makes it an hour of the clock."""
    number = match.number_at(match.items[0])
    minutes = match.value("QUARTER_HOUR")
    if match.value("UNIT") != "hour" or number is None or minutes is None:
        return None
    return Amount(((number, TimeUnit.named("hour")), (float(minutes), TimeUnit.named("minute"))))


@rule
def about_units(match: Match) -> Parsed | None:
    """ "Unos tres años": about so many of a unit."""
    number = match.number("SMALL_NUMBER", "NUMBER_WORD")
    if match.value("FEW") != "some" or number is None:
        return None
    return Amount(((number, TimeUnit.named(str(match.value("UNIT")))),), "APPROX")


@rule
def unit_and_half(match: Match) -> Parsed | None:
    """ "Hora y media": one and a half of a unit."""
    return Amount(((1.5, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def every_other(match: Match) -> Parsed | None:
    """ "Un jour sur deux": every second of a unit."""
    number, unit_of = match.number("NUMBER_WORD"), TimeUnit.named(str(match.value("UNIT")))
    is_share = number is not None and 2 <= number <= 5 and unit_of.grain >= Grain.DAY
    return Recurrence(duration_value(number or 0, unit_of.letter)) if is_share else None


@rule
def rolling_units(match: Match) -> Parsed | NoTime | None:
    """ "Les trois derniers jours"; "13 dernière minute" counts no minutes, since the number is not one."""
    number, word, language = match.number(), match.word("UNIT") or "", match.tokeniser.language
    is_one = language.class_of.get(word + "s") == "UNIT"
    return None if is_one and number is not None and number > 1 and match.has("LAST") else get_rule("rolling")(match)


@rule
def every_weekend(match: Match) -> Parsed | None:
    """ "Les week-ends": every weekend."""
    return Recurrence("XXXX-WXX-WE") if match.value("UNIT") == "weekend" else None


@rule
def past_unit(match: Match) -> Parsed | None:
    """ "El último año", "la dernière décennie": the year up to now, not the last one of the calendar."""
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    language = match.tokeniser.language
    is_plural = match.word("UNIT") in language.cue_words("plural")
    if is_plural or match.word("LAST") not in language.cue_words("up_to_now"):
        return None
    return Rolling(-1, unit_of) if unit_of.letter in ("Y", "DE") else None


@rule
def that_unit(match: Match) -> Parsed | None:
    """ "Ese año", "quel giorno", "le même mois": the unit of the time that the text mentioned last."""
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    if unit_of.grain < Grain.DAY or match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return None
    return Parts(unit=unit_of, step=0, anchor="text")


@rule
def that_season(match: Match) -> Parsed | None:
    """ "Aquel verano", "quell'estate": of the year that the text mentioned last."""
    return Parts(season=match.value("SEASON"), turn=0, anchor="text")


@rule
def holy_week(match: Match) -> Parsed | None:
    """ "Semana Santa": the week before Easter."""
    year = match.number("YEAR")
    day = Parts(holiday="easter-1", year=None if year is None else int(year))
    return Parts(unit=TimeUnit.named("week"), step=0, origin=day)
