from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.gregorian import IsoWeekCalendar
from epochal.times.span import Span

WEEKS = IsoWeekCalendar()
JULIAN_DAY_OF_1970 = 2_440_587.5


def iso(year: int, week: int | None = None, day: int | None = None) -> CalendarDate:
    return CalendarDate("iso_week", year, week, day)


@pytest.mark.parametrize(
    ("text", "date", "edtf"),
    [
        ("2004-W53-7", iso(2004, 53, 7), "2005-01-02"),
        ("2008-W01-1", iso(2008, 1, 1), "2007-12-31"),
        ("2009W537", iso(2009, 53, 7), "2010-01-03"),
        ("1976-W53-6", iso(1976, 53, 6), "1977-01-01"),
        ("2004-W05", iso(2004, 5), "2004-W05"),
        ("week 5 of 2004", iso(2004, 5), "2004-W05"),
        ("Week 5, 2004", iso(2004, 5), "2004-W05"),
        ("-0721-W05", iso(-721, 5), "-0721-W05"),
        ("+12000-W05", iso(12000, 5), "+12000-W05"),
        ("ISO year 2004", iso(2004), "2003-12-29/2005-01-02"),
        ("iso week year 722 BCE", iso(-721), "-0721-01-02/-0721"),
    ],
)
def test_known_dates(text: str, date: CalendarDate, edtf: str) -> None:
    assert WEEKS.parse(text) == (date,)
    assert WEEKS.parse(text, bare=True) == (date,)
    assert WEEKS.span(date).edtf() == edtf


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2004",
        "2004-05",
        "2005-W53",
        "2004-W00",
        "2004-W54",
        "2004-W05-8",
        "2004-W5",
        "12000-W05",
        "perhaps week 5 of 2004",
        "May 2004",
        "ISO year",
        "ISO year soon",
        "since week 5 of 2004",
        "+146000000001-W01",
    ],
)
def test_other_texts_are_not_read(text: str) -> None:
    assert WEEKS.parse(text) == ()


def test_bare_numbers_are_year_week_and_weekday() -> None:
    assert WEEKS.parse("2004", bare=True) == (iso(2004),)
    assert WEEKS.parse("2004-5", bare=True) == (iso(2004, 5),)
    assert WEEKS.parse("2004-53-7", bare=True) == (iso(2004, 53, 7),)
    assert WEEKS.parse("2005-53-7", bare=True) == ()


@pytest.mark.parametrize(
    ("date", "message"),
    [
        (iso(2005, 53), "there is no week 53 in year 2005 of the ISO week calendar, its weeks are 1 to 52"),
        (iso(2004, 0), "there is no week 0 in year 2004 of the ISO week calendar, its weeks are 1 to 53"),
        (iso(2004, 5, 8), "there is no weekday 8 in the ISO week calendar, its weekdays are 1 to 7"),
        (iso(10**12), "year 1000000000000 lies outside the ISO week calendar, which covers -"),
    ],
)
def test_impossible_dates(date: CalendarDate, message: str) -> None:
    with pytest.raises(TimeRangeError, match=f"^{message}"):
        WEEKS.span(date)
    with pytest.raises(TimeRangeError, match=f"^{message}"):
        WEEKS.format(date)


def test_grains() -> None:
    assert WEEKS.span(iso(2004)).grain is Grain.YEAR
    assert WEEKS.span(iso(2004, 5)).grain is Grain.WEEK
    assert WEEKS.span(iso(2004, 5, 3)).grain is Grain.DAY
    assert WEEKS.dates(0, Grain.WEEK) == WEEKS.dates(0, Grain.MONTH) == (iso(1970, 1),)
    assert WEEKS.span(iso(2004, 5)) == Span.parse("2004-W05")


def test_edges_of_the_coverage() -> None:
    first, end = WEEKS.coverage.start // DAY, WEEKS.coverage.end // DAY
    assert WEEKS.dates(first - 1) == WEEKS.dates(end) == ()
    for day in (first, end - 1):
        (date,) = WEEKS.dates(day)
        assert WEEKS.span(date).start == day * DAY
        assert WEEKS.parse(WEEKS.format(date)) == (date,)


@settings(derandomize=True, deadline=None)
@given(st.integers(-5_000_000, 5_000_000) | st.integers(-(10**13), 10**13))
def test_round_trips(day: int) -> None:
    for grain in (Grain.DAY, Grain.WEEK, Grain.YEAR):
        (date,) = WEEKS.dates(day, grain)
        span = WEEKS.span(date)
        assert span.grain is grain
        assert WEEKS.parse(WEEKS.format(date)) == (date,)
        first, end = span.start // DAY, span.end // DAY
        assert first <= day < end
        assert all(WEEKS.dates(other, grain) == (date,) for other in range(first, end))
        assert WEEKS.dates(first - 1, grain) != (date,) != WEEKS.dates(end, grain)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_parity_with_convertdate_and_the_standard_library() -> None:
    from convertdate import iso as other

    low, high = dt.date(1, 1, 8), dt.date(9999, 12, 20)
    offset = dt.date(1970, 1, 1).toordinal()
    for ordinal in np.random.default_rng(1).integers(low.toordinal(), high.toordinal(), 10_000).tolist():
        day = ordinal - offset
        (date,) = WEEKS.dates(day)
        mine = (date.year, date.month, date.day)
        assert (
            mine == tuple(dt.date.fromordinal(ordinal).isocalendar()) == tuple(other.from_jd(day + JULIAN_DAY_OF_1970))
        )
        assert WEEKS.span(date).start == day * DAY
        assert other.to_jd(*mine) == day + JULIAN_DAY_OF_1970


def test_parity_of_the_axis_with_convertdate() -> None:
    from convertdate import gregorian

    # convertdate counts astronomical years as well, with a year 0.
    for day in np.random.default_rng(2).integers(-4_300_000, 2_900_000, 10_000).tolist():
        date = civil_date(day)
        assert date == gregorian.from_jd(day + JULIAN_DAY_OF_1970)
        assert gregorian.to_jd(*date) == day + JULIAN_DAY_OF_1970
