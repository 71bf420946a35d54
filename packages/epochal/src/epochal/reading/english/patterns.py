"""The forms of English time expressions, in the notation of `epochal.reading.grammar` over the classes of the lexicon.

Rules are tried in order at each place, so longer and more specific forms come first. The function of a rule's name, in
one of the modules of this folder, computes the value of what the rule matched, or finds that it is no time after all;
then the next rule that fits is tried. In an example, brackets mark what is read; the examples are tested.
"""

from __future__ import annotations

from epochal.reading.english.lexicon import CLASSES, TIME_CLASSES, WORDS
from epochal.reading.grammar import Grammar, Rule, join_classes

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
    "PART": '"the"? EARLY !"-" IN? | EARLY "-" | "the"? WHOLE? BEGINNING "of" | "the" EARLY "part" "of"',
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

_RULES = (
    # ------------------------------------------------ what looks like time and is not
    Rule("age", 'A? ("the" | THIS)? NUMBER "-"? UNIT "-"? "old"', "She saw [a 12-year-old] boy.", None),
    # ------------------------------------------------ ranges and lists of days: each number is its own date
    Rule(
        "days_before_month",
        '"the"? DAY &(("-" | TO | AND | ",") "the"? DAY (("-" | AND | ",") DAY){0,6} "of"? MONTH'
        " !(SMALL_NUMBER ~YEAR))",
        "Battles on [12] and 15 April 1951 failed.",
        "1951-04-12",
    ),
    Rule(
        "days_after_month",
        '<(DAY ("-" | AND | TO | ",")) DAY (","? ANY_YEAR)? !("of"? MONTH | UNIT | "/")'
        ' | <("," AND) DAY (","? ANY_YEAR)? !("of"? MONTH | UNIT)',
        "They left on May 4 and [5], at last.",
        "1998-05-05",
    ),
    # ------------------------------------------------ times made of others
    Rule(
        "nth_unit_of",
        '"the"? (ORDINAL | LAST | ORDINAL LAST) UNIT ("of" | IN) "the"?'
        ' (MONTH (","? "of"? YEAR)? | YEAR !ERA | (THIS | LAST | NEXT) UNIT)',
        "They met in [the last week of July 1997].",
        "1997-W31",
    ),
    Rule(
        "day_of_month_named",
        '"the"? DAY "of" "the"? (THIS | LAST | NEXT) UNIT',
        "They meet on [the 20th of next month].",
        "1998-04-20",
    ),
    Rule(
        "nth_weekday_of_month",
        '"the"? (ORDINAL | LAST) WEEKDAY ("of" | IN) (MONTH (","? YEAR)? | (THIS | LAST | NEXT) UNIT | EVERY UNIT)',
        "They meet on [the second Tuesday of March 1998].",
        "1998-03-10",
    ),
    Rule(
        "church_sunday",
        '"the"? (ORDINAL | LAST) WEEKDAY ("of" | IN | BEFORE) (CHURCH | HOLIDAY) (","? YEAR)?',
        "They met on [the first Sunday of Advent 1997].",
        "1997-11-30",
    ),
    Rule(
        "monthly_day",
        '"the"? (ORDINAL | LAST) WHOLE? UNIT? "of" EVERY (WHOLE | FISCAL)? UNIT',
        "Rent is due on [the fifth day of each month].",
        "XXXX-XX-05",
    ),
    Rule(
        "weekday_in_week",
        'ANY_WEEKDAY &(((TO | "-" | AND) ANY_WEEKDAY)? ("of" | ",")? (THIS | LAST | NEXT) UNIT)',
        "How about [Tuesday] of next week?",
        "1998-03-10",
    ),
    Rule("weekday_week", 'WEEKDAY UNIT &("," | "." | OTHER)', "They meet on [Monday week].", "1998-03-16"),
    Rule(
        "weekday_in_week",
        "<((THIS | LAST | NEXT) UNIT) (WEEKDAY | SHORT_WEEKDAY)"
        " | <((THIS | LAST | NEXT) UNIT IN) (WEEKDAY | SHORT_WEEKDAY)"
        ' | <((THIS | LAST | NEXT) UNIT "\'" "s") (WEEKDAY | SHORT_WEEKDAY)',
        "It is next week [Tuesday], in the morning.",
        "1998-03-10",
    ),
    Rule("feast", '(FEAST | HOLIDAY) WEEKDAY (","? YEAR)?', "They met on [Easter Monday 1997].", "1997-03-31"),
    Rule(
        "weekend_of",
        '"the" UNIT "of" "the"? CALENDAR_DAY | "the"? UNIT (COMMENCING | BEGINNING) ON_WEEKDAY? "the"? CALENDAR_DAY',
        "They met on [the weekend of 4 July 1997].",
        "1997-W27-WE",
    ),
    Rule(
        "week_of_year", '"the"? UNIT SMALL_NUMBER ("of" | "," | IN)? YEAR', "It rained in [week 5 of 1997].", "1997-W05"
    ),
    Rule(
        "yearly_day",
        '(MONTH "the"? DAY | "the"? DAY "of"? MONTH) "of"? EVERY UNIT',
        "It ends on [March 31 of each year].",
        "XXXX-03-31",
    ),
    Rule(
        "short_year",
        '"the"? SEASON "of" NUMBER_WORD "-" NUMBER_WORD',
        "It was [the summer of sixty-nine].",
        "1969-SU",
    ),
    Rule("short_year", 'MONTH_NAME "of" NUMBER_WORD "-" NUMBER_WORD', "It was [June of ninety-five].", "1995-06"),
    Rule("short_year", '<IN NUMBER_WORD "-" NUMBER_WORD !("-" | AND)', "It was back in [sixty-eight].", "1968"),
    Rule("short_year", '"\'" SMALL_NUMBER !"-"', "The class of ['05] met.", "2005"),
    Rule("century", 'PART? "the"? ORDINAL "c" "."?', "It is of [the late 15th c.], and now lost.", "14"),
    Rule("the_year", '"the" UNIT (THREE_DIGITS !"-" | YEAR)', "It dates from [the year 731].", "0731"),
    Rule(
        "the_year", '"the" UNIT "of" LORD LORD (THREE_DIGITS | YEAR)', "In [the year of our Lord 1349] it came.", "1349"
    ),
    Rule(
        "century_part",
        '"the"? (ORDINAL | LAST | EARLY | BEGINNING) "-"? (HALF | UNIT | ORDINAL) "of" "the"?'
        ' (ORDINAL "-"? UNIT | DECADE) ERA?',
        "It began in [the last quarter of the 17th century].",
        "1675/1699",
    ),
    Rule(
        "shared_century",
        'PART? "the"? ORDINAL &(("-" | TO | AND | ",") "the"? ORDINAL (AND ORDINAL)? "-"? UNIT)',
        "It flourished in [the 16th] and 17th centuries.",
        "15",
    ),
    Rule(
        "year_to_date", 'UNIT "-"? TO "-"? "date" | "ytd"', "Shares are up 3% [year to date].", "1998-01-01/1998-03-05"
    ),
    Rule(
        "deep_time",
        '"the"? (EARLY | BEGINNING)? DEEP_TIME PERIOD?',
        "They lived in [the Late Jurassic].",
        "BC161498051/BC144998051",
    ),
    Rule(
        "early_years",
        '<"(" THREE_DIGITS &("-" (THREE_DIGITS | YEAR) ")") | <("(" THREE_DIGITS "-") (THREE_DIGITS | YEAR) &")"',
        "The Tang ([618]-907) fell.",
        "0618",
    ),
    Rule(
        "roman_day",
        '"the"? ROMAN_DAY "of" MONTH (","? (YEAR | YEAR_NUMBER &ERA) ERA?)?',
        "He was killed on [the Ides of March, 44 BC].",
        "BC0044-03-15",
    ),
    Rule(
        "other_calendar",
        '(DAY "of"?)? (CALENDAR_MONTH | HOLIDAY) ","? UNIT? (YEAR_NUMBER | ROMAN) HIJRI?'
        " | HIJRI YEAR_NUMBER | YEAR_NUMBER HIJRI",
        "It began on [1 Ramadan 1418].",
        "1997-12-31",
    ),
    Rule(
        "old_style",
        'DAY "of"? MONTH ","? YEAR_PAIR | MONTH DAY ","? YEAR_PAIR',
        "It is dated [10 February 1748/9].",
        "1749-02-10",
    ),
    # ------------------------------------------------ short forms and machine-written times
    Rule("epoch", "EPOCH", "[1731742800] cache miss", "2024-11-16T07:40:00"),
    Rule("long_count", "LONG_COUNT", "The long count reached [12.19.5.0.1] then.", "1998-03-11"),
    Rule("julian_day", "DAY_COUNT (DAY_NUMBER | LARGE_NUMBER)", "It was seen at [JD 2450500.5].", "1997-02-21"),
    Rule("period_code", "PART? PERIOD_CODE", "Sales rose in [2H97].", "1997-H2"),
    Rule("half_code", 'HALF_CODE "of"? (YEAR | FISCAL_YEAR)', "Sales rose in [H1 1997].", "1997-H1"),
    Rule("dosing", "DOSING", "Take 500 mg [q8h].", "PT8H"),
    Rule(
        "age_before_present",
        '(DIGITS | YEAR) ("±" (DIGITS | YEAR))? (CAL "."?)? UNIT? AGE_UNIT (AGE_UNIT | "ago")?',
        "The layer is dated to [12 kyr BP].",
        "BC10051",
    ),
    Rule(
        "dotted_clock",
        'LARGE_NUMBER &(("-" | TO) (CLOCK | SMALL_NUMBER AM_PM))',
        "There was a raid from [2.15] till 4 a.m.",
        "1998-03-05T02:15",
    ),
    Rule("dotted_clock", "<IN LARGE_NUMBER !AM_PM", "Doors open today at [13.00].", "1998-03-05T13:00"),
    Rule(
        "first_hour",
        'SMALL_NUMBER &(("-" | TO | AND) (CLOCK | SMALL_NUMBER AM_PM) !UNIT)',
        "They meet at [9]-10am.",
        "1998-03-05T09:00",
    ),
    Rule("nights", 'NUMBER DAYPART !("ago" | LATER | BEFORE | LAST)', "They stayed for [two nights].", "P2D"),
    Rule(
        "hour_of_part",
        '(SMALL_NUMBER | NUMBER_WORD) OCLOCK? (IN "the"? DAYPART | (THIS | TODAY | WEEKDAY) DAYPART)',
        "They were up at [three in the morning].",
        "1998-03-05T03:00",
    ),
    Rule(
        "last_hour",
        '<((CLOCK | AM_PM) ("-" | TO)) SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "of" | "/" | WEEKDAY | NUMBER)',
        "They meet from 9am to [5], and eat.",
        "1998-03-05T17:00",
    ),
    Rule(
        "weekday_hours",
        '<(WEEKDAY | SHORT_WEEKDAY) SMALL_NUMBER &("-" SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER))',
        "Open Mon-Fri [9]-5.",
        "1998-03-13T09:00",
    ),
    Rule(
        "weekday_hours",
        '<((WEEKDAY | SHORT_WEEKDAY) SMALL_NUMBER "-") SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER)',
        "Open Mon-Fri 9-[5].",
        "1998-03-13T17:00",
    ),
    Rule(
        "bare_hour",
        "SMALL_NUMBER (IN (WEEKDAY | SHORT_WEEKDAY) | TODAY)",
        "Send it by [5 on Monday].",
        "1998-03-09T17:00",
    ),
    Rule(
        "bare_hour",
        '<(IN | "@") SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "of" | DAYPART | "/")',
        "They meet on Friday at [3].",
        "1998-03-06T15:00",
    ),
    Rule(
        "spoken_hour",
        '<IN NUMBER_WORD !(UNIT | "-" | NUMBER_WORD | "of" | AM_PM | OCLOCK | LAST | TO)',
        "They meet on Friday at [four].",
        "1998-03-06T16:00",
    ),
    Rule(
        "spoken_minutes",
        'NUMBER_WORD "-"? ("oh" "-"?)? NUMBER_WORD ("-" NUMBER_WORD)? AM_PM',
        "They met at [seven thirty p.m.] sharp.",
        "1998-03-05T19:30",
    ),
    Rule(
        "spoken_minutes",
        '<IN NUMBER_WORD "-"? ("oh" "-"?)? NUMBER_WORD ("-" NUMBER_WORD)? !(UNIT | NUMBER_WORD | "-" | AND)',
        "They met at [ten thirty], as agreed.",
        "1998-03-05T10:30",
    ),
    Rule(
        "spoken_clock",
        '(HALF "-"? | A? UNIT | NUMBER_WORD "-"? NUMBER_WORD? UNIT? | SMALL_NUMBER UNIT?) (LAST | TO | BEFORE)'
        ' (NUMBER_WORD | SMALL_NUMBER | CLOCK | DAYPART) AM_PM? (IN "the" DAYPART)? (TODAY | THIS DAYPART)?',
        "They met at [half past ten].",
        "1998-03-05T10:30",
    ),
    Rule(
        "clock_of",
        '(SHORT_WEEKDAY ","? | WEEKDAY ","?)? (NUMERIC_DATE | SLASH_DATE) ("," | IN)? TIME_OF_DAY',
        "[12/05/1997 10:30] started",
        "1997-12-05T10:30",
    ),
    Rule(
        "military",
        '(MILITARY | YEAR) (UNIT | ZONE | OFFSET) ((WEEKDAY | SHORT_WEEKDAY) ","?)? CALENDAR_DAY?',
        "They left at [0715 hrs].",
        "1998-03-05T07:15",
    ),
    Rule("hour_mark", '<(IN | "@") WHOLE_DURATION', "They met at [15h].", "1998-03-05T15:00"),
    Rule("hour_mark", "WHOLE_DURATION ZONE", "They met on Monday, [15h GMT].", "1998-03-02T15:00"),
    Rule(
        "hours_of_day",
        "<(SMALL_NUMBER | ORDINAL | MONTH_NAME | SLASH_DATE) (MILITARY | LARGE_NUMBER)"
        ' &("-" (MILITARY | LARGE_NUMBER | YEAR)) | <SLASH_DATE YEAR &("-" (YEAR | MILITARY))'
        ' | <((MILITARY | LARGE_NUMBER) "-") (MILITARY | LARGE_NUMBER | YEAR)'
        ' | <(SLASH_DATE YEAR "-") (YEAR | MILITARY)',
        "The flight is on May 12 [0935]-1101.",
        "1998-05-12T09:35",
    ),
    Rule("military", '<(MILITARY "-") MILITARY', "It ran 0730-[0930].", "1998-03-05T09:30"),
    Rule("military", "MILITARY", "They left at [0715].", "1998-03-05T07:15"),
    # ------------------------------------------------ full dates
    Rule(
        "day_and_weekday",
        'CALENDAR_DAY "," ANY_WEEKDAY !(DAYPART | "\'" | "," DAY | "-" | DAY)',
        "It is due by [Mar 20, Fri].",
        "1998-03-20",
    ),
    Rule(
        "clock_of",
        '((SHORT_WEEKDAY | WEEKDAY) ","?)? CALENDAR_DAY ","? TIME_OF_DAY (YEAR !UNIT)?',
        "It was sent on [12 May 1997, 10:30 GMT].",
        "1997-05-12T10:30",
    ),
    Rule(
        "full_date",
        'ON_WEEKDAY? PART? "the"? DAY ("of" | "-")? MONTH ("-" | ","? "of")? ","? ANY_YEAR ERA?',
        "It began on [the 1st of May, 1997].",
        "1997-05-01",
    ),
    Rule(
        "full_date",
        'DAY "/" MONTH "/" YEAR | MONTH "/" DAY ","? YEAR | MONTH "-" SMALL_NUMBER "-" YEAR',
        "It began on [10/August/1997].",
        "1997-08-10",
    ),
    Rule(
        "full_date",
        '"the"? NUMBER_WORD "-"? ORDINAL "of"? MONTH ","? YEAR | MONTH "the"? NUMBER_WORD "-"? ORDINAL ","? YEAR',
        "It began on [May twenty-fourth 1997].",
        "1997-05-24",
    ),
    Rule(
        "month_day",
        '"the"? NUMBER_WORD "-"? ORDINAL "of"? MONTH | MONTH "the"? NUMBER_WORD "-"? ORDINAL',
        "It began on [the twenty-fourth of May].",
        "1998-05-24",
    ),
    Rule(
        "short_date",
        'DAY "-" MONTH_NAME "-" SMALL_NUMBER | DAY MONTH SMALL_NUMBER !(UNIT | "-" | CLOCK | AM_PM | "/" | ERA)'
        ' | MONTH DAY "," SMALL_NUMBER !(UNIT | "-" | CLOCK | AM_PM | "/" | AND | MONTH)',
        "It is dated [16-Nov-96].",
        "1996-11-16",
    ),
    Rule(
        "month_of_year",
        'YEAR ("/" | "-")? MONTH_NAME !("." | "," | DAY | "-" | "/" | AND | TO | YEAR | OTHER)',
        "It is the report of [1997 Aug] (draft).",
        "1997-08",
    ),
    Rule(
        "full_date",
        'ON_WEEKDAY? MONTH "the"? DAY ","? ANY_YEAR ERA?',
        "It began on [Thursday, May 1, 1997].",
        "1997-05-01",
    ),
    Rule("full_date", "YEAR MONTH DAY !(YEAR | UNIT | THREE_DIGITS)", "It was seen on [1997 May 1].", "1997-05-01"),
    Rule(
        "bc_day",
        '(MONTH DAY ","? | DAY "of"? MONTH | MONTH) ","? YEAR_NUMBER ERA',
        "Caesar died on [15 March 44 BC].",
        "BC0044-03-15",
    ),
    Rule(
        "numeric_date", '((WEEKDAY | SHORT_WEEKDAY) "."? ","?)? NUMERIC_DATE', "It began on [1997-05-01].", "1997-05-01"
    ),
    Rule("slash_date", '<(SLASH_DATE "-") SLASH_DATE "," YEAR !UNIT', "I am off 5/1-[5/7, 1998].", "1998-05-07"),
    Rule("slash_date", "(ON_WEEKDAY | SHORT_WEEKDAY)? SLASH_DATE", "It is due by [3/15].", "1998-03-15"),
    Rule("slash_date", "<TO HALF !UNIT", "He is out 12/24 through [1/2].", "1999-01-02"),
    Rule("dot_date", "(ON_WEEKDAY | SHORT_WEEKDAY)? DOT_DATE", "I mean the call on [24.3.] at noon.", "1998-03-24"),
    Rule(
        "quarter_of_year",
        '(FISCAL_YEAR | YEAR) ("-" | ",")? QUARTER !(SMALL_NUMBER | YEAR)',
        "It rose in [1997 Q3].",
        "1997-Q3",
    ),
    Rule("fiscal_code", "PART? FISCAL_YEAR", "It fell in [FY97].", "1997"),
    Rule("month_code", 'MONTH_NAME "-" SMALL_NUMBER !("-" | ","? YEAR)', "[Dec-97] oil traded lower.", "1997-12"),
    Rule(
        "month_of_year",
        'PART? MONTH ("," | "of" | "-")? ("the"? UNIT "of" YEAR | ANY_YEAR) ERA?',
        "It began in [early May 1997].",
        "1997-05",
    ),
    Rule("month", '"the" UNIT "of" MONTH !(","? (DAY | YEAR))', "It rained in [the month of May].", "1998-05"),
    Rule("month_short_year", 'PART? MONTH "of"? SMALL_NUMBER !("-" | UNIT)', "It began in [April of 87].", "1987-04"),
    Rule(
        "full_date",
        '"the"? (DAY "of"? MONTH | MONTH "the"? DAY) IN YEAR',
        "It began on [28 June in 1997].",
        "1997-06-28",
    ),
    Rule(
        "year_in_words",
        '<IN NUMBER_WORD NUMBER_WORD AND? NUMBER_WORD ("-"? NUMBER_WORD)?',
        "They left in [two thousand and four].",
        "2004",
    ),
    Rule(
        "year_in_words",
        'NUMBER_WORD NUMBER_WORD AND? NUMBER_WORD ("-"? NUMBER_WORD)?',
        "[Two thousand and nine] was hard.",
        "2009",
    ),
    Rule(
        "month_shifted",
        'PART? MONTH (DAY ","?)? "of"? ((LAST | NEXT | THIS) UNIT | THIS SAME UNIT | "the" SAME UNIT)',
        "It began in [June last year].",
        "1997-06",
    ),
    Rule(
        "month_shifted",
        'PART? DAY "of"? MONTH "of" (THIS SAME? UNIT | "the" SAME UNIT)',
        "In 1861 they met on [25 July of that year].",
        "1861-07-25",
    ),
    Rule(
        "dated_early",
        '("the"? DAY "of"? MONTH | MONTH DAY) ","? THREE_DIGITS !("-" | UNIT)',
        "On [24 August 410] Rome fell.",
        "0410-08-24",
    ),
    Rule(
        "month_day",
        'ON_WEEKDAY? "the"? ORDINAL "of"? MONTH !(","? YEAR)',
        "It began on [the 7th of December].",
        "1997-12-07",
    ),
    Rule(
        "month_day",
        'ON_WEEKDAY? PART? MONTH "the"? DAY !("-"? UNIT)',
        "It began on [Sunday, Dec. 7].",
        "1997-12-07",
    ),
    Rule("month_day", 'ON_WEEKDAY? PART? DAY "of"? MONTH', "It began on [7 December].", "1997-12-07"),
    Rule(
        "month_and_day",
        'MONTH_NAME "/" SMALL_NUMBER !("/" | YEAR | "-" | UNIT)'
        ' | MONTH "," ORDINAL !(UNIT | "-" | "of" | MONTH | WEEKDAY | DAYPART | OTHER)',
        "It begins on [Apr/3], they say.",
        "1998-04-03",
    ),
    Rule(
        "weekday_day",
        '(WEEKDAY | SHORT_WEEKDAY) "."? ","? "the"? ORDINAL !(UNIT | "-" | "of" | MONTH)'
        ' | WEEKDAY SMALL_NUMBER !(UNIT | "-" | "of" | MONTH | "/" | AM_PM | CLOCK | OTHER | DAYPART | AND | NUMBER)',
        "They met on [Friday the 13th].",
        "1998-03-13",
    ),
    # ------------------------------------------------ times of day
    Rule(
        "unit_skipped",
        '"the" (UNIT | SEASON | "fall" | MONTH_NAME | WEEKDAY | DAYPART) BEFORE (LAST | NEXT)'
        " !(UNIT | MONTH_NAME | WEEKDAY | SEASON | DAYPART)",
        "It began [the year before last].",
        "1996",
    ),
    Rule(
        "clock",
        "((SMALL_NUMBER | NUMBER_WORD) (AM_PM | OCLOCK AM_PM?) ZONE? | LARGE_NUMBER AM_PM ZONE?"
        " | CLOCK AM_PM? (ZONE | OFFSET)? | (YEAR | LARGE_NUMBER) ZONE)"
        ' (IN "the" DAYPART)?'
        ' (("," | IN)? ((THIS | NEXT | LAST)? (WEEKDAY | SHORT_WEEKDAY) "."? ","? CALENDAR_DAY?'
        " | TODAY | (THIS | LAST)? DAYPART | NUMERIC_DATE)"
        ' | ("," | IN)? MONTH DAY (","? YEAR)? | IN? "the"? CALENDAR_DAY)?',
        "They met at [3 p.m. yesterday].",
        "1998-03-04T15:00",
    ),
    Rule(
        "clock_of",
        '((THIS | NEXT | LAST)? (WEEKDAY | SHORT_WEEKDAY) "."? ","? | TODAY ","?) TIME_OF_DAY',
        "They meet [today, 5 p.m. EST].",
        "1998-03-05T17:00",
    ),
    Rule(
        "day_part_of",
        '(WEEKDAY | SHORT_WEEKDAY) DAYPART ","? CALENDAR_DAY',
        "It was on [Friday night, Oct. 24].",
        "1997-10-24TNI",
    ),
    Rule(
        "night_of",
        '"the"? DAYPART "of" "the"? (DAY ("-" | "/" | TO | AND) "the"? DAY "of"? MONTH'
        ' | MONTH "the"? DAY ("-" | "/" | TO | AND) DAY) (","? YEAR)?',
        "It fell on [the night of 4-5 August 1997].",
        "1997-08-04TNI",
    ),
    Rule(
        "day_part_of",
        'PART? "the"? EARLY? DAYPART UNIT? "of" (WEEKDAY "."? ","?)? (MONTH DAY | DAY "of"? MONTH) (","? YEAR)?',
        "It was on [the night of Friday, Oct. 24].",
        "1997-10-24TNI",
    ),
    Rule(
        "day_part",
        'SMALL_NUMBER? "the"? (EARLY "-"?)? DAYPART (IN? THIS? WEEKDAY | TODAY) !DAYPART | SMALL_NUMBER DAYPART',
        "They met in [the morning on Monday].",
        "1998-03-02TMO",
    ),
    Rule(
        "day_part",
        '!"-" (PART | LATER)?'
        ' ((THIS | LAST | NEXT | "the" | A)? WEEKDAY | TODAY'
        ' | ("the" | THIS | LAST | NEXT | A)? (NEXT | SAME | LAST)? WHOLE? UNIT?)'
        ' EARLY? "-"? DAYPART ("of" (WEEKDAY | TODAY))?',
        "They met [Monday night].",
        "1998-03-02TNI",
    ),
    # ------------------------------------------------ years, decades, centuries
    Rule("bc_year", '(NEARLY "."?)? PART? YEAR_NUMBER ERA', "It began [ca. 466 BC].", "BC0466"),
    Rule("bc_year", '(NEARLY "."?)? ERA YEAR_NUMBER', "It began in [AD 79].", "0079"),
    Rule(
        "bc_year",
        'PART? YEAR_NUMBER &(("-" | TO | AND) YEAR_NUMBER ERA)',
        "The First Punic War ([264] to 241 BC) began.",
        "BC0264",
    ),
    Rule(
        "season_of_year",
        'PART? "the"? (SEASON | "fall") ("," | "of")?'
        ' ("the"? UNIT "of" YEAR | YEAR_PAIR | ANY_YEAR ("-" SMALL_NUMBER !(UNIT | "-"))?'
        " | THIS UNIT | LAST UNIT | NEXT UNIT"
        " | DIGITS &ERA) ERA?",
        "They met in [the autumn of 481 BC].",
        "BC0481-FA",
    ),
    Rule(
        "holiday_weekend",
        '"the"? (HOLIDAY UNIT? | NAMED_DAY UNIT) UNIT (","? YEAR)?'
        ' | "the"? UNIT "of" (HOLIDAY UNIT? | NAMED_DAY UNIT) (","? YEAR)?',
        "They met on [the Thanksgiving weekend 1997].",
        "1997-W48-WE",
    ),
    Rule("may_day", 'MONTH_NAME UNIT (","? YEAR)? !(DAY | "of")', "They marched on [May Day 1997].", "1997-05-01"),
    Rule(
        "named_day",
        '((NAMED_DAY ("\'" "s")? UNIT) | "new" UNIT "\'" "s" (UNIT | "eve")) (","? YEAR)?',
        "They met on [New Year's Eve 1999].",
        "1999-12-31",
    ),
    Rule(
        "half_of_year",
        '"the"? (ORDINAL | LAST | EARLY) "-"? HALF ("of" (YEAR | SOME_UNIT) | SOME_UNIT)',
        "It rose in [the first half of 1998].",
        "1998-H1",
    ),
    Rule("fiscal_year", '"the"? FISCAL UNIT? ("\'" SMALL_NUMBER | YEAR)', "It fell in [fiscal year 1997].", "1997"),
    Rule(
        "quarter_of_year",
        '"the"? YEAR ORDINAL "-"? UNIT | (THIS UNIT | LAST UNIT | NEXT UNIT) "\'" "s" ORDINAL FISCAL? "-"? UNIT',
        "It rose in [the 1997 third quarter].",
        "1997-Q3",
    ),
    Rule(
        "quarter_of_year",
        'PART? "the"? (QUARTER | ORDINAL FISCAL? "-"? UNIT) ("of" | ",")?'
        ' ("the"? FISCAL? UNIT? YEAR | FISCAL_YEAR | "\'" SMALL_NUMBER | LAST UNIT | THIS UNIT | NEXT UNIT)',
        "It rose in [the third quarter of 1997].",
        "1997-Q3",
    ),
    Rule("spelled_year", '(NINETEEN | NUMBER_WORD) "oh" NUMBER_WORD', "It began in [nineteen oh six].", "1906"),
    Rule("spelled_year", 'NINETEEN NUMBER_WORD ("-"? NUMBER_WORD)?', "It began in [nineteen ninety-seven].", "1997"),
    Rule(
        "spelled_year",
        '<IN NUMBER_WORD (NINETEEN | NUMBER_WORD ("-"? NUMBER_WORD)?) !UNIT',
        "It began in [seventeen eighty-nine].",
        "1789",
    ),
    Rule(
        "spelled_month",
        'MONTH_NAME "of"? (NINETEEN | NUMBER_WORD) (NINETEEN | NUMBER_WORD ("-"? NUMBER_WORD)?) !UNIT',
        "It began in [June nineteen forty].",
        "1940-06",
    ),
    Rule("regnal_year", '"the"? ORDINAL UNIT "of" REIGN', "It began in [the 5th year of Showa].", "1930"),
    Rule(
        "year_in_words",
        '"the" UNIT NUMBER_WORD ("-"? NUMBER_WORD){1,3}',
        "It will be over by [the year two thousand].",
        "2000",
    ),
    Rule(
        "decade",
        '(PART | "the" EARLY "-")? "the"? (NINETEEN "-"?)? "\'"? DECADE ERA?',
        "It began in [the late 1990s].",
        "199",
    ),
    Rule(
        "century",
        'PART? "the"? ORDINAL "-"? UNIT ERA? !("of" (MONTH_NAME | WEEKDAY | SEASON) | "-" "long")',
        "It began in [the 4th century BC].",
        "BC03",
    ),
    Rule("regnal_year", "REIGN SMALL_NUMBER", "It began in [Meiji 10].", "1877"),
    Rule("year_period", '"the" YEAR (PERIOD | UNIT)', "It fell in [the 1989 period].", "1989"),
    Rule(
        "year_pair",
        '"the"? YEAR_PAIR | YEAR "-" SMALL_NUMBER !(UNIT | "-")',
        "It ran from [1995/96] on.",
        "1995/1996",
    ),
    Rule("year", '(PART | (NEARLY | "c") "."?)? ("the" UNIT)? YEAR ERA?', "It began at [the end of 1997].", "1997"),
    Rule("second_year", '<(YEAR "-") SMALL_NUMBER !(UNIT | "-")', "The war of 1939-[45] ended.", "1945"),
    Rule(
        "era_year",
        "PART? THREE_DIGITS",
        "They fought from 264 BC to 241 BC, then from 218 BC to 201 BC, and once more in [149].",
        "BC0149",
    ),
    # ------------------------------------------------ today and what is counted from it
    Rule("deictic_day", '(PART | LATER)? ("the" UNIT BEFORE TODAY | TODAY)', "It began [yesterday].", "1998-03-04"),
    Rule(
        "day_ago",
        'AMOUNT "-"? UNIT "ago" (TODAY | WEEKDAY)',
        "It began [a year ago yesterday].",
        "1997-03-04",
    ),
    Rule(
        "unit_ago",
        'ABOUT? AMOUNT "-"? (WHOLE | MORE)? UNIT (","? AND? AMOUNT UNIT){0,3} ("ago" | BACK)',
        "It began [two years ago].",
        "1996",
    ),
    Rule(
        "units_ahead",
        '<IN ABOUT? AMOUNT "-"? (WHOLE | MORE)? UNIT !("-" | "ago" | BEFORE)'
        ' (","? AND? AMOUNT UNIT){0,3} !(AND NUMBER)',
        "They will meet again in [three weeks].",
        "1998-W13",
    ),
    Rule(
        "units_within",
        '<BEFORE ("the" NEXT)? ABOUT? AMOUNT (WHOLE | MORE)? UNIT !("-" | "ago" | BEFORE | "of")',
        "They will pay within [two weeks].",
        "P2W",
    ),
    Rule(
        "weekdays_away",
        '(NUMBER | A? FEW "of"?) WEEKDAY (BEFORE (NOW | TODAY) | "ago" | BACK | LATER)',
        "They meet [three Fridays from now].",
        "1998-03-20",
    ),
    Rule("unit_ago", 'NEARLY? UNIT "ago"', "It began [some months ago].", "PAST_REF"),
    Rule(
        "unit_later",
        'ABOUT? AMOUNT "-"? (WHOLE | MORE)? UNIT LATER',
        "He came on 6 June 1944. [Two days later] he left.",
        "1944-06-08",
    ),
    Rule("unit_later", "NEARLY? UNIT LATER", "He came on 6 June 1944. [Years later] he left.", "FUTURE_REF"),
    Rule("unit_before", '"the" UNIT BEFORE &("," | ".")', "He came in 1944. She had come [the year before].", "1943"),
    Rule(
        "unit_year_before",
        '("the" SAME? &(UNIT "-" (LATER | "ago") (PERIOD | UNIT | ORDINAL | SMALL_NUMBER | NUMBER_WORD)))?'
        ' UNIT "-" (LATER | "ago") (ORDINAL "-"? UNIT | PERIOD | UNIT | (SMALL_NUMBER | NUMBER_WORD) UNIT)?',
        "It rose from [the year-ago quarter].",
        "1996-Q4",
    ),
    Rule(
        "shifted_unit",
        '(LATER | PART)? "the"? (THIS | LAST | NEXT | SAME) (LAST | EARLY | SAME | WHOLE)?'
        ' (MONTH_NAME "."? | SEASON | "fall" | HOLIDAY) (DAY !UNIT)? (","? YEAR)?',
        "It began [last November].",
        "1997-11",
    ),
    Rule(
        "shifted_unit",
        '"the" (LAST | NEXT) DAY "of"? MONTH !(","? YEAR)',
        "He came on 4 May 1677, and left [the following 9 June].",
        "1677-06-09",
    ),
    Rule(
        "month_day",
        'THIS? (THIS | NEXT) WEEKDAY "."? "," MONTH "the"? DAY !("-"? UNIT)',
        "It is [this coming Sunday, March 8].",
        "1998-03-08",
    ),
    Rule(
        "shifted_weekday",
        '(LATER | PART)? "the"? THIS? (THIS | LAST | NEXT) (WEEKDAY | SHORT_WEEKDAY)',
        "It began [last Friday].",
        "1998-02-27",
    ),
    Rule(
        "past_units",
        '"the" (SAME NUMBER "-"? | NUMBER (LAST | NEXT)) UNIT',
        "It rose in [the four previous weeks].",
        "P4W",
    ),
    Rule(
        "past_units",
        '("the" | THIS)? (ORDINAL | SAME)? ((LAST | NEXT) (AMOUNT | ORDINAL) | THIS NUMBER) "-"? KIND{0,3} UNIT',
        "It rose over [the past two months].",
        "P2M",
    ),
    Rule(
        "first_units",
        '"the" (ORDINAL | BEGINNING) NUMBER "-"? WHOLE? UNIT',
        "It rose in [the first nine months].",
        "P9M",
    ),
    Rule(
        "shifted_unit",
        '(LATER | EARLY | PART)? "the"? (THIS | LAST | NEXT | SAME)'
        " (LAST | NEXT | SAME | FISCAL | EARLY | WHOLE | ORDINAL)? FISCAL? UNIT",
        "It began [earlier this year].",
        "1998",
    ),
    Rule(
        "same_period",
        '"the"? (THIS | SAME | LAST | NEXT) (SAME | YEAR | UNIT "-"? (LATER | "ago"))? PERIOD',
        "It fell in 1997 and rose in [the same period].",
        "1998",
    ),
    Rule(
        "unit_ordinal",
        '"the"? FISCAL? ORDINAL "-"? FISCAL? LAST? UNIT !("-" "long") ("of" (SOME_UNIT | YEAR | MONTH))?',
        "It rose in [the fiscal first quarter].",
        "1998-Q1",
    ),
    # ------------------------------------------------ sets
    Rule(
        "every",
        'EVERY (AMOUNT | ORDINAL | MORE | WHOLE)? "-"?'
        ' (UNIT | WEEKDAY | SHORT_WEEKDAY | MONTH_NAME "."? | SEASON | DAYPART | HOLIDAY | WEEKDAY DAYPART)',
        "It happens [every two weeks].",
        "P2W",
    ),
    Rule("frequency", "FREQUENCY", "It appears [weekly].", "P1W"),
    # ------------------------------------------------ durations
    Rule(
        "short_duration",
        'SHORT_UNITS (","? AND? SHORT_UNITS){1,3} ("ago" | LATER)?',
        "It took [2h 30m].",
        "PT2H30M",
    ),
    Rule("short_duration", '(WHOLE_DURATION | SHORT_DURATION) ("ago" | LATER)', "It was sent [3d ago].", "1998-03-02"),
    Rule("short_duration", "<(IN | BEFORE | LAST | NEXT) SHORT_DURATION", "They left for [10d].", "P10D"),
    Rule("short_duration", '(SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS) "h"', "It took [48 h].", "PT48H"),
    Rule("short_duration", '(SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS) "s"', "It glows for [90 s] at most.", "PT90S"),
    Rule("duration", '(DIGITS | NUMBER_WORD) "-"? ORDINAL !(UNIT | OTHER)', "It lasted [one second].", "PT1S"),
    Rule("duration", '(NUMBER | FEW | HALF) "-" (KIND "-"?){0,3} UNIT', "An [eight-year] war followed.", "P8Y"),
    Rule(
        "quarters_of_unit",
        '(NUMBER AND)? (A | NUMBER_WORD)? UNIT ("of" A?)? UNIT !"-"',
        "It lasted [two and a quarter hours].",
        "PT2H15M",
    ),
    Rule(
        "hours_and_minutes",
        '(SMALL_NUMBER | NUMBER_WORD) UNIT (NUMBER_WORD ("-" NUMBER_WORD)? | SMALL_NUMBER) !(UNIT | "-" | OTHER)',
        "It lasted [one hour thirty], or so.",
        "PT1H30M",
    ),
    Rule("duration", "A UNIT AND A HALF", "It lasted [a year and a half].", "P1Y6M"),
    Rule(
        "duration",
        'ABOUT? ("the" !((NUMBER | FEW | HALF) "-"))? (AMOUNT (TO NUMBER)?) "-"? KIND{0,3} "-"?'
        ' UNIT !("-" (LATER | "ago" | "long")) (","? AND? NUMBER UNIT !("ago" | LATER | "the" | "-")){0,3}',
        "It lasted [more than two years and three months].",
        "P2Y3M",
    ),
    Rule("some_units", 'NEARLY UNIT !"-"', "They talked for [some months].", "PXM"),
    Rule("glued_duration", 'WHOLE_DURATION | UNIT "-" "long"', "After a [year-long] trial he left.", "P1Y"),
    Rule("year_end", '"the"? UNIT "-"? BEGINNING !"of" YEAR?', "It will be over by [year-end].", "1998"),
    Rule(
        "numbered_unit", 'UNIT SMALL_NUMBER !(UNIT | MONTH_NAME | AM_PM | CLOCK | "-")', "[Day 3] of the trip", "P1D-#3"
    ),
    Rule("unit_alone", '(LATER | EARLY) IN "the" UNIT', "It fell [later in the year].", "1998"),
    Rule(
        "unit_alone",
        '(PART ("the" | THIS)? | "the" | A)? (WHOLE | FISCAL | SAME | MORE)? UNIT !("-" (LATER | "ago" | "long" | TO))',
        "It lasted for [years].",
        "PXY",
    ),
    Rule("day_of_this_month", '"the" ORDINAL', "They meet on [the 12th].", "1998-03-12"),
    Rule("day_of_this_month", "<(IN | BEFORE | TO) ORDINAL", "They meet on [12th].", "1998-03-12"),
    Rule("end_of_unit", '"the"? END_OF (TODAY | WEEKDAY | SHORT_WEEKDAY)?', "Send it by [EOM].", "1998-03"),
    # ------------------------------------------------ single words
    Rule("month", 'PART? MONTH_NAME "."?', "It began in [mid-November].", "1997-11"),
    Rule("weekday", '(WEEKDAY | SHORT_WEEKDAY) &("-" ANY_WEEKDAY)', "Open [Mon]-Sat.", "1998-03-09"),
    Rule("weekday", '<((WEEKDAY | SHORT_WEEKDAY) "-") (WEEKDAY | SHORT_WEEKDAY)', "Open Mon-[Sun].", "1998-03-15"),
    Rule("weekday", "(PART | LATER)? A? WEEKDAY", "It began on [Tuesday].", "1998-03-03"),
    Rule("season", 'PART? ("the" | A | THIS)? SEASON', "It rained in [the spring].", "1998-SP"),
    Rule(
        "holiday",
        'PART? ("the" | THIS | LAST | NEXT)? HOLIDAY (UNIT | "eve")? (","? YEAR)?',
        "They met on [Thanksgiving 1999].",
        "1999-11-25",
    ),
    Rule("quarter_of_year", "PART? QUARTER", "It rose in [early Q3].", "1998-Q3"),
    Rule(
        "reference",
        '("the"? (SAME | EARLY | WHOLE) | "right" | "the" | MORE)? NOW',
        "It is [now] closed.",
        "PRESENT_REF",
    ),
    Rule("the_past", '<IN "the" LAST !~PHRASE_END', "It was closed in [the past].", "PAST_REF"),
)

