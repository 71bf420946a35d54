"""English rules for times made of others, lists and ranges of days, and short and machine-written forms.

They are read in the order of `patterns.GRAMMAR`, longer forms first.
"""

from __future__ import annotations

from epochal.reading.grammar import Rule

__all__ = ["COMPOSED"]

#: What is no time, lists of days, times made of others, codes.
COMPOSED = (
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
        "days_before_month",
        'ANY_WEEKDAY "."? ","? "the"? DAY &(("-" | TO | AND) ANY_WEEKDAY "."? ","? "the"? DAY "of"? MONTH)',
        "It is closed from [Thurs 26] to Mon 30 March.",
        "1998-03-26",
    ),
    Rule(
        "two_days",
        'SLASH_DATE "of"? MONTH (","? YEAR)? !(DAY | "/")',
        "It was shut on [25/26 Dec], and on Sundays.",
        "1997-12-25/1997-12-26",
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
        "listed_part",
        '"the"? ORDINAL &((AND | TO | "-") "the"? ORDINAL "-"? (UNIT | WEEKDAY) ("of" | IN) "the"?'
        " (MONTH | YEAR | FISCAL? UNIT YEAR | (THIS | LAST | NEXT) UNIT))",
        "Sales rose in [the first] and third quarters of 1997.",
        "1997-Q1",
    ),
    Rule(
        "worded_date",
        '("the" | THIS)? (NUMBER_WORD "-")? ORDINAL UNIT "of" MONTH ","?'
        ' (YEAR | (NUMBER_WORD | NINETEEN){2} ("-" NUMBER_WORD)? (AND? (NUMBER_WORD | NINETEEN) ("-"? NUMBER_WORD)?)?)',
        "Given [the twenty-second day of May, two thousand and nineteen].",
        "2019-05-22",
    ),
    Rule(
        "nth_unit_of",
        '("the" | THIS)? (ORDINAL | LAST | ORDINAL LAST) WHOLE? UNIT ("of" | IN) "the"?'
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
        '("the" | EVERY)? (ORDINAL | LAST) WEEKDAY ("of" | IN)'
        ' (MONTH (","? YEAR)? | (THIS | LAST | NEXT) UNIT | EVERY UNIT | "the" UNIT !("of" | YEAR))',
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
    Rule(
        "weekday_week",
        'WEEKDAY UNIT !(SMALL_NUMBER | "-" | "of" | "\'" | LATER | "ago" | ANY_WEEKDAY | DAYPART | IN | BEFORE)',
        "They meet on [Monday week].",
        "1998-03-16",
    ),
    Rule("hyphened_day", 'TO "-" (UNIT | DAYPART | "morrow")', "We march [to-morrow].", "1998-03-06"),
    Rule("half_of_day", "(THIS | TODAY | WEEKDAY) AM_PM", "The drains came out [this AM].", "1998-03-05TMO"),
    Rule(
        "unit_last_year",
        "THIS UNIT (LAST | NEXT) UNIT",
        "[This day last year] it snowed.",
        "1997-03-05",
    ),
    Rule(
        "reign_years",
        '<("(" OTHER ".") (SMALL_NUMBER | THREE_DIGITS) &("-" (SMALL_NUMBER | THREE_DIGITS | YEAR) ")")'
        ' | <("(" OTHER "." (SMALL_NUMBER | THREE_DIGITS) "-") (SMALL_NUMBER | THREE_DIGITS | YEAR) &")"',
        "Trajan (r. [98]-117) won.",
        "0098",
    ),
    Rule(
        "half_hour",
        'HALF NUMBER_WORD !(UNIT | "-" | NUMBER_WORD | "of" | AM_PM | OCLOCK | LAST)'
        ' ((IN "the" | THIS) DAYPART | TODAY)?',
        "They met at [half seven].",
        "1998-03-05T07:30",
    ),
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
    Rule("short_year", '"oh" NUMBER_WORD !("-" | NUMBER_WORD | UNIT)', "They came back in [oh four].", "2004"),
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
        "half_of_month",
        '"the"? (ORDINAL | LAST) HALF "of" MONTH (","? "of"? YEAR)?',
        "It rained in [the second half of July 1997].",
        "1997-07",
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
        '(DAY "of"?)? (CALENDAR_MONTH | HOLIDAY) ","? (UNIT | A)? (YEAR_NUMBER | ROMAN) HIJRI?'
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
    Rule("bare_half", "HALF_CODE", "Sales for [H1] rose.", "1998-H1"),
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
    Rule(
        "dotted_hours",
        'LARGE_NUMBER &("-" LARGE_NUMBER !UNIT) | <(LARGE_NUMBER "-") LARGE_NUMBER !UNIT',
        "Open today [9.30]-17.00.",
        "1998-03-05T09:30",
    ),
    Rule("dotted_clock", "<IN LARGE_NUMBER !AM_PM", "Doors open today at [13.00].", "1998-03-05T13:00"),
    Rule(
        "first_hour",
        'SMALL_NUMBER &(("-" | TO | AND) (CLOCK | SMALL_NUMBER AM_PM) !UNIT)',
        "They meet at [9]-10am.",
        "1998-03-05T09:00",
    ),
    Rule("nights_ago", '(NUMBER | A | A? FEW) DAYPART "ago"', "It began [two nights ago].", "1998-03-03TNI"),
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
        '<(WEEKDAY | SHORT_WEEKDAY) SMALL_NUMBER &("-" SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER))'
        ' | <((WEEKDAY | SHORT_WEEKDAY) ",") SMALL_NUMBER'
        ' &("-" SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER))',
        "Open Mon-Fri [9]-5.",
        "1998-03-13T09:00",
    ),
    Rule(
        "weekday_hours",
        '<((WEEKDAY | SHORT_WEEKDAY) SMALL_NUMBER "-") SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER)'
        ' | <((WEEKDAY | SHORT_WEEKDAY) "," SMALL_NUMBER "-") SMALL_NUMBER'
        ' !(UNIT | "-" | MONTH | AM_PM | "/" | NUMBER)',
        "Open Mon-Fri 9-[5].",
        "1998-03-13T17:00",
    ),
    Rule(
        "hours_between",
        '<BEFORE SMALL_NUMBER &(AND SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "of" | "/" | CURRENCY | NUMBER))'
        ' | <(BEFORE SMALL_NUMBER AND) SMALL_NUMBER !(UNIT | "-" | MONTH | AM_PM | "of" | "/" | CURRENCY | NUMBER)',
        "Come on Friday between [10] and 2.",
        "1998-03-06T10:00",
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
    Rule(
        "military",
        '(MILITARY | YEAR) &(("-" | TO) (MILITARY | YEAR) ZONE)',
        "Gales from [1200] to 1800 UTC.",
        "1998-03-05T12:00",
    ),
    Rule("military", "<MONTH_NAME MILITARY", "Depart on 14MAY [0935].", "1998-05-14T09:35"),
    Rule("military", "<(MILITARY AND) (MILITARY | YEAR) !UNIT", "High tide is at 0614 and [1839].", "1998-03-05T18:39"),
    Rule("military", '<(MILITARY "-") MILITARY', "It ran 0730-[0930].", "1998-03-05T09:30"),
    Rule("military", "MILITARY", "They left at [0715].", "1998-03-05T07:15"),
)
