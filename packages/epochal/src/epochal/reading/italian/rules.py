"""The rows of the Italian grammar that other Romance languages do not have."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.romance.rules import MACROS as ROMANCE_MACROS
from epochal.reading.romance.rules import build_layers
from epochal.reading.shared.match import Match, NoTime, get_rule, rule
from epochal.reading.shared.parts import Parsed, Parts, TimeUnit
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    **ROMANCE_MACROS,
    # ultimi, prossime
    "LASTS": "LAST | NEXT",
    # alle, dalle, verso le
    "AT_HOUR": (
        "(<HOUR_CUE | <HOUR_FROM | <((TOWARD | FROM | UNTIL | BETWEEN | AND | BY | AHEAD | EARLY | AFTER) ARTICLES))"
    ),
    "ORD": "ORDINAL | FIRST",
    "EARLY": "BEFORE | FIRST",
    "SOON": "AHEAD | BETWEEN",
}


@rule
def century_name(match: Match) -> Parsed | None:
    """A century by its hundreds: "il Settecento" is the eighteenth."""
    name, hundreds = match.value("CENTURY_NAME"), match.number("NUMBER_WORD")  # "il Sei e Settecento"
    first = (int(name) - 1) * 100 if name is not None else 1000 + 100 * int(hundreds or 0)
    if not 1200 <= first <= 1900:
        return None
    part = match.value("PART")
    return Parts(span=Span(to_seconds(first), to_seconds(first + 100), Grain.CENTURY), mod=str(part or ""))


@rule
def clock_after_hours(match: Match) -> Parsed | None:
    """The word for hours in front of the hour: "ore 15", "ore 15.30"."""
    if match.value("UNIT") != "hour":
        return None
    groups = match.value("CLOCK", "DAY_MONTH", "DECIMAL")
    if isinstance(groups, dict):
        digits = (match.word("CLOCK", "DAY_MONTH", "DECIMAL") or "").replace(",", ".").replace(":", ".").split(".")
        if len(digits) != 2 or len(digits[1]) != 2 or int(digits[0]) > 24 or int(digits[1]) > 59:
            return None
        return Parts(hour=int(digits[0]), minute=int(digits[1]))
    hour = match.number("SMALL_NUMBER", "NUMBER_WORD")
    return None if hour is None or not 0 <= hour <= 24 else Parts(hour=int(hour))


@rule
def unit_beside(match: Match) -> Parsed | None:
    """ "Il giorno dopo", "l'anno prima": counted from the time that the text mentioned last."""
    named = TimeUnit.named(str(match.value("UNIT")))
    if named.grain < Grain.DAY:
        return None
    return Parts(unit=named, step=1 if match.has("AFTER") else -1, anchor="text")


@rule
def clock_of(match: Match) -> Parsed | NoTime | None:
    """ "La riunione delle 15", "prima delle 11": hours are feminine, and so is their article."""
    return get_rule("clock_words")(match) if match.before == "delle" else None


@rule
def clock_at_one(match: Match) -> Parsed | NoTime | None:
    """ "All'una", "dall'una": the hour that has an article of its own."""
    is_hour = match.before in ("all'", "dall'", "dell'") and match.word("A") == "una"
    return get_rule("clock_words")(match) if is_hour else None


@rule
def day_since(match: Match) -> Parsed | NoTime | None:
    """ "Dal 20": a day behind a word that has an article in it."""
    return get_rule("day_of_month")(match) if match.before == "dal" else None


@rule
def year_elided(match: Match) -> Parsed | NoTime | None:
    """ "Nel corso dell'85", "le vendite del 93"."""
    number = match.number("SMALL_NUMBER") or 0
    is_year = match.before == "dell'" or (match.before == "del" and number >= 60)
    return get_rule("short_year")(match) if is_year else None


@rule
def now_or_hour(match: Match) -> Parsed | None:
    """ "Ora" is "now" wherever nothing in front of it makes it an hour."""
    return Parts(reference="PRESENT_REF") if match.word("UNIT") == "ora" else None


@rule
def minutes_to_hour(match: Match) -> Parsed | None:
    """ "Mancano cinque minuti alle quattro", "un quarto alle tre": minutes to an hour."""
    unit = match.value("UNIT")
    parsed = get_rule("clock_to_hour")(match) if unit in (None, "minute") else None
    return parsed if isinstance(parsed, Parts) else None


@rule
def clock_of_digits(match: Match) -> Parsed | NoTime | None:
    """ "Il treno delle 7.42": hours are feminine, and so is their article."""
    return get_rule("clock")(match) if match.before == "delle" else None


_WORDS = (
    Rule(
        "minutes_to_hour",
        "<!(HOUR_FROM | HOUR_CUE) (A? QUARTER_HOUR | CARDINAL UNIT) HOUR_CUE CARDINAL (DEL (DAYPART | MORROW))?"
        " | <!(HOUR_FROM | HOUR_CUE) (A? QUARTER_HOUR | CARDINAL UNIT) AT DAYPART",
        "Mancano [cinque minuti alle quattro].",
        "T03:55",
    ),
    Rule(
        "clock_of_digits",
        "<DEL (DAY_MONTH | DECIMAL | CLOCK) !(UNIT | MONTH_NAME)",
        "Il treno delle [7.42] è soppresso.",
        "T07:42",
    ),
    Rule(
        "now_or_hour",
        "<!(ARTICLE | A | AL | DEL | NEL | EVERY | THIS | LAST | NEXT | HALF | SMALL_NUMBER | NUMBER_WORD | ORDINAL |"
        " FIRST | FEW | DE | BETWEEN | CURRENT) UNIT !(LAST | NEXT | AFTER | FIRST | DE | DEL | LESS | POINTING |"
        " AGO_AFTER)",
        "Il piano è [ora] bloccato.",
        "PRESENT_REF",
    ),
    Rule(
        "clock_after_hours",
        "UNIT (CLOCK | DAY_MONTH | DECIMAL | SMALL_NUMBER | NUMBER_WORD) !(UNIT | MONTH_NAME)",
        "La riunione è alle [ore 15].",
        "T15",
    ),
    Rule(
        "century_name",
        "(PART OF)? <(ARTICLE | NEL | DEL | AL | FROM) (NUMBER_WORD &(AND CENTURY_NAME) | CENTURY_NAME)"
        " | <(PERIOD AND) CENTURY_NAME",
        "Visse nel [Settecento] a Roma.",
        "17",
    ),
    Rule("within_unit", "(NEL | IN) UNIT", "Verrà [in settimana].", "1998-W10"),
    Rule(
        "clock_of",
        "<DEL <!((A | NUMBER_WORD | FEW | SMALL_NUMBER | ORDINAL) DEL) CARDINAL MINUTES?"
        " !(OTHER | UNIT | MONTH_NAME | CARDINAL | DE | DEL | BY)",
        "La riunione delle [15].",
        "T15",
    ),
    Rule(
        "clock_at_one",
        "A MINUTES? !(OTHER | UNIT | MONTH_NAME | ORDINAL | FEW | HALF)",
        "Torno all'[una e mezza].",
        "T01:30",
    ),
    Rule("early_daypart", "(ORDINAL | FIRST) DAYPART", "Arriva nel [primo pomeriggio].", "TAF"),
    Rule("middle_of_part", "SHARE DAYPART", "Arriva a [metà mattina].", "TMO"),
    Rule("day_since", "<FROM SMALL_NUMBER", "Sarà chiuso dal [20].", "1998-03-20"),
    Rule(
        "year_elided",
        "<DEL SMALL_NUMBER !(UNIT | HOUR_MARK | MONTH_NAME | BY | DE | DEL | FEW)",
        "Nel corso dell'[85], vendette.",
        "1985",
    ),
    Rule(
        "date_short_year",
        "DAY_NUMBER MONTH DEL SMALL_NUMBER !(HOUR_MARK | UNIT | DE | DEL | AM_PM)",
        "Nacque il [5 maggio del 71] a Roma.",
        "1971-05-05",
    ),
    Rule("middle_of_month", "<!(FIRST | ORDINAL | LAST) SHARE OF? MONTH OF_YEAR?", "Verrà a [metà maggio].", "1998-05"),
    Rule(
        "unit_beside",
        '<ARTICLE UNIT (AFTER | FIRST) !(DE | DEL | ARTICLE | DAY_MONTH | TODAY | HOLIDAY | "che")',
        "Venne il 6 giugno 1944. Il [giorno dopo] partì.",
        "1944-06-07",
    ),
)


@rule
def middle_of_month(match: Match) -> Parsed | None:
    """ "Metà maggio": the word for half is also that for the middle."""
    year = match.number("YEAR")
    return Parts(month=match.value("MONTH_NAME"), year=None if year is None else int(year), mod="MID")


_COUNTED = (
    Rule("middle_of", "<!(FIRST | ORDINAL | LAST) SHARE OF? (PERIOD | UNIT)", "Verrà a [metà del mese].", "1998-03"),
)

#: The rules, layer by layer.
LAYERS = build_layers("it", _WORDS, (), _COUNTED)
