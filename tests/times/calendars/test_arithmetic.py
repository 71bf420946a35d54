from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, Grain, civil_date, day_number
from epochal.times.calendars.arithmetic import load_arithmetic_calendars
from epochal.times.calendars.base import Calendar, CalendarDate
from epochal.times.calendars.julian import from_julian_date

CALENDARS: dict[str, Calendar] = {calendar.name: calendar for calendar in load_arithmetic_calendars()}
JULIAN_DAY_OF_1970 = 2_440_587.5
GRAINS = (Grain.DAY, Grain.MONTH, Grain.YEAR)
#: Calendars whose new year is an equinox, which takes milliseconds to compute.
SLOW = {"persian", "french_republican", "bahai"}


def one_day(name: str, text: str, **how: bool) -> int:
    (date,) = CALENDARS[name].parse(text, **how)
    assert date.day is not None
    return CALENDARS[name].span(date).start // DAY


def some_days(name: str, seed: int, count: int) -> list[int]:
    """Random days of the coverage; in slow calendars they lie in 60 random years."""
    calendar, rng = CALENDARS[name], np.random.default_rng(seed)
    first, end = calendar.coverage.start // DAY, calendar.coverage.end // DAY
    if name not in SLOW:
        return [int(day) for day in rng.integers(first, end, count)]
    opening = rng.integers(first, end - 365, 60)
    return [int(day) for day in rng.choice(opening, count) + rng.integers(0, 365, count)]


def check_day(calendar: Calendar, day: int) -> None:
    """The round trips of a day, its month and its year; the latter are exactly their days."""
    for grain in GRAINS:
        (date,) = calendar.dates(day, grain)
        span = calendar.span(date)
        assert span.grain is grain
        assert calendar.parse(calendar.format(date)) == (date,)
        assert calendar.parse(calendar.format(date), bare=True) == (date,)
        first, end = span.start // DAY, span.end // DAY
        assert first <= day < end
        assert all(calendar.dates(other, grain) == (date,) for other in range(first, end))
        assert calendar.dates(first - 1, grain) != (date,) != calendar.dates(end, grain)


# ---------------------------------------------------------------- known dates

KNOWN = [
    ("hebrew", "1 Tishri 5785 AM", (2024, 10, 3)),
    ("hebrew", "15 Nisan 5784", (2024, 4, 23)),
    ("hebrew", "14 Adar II 5784", (2024, 3, 24)),
    ("hebrew", "5 Iyyar 5708", (1948, 5, 14)),
    ("hebrew", "25 Kislev 5784", (2023, 12, 8)),
    ("hebrew", "1 Tishrei 1", (-3760, 9, 7)),
    ("islamic", "1 Muharram 1 AH", (622, 7, 19)),
    ("islamic", "1 Ramadan 1445", (2024, 3, 11)),
    ("islamic", "1 Muharram 1445", (2023, 7, 19)),
    ("islamic", "1 Shawwal 1445", (2024, 4, 10)),
    ("persian", "1 Farvardin 1403 SH", (2024, 3, 20)),
    ("persian", "22 Bahman 1357", (1979, 2, 11)),
    ("persian", "30 Esfand 1403", (2025, 3, 20)),
    ("persian", "1 Farvardin 1400 AP", (2021, 3, 21)),
    ("persian", "1 Farvardin 1", (622, 3, 22)),
    ("french_republican", "5 Thermidor II", (1794, 7, 23)),
    ("french_republican", "9 Thermidor an II", (1794, 7, 27)),
    ("french_republican", "18 Brumaire VIII", (1799, 11, 9)),
    ("french_republican", "1 Vendemiaire I", (1792, 9, 22)),
    ("french_republican", "13 vendémiaire an IV", (1795, 10, 5)),
    ("french_republican", "6 Sansculottides III", (1795, 9, 22)),
    ("french_republican", "10 Nivose An 14", (1805, 12, 31)),
    ("indian_civil", "1 Chaitra 1879 Saka", (1957, 3, 22)),
    ("indian_civil", "1 Chaitra 1946 Saka", (2024, 3, 21)),
    ("indian_civil", "6 Magha 1871 Saka", (1950, 1, 26)),
    ("indian_civil", "24 Sravana 1869 Saka", (1947, 8, 15)),
    ("coptic", "1 Thout 1740", (2023, 9, 12)),
    ("coptic", "29 Koiak 1741 AM", (2025, 1, 7)),
    ("coptic", "6 Nasie 1739", (2023, 9, 11)),
    ("coptic", "1 Thoout 1741", (2024, 9, 11)),
    ("bahai", "1 Bahá 181 BE", (2024, 3, 20)),
    ("bahai", "1 Baha 172 BE", (2015, 3, 21)),
    ("bahai", "1 Ayyam-i-Ha 175 BE", (2019, 2, 26)),
    ("bahai", "1 'Ala 175 B.E.", (2019, 3, 2)),
    ("positivist", "1 Moses 1 (Positivist)", (1789, 1, 1)),
    ("positivist", "28 Bichat 1 (Positivist)", (1789, 12, 30)),
    ("positivist", "1 Complementary Day 1 (Positivist)", (1789, 12, 31)),
    ("positivist", "2 Complementary Days 236 (Positivist)", (2024, 12, 31)),
    ("mayan", "13.0.0.0.0", (2012, 12, 21)),
    ("mayan", "0.0.0.0.0", (-3113, 8, 11)),
    ("mayan", "9.0.0.0.0", (435, 12, 9)),
    ("mayan", "12.0.0.0.0", (1618, 9, 18)),
    ("mayan", "14.0.0.0.0", (2407, 3, 26)),
]


