"""The cycle of sixty."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times.axis import day_number, julian_day_number
from epochal.times.calendars.julian import from_julian_date
from epochal.times.numerals import BRANCHES, STEMS, from_ganzhi, get_sexagenary_day, get_sexagenary_year, to_ganzhi

#: Gregorian days whose names are on record.
DAYS = [
    ((1949, 10, 1), "甲子"),
    ((1970, 1, 1), "辛巳"),
    ((2000, 1, 1), "戊午"),
    ((1912, 2, 18), "甲子"),
    ((2024, 2, 10), "甲辰"),
    ((1644, 2, 8), "庚寅"),
]

YEARS = [
    (1984, "甲子"),
    (2024, "甲辰"),
    (1911, "辛亥"),
    (1898, "戊戌"),
    (1894, "甲午"),
    (1644, "甲申"),
    (184, "甲子"),
    (4, "甲子"),
    (0, "庚申"),
    (-721, "己未"),
    (-840, "庚申"),
]


@pytest.mark.parametrize(("date", "name"), DAYS)
def test_known_days(date, name):
    assert to_ganzhi(get_sexagenary_day(day_number(*date))) == name


def test_the_eclipse_of_the_third_year_of_duke_yin():
    """隱公三年二月己巳: 22 February 720 BCE in the Julian calendar."""
    day = from_julian_date(-719, 2, 22)
    assert day == day_number(-719, 2, 14)
    assert to_ganzhi(get_sexagenary_day(day)) == "己巳"


@pytest.mark.parametrize(("year", "name"), YEARS)
def test_known_years(year, name):
    assert to_ganzhi(get_sexagenary_year(year)) == name


def test_all_sixty_round_trip():
    names = [to_ganzhi(position) for position in range(1, 61)]
    assert len(set(names)) == 60
    assert [from_ganzhi(name) for name in names] == list(range(1, 61))


def test_the_other_sixty_pairs_do_not_occur():
    read = [from_ganzhi(stem + branch) for stem, branch in product(STEMS, BRANCHES)]
    assert read.count(None) == 60
    assert sorted(position for position in read if position is not None) == list(range(1, 61))


@pytest.mark.parametrize("text", ["", "甲", "甲子年", "子甲", "甲甲", "子子", "甲丑", "ab", "甲 子"])
def test_nonsense_is_no_place(text):
    assert from_ganzhi(text) is None


@given(st.integers(-(10**7), 10**7))
def test_days_follow_each_other_in_the_cycle(day):
    position = get_sexagenary_day(day)
    assert 1 <= position <= 60
    assert get_sexagenary_day(day + 1) == position % 60 + 1
    # The astronomers' rule: the stem is (JDN - 1) mod 10, the branch (JDN + 1) mod 12, both counted from 0.
    number = julian_day_number(day)
    assert to_ganzhi(position) == STEMS[(number - 1) % 10] + BRANCHES[(number + 1) % 12]


@given(st.integers(-(10**5), 10**5))
def test_years_follow_each_other_in_the_cycle(year):
    position = get_sexagenary_year(year)
    assert 1 <= position <= 60
    assert get_sexagenary_year(year + 1) == position % 60 + 1
    assert get_sexagenary_year(year + 60) == position
