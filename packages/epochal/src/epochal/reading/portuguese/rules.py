"""The rows of the Portuguese grammar that other Romance languages do not have."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.romance.rules import MACROS as ROMANCE_MACROS
from epochal.reading.romance.rules import build_layers
from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, TimeUnit

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    **ROMANCE_MACROS,
    # últimos, próximas
    "LASTS": "LAST | NEXT",
    # às, das, até as
    "AT_HOUR": "(<HOUR_CUE | <HOUR_FROM | <TOWARD | <((FROM | UNTIL | BETWEEN | AND | BY | AFTER) ARTICLES))",
    "SINCE": "FROM",
    "HALF_ORD": "ORDINAL | ORDINAL_WEEKDAY",
    # what makes a weekday without "-feira" an ordinal
    "COUNTABLE": "OTHER | UNIT | SHARE | AND (AT | ARTICLE)? ORDINAL",
    # um de março
    "DAY_NUMBER": "SMALL_NUMBER | ORDINAL | NUM | A &(DE MONTH_NAME)",
}


@rule
def weekday_short(match: Match) -> Parsed | None:
    """ "Na segunda": a weekday without "-feira", which is also an ordinal number."""
    turn = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0 if match.has("THIS") else None
    part = match.value("DAYPART")
    if part is not None and ":" in str(part):
        part = None
    return Parts(weekday=match.value("ORDINAL_WEEKDAY"), turn=turn, daypart=part)


@rule
def weekday_number(match: Match) -> Parsed | None:
    """ "Sexta 13", "sexta dia 13": a weekday without "-feira" and a day."""
    number = match.number("SMALL_NUMBER")
    if match.value("UNIT") not in (None, "day") or number is None or not 1 <= number <= 31:
        return None
    return Parts(weekday=match.value("ORDINAL_WEEKDAY"), day=int(number))


@rule
def ordinal_unit_short(match: Match) -> Parsed | None:
    """ "A segunda semana": the ordinal is one more than the number of the weekday of that name."""
    number = int(match.value("ORDINAL_WEEKDAY")) + 1
    return Parts(nth=number, nth_unit=TimeUnit.named(str(match.value("UNIT"))))


@rule
def ordinal_weekday_short(match: Match) -> Parsed | None:
    """ "A segunda terça-feira de março"."""
    return Parts(nth=int(match.value("ORDINAL_WEEKDAY")) + 1, weekday=match.value("WEEKDAY"))


@rule
def duration_half(match: Match) -> Parsed | None:
    """ "Um mês e meio", where "meio" is also the middle."""
    number = match.number()
    if match.word("PART") != "meio" or number is None:
        return None
    return Amount(((number + 0.5, TimeUnit.named(str(match.value("UNIT")))),))


_WORDS = (
    Rule("duration_half", "NUMBER UNIT AND PART", "Durou [um mês e meio].", "P1.5M"),
    Rule(
        "weekday_number",
        "ORDINAL_WEEKDAY UNIT? SMALL_NUMBER !(UNIT | HOUR_MARK | DE | OTHER)",
        "Virá na [sexta 13].",
        "1998-03-13",
    ),
    Rule(
        "clock_to_hour",
        "(A? QUARTER_HOUR | CARDINAL) BY ARTICLES CARDINAL (OF DAYPART)?",
        "São [dez para as três da tarde].",
        "T14:50",
    ),
    Rule(
        "clock_to_hour",
        "(A? QUARTER_HOUR | CARDINAL) BY ARTICLE? DAYPART",
        "São [dez para o meio-dia].",
        "T11:50",
    ),
    Rule(
        "clock_words",
        "<CLOCK_VERB CARDINAL AND (A? QUARTER_HOUR | HALF | CARDINAL !OTHER)",
        "Eram [três e meia].",
        "T03:30",
    ),
    Rule("within_unit", "NEL UNIT", "Choverá [na semana].", "1998-W10"),
    Rule("ordinal_unit_short", "ORDINAL_WEEKDAY UNIT &(DE | DEL)", "A [segunda semana] de outubro.", "1998-W41"),
    Rule(
        "ordinal_weekday_short",
        "ORDINAL_WEEKDAY WEEKDAY &(DE | DEL)",
        "A [segunda terça-feira] de março.",
        "1998-03-10",
    ),
    Rule(
        "weekday_short",
        "(THIS | NEXT | LAST) ORDINAL_WEEKDAY !(UNIT | OTHER) | ORDINAL_WEEKDAY (LAST | NEXT)",
        "Veio na [segunda passada].",
        "1998-03-02",
    ),
    Rule(
        "weekday_short",
        '<(NEL | HOUR_FROM | DEL | DE | UNTIL | BY | AT | AL | FROM | ",") ORDINAL_WEEKDAY'
        " (PREP{0,2} DAYPART)? !COUNTABLE"
        " | <!ANY ORDINAL_WEEKDAY (PREP{0,2} DAYPART)? !COUNTABLE"
        ' | (<((WEEKDAY | ORDINAL_WEEKDAY) (AND | OR)) | <("," (AND | OR))) ORDINAL_WEEKDAY !COUNTABLE',
        "A reunião será na [sexta], às 15h00.",
        "1998-03-06",
    ),
    Rule("duration", "WHOLE UNIT", "Está aberto [todo o ano].", "P1Y"),
)

#: The rules, layer by layer.
LAYERS = build_layers("pt", _WORDS)