@pytest.mark.parametrize(("name", "text", "civil"), KNOWN)
def test_known_dates(name: str, text: str, civil: tuple[int, int, int]) -> None:
    assert civil_date(one_day(name, text)) == civil


@pytest.mark.parametrize(
    ("name", "text", "julian"),
    [
        ("islamic", "1 Muharram 1", (622, 7, 16)),
        ("islamic", "10 Muharram 61", (680, 10, 10)),
        ("coptic", "1 Thout 1", (284, 8, 29)),
        ("armenian", "1 Nawasard 1", (552, 7, 11)),
        ("armenian", "1 Navasard 2", (553, 7, 11)),
        ("armenian", "1 Navasard 5", (556, 7, 10)),
        ("armenian", "1 Nawasard 533 AE", (1084, 2, 29)),
        ("hebrew", "1 Tishri 1", (-3760, 10, 7)),
    ],
)
def test_known_dates_in_the_julian_calendar(name: str, text: str, julian: tuple[int, int, int]) -> None:
    assert one_day(name, text) == from_julian_date(*julian)


@pytest.mark.parametrize(
    ("name", "numbers", "edtf"),
    [
        ("hebrew", (5784,), "2023-09-16/2024-10-02"),
        ("hebrew", (5785,), "2024-10-03/2025-09-22"),
        ("hebrew", (5784, 12), "2024-02-10/2024-03-10"),
        ("hebrew", (5784, 13), "2024-03-11/2024-04-08"),
        ("hebrew", (5784, 7), "2023-09-16/2023-10-15"),
        ("islamic", (1445, 9), "2024-03-11/2024-04-09"),
        ("persian", (1403,), "2024-03-20/2025-03-20"),
        ("french_republican", (2,), "1793-09-22/1794-09-21"),
        ("french_republican", (3, 13), "1795-09-17/1795-09-22"),
        ("mayan", (5200,), "2012-12-21/2013-12-15"),
    ],
)
def test_known_months_and_years(name: str, numbers: tuple[int, ...], edtf: str) -> None:
    assert CALENDARS[name].span(CalendarDate(name, *numbers)).edtf() == edtf


def test_the_years_of_the_french_republic() -> None:
    new_years = [civil_date(one_day("french_republican", f"{year}-1-1", bare=True)) for year in range(1, 15)]
    days = [22, 22, 22, 23, 22, 22, 22, 23, 23, 23, 23, 24, 23, 23]
    assert new_years == [(1791 + year, 9, day) for year, day in enumerate(days, 1)]


def test_the_leap_years_of_iran() -> None:
    persian = CALENDARS["persian"]
    leap = [year for year in range(1300, 1420) if persian.span(CalendarDate("persian", year)).days == 366]
    known = [*range(1300, 1305, 4), *range(1309, 1338, 4), *range(1342, 1371, 4), *range(1375, 1404, 4)]
    assert leap == [*known, 1408, 1412, 1416]


# ---------------------------------------------------------------- text

