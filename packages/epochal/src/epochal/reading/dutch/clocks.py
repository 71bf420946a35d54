"""The rows of the Dutch grammar that read clock times."""

from __future__ import annotations

from epochal.reading.grammar import Rule

#: Clock times, in digits and in words; tried before the rows of dates.
CLOCKS = (
    Rule(
        "clock",
        "(CLOCK (HOUR_WORD | HOUR_MARK)? | (DAY_MONTH | DECIMAL) (HOUR_MARK | HOUR_WORD &(DAY_TIME)) | DECIMAL AM_PM)"
        " (AM_PM | (ZONE)? DAY_TIME | ZONE)?",
        "We zien elkaar om [17:15 uur].",
        "T17:15",
    ),
    Rule(
        "dutch_clock",
        '<("om" | "vanaf" | TILL | AROUND | EXACTLY) (DAY_MONTH | DECIMAL) HOUR_WORD? DAY_TIME? !UNIT'
        ' | <("voor" | "na") DECIMAL HOUR_WORD? DAY_TIME? !UNIT | <SET (DAY_MONTH | DECIMAL) !(UNIT | OTHER)',
        "Op 30/8 om [6.40 uur].",
        "1998-08-30T06:40",
    ),
    Rule(
        "dutch_clock",
        '<("van" | "tussen") (DAY_MONTH | DECIMAL) &((TILL | AND | "-") (DAY_MONTH | DECIMAL) !("/" | UNIT))'
        ' | (DAY_MONTH | DECIMAL) &("-" (DAY_MONTH | DECIMAL) HOUR_WORD)'
        ' | <(TIME AND) (DAY_MONTH | DECIMAL) HOUR_WORD? | <("tussen" SMALL_NUMBER AND) DECIMAL !UNIT',
        "Vrijdag tussen [15.00] en 17.00.",
        "1998-03-06T15:00/1998-03-06T17:00",
    ),
    Rule(
        "dutch_clock",
        '(DAY_MONTH | DECIMAL) HOUR_WORD !("lang" | "geleden" | AFTERWARDS | "per")',
        "De trein van [7.42 uur] rijdt niet.",
        "T07:42",
    ),
    Rule(
        "dutch_clock_digits",
        "(YEAR | THREE_DIGITS) AM_PM",
        "De trein vertrekt om [1140 a.m.]",
        "T11:40",
    ),
    Rule(
        "clock_past_half",
        '(CARDINAL UNIT? | QUARTER_HOUR) "over" HALF CARDINAL !UNIT DAY_TIME?',
        "Om [vijf over half drie].",
        "T02:35",
    ),
    Rule(
        "clock_to_half",
        '(CARDINAL UNIT? | QUARTER_HOUR) "voor" HALF CARDINAL !UNIT DAY_TIME?',
        "Om [vijf voor half drie].",
        "T02:25",
    ),
    Rule(
        "clock_half_before",
        "HALF CARDINAL !(UNIT | MONTH_NAME) (HOUR_WORD | HOUR_MARK)? DAY_TIME?",
        "Het is [half drie].",
        "T02:30",
    ),
    Rule(
        "clock_past",
        '(CARDINAL UNIT? | QUARTER_HOUR) "over" CARDINAL !UNIT (HOUR_WORD | HOUR_MARK)? DAY_TIME?',
        "Om [kwart over drie].",
        "T03:15",
    ),
    Rule(
        "clock_to",
        '(CARDINAL UNIT? | QUARTER_HOUR) "voor" CARDINAL !UNIT (HOUR_WORD | HOUR_MARK)? DAY_TIME?',
        "Om [tien voor drie uur].",
        "T02:50",
    ),
    Rule(
        "clock_hour",
        "(ABOUT | AROUND)? CARDINAL (HOUR_MARK | HOUR_WORD) (SMALL_NUMBER !(UNIT | MONTH_NAME))?"
        " (DAY_TIME | AM_PM | ZONE)",
        "Zij kwam om [3 uur 's middags].",
        "T15",
    ),
    Rule(
        "clock_hour",
        "SMALL_NUMBER AM_PM",
        "De vergadering is om [3 pm].",
        "T15",
    ),
    Rule(
        "clock_hour",
        '<("om" | "vanaf" | TILL | "voor" | "-" | AROUND | EXACTLY | DAY'
        ' | "is") CARDINAL'
        ' (HOUR_MARK | HOUR_WORD !("lang" | "geleden" | AFTERWARDS | AND | DURATION | "per" | "na" | "voor"))'
        " (CARDINAL !(UNIT | MONTH_NAME | HOUR_MARK | HOUR_WORD))? DAY_TIME?",
        "De trein vertrekt om [15 uur].",
        "T15",
    ),
    Rule("dutch_clock_tonight", "CARDINAL (HOUR_MARK | HOUR_WORD) &TODAY", "[8 uur] vanavond.", "1998-03-05T20:00"),
    Rule(
        "clock_hour",
        'CARDINAL HOUR_WORD NUMBER_WORD !(UNIT | HOUR_WORD | MONTH_NAME | NUMBER_WORD | "-" | AND)',
        "[Zeven uur dertig]",
        "T07:30",
    ),
    Rule("clock_hour", '<"na" SMALL_NUMBER HOUR_WORD', "Bel mij na [18 uur].", "1998-03-05T18/.."),
    Rule(
        "clock_hour",
        '<(DAY "om") SMALL_NUMBER !(UNIT | HOUR_WORD | MONTH_NAME | "," | "/" | "-" | AM_PM | ":" | DAY_TIME)',
        "Zij komt vrijdag om [4] terug.",
        "1998-03-06T04:00",
    ),
    Rule("clock_hour", '<"om" CARDINAL DAY_TIME', "Zij kwam om [drie in de middag].", "T15"),
    Rule(
        "clock_hour",
        '<"om" CARDINAL !(OTHER | UNIT | HOUR_WORD | MONTH_NAME | WEEKDAY | FEW | A | CARDINAL | "," | "/" | DECIMAL'
        ' | "van" | TIMES | ORDINAL | YEAR)',
        "We treffen elkaar vanavond om [8]",
        "1998-03-05T20:00",
    ),
)
