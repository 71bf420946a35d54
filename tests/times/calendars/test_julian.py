from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import TableError, TimeRangeError
from epochal.tables import read_toml
from epochal.times.axis import DAY, Grain, civil_date, day_number
from epochal.times.calendars.base import Calendar, CalendarDate
from epochal.times.calendars.julian import (
    JulianCalendar,
    PlaceCalendar,
    from_julian_date,
    load_place_calendars,
    to_julian_date,
)
from epochal.times.words import read, read_date

JULIAN = JulianCalendar()
PLACES = {calendar.place: calendar for calendar in load_place_calendars()}
BRITAIN, RUSSIA, ALASKA = PLACES["Great Britain"], PLACES["Soviet Russia"], PLACES["Alaska"]
JULIAN_DAY_OF_1970 = 2_440_587.5
GRAINS = (Grain.DAY, Grain.MONTH, Grain.YEAR)


def check_day(calendar: JulianCalendar | PlaceCalendar, day: int) -> None:
    """The round trips of a day, its month and its year; the latter are exactly their days."""
    for grain in GRAINS:
        date = calendar.dates(day, grain)[0]
        span = calendar.span(date)
        assert span.grain is grain
        assert calendar.parse(calendar.format(date)) == (date,)
        first, end = span.start // DAY, span.end // DAY
        assert first <= day < end
        assert all(date in calendar.dates(other, grain) for other in range(first, end))
        assert date not in calendar.dates(first - 1, grain) + calendar.dates(end, grain)


def julian(year: int, month: int | None = None, day: int | None = None) -> CalendarDate:
    return CalendarDate("julian", year, month, day)


# ---------------------------------------------------------------- the Julian calendar


@pytest.mark.parametrize(
    ("date", "civil"),
    [
        ((1582, 10, 5), (1582, 10, 15)),
        ((-43, 3, 15), (-43, 3, 13)),
        ((1917, 10, 25), (1917, 11, 7)),
        ((1066, 10, 14), (1066, 10, 20)),
        ((1492, 10, 12), (1492, 10, 21)),
        ((1900, 2, 29), (1900, 3, 13)),
        ((325, 5, 20), (325, 5, 21)),
        ((250, 7, 1), (250, 7, 1)),
        ((1, 1, 1), (0, 12, 30)),
        ((-4712, 1, 1), (-4713, 11, 24)),
    ],
)
def test_known_days(date: tuple[int, int, int], civil: tuple[int, int, int]) -> None:
    assert civil_date(from_julian_date(*date)) == civil
    assert to_julian_date(day_number(*civil)) == date


@pytest.mark.parametrize(
    "text",
    [
        "15 March 44 BCE (Julian)",
        "March 15, 44 BC O.S.",
        "15th of March 44 BC OS",
        "15 Mar. 44 B.C. Old Style",
        "15 March 44 BCE [O.S.]",
        "15 march 44 bce (o. s.)",
        "15 March 44 BCE, Old Style",
        "15  March  44 BCE (Julian calendar)",
        "-43-03-15 (Julian)",
    ],
)
def test_marked_texts(text: str) -> None:
    assert JULIAN.parse(text) == JULIAN.parse(text, bare=True) == (julian(-43, 3, 15),)


@pytest.mark.parametrize("text", ["15 March 44 BCE", "March 15, 44 BC", "-43-3-15", "-0043-03-15"])
def test_bare_texts(text: str) -> None:
    assert JULIAN.parse(text) == ()
    assert JULIAN.parse(text, bare=True) == (julian(-43, 3, 15),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(Julian)",
        "O.S.",
        "30 February 1900 (Julian)",
        "29 February 1901 OS",
        "31 April 1500 O.S.",
        "0 May 1500 OS",
        "1500-13-01 (Julian)",
        "March 15, 44 BC N.S.",
        "soon (Julian)",
        "about 1500 OS",
        "0 BCE OS",
        "1500-02-30 OS",
        "145000000001 (Julian)",
    ],
)
def test_impossible_texts(text: str) -> None:
    assert JULIAN.parse(text) == JULIAN.parse(text, bare=True) == ()


def test_months_years_and_leap_days() -> None:
    assert JULIAN.parse("October 1917 OS") == (julian(1917, 10),)
    assert JULIAN.parse("44 BCE (Julian)") == (julian(-43),)
    assert JULIAN.parse("29 February 1900 O.S.") == (julian(1900, 2, 29),)
    assert JULIAN.span(julian(1900)).days == 366
    assert JULIAN.format(julian(-43)) == "44 BCE (Julian)"
    assert JULIAN.format(julian(12000, 2)) == "February 12,000 CE (Julian)"


