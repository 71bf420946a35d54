"""The Dutch grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from epochal.reading.dutch import functions  # noqa: F401 - importing it registers its rule functions
from epochal.reading.dutch.clocks import CLOCKS
from epochal.reading.grammar import Rule

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    "CARDINAL": "SMALL_NUMBER | NUMBER_WORD+ | A",
    "NUMBER": (
        "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | FRACTION | YEAR | NUMBER_WORD+ | A NUMBER_WORD | A"
    ),
    # drie, een paar, een half, twee en een half
    "AMOUNT": "(NUMBER | A? FEW) (AND? A? HALF | FRACTION)? | A? HALF",
    "DAY_NUMBER": "SMALL_NUMBER | ORDINAL | NUMBER_WORD",
    "HOUR_NUMBER": "SMALL_NUMBER | NUMBER_WORD",
    "ANY_YEAR": "YEAR | SHORT_YEAR",
    "TURN": "LAST | NEXT | THIS",
    "ANY_UNIT": "UNIT | HOUR_WORD",
    # in de namiddag, 's avonds
    "DAY_TIME": '("in" ARTICLE | ARTICLE)? DAYPART | "in" ARTICLE MORROW',
    "DATE": "DAY | PERIOD",
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    # what may come between a date and its clock time, or a weekday and its date
    "GLUE": '"om" | "," | ARTICLE | "op" | "in" | "van" | "voor"',
    "FROM": '"van" | "vanaf"',
    "TO": '("-" | TILL) ("om" | "op" | ARTICLE | "in" ARTICLE?)?',
}

_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    Rule("no_time", '(NUMBER "-"? JARIG)', "De [57-jarige] schrijver kwam.", None),
    Rule("no_time", '"leeftijd" "van" NUMBER UNIT', "Hij stierf op de [leeftijd van 80 jaar].", None),
    Rule("no_time", 'NUMBER UNIT "oud"', "Zij is [80 jaar oud].", None),
    Rule("dutch_age", '"van" NUMBER ((TILL | "-") NUMBER)? UNIT', "Een man [van 34 jaar] raakte gewond.", None),
    Rule(
        "dutch_age_of_verb",
        '<("is" | "was" | "wordt" | "werd") NUMBER UNIT &("," | "." | AND | "!" | "?")',
        "Zij is [34 jaar] en werkt.",
        None,
    ),
    Rule(
        "dutch_short_day",
        '<!("op" | TILL | "vanaf" | "-" | "/" | EVERY | TURN) <!(DAY ("," | AND)) WEEKDAY'
        ' !("."? ","? ARTICLE? (SMALL_NUMBER !OTHER | DAY_MONTH | NUMERIC_DATE | CLOCK | ORDINAL | DECIMAL | "om")'
        ' | "."? ("-" | "/" | TILL | AND | ",") WEEKDAY | DAYPART | MORROW) (&ANY | <(ANY WEEKDAY))',
        "Zo ging het, en [ma] belde.",
        None,
    ),
    *CLOCKS,
    # ------------------------------------------------ dates
    Rule(
        "year_words",
        'DAY_NUMBER? MONTH_NAME NUMBER_WORD | <("in" | UNIT) NUMBER_WORD',
        "Geboren op [vijf maart negentienhonderdtachtig].",
        "1980-03-05",
    ),
    Rule(
        "date",
        'DAY_NUMBER ("van")? MONTH_NAME ("," | "van" | "in")? ANY_YEAR ERA?',
        "Op [14 mei 2024] was het warm.",
        "2024-05-14",
    ),
    Rule(
        "date",
        "DAY_NUMBER MONTH_NAME (SMALL_NUMBER | THREE_DIGITS) ERA",
        "Op [10 augustus 113 v.Chr.] begon het.",
        "BC0113-08-10",
    ),
    Rule(
        "date_short_year",
        'DAY_NUMBER MONTH_NAME SMALL_NUMBER !(HOUR_MARK | HOUR_WORD | UNIT | "-" | ANY_YEAR)',
        "Vrijdag [18 juli 14]",
        "2014-07-18",
    ),
    Rule(
        "dutch_early_date",
        "DAY_NUMBER MONTH_NAME THREE_DIGITS !(UNIT | HOUR_WORD)",
        "Hij stierf op [28 januari 814].",
        "0814-01-28",
    ),
    Rule(
        "date",
        "DAY_NUMBER MONTH_NAME (LAST | NEXT) !(UNIT | HOUR_WORD | MONTH_NAME | WEEKDAY | SEASON | NUMBER)",
        "Op [7 december jl.] sneeuwde het.",
        "1997-12-07",
    ),
    Rule("date", 'DAY_NUMBER ("van")? MONTH_NAME', "Op [7 december] sneeuwde het.", "1997-12-07"),
    Rule(
        "range_of_days",
        'MONTH_NAME SMALL_NUMBER "-" SMALL_NUMBER !("-" | UNIT | HOUR_WORD)',
        "Ik ben afwezig [november 19-20]",
        "1998-11-19/1998-11-20",
    ),
    Rule("date", 'DAY_NUMBER ("-" | "/") MONTH_NAME ("-" | "/") ANY_YEAR', "Geldig vanaf [12-mrt-2014].", "2014-03-12"),
    Rule("date", 'MONTH_NAME ARTICLE ORDINAL (","? YEAR)?', "Tot [november de 15e]", "1998-11-15"),
    Rule("date", 'MONTH_NAME DAY_NUMBER ","? YEAR', "Gent, [april 14, 2015]", "2015-04-14"),
    Rule(
        "date",
        'MONTH_NAME (SMALL_NUMBER | ORDINAL) !(HOUR_MARK | HOUR_WORD | UNIT | "-" SMALL_NUMBER | OTHER | MONTH_NAME)',
        "Maandag, [februari 18]",
        "1999-02-18",
    ),
    Rule(
        "date",
        'PART? ("van")? MONTH_NAME ("van" ARTICLE? UNIT? | ",")? ANY_YEAR ERA?',
        "Het begon [begin mei 1997].",
        "1997-05",
    ),
    Rule("dutch_half_month", "HALF MONTH_NAME ANY_YEAR?", "Het begon [half mei 1997].", "1997-05"),
    Rule("numeric_date", "NUMERIC_DATE", "Het contract loopt vanaf [1-7-2024].", "2024-07-01"),
    Rule(
        "numeric_date",
        '<("op" | "vanaf" | TILL | ARTICLE | "van" | "-" | "tussen") DAY_MONTH !(OTHER | UNIT | HOUR_WORD)'
        ' | <DAY DAY_MONTH !HOUR_WORD | <(DAY ",") DAY_MONTH | <!ANY DAY_MONTH !(OTHER | UNIT | HOUR_WORD)'
        ' | DAY_MONTH &(DAYPART | CLOCK | "om" | TILL DAY_MONTH | "-" DAY_MONTH)',
        "Dat was op [24/11] in Bonn.",
        "1997-11-24",
    ),
    Rule("dutch_padded_date", "DAY_MONTH !(UNIT | HOUR_WORD)", "Zij ging [22/04] terug.", "1997-04-22"),
    Rule(
        "month_number_date",
        '<(DAY | "op") SMALL_NUMBER "-" SMALL_NUMBER !("-" | HOUR_WORD | UNIT)'
        ' | <("tussen" | "van" | "vanaf") SMALL_NUMBER "-" SMALL_NUMBER'
        ' &((AND | TILL) SMALL_NUMBER "-" SMALL_NUMBER !("-" | HOUR_WORD | UNIT))'
        ' | <(DAY (AND | TILL)) SMALL_NUMBER "-" SMALL_NUMBER !("-" | HOUR_WORD | UNIT)',
        "Vrijdag [27-2] was het koud.",
        "1998-02-27",
    ),
    Rule(
        "date",
        'WEEKDAY ","? ARTICLE ORDINAL !(OTHER | UNIT | MONTH_NAME | WEEKDAY | "van")',
        "Zij komt op [woensdag de eerste].",
        "1998-04-01",
    ),
    Rule(
        "date",
        'WEEKDAY SMALL_NUMBER !(OTHER | UNIT | HOUR_WORD | HOUR_MARK | MONTH_NAME | NUMBER_WORD | "-" | "/" | ":" | "."'
        ' | DAYPART | AM_PM | TILL | "van" MONTH_NAME)',
        "Wij komen op [vrijdag 27]!",
        "1998-03-27",
    ),
    Rule(
        "dutch_day",
        '<("op" ARTICLE) (ORDINAL | SMALL_NUMBER) !(OTHER | UNIT | HOUR_WORD | MONTH_NAME | WEEKDAY | SHARE | "-" | "/"'
        ' | "van" (EVERY | TURN | MONTH_NAME))',
        "Zij komt op de [15de].",
        "1998-03-15",
    ),
    # ------------------------------------------------ years and longer
    Rule("decade", "(PART ARTICLE?)? DECADE UNIT? ERA?", "In de [1920er jaren] bloeide de kunst.", "192"),
    Rule(
        "dutch_decade",
        '(PART ("van" ARTICLE | ARTICLE)?)? UNIT (NUMBER_WORD | SHORT_YEAR) "van" ARTICLE LAST UNIT',
        "In de [jaren vijftig van de vorige eeuw] groeide het.",
        "195",
    ),
    Rule(
        "dutch_decade",
        '(PART ("van" ARTICLE | ARTICLE)?)? UNIT (NUMBER_WORD | SMALL_NUMBER | YEAR | SHORT_YEAR) !(UNIT)',
        "In de [jaren twintig] bloeide de kunst.",
        "192",
    ),
    Rule(
        "century_in_list",
        'ORDINAL &(("," | AND | OR | "-" | TILL) ARTICLE? ORDINAL UNIT)',
        "In de [15e] en 16e eeuw bloeide het.",
        "14",
    ),
    Rule("century", '(PART "van"? ARTICLE?)? ORDINAL UNIT ERA?', "Hij leefde in de [18e eeuw] in Gent.", "17"),
    Rule(
        "ordinal_of_year",
        'ORDINAL UNIT (("van" ARTICLE? UNIT?)? ANY_YEAR)?',
        "In het [derde kwartaal van 2018] steeg het.",
        "2018-Q3",
    ),
    Rule("quarter", 'YEAR ("-" | "/")? QUARTER', "De omzet in [2018 Q3] steeg.", "2018-Q3"),
    Rule("quarter", "QUARTER ANY_YEAR?", "De omzet in [Q3 2018] steeg.", "2018-Q3"),
    Rule("week_number", 'UNIT SMALL_NUMBER !UNIT ("/"? ("van")? ANY_YEAR)?', "Levering in [week 32].", "1998-W32"),
    Rule(
        "year_of_era",
        "(UNIT | ABOUT | AROUND | PART)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) ERA",
        "Het begon in [466 v.Chr.].",
        "BC0466",
    ),
    Rule(
        "dutch_year",
        '(PART ("van" ARTICLE? | ARTICLE)? UNIT? | UNIT | ABOUT | AROUND)? (YEAR | SHORT_YEAR) !("-"? JARIG)'
        " !(UNIT | HOUR_WORD)",
        "Het begon [eind 1997].",
        "1997",
    ),
    Rule(
        "year_of_unit",
        "UNIT (THREE_DIGITS | SMALL_NUMBER) !(UNIT | MONTH_NAME | HOUR_MARK | HOUR_WORD)",
        "In het [jaar 731] schreef hij.",
        "0731",
    ),
    # ------------------------------------------------ sets
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "Op de [derde dinsdag] van maart.", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "In de [eerste week] van oktober.", "1998-W40"),
    Rule(
        "every",
        "EVERY (AMOUNT | ORDINAL)? (ANY_UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART | MORROW)",
        "Zij komt [elke twee weken].",
        "P2W",
    ),
    Rule("dutch_half_hourly", '"om" ARTICLE HALF HOUR_WORD', "Hij gaat [om het half uur].", "PT30M"),
    Rule("every", '"om" ARTICLE HOUR_WORD', "De bus gaat [om het uur].", "PT1H"),
    Rule("every", '"om" ARTICLE OTHER_WORD UNIT', "Zij komt [om de andere dag].", "P2D"),
    Rule("dutch_every_other", '"om" ARTICLE UNIT', "Zij komt [om de dag].", "P2D"),
    Rule("each_month", 'ORDINAL "van" EVERY UNIT', "Zij betaalt op de [19e van elke maand].", "XXXX-XX-19"),
    Rule(
        "how_often",
        '(NUMBER? TIMES) ("per" | "in" ARTICLE) UNIT',
        "Zij komt [twee keer per week].",
        "P1W",
    ),
    Rule("every", '"om" ARTICLE AMOUNT ANY_UNIT', "Zij komt [om de drie weken].", "P3W"),
    Rule("frequency", "FREQUENCY", "Het verschijnt [wekelijks].", "P1W"),
    Rule("every_weekday", "WEEKDAY_SET", "[Zondags] is het dicht.", "XXXX-WXX-7"),
    # ------------------------------------------------ last, this, next
    Rule("rolling", "(LAST | NEXT) (NUMBER | A? FEW) ANY_UNIT", "De [laatste twee dagen] sneeuwde het.", "P2D"),
    Rule("rolling", "NUMBER (LAST | NEXT) UNIT", "De [twee afgelopen dagen] sneeuwde het.", "P2D"),
    Rule("dutch_hour", "(LAST | NEXT) HOUR_WORD", "Het [afgelopen uur] sneeuwde het.", "PT1H"),
    Rule("dutch_plural", "(LAST | NEXT) UNIT", "In de [laatste jaren] steeg het.", "PXY"),
    Rule(
        "pointed_unit",
        "POINTING UNIT !JARIG",
        "Hij kwam op 6 juni 1944. De [daaropvolgende dag] ging hij.",
        "1944-06-07",
    ),
    Rule("dutch_counted", "<ARTICLE UNIT AFTERWARDS", "Hij stierf in 1944. Het [jaar ervoor] kwam hij.", "1943"),
    Rule("unit", "TURN WHOLE? UNIT", "Zij kwam [vorige week].", "1998-W09"),
    Rule("weekday_part", "TURN WEEKDAY (DAYPART | MORROW)", "Zij kwam [vorige vrijdagavond].", "1998-02-27TEV"),
    Rule("dutch_weekday", "(LAST | NEXT) WEEKDAY", "Zij komt [volgende vrijdag].", "1998-03-13"),
    Rule("weekday", "TURN WEEKDAY | WEEKDAY (LAST | NEXT) !UNIT", "Zij kwam [afgelopen vrijdag].", "1998-02-27"),
    Rule("date", "TURN DAY_NUMBER? MONTH_NAME", "Hij begon [afgelopen november].", "1997-11"),
    Rule("season", "TURN SEASON ANY_YEAR?", "Zij kwam [vorige zomer].", "1997-SU"),
    Rule("holiday", "TURN? HOLIDAY ANY_YEAR?", "Zij komt met [Pasen 1999].", "1999-04-04"),
    Rule("daypart", "TURN (DAYPART | MORROW)", "Het gebeurde [afgelopen nacht].", "1998-03-04TNI"),
    Rule("part_unit", "PART_UNIT ANY_YEAR?", "Zij gaat voor [jaareinde].", "1998"),
    # ------------------------------------------------ today
    Rule("today_morning", "TODAY MORROW", "Zij kwam [gisterenmorgen].", "1998-03-04TMO"),
    Rule("today", 'TODAY ((ARTICLE | "in" ARTICLE)? DAYPART)?', "[Gisteren] regende het.", "1998-03-04"),
    Rule("weekday_part", "WEEKDAY (DAYPART | MORROW)", "Zij kwam op [vrijdagavond].", "1998-02-27TEV"),
    Rule("weekday", "WEEKDAY", "De vergadering is op [dinsdag].", "1998-03-10"),
    Rule(
        "season",
        '(PART "van"? ARTICLE?)? SEASON ("van" | "in")? (ARTICLE? UNIT)? ANY_YEAR | (PART "van"? ARTICLE?)? SEASON',
        "Zij kwam in de [zomer van 1990].",
        "1990-SU",
    ),
    # ------------------------------------------------ amounts
    Rule("glued_duration", "A NUMBER_WORD UNIT", "Het was [een driedaagse] reis.", "P3D"),
    Rule("duration", "(ABOUT | MORE)? AMOUNT WHOLE? ANY_UNIT (AND? A HALF)?", "Het duurde [twee jaar].", "P2Y"),
    Rule("duration", '(SMALL_NUMBER | NUMBER_WORD) "-" UNIT', "Het was een [3-daagse] reis.", "P3D"),
    Rule("duration", "<ARTICLE WHOLE UNIT", "Hij was de [hele maand] weg.", "P1M"),
    Rule("weekend", "<ARTICLE UNIT", "In het [weekend] ben ik weg.", "1998-W10-WE"),
    Rule("daypart_morning", "<ARTICLE MORROW", "Zij kwam in de [morgen].", "TMO"),
    Rule("daypart", "PART? DAYPART", "Zij kwam in de [namiddag].", "TAF"),
    Rule("tomorrow", "MORROW DAYPART?", "[Morgen] schijnt de zon.", "1998-03-06"),
    Rule("dutch_month", 'PART? "van"? MONTH_NAME', "Het begon in [november].", "1997-11"),
    Rule("reference", "EXACTLY? NOW", "[Nu] is het te laat.", "PRESENT_REF"),
)

_DURATIONS = (Rule("durations", 'DURATION ("," | AND)? DURATION', "Het duurde [twee jaar en drie maanden].", "P2Y3M"),)

_COUNTED = (
    Rule("ago", 'DURATION "geleden"', "Zij kwam [drie dagen geleden].", "1998-03-02"),
    Rule(
        "ahead",
        '("over" | "in" | "binnen" ARTICLE?) (ABOUT | MORE)? DURATION',
        "Zij komt [over twee weken].",
        "1998-W12",
    ),
    Rule("ahead", '<!ANY "+" DURATION', "[+2 weken]", "1998-W12"),
    Rule("ago", '<!ANY "-" DURATION !ANY', "[-3 dagen]", "1998-03-02"),
    Rule("ahead", 'DURATION "vanaf" REFERENCE', "[Twee dagen vanaf nu] begint het.", "1998-03-07"),
    Rule("after_time", 'DURATION "gerekend"? "vanaf" DAY', "[Twee dagen vanaf morgen] begint het.", "1998-03-08"),
    Rule(
        "dutch_counted",
        "DURATION AFTERWARDS",
        "Hij kwam op 6 juni 1944. [Twee dagen later] ging hij.",
        "1944-06-08",
    ),
    Rule("part_of", 'PART "van"? ARTICLE? (PERIOD | DAY)', "Zij kwam [eind vorige week].", "1998-W09"),
    Rule("dutch_rest", 'REST "van" ARTICLE UNIT', "De [rest van de week] sneeuwt het.", "1998-03-05/1998-03-08"),
    Rule(
        "dutch_day_of_month",
        '<ARTICLE ORDINAL "van" ARTICLE UNIT !("van" | YEAR)',
        "Zij betaalt de [15e van de maand].",
        "1998-03-15",
    ),
    Rule("this_part", 'PART "van" ARTICLE UNIT', "Zij gaat [eind van de maand].", "1998-03"),
    Rule(
        "about",
        '(ABOUT | AROUND | EXACTLY) ("om")? (TIME | MOMENT | PERIOD | DAY)',
        "Zij komt [rond 18:00 uur].",
        "T18:00",
    ),
)

_CLOCKS = (
    Rule(
        "range_of_digits",
        '(THREE_DIGITS | YEAR) "-" TIME',
        "We zijn [630-930am] open.",
        "1998-03-05T06:30/1998-03-05T09:30",
    ),
    Rule(
        "range_of",
        "FROM? TIME TO TIME",
        "Hij is er [van 9:30 tot 11:00].",
        "1998-03-05T09:30/1998-03-05T11:00",
    ),
    Rule(
        "range_of_numbers",
        "FROM? (SMALL_NUMBER | NUMBER_WORD) TO TIME",
        "Hij is er [van 9 tot 17 uur].",
        "1998-03-05T09/1998-03-05T17",
    ),
)

_JOINED = (
    Rule(
        "night_between",
        'TIME "van" (DAY | SMALL_NUMBER) "op" DAY',
        "In de [nacht van vrijdag op zaterdag] sneeuwt het.",
        "1998-03-06TNI",
    ),
    Rule("day_after", 'UNIT "na" DAY', "De [dag na Pasen 1999] kwam hij.", "1999-04-05"),
    Rule("day_before", 'UNIT "voor" DAY', "De [dag voor Pasen 1999] kwam hij.", "1999-04-03"),
    Rule(
        "day_of_unit",
        '(SMALL_NUMBER | ORDINAL) "van" PERIOD | PERIOD "op" ARTICLE ORDINAL',
        "Zij komt op de [20e van volgende maand].",
        "1998-04-20",
    ),
    Rule("weekday_after", 'DAY "na" ARTICLE? DAY', "De [tweede zondag na Pasen 1999] kwam hij.", "1999-04-18"),
    Rule("weekday_before", 'DAY "voor" ARTICLE? DAY', "De [zaterdag voor Pinksteren 1999] kwam hij.", "1999-05-22"),
    Rule(
        "units_of_period",
        '(WINDOW | ORDINAL DURATION) "van" (ARTICLE UNIT)? PERIOD',
        "In de [laatste vier maanden van 1997] steeg het.",
        "1997-09/1997-12",
    ),
    Rule(
        "days_of_period",
        'PERIOD "van" (SMALL_NUMBER | ORDINAL) ("-" | TILL) (SMALL_NUMBER | ORDINAL)',
        "Ik ben [volgende maand van 4 tot 23] weg.",
        "1998-04-04/1998-04-23",
    ),
    Rule(
        "listed_day",
        '<!"tussen" <!("tussen" ARTICLE) (SMALL_NUMBER | ORDINAL)'
        ' &(("," | AND | OR){1,2} ((SMALL_NUMBER | ORDINAL) ("," | AND | OR){1,2}){0,6} DAY)',
        "Op 3, [4] en 5 mei 1997 was het dicht.",
        "1997-05-04",
    ),
    Rule(
        "share_of",
        '(ORDINAL | LAST) SHARE "van" ARTICLE? PERIOD',
        "In de [eerste helft van de 18e eeuw] bloeide het.",
        "1700/1749",
    ),
    Rule("after_time", 'DURATION "na" ARTICLE? (DAY | PERIOD)', "[Twee dagen na 5 mei 2020] kwam hij.", "2020-05-07"),
    Rule(
        "before_time", 'DURATION "voor" ARTICLE? (DAY | PERIOD)', "[Twee dagen voor Pasen 2020] kwam hij.", "2020-04-10"
    ),
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} (DAY | PERIOD | TIME | MOMENT)",
        "[Vrijdag 18 juli 2014].",
        "2014-07-18",
    ),
)

_RANGES = (
    Rule(
        "range_of",
        "FROM? ARTICLE? NODE TO (NODE | REFERENCE)",
        "Hij is [van 4 mei tot 6 mei] weg.",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of",
        '"tussen" ARTICLE? (NODE | REFERENCE) AND ARTICLE? (NODE | REFERENCE)',
        "[Tussen maart en mei 1997] was het droog.",
        "1997-03/1997-05",
    ),
    Rule(
        "range_to_day",
        "FROM? DAY TO (SMALL_NUMBER | ORDINAL) !(OTHER | UNIT | HOUR_WORD | HOUR_MARK | MONTH_NAME | NUMBER_WORD)",
        "Hij is weg [van 9 mei tot de zeventiende].",
        "1998-05-09/1998-05-17",
    ),
    Rule(
        "range_of_numbers",
        "FROM? ARTICLE? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) TO (DAY | TIME | MOMENT)",
        "Hij is [van 4 tot 6 mei] weg.",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of_numbers",
        '"tussen" ARTICLE? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) AND ARTICLE? (DAY | TIME | MOMENT)',
        "Ik ben [tussen 4 en 7 mei] weg.",
        "1998-05-04/1998-05-07",
    ),
    Rule(
        "range_of_hours",
        '(DAY | MOMENT) GLUE? (FROM HOUR_NUMBER TO HOUR_NUMBER | "tussen" HOUR_NUMBER (AND | "-") HOUR_NUMBER) !UNIT',
        "Ik ben [morgen van vijf tot zeven] weg.",
        "1998-03-06T05/1998-03-06T07",
    ),
    Rule(
        "range_of_hours",
        '(FROM HOUR_NUMBER TO HOUR_NUMBER | "tussen" HOUR_NUMBER (AND | "-") HOUR_NUMBER) GLUE? (DAY | MOMENT | TIME)',
        "Ik ben [tussen 5 en 7 morgenavond] weg.",
        "1998-03-06T17/1998-03-06T19",
    ),
    Rule("since", '("vanaf" | "na" | "sinds") ("om")? TIME', "We zijn [vanaf 14 uur] open.", "1998-03-05T14/.."),
    Rule("until", '(TILL | "voor" | "uiterlijk") ("om")? TIME', "We zijn [tot 11 uur] open.", "../1998-03-05T11"),
)

_DAYS = (
    Rule("set_and_time", "SET GLUE{0,2} TIME", "Zij komt [elke maandag om 16:00].", "XXXX-WXX-1T16:00"),
    Rule("join", "(DAY | MOMENT) GLUE{0,2} RANGE", "[Vrijdag 9:30 tot 11:00]", "1998-03-06T09:30/1998-03-06T11:00"),
    Rule(
        "join",
        "RANGE GLUE{0,2} (DAY | MOMENT) !(GLUE? (RANGE | TIME))",
        "[9:30 tot 11:00 op vrijdag]",
        "1998-03-06T09:30/1998-03-06T11:00",
    ),
)

#: The rules, layer by layer.
LAYERS = (_WORDS, _DURATIONS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