HEBREW_ADARS = (CalendarDate("hebrew", 5784, 12, 14), CalendarDate("hebrew", 5784, 13, 14))


@pytest.mark.parametrize(
    ("name", "text", "numbers"),
    [
        ("hebrew", "5784 AM", (5784,)),
        ("hebrew", "5784 A.M.", (5784,)),
        ("hebrew", "AM 10", (10,)),
        ("hebrew", "Anno Mundi 5784", (5784,)),
        ("hebrew", "5784 anno mundi", (5784,)),
        ("hebrew", "Tishrei 5784", (5784, 7)),
        ("hebrew", "Cheshvan 3, 5784", (5784, 8, 3)),
        ("hebrew", "the 3rd of Mar-Cheshvan, 5784", (5784, 8, 3)),
        ("hebrew", "1 Adar Aleph 5784", (5784, 12, 1)),
        ("hebrew", "1 Ve-Adar 5784 AM", (5784, 13, 1)),
        ("hebrew", "1 Adar 5785", (5785, 12, 1)),
        ("hebrew", "5784-01-15 AM", (5784, 1, 15)),
        ("hebrew", "15 NISAN 5784 (Hebrew calendar)", (5784, 1, 15)),
        ("islamic", "1445 AH", (1445,)),
        ("islamic", "1445AH", (1445,)),
        ("islamic", "A.H. 1445", (1445,)),
        ("islamic", "Ramadhan 1445", (1445, 9)),
        ("islamic", "1 Ramadan AH 1445", (1445, 9, 1)),
        ("islamic", "1 Ramaḍān 1445 H", (1445, 9, 1)),
        ("islamic", "10 Dhu'l-Hijja 10", (10, 12, 10)),
        ("islamic", "12 Rabīʿ al-ʾAwwal 1445", (1445, 3, 12)),
        ("islamic", "12 Rabi II 1445 (Hijri)", (1445, 4, 12)),
        ("islamic", "20 Jumada I 857", (857, 5, 20)),
        ("islamic", "year 1445 AH", (1445,)),
        ("persian", "1402 SH", (1402,)),
        ("persian", "1402 AP", (1402,)),
        ("persian", "Mehr 1402", (1402, 7)),
        ("french_republican", "an II", (2,)),
        ("french_republican", "an 2", (2,)),
        ("french_republican", "Year II", (2,)),
        ("french_republican", "l'an II de la République", (2,)),
        ("french_republican", "Thermidor an II", (2, 11)),
        ("french_republican", "5 Thermidor An 2", (2, 11, 5)),
        ("french_republican", "5 thermidor ii", (2, 11, 5)),
        ("french_republican", "le 1er Pluviose an V", (5, 5, 1)),
        ("french_republican", "2e jour complémentaire an III", (3, 13, 2)),
        ("french_republican", "2 Sans-culottides, Year III of the Republic", (3, 13, 2)),
        ("french_republican", "Thermidor 5, II", (2, 11, 5)),
        ("indian_civil", "1946 Saka", (1946,)),
        ("indian_civil", "1 Agrahayana 1946 Śaka", (1946, 9, 1)),
        ("coptic", "1740 EM", (1740,)),
        ("coptic", "1740 Era of the Martyrs", (1740,)),
        ("coptic", "Kiahk 1740 A.M.", (1740, 4)),
        ("armenian", "1474 Armenian Era", (1474,)),
        ("armenian", "1 kʿałocʿ 1474", (1474, 5, 1)),
        ("bahai", "181 BE", (181,)),
        ("bahai", "1 Splendour 181 BE", (181, 1, 1)),
        ("positivist", "236 Positivist", (236,)),
        ("mayan", "13.0.0.0.0 (Maya)", (5200, 0, 0)),
        ("mayan", "13.0.0.0.0, 4 Ahau 3 Kankin", (5200, 0, 0)),
        ("mayan", "uinal 9.12.11.5", (3851, 5)),
        ("mayan", "Tun 9.12.11", (3851,)),
    ],
)
def test_recognisable_texts(name: str, text: str, numbers: tuple[int, ...]) -> None:
    date = CalendarDate(name, *numbers)
    assert CALENDARS[name].parse(text) == (date,)
    assert CALENDARS[name].parse(text, bare=True) == (date,)
    others = [other for other, calendar in CALENDARS.items() if other != name and calendar.parse(text)]
    assert others == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1445",
        "1445-09",
        "1445-09-01",
        "II",
        "2",
        "year 2",
        "an mix",
        "10 AM",
        "5 am",
        "5784 am",
        "1445 H",
        "1740 AE",
        "1 Chaitra 1946",
        "1 Jalal 181",
        "Sultan 172",
        "Light 12",
        "5 Dante 1321",
        "Moses 80",
        "15 March 44 BCE",
        "May 2004",
        "9.12.11",
        "9.12.11.5",
        "tomorrow",
        "1 Ramadan",
        "Ramadan",
        "AH",
        "an",
        "14 July 1789",
        "an II III",
    ],
)
def test_texts_that_no_calendar_recognises(text: str) -> None:
    assert {name: calendar.parse(text) for name, calendar in CALENDARS.items() if calendar.parse(text)} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hebrew", "30 Elul 5784"),
        ("hebrew", "1 Adar II 5785"),
        ("hebrew", "1 Adar I 5785"),
        ("hebrew", "0 Nisan 5784"),
        ("hebrew", "Nisan 0 AM"),
        ("hebrew", "5785-13-01"),
        ("hebrew", "10000 AM"),
        ("hebrew", "-5 AM"),
        ("islamic", "30 Safar 1445"),
        ("islamic", "1445-13-01"),
        ("persian", "30 Esfand 1402"),
        ("persian", "2378 SH"),
        ("french_republican", "6 Sansculottides II"),
        ("french_republican", "5 Thermidor IIII"),
        ("french_republican", "31 Thermidor II"),
        ("french_republican", "an MCCIX"),
        ("french_republican", "II"),
        ("french_republican", "5 Thermidor 1794"),
        ("coptic", "6 Pi Kogi Enavot 1740"),
        ("armenian", "6 Aweleats 1474"),
        ("bahai", "5 Ayyam-i-Ha 175 BE"),
        ("bahai", "2567 BE"),
        ("positivist", "2 Complementary Days 235 (Positivist)"),
        ("mayan", "13.0.0.18.0"),
        ("mayan", "13.0.0.0.20"),
        ("mayan", "20.0.0.0.0"),
        ("mayan", "13.0.20.0.0"),
        ("mayan", "13.0.0.0.0 5 Ajaw 3 K'ank'in"),
        ("mayan", "8000"),
    ],
)
def test_impossible_texts(name: str, text: str) -> None:
    assert CALENDARS[name].parse(text) == CALENDARS[name].parse(text, bare=True) == ()


