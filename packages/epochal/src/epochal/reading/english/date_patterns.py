"""English rules for dates, times of day, years and what is longer than a year.

They are read in the order of `patterns.GRAMMAR`, longer forms first.
"""

from __future__ import annotations

from epochal.reading.grammar import Rule

__all__ = ["DATES"]

#: Dates, times of day, years.
DATES = (
    # ------------------------------------------------ full dates
    Rule(
        "day_and_weekday",
        'CALENDAR_DAY "," ANY_WEEKDAY !(DAYPART | "\'" | "," DAY | "-" | DAY)',
        "It is due by [Mar 20, Fri].",
        "1998-03-20",
    ),
    Rule(
        "clock_of",
        '((SHORT_WEEKDAY | WEEKDAY) ","?)? CALENDAR_DAY ","? TIME_OF_DAY (YEAR !UNIT (ZONE | OFFSET)?)?',
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
    Rule(
        "month_quarter",
        '"the" MONTH_NAME UNIT !UNIT ("of"? YEAR)? | MONTH_NAME UNIT YEAR',
        "Sales rose in [the December quarter].",
        "1997-Q4",
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
        "month_early",
        'PART? MONTH THREE_DIGITS !("-" | UNIT | NUMBER | CURRENCY)',
        "They met in [August 843].",
        "0843-08",
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
        " | TODAY | (THIS | LAST) DAYPART | NUMERIC_DATE)"
        ' | IN? DAYPART | ("," | IN)? MONTH DAY (","? YEAR)? | IN? "the"? CALENDAR_DAY)?',
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
        '"the"? DAYPART "of" "the"? ((DAY ("-" | "/" | TO | AND) "the"? DAY | SLASH_DATE) "of"? MONTH'
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
    Rule("bc_year", '(NEARLY "."?)? PART? YEAR_NUMBER ("±" YEAR_NUMBER)? ERA', "It began [ca. 466 BC].", "BC0466"),
    Rule("bc_year", '(NEARLY "."?)? ERA YEAR_NUMBER', "It began in [AD 79].", "0079"),
    Rule(
        "bc_year",
        '<(ERA YEAR_NUMBER ("-" | TO)) YEAR_NUMBER !(ERA | UNIT | "-" | OTHER)'
        ' | <(ERA YEAR_NUMBER ("-" | TO)) YEAR_NUMBER &(OTHER &("." | "," | ")"))',
        "Hadrian ruled (AD 117-[138]).",
        "0138",
    ),
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
        '("the"? (FISCAL | WHOLE) UNIT)? (YEAR_PAIR | YEAR "-" SMALL_NUMBER !(UNIT | "-"))'
        ' | "the"? (YEAR_PAIR | YEAR "-" SMALL_NUMBER !(UNIT | "-")) ((FISCAL | WHOLE) UNIT)?',
        "It ran from [1995/96] on.",
        "1995/1996",
    ),
    Rule("year", '(PART | (NEARLY | "c") "."?)? ("the" UNIT)? YEAR ERA?', "It began at [the end of 1997].", "1997"),
    Rule("second_year", '<(YEAR "-") SMALL_NUMBER !(UNIT | "-")', "The war of 1939-[45] ended.", "1945"),
    Rule(
        "near_year",
        '("c" | NEARLY) "."? THREE_DIGITS !(UNIT | "-" "old")',
        "Trade grew from [c. 950] on.",
        "0950",
    ),
    Rule(
        "era_year",
        "PART? THREE_DIGITS",
        "They fought from 264 BC to 241 BC, then from 218 BC to 201 BC, and once more in [149].",
        "BC0149",
    ),
)
