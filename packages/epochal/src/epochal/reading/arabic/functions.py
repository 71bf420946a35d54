"""Rule functions of Arabic; words are written as they are read: alef without hamza, heh for teh marbuta."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from epochal.errors import EpochalError
from epochal.reading.arabic.hours import NUMBERS, add_numbers
from epochal.reading.shared.atoms import date, decade, pointed_unit, unit, weekday_part, year
from epochal.reading.shared.match import Match, NoTime, rule
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
    number = match.number(*NUMBERS)
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
    days = match.all(*NUMBERS)
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
    day = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in match.all(*NUMBERS))
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
    part = str(match.value("TODAY")).partition(" ")[2] or match.value("DAYPART")
    if part is not None and ":" in str(part):
        return None
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
    if (
        match.values("UNIT") not in (["month"], ["day", "month"])
        or not isinstance(month, Parts)
        or number is None
        or not 1 <= number <= 31
    ):
        return None
    return replace(month, day=int(number))


@rule
def arabic_day_of_month_number(match: Match) -> Parsed | NoTime | None:
    """A day of a month that has its number: "الثالث من شهر عشرة", "1 من شهر 3"."""
    months = [item for item in match.all("UNIT") if match.tokeniser.value(item.word) == "month"]
    if match.values("UNIT")[0] not in ("month", "day") or not months or match.items[0] is months[0]:
        return None
    numbers, years = match.all(*NUMBERS), match.all("YEAR")
    day = add_numbers(match, [item for item in numbers if item.start < months[0].start])
    month = add_numbers(match, [item for item in numbers if item.start > months[0].start])
    if months[0].word not in ("شهر", "الشهر") or day is None or month is None:
        return None
    if not 1 <= day <= 31 or not 1 <= month <= 12:
        return None
    return Parts(day=int(day), month=int(month), year=int(match.number_at(years[0]) or 0) if years else None)


@rule
def arabic_middle_of_month(match: Match) -> Parsed | NoTime | None:
    """ "The half of May", which is its middle."""
    parsed = date(match) if match.value("QUARTER_HOUR") == 30 else None
    return replace(parsed, mod="MID") if isinstance(parsed, Parts) else None


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
    if match.has("WEEKDAY") and match.after in _SENTENCE_ENDS:
        return Parts(weekday=match.value("WEEKDAY"), turn=-1)
    return Parts(nth=-1, weekday=match.value("WEEKDAY"), nth_unit=None if name is None else TimeUnit.named(str(name)))


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
    count = match.number(*NUMBERS)
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


@rule
def arabic_weekday_of_set(match: Match) -> Parsed | NoTime | None:
    """A weekday that follows another that comes back: "كل اثنين وأربعاء"."""
    time = match.times[0]
    return Recurrence(f"XXXX-WXX-{time.weekday}") if time == Parts(weekday=time.weekday) else None


@rule
def arabic_nth_of_unit(match: Match) -> Parsed | NoTime | None:
    """ "The last day of the year", of the one at hand."""
    inner, whole = (TimeUnit.named(str(name)) for name in match.values("UNIT"))
    number = -1 if match.has("FINAL") else match.number("ORDINAL")
    if number is None or whole.grain not in (Grain.MONTH, Grain.YEAR) or inner.grain >= whole.grain:
        return None
    return Parts(nth=int(number), nth_unit=inner, unit=whole, step=0)


@rule
def arabic_weekday_of_unit(match: Match) -> Parsed | NoTime | None:
    """ "The last Thursday of the month", of the one at hand; without its article "Monday" is "two"."""
    whole = TimeUnit.named(str(match.value("UNIT")))
    number = -1 if match.has("FINAL") else match.number("ORDINAL")
    if number is None or match.number("NUMBER_WORD") not in (None, 2) or whole.grain not in (Grain.MONTH, Grain.YEAR):
        return None
    day = 1 if match.has("NUMBER_WORD") else match.value("WEEKDAY", "BARE_WEEKDAY")
    return Parts(nth=int(number), weekday=day, unit=whole, step=0)


@rule
def arabic_month_end(match: Match) -> Parsed | NoTime | None:
    """ "The end of May", by the word that is also "the last"."""
    parsed = date(match)
    return replace(parsed, mod="END") if isinstance(parsed, Parts) else parsed


@rule
def arabic_this_unit(match: Match) -> Parsed | NoTime | None:
    """ "During the week": the unit at hand, which has its article, where one without it is a length."""
    named = TimeUnit.named(str(match.value("UNIT")))
    is_named = (match.word("UNIT") or "").startswith("ال") and named.grain >= Grain.DAY
    is_plural = match.word("UNIT") in match.tokeniser.language.cue_words("plural")
    return Parts(unit=named, step=0) if is_named and not is_plural and match.after in _SENTENCE_ENDS else None


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
