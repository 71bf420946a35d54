"""Rule functions of Russian: what its words say where they need more than the shared functions."""

from __future__ import annotations

from dataclasses import replace

from epochal.lazy import lazy_regex
from epochal.reading.shared.amounts import rolling
from epochal.reading.shared.atoms import date, decade, weekday, weekday_part, year
from epochal.reading.shared.clocks import clock, clock_hour
from epochal.reading.shared.match import NO_TIME, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Recurrence, Rolling, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []

#: "Wednesday" is also "environment": what stands before each case of the day.
_BEFORE_WEDNESDAY = {
    "среду": ("в", "на", "прошлую", "следующую", "эту", "каждую", "будущую"),
    "среды": ("с", "до", "от", "после", "прошлой", "следующей"),
    "среде": ("к",),
    "среда": ("", "сегодня", "завтра", "вчера"),
}
#: What is counted after a number has this form.
_GENITIVE = lazy_regex(r"[а-яё]{3,}(?:ов|ев|ей|ий|ек|ок|лиц)")
_YEARS = frozenset({"годы", "годов", "годам", "годах", "годами", "гг", "гг.", "г", "г."})
#: Units in the singular, as they stand behind "in" and before "ago".
_ONE = frozenset(
    "секунду секунда секундочку секундочка минуту минута минутку минутка минуточку минуточка час часик часок "
    "часочек день сутки неделю неделя недельку месяц год квартал век десятилетие столетие".split()
)


@rule
def russian_day_in_list(match: Match) -> Parsed | None:
    """ "2 и 4 мая": a day whose month follows a later one; see `LanguageTagger`."""
    number = match.number("SMALL_NUMBER")
    is_counted = match.before.lower() in ("через", "за", "около", "между")
    return None if number is None or is_counted or not 1 <= number <= 31 else Parts(day=int(number))


@rule
def russian_weekday(match: Match) -> Parsed | NoTime | None:
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
def russian_year(match: Match) -> Parsed | NoTime | None:
    """A year, unless it counts: "1500 лет", "1850 подписей"."""
    if match.word("UNIT") == "лет" or (not match.has("UNIT", "PART") and _GENITIVE.fullmatch(match.after)):
        return None
    return year(match)


@rule
def russian_decade(match: Match) -> Parsed | NoTime | None:
    """A decade as a number with its ending or as a word: "80-е годы", "двадцатые годы XIX века"."""
    units = match.all("UNIT")
    if match.has("ORDINAL") and (not units or units[0].word not in _YEARS):
        return None
    parsed, century = decade(match), match.value("ROMAN")
    first = match.number("DECADE", "ORDINAL")
    if not isinstance(parsed, Parts) or century is None or first is None or first >= 100:
        return parsed
    start = int((century - 1) * 100 + first)
    return replace(parsed, span=Span(to_seconds(start), to_seconds(start + 10), Grain.DECADE))


@rule
def russian_one(match: Match) -> Parsed | NoTime | None:
    """A unit without a number, which is one of it: "неделю назад", "через год"."""
    word = match.word("UNIT", "HOUR_WORD")
    return Amount(((1.0, TimeUnit.named(str(match.value("UNIT", "HOUR_WORD")))),)) if word in _ONE else None


@rule
def russian_plural(match: Match) -> Parsed | NoTime | None:
    """Units in the plural, without a number: "в последние недели"."""
    if match.value("UNIT") == "weekend":
        return Parts(unit=TimeUnit.named("weekend"), step=-1 if match.has("LAST") else 1)
    if match.word("UNIT") == "сутки":
        return Rolling(-1 if match.has("LAST") else 1, TimeUnit.named("day"))
    return rolling(match) if (match.word("LAST", "NEXT") or "").endswith(("ие", "ые", "их", "ых")) else None


@rule
def russian_next_day(match: Match) -> Parsed | NoTime | None:
    """ "На следующий день": counted from the time that the text mentioned last."""
    if match.word("UNIT") != "день":
        return None
    return Parts(unit=TimeUnit.named("day"), step=1, anchor="text")


@rule
def russian_set(match: Match) -> Parsed | NoTime | None:
    """How often in a time: "раз в неделю", "дважды в год", "раз в две недели"."""
    named = match.value("UNIT", "HOUR_WORD")
    place = match.all("в")[0].start if match.has("в") else 0
    numbers = [match.number_at(item) or 0 for item in match.all("SMALL_NUMBER", "NUMBER_WORD") if item.start > place]
    unit_of = TimeUnit.named(str(named))
    number = match.tokeniser.language.add_numbers(numbers) if numbers else 1
    return Recurrence(duration_value(number * unit_of.count, unit_of.letter))


