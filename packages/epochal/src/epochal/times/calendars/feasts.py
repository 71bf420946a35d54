"""Feasts and Roman dates: "Michaelmas 1215", "Ash Wednesday 2024", "Rosh Hashanah 2024", "Ides of March 44 BC".

Christian feasts of years before 1583, and Roman dates, are days of the Julian calendar. Movable feasts follow the
computus of their time. Jewish and Islamic feasts are found in the Gregorian year that is named, which has two of the
latter in some years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, Grain, civil_date, day_number
from epochal.times.calendars.base import normalise_name
from epochal.times.calendars.julian import from_julian_date
from epochal.times.numerals import from_roman, is_roman
from epochal.times.span import Span
from epochal.times.words import MONTHS, read_year

#: The first year whose feasts are days of the Gregorian calendar.
_FIRST_GREGORIAN_YEAR = 1583
#: Feasts with a day of their own, by the calendar of the western church.
_FIXED = """
01-01 New Year's Day|Feast of the Circumcision|Circumcision of Christ
01-06 Epiphany|Twelfth Day|Feast of the Three Kings|Three Kings Day
01-05 Twelfth Night
01-25 Conversion of St Paul
02-02 Candlemas|Purification of the Virgin|Feast of the Purification|Groundhog Day
02-03 St Blaise
02-14 St Valentine|Valentine's Day
02-24 St Matthias
03-01 St David
03-12 St Gregory
03-17 St Patrick
03-25 Lady Day|Annunciation|Feast of the Annunciation
04-23 St George
04-25 St Mark
05-01 May Day|St Philip and St James|Sts Philip and James|Walpurgis
05-03 Invention of the Cross|Invention of the Holy Cross|Holy Cross Day in May
06-11 St Barnabas
06-24 St John the Baptist|Nativity of St John the Baptist|Nativity of St John|Midsummer Day|St John
06-23 Midsummer Eve|St John's Eve
06-29 St Peter and St Paul|Sts Peter and Paul|St Peter
07-02 Visitation
07-07 Translation of St Thomas Becket|Translation of St Thomas
07-15 St Swithin|St Swithun
07-20 St Margaret
07-22 St Mary Magdalene|St Mary Magdalen
07-25 St James
07-26 St Anne
08-01 Lammas|Lammastide|St Peter ad Vincula|Lammas Day
08-10 St Lawrence|St Laurence
08-15 Assumption|Assumption of the Virgin|Assumption of Mary|Feast of the Assumption
08-24 St Bartholomew
08-29 Decollation of St John|Beheading of St John
09-08 Nativity of the Virgin|Nativity of Mary
09-14 Holy Cross|Holy Cross Day|Exaltation of the Cross|Holyrood Day
09-21 St Matthew
09-29 Michaelmas|St Michael|St Michael and All Angels|St Michael the Archangel
10-09 St Denis
10-18 St Luke
10-25 St Crispin
10-28 St Simon and St Jude|Sts Simon and Jude
10-31 Halloween|All Hallows Eve
11-01 All Saints|All Saints Day|All Hallows|Hallowmas
11-02 All Souls|All Souls Day
11-11 Martinmas|St Martin|Armistice Day
11-22 St Cecilia
11-23 St Clement
11-25 St Catherine
11-30 St Andrew
12-06 St Nicholas
12-08 Immaculate Conception|Conception of the Virgin
12-13 St Lucy
12-21 St Thomas|St Thomas the Apostle
12-24 Christmas Eve
12-25 Christmas|Christmas Day|Nativity of Christ|Nativity of Our Lord
12-26 St Stephen|Boxing Day
12-27 St John the Evangelist
12-28 Holy Innocents|Childermas|Innocents Day
12-29 St Thomas Becket
12-31 New Year's Eve|St Sylvester
"""
#: Movable feasts, in days from Easter.
_MOVABLE = """
-63 Septuagesima
-56 Sexagesima
-49 Quinquagesima|Shrove Sunday
-48 Shrove Monday|Rosenmontag
-47 Shrove Tuesday|Mardi Gras|Pancake Day
-46 Ash Wednesday
-42 Quadragesima
-21 Laetare Sunday|Mothering Sunday
-14 Passion Sunday
-7 Palm Sunday
-3 Maundy Thursday|Holy Thursday
-2 Good Friday
-1 Holy Saturday|Easter Eve|Easter Saturday
0 Easter|Easter Sunday|Easter Day|Pascha
1 Easter Monday
7 Low Sunday|Quasimodo|Quasimodo Sunday
14 Hocktide Sunday
35 Rogation Sunday
39 Ascension|Ascension Day|Ascension Thursday|Holy Thursday of the Ascension
49 Pentecost|Whitsun|Whit Sunday|Whitsunday
50 Whit Monday|Pentecost Monday
56 Trinity Sunday|Trinity
60 Corpus Christi
68 Sacred Heart
"""
#: Feasts of other calendars: calendar, month and day (0 for the whole month). "lunar" is that of China today.
_OTHER = """
hebrew 7 1 Rosh Hashanah|Rosh ha-Shanah|Jewish New Year
hebrew 7 10 Yom Kippur|Day of Atonement
hebrew 7 15 Sukkot|Feast of Tabernacles
hebrew 7 23 Simchat Torah
hebrew 9 25 Hanukkah|Chanukah
hebrew 1 15 Passover|Pesach
hebrew 3 6 Shavuot
hebrew 5 9 Tisha B'Av|Tisha b Av
islamic 1 1 Islamic New Year
islamic 1 10 Ashura
islamic 3 12 Mawlid|Mawlid al-Nabi
islamic 9 0 Ramadan
islamic 10 1 Eid al-Fitr|Eid ul-Fitr
islamic 12 10 Eid al-Adha|Eid ul-Adha
persian 1 1 Nowruz|Norouz
lunar 1 1 Chinese New Year|Lunar New Year|Spring Festival
lunar 1 15 Lantern Festival
lunar 5 5 Dragon Boat Festival
lunar 8 15 Mid-Autumn Festival|Moon Festival
lunar 9 9 Double Ninth Festival
"""
_FEAST = lazy_regex(
    r"(?:(?:the |on )*(?P<side>eve|vigil|morrow|octave|day after|week) (?:of|after) )?(?:the )?(?:feast (?:day )?of )?"
    r"(?:the )?(?P<name>[a-z][a-z' ]+?)(?P<s>'?s)?(?: (?P<kind>day|eve|sunday|term|tide))?,? (?:(?:of|in|anno) )?"
    r"(?P<year>(?:ad )?\d{1,4}(?: ?(?:bce?|ce|ad))?)"
)
_SIDES = {"eve": -1, "vigil": -1, "morrow": 1, "octave": 7, "day after": 1}


def find_easter(year: int) -> int:
    """The day of Easter, counted from 1970-01-01: by the Julian computus before 1583, by the Gregorian one since."""
    if year < _FIRST_GREGORIAN_YEAR:
        moon = (19 * (year % 19) + 15) % 30
        rest = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
        month, day = divmod(moon + rest + 114, 31)
        return from_julian_date(year, month, day + 1)
    century, golden = year // 100, year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - moon - year % 100 % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return day_number(year, month, day + 1)


def read_feast(text: str) -> tuple[Span, ...]:
    """The days of a feast in a year; none where the text names no feast."""
    plain = re.sub(r"(?<!\ball )\bsaints?\b", "st", _fold_name(text))
    match = _FEAST.fullmatch(plain)
    if match is None or (year := read_year(match["year"])) is None:
        return ()
    name = match["name"] + (match["s"] or "")
    if not any(_find_days(name, match["kind"] or "", year)) and name not in _load_other():
        name = match["name"]
    days = tuple(_find_days(name, match["kind"] or "", year))
    if match["side"] == "week":
        return tuple(Span(day * DAY, (day + 7) * DAY, Grain.DAY) for day in days)
    shift = _SIDES.get(match["side"] or "", 0)
    if not days and match["kind"] == "eve":
        days, shift = tuple(_find_days(name, "", year)), -1
    if not days:
        return tuple(_find_other(name, year))
    return tuple(Span((day + shift) * DAY, (day + shift + 1) * DAY, Grain.DAY) for day in days)


def _fold_name(text: str) -> str:
    words = normalise_name(text.replace("'s ", " ").replace("’s ", " ")).replace(".", " ").replace(",", " ")
    return " ".join(words.split())


def _find_days(name: str, kind: str, year: int) -> Iterator[int]:
    fixed, movable = _load_feasts()
    for words in dict.fromkeys((f"{name} {kind}".strip(), name if kind in ("", "day", "term", "tide") else "")):
        if words in movable and year > 0:
            yield find_easter(year) + movable[words]
            return
        if words in fixed:
            month, day = fixed[words]
            convert = from_julian_date if year < _FIRST_GREGORIAN_YEAR else day_number
            yield convert(year, month, day)
            return


def _find_other(name: str, year: int) -> Iterator[Span]:
    """Feasts of other calendars that fall into a Gregorian year."""
    from epochal.times.calendars.base import CalendarDate
    from epochal.times.calendars.registry import calendar

    feast = _load_other().get(name)
    if feast is None:
        return
    if feast[0] == "lunar":
        day = place_lunar_day(year, feast[1], feast[2])
        if day is not None:
            yield Span(day * DAY, (day + 1) * DAY, Grain.DAY)
        return
    item = calendar(feast[0])
    if any(feast[0] in names and low <= year <= high for names, low, high in _OWN_YEARS):
        yield item.span(CalendarDate(item.name, year, feast[1], feast[2] or None))
        return
    for date in dict.fromkeys(
        date.year for day in (day_number(year), day_number(year, 12, 31)) for date in item.dates(day, Grain.YEAR)
    ):
        try:
            span = item.span(CalendarDate(item.name, date, feast[1], feast[2] or None))
        except TimeRangeError:
            continue
        if civil_date(span.start // DAY)[0] == year:
            yield span


#: Years that are those of a feast's own calendar: Rosh Hashanah 5785, Nowruz 1403.
_OWN_YEARS = ((("hebrew",), 5000, 6000), (("islamic", "persian"), 1300, 1500))
#: The stream of lunisolar years that the calendar of China has today.
_CHINA = 3


def place_lunar_day(year: int, month: int, day: int) -> int | None:
    """The day on the axis of a day of a lunar month of China's calendar; None where its tables do not reach."""
    from epochal.times.calendars.lunisolar import stream

    try:
        months = stream(_CHINA).months(year)
    except TimeRangeError:
        return None
    return next(
        (item.first + day - 1 for item in months if item.number == month and not item.leap and day <= item.length), None
    )