#: What makes words worth looking at.
_TRIGGER = join_classes(TIME_CLASSES)
_TRIGGER += ' | IN "the" LAST | HALF "-"? LAST NUMBER_WORD | NUMBER_WORD LAST NUMBER_WORD | ORDINAL "c"'
_TRIGGER += ' | (IN | TO | AND) "the" ORDINAL | SMALL_NUMBER LAST SMALL_NUMBER'
_TRIGGER += " | NUMBER_WORD NUMBER_WORD AND? NUMBER_WORD"
_TRIGGER += " | IN NUMBER_WORD NUMBER_WORD | NUMBER_WORD TO NUMBER_WORD"
_TRIGGER += ' | IN NUMBER_WORD !(UNIT | "-" | "of") | IN LARGE_NUMBER | NUMBER_WORD "oh"'
_TRIGGER += """ | IN NUMBER_WORD "-" NUMBER_WORD !AND | "'" SMALL_NUMBER"""
_TRIGGER += ' | (IN | BEFORE | TO) ORDINAL | (SMALL_NUMBER | NUMBER_WORD) "-"? ORDINAL'
_TRIGGER += ' | (SMALL_NUMBER | LARGE_NUMBER | THREE_DIGITS) "s"'
#: The rules with all that they are written in.
GRAMMAR = Grammar(
    CLASSES,
    _MACROS,
    _RULES,
    _TRIGGER,
    WORDS,
    keep_as="grammar-english",
)