def test_adar_in_a_leap_year_names_two_months() -> None:
    assert CALENDARS["hebrew"].parse("14 Adar 5784 AM") == HEBREW_ADARS
    assert [CALENDARS["hebrew"].format(date) for date in HEBREW_ADARS] == ["14 Adar I 5784 AM", "14 Adar II 5784 AM"]


@pytest.mark.parametrize("name", CALENDARS)
def test_bare_numbers(name: str) -> None:
    calendar = CALENDARS[name]
    for text, numbers in (("12", (12,)), ("12-3", (12, 3)), ("12-03-04", (12, 3, 4))):
        assert calendar.parse(text, bare=True) == (CalendarDate(name, *numbers),)
        assert calendar.parse(text) == ()
    assert calendar.parse("-12", bare=True) == calendar.parse("12-99", bare=True) == ()


def test_bare_words_need_no_mark() -> None:
    for name, text in (("indian_civil", "1 Chaitra 1946"), ("bahai", "1 Núr 181"), ("positivist", "1 Moses 236")):
        assert len(CALENDARS[name].parse(text, bare=True)) == 1
    assert CALENDARS["mayan"].parse("9.12.11", bare=True) == (CalendarDate("mayan", 3851),)


@pytest.mark.parametrize(
    ("name", "numbers", "message"),
    [
        ("hebrew", (0,), "year 0 lies outside the Hebrew calendar, which covers 1 to 9999"),
        ("hebrew", (5785, 13), "there is no month 13 in year 5785 of the Hebrew calendar, its months are 1 to 12"),
        ("hebrew", (5784, 12, 31), "there is no day 31 in Adar I 5784 of the Hebrew calendar, its days are 1 to 30"),
        ("persian", (2378,), "year 2378 lies outside the Persian calendar, which covers 1 to 2377"),
        ("mayan", (8000,), "tun 8000 lies outside the Maya long count, which covers 0 to 7999"),
        ("mayan", (5200, -1), "there is no winal -1 in the Maya long count, its winals are 0 to 17"),
        ("mayan", (5200, 1, 20), "there is no k'in 20 in the Maya long count, its k'ins are 0 to 19"),
    ],
)
def test_impossible_dates(name: str, numbers: tuple[int, ...], message: str) -> None:
    date = CalendarDate(name, *numbers)
    with pytest.raises(TimeRangeError, match=f"^{message}$"):
        CALENDARS[name].span(date)
    with pytest.raises(TimeRangeError, match=f"^{message}$"):
        CALENDARS[name].format(date)


