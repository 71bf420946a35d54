"""The rows of the Spanish grammar that other Romance languages do not have."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.romance.rules import MACROS as ROMANCE_MACROS
from epochal.reading.romance.rules import build_layers

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    **ROMANCE_MACROS,
    # últimos, próximas
    "LASTS": "LAST | NEXT",
    # a las, desde las, hacia la
    "AT_HOUR": (
        "(<HOUR_CUE | <(AT ARTICLE) | <((TOWARD | FROM | UNTIL | BETWEEN | AND | DE | BEFORE | AFTER | BY) ARTICLES))"
    ),
}


_WORDS = (
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

#: The rules, layer by layer.
LAYERS = build_layers("es", _WORDS)
