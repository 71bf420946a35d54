"""English rules for what is counted from today, sets, durations and single words of time.

They are read in the order of `patterns.GRAMMAR`, longer forms first.
"""

from __future__ import annotations

from epochal.reading.grammar import Rule

__all__ = ["RELATIVE"]

#: Today and what is counted from it, sets, durations, single words.
RELATIVE = (
    # ------------------------------------------------ today and what is counted from it
    Rule("deictic_day", '(PART | LATER)? ("the" UNIT BEFORE TODAY | TODAY)', "It began [yesterday].", "1998-03-04"),
    Rule(
        "day_ago",
        'AMOUNT "-"? UNIT "ago" (TODAY | WEEKDAY)',
        "It began [a year ago yesterday].",
        "1997-03-04",
    ),
    Rule(
        "day_ago",
        'AMOUNT "-"? UNIT "ago" (THIS | NEXT | LAST) UNIT',
        "It opened [sixty years ago next month].",
        "1938-04",
    ),
    Rule(
        "week_from",
        'AMOUNT UNIT (TODAY | IN WEEKDAY !"\'")',
        "They will meet [a week on Monday].",
        "1998-03-16",
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
    Rule("frequency", "EVERY? FREQUENCY", "It appears [weekly].", "P1W"),
    # ------------------------------------------------ durations
    Rule(
        "short_duration",
        'SHORT_UNITS (","? AND? SHORT_UNITS){1,3} ("ago" | LATER)?',
        "It took [2h 30m].",
        "PT2H30M",
    ),
    Rule("short_duration", '(WHOLE_DURATION | SHORT_DURATION) ("ago" | LATER)', "It was sent [3d ago].", "1998-03-02"),
    Rule("short_duration", "SHORT_DURATION", "They left for [10d].", "P10D"),
    Rule("round_seconds", "DECADE", "It gave up after [30s].", "PT30S"),
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
    Rule("year_end", '"the"? UNIT "-"? BEGINNING !"of" ("of"? YEAR)?', "It will be over by [year-end 1999].", "1999"),
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
    Rule(
        "end_of_unit",
        '"the"? END_OF (TODAY | ON_WEEKDAY? CALENDAR_DAY | WEEKDAY | SHORT_WEEKDAY)?',
        "Send it by [EOM].",
        "1998-03",
    ),
    # ------------------------------------------------ single words
    Rule("month", 'PART? MONTH_NAME "."?', "It began in [mid-November].", "1997-11"),
    Rule("weekday", '(WEEKDAY | SHORT_WEEKDAY) &("-" ANY_WEEKDAY)', "Open [Mon]-Sat.", "1998-03-09"),
    Rule("weekday", '<((WEEKDAY | SHORT_WEEKDAY) "-") (WEEKDAY | SHORT_WEEKDAY)', "Open Mon-[Sun].", "1998-03-15"),
    Rule("short_weekday", "SHORT_WEEKDAY", "They will meet on [Mon].", "1998-03-09"),
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
