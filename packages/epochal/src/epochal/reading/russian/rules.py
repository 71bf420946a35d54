"""The Russian grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.russian import functions  # noqa: F401 - importing them registers the rules

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    "CARDINAL": "SMALL_NUMBER | NUMBER_WORD+",
    "NUMBER": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | FRACTION | YEAR | NUMBER_WORD+",
    "AMOUNT": "NUMBER | FEW",
    "DAY_NUMBER": "SMALL_NUMBER | NUMBER_WORD? ORDINAL",
    "NTH": "NUMBER_WORD? ORDINAL | ROMAN | SMALL_NUMBER",
    # 2024, 2024 года, 2024 г.
    "ANY_YEAR": "YEAR (UNIT !CARDINAL)?",
    "TURN": "LAST | NEXT | THIS",
    "ANY_UNIT": "UNIT | HOUR_WORD",
    "IN": '"в" | "во"',
    "FROM": '"с" | "со" | "от" | "начиная" "с"',
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    # what may come between a date and its clock time, or a weekday and its date
    "GLUE": '"в" | "во" | "," | "на" | "с" | "к" | "(" | ")"',
    "TO": '"-" | "по" | "до"',
    "HOUR_NUMBER": "SMALL_NUMBER | NUMBER_WORD",
}

_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    Rule("no_time", 'NUMBER "-"? LETNIJ', "[57-летний] писатель приехал.", None),
    Rule("russian_age", '<("ему" | "ей" | "мне" | "ему" | "им") NUMBER UNIT', "Ему [25 лет].", None),
    Rule("no_time", '"возрасте" NUMBER UNIT', "Он умер в [возрасте 80 лет].", None),
    # ------------------------------------------------ clock times
    Rule(
        "russian_clock",
        "CLOCK HOUR_WORD? (DAYPART | UNIT)? ZONE?",
        "Встреча в [15:30].",
        "T15:30",
    ),
    Rule(
        "russian_clock",
        '<"в" (DAY_MONTH | DECIMAL) (DAYPART | UNIT)? !(OTHER)',
        "Встреча завтра в [15.30].",
        "1998-03-06T15:30",
    ),
    Rule(
        "russian_past",
        "(SHARE | HALF | QUARTER_HOUR | CARDINAL UNIT) ORDINAL !MONTH_NAME (DAYPART | UNIT)?",
        "Он пришёл в [половине пятого].",
        "T04:30",
    ),
    Rule(
        "russian_to",
        "MINUS (QUARTER_HOUR | CARDINAL UNIT?) CARDINAL HOUR_WORD? (DAYPART | UNIT)?",
        "Он пришёл [без четверти пять].",
        "T04:45",
    ),
    Rule(
        "russian_hour",
        "CARDINAL HOUR_WORD (CARDINAL UNIT)? (DAYPART | UNIT)",
        "Они пришли в [три часа дня].",
        "T15",
    ),
    Rule(
        "russian_hour",
        '<(IN | "до" | "к" | "с" | AROUND | "-" | "по") CARDINAL HOUR_WORD (CARDINAL UNIT)?'
        ' !("назад" | "тому" | "спустя")',
        "Поезд отходит в [15 часов].",
        "T15",
    ),
    Rule("russian_hour", '<"после" SMALL_NUMBER HOUR_WORD', "Звоните после [18 часов].", "1998-03-05T18/.."),
    Rule("russian_hour", "CARDINAL (DAYPART)", "Они пришли в [девять утра].", "T09"),
    Rule("russian_hour", '<(IN | "до" | "к" | "с") HOUR_WORD (DAYPART | UNIT)', "Они пришли в [час дня].", "T13"),
    Rule(
        "russian_hour",
        '<(DAY IN) CARDINAL !(OTHER | UNIT | HOUR_WORD | MONTH_NAME | CARDINAL | "." | "-" | FEW | ORDINAL | ROMAN'
        " | DECADE | YEAR)",
        "Встретимся в субботу в [девять]",
        "1998-03-07T09:00",
    ),
    # ------------------------------------------------ dates
    Rule(
        "russian_day_in_list",
        'SMALL_NUMBER &(((",") SMALL_NUMBER){0,5} AND SMALL_NUMBER MONTH_NAME)',
        "[3] и 4 мая будет дождь.",
        "1998-05-03",
    ),
    Rule("date", 'DAY_NUMBER MONTH_NAME ","? ANY_YEAR ERA?', "Заседание [14 мая 2024 года].", "2024-05-14"),
    Rule(
        "date",
        "DAY_NUMBER MONTH_NAME (SMALL_NUMBER | THREE_DIGITS) UNIT? ERA",
        "Это было [10 августа 113 года до н. э.].",
        "BC0113-08-10",
    ),
    Rule(
        "date_short_year",
        'DAY_NUMBER MONTH_NAME SMALL_NUMBER !(UNIT | HOUR_WORD | "-" | YEAR | ".")',
        "[18 июл 14]",
        "2014-07-18",
    ),
    Rule("date", 'MONTH_NAME SMALL_NUMBER "," YEAR', "[Апрель 14, 2015]", "2015-04-14"),
    Rule("date", 'DAY_NUMBER ("/" | "-")? MONTH_NAME (("/" | "-") YEAR)?', "[7 декабря] шёл снег.", "1997-12-07"),
    Rule("date", 'PART? MONTH_NAME ("," | "-" | THIS)? ANY_YEAR ERA?', "Это было в [начале мая 1997 года].", "1997-05"),
    Rule("numeric_date", "NUMERIC_DATE UNIT?", "Договор действует с [1.7.2024].", "2024-07-01"),
    Rule("numeric_date", 'DAY_MONTH "." YEAR?', "Встреча [24.11.] в Твери.", "1998-11-24"),
    Rule(
        "numeric_date",
        '<("с" | "по" | "до" | "на" | "от" | "-" | DAY) DAY_MONTH !(OTHER | UNIT | HOUR_WORD)'
        ' | <(DAY ",") DAY_MONTH | DAY_MONTH &("в" CLOCK | CLOCK | ("-" | "по" | "до") DAY_MONTH)',
        "Он работал с [24.11]",
        "1997-11-24",
    ),
    Rule("russian_day_of_month", "DAY_NUMBER DAY_WORD", "Платим [15-го числа] этого месяца.", "1998-03-15"),
    Rule(
        "russian_first_days",
        "(ORDINAL | LAST | DECADE) DAY_WORD (MONTH_NAME ANY_YEAR?)?",
        "Приедем в [последних числах мая 1999 года].",
        "1999-05",
    ),
    # ------------------------------------------------ years and longer
    Rule(
        "russian_word_year",
        "PART? (YEAR_ORDINAL UNIT? | NUMBER_WORD* ORDINAL UNIT)",
        "Он родился в [тысяча девятьсот сорок пятом году].",
        "1945",
    ),
    Rule(
        "russian_decade",
        "PART? (DECADE UNIT? | ORDINAL UNIT) (LAST | ROMAN) UNIT",
        "В [60-е годы прошлого века] завод рос.",
        "196",
    ),
    Rule("decade", "PART? DECADE UNIT? ERA?", "В [1920-х годах] расцвело искусство.", "192"),
    Rule("russian_decade", "PART? ORDINAL UNIT", "Это были [80-е годы].", "198"),
    Rule(
        "russian_centuries",
        '(ROMAN | SMALL_NUMBER) ("-" | AND) (ROMAN | SMALL_NUMBER) UNIT',
        "Рукопись [IX–X веков].",
        "0800/0999",
    ),
    Rule("century", "PART? NTH UNIT ERA?", "Он жил в [XVIII веке] в Твери.", "17"),
    Rule(
        "ordinal_of_year",
        "(NUMBER_WORD? ORDINAL | ROMAN) UNIT ANY_YEAR?",
        "В [третьем квартале 2018 года] доход вырос.",
        "2018-Q3",
    ),
    Rule("quarter", "QUARTER ANY_YEAR?", "Доход за [Q3 2018] вырос.", "2018-Q3"),
    Rule(
        "year_of_era",
        "(ABOUT | AROUND | PART)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) UNIT? ERA",
        "Это началось в [466 году до н. э.].",
        "BC0466",
    ),
    Rule("russian_year", "(PART | ABOUT | AROUND)? YEAR UNIT? !(LETNIJ)", "Это началось в [1997 году].", "1997"),
    Rule(
        "year_of_unit",
        '<(IN | "до" | "к" | "после" | "с" | "по") THREE_DIGITS UNIT',
        "В [731 году] он писал.",
        "0731",
    ),
    # ------------------------------------------------ sets
    Rule(
        "russian_set",
        '((SMALL_NUMBER | NUMBER_WORD)? TIMES | TWICE) "в" CARDINAL? ANY_UNIT',
        "Журнал выходит [раз в две недели].",
        "P2W",
    ),
    Rule("russian_every", 'EVERY WHOLE_DURATION | <"по" DAYPART_SET', "Поезд идёт [каждые полчаса].", "PT30M"),
    Rule("russian_day_on", '<"уже" ORDINAL UNIT', "Уже [третий день] идёт дождь.", "P3D"),
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "Это будет в [третий вторник] марта.", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "В [первую неделю] октября шли дожди.", "1997-W40"),
    Rule(
        "every",
        "EVERY (AMOUNT | ORDINAL)? (ANY_UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART)",
        "Она приходит [каждые две недели].",
        "P2W",
    ),
    Rule("frequency", "FREQUENCY", "Журнал выходит [еженедельно].", "P1W"),
    Rule("every_weekday", "WEEKDAY_SET", "По [понедельникам] музей закрыт.", "XXXX-WXX-1"),
    # ------------------------------------------------ last, this, next
    Rule("rolling", "(LAST | NEXT) (NUMBER | FEW) ANY_UNIT", "За [последние два дня] выпал снег.", "P2D"),
    Rule("russian_plural", "(LAST | NEXT) UNIT", "В [последние годы] цены выросли.", "PXY"),
    Rule("russian_next_day", '<"на" NEXT UNIT', "Он приехал 6 июня 1944 года. На [следующий день] ушёл.", "1944-06-07"),
    Rule("pointed_unit", "POINTING UNIT", "Он приехал в 1944 году. В [том же году] ушёл.", "1944"),
    Rule("unit", "TURN WHOLE? UNIT", "Она приехала на [прошлой неделе].", "1998-W09"),
    Rule("russian_weekday", "TURN WEEKDAY DAYPART?", "Она приехала в [прошлую пятницу].", "1998-02-27"),
    Rule("date", "TURN DAY_NUMBER? MONTH_NAME", "Это было в [прошлом ноябре].", "1997-11"),
    Rule("season", "TURN SEASON ANY_YEAR?", "Она приехала [прошлым летом].", "1997-SU"),
    Rule("holiday", "TURN? HOLIDAY ANY_YEAR?", "Она приедет на [Пасху 1999 года].", "1999-04-11"),
    Rule("daypart", "TURN DAYPART", "Это случилось [прошлой ночью].", "1998-03-04TNI"),
    # ------------------------------------------------ today
    Rule("today", "TODAY DAYPART?", "[Вчера] шёл дождь.", "1998-03-04"),
    Rule("russian_weekday", "WEEKDAY DAYPART?", "Совещание будет во [вторник].", "1998-03-10"),
    Rule("season", "PART? SEASON ANY_YEAR?", "Она приехала [летом 1990 года].", "1990-SU"),
    # ------------------------------------------------ amounts
    Rule("whole_duration", "WHOLE_DURATION", "Это заняло [полчаса].", "PT30M"),
    Rule("duration", "(ABOUT | AROUND | MORE)? AMOUNT WHOLE? ANY_UNIT", "Это длилось [два года].", "P2Y"),
    Rule(
        "russian_half",
        '(SMALL_NUMBER | NUMBER_WORD) ("с" AND_HALF ANY_UNIT | QUARTER_HOUR HOUR_WORD)',
        "Это заняло [два с половиной часа].",
        "PT2H30M",
    ),
    Rule("duration", "DAY_MONTH ANY_UNIT", "Это длилось [3.5 месяца].", "P3.5M"),
    Rule("duration", "HALF ANY_UNIT", "Это заняло [пол часа].", "PT30M"),
    Rule("duration", "QUARTER_HOUR HOUR_WORD", "Это заняло [четверть часа].", "PT15M"),
    Rule("duration", 'ANY_UNIT NUMBER_WORD &("тому" | "назад")', "Он был здесь [года два] назад.", "1996"),
    Rule(
        "russian_one",
        '<("через" | "спустя" | "за") ANY_UNIT !CARDINAL | ANY_UNIT &("тому" "назад" | "назад" | "спустя")'
        " | <!ANY ANY_UNIT !ANY",
        "Он был здесь [неделю] назад.",
        "1998-W09",
    ),
    Rule("duration", "WHOLE UNIT", "Его не было [целую неделю].", "P1W"),
    Rule("weekend", '<("в" | "на") UNIT', "На [выходных] меня не будет.", "1998-W10-WE"),
    Rule("daypart", "PART? DAYPART", "Она пришла [вечером].", "TEV"),
    Rule("date", "PART? MONTH_NAME", "Это было в [ноябре].", "1997-11"),
    Rule("reference", "EXACTLY? NOW", "[Сейчас] уже поздно.", "PRESENT_REF"),
)

_COUNTED = (
    Rule("durations", 'DURATION ("," | AND)? DURATION', "Это длилось [два года и три месяца].", "P2Y3M"),
    Rule("range_of", '"с" DAY "на" DAY', "В ночь [с пятницы на субботу] выпал снег.", "1998-02-27/1998-02-28"),
    Rule("ago", 'DURATION "тому"? "назад"', "Она приехала [три дня назад].", "1998-03-02"),
    Rule(
        "after_time",
        '"через" DURATION "после" (DAY | PERIOD)',
        "[Через два дня после 5 мая 2020 года] он ушёл.",
        "2020-05-07",
    ),
    Rule("ahead_of_tense", '"через" (ABOUT | AROUND | MORE)? DURATION', "Она приедет [через две недели].", "1998-W12"),
    Rule(
        "later",
        'DURATION ("спустя" | "позже" | "позднее") | "спустя" DURATION',
        "Он приехал 6 июня 1944 года. [Два дня спустя] он ушёл.",
        "1944-06-08",
    ),
    Rule(
        "earlier",
        'DURATION ("раньше" | "ранее")',
        "Он умер в 1944 году. [Двумя годами ранее] он приехал.",
        "1942",
    ),
    Rule("before_time", '"за" DURATION "до" (DAY | PERIOD)', "[За два дня до Пасхи 2020 года] он ушёл.", "2020-04-17"),
    Rule("part_of", "PART (PERIOD | DAY)", "Она приехала в [конце прошлой недели].", "1998-W09"),
    Rule("this_part", "PART UNIT", "Она уедет к [концу года].", "1998"),
    Rule(
        "about", '(ABOUT | AROUND | EXACTLY) "в"? (TIME | MOMENT | PERIOD | DAY)', "Она придёт [около 18:00].", "T18:00"
    ),
)

_CLOCKS = (
    Rule(
        "range_of",
        "FROM? TIME TO TIME",
        "Он здесь [с 9:30 до 11:00].",
        "1998-03-05T09:30/1998-03-05T11:00",
    ),
    Rule(
        "range_of_numbers",
        "FROM? HOUR_NUMBER TO TIME",
        "Он здесь [с 9 до 17 часов].",
        "1998-03-05T09/1998-03-05T17",
    ),
)

_JOINED = (
    Rule(
        "share_of",
        "(ORDINAL | LAST) SHARE PERIOD",
        "В [первой половине XVIII века] город рос.",
        "1700/1749",
    ),
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} (DAY | PERIOD | TIME | MOMENT)",
        "[Пятница, 18 июля 2014 года].",
        "2014-07-18",
    ),
)

_RANGES = (
    Rule("range_of", "FROM? NODE TO (NODE | REFERENCE)", "Его не будет [с 4 мая по 6 мая].", "1998-05-04/1998-05-06"),
    Rule(
        "range_of",
        '"между" NODE AND (NODE | REFERENCE)',
        "[Между мартом и маем 1997 года] было сухо.",
        "1997-03/1997-05",
    ),
    Rule(
        "range_of_numbers",
        'FROM? (SMALL_NUMBER | ORDINAL | NUMBER_WORD) TO (DAY | TIME | MOMENT) | "с" (SMALL_NUMBER | ORDINAL) "на" DAY',
        "Его не будет [с 4 по 6 мая].",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of_numbers",
        '"между" (SMALL_NUMBER | ORDINAL | NUMBER_WORD) AND (DAY | TIME | MOMENT)',
        "Его не будет [между 4 и 7 мая].",
        "1998-05-04/1998-05-07",
    ),
    Rule(
        "range_of_hours",
        "(DAY | MOMENT) (FROM HOUR_NUMBER TO HOUR_NUMBER) !(UNIT | HOUR_WORD)",
        "Его не будет [завтра с пяти до семи].",
        "1998-03-06T05/1998-03-06T07",
    ),
    Rule("since", '("с" | "после" | "начиная" "с") TIME', "Мы открыты [с 14 часов].", "1998-03-05T14/.."),
    Rule("until", '("до" | "к" | "по") TIME', "Мы открыты [до 11 часов].", "../1998-03-05T11"),
)

_DAYS = (
    Rule("join", "DAY GLUE{0,2} RANGE", "[Пятница, 9:30-11:00]", "1998-03-06T09:30/1998-03-06T11:00"),
    Rule("join", "RANGE GLUE{0,2} DAY", "[9:30-11:00 в пятницу]", "1998-03-06T09:30/1998-03-06T11:00"),
)

#: The rules, layer by layer.
LAYERS = (_WORDS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