@cache
def _load_feasts() -> tuple[dict[str, tuple[int, int]], dict[str, int]]:
    fixed: dict[str, tuple[int, int]] = {}
    movable: dict[str, int] = {}
    for line in _FIXED.strip().splitlines():
        position, names = line.split(" ", 1)
        month, day = map(int, position.split("-"))
        fixed |= dict.fromkeys(map(_fold_name, names.split("|")), (month, day))
    for line in _MOVABLE.strip().splitlines():
        offset, names = line.split(" ", 1)
        movable |= dict.fromkeys(map(_fold_name, names.split("|")), int(offset))
    return fixed, movable


@cache
def _load_other() -> dict[str, tuple[str, int, int]]:
    feasts: dict[str, tuple[str, int, int]] = {}
    for line in _OTHER.strip().splitlines():
        calendar, month, day, names = line.split(" ", 3)
        feasts |= dict.fromkeys(map(_fold_name, names.split("|")), (calendar, int(month), int(day)))
    return feasts


_LONG = (3, 5, 7, 10)
_LATIN_MONTHS = (
    "ian jan",
    "feb",
    "mar",
    "apr",
    "mai may",
    "iun jun",
    "iul jul quin",
    "aug sex",
    "sep",
    "oct",
    "nov",
    "dec",
)
_ROMAN = lazy_regex(
    r"(?:(?P<eve>pr(?:id(?:ie)?)?)|(?:(?:ante diem|a ?d) )?(?P<count>[ivx]+|\d{1,2})(?: days? before)?)?"
    r"(?: ?(?:the|on) )? ?(?P<mark>k(?:al(?:end(?:ae?s?|is?|s)?)?)?|cal(?:ends)?|non(?:ae?s?|is|es)?|id(?:us|ibus|es)?)"
    r"(?: of)? (?P<month>[a-z]{3,12}),? (?P<year>(?:ad |auc )?[\d]{1,4}(?: ?(?:bce?|ce|ad|auc))?)"
)


