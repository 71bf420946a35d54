"""The Arabic grammar, in layers: words, what is counted from a time, times side by side, ranges.

Words are written here as they are read: alef without hamza, yeh for alef maksura, heh for teh marbuta.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from epochal.errors import EpochalError
from epochal.reading.grammar import Rule
from epochal.reading.shared.atoms import date, decade, pointed_unit, unit, weekday_part, year
from epochal.reading.shared.clocks import clock
from epochal.reading.shared.match import Item, Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parts, Recurrence, Rolling, Said, TimeUnit
from epochal.reading.timex3 import duration_value
from epochal.times.axis import Grain, to_seconds
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span

__all__ = ["LAYERS", "MACROS"]

_HIJRI = (
    "Muharram, Safar, Rabi' al-Awwal, Rabi' al-Thani, Jumada al-Ula, Jumada al-Akhirah, Rajab, Sha'ban, Ramadan, "
    "Shawwal, Dhu al-Qa'dah, Dhu al-Hijjah"
).split(", ")
#: Month names that are other words too ("father", "practised"), and what makes them months.
_DOUBTFUL = frozenset({"اب", "مارس", "ماي", "اوت"})
_MONTH_CUES = frozenset({"في", "شهر", "منذ", "حتي", "من", "خلال", "ل", "الي", "و", "بين"})
_NUMBERS = ("SMALL_NUMBER", "NUMBER_WORD", "ORDINAL")


@rule
def arabic_date(match: Match) -> Said | NoTime | None:
    """A day of a month: "يوم 14 من شهر مايو"; the first week of a month is none."""
    item = match.items[0]
    is_other = item in match.all("UNIT") and match.tokeniser.value(item.word) not in ("day", "month")
    return None if is_other else date(match)


@rule
def arabic_month(match: Match) -> Said | NoTime | None:
    """A month without a day or year."""
    if match.word("MONTH_NAME") in _DOUBTFUL and match.before not in _MONTH_CUES and len(match.items) == 1:
        return None
    return date(match)


@rule
def arabic_month_number(match: Match) -> Said | NoTime | None:
    """A month by its number behind the word for month: "شهر 3", "الشهر التاسع"."""
    number = match.number(*_NUMBERS)
    if match.word("UNIT") not in ("شهر", "الشهر") or number is None or not 1 <= number <= 12:
        return None
    years = match.all("YEAR")
    return Parts(
        month=int(number),
        year=int(match.number_at(years[0]) or 0) if years else None,
        mod=str(match.value("PART") or ""),
    )


@rule
def arabic_hijri(match: Match) -> Said | NoTime | None:
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
def arabic_weekday(match: Match) -> Said | NoTime | None:
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
def arabic_nth_weekday(match: Match) -> Said | NoTime | None:
    """A weekday with a number: one of a month ("الثلاثاء الثالث من سبتمبر"), or its date ("السبت السادس عشر")."""
    number = -1 if match.has("FINAL") else match.number("ORDINAL")
    if number is None or match.number("NUMBER_WORD") not in (None, 2, 10):
        return None
    if match.number("NUMBER_WORD") == 10:
        return Parts(day=int(number) + 10)
    # Without its article "Monday" is "two".
    day = 1 if match.has("NUMBER_WORD") else match.value("WEEKDAY", "BARE_WEEKDAY")
    if number > 5:
        return Parts(day=int(number)) if number <= 31 else None
    return Parts(nth=int(number), weekday=day)


@rule
def arabic_year(match: Match) -> Said | NoTime | None:
    """A year behind the word for year or by itself."""
    if match.value("UNIT") not in (None, "year"):
        return None
    # A number by itself counts what follows it.
    is_free = not match.has("UNIT", "PART") and match.before.isalpha()
    return None if is_free and match.before not in match.tokeniser.language.cue_words("year_cues") else year(match)


@rule
def arabic_day(match: Match) -> Said | NoTime | None:
    """ "The past day", where the word for the day is that for today."""
    step = -1 if match.has("LAST") else int(match.value("POINTING", "NEXT"))
    part = str(match.value("TODAY")).partition(" ")[2] or None
    anchor: Literal["text"] | None = "text" if match.has("POINTING") else None
    return Parts(unit=TimeUnit.named("day"), step=step, daypart=part, anchor=anchor)


@rule
def arabic_decade(match: Match) -> Said | NoTime | None:
    """A decade, of the twentieth century unless another is named: "تسعينيات القرن التاسع عشر"."""
    said = decade(match)
    number = match.number("ORDINAL", "NUMBER_WORD") if match.has("UNIT") else None
    if number is None or not isinstance(said, Parts) or number == 20:
        return said
    first = int((number - 1) * 100 + (match.number("DECADE") or 0))
    return replace(said, span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE))


@rule
def arabic_one(match: Match) -> Said | NoTime | None:
    """A unit without a number, which is one of it: "قبل عام", "بعد ساعة"."""
    if match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return None
    return Amount(((1.0, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def arabic_half_more(match: Match) -> Said | NoTime | None:
    """A number of units and a half of one: "ساعة ونصف", "ساعتين ونصف", "ثلاث سنوات ونصف"."""
    share = float(match.value("QUARTER_HOUR")) / 60
    if match.has("WHOLE_DURATION"):
        count, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Amount(((float(count) + share, TimeUnit.named(name)),))
    number = match.number("SMALL_NUMBER", "NUMBER_WORD")
    if share != 0.5 and match.value("UNIT") != "hour":
        return None
    return Amount(((1 + share if number is None else number + share, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def arabic_set(match: Match) -> Said | NoTime | None:
    """How often in a time ("مرتين في الأسبوع"), or after which time again ("كل أسبوعين"); every one of a weekday."""
    if (day := match.value("WEEKDAY", "BARE_WEEKDAY")) is not None:
        return Recurrence(f"XXXX-WXX-{day}") if match.value("UNIT") in (None, "day") else None
    if match.has("WHOLE_DURATION"):
        count, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Recurrence(duration_value(float(count), TimeUnit.named(name).letter))
    name = "day" if match.has("TODAY") else str(match.value("UNIT"))
    return Recurrence(duration_value(1, TimeUnit.named(name).letter))


@rule
def arabic_day_of_month(match: Match) -> Said | NoTime | None:
    """A day of this, the last or the next month: "العاشر من الشهر الجاري"."""
    month, number = unit(match), match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if match.value("UNIT") != "month" or not isinstance(month, Parts) or number is None or not 1 <= number <= 31:
        return None
    return replace(month, day=int(number))


@rule
def arabic_word_year(match: Match) -> Said | NoTime | None:
    """A year in words behind the word for year: "عام ألف وتسعمئة وخمسة وأربعين"."""
    number = match.number("NUMBER_WORD")
    is_year = match.value("UNIT") == "year" and number is not None and 1000 <= number < 2200
    return Parts(year=int(number or 0)) if is_year else None


@rule
def arabic_pointed(match: Match) -> Said | NoTime | None:
    """ "That year", "the following day": the unit has its article."""
    return pointed_unit(match) if (match.word("UNIT") or "").startswith("ال") else None


@rule
def arabic_final(match: Match) -> Said | NoTime | None:
    """The last unit or weekday of a whole ("آخر يوم في أكتوبر"), or the last few units ("آخر ثلاثة أيام")."""
    name, number = match.value("UNIT"), match.number("SMALL_NUMBER", "NUMBER_WORD")
    if number is not None and name is not None:
        return Rolling(-number, TimeUnit.named(str(name)))
    return Parts(nth=-1, weekday=match.value("WEEKDAY"), nth_unit=None if name is None else TimeUnit.named(str(name)))


@rule
def arabic_rolling(match: Match) -> Said | NoTime | None:
    """A number of units up to now or from now: "اليومين الماضيين", "الأيام الثلاثة المقبلة"."""
    sign = -1 if match.has("LAST") else 1
    if match.has("WHOLE_DURATION"):
        number, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
        return Rolling(sign * float(number), TimeUnit.named(name))
    count = match.number(*_NUMBERS)
    named = TimeUnit.named(str(match.value("UNIT")))
    return unit(match) if count is None else Rolling(sign * count, named)


@rule
def arabic_share(match: Match) -> Said | NoTime | None:
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
def arabic_half(match: Match) -> Said | NoTime | None:
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
def arabic_hour(match: Match) -> Said | NoTime | None:
    """An hour in words: "الساعة الثالثة والنصف مساء", "الساعة الخامسة إلا ربعا", "الساعة 3 و18 دقيقة"."""
    if match.value("UNIT") not in (None, "minute"):
        return None
    joints = match.all("AND", "LESS")
    numbers = match.all(*_NUMBERS)
    minutes: float | None = None
    if match.has("QUARTER_HOUR", "UNIT") and joints:
        # The first joint behind an hour begins the minutes; "twenty five" has its own.
        place = joints[0].start
        rest = [item for item in numbers if item.start > place]
        numbers = [item for item in numbers if item.start < place]
        minutes = match.value("QUARTER_HOUR") if match.has("QUARTER_HOUR") else _add(match, rest)
    hour = _add(match, numbers)
    if hour is None or not 0 <= hour <= 24 or (minutes is not None and not 0 < minutes < 60):
        return None
    if match.has("LESS") and minutes is not None:
        hour, minutes = (hour - 1) % 24 or 12, 60 - minutes
    return _with_part(match, Parts(hour=int(hour), minute=None if minutes is None else int(minutes)))


@rule
def arabic_clock(match: Match) -> Said | NoTime | None:
    """A clock time in digits, with a part of the day or without."""
    said = clock(match)
    return _with_part(match, said) if isinstance(said, Parts) else said


def _with_part(match: Match, said: Parts) -> Parts:
    part = match.value("DAYPART")
    if part is None or ":" in str(part):
        return said
    # An hour "of noon" is twelve or one of the hours behind it.
    noon = "AF" if (said.hour or 0) < 10 else "MI"
    return replace(said, daypart=noon if part == "MI" else str(part))


#: Patterns with a name, for use in the rules.
MACROS = {
    "WORDS": "NUMBER_WORD+ (AND NUMBER_WORD+){0,3}",
    "CARDINAL": "SMALL_NUMBER | WORDS",
    "NUMBER": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | FRACTION | YEAR | WORDS",
    "AMOUNT": "NUMBER | FEW",
    # الثالث، الثالث عشر، الخامس والعشرين
    "NTH": "ORDINAL NUMBER_WORD? (AND ORDINAL)?",
    "DAY_NUMBER": "SMALL_NUMBER | NTH",
    # مايو، شهر مايو، مايو/أيار، أيار (مايو)
    "MONTH": 'UNIT? MONTH_NAME ("/" MONTH_NAME | "(" MONTH_NAME ")")?',
    "ANY_YEAR": '("من" | "ل" | "في")? (UNIT AL?)? YEAR',
    "IN": '"في" | "ب" | "ل" | "خلال"',
    "GLUE": '"في" | "," | "من" | "عند" | "ل" | "ب" | MONTHS_NAME | AND | "علي" | "(" | ")"',
    "FROM": '"من"',
    "TO": '"الي" | AND? "حتي" | "-"',
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    "HOUR_NUMBER": "SMALL_NUMBER | NUMBER_WORD | ORDINAL",
}

_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    Rule("no_time", 'SEASON "العربي"', "ثورات [الربيع العربي] كثيرة.", None),
    Rule("no_time", '"عمر" ("يناهز")? NUMBER UNIT', "توفي عن [عمر 80 عاما].", None),
    Rule("no_time", '"العمر" NUMBER UNIT', "يبلغ من [العمر 80 عاما].", None),
    # ------------------------------------------------ clock times
    Rule(
        "arabic_clock",
        '<HOUR_MARK CLOCK (("في" | "من")? DAYPART)? ZONE? | CLOCK (DAYPART)? ZONE?',
        "يعقد الاجتماع في الساعة [15:30].",
        "T15:30",
    ),
    Rule(
        "arabic_hour",
        "<HOUR_MARK (SMALL_NUMBER | NTH | NUMBER_WORD{1,2}) "
        "(AND CARDINAL UNIT | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT))?"
        ' (("في" | "من")? DAYPART)? ZONE?',
        "وصل الساعة [الثالثة والنصف مساء].",
        "T15:30",
    ),
    Rule(
        "arabic_hour",
        '<("عند" | "حتي" | "الي" | "-") (SMALL_NUMBER | NTH) '
        "(AND CARDINAL UNIT | AND QUARTER_HOUR | LESS QUARTER_HOUR)? DAYPART",
        "وصل عند [الثالثة والربع صباحا].",
        "T03:15",
    ),
    Rule(
        "arabic_hour",
        "SMALL_NUMBER DAYPART | NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS QUARTER_HOUR)? DAYPART",
        "وصل في [8 مساء].",
        "T20",
    ),
    Rule(
        "arabic_hour",
        "<(HOUR_MARK REFERENCE) NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT))? "
        "DAYPART? | NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT)) "
        '!("من" | UNIT)',
        "وصل في [الثالثة إلا ربعا].",
        "T02:45",
    ),
    # ------------------------------------------------ dates
    Rule(
        "arabic_hijri",
        'DAY_NUMBER "من"? UNIT? HIJRI_MONTH ("من"? UNIT)? YEAR HIJRI?',
        "بدأ في [1 رمضان 1418].",
        "1997-12-31",
    ),
    Rule("arabic_hijri", "UNIT? HIJRI_MONTH UNIT? YEAR HIJRI?", "ولد في [شوال 1418 هجرية].", "1998-01-30/1998-02-27"),
    Rule("arabic_hijri", "UNIT? (YEAR | THREE_DIGITS) HIJRI", "توفي [سنة 656 هجرية].", "1258-01-15/1259-01-04"),
    Rule(
        "arabic_date",
        '(TODAY | UNIT)? DAY_NUMBER "من"? MONTH ","? ANY_YEAR ERA?',
        "يعقد الاجتماع في [14 مايو 2024].",
        "2024-05-14",
    ),
    Rule("date", 'MONTH SMALL_NUMBER "," YEAR', "[أبريل 14, 2015]", "2015-04-14"),
    Rule(
        "range_of_days",
        "MONTH_NAME SMALL_NUMBER TO SMALL_NUMBER YEAR?",
        "يغيب [أغسطس 27 إلى 29]",
        "1998-08-27/1998-08-29",
    ),
    Rule(
        "arabic_date",
        '(TODAY | UNIT)? DAY_NUMBER "من"? MONTH !YEAR (LAST | NEXT)?',
        "وصل في [الأول من مارس].",
        "1998-03-01",
    ),
    Rule("date", 'PART? MONTH ","? ANY_YEAR ERA?', "كان ذلك في [أوائل مايو 1997].", "1997-05"),
    Rule(
        "arabic_day_of_month",
        '(TODAY | UNIT)? (SMALL_NUMBER | NTH) "من" (THIS UNIT | UNIT (THIS | LAST | NEXT))',
        "وصل في [العاشر من الشهر الجاري].",
        "1998-03-10",
    ),
    Rule("numeric_date", "NUMERIC_DATE ERA?", "يسري العقد من [1/7/2024].", "2024-07-01"),
    Rule(
        "numeric_date",
        '<("في" | DAY | "من" | "الي" | "حتي" | UNIT) DAY_MONTH !(OTHER | UNIT) | DAY_MONTH &(HOUR_MARK | CLOCK)',
        "كان ذلك يوم السبت [28/2]",
        "1998-02-28",
    ),
    Rule(
        "arabic_month_number",
        "PART? UNIT (SMALL_NUMBER | ORDINAL | NUMBER_WORD) !NUMBER_WORD ANY_YEAR?",
        "كان في [الشهر التاسع سنة 1997].",
        "1997-09",
    ),
    # ------------------------------------------------ years and longer
    Rule(
        "arabic_decade",
        '(PART | UNIT)? DECADE ("من"? UNIT (LAST | NTH))?',
        "في [تسعينيات القرن الماضي] تغير كل شيء.",
        "199",
    ),
    Rule("century", "PART? UNIT (NTH | AL? SMALL_NUMBER) ERA?", "عاش في [القرن الثامن عشر] في دمشق.", "17"),
    Rule(
        "arabic_share",
        'QUARTER_HOUR (ORDINAL | LAST) ("من"? UNIT? YEAR | "من" UNIT !(ORDINAL | LAST | NEXT | YEAR | THIS))?',
        "ارتفع في [الربع الثالث من عام 2018].",
        "2018-Q3",
    ),
    Rule(
        "year_of_era",
        "(UNIT | ABOUT | PART)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) ERA",
        "بدأ [466 ق.م].",
        "BC0466",
    ),
    Rule("arabic_word_year", "UNIT WORDS", "ولد [سنة ألف وتسعمئة وخمسة وأربعين].", "1945"),
    Rule("arabic_year", "PART? UNIT? AL? YEAR !(UNIT)", "في [عام 1920] ازدهر الفن.", "1920"),
    Rule(
        "year_of_unit",
        "UNIT THREE_DIGITS !(UNIT)",
        "كتب في [عام 731].",
        "0731",
    ),
    # ------------------------------------------------ sets
    Rule(
        "arabic_nth_weekday",
        '(ORDINAL | FINAL) (BARE_WEEKDAY | NUMBER_WORD | WEEKDAY) &("من" | "في" | "ل")',
        "وصل في [آخر اثنين] من شهر مارس 1997.",
        "1997-03-31",
    ),
    Rule(
        "arabic_nth_weekday",
        "ORDINAL WEEKDAY | WEEKDAY ORDINAL NUMBER_WORD?",
        "كان [الثلاثاء الثالث] من سبتمبر 2014.",
        "2014-09-16",
    ),
    Rule("arabic_rolling", "ORDINAL UNIT (LAST | NEXT)", "سيتغير ذلك خلال [العشرين سنة القادمة].", "P20Y"),
    Rule(
        "ordinal_unit",
        "ORDINAL UNIT !YEAR | UNIT ORDINAL | TODAY ORDINAL",
        "في [الأسبوع الأول] من أكتوبر 1997.",
        "1997-W41",
    ),
    Rule(
        "arabic_final",
        "FINAL CARDINAL UNIT | FINAL (UNIT? WEEKDAY | UNIT)",
        "وصل في [آخر يوم] في أكتوبر 1997.",
        "1997-10-31",
    ),
    Rule(
        "arabic_set",
        'EVERY UNIT? (BARE_WEEKDAY | WEEKDAY) | EVERY WHOLE_DURATION | CARDINAL? TIMES ("في" | "ب") (UNIT | TODAY)',
        "يأتي [كل يوم جمعة].",
        "XXXX-WXX-5",
    ),
    Rule("every", "EVERY AMOUNT? (UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART)", "يأتي [كل يوم].", "P1D"),
    Rule("frequency", "FREQUENCY", "تصدر المجلة [أسبوعيا].", "P1W"),
    # ------------------------------------------------ last, this, next
    Rule(
        "arabic_rolling",
        "WHOLE_DURATION (LAST | NEXT) | UNIT (AL? CARDINAL | ORDINAL | FEW)? (LAST | NEXT)"
        " | AL? CARDINAL UNIT (LAST | NEXT)",
        "ثلج كثير خلال [اليومين الماضيين].",
        "P2D",
    ),
    Rule(
        "arabic_day",
        "TODAY (LAST | NEXT | POINTING) | POINTING TODAY",
        "وصل في 6 يونيو 1944. في [اليوم التالي] غادر.",
        "1944-06-07",
    ),
    Rule("arabic_pointed", "UNIT POINTING | POINTING UNIT", "وصل عام 1944. في [العام التالي] غادر.", "1945"),
    Rule("unit", "THIS UNIT | UNIT THIS", "وصل [هذا العام].", "1998"),
    Rule("arabic_weekday", "DAYPART? UNIT? WEEKDAY (LAST | NEXT) | THIS WEEKDAY", "وصل [الجمعة الماضي].", "1998-02-27"),
    Rule("date", "MONTH (LAST | NEXT)", "بدأ في [نوفمبر الماضي].", "1997-11"),
    Rule("season", "UNIT? SEASON (LAST | NEXT) | THIS SEASON", "وصل [الصيف الماضي].", "1997-SU"),
    Rule("holiday", "HOLIDAY ANY_YEAR? (LAST | NEXT)?", "يصل في [عيد العمال 1999].", "1999-05-01"),
    Rule("daypart", "THIS DAYPART", "وصل [هذا الصباح].", "1998-03-05TMO"),
    # ------------------------------------------------ today
    Rule("today", "(DAYPART | UNIT)? TODAY (DAYPART)?", "[أمس] نزل المطر.", "1998-03-04"),
    Rule("arabic_weekday", "DAYPART? UNIT? WEEKDAY DAYPART?", "يعقد الاجتماع يوم [الثلاثاء].", "1998-03-10"),
    Rule("season", "PART? SEASON ANY_YEAR?", "وصل في [صيف 1990].", "1990-SU"),
    # ------------------------------------------------ amounts
    Rule(
        "arabic_half_more",
        "(WHOLE_DURATION | CARDINAL? UNIT) AND QUARTER_HOUR (UNIT | HOUR_MARK)?",
        "استغرق [ساعة ونصف الساعة].",
        "PT1H30M",
    ),
    Rule("whole_duration", "WHOLE_DURATION !(LAST | NEXT)", "استغرق [شهرين].", "P2M"),
    Rule("duration", "(ABOUT | MORE)? AMOUNT UNIT", "استغرق [ثلاثة أشهر].", "P3M"),
    Rule("arabic_half", "QUARTER_HOUR UNIT", "استغرق [نصف ساعة].", "PT30M"),
    Rule(
        "arabic_one",
        '<(AGO | "بعد" | "خلال") UNIT !(YEAR | SMALL_NUMBER | THREE_DIGITS | ORDINAL | LAST | NEXT | THIS | MONTH_NAME'
        " | WEEKDAY | POINTING | HIJRI_MONTH) | <!ANY UNIT !ANY",
        "وصل قبل [شهر].",
        "1998-02",
    ),
    Rule("weekend", '<("في" | "خلال") UNIT', "سأغيب في [عطلة نهاية الأسبوع].", "1998-W10-WE"),
    Rule("daypart", "DAYPART", "وصل [مساء].", "TEV"),
    Rule("arabic_month", "PART? MONTH", "بدأ في [نوفمبر].", "1997-11"),
    Rule("reference", "NOW", "[الآن] فات الأوان.", "PRESENT_REF"),
)

_COUNTED = (
    Rule("durations", "DURATION AND DURATION", "استغرق [سنتين وثلاثة أشهر].", "P2Y3M"),
    Rule("after_time", '"بعد" DURATION "من" (DAY | PERIOD)', "[بعد يومين من 5 مايو 2020] غادر.", "2020-05-07"),
    Rule("before_time", 'AGO DURATION "من" (DAY | PERIOD)', "[قبل يومين من 5 مايو 2020] غادر.", "2020-05-03"),
    Rule("ago", "AGO (ABOUT | MORE)? DURATION", "وصل [منذ ثلاثة أيام].", "1998-03-02"),
    Rule(
        "later",
        '"بعد" POINTING "ب" DURATION | DURATION "بعد" POINTING',
        "وصل في 6 يونيو 1944. [بعد ذلك بيومين] غادر.",
        "1944-06-08",
    ),
    Rule("ahead", '"بعد" (ABOUT | MORE)? DURATION ("من" REFERENCE)?', "يصل [بعد أسبوع].", "1998-W11"),
    Rule("part_of", "PART (PERIOD | DAY)", "وصل [نهاية الشهر الماضي].", "1998-02"),
    Rule("this_part", "PART UNIT", "يغادر في [نهاية العام].", "1998"),
    Rule("about", "ABOUT HOUR_MARK? (TIME | MOMENT | PERIOD | DAY)", "يصل [حوالي الساعة 15:30].", "T15:30"),
)

_CLOCKS = (
    Rule(
        "range_of",
        "FROM? HOUR_MARK? TIME (TO) HOUR_MARK? TIME",
        "يعمل [من الساعة 9:30 إلى الساعة 11:00].",
        "1998-03-05T09:30/1998-03-05T11:00",
    ),
)

_JOINED = (
    Rule("arabic_share", 'QUARTER_HOUR ORDINAL "من" PERIOD', "في [النصف الأول من القرن الثامن عشر].", "1700/1749"),
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} HOUR_MARK? (DAY | PERIOD | TIME | MOMENT)",
        "[الجمعة 18 يوليو 2014].",
        "2014-07-18",
    ),
)

_RANGES = (
    Rule("range_of", "FROM? NODE TO (NODE | REFERENCE)", "يغيب [من 4 مايو إلى 6 مايو].", "1998-05-04/1998-05-06"),
    Rule("range_of", '"بين" NODE AND NODE', "كان الجو جافا [بين مارس ومايو 1997].", "1997-03/1997-05"),
    Rule(
        "range_of_numbers",
        "FROM? (SMALL_NUMBER | NTH) TO (DAY | MOMENT)",
        "يغيب [من 4 إلى 6 مايو].",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of_numbers",
        '"بين" (SMALL_NUMBER | ORDINAL) AND (DAY | MOMENT)',
        "يغيب [بين 4 و6 مايو].",
        "1998-05-04/1998-05-06",
    ),
    Rule("since", '("من" | "بعد" | AGO) HOUR_MARK? TIME', "نعمل [بعد الساعة 14:00].", "1998-03-05T14:00/.."),
    Rule("until", '"حتي" HOUR_MARK? TIME', "نعمل [حتى الساعة 11:00].", "../1998-03-05T11:00"),
)

_DAYS = (
    Rule("join", "DAY GLUE{0,2} RANGE", "[الجمعة من 9:30 إلى 11:00]", "1998-03-06T09:30/1998-03-06T11:00"),
    Rule("join", "RANGE GLUE{0,2} DAY", "[من 9:30 إلى 11:00 الجمعة]", "1998-03-06T09:30/1998-03-06T11:00"),
)

#: The rules, layer by layer.
LAYERS = (_WORDS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