def test_dual_years() -> None:
    assert JULIAN.parse("11 February 1731/2 O.S.") == (julian(1732, 2, 11),)
    assert JULIAN.parse("January 1699/1700 OS") == (julian(1700, 1),)
    for text in ("11 June 1731/2 O.S.", "11 February 1731/3 O.S.", "1731/2 O.S.", "11 February 1731/2/3 O.S."):
        assert JULIAN.parse(text) == ()


@pytest.mark.parametrize(
    ("date", "message"),
    [
        (julian(1901, 2, 29), "there is no day 29 in February 1901 of the Julian calendar, its days are 1 to 28"),
        (julian(1900, 4, 0), "there is no day 0 in April 1900 of the Julian calendar, its days are 1 to 30"),
        (julian(1900, 13), "there is no month 13 in the Julian calendar, its months are 1 to 12"),
        (julian(10**12), "year 1000000000000 lies outside the Julian calendar, which covers -145000000000 to 1450"),
    ],
)
def test_impossible_dates(date: CalendarDate, message: str) -> None:
    with pytest.raises(TimeRangeError, match=f"^{message}"):
        JULIAN.span(date)
    with pytest.raises(TimeRangeError, match=f"^{message}"):
        JULIAN.format(date)


@settings(derandomize=True, deadline=None)
@given(st.integers(-5_000_000, 5_000_000) | st.integers(-(10**13), 10**13))
def test_julian_round_trips(day: int) -> None:
    check_day(JULIAN, day)


@pytest.mark.parametrize("calendar", [JULIAN, BRITAIN])
def test_edges_of_the_coverage(calendar: JulianCalendar | PlaceCalendar) -> None:
    assert isinstance(calendar, Calendar)
    first, end = calendar.coverage.start // DAY, calendar.coverage.end // DAY
    assert calendar.dates(first - 1) == calendar.dates(end) == ()
    check_day(calendar, first)
    check_day(calendar, end - 1)


def test_parity_with_convertdate() -> None:
    from convertdate import julian as other

    for day in np.random.default_rng(3).integers(-4_000_000, 2_900_000, 10_000).tolist():
        date = to_julian_date(day)
        assert date == other.from_jd(day + JULIAN_DAY_OF_1970)
        assert other.to_jd(*date) == day + JULIAN_DAY_OF_1970
        assert from_julian_date(*date) == day


def test_words_without_a_calendar() -> None:
    assert read_date("29 February 1900") == (1900, 2, 29)
    assert read("29 February 1900") is None
    assert read_date("AD 79") == (79, None, None)
    assert read_date("10 March 0 BC") is None
    assert read_date("1 May 2004, 10:15 UTC") is None


# ---------------------------------------------------------------- places


def test_september_1752_in_britain() -> None:
    second, fourteenth = (CalendarDate(BRITAIN.name, 1752, 9, day) for day in (2, 14))
    assert BRITAIN.span(second).end == BRITAIN.span(fourteenth).start
    assert BRITAIN.span(second).edtf() == "1752-09-13"
    assert BRITAIN.span(CalendarDate(BRITAIN.name, 1752, 9)).edtf() == "1752-09-12/1752-09"
    assert BRITAIN.span(CalendarDate(BRITAIN.name, 1752)).days == 366 - 11
    assert BRITAIN.name == "civil/great-britain"
    assert BRITAIN.title == "Civil calendar of Great Britain (Julian until 1752-09-02)"
    assert BRITAIN.format(second) == "2 September 1752 (Great Britain)"
    for day in range(3, 14):
        assert BRITAIN.parse(f"{day} September 1752 (England)") == ()
        with pytest.raises(
            TimeRangeError,
            match=rf"^there is no {day} September 1752 in the civil calendar of Great Britain, "
            r"which goes from 2 September 1752 \(Julian\) straight to 14 September 1752$",
        ):
            BRITAIN.span(CalendarDate(BRITAIN.name, 1752, 9, day))


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("25 October 1917 (Russia)", "1917-11-07"),
        ("October 25, 1917 (soviet russia)", "1917-11-07"),
        ("31 January 1918 [RSFSR]", "1918-02-13"),
        ("14 February 1918 (Russia)", "1918-02-14"),
        ("1900-02-29 (Russia)", "1900-03-13"),
        ("9 May 1945 (Russia)", "1945-05-09"),
        ("February 1918 (Russia)", "1918-02-14/1918-02"),
    ],
)
def test_russia(text: str, edtf: str) -> None:
    (date,) = RUSSIA.parse(text)
    assert RUSSIA.span(date).edtf() == edtf


