"""The rows of the French grammar that other Romance languages do not have."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.grammar import Rule
from epochal.reading.romance.rules import MACROS as ROMANCE_MACROS
from epochal.reading.romance.rules import build_layers
from epochal.reading.shared.match import NO_TIME, Match, NoTime, get_rule, rule
from epochal.reading.shared.parts import Parsed, Parts, TimeUnit, combine

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    **ROMANCE_MACROS,
    # dernières, ces dernières
    "LASTS": "LAST | NEXT",
    # dans la soirée
    "PREP": "HOUR_CUE | NELS | DE | DEL | AT | AL | IN | NEL | BY | ARTICLE | ARTICLES | AHEAD | WITHIN",
    # à, vers, avant, dès trois heures
    "AT_HOUR": "(<(AT | TOWARD | BEFORE | AFTER | FROM | BETWEEN | DEL) | <(FROM DE))",
}


@rule
def been(match: Match) -> NoTime | None:
    """ "Été" is "been" wherever nothing in front of it makes it a noun."""
    return NO_TIME if match.word("SEASON") == "été" else None


@rule
def weekday_in_weeks(match: Match) -> Parsed | None:
    """ "Lundi en huit" is a week after Monday, "lundi en quinze" two."""
    weeks = {8: 1, 15: 2}.get(int(match.number("NUMBER_WORD", "SMALL_NUMBER") or 0))
    if weeks is None:
        return None
    return Parts(offset=((weeks, TimeUnit.named("week")),), origin=Parts(weekday=match.value("WEEKDAY"), turn=0))


@rule
def end_of_week(match: Match) -> Parsed | None:
    """ "En fin de semaine": the end of the week, which is also a name of the weekend."""
    return Parts(unit=TimeUnit.named("week"), step=0, mod="END") if match.value("UNIT") == "weekend" else None


@rule
def date_in_digits(match: Match) -> Parsed | None:
    """ "Le 20 02 14": a day, a month and a year in digits with spaces between them, where nothing follows."""
    day, month, *rest = (match.number_at(item) or 0 for item in match.all("SMALL_NUMBER", "YEAR"))
    if not 1 <= day <= 31 or not 1 <= month <= 12 or match.after not in ("", ".", "!", "?", ",", ";", ")"):
        return None
    year = int(rest[0]) if rest else None
    if year is not None and year < 100:
        year += 1900 if year > 50 else 2000
    return Parts(year=year, month=int(month), day=int(day))


@rule
def date_in_september(match: Match) -> Parsed | None:
    """ "15 sept 2012", "dim. 15 sept": the short form of the month, which is spelled like seven."""
    day, year = match.number("SMALL_NUMBER"), match.number("YEAR")
    if match.word("NUMBER_WORD") != "sept" or day is None or not 1 <= day <= 30:
        return None
    return Parts(year=None if year is None else int(year), month=9, day=int(day), weekday=match.value("WEEKDAY"))


@rule
def age_group(match: Match) -> NoTime | None:
    """ "Les 6-16 ans": people by their age."""
    return NO_TIME if match.value("UNIT") == "year" else None


@rule
def one_in(match: Match) -> Parsed | NoTime | None:
    """ "Un mardi sur deux": some Tuesdays."""
    return get_rule("every")(match) if match.word("BY") == "sur" else None


@rule
def second_of(match: Match) -> NoTime | None:
    """ "Une seconde chance": the ordinal, which the unit is spelled like."""
    return NO_TIME if match.word("UNIT") == "seconde" else None


_WORDS = (
    Rule("second_of", "(A | ARTICLE) UNIT &OTHER", "[Une seconde] chance lui fut donnée.", None),
    Rule(
        "age_group",
        '<(ARTICLES | DEL | AL) SMALL_NUMBER "-" SMALL_NUMBER UNIT',
        "Un atelier pour les [6-16 ans].",
        None,
    ),
    Rule(
        "date_in_september",
        '(WEEKDAY ","?)? SMALL_NUMBER NUMBER_WORD YEAR | WEEKDAY ","? SMALL_NUMBER NUMBER_WORD !(UNIT | NUMBER_WORD)',
        "Il est venu le [15 sept 1997].",
        "1997-09-15",
    ),
    Rule("age_group", "<ARTICLES MORE NUMBER UNIT", "Gratuit pour les [plus de 65 ans].", None),
    Rule(
        "date_in_digits",
        "<ARTICLE SMALL_NUMBER SMALL_NUMBER (SMALL_NUMBER | YEAR)?",
        "Fait à Lyon, le [20 02 14].",
        "2014-02-20",
    ),
    Rule(
        "clock_words",
        'NUM UNIT NUM !(UNIT | MONTH_NAME | DE | "-" | OTHER | HOUR_MARK | YEAR)',
        "La séance est ouverte : [dix heures trente].",
        "T10:30",
    ),
    Rule(
        "clock_words",
        "<(BETWEEN (SMALL_NUMBER | NUMBER_WORD) AND) (SMALL_NUMBER | NUM) UNIT MINUTES? !DE",
        "Il vient entre 9 et [11 heures].",
        "1998-03-05T09/1998-03-05T11",
    ),
    Rule(
        "clock_words",
        "<(DE | DEL) (SMALL_NUMBER | NUM) UNIT MINUTES? &((AT | UNTIL AT?) (CARDINAL UNIT | CLOCK | DAYPART))",
        "Il est là de [15 heures] à 17 heures.",
        "1998-03-05T15/1998-03-05T17",
    ),
    Rule(
        "hours_and_quarter",
        "<(AGO_BEFORE | AHEAD | BY | LASTING) CARDINAL UNIT AND A? QUARTER_HOUR",
        "Il est venu il y a [une heure et quart].",
        "1998-03-04T22:45",
    ),
    Rule("that_unit", 'THIS UNIT "-" "là"', "Il vint en 1944. [Cette année-là], il partit.", "1944"),
    Rule("end_of_week", "<IN UNIT !(LAST | NEXT)", "Il viendra en [fin de semaine].", "1998-W10"),
    Rule("one_in", "A WEEKDAY BY NUMBER_WORD", "Il vient [un mardi sur deux].", "XXXX-WXX-2"),
    Rule("every", "PAR UNIT", "Il vient deux fois [par semaine].", "P1W"),
    Rule(
        "day_of_this_month",
        "<ARTICLE SMALL_NUMBER CURRENT !(OTHER | UNIT)",
        "Vous paierez le [12 courant].",
        "1998-03-12",
    ),
    Rule(
        "within_unit",
        "AHEAD ARTICLE CURRENT OF UNIT !(LAST | NEXT | POINTING)",
        "Elle viendra [dans le courant de la semaine].",
        "1998-W10",
    ),
    Rule("within_unit", "AHEAD ARTICLE UNIT", "Elle viendra [dans la semaine].", "1998-W10"),
    Rule(
        "weekday_in_weeks",
        "WEEKDAY IN (NUMBER_WORD | SMALL_NUMBER) !(UNIT | MONTH_NAME | HOUR_MARK)",
        "Elle viendra [lundi en huit].",
        "1998-03-16",
    ),
    Rule(
        "been",
        '<!(ARTICLE | ARTICLES | THIS | IN | DE | DEL | A | PART | EVERY | "-" | BETWEEN | LAST) SEASON'
        " !(YEAR | LAST | NEXT | POINTING)",
        "Il a [été] malade.",
        None,
    ),
)


@rule
def second_share(match: Match) -> Parsed | None:
    """ "La seconde moitié du siècle": the ordinal, which the unit is spelled like."""
    time, share = match.times[0], match.value("SHARE")
    if match.word("UNIT") != "seconde" or time.has_clock or time.mod or share is None:
        return None
    return replace(time, nth=2, share=int(share))


@rule
def second_half_of_month(match: Match) -> Parsed | None:
    """ "La seconde quinzaine de juin": the ordinal, which the unit is spelled like."""
    month, is_fortnight = match.times[0], match.value("FEW") == 15 or "fortnight" in match.values("UNIT")
    if match.word("UNIT") != "seconde" or not is_fortnight or month.month is None or month.day is not None:
        return None
    return replace(month, nth=2, share=2)


@rule
def hour_of_day(match: Match) -> Parsed | None:
    """ "Demain 17 heures": hours behind a day are those of the clock."""
    day, numbers = match.times[0], match.amounts[0].numbers
    hour, unit = numbers[0]
    minute = 60 * (hour or 0) % 60
    is_hour = unit.letter == "TH" and hour is not None and minute == int(minute) and 0 < hour <= 24
    if not is_hour or len(numbers) > 1 or day.has_clock or not day.states_day or match.amounts[0].mod:
        return None
    return combine(day, Parts(hour=int(hour or 0), minute=int(minute) or None))


@rule
def hour_of_daypart(match: Match) -> Parsed | None:
    """ "L'après-midi à 5": an hour of a part of the day."""
    time, hour = match.times[0], match.number_at(match.items[-1])
    if time.daypart is None or time.hour is not None or hour is None or not 1 <= hour <= 12 or hour != int(hour):
        return None
    return replace(time, hour=int(hour))


_COUNTED = (
    Rule("rolling", "WITHIN (ABOUT | MORE)? DURATION", "Vous serez payé [d'ici deux semaines].", "P2W"),
    Rule(
        "second_half_of_month",
        "UNIT (UNIT OF | FEW OF? ARTICLE?) PERIOD",
        "La [seconde quinzaine de juin] sera longue.",
        "1998-06-16/1998-06-30",
    ),
    Rule(
        "hour_of_daypart",
        'TIME AT (SMALL_NUMBER | NUMBER_WORD) !(UNIT | MONTH_NAME | OTHER | HOUR_MARK | NUMBER_WORD | "/" | "," | ":")',
        "Il viendra l'[après-midi à 5].",
        "T17",
    ),
)

_JOINED = (
    Rule(
        "hour_of_day",
        'DAY ","? DURATION !(DE | DEL | OTHER | AND)',
        "Rendez-vous [demain 17 heures].",
        "1998-03-06T17:00",
    ),
    Rule(
        "second_share",
        "UNIT SHARE OF (UNIT DE)? PERIOD",
        "Dans la [seconde moitié du XVIIIe siècle].",
        "1750/1799",
    ),
)

#: The rules, layer by layer.
LAYERS = build_layers("fr", _WORDS, (), _COUNTED, (), _JOINED)
