"""The grammar that Romance languages share: the patterns that have a name, and the layers of a language.

A language has a row where the row has an example in it. What only one language says is in the `rules.py` of its own
folder, and is tried first. The classes that stand for words of grammar:

    DE, DEL      of, and of with the article: "de", "du"      AT, AL     at, to: "à", "au"
    IN, NEL      in: "en", "nella"; NELS is the plural        AHEAD      from now: "dans", "dentro de"
    FROM, UNTIL  since, until: "depuis", "hasta"              BY         for, during: "por", "pendant"
    HOUR_CUE, HOUR_FROM  at, from, before hours: "a las", "alle", "das"
    AGO_BEFORE   "il y a", "hace"                             AGO_AFTER  "fa", "atrás"
    ARTICLE, ARTICLES  the, in the singular and the plural    THESE      "ces", "estos"
"""

from __future__ import annotations

from collections.abc import Sequence

from epochal.reading.grammar import Rule
from epochal.reading.romance import beside, functions, lengths  # noqa: F401 - importing them registers their rule functions
from epochal.reading.romance.clocks import CLOCKS, NO_TIMES
from epochal.reading.romance.composites import CLOCK_RANGES, COUNTED, DAYS, DURATIONS, JOINED, RANGES
from epochal.reading.romance.dates import DATES, YEARS
from epochal.reading.romance.relative import AMOUNTS, SETS, TODAYS, TURNS

__all__ = ["MACROS", "build_layers"]

#: Patterns with a name, for use in the rules; a language may replace some.
MACROS = {
    "THE": "ARTICLE | ARTICLES",
    # dix-huit, novecientos diez
    "NUM": 'NUMBER_WORD ("-"? NUMBER_WORD){0,4}',
    "CARDINAL": "SMALL_NUMBER | NUM | A",
    "NUMBER": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | DAY_MONTH | FRACTION | YEAR | NUM | A NUM | A",
    # trois, une dizaine de, un demi
    "AMOUNT": "(A? FEW DE? | NUMBER) HALF? | A? HALF",
    "DAY_NUMBER": "SMALL_NUMBER | ORDINAL | NUM",
    "MONTH": 'MONTH_NAME "."?',
    # mille neuf cent quatre-vingt, mil novecentos e oitenta
    "YEAR_WORDS": 'NUMBER_WORD (("-" | AND)? NUMBER_WORD){0,6}',
    "ANY_YEAR": "YEAR | SHORT_YEAR",
    "OF": "DE THE? | DEL",
    # de 2007, del año 2007, 2007
    "OF_YEAR": '("," | OF)? UNIT? ANY_YEAR',
    "TURN": "LAST | NEXT | THIS",
    "PREP": "HOUR_CUE | NELS | DE | DEL | AT | AL | IN | NEL | BY | ARTICLE | ARTICLES",
    # par la nuit, de la tarde, du matin
    "OF_DAY_PART": "PREP{1,2} (DAYPART | MORROW) | DAYPART",
    # et demie, y diez, moins le quart
    "MINUTES": (
        "AND? (A? QUARTER_HOUR | HALF) | LESS (ARTICLE | A)? (CARDINAL UNIT? | QUARTER_HOUR) | AND CARDINAL UNIT?"
        ' | (SMALL_NUMBER | NUM) !(UNIT | MONTH_NAME | DE ~ARTICLE | DE ARTICLE ~DAYPART | "-" | "/" | HOUR_MARK) '
    ),
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    # what may come between a date and its clock time, or a weekday and its date
    "GLUE": '"," | PREP | HOUR_FROM | ABOUT | TOWARD | FROM',
    "START": "HOUR_FROM | DE THE? | DEL | FROM (DE THE? | DEL | THE)?",
    "TO": '"-" THE? | UNTIL (AT THE? | AL | IN THE? | NEL | THE | HOUR_CUE)? | AT THE? | AL | HOUR_CUE',
    # "prima" is "first" and "before" in Italian, "tra" is "between" and "in"
    "ORD": "ORDINAL",
    "HALF_ORD": "ORD",
    "EARLY": "BEFORE",
    "SOON": "AHEAD",
    "SINCE": "FROM | HOUR_FROM",
}

_WORDS = (*NO_TIMES, *CLOCKS, *DATES, *YEARS, *SETS, *TURNS, *TODAYS, *AMOUNTS)


def build_layers(code: str, *own: Sequence[Rule]) -> tuple[tuple[Rule, ...], ...]:
    """The layers of a language: in each, its own rows, and behind them the shared rows that have an example in it."""
    shared = (_WORDS, DURATIONS, COUNTED, CLOCK_RANGES, JOINED, RANGES, DAYS)
    mine = (*own, *(() for _ in range(len(shared) - len(own))))
    return tuple(
        (
            *rows,
            *(Rule(row.function, row.pattern, row.examples[code], row.value) for row in layer if code in row.examples),
        )
        for rows, layer in zip(mine, shared, strict=True)
    )
