"""The Russian grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.reading.grammar import Rule
from epochal.reading.shared.amounts import rolling
from epochal.reading.shared.atoms import date, decade, weekday, weekday_part, year
from epochal.reading.shared.clocks import clock, clock_hour
from epochal.reading.shared.match import Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parts, Recurrence, Rolling, Said, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__ = ["LAYERS", "MACROS"]

#: "Wednesday" is also "environment": what stands before each case of the day.
_BEFORE_WEDNESDAY = {
    "среду": ("в", "на", "прошлую", "следующую", "эту", "каждую", "будущую"),
    "среды": ("с", "до", "от", "после", "прошлой", "следующей"),
    "среде": ("к",),
    "среда": ("", "сегодня", "завтра", "вчера"),
}
#: What is counted after a number has this form.
_GENITIVE = re.compile(r"[а-яё]{3,}(?:ов|ев|ей|ий|ек|ок|лиц)")
_YEARS = frozenset({"годы", "годов", "годам", "годах", "годами", "гг", "гг.", "г", "г."})
#: Units in the singular, as they stand behind "in" and before "ago".
_ONE = frozenset(
    "секунду секунда секундочку секундочка минуту минута минутку минутка минуточку минуточка час часик часок "
    "часочек день сутки неделю неделя недельку месяц год квартал век десятилетие столетие".split()
)


@rule
def russian_weekday(match: Match) -> Said | NoTime | None:
    """A weekday; a short form behind a number is a unit ("100 Вт"), and some cases of "среда" are no day."""
    word = match.word("WEEKDAY") or ""
    if len(word) <= 3 and match.before.isdigit():
        return None
    if word.startswith("сред") and not match.has("LAST", "NEXT", "THIS"):
        is_named = match.after in (",", "(") and word == "среда"
        if not match.before and match.after.isalpha():
            return None  # "Среда обитания"
        if not is_named and match.before not in _BEFORE_WEDNESDAY.get(word, ()):
            return None
    return weekday_part(match) if match.has("DAYPART") else weekday(match)


@rule
def russian_year(match: Match) -> Said | NoTime | None:
    """A year, unless it counts: "1500 лет", "1850 подписей"."""
    if match.word("UNIT") == "лет" or (not match.has("UNIT", "PART") and _GENITIVE.fullmatch(match.after)):
        return None
    return year(match)


@rule
def russian_decade(match: Match) -> Said | NoTime | None:
    """A decade as a number with its ending or as a word: "80-е годы", "двадцатые годы XIX века"."""
    units = match.all("UNIT")
    if match.has("ORDINAL") and (not units or units[0].word not in _YEARS):
        return None
    said, century = decade(match), match.value("ROMAN")
    first = match.number("DECADE", "ORDINAL")
    if not isinstance(said, Parts) or century is None or first is None or first >= 100:
        return said
    start = int((century - 1) * 100 + first)
    return replace(said, span=Span(to_seconds(start), to_seconds(start + 10), Grain.DECADE))


@rule
def russian_one(match: Match) -> Said | NoTime | None:
    """A unit without a number, which is one of it: "неделю назад", "через год"."""
    word = match.word("UNIT", "HOUR_WORD")
    return Amount(((1.0, TimeUnit.named(str(match.value("UNIT", "HOUR_WORD")))),)) if word in _ONE else None


@rule
def russian_plural(match: Match) -> Said | NoTime | None:
    """Units in the plural, without a number: "в последние недели"."""
    if match.value("UNIT") == "weekend":
        return Parts(unit=TimeUnit.named("weekend"), step=-1 if match.has("LAST") else 1)
    if match.word("UNIT") == "сутки":
        return Rolling(-1 if match.has("LAST") else 1, TimeUnit.named("day"))
    return rolling(match) if (match.word("LAST", "NEXT") or "").endswith(("ие", "ые", "их", "ых")) else None


@rule
def russian_next_day(match: Match) -> Said | NoTime | None:
    """ "На следующий день": counted from the time that the text mentioned last."""
    if match.word("UNIT") != "день":
        return None
    return Parts(unit=TimeUnit.named("day"), step=1, anchor="text")


@rule
def russian_set(match: Match) -> Said | NoTime | None:
    """How often in a time: "раз в неделю", "дважды в год", "раз в две недели"."""
    named = match.value("UNIT", "HOUR_WORD")
    place = match.all("в")[0].start if match.has("в") else 0
    numbers = [match.number_at(item) or 0 for item in match.all("SMALL_NUMBER", "NUMBER_WORD") if item.start > place]
    unit_of = TimeUnit.named(str(named))
    number = match.tokeniser.language.add_numbers(numbers) if numbers else 1
    return Recurrence(duration_value(number * unit_of.count, unit_of.letter))


@rule
def russian_every(match: Match) -> Said | NoTime | None:
    """ "Каждые полчаса"; "по утрам"."""
    if (part := match.value("DAYPART_SET")) is not None:
        return Recurrence(f"XXXX-XX-XXT{part}")
    number, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
    unit_of = TimeUnit.named(name)
    return Recurrence(duration_value(float(number), unit_of.letter))


@rule
def russian_word_year(match: Match) -> Said | NoTime | None:
    """A year as an ordinal: "1995-го года", "в сорок пятом году", "в две тысячи двадцатом году"."""
    if match.value("UNIT") not in (None, "year") or match.word("UNIT") in _YEARS - {"г", "г."}:
        return None
    number = match.number("YEAR_ORDINAL") if match.has("YEAR_ORDINAL") else match.number("NUMBER_WORD", "ORDINAL")
    if number is None or number != int(number) or 100 <= number < 1000 or not 10 < number < 2200:
        return None
    if number < 100:
        number += 2000 if number <= 30 else 1900
    return Parts(year=int(number), mod=str(match.value("PART") or ""))


@rule
def russian_day_of_month(match: Match) -> Said | NoTime | None:
    """ "15-го числа"; "в первых числах мая" is the beginning of it."""
    number = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if number is None or match.word("DAY_WORD") not in ("числа", "число", "числе"):
        return None
    return Parts(day=int(number)) if 1 <= number <= 31 else None


@rule
def russian_first_days(match: Match) -> Said | NoTime | None:
    """Some days of a month: "в первых числах мая", "в последних числах июня", "в двадцатых числах мая"."""
    part = "START" if match.has("ORDINAL") else "END"
    said = date(match) if match.has("MONTH_NAME") else Parts(unit=TimeUnit.named("month"), step=0)
    if match.value("ORDINAL") not in (None, 1) or not isinstance(said, Parts):
        return None
    return Parts(year=said.year, month=said.month, unit=said.unit, step=said.step, mod=part)


@rule
def russian_half(match: Match) -> Said | NoTime | None:
    """A number and a half: "два с половиной часа"; three quarters of an hour."""
    number = match.number("SMALL_NUMBER", "NUMBER_WORD")
    named = TimeUnit.named(str(match.value("UNIT", "HOUR_WORD")))
    if number is None:
        return None
    if match.has("QUARTER_HOUR"):
        return Amount(((number * 15, TimeUnit.named("minute")),)) if number == 3 else None
    return Amount(((number + 0.5, named),))


def _in_daytime(match: Match, said: Said | NoTime | None) -> Said | NoTime | None:
    """The time with "дня" ("of the day") behind it as one of the afternoon."""
    if isinstance(said, Parts) and match.items[-1].word == "дня":
        return replace(said, daypart="AF")
    return said


@rule
def russian_clock(match: Match) -> Said | NoTime | None:
    """A clock time in digits, with a part of the day or without."""
    if match.has("UNIT") and match.items[-1].word != "дня":
        return None
    return _in_daytime(match, clock(match))


@rule
def russian_hour(match: Match) -> Said | NoTime | None:
    """An hour in words: "в три часа дня", "в девять утра", "в час ночи"."""
    units = [item.word for item in match.all("UNIT")]
    if any(word not in ("дня", "минут", "минуты", "минута", "мин", "мин.") for word in units):
        return None
    if not match.has("SMALL_NUMBER", "NUMBER_WORD"):
        part = match.value("DAYPART")
        said: Said | NoTime | None = Parts(hour=1, daypart=str(part) if part else None)
    else:
        said = clock_hour(match)
    return _in_daytime(match, said)


@rule
def russian_past(match: Match) -> Said | NoTime | None:
    """Minutes of the hour that an ordinal names: "четверть пятого" is 4:15, "десять минут пятого" 4:10."""
    hour = match.number("ORDINAL")
    if match.items[-1] in match.all("UNIT") and match.items[-1].word != "дня":
        return None
    minutes = (
        30 if match.has("SHARE", "HALF") else match.value("QUARTER_HOUR") or match.number("SMALL_NUMBER", "NUMBER_WORD")
    )
    if hour is None or not minutes or not 1 <= hour <= 12 or minutes >= 60 or match.value("SHARE") == 3:
        return None
    part = match.value("DAYPART")
    said = Parts(hour=int(hour - 1) or 12, minute=int(minutes), daypart=str(part) if part else None)
    return _in_daytime(match, said)


@rule
def russian_to(match: Match) -> Said | NoTime | None:
    """Minutes before an hour: "без пяти пять", "без четверти пять"."""
    numbers = match.all("SMALL_NUMBER", "NUMBER_WORD")
    hour = match.number_at(numbers[-1]) if numbers else None
    quarter = match.value("QUARTER_HOUR")
    rest = [match.number_at(item) or 0 for item in numbers[:-1]]
    minutes = quarter or match.tokeniser.language.add_numbers(rest)
    if (
        hour is None
        or not 1 <= hour <= 24
        or not 0 < minutes < 60
        or match.value("UNIT") not in (None, "minute", "day")
    ):
        return None
    part = match.value("DAYPART")
    said = Parts(hour=int(hour - 1), minute=int(60 - minutes), daypart=str(part) if part else None)
    return _in_daytime(match, said)


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
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "Это будет в [третий вторник] марта.", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "В [первую неделю] октября шли дожди.", "1997-W41"),
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
    Rule("ago", 'DURATION "тому"? "назад"', "Она приехала [три дня назад].", "1998-03-02"),
    Rule(
        "after_time",
        '"через" DURATION "после" (DAY | PERIOD)',
        "[Через два дня после 5 мая 2020 года] он ушёл.",
        "2020-05-07",
    ),
    Rule("ahead", '"через" (ABOUT | AROUND | MORE)? DURATION', "Она приедет [через две недели].", "1998-W12"),
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
