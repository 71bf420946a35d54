"""The rows of the Spanish grammar that other Romance languages do not have."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.romance.hours import NUMBERS
from epochal.reading.romance.rules import MACROS as ROMANCE_MACROS
from epochal.reading.romance.rules import build_layers
from epochal.reading.shared.match import NO_TIME, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Range, TimeUnit
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    **ROMANCE_MACROS,
    # últimos, próximas
    "LASTS": "LAST | NEXT",
    # a las, desde las, hacia la
    "AT_HOUR": (
        "(<HOUR_CUE | <(AT ARTICLE)"
        " | <((TOWARD | ABOUT | MORE | FROM | UNTIL | BETWEEN | AND | DE | BEFORE | AFTER | BY) ARTICLES))"
    ),
}


@rule
def decade_of_number(match: Match) -> Parsed | None:
    """ "En los 90", "de los 80": a decade by its number, which counts nothing."""
    number = match.number("SMALL_NUMBER")
    if match.before != "los" or number is None or number % 10 or not 20 <= number <= 90:
        return None
    first = 1900 + int(number)
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE))


@rule
def clock_at_one_hour(match: Match) -> Parsed | None:
    """ "A la una": the hour that is in the singular."""
    part, quarter = match.value("DAYPART", "MORROW"), match.value("QUARTER_HOUR")
    minute = float(quarter) if quarter is not None else 30.0 if match.has("HALF") else match.number(*NUMBERS)
    daypart = None if part is None or ":" in str(part) else str(part)
    if minute is None or not 0 < minute < 60:
        return Parts(hour=1, daypart=daypart)
    if match.has("LESS"):
        return Parts(hour=12, minute=60 - int(minute), daypart=daypart)
    return Parts(hour=1, minute=int(minute), daypart=daypart)


@rule
def day_and_part(match: Match) -> Parsed | None:
    """ "El 15 por la tarde": a day by its article, where an hour would have "las"."""
    number, part = match.number("SMALL_NUMBER"), str(match.value("DAYPART", "MORROW"))
    if match.before != "el" or number is None or not 1 <= number <= 31 or ":" in part:
        return None
    return Parts(day=int(number), daypart=part)


@rule
def late(match: Match) -> NoTime | None:
    """ "Llegó tarde" is "late" wherever nothing in front of it makes it a noun."""
    return NO_TIME if match.word("DAYPART") == "tarde" else None


@rule
def session(match: Match) -> Parsed | None:
    """ "Cerró la jornada en máximos": the day that the text is about."""
    is_day = match.word("UNIT") == "jornada" and match.before == "la"
    return Parts(unit=TimeUnit.named("day"), step=0, anchor="text") if is_day else None


@rule
def nights(match: Match) -> Parsed | None:
    """ "Tres noches": a length in nights."""
    number = match.number(*NUMBERS)
    is_length = match.word("DAYPART") == "noches" and number is not None
    return Amount(((number, TimeUnit.named("day")),)) if is_length else None


@rule
def so_far(match: Match) -> Parsed | None:
    """ "En lo que va de año": from the first day of the unit to today."""
    unit_of, day = TimeUnit.named(str(match.value("UNIT"))), TimeUnit.named("day")
    if unit_of.grain <= Grain.DAY:
        return None
    return Range(Parts(unit=unit_of, step=0, nth=1, nth_unit=day), Parts(unit=day, step=0))


_WORDS = (
    Rule(
        "pointed_daypart",
        "MORROW POINTING",
        "Vino el 6 de junio de 1944. A la [mañana siguiente] salió.",
        "1944-06-07TMO",
    ),
    Rule(
        "late",
        "<!(THE | THIS | THAT | EVERY | DE | A | IN | BY | AT | AL | WHOLE | MORROW | TODAY | WEEKDAY | HALF | SAME"
        " | PART | TIME | DAY | LAST | NEXT | EARLY_LATE) DAYPART",
        "El tren llegó [tarde] otra vez.",
        None,
    ),
    Rule(
        "session",
        '<ARTICLE UNIT &(IN | "." | "," | AT | AL | BY)',
        "El índice cerró la [jornada] en 9.505 puntos.",
        "1998-03-05",
    ),
    Rule("nights", "CARDINAL DAYPART", "Reservó una habitación por [tres noches].", "P3D"),
    Rule("past_unit", "<DEL LAST UNIT !(OF | IN)", "Es el nivel más alto del [último año].", "P1Y"),
    Rule(
        "date_short_year",
        "DAY_NUMBER DE MONTH DEL SMALL_NUMBER !(HOUR_MARK | UNIT | DE | DEL | AM_PM)",
        "Nació el [5 de mayo del 71] en Quito.",
        "1971-05-05",
    ),
    Rule("so_far", "SO_FAR OF UNIT", "Llovió poco en [lo que va de año].", "1998-01-01/1998-03-05"),
    Rule(
        "clock_feminine",
        "<!(ANY ARTICLES) <ARTICLES NUM !ANY",
        "las [doce]",
        "T12",
    ),
    Rule(
        "clock_words",
        "<(DE | ARTICLES) NUMBER_WORD NUMBER_WORD &(AT ARTICLES? NUMBER_WORD NUMBER_WORD)"
        " | <(TIME AT) NUMBER_WORD NUMBER_WORD !(UNIT | NUMBER_WORD)",
        "Jugamos de [dos treinta] a tres quince.",
        "1998-03-05T02:30/1998-03-05T03:15",
    ),
    Rule(
        "clock_to_hour",
        "(QUARTER_HOUR | A QUARTER_HOUR | CARDINAL) BY ARTICLES CARDINAL (OF (DAYPART | MORROW))?",
        "Son [cuarto para las tres].",
        "T02:45",
    ),
    Rule(
        "clock_to_hour",
        "(A? QUARTER_HOUR | CARDINAL) BY ARTICLE DAYPART",
        "Son [diez para el mediodía].",
        "T11:50",
    ),
    Rule(
        "clock_feminine",
        "<ARTICLES CARDINAL (LESS | AND) CARDINAL !(OTHER | UNIT | CARDINAL)",
        "Comemos a eso de las [doce menos cinco].",
        "T11:55",
    ),
    Rule(
        "clock_words",
        '<((DAY | MOMENT) ",") CARDINAL AND (HALF | A? QUARTER_HOUR | NUM) !(OTHER | UNIT | DE)',
        "Nos vemos el 5 de abril, [ocho y media].",
        "1998-04-05T08:30",
    ),
    Rule("middle_of_part", "<AT HALF (MORROW | DAYPART)", "Vino a [media mañana].", "TMO"),
    Rule(
        "decade_of_number",
        "<((IN | DE) ARTICLES) SMALL_NUMBER !(OTHER | UNIT | MONTH_NAME | HOUR_MARK | DE | DEL)",
        "Vivió aquí en los [90].",
        "199",
    ),
    Rule("clock_at_one_hour", "ONE_HOUR MINUTES? (OF (DAYPART | MORROW))?", "Comemos [a la una y media].", "T01:30"),
    Rule(
        "day_and_part",
        "<ARTICLE SMALL_NUMBER (BY | IN) ARTICLE (DAYPART | MORROW)",
        "Vendrá el [15 por la tarde].",
        "1998-03-15TAF",
    ),
    Rule("within_unit", "(IN | BY) ARTICLE UNIT", "Lloverá [en la semana].", "1998-W10"),
    Rule(
        "every",
        "ARTICLES WEEKDAY !(LAST | NEXT | SMALL_NUMBER | POINTING)",
        "Cierra [los lunes].",
        "XXXX-WXX-1",
    ),
    Rule("daypart_morning", "PART OF MORROW", "Vino [a primera hora de la mañana].", "TMO"),
    Rule("tomorrow", "MORROW PREP{1,2} DAYPART", "Vendrá [mañana por la tarde].", "1998-03-06TAF"),
    Rule("today_morning", "TODAY PREP{1,2} MORROW", "Vino [ayer por la mañana].", "1998-03-04TMO"),
    Rule("weekday_part", "WEEKDAY PREP{1,2} MORROW", "Vino el [lunes por la mañana].", "1998-03-02TMO"),
    Rule("daypart_morning", "<ARTICLE MORROW", "Vino por la [mañana].", "TMO"),
    Rule("tomorrow", "MORROW", "[Mañana] hará sol.", "1998-03-06"),
)

_COUNTED = (Rule("ahead", "DURATION FROM REFERENCE", "Empieza [cinco minutos a partir de ahora].", "1998-03-05T00:05"),)

#: The rules, layer by layer.
LAYERS = build_layers("es", _WORDS, (), _COUNTED)