@rule
def russian_every(match: Match) -> Parsed | NoTime | None:
    """ "Каждые полчаса"; "по утрам"."""
    if (part := match.value("DAYPART_SET")) is not None:
        return Recurrence(f"XXXX-XX-XXT{part}")
    number, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
    unit_of = TimeUnit.named(name)
    return Recurrence(duration_value(float(number), unit_of.letter))


@rule
def russian_word_year(match: Match) -> Parsed | NoTime | None:
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
def russian_day_of_month(match: Match) -> Parsed | NoTime | None:
    """ "15-го числа"; "в первых числах мая" is the beginning of it."""
    number = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if number is None or match.word("DAY_WORD") not in ("числа", "число", "числе"):
        return None
    return Parts(day=int(number)) if 1 <= number <= 31 else None


@rule
def russian_first_days(match: Match) -> Parsed | NoTime | None:
    """Some days of a month: "в первых числах мая", "в последних числах июня", "в двадцатых числах мая"."""
    part = "START" if match.has("ORDINAL") else "END"
    parsed = date(match) if match.has("MONTH_NAME") else Parts(unit=TimeUnit.named("month"), step=0)
    if match.value("ORDINAL") not in (None, 1) or not isinstance(parsed, Parts):
        return None
    return Parts(year=parsed.year, month=parsed.month, unit=parsed.unit, step=parsed.step, mod=part)


@rule
def russian_age(match: Match) -> Parsed | NoTime | None:
    """How old somebody is, which is no time: "ему 25 лет"."""
    return NO_TIME if match.value("UNIT") == "year" else None


@rule
def russian_day_on(match: Match) -> Parsed | NoTime | None:
    """ "Уже третий день": for so long."""
    number, named = match.number("ORDINAL"), TimeUnit.named(str(match.value("UNIT")))
    return None if number is None else Amount(((number, named),))


@rule
def russian_centuries(match: Match) -> Parsed | NoTime | None:
    """From one century to another: "XIX–XX вв."."""
    numbers = [match.number_at(item) for item in match.all("ROMAN", "SMALL_NUMBER")]
    first, last = (int(number or 0) for number in numbers)
    if match.value("UNIT") != "century" or not 0 < first < last <= 30:
        return None
    return Parts(span=Span(to_seconds(100 * first - 100), to_seconds(100 * last), Grain.YEAR))


@rule
def russian_half(match: Match) -> Parsed | NoTime | None:
    """A number and a half: "два с половиной часа"; three quarters of an hour."""
    number = match.number("SMALL_NUMBER", "NUMBER_WORD")
    named = TimeUnit.named(str(match.value("UNIT", "HOUR_WORD")))
    if number is None:
        return None
    if match.has("QUARTER_HOUR"):
        return Amount(((number * 15, TimeUnit.named("minute")),)) if number == 3 else None
    return Amount(((number + 0.5, named),))


def _in_daytime(match: Match, parsed: Parsed | NoTime | None) -> Parsed | NoTime | None:
    """The time with "дня" ("of the day") behind it as one of the afternoon."""
    if isinstance(parsed, Parts) and match.items[-1].word == "дня":
        return replace(parsed, daypart="AF")
    return parsed


@rule
def russian_clock(match: Match) -> Parsed | NoTime | None:
    """A clock time in digits, with a part of the day or without."""
    if match.has("UNIT") and match.items[-1].word != "дня":
        return None
    return _in_daytime(match, clock(match))


@rule
def russian_hour(match: Match) -> Parsed | NoTime | None:
    """An hour in words: "в три часа дня", "в девять утра", "в час ночи"."""
    units = [item.word for item in match.all("UNIT")]
    if any(word not in ("дня", "минут", "минуты", "минута", "мин", "мин.") for word in units):
        return None
    if not match.has("SMALL_NUMBER", "NUMBER_WORD"):
        part = match.value("DAYPART")
        parsed: Parsed | NoTime | None = Parts(hour=1, daypart=str(part) if part else None)
    else:
        parsed = clock_hour(match)
    return _in_daytime(match, parsed)


@rule
def russian_past(match: Match) -> Parsed | NoTime | None:
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
    parsed = Parts(hour=int(hour - 1) or 12, minute=int(minutes), daypart=str(part) if part else None)
    return _in_daytime(match, parsed)


@rule
def russian_to(match: Match) -> Parsed | NoTime | None:
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
    parsed = Parts(hour=int(hour - 1), minute=int(60 - minutes), daypart=str(part) if part else None)
    return _in_daytime(match, parsed)
