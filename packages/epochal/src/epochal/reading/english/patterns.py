"""The forms of English time expressions, in the notation of `epochal.reading.grammar` over the classes of the lexicon.

Rules are tried in order at each place, so longer and more specific forms come first. The function of a rule's name, in
one of the modules of this folder, computes the value of what the rule matched, or finds that it is no time after all;
then the next rule that fits is tried. In an example, brackets mark what is read; the examples are tested. The rules are
in `composed_patterns`, `date_patterns` and `relative_patterns`, in the order in which they are tried; here are the
patterns with a name, and what makes words worth looking at.
"""

from __future__ import annotations

from epochal.reading.english.composed_patterns import COMPOSED
from epochal.reading.english.date_patterns import DATES
from epochal.reading.english.lexicon import CLASSES, TIME_CLASSES, WORDS
from epochal.reading.english.relative_patterns import RELATIVE
from epochal.reading.grammar import Grammar, join_classes

__all__ = ["EXAMPLE_DATE", "GRAMMAR"]

#: The date of the texts of the examples, a Thursday.
EXAMPLE_DATE = "1998-03-05"

#: Patterns with a name, for use in the rules.
_MACROS = {
    "DIGITS": "SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS",
    # 12, 2 million, twenty-five, one hundred, two and a half
    "NUMBER": (
        '(DIGITS (HALF | NUMBER_WORD)? | NUMBER_WORD ("-"? NUMBER_WORD){0,5} | NINETEEN) ("-"? AND "-"? A? "-"? HALF)?'
        ' ("(" DIGITS ")")?'
    ),
    # a hundred, a few of the, half a, a
    "AMOUNT": 'NUMBER | A NUMBER_WORD !"-" | A? FEW ("of" ("the" | THIS)?)? | A? HALF (A | "-")? | A',
    # more than, up to, at least, nearly
    "ABOUT": 'MORE "than" | "up" TO | IN LEAST | NEARLY',
    # the early, mid-, the beginning of, the latter part of
    "PART": (
        '"the"? EARLY !"-" IN? | EARLY "-" | "the"? WHOLE? BEGINNING "of" | "the" EARLY "part" "of" | BEGINNING "-"'
    ),
    "MONTH": 'MONTH_NAME "."?',
    "DAY": "SMALL_NUMBER | ORDINAL",
    "SHORT_UNITS": 'WHOLE_DURATION | SHORT_DURATION | SMALL_NUMBER "h" | SMALL_NUMBER UNIT',
    "ANY_WEEKDAY": "WEEKDAY | SHORT_WEEKDAY",
    "ON_WEEKDAY": 'WEEKDAY "."? ","? | SHORT_WEEKDAY "."? ","',
    # 1998, '98
    "ANY_YEAR": 'YEAR | "\'" SMALL_NUMBER',
    # a year before or after our era has any number of digits
    "YEAR_NUMBER": "SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS | YEAR",
    # last year, this year, next year, the year
    "SOME_UNIT": '"the"? LAST UNIT | THIS UNIT | NEXT UNIT | "the" UNIT',
    # more, whole, fiscal, consecutive: what may come between a number and a unit
    "KIND": "MORE | WHOLE | FISCAL | SAME",
    "TIME_OF_DAY": "(CLOCK AM_PM? | (SMALL_NUMBER | LARGE_NUMBER) AM_PM | (MILITARY | YEAR) &ZONE) (ZONE | OFFSET)?",
    # 12 May, May 12, 1997
    "CALENDAR_DAY": 'MONTH DAY (","? YEAR)? | DAY "of"? MONTH (","? YEAR)?',
    # what may follow "in the past" where that is all that is said
    "PHRASE_END": (
        'OTHER | "," | "." | "-" | "(" | ")" | "\'" | "/" | CURRENCY | AND | "than" | "up" | LEAST | "right" | "s"'
        ' | NAMED_DAY | "new" | "long" | "eve" | "part"'
    ),
}

_RULES = (*COMPOSED, *DATES, *RELATIVE)

#: What makes words worth looking at.
_TRIGGER = join_classes(TIME_CLASSES)
_TRIGGER += ' | IN "the" LAST | HALF "-"? LAST NUMBER_WORD | NUMBER_WORD LAST NUMBER_WORD | ORDINAL "c"'
_TRIGGER += ' | (IN | TO | AND | "of") "the" ORDINAL | "the" ORDINAL ("." | ",") | SMALL_NUMBER LAST SMALL_NUMBER'
_TRIGGER += " | NUMBER_WORD NUMBER_WORD AND? NUMBER_WORD"
_TRIGGER += " | IN NUMBER_WORD NUMBER_WORD | NUMBER_WORD TO NUMBER_WORD"
_TRIGGER += ' | IN NUMBER_WORD !(UNIT | "-" | "of") | IN LARGE_NUMBER'
_TRIGGER += """ | IN NUMBER_WORD "-" NUMBER_WORD !AND | "'" SMALL_NUMBER"""
_TRIGGER += ' | (IN | BEFORE | TO) ORDINAL | (SMALL_NUMBER | NUMBER_WORD) "-"? ORDINAL'
_TRIGGER += ' | (IN | TO) HALF NUMBER_WORD | TO "-" "morrow"'
_TRIGGER += ' | (SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS) ("s" | "-" LARGE_NUMBER)'
# Most texts have a word that makes a time only of a number in the same run: "before", "for", "more".
_BOUND, _NUMBERS = "BEFORE | MORE", "SMALL_NUMBER | LARGE_NUMBER | NUMBER_WORD | ORDINAL | HALF"
_TRIGGER += f" | ({_BOUND}) ~(OTHER | {_BOUND})* ({_NUMBERS}) | ({_NUMBERS}) ~(OTHER | {_NUMBERS})* ({_BOUND})"
#: The rules with all that they are written in.
GRAMMAR = Grammar(
    CLASSES,
    _MACROS,
    _RULES,
    _TRIGGER,
    WORDS,
    keep_as="grammar-english",
)
