"""Rule functions of Arabic; words are written as they are read: alef without hamza, heh for teh marbuta."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from epochal.errors import EpochalError
from epochal.reading.shared.atoms import date, decade, pointed_unit, unit, weekday_part, year
from epochal.reading.shared.clocks import clock
from epochal.reading.shared.match import Item, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Range, Recurrence, Rolling, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain, to_seconds
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span

__all__: list[str] = []

_HIJRI = (
    "Muharram, Safar, Rabi' al-Awwal, Rabi' al-Thani, Jumada al-Ula, Jumada al-Akhirah, Rajab, Sha'ban, Ramadan, "
    "Shawwal, Dhu al-Qa'dah, Dhu al-Hijjah"
).split(", ")
#: Words for the last of a whole, rather than the one before this.
_FINAL = frozenset({"الاخير", "الاخيره"})
#: Month names that are other words too ("father", "practised"), and what makes them months.
_DOUBTFUL = frozenset({"اب", "مارس", "ماي", "اوت"})
_MONTH_CUES = frozenset({"في", "شهر", "منذ", "حتي", "من", "خلال", "ل", "الي", "و", "بين"})
#: What follows the last word of a sentence.
_SENTENCE_ENDS = frozenset(("", ".", "!", "?", "؟", ",", "،"))
_NUMBERS = ("SMALL_NUMBER", "NUMBER_WORD", "ORDINAL")


@rule
def arabic_date(match: Match) -> Parsed | NoTime | None:
    """A day of a month: "يوم 14 من شهر مايو"; the first week of a month is none."""
    if match.has("ORDINAL") and match.number("NUMBER_WORD") == 2:
        return None  # without its article "Monday" is "two": the first Monday of March
    if match.has("NUMBER_WORD") and not match.has("ORDINAL") and match.word("MONTH_NAME") in _DOUBTFUL:
        return None
    item = match.items[0]
    is_other = item in match.all("UNIT") and match.tokeniser.value(item.word) not in ("day", "month")
    return None if is_other else date(match)


@rule
def arabic_month(match: Match) -> Parsed | NoTime | None:
    """A month without a day or year."""
    if match.word("MONTH_NAME") in _DOUBTFUL and match.before not in _MONTH_CUES and len(match.items) == 1:
        return None
    return date(match)


@rule
def arabic_month_number(match: Match) -> Parsed | NoTime | None:
    """A month by its number behind the word for month: "شهر 3", "الشهر التاسع"."""
    number = match.number(*_NUMBERS)
    if match.word("UNIT") not in ("شهر", "الشهر") or number is None or not 1 <= number <= 12:
        return None
    if match.word("NUMBER_WORD") in _ONE and not match.has("YEAR", "PART"):
        return None  # one month
    years = match.all("YEAR")
    return Parts(
        month=int(number),
        year=int(match.number_at(years[0]) or 0) if years else None,
        mod=str(match.value("PART") or ""),
    )


@rule
def arabic_hijri(match: Match) -> Parsed | NoTime | None:
    """A date of the Islamic calendar: "1 رمضان 1441", "شوال 1440 هـ", "1445 هـ"."""
    month, years = match.value("HIJRI_MONTH"), match.all("YEAR", "THREE_DIGITS")
    days = match.all(*_NUMBERS)
    if not years:
        return None
    number = int(match.number_at(years[-1]) or 0)
    if month is not None and not match.has("HIJRI") and not 1000 < number < 1600:
        return None
    day = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in days) if days else None
    named = [] if month is None else [_HIJRI[int(month) - 1]]
    if day is not None:
        named.insert(0, str(int(day)))
    islamic = calendar("islamic")
    try:
        dates = list(islamic.parse(" ".join([*named, f"{number} AH"])))
    except EpochalError:
        return None
    return Parts(span=islamic.span(dates[0])) if dates else None


@rule
def arabic_hijri_day(match: Match) -> Parsed | None:
    """A day of the Islamic calendar without its year: "27 رمضان"."""
    day = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in match.all(*_NUMBERS))
    return Parts(holiday=f"islamic {match.value('HIJRI_MONTH')}-{int(day)}") if 1 <= day <= 30 else None


@rule
def arabic_hijri_month(match: Match) -> Parsed | None:
    """A month of the Islamic calendar in a year of the common one, or the nearest: "رمضان 2013", "شهر رمضان"."""
    year, month = match.number("YEAR"), int(match.value("HIJRI_MONTH"))
    if match.values("UNIT")[:1] not in ([], ["month"]) or (year is not None and year < 1600):
        return None
    first, last = (
        Parts(holiday=f"islamic {month}-{day}", year=None if year is None else int(year)) for day in (1, 29 + month % 2)
    )
    return Range(first, last)


@rule
def arabic_weekday(match: Match) -> Parsed | NoTime | None:
    """A weekday, with the word for day before it or not, and a part of the day."""
    if match.value("UNIT") not in (None, "day"):
        return None
    if match.has("DAYPART"):
        return weekday_part(match)
    if match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return Recurrence(f"XXXX-WXX-{match.value('WEEKDAY')}")  # on Saturdays
    turns = [match.value(name) for name in ("LAST", "NEXT", "THIS") if match.has(name)]
    return Parts(weekday=match.value("WEEKDAY"), turn=turns[0] if turns else None)


@rule
def arabic_nth_weekday(match: Match) -> Parsed | NoTime | None:
    """A weekday with a number: one of a month ("الثلاثاء الثالث من سبتمبر"), or its date ("السبت السادس عشر")."""
    number = -1 if match.has("FINAL") else match.number("ORDINAL")
    if number is None or match.number("NUMBER_WORD") not in (None, 2, 10):
        return None
    if match.number("NUMBER_WORD") == 10:
        return Parts(day=int(number) + 10, weekday=match.value("WEEKDAY"))
    # Without its article "Monday" is "two".
    day = 1 if match.has("NUMBER_WORD") else match.value("WEEKDAY", "BARE_WEEKDAY")
    if number > 5:
        return Parts(day=int(number), weekday=match.value("WEEKDAY")) if number <= 31 else None
    return Parts(nth=int(number), weekday=day)


@rule
def arabic_year(match: Match) -> Parsed | NoTime | None:
    """A year behind the word for year or by itself."""
    if match.value("UNIT") not in (None, "year"):
        return None
    # A number by itself counts what follows it.
    is_free = not match.has("UNIT", "PART") and match.before.isalpha()
    return None if is_free and match.before not in match.tokeniser.language.cue_words("year_cues") else year(match)


@rule
def arabic_day(match: Match) -> Parsed | NoTime | None:
    """ "The past day", where the word for the day is that for today."""
    step = -1 if match.has("LAST") else int(match.value("POINTING", "NEXT"))
    part = str(match.value("TODAY")).partition(" ")[2] or None
    anchor: Literal["text"] | None = "text" if match.has("POINTING") else None
    return Parts(unit=TimeUnit.named("day"), step=step, daypart=part, anchor=anchor)


@rule
def arabic_decade(match: Match) -> Parsed | NoTime | None:
    """A decade, of the twentieth century unless another is named: "تسعينيات القرن التاسع عشر"."""
    parsed = decade(match)
    number = match.number("ORDINAL", "NUMBER_WORD") if match.has("UNIT") else None
    if number is None or not isinstance(parsed, Parts) or number == 20:
        return parsed
    first = int((number - 1) * 100 + (match.number("DECADE") or 0))
    return replace(parsed, span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE))


@rule
def arabic_one(match: Match) -> Parsed | NoTime | None:
    """A unit without a number, which is one of it: "قبل عام", "بعد ساعة"."""
    if match.word("UNIT") in match.tokeniser.language.cue_words("plural") or match.value("UNIT") == "weekend":
        return None
    return Amount(((1.0, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def arabic_half_more(match: Match) -> Parsed | NoTime | None:
    """A number of units and a half of one: "ساعة ونصف", "ساعتين ونصف", "ثلاث سنوات ونصف"."""
    share = float(match.value("QUARTER_HOUR")) / (-60 if match.has("LESS") else 60)
    if match.has("WHOLE_DURATION"):
        count, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Amount(((float(count) + share, TimeUnit.named(name)),))
    number = match.number("SMALL_NUMBER", "NUMBER_WORD")
    if share != 0.5 and match.value("UNIT") != "hour":  # "an hour and a quarter", "an hour less a third"
        return None
    return Amount(((1 + share if number is None else number + share, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def arabic_set(match: Match) -> Parsed | NoTime | None:
    """How often in a time ("مرتين في الأسبوع"), or after which time again ("كل أسبوعين"); every one of a weekday."""
    if (day := match.value("WEEKDAY", "BARE_WEEKDAY")) is not None:
        return Recurrence(f"XXXX-WXX-{day}") if match.value("UNIT") in (None, "day") else None
    if match.has("WHOLE_DURATION"):
        count, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Recurrence(duration_value(float(count), TimeUnit.named(name).letter))
    name = "day" if match.has("TODAY") else str(match.value("UNIT"))
    return Recurrence(duration_value(1, TimeUnit.named(name).letter))


@rule
def arabic_day_of_month(match: Match) -> Parsed | NoTime | None:
    """A day of this, the last or the next month: "العاشر من الشهر الجاري"."""
    month = unit(match) if match.has("THIS", "LAST", "NEXT") else Parts(unit=TimeUnit.named("month"), step=0)
    number = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if match.value("UNIT") != "month" or not isinstance(month, Parts) or number is None or not 1 <= number <= 31:
        return None
    return replace(month, day=int(number))


@rule
def arabic_day_number(match: Match) -> Parsed | NoTime | None:
    """A day of the month at hand behind the word for day: "يوم 20"."""
    number = match.number("SMALL_NUMBER")
    return Parts(day=int(number)) if match.word("UNIT") == "يوم" and number and 1 <= number <= 31 else None


@rule
def arabic_edge(match: Match) -> Parsed | NoTime | None:
    """The beginning or the end of the unit at hand, which has its article: "أول السنة", "آخر الشهر"."""
    word = match.word("UNIT") or ""
    is_first = match.has("ORDINAL")
    if not word.startswith("ال") or (is_first and match.word("ORDINAL") != "اول"):
        return None
    name = TimeUnit.named(str(match.value("UNIT")))
    if name.grain not in (Grain.MONTH, Grain.YEAR):
        return None
    step = 0 if not match.has("LAST", "NEXT") else -1 if match.has("LAST") else 1
    return Parts(unit=name, step=step, mod="START" if is_first else "END")


#: What follows a unit that it counts as one.
_ONE = frozenset({"واحد", "واحده"})


@rule
def arabic_single(match: Match) -> Parsed | NoTime | None:
    """One unit, with the number behind it: "ساعة واحدة"."""
    is_one = match.word("NUMBER_WORD") in _ONE and not (match.word("UNIT") or "").startswith("ال")
    return Amount(((1.0, TimeUnit.named(str(match.value("UNIT")))),)) if is_one else None


@rule
def arabic_word_year(match: Match) -> Parsed | NoTime | None:
    """A year in words behind the word for year: "عام ألف وتسعمئة وخمسة وأربعين"."""
    number = match.number("NUMBER_WORD")
    is_year = match.value("UNIT") == "year" and number is not None and 1000 <= number < 2200
    return Parts(year=int(number or 0)) if is_year else None


@rule
def arabic_quarter(match: Match) -> Parsed | NoTime | None:
    """This, the last or the next quarter of a year: "الربع القادم"."""
    word = match.word("QUARTER_HOUR") or ""
    if match.value("QUARTER_HOUR") != 15 or not word.startswith("ال") or match.word("LAST") in _FINAL:
        return None
    step = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
    return Parts(unit=TimeUnit.named("quarter"), step=step)


@rule
def arabic_bound(match: Match) -> Parsed | NoTime | None:
    """A clock time from which or up to which something holds: "بعد الساعة 14:00", "قبل الساعة 2"."""
    if match.times[0].hour is None:
        return None
    return Range(None, match.times[0]) if match.word("AGO") == "قبل" else Range(match.times[0], None)


@rule
def arabic_hours(match: Match) -> Parsed | NoTime | None:
    """A range of hours that ordinals name: "من التاسعة حتى الحادية عشرة"."""
    items = match.all("ORDINAL", "NUMBER_WORD")
    place = match.all("الي", "حتي", "-", "AND")[-1].start
    hours = [_add(match, [item for item in items if (item.start < place) is is_first]) for is_first in (True, False)]
    if not all(item.word.endswith("ه") or item.word == "الاولي" for item in match.all("ORDINAL")):
        return None
    if any(hour is None or not 1 <= hour <= 12 for hour in hours):
        return None
    part = match.value("DAYPART")
    first, last = Parts(hour=int(hours[0] or 0)), Parts(hour=int(hours[1] or 0), daypart=str(part) if part else None)
    return Range(first, last)


@rule
def arabic_pointed(match: Match) -> Parsed | NoTime | None:
    """ "That year", "the following day": the unit has its article."""
    return pointed_unit(match) if (match.word("UNIT") or "").startswith("ال") else None


@rule
def arabic_final(match: Match) -> Parsed | NoTime | None:
    """The last unit or weekday of a whole ("آخر يوم في أكتوبر"), or the last few units ("آخر ثلاثة أيام")."""
    if match.has("WHOLE_DURATION"):
        count, _, named = str(match.value("WHOLE_DURATION")).partition(" ")
        return Rolling(-float(count), TimeUnit.named(named))
    name, number = match.value("UNIT"), match.number("SMALL_NUMBER", "NUMBER_WORD")
    if number is not None and name is not None:
        return Rolling(-number, TimeUnit.named(str(name)))
    if name is not None and not match.has("WEEKDAY") and match.after in _SENTENCE_ENDS:
        return Rolling(-1, TimeUnit.named(str(name)))
    return Parts(nth=-1, weekday=match.value("WEEKDAY"), nth_unit=None if name is None else TimeUnit.named(str(name)))


@rule
def arabic_last_hour(match: Match) -> Parsed | NoTime | None:
    """ "The past hour", where the word for the hour is the mark of clock times."""
    return Rolling(-1 if match.has("LAST") else 1, TimeUnit.named("hour"))


@rule
def arabic_from_today(match: Match) -> Parsed | NoTime | None:
    """ "Three days from today", not "two days of" another time."""
    day, amount = match.times[-1], match.amounts[0]
    if day != Parts(unit=TimeUnit.named("day"), step=0) or any(number is None for number, _ in amount.numbers):
        return None
    return Parts(offset=tuple((number or 0, unit_of) for number, unit_of in amount.numbers))


@rule
def arabic_pointed_weekday(match: Match) -> Parsed | NoTime | None:
    """ "The following Monday": counted from the time that the text mentioned last."""
    turn = int(match.value("POINTING"))
    is_day = match.value("UNIT") in (None, "day")
    return Parts(weekday=match.value("WEEKDAY"), turn=turn, anchor="text") if is_day and turn else None


@rule
def arabic_rolling(match: Match) -> Parsed | NoTime | None:
    """A number of units up to now or from now: "اليومين الماضيين", "الأيام الثلاثة المقبلة"."""
    sign = -1 if match.has("LAST") else 1
    if match.has("WHOLE_DURATION"):
        number, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Rolling(sign * float(number), TimeUnit.named(name))
    count = match.number(*_NUMBERS)
    named = TimeUnit.named(str(match.value("UNIT")))
    return unit(match) if count is None else Rolling(sign * count, named)


@rule
def arabic_share(match: Match) -> Parsed | NoTime | None:
    """A quarter or half of a year ("الربع الثالث من عام 2018"), or the n-th half or third of a longer time."""
    minutes = match.value("QUARTER_HOUR")
    number = match.number("ORDINAL") if match.has("ORDINAL") else 60 // int(minutes)
    if number is None:
        return None
    if match.times:
        return replace(match.times[0], nth=int(number), share=60 // int(minutes))
    years = match.all("YEAR")
    of_year = int(match.number_at(years[0]) or 0) if years else None
    if match.value("UNIT") not in (None, "year"):
        return None
    if minutes == 15 and number <= 4:
        return Parts(quarter=int(number), year=of_year)
    is_half = minutes == 30 and number <= 2 and match.has("YEAR", "UNIT")
    return Parts(half=int(number), year=of_year) if is_half else None


@rule
def arabic_half(match: Match) -> Parsed | NoTime | None:
    """A half, a third or a quarter of a unit: "نصف ساعة", "نصف قرن"."""
    minutes, named = match.value("QUARTER_HOUR"), TimeUnit.named(str(match.value("UNIT")))
    if named.grain is Grain.HOUR:
        return Amount(((float(minutes), TimeUnit.named("minute")),))
    return Amount(((minutes / 60, named),)) if minutes == 30 else None


def _add(match: Match, items: list[Item]) -> float | None:
    if not items:
        return None
    return match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in items)


@rule
def arabic_hour(match: Match) -> Parsed | NoTime | None:
    """An hour in words: "الساعة الثالثة والنصف مساء", "الساعة الخامسة إلا ربعا", "الساعة 3 و18 دقيقة"."""
    if match.value("UNIT") not in (None, "minute"):
        return None
    joints = match.all("AND", "LESS")
    numbers = match.all(*_NUMBERS)
    minutes: float | None = None
    if (match.has("QUARTER_HOUR", "UNIT", "LESS") or _joins_minutes(match, joints, numbers)) and joints:
        # The first joint behind an hour begins the minutes; "twenty five" has its own.
        place = joints[0].start
        rest = [item for item in numbers if item.start > place]
        numbers = [item for item in numbers if item.start < place]
        minutes = match.value("QUARTER_HOUR") if match.has("QUARTER_HOUR") else _add(match, rest)
    hour = _add(match, numbers)
    if len([item for item in numbers if item in match.all("ORDINAL") and (match.number_at(item) or 0) < 20]) > 1:
        return None  # "the third and the fifth" are two hours
    if hour is None or not 0 <= hour <= 24 or (minutes is not None and not 0 < minutes < 60):
        return None
    if match.has("LESS") and minutes is not None:
        hour, minutes = (hour - 1) % 24 or 12, 60 - minutes
    return _with_part(match, Parts(hour=int(hour), minute=None if minutes is None else int(minutes)))


def _joins_minutes(match: Match, joints: list[Item], numbers: list[Item]) -> bool:
    """Whether a number behind "and" is one of minutes: "the third and ten", where "the third and twentieth" is none."""
    behind = [item for item in numbers if joints and item.start > joints[0].start]
    return (
        bool(behind)
        and "بين" not in (match.before, match.before_that)
        and not any(item in match.all("ORDINAL") for item in behind)
    )


@rule
def arabic_nth_of_unit(match: Match) -> Parsed | NoTime | None:
    """ "The last day of the year", of the one at hand."""
    inner, whole = (TimeUnit.named(str(name)) for name in match.values("UNIT"))
    number = -1 if match.has("FINAL") else match.number("ORDINAL")
    if number is None or whole.grain not in (Grain.MONTH, Grain.YEAR) or inner.grain >= whole.grain:
        return None
    return Parts(nth=int(number), nth_unit=inner, unit=whole, step=0)


@rule
def arabic_hours_of_part(match: Match) -> Parsed | NoTime | None:
    """A range of hours whose first has no word for hours: "from the third to the fifth in the evening"."""
    first = _add(match, [item for item in match.all("ORDINAL", "NUMBER_WORD") if item.parsed is None])
    last = match.times[0]
    if first is None or not 1 <= first <= 12 or last.hour is None:
        return None
    return Range(Parts(hour=int(first)), last)


@rule
def arabic_beside_today(match: Match) -> Parsed | NoTime | None:
    """ "The day that is before yesterday", where the word for the day is that for today."""
    first, last = match.all("TODAY")
    step = match.tokeniser.value(last.word)
    is_far = match.tokeniser.value(first.word) == 0 and step in (-2, 2)
    return Parts(unit=TimeUnit.named("day"), step=int(step)) if is_far else None


@rule
def arabic_every_two(match: Match) -> Parsed | NoTime | None:
    """ "Every Monday", which without its article is "two"."""
    is_day = match.word("UNIT") in ("يوم", None) and match.number("NUMBER_WORD") == 2
    return Recurrence("XXXX-WXX-1") if is_day else None


@rule
def arabic_hours_to(match: Match) -> Parsed | NoTime | None:
    """A range of hours whose last has no word for hours: "from the hour nine to the eleventh"."""
    first = match.times[0]
    hour = _add(match, [item for item in match.all(*_NUMBERS) if item.parsed is None])
    if first.hour is None or hour is None or not 1 <= hour <= 24 or hour != int(hour):
        return None
    return Range(first, Parts(hour=int(hour)))


@rule
def arabic_clock(match: Match) -> Parsed | NoTime | None:
    """A clock time in digits, with a part of the day or without."""
    if match.has("AM_PM", "ERA"):  # the letter for the evening is that of the era
        half = "AM" if match.value("AM_PM") == "AM" else "PM"
        if match.has("ERA") and match.word("ERA") not in ("م", "م."):
            return None
        number = match.number("SMALL_NUMBER")
        if number is not None:
            return Parts(hour=int(number), meridiem=half) if 1 <= number <= 12 else None
        parsed = clock(match)
        return replace(parsed, meridiem=half) if isinstance(parsed, Parts) and (parsed.hour or 0) <= 12 else parsed
    parsed = clock(match)
    if isinstance(parsed, Parts) and match.before == "الساعه":
        parsed = replace(parsed, is_digital=False)  # the hours of the day are counted to twelve
    return _with_part(match, parsed) if isinstance(parsed, Parts) else parsed


def _with_part(match: Match, parsed: Parts) -> Parts:
    part = match.value("DAYPART")
    if part == "24:00" and parsed.hour == 12:
        return replace(parsed, hour=0)
    if part is None or ":" in str(part):
        return parsed
    # An hour "of noon" is twelve or one of the hours behind it.
    noon = "AF" if (parsed.hour or 0) < 10 else "MI"
    return replace(parsed, daypart=noon if part == "MI" else str(part))


@rule
def arabic_two_centuries(match: Match) -> Parsed | None:
    """Two centuries that share their word: "القرنين الخامس عشر والسادس عشر"."""
    if match.value("WHOLE_DURATION") != "2 century":
        return None
    numbers = [0.0]
    for item in match.items[1:]:
        if item.code == match.tokeniser.language.classes["AND"]:
            numbers.append(0.0)
        else:
            numbers[-1] += match.number_at(item) or 0
    first, last = (
        Parts(span=Span(to_seconds(100 * low), to_seconds(100 * low + 100), Grain.CENTURY))
        for low in (int(number) - 1 for number in numbers)
    )
    return Range(first, last)