# ---------------------------------------------------------------- round trips and parity


@pytest.mark.parametrize("name", CALENDARS)
def test_edges_of_the_coverage(name: str) -> None:
    calendar = CALENDARS[name]
    assert isinstance(calendar, Calendar)
    first, end = calendar.coverage.start // DAY, calendar.coverage.end // DAY
    assert calendar.dates(first - 1) == calendar.dates(end) == ()
    for day in (first, end - 1):
        check_day(calendar, day)


@given(st.sampled_from(sorted(CALENDARS)), st.integers(-1_400_000, 400_000))
def test_round_trips(name: str, day: int) -> None:
    calendar = CALENDARS[name]
    if calendar.dates(day):
        check_day(calendar, day)
    else:
        assert not calendar.coverage.start <= day * DAY < calendar.coverage.end


@pytest.mark.parametrize("name", CALENDARS)
def test_random_days_of_the_coverage(name: str) -> None:
    for day in some_days(name, 4, 25):
        check_day(CALENDARS[name], day)


@pytest.fixture
def _cached_equinoxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """convertdate computes the same equinoxes again and again: let it keep them."""
    persian, bahai, french = (
        import_module(f"convertdate.{name}") for name in ("persian", "bahai", "french_republican")
    )
    sun = SimpleNamespace(get_equinox_solstice=lru_cache(maxsize=None)(french.Sun.get_equinox_solstice))
    monkeypatch.setattr(persian, "equinox_jd", lru_cache(maxsize=None)(persian.equinox_jd))
    monkeypatch.setattr(bahai, "gregorian_nawruz", lru_cache(maxsize=None)(bahai.gregorian_nawruz))
    monkeypatch.setattr(french, "Sun", sun)


@pytest.mark.usefixtures("_cached_equinoxes")
@pytest.mark.filterwarnings("ignore:month_days is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", [name for name in CALENDARS if name not in ("mayan", "ethiopian")])
def test_parity_with_convertdate(name: str) -> None:
    calendar, other = CALENDARS[name], import_module(f"convertdate.{name}")
    days = some_days(name, 5, 500)
    for day in days:
        (date,) = calendar.dates(day)
        mine = (date.year, date.month, date.day)
        assert other.to_jd(*mine) == day + JULIAN_DAY_OF_1970
        if name == "positivist" and civil_date(day + 1)[1:] == (1, 1) and civil_date(day)[0] % 400 == 0:
            continue  # convertdate takes the last day of these leap years for the first of the next year
        assert other.from_jd(day + JULIAN_DAY_OF_1970) == mine
        assert calendar.span(date).start == day * DAY


def test_parity_of_the_long_count_with_convertdate() -> None:
    from convertdate import mayan as other

    from epochal.times.calendars.mayan import MayanCalendar

    maya = MayanCalendar()
    for day in some_days("mayan", 6, 500):
        (date,) = maya.dates(day)
        positions = tuple(map(int, maya.format(date).split(".")))
        assert positions == other.from_jd(day + JULIAN_DAY_OF_1970)
        assert other.to_jd(*positions) == day + JULIAN_DAY_OF_1970
        assert maya.span(date).start == day * DAY
        assert maya.calendar_round(day) == other.lc_to_haab_tzolkin(*positions)
    assert maya.calendar_round(day_number(2012, 12, 21)) == "4 Ajaw 3 K'ank'in"


def test_convertdate_is_imported_late() -> None:
    code = (
        "import sys; from epochal.times.calendars.arithmetic import load_arithmetic_calendars as make; "
        "first = next(make()); before = 'convertdate' in sys.modules; first.dates(0); "
        "sys.exit(0 if not before and 'convertdate' in sys.modules else 1)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
