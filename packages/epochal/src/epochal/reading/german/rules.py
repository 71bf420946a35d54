"""The German grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from epochal.reading.german import functions  # noqa: F401 - importing it registers its rule functions
from epochal.reading.grammar import Rule

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    "CARDINAL": "SMALL_NUMBER | NUMBER_WORD+ | A",
    "NUMBER": (
        "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | FRACTION | YEAR | NUMBER_WORD+ | A NUMBER_WORD | A"
    ),
    # drei, ein paar, eine halbe, zwei ein halb
    "AMOUNT": "(NUMBER | A? FEW) (AND? A? HALF | A HALB | FRACTION)? | A? HALF",
    "DAY_NUMBER": 'SMALL_NUMBER "."? | ORDINAL',
    "MONTH": 'MONTH_NAME "."?',
    "ANY_YEAR": "YEAR | SHORT_YEAR",
    "TURN": "LAST | NEXT | THIS",
    # am Nachmittag, in der Früh, morgens, heute Morgen
    "DAY_TIME": '("am" | "zu" | "in" ARTICLE)? (DAYPART MORNING? | MORNING DAYPART?) | "am" MORROW',
    "DATE": "DAY | PERIOD",
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    # what may come between a date and its clock time, or a weekday and its date
    "GLUE": '"um" | "," | ARTICLE | "am" | "im" | "in" | "von" | "vom" | "zu"',
    "FROM": '"von" | "vom" | "ab" ARTICLE?',
    "TO": '("-" | "bis") ("zum" | "zur" | ARTICLE | "um" | "in" ARTICLE? | "am")? | "auf" ARTICLE?',
}

_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    Rule("no_time", '(NUMBER "-"? JAEHRIG)', "Die [57-jährige] Autorin kam.", None),
    Rule("no_time", '"alter" "von" NUMBER UNIT', "Er starb im [Alter von 80 Jahren].", None),
    Rule("no_time", 'NUMBER UNIT "alt"', "Sie ist [80 Jahre alt].", None),
    Rule("german_age", '("ab" | "unter") NUMBER UNIT', "Der Eintritt ist [ab 16 Jahren] frei.", None),
    Rule(
        "german_short_day",
        '<!("am" | "bis" | "ab" | "vom" | "zum" | "-" | "/" | EVERY | TURN) <!(DAY ("," | AND)) WEEKDAY'
        ' !("."? ","? ARTICLE? (SMALL_NUMBER !OTHER | DAY_MONTH | NUMERIC_DATE | CLOCK | ORDINAL | DECIMAL)'
        ' | "."? ("-" | "/" | "bis" | AND | ",") WEEKDAY | DAYPART | MORNING | MORROW) &ANY',
        "[So] kam es, und Fr. Maier ging.",
        None,
    ),
    # ------------------------------------------------ clock times
    Rule(
        "clock",
        "(CLOCK HOUR_MARK? | (DAY_MONTH | DECIMAL) HOUR_MARK | DECIMAL AM_PM) (AM_PM | (ZONE)? DAY_TIME | ZONE)?",
        "Wir treffen uns um [17.15 Uhr].",
        "T17:15",
    ),
    Rule(
        "german_clock",
        '<"um" (DAY_MONTH | DECIMAL) !(UNIT | NUMBER_WORD)',
        "Am 30.8. um [6.40] fuhr er los.",
        "1997-08-30T06:40",
    ),
    Rule("german_split_clock", "SMALL_NUMBER SMALL_NUMBER HOUR_MARK", "Abfahrt um [09 30 Uhr].", "T09:30"),
    Rule(
        "clock",
        '<("ab" | "bis" | ABOUT | DAY) DECIMAL !(OTHER | UNIT | NUMBER_WORD)',
        "Am 19.9. ab [18.25]",
        "1998-09-19T18:25/..",
    ),
    Rule("clock_half_before", "HALB CARDINAL HOUR_MARK? DAY_TIME?", "Es ist [halb drei].", "T02:30"),
    Rule(
        "clock_past_half",
        '(CARDINAL | QUARTER_HOUR) "nach" HALB CARDINAL HOUR_MARK?',
        "Um [fünf nach halb drei].",
        "T02:35",
    ),
    Rule(
        "clock_to_half",
        '(CARDINAL | QUARTER_HOUR) "vor" HALB CARDINAL HOUR_MARK?',
        "Um [fünf vor halb drei].",
        "T02:25",
    ),
    Rule(
        "clock_past",
        '(CARDINAL UNIT? | QUARTER_HOUR) "nach" CARDINAL !UNIT HOUR_MARK? DAY_TIME?',
        "Um [Viertel nach drei].",
        "T03:15",
    ),
    Rule(
        "clock_to",
        '(CARDINAL UNIT? | QUARTER_HOUR) "vor" CARDINAL !UNIT HOUR_MARK? DAY_TIME?',
        "Um [zehn vor drei Uhr].",
        "T02:50",
    ),
    Rule(
        "clock_quarter_before", "QUARTER_HOUR CARDINAL HOUR_MARK? DAY_TIME? !UNIT", "Um [dreiviertel neun].", "T08:45"
    ),
    Rule(
        "clock_hour",
        'CARDINAL HOUR_MARK (CARDINAL !(UNIT | "." | HOUR_MARK | MONTH_NAME | "-"))? (DAY_TIME | ZONE)?',
        "Sie kam um [3 Uhr 15 am Nachmittag].",
        "T15:15",
    ),
    Rule(
        "clock_hour",
        '<("um" | "ab" | "bis" | "von" | ABOUT) CARDINAL DAY_TIME',
        "Sie kam um [drei am Nachmittag].",
        "T15",
    ),
    Rule(
        "clock_hour",
        '<(DAY "um") SMALL_NUMBER !("." | UNIT | MONTH_NAME | "," | "/" | "-" | ":" | DAY_TIME | HOUR_MARK)',
        "Sie kommt Freitag um [4] zurück.",
        "1998-03-06T04:00",
    ),
    Rule(
        "clock_hour",
        '<"um" CARDINAL !("." | OTHER | UNIT | MONTH_NAME | WEEKDAY | FEW | A | CARDINAL | "," | "/")',
        "Wir treffen uns heute Abend um [8]",
        "1998-03-05T20:00",
    ),
    # ------------------------------------------------ dates
    Rule("each_month", '(SMALL_NUMBER "." | ORDINAL) EVERY UNIT', "Sie zahlt am [19. jedes Monats].", "XXXX-XX-19"),
    Rule(
        "year_words",
        "DAY_NUMBER? MONTH_NAME NUMBER_WORD | <UNIT NUMBER_WORD !UNIT",
        "Geboren am [fünften März neunzehnhundertachtzig].",
        "1980-03-05",
    ),
    Rule("date", 'DAY_NUMBER MONTH ","? ANY_YEAR ERA?', "Am [14. Mai 2024] war es warm.", "2024-05-14"),
    Rule(
        "date",
        "DAY_NUMBER MONTH (SMALL_NUMBER | THREE_DIGITS) ERA",
        "Am [10. August 113 v. Chr.] begann es.",
        "BC0113-08-10",
    ),
    Rule(
        "date_short_year",
        'DAY_NUMBER MONTH SMALL_NUMBER !(HOUR_MARK | "." | UNIT | "-" | ANY_YEAR)',
        "Freitag, der [18. Juli 14]",
        "2014-07-18",
    ),
    Rule(
        "range_of_days",
        'MONTH_NAME SMALL_NUMBER "-" SMALL_NUMBER !("." | "-" | UNIT | HOUR_MARK)',
        "Ich bin [November 19-20] unterwegs.",
        "1998-11-19/1998-11-20",
    ),
    Rule("german_early_date", "DAY_NUMBER MONTH THREE_DIGITS !UNIT", "Er starb am [28. Januar 814].", "0814-01-28"),
    Rule("date", "DAY_NUMBER MONTH", "Am [7. Dezember] hat es geschneit.", "1997-12-07"),
    Rule("date", 'DAY_NUMBER "-" MONTH "-" ANY_YEAR', "Gültig ab [12-Mär-2014].", "2014-03-12"),
    Rule("date", 'MONTH SMALL_NUMBER ","? YEAR', "Wien, [April 14, 2015]", "2015-04-14"),
    Rule(
        "date",
        'MONTH SMALL_NUMBER !(HOUR_MARK | "." | UNIT | "-" SMALL_NUMBER | OTHER | MONTH_NAME)',
        "Montag, [Februar 18]",
        "1999-02-18",
    ),
    Rule("date", 'PART? MONTH (ARTICLE UNIT | ",")? ANY_YEAR ERA?', "Es begann [Anfang Mai 1997].", "1997-05"),
    Rule("numeric_date", "NUMERIC_DATE", "Der Vertrag läuft ab [1.7.2024].", "2024-07-01"),
    Rule("german_number_date", 'DAY_MONTH ("." ANY_YEAR? | YEAR)', "Wir sehen uns am [24.11.] wieder.", "1998-11-24"),
    Rule(
        "numeric_date",
        '<("am" | "vom" | "bis" | ARTICLE | "ab" | "zum" | "auf" | "-" | "von") DAY_MONTH !(OTHER | UNIT | NUMBER_WORD)'
        ' | <(WEEKDAY) DAY_MONTH | <(WEEKDAY ",") DAY_MONTH | <!ANY DAY_MONTH !(OTHER | UNIT | NUMBER_WORD)'
        ' | DAY_MONTH &(DAYPART | MORROW | MORNING | CLOCK | "um"'
        ' | "ab" (CLOCK | SMALL_NUMBER) | ABOUT (CLOCK | SMALL_NUMBER)'
        ' | "bis" ("zum")? DAY_MONTH | "-" DAY_MONTH)',
        "Das war am [24.11] in Bonn.",
        "1997-11-24",
    ),
    Rule(
        "month_number_date",
        'ORDINAL ORDINAL | SMALL_NUMBER "." SMALL_NUMBER "." ANY_YEAR?',
        "Montag, [12. 5. 1997].",
        "1997-05-12",
    ),
    Rule(
        "date",
        '<("am" | "zum" | "bis" | "auf") (SMALL_NUMBER "." | ORDINAL)'
        ' !(OTHER | UNIT | MONTH_NAME | SMALL_NUMBER | WEEKDAY | EVERY | TIMES | "/" | "-")'
        " | <(WEEKDAY) ORDINAL !(OTHER | UNIT | WEEKDAY)",
        "Wir treffen uns am [18.]",
        "1998-03-18",
    ),
    Rule(
        "german_day",
        'WEEKDAY ","? (ARTICLE (SMALL_NUMBER "." | ORDINAL) | ORDINAL)'
        ' !(UNIT | MONTH_NAME | SMALL_NUMBER | WEEKDAY | ORDINAL | "/" | "-")',
        "Es war [Freitag, der 13.]",
        "1998-02-13",
    ),
    Rule(
        "german_day",
        '<("ab" ARTICLE | "seit" ARTICLE | "bis" "zum") SMALL_NUMBER "."'
        ' !(UNIT | MONTH_NAME | SMALL_NUMBER | WEEKDAY | "/" | "-" | TO)',
        "Ab dem [18.] bin ich wieder da.",
        "1998-03-18",
    ),
    # ------------------------------------------------ years and longer
    Rule(
        "decade",
        "(PART ARTICLE?)? DECADE UNIT? ARTICLE LAST UNIT",
        "In den [fünfziger Jahren des letzten Jahrhunderts] wuchs sie.",
        "195",
    ),
    Rule(
        "german_decade",
        '(PART ARTICLE?)? DECADE UNIT? ARTICLE (SMALL_NUMBER "." | ORDINAL) UNIT',
        "In den [fünfziger Jahren des 19. Jahrhunderts] wuchs sie.",
        "185",
    ),
    Rule("decade", '(PART ARTICLE?)? DECADE ("-"? UNIT)? ERA?', "In den [1920er Jahren] blühte die Kunst.", "192"),
    Rule(
        "century_in_list",
        '(SMALL_NUMBER "." | ORDINAL) &(("," | AND | OR | "-" | "bis") ARTICLE? (SMALL_NUMBER "." | ORDINAL) UNIT)',
        "Im [15.] und 16. Jahrhundert blühte es.",
        "14",
    ),
    Rule("century", '(PART ARTICLE)? SMALL_NUMBER "." UNIT ERA?', "Er lebte im [18. Jahrhundert] in Weimar.", "17"),
    Rule("century", "(PART ARTICLE)? ORDINAL UNIT ERA?", "Er lebte im [achtzehnten Jahrhundert].", "17"),
    Rule(
        "ordinal_of_year",
        '(ORDINAL | SMALL_NUMBER ".") UNIT ((ARTICLE UNIT?)? ANY_YEAR)?',
        "Im [dritten Quartal 2018] stieg es.",
        "2018-Q3",
    ),
    Rule("quarter", 'YEAR ("-" | "/")? QUARTER', "Der Umsatz in [2018 Q3] stieg.", "2018-Q3"),
    Rule("quarter", "QUARTER ANY_YEAR?", "Der Umsatz in [Q3 2018] stieg.", "2018-Q3"),
    Rule("week_number", 'UNIT SMALL_NUMBER ("/"? ANY_YEAR)?', "Lieferung in [KW 32].", "1998-W32"),
    Rule(
        "year_of_era",
        "(UNIT | ABOUT | PART)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) ERA",
        "Es begann [466 v. Chr.].",
        "BC0466",
    ),
    Rule(
        "german_year",
        '(PART (ARTICLE UNIT)? | UNIT | ABOUT)? (YEAR | SHORT_YEAR) !("-"? JAEHRIG) !UNIT',
        "Es begann [Ende 1997].",
        "1997",
    ),
    Rule(
        "year_of_unit",
        "UNIT (THREE_DIGITS | SMALL_NUMBER) !(UNIT | MONTH_NAME | HOUR_MARK)",
        "Im [Jahr 731] schrieb er.",
        "0731",
    ),
    # ------------------------------------------------ sets
    Rule("ordinal_weekday", '(ORDINAL | SMALL_NUMBER ".") WEEKDAY', "Am [dritten Dienstag] im März.", "1998-03-17"),
    Rule("ordinal_unit", '(ORDINAL | SMALL_NUMBER ".") UNIT', "In der [ersten Woche] im Oktober.", "1998-W40"),
    Rule(
        "every",
        "EVERY (AMOUNT | ORDINAL)? (UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART | MORROW)",
        "Sie kommt [alle zwei Wochen].",
        "P2W",
    ),
    Rule(
        "how_often",
        '(NUMBER? TIMES) ("pro" | "im" | "am" | "je" | "in"? ARTICLE) UNIT',
        "Sie kommt [zweimal pro Woche].",
        "P1W",
    ),
    Rule("frequency", "FREQUENCY", "Sie erscheint [wöchentlich].", "P1W"),
    Rule("every_weekday", "WEEKDAY_SET", "[Montags] ist geschlossen.", "XXXX-WXX-1"),
    # ------------------------------------------------ last, this, next
    Rule("rolling", "(LAST | NEXT) (NUMBER | A? FEW) UNIT", "In den [letzten zwei Tagen] schneite es.", "P2D"),
    Rule("pointed_unit", "POINTING UNIT", "Er kam am 6. Juni 1944. Am [folgenden Tag] ging er.", "1944-06-07"),
    Rule("unit", "TURN WHOLE? UNIT", "Sie kam [letzte Woche].", "1998-W09"),
    Rule("weekday", "TURN WEEKDAY", "Sie kam am [letzten Freitag].", "1998-02-27"),
    Rule("date", "TURN (DAY_NUMBER)? MONTH", "Er begann im [letzten November].", "1997-11"),
    Rule("season", "TURN SEASON ANY_YEAR?", "Sie kam [letzten Sommer].", "1997-SU"),
    Rule("holiday", "TURN? HOLIDAY ANY_YEAR?", "Sie kommt [Ostern 1999].", "1999-04-04"),
    Rule("daypart", "TURN (DAYPART | MORROW)", "Es geschah [letzte Nacht].", "1998-03-04TNI"),
    Rule("unit_word", "UNIT_WORD", "Im [Vorjahr] war es kälter.", "1997"),
    Rule("part_unit", "PART_UNIT ANY_YEAR?", "Sie geht zum [Jahresende].", "1998"),
    # ------------------------------------------------ today
    Rule("today_morning", "TODAY MORROW", "Sie kam [heute Morgen].", "1998-03-05TMO"),
    Rule("today", "TODAY (MORNING? DAYPART MORNING? | MORNING)?", "[Gestern] hat es geregnet.", "1998-03-04"),
    Rule(
        "weekday_part",
        "WEEKDAY (MORNING? DAYPART MORNING? | MORROW | MORNING)",
        "Sie kam am [Freitagabend].",
        "1998-02-27TEV",
    ),
    Rule("weekday", "WEEKDAY", "Das Treffen ist am [Dienstag].", "1998-03-10"),
    Rule("season", "(PART ARTICLE?)? SEASON ((ARTICLE UNIT)? ANY_YEAR)?", "Sie kam im [Sommer 1990].", "1990-SU"),
    # ------------------------------------------------ amounts
    Rule("glued_duration", "A NUMBER_WORD UNIT", "Es war [eine dreitägige] Reise.", "P3D"),
    Rule("duration", "(ABOUT | MORE)? AMOUNT WHOLE? UNIT (A HALF)?", "Es dauerte [zwei Jahre].", "P2Y"),
    Rule("duration", '(SMALL_NUMBER | NUMBER_WORD) "-" UNIT', "Es war eine [3-tägige] Reise.", "P3D"),
    Rule("duration", "<ARTICLE WHOLE UNIT", "Sie war den [ganzen Tag] da.", "P1D"),
    Rule("duration", "A? QUARTER_HOUR UNIT", "Es dauerte [eine dreiviertel Stunde].", "PT45M"),
    Rule("weekend", '<("am" | "zum" | "vom" | ARTICLE) UNIT', "Am [Wochenende] bin ich weg.", "1998-W10-WE"),
    Rule(
        "german_early_morning",
        '"in" ARTICLE PART !(MORROW | DAYPART | OTHER)',
        "Am 5. Mai [in der Frühe]",
        "1998-05-05TMO",
    ),
    Rule("daypart", "PART? DAYPART MORNING? | WHOLE? MORNING DAYPART", "Sie kam am [Nachmittag].", "TAF"),
    Rule("german_tomorrow_morning", "MORROW MORROW", "[Morgen Morgen] scheint die Sonne.", "1998-03-06TMO"),
    Rule("daypart_morning", '<"am" PART? MORROW', "Sie kam am [Morgen].", "TMO"),
    Rule("tomorrow", "MORROW (DAYPART | MORNING)?", "[Morgen] scheint die Sonne.", "1998-03-06"),
    Rule(
        "daypart_morning", '"in" ARTICLE MORNING | <!"zu" MORNING !(OTHER | "als")', "Am 5. Mai [früh]", "1998-05-05TMO"
    ),
    Rule("date", "PART? MONTH", "Es begann im [November].", "1997-11"),
    Rule("units", "UNIT", "Das dauerte [Jahre].", "PXY"),
    Rule(
        "german_reference",
        'EXACTLY? NOW | <("am" | "vom" | "zum" | ARTICLE) NOW',
        "[Jetzt] ist es zu spät.",
        "PRESENT_REF",
    ),
)

_AMOUNTS = (Rule("durations", 'DURATION ("," | AND)? DURATION', "Es dauerte [zwei Jahre und drei Monate].", "P2Y3M"),)

_COUNTED = (
    Rule("ago", '"vor" (ABOUT | MORE)? DURATION', "Sie kam [vor drei Tagen].", "1998-03-02"),
    Rule("ahead", '("in" | "im") (ABOUT | MORE)? DURATION', "Sie kommt [in zwei Wochen].", "1998-W12"),
    Rule("ahead", 'DURATION "ab" REFERENCE', "[Zwei Tage ab jetzt] beginnt es.", "1998-03-07"),
    Rule("after_time", 'DURATION "ab" ARTICLE? DAY', "[Zwei Tage ab morgen] beginnt es.", "1998-03-08"),
    Rule(
        "later",
        'DURATION ("später" | "danach" | "darauf")',
        "Er kam am 6. Juni 1944. [Zwei Tage später] ging er.",
        "1944-06-08",
    ),
    Rule(
        "earlier",
        'DURATION ("zuvor" | "davor" | "vorher" | "früher")',
        "Er starb 1944. [Zwei Jahre zuvor] kam er.",
        "1942",
    ),
    Rule("part_of", "PART ARTICLE? (PERIOD | DAY)", "Sie kam [Ende letzter Woche].", "1998-W09"),
    Rule("this_part", "PART ARTICLE UNIT", "Sie geht [Ende des Monats].", "1998-03"),
    Rule("about", '(ABOUT | EXACTLY){1,2} ("um")? (TIME | MOMENT | PERIOD | DAY)', "Sie kommt [gegen 18 Uhr].", "T18"),
)

_CLOCKS = (
    Rule(
        "german_clock",
        '(DAY_MONTH | DECIMAL) &((AND | "/" | "-" | "," | "bis") TIME)',
        "Die Züge fahren [14.00] und 17.40 Uhr.",
        "T14:00",
    ),
    Rule(
        "german_hours",
        '(DAY | MOMENT) "von" SMALL_NUMBER "bis" SMALL_NUMBER !(UNIT | "." | TIME | NUMBER_WORD)',
        "[Freitag von 9 bis 11]",
        "1998-03-06T09/1998-03-06T11",
    ),
    Rule(
        "range_of",
        '("von" | "ab" | "zwischen")? TIME (TO | "/") TIME',
        "Er ist [von 9:30 bis 11:00] da.",
        "1998-03-05T09:30/1998-03-05T11:00",
    ),
    Rule(
        "range_of_numbers",
        '("von" | "ab" | "zwischen")? (SMALL_NUMBER | NUMBER_WORD) (TO | "/") TIME',
        "Er ist [von 9 bis 17 Uhr] da.",
        "1998-03-05T09/1998-03-05T17",
    ),
    Rule(
        "since",
        '("ab" | "nach" | "frühestens" | "seit" | "nicht" "vor") ("um")? TIME',
        "Wir haben [ab 14 Uhr] offen.",
        "1998-03-05T14/..",
    ),
    Rule(
        "until",
        '("bis" | "vor" | "spätestens" | "nicht" "später" "als") ("um")? TIME',
        "Wir haben [bis 11 Uhr] offen.",
        "../1998-03-05T11",
    ),
    Rule("until", 'TIME "spätestens"', "Wir kommen [11 Uhr spätestens].", "../1998-03-05T11"),
    Rule("since", 'TIME "frühestens"', "Wir kommen [11 Uhr frühestens].", "1998-03-05T11/.."),
)

_JOINED = (
    Rule(
        "night_between",
        'TIME (("von" | "vom") (DAY | SMALL_NUMBER "."))? ("zum" | "auf") ARTICLE? DAY',
        "In der [Nacht von Freitag auf Samstag] schneit es.",
        "1998-03-06TNI",
    ),
    Rule(
        "weekday_after",
        'DAY "nach" ARTICLE? DAY',
        "Am [zweiten Sonntag nach Ostern 1999] kam er.",
        "1999-04-18",
    ),
    Rule("day_after", 'UNIT "nach" ARTICLE? DAY', "Am [Tag nach Ostern 1999] kam er.", "1999-04-05"),
    Rule("day_before", 'UNIT "vor" ARTICLE? DAY', "Am [Tag vor Ostern 1999] kam er.", "1999-04-03"),
    Rule("weekday_before", 'DAY "vor" ARTICLE? DAY', "Am [Samstag vor Pfingsten 1999] kam er.", "1999-05-22"),
    Rule(
        "units_of_period",
        '(WINDOW | ORDINAL DURATION) (ARTICLE | "von")? PERIOD',
        "In den [letzten vier Monaten des Jahres 1997] stieg es.",
        "1997-09/1997-12",
    ),
    Rule(
        "listed_day",
        '<!"zwischen" <!("zwischen" ARTICLE) (SMALL_NUMBER "." | ORDINAL)'
        ' &(("," | AND | OR){1,2} ((SMALL_NUMBER "." | ORDINAL) ("," | AND | OR){1,2}){0,6} DAY)',
        "Am 3., [4.] und 5. Mai 1997 war zu.",
        "1997-05-04",
    ),
    Rule(
        "share_of",
        "(ORDINAL | LAST) SHARE ARTICLE PERIOD",
        "In der [ersten Hälfte des 18. Jahrhunderts] blühte es.",
        "1700/1749",
    ),
    Rule(
        "after_time",
        'DURATION "nach" ARTICLE? (DAY | PERIOD)',
        "[Zwei Tage nach dem 5. Mai 2020] kam er.",
        "2020-05-07",
    ),
    Rule("before_time", 'DURATION "vor" ARTICLE? (DAY | PERIOD)', "[Zwei Tage vor Ostern 2020] kam er.", "2020-04-10"),
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} (DAY | PERIOD | TIME | MOMENT)",
        "[Freitag, der 18. Juli 2014].",
        "2014-07-18",
    ),
)

_RANGES = (
    Rule(
        "range_of",
        '("von" | "vom" | "ab" | "seit")? NODE TO NODE',
        "Er ist [vom 4. Mai bis zum 6. Mai] weg.",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of",
        '"zwischen" ARTICLE? (NODE | REFERENCE) ("-" | AND) ARTICLE? (NODE | REFERENCE)',
        "[Zwischen 1914 und 1918]",
        "1914/1918",
    ),
    Rule(
        "range_of_numbers",
        '("von" | "vom")? ARTICLE? (SMALL_NUMBER "."? | ORDINAL | NUMBER_WORD) TO (DAY | TIME | MOMENT)',
        "Er ist [vom 4. bis 6. Mai] weg.",
        "1998-05-04/1998-05-06",
    ),
    Rule("range_of", 'DAY "zum" DAY', "Vom [30.11. zum 1.12.] war es kalt.", "1997-11-30/1997-12-01"),
    Rule("range_of_numbers", 'SMALL_NUMBER "." "/" DAY', "Am [14./15.10.] ist zu.", "1998-10-14/1998-10-15"),
    Rule(
        "range_of_numbers",
        '"zwischen" ARTICLE? (SMALL_NUMBER "."? | ORDINAL | NUMBER_WORD) AND ARTICLE? (DAY | TIME | MOMENT)',
        "Ich bin [zwischen 4 und 7 Uhr] weg.",
        "1998-03-05T04/1998-03-05T07",
    ),
)

_DAYS = (
    Rule("join", "MOMENT GLUE{0,2} RANGE", "[Freitag abend von 18:00 bis 19:00]", "1998-03-06T18:00/1998-03-06T19:00"),
    Rule("join", "DAY GLUE{0,2} RANGE", "[Freitag 9:30 bis 11:00]", "1998-03-06T09:30/1998-03-06T11:00"),
    Rule(
        "join",
        "RANGE GLUE{0,2} DAY !(GLUE? (RANGE | TIME))",
        "[9:30 bis 11:00 am Freitag]",
        "1998-03-06T09:30/1998-03-06T11:00",
    ),
)

#: The rules, layer by layer.
LAYERS = (_WORDS, _AMOUNTS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