def read_roman_date(text: str) -> Span | None:
    """The day of a Roman date, which counts back to the Kalends, Nones or Ides; None for anything else."""
    plain = normalise_name(text).replace(".", " ").replace(",", " ")
    match = _ROMAN.fullmatch(" ".join(plain.removeprefix("the ").split()))
    if match is None:
        return None
    month = next((n for n, names in enumerate(_LATIN_MONTHS, 1) if match["month"].startswith(tuple(names.split()))), 0)
    is_auc = "auc" in match["year"]
    year = int(re.sub(r"\D", "", match["year"])) - 753 if is_auc else read_year(match["year"])
    if not month or year is None or match["month"][:3] not in {m[:3].lower() for m in MONTHS} | _list_latin_stems():
        return None
    long = month in _LONG
    day = {"k": 1, "c": 1, "n": 7 if long else 5, "i": 15 if long else 13}[match["mark"][0]]
    count = 2 if match["eve"] else _parse_number(match["count"])
    if count is None or count > 19:
        return None
    first = place_roman_day(year, month, day) - (count - 1)
    return Span(first * DAY, (first + 1) * DAY, Grain.DAY)


#: From this year on a Roman date of the West is one of the Gregorian calendar.
_GREGORIAN_FROM = 1753


def place_roman_day(year: int, month: int, day: int) -> int:
    """The day on the axis of a Roman date, which is one of the Julian calendar until the last of the West left it."""
    return from_julian_date(year, month, day) if year < _GREGORIAN_FROM else day_number(year, month, day)


@cache
def _list_latin_stems() -> frozenset[str]:
    return frozenset(name[:3] for names in _LATIN_MONTHS for name in names.split())


def _parse_number(text: str | None) -> int | None:
    if text is None:
        return 1
    if text.isdecimal():
        return int(text)
    return from_roman(text.upper()) if is_roman(text.upper()) else None