def test_marks_of_places() -> None:
    assert RUSSIA.parse("25 October 1917") == ()
    assert RUSSIA.parse("25 October 1917 (Greece)") == RUSSIA.parse("25 October 1917 (Greece)", bare=True) == ()
    assert len(RUSSIA.parse("25 October 1917", bare=True)) == len(RUSSIA.parse("1917-10-25", bare=True)) == 1
    assert RUSSIA.parse("29 February 1919 (Russia)") == RUSSIA.parse("(Russia)") == RUSSIA.parse("soon (Russia)") == ()
    poland = PLACES["Poland–Lithuania"]
    assert poland.name == "civil/poland-lithuania"
    assert poland.parse("1 May 1582 (Poland-Lithuania)") == poland.parse("1 May 1582 (poland – lithuania)")
    bavaria = PLACES["Bavaria"]
    assert len(bavaria.parse("1 May 1582 (Regensburg (bishopric))")) == 1
    with pytest.raises(TimeRangeError, match=r"^there is no month 13 in the civil calendar of Bavaria"):
        bavaria.span(CalendarDate(bavaria.name, 1582, 13))


def test_alaska_had_a_day_twice() -> None:
    (day,) = {ALASKA.span(CalendarDate(ALASKA.name, 1867, 10, day)).start // DAY for day in (6, 18)}
    assert [date.day for date in ALASKA.dates(day)] == [6, 18]
    assert len(ALASKA.dates(day, Grain.MONTH)) == 1
    assert ALASKA.span(CalendarDate(ALASKA.name, 1867, 10)).days == 6 + 14 - 1


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ((1749, 1, 1), "1748/9"),
        ((1749, 3, 24), "1748/9"),
        ((1749, 3, 25), "1749"),
        ((1710, 2, 1), "1709/10"),
        ((1700, 1, 30), "1699/1700"),
        ((1751, 2, 1), "1750/1"),
        ((1752, 2, 1), "1752"),
        ((1749,), "1749"),
        ((1749, 2), "1748/9"),
        ((1749, 3), "1749"),
        ((1749, 12, 31), "1749"),
        ((100, 1, 1), "99/100"),
        ((0, 1, 1), "1 BCE"),
    ],
)
def test_dual_year(date: tuple[int, ...], year: str) -> None:
    assert BRITAIN.dual_year(CalendarDate(BRITAIN.name, *date)) == year


def test_dual_year_elsewhere() -> None:
    assert RUSSIA.dual_year(CalendarDate(RUSSIA.name, 1650, 1, 1)) == "1650"
    venice = PLACES["Venice"]
    assert venice.year_start == (3, 1)
    assert venice.dual_year(CalendarDate(venice.name, 1797, 2)) == "1796/7"
    assert BRITAIN.parse("10 February 1748/9 (England)") == (CalendarDate(BRITAIN.name, 1749, 2, 10),)


def test_the_table_of_switches() -> None:
    rows = read_toml("julian_switch.toml", "epochal.times.calendars")["switch"]
    assert len(rows) == len(PLACES) > 40
    names = [name.casefold() for row in rows for name in (row["place"], *row.get("aliases", ()))]
    assert len(names) == len(set(names))
    assert len({calendar.name for calendar in PLACES.values()}) == len(PLACES)
    for row in rows:
        place = PLACES[row["place"]]
        last, first = from_julian_date(*place.last_julian), day_number(*place.first_gregorian)
        assert first - last == (0 if row.get("repeats_day") else 1), row["place"]
        assert ("year_start" in row) == ("year_start_until" in row)


@pytest.mark.parametrize("place", PLACES)
def test_places_around_their_switch(place: str) -> None:
    calendar = PLACES[place]
    switch = day_number(*calendar.first_gregorian)
    for day in (*range(switch - 40, switch + 40, 13), switch - 2, switch - 1, switch, switch + 1):
        check_day(calendar, day)
    check_day(calendar, switch - 400)
    check_day(calendar, switch + 400)


@settings(derandomize=True, deadline=None)
@given(st.sampled_from(sorted(PLACES)), st.integers(-1_000_000, 100_000))
def test_place_round_trips(place: str, day: int) -> None:
    check_day(PLACES[place], day)


def test_tables_of_users(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("a = 1\nb = \n", encoding="utf-8")
    with pytest.raises(TableError, match=r"mine\.toml, line 2: not valid TOML"):
        read_toml(path)
    path.write_text("a = 1\n", encoding="utf-8")
    assert read_toml(path) == read_toml(str(path)) == {"a": 1}
