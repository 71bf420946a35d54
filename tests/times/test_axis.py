"""The axis against two independent calendars: Python's datetime and numpy's datetime64."""

import datetime as dt
import random

import numpy as np
import pytest

from epochal.errors import TimeRangeError
from epochal.times.axis import (
    DAY,
    FIRST_YEAR,
    LAST_YEAR,
    OPEN_END,
    OPEN_START,
    civil_date,
    day_number,
    days_in_month,
    get_year,
    is_leap_year,
    julian_day_number,
    to_seconds,
    weekday,
)

EPOCH = dt.date(1970, 1, 1).toordinal()


def random_dates() -> list[dt.date]:
    rng = random.Random(20040229)
    ordinals = [rng.randint(dt.date.min.toordinal(), dt.date.max.toordinal()) for _ in range(10_000)]
    return [dt.date.min, dt.date.max, *(dt.date.fromordinal(ordinal) for ordinal in ordinals)]


def test_day_numbers_and_dates_agree_with_datetime():
    for date in random_dates():
        number = date.toordinal() - EPOCH
        assert day_number(date.year, date.month, date.day) == number
        assert civil_date(number) == (date.year, date.month, date.day)


def test_weekdays_agree_with_datetime():
    assert all(weekday(date.toordinal() - EPOCH) == date.isoweekday() for date in random_dates())


def test_dates_agree_with_numpy_far_beyond_datetime():
    rng = random.Random(-721)
    low, high = day_number(-50_000), day_number(50_001) - 1
    numbers = [low, high, *(rng.randint(low, high) for _ in range(10_000))]
    days = np.array(numbers, dtype="datetime64[D]")
    months = days.astype("datetime64[M]")
    expected_years = days.astype("datetime64[Y]").astype(np.int64) + 1970
    expected_months = months.astype(np.int64) % 12 + 1
    expected_days = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    for number, *expected in zip(numbers, expected_years, expected_months, expected_days, strict=True):
        assert civil_date(number) == tuple(expected)
        assert day_number(*civil_date(number)) == number


def test_day_numbers_at_the_ends_of_every_year_agree_with_numpy():
    years = np.arange(-50_000, 50_002)
    starts = (years - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    assert [day_number(int(year)) for year in years] == starts.tolist()
    assert [civil_date(int(start) - 1) for start in starts] == [(int(year) - 1, 12, 31) for year in years]


def test_leap_years_are_those_with_366_days():
    for year in range(-2001, 2402):
        days = day_number(year + 1) - day_number(year)
        assert days == 365 + is_leap_year(year)
        assert sum(days_in_month(year, month) for month in range(1, 13)) == days


@pytest.mark.parametrize(
    ("year", "leap"),
    [(2000, True), (1900, False), (2004, True), (2003, False), (0, True), (-4, True), (-100, False)],
)
def test_leap_years_by_the_gregorian_rule(year, leap):
    assert is_leap_year(year) is leap


def test_months_beyond_the_year_run_into_the_next():
    assert day_number(2004, 13) == day_number(2005, 1)
    assert day_number(2004, 0) == day_number(2003, 12)
    assert day_number(2004, 25, 3) == day_number(2006, 1, 3)
    assert day_number(2004, 2, 30) == day_number(2004, 3, 1)


def test_seconds_agree_with_datetime():
    for date in random_dates():
        expected = (date - dt.date(1970, 1, 1)) // dt.timedelta(seconds=1)
        assert to_seconds(date.year, date.month, date.day) == expected
        assert get_year(expected) == get_year(expected + DAY - 1) == date.year


def test_julian_day_numbers_of_known_days():
    assert julian_day_number(day_number(2000, 1, 1)) == 2_451_545
    assert julian_day_number(day_number(1858, 11, 17)) == 2_400_001
    assert julian_day_number(day_number(-4713, 11, 24)) == 0  # 1 January 4713 BCE in the Julian calendar


def test_every_year_of_the_axis_lies_between_the_open_ends():
    assert OPEN_START < to_seconds(FIRST_YEAR) < 0 < to_seconds(LAST_YEAR, 13) < OPEN_END
    assert get_year(to_seconds(FIRST_YEAR)) == FIRST_YEAR
    assert get_year(to_seconds(LAST_YEAR, 12, 31)) == LAST_YEAR


def test_differences_on_the_axis_fit_an_int64():
    assert abs(OPEN_END - OPEN_START) <= np.iinfo(np.int64).max
    assert np.int64(OPEN_END) - np.int64(OPEN_START) == OPEN_END - OPEN_START


@pytest.mark.parametrize("year", [FIRST_YEAR - 1, LAST_YEAR + 1, 10**30, -(10**30)])
def test_years_outside_the_axis_are_named(year):
    with pytest.raises(TimeRangeError, match=f"year {year} lies outside the axis"):
        to_seconds(year)


def test_a_day_has_86400_seconds():
    assert to_seconds(1970, 1, 2) == DAY == 86_400
