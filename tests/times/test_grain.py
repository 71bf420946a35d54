"""Units tile the axis, and every second lies in its own."""

import pytest
from hypothesis import given

from epochal.errors import TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, Grain, get_year, to_seconds
from spans_strategy import UNIT_GRAINS, grains, seconds

YEAR_BLOCKS = [Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM]


@given(seconds(), grains())
def test_every_second_lies_in_its_unit(second, grain):
    start, end = grain.unit(second)
    assert start <= second < end


@given(seconds(), grains())
def test_all_seconds_of_a_unit_have_that_unit(second, grain):
    start, end = grain.unit(second)
    # Year 0 belongs to the block below zero, although the block above opens with it.
    if not (grain in YEAR_BLOCKS and get_year(start) == 0):
        assert grain.unit(start) == (start, end)
    assert grain.unit(end - 1) == (start, end)


@given(seconds(), grains())
def test_units_tile_the_axis(second, grain):
    start, end = grain.unit(second)
    following = grain.unit(end)
    if grain in YEAR_BLOCKS and get_year(end) == 1:
        # The blocks on either side of zero share year 0: -9 to 0 and 0 to 9.
        assert following[0] == to_seconds(0)
    else:
        assert following[0] == end
    assert grain.unit(end - 1)[1] == end
    assert grain.unit(start - 1)[1] in (start, to_seconds(1))


@given(seconds(), grains())
def test_units_are_about_as_long_as_their_grain_says(second, grain):
    start, end = grain.unit(second)
    assert 0.9 < (end - start) / grain.seconds < 1.1


@given(seconds())
def test_finer_grains_nest_in_months_and_years(second):
    for inner, outer in [
        (Grain.SECOND, Grain.MINUTE),
        (Grain.MINUTE, Grain.HOUR),
        (Grain.HOUR, Grain.DAY),
        (Grain.DAY, Grain.WEEK),
        (Grain.DAY, Grain.MONTH),
        (Grain.MONTH, Grain.SEASON),
        (Grain.MONTH, Grain.QUARTER),
        (Grain.QUARTER, Grain.HALF),
        (Grain.HALF, Grain.YEAR),
        (Grain.YEAR, Grain.DECADE),
        (Grain.DECADE, Grain.CENTURY),
        (Grain.CENTURY, Grain.MILLENNIUM),
    ]:
        start, end = outer.unit(second)
        inner_start, inner_end = inner.unit(second)
        assert start <= inner_start
        assert inner_end <= end


@pytest.mark.parametrize(
    ("grain", "year", "first", "last"),
    [
        (Grain.DECADE, 1905, 1900, 1909),
        (Grain.DECADE, 5, 0, 9),
        (Grain.DECADE, 0, -9, 0),
        (Grain.DECADE, -9, -9, 0),
        (Grain.DECADE, -10, -19, -10),
        (Grain.CENTURY, 1905, 1900, 1999),
        (Grain.CENTURY, 1, 0, 99),
        (Grain.CENTURY, -49, -99, 0),
        (Grain.CENTURY, -100, -199, -100),
        (Grain.MILLENNIUM, 2004, 2000, 2999),
        (Grain.MILLENNIUM, -721, -999, 0),
        (Grain.MILLENNIUM, -1000, -1999, -1000),
    ],
)
def test_year_blocks_share_their_leading_digits(grain, year, first, last):
    assert grain.unit(to_seconds(year, 7)) == (to_seconds(first), to_seconds(last + 1))


@pytest.mark.parametrize(
    ("grain", "first_months"),
    [
        (Grain.SEASON, [-1, -1, 3, 3, 3, 6, 6, 6, 9, 9, 9, 12]),
        (Grain.QUARTER, [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10]),
        (Grain.HALF, [1] * 6 + [7] * 6),
    ],
)
def test_the_groups_of_months(grain, first_months):
    for month, first in enumerate(first_months, 1):
        # Winter reaches back into December of the year before.
        expected = to_seconds(2003, 12) if first < 0 else to_seconds(2004, first)
        assert grain.unit(to_seconds(2004, month, 15))[0] == expected


def test_weeks_start_on_monday():
    assert Grain.WEEK.unit(to_seconds(2004, 2, 1)) == (to_seconds(2004, 1, 26), to_seconds(2004, 2, 2))
    assert Grain.WEEK.unit(0) == (-3 * DAY, 4 * DAY)


def test_an_era_has_no_unit():
    with pytest.raises(TimeRangeError, match="era has no fixed length"):
        Grain.ERA.unit(0)
    assert Grain.ERA.seconds > Grain.MILLENNIUM.seconds


def test_grains_are_ordered_from_fine_to_coarse():
    assert sorted(UNIT_GRAINS, key=lambda grain: grain.seconds) == UNIT_GRAINS
    assert [int(grain) for grain in Grain] == list(range(14))


@pytest.mark.parametrize("grain", list(Grain))
def test_names_labels_and_reprs_lead_back_to_the_grain(grain):
    assert Grain.named(grain.label) is grain
    assert Grain.named(grain.name.title()) is grain
    assert eval(repr(grain)) is grain
    assert str(grain) == repr(grain)


@pytest.mark.parametrize("grain", list(Grain))
def test_months_and_seconds_of_a_grain_agree(grain):
    if grain.months:
        assert grain.seconds * 12 == grain.months * Grain.YEAR.seconds
    else:
        assert grain <= Grain.WEEK or grain is Grain.ERA


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"no grain is called 'fortnight'; known: second, .*, era"):
        Grain.named("fortnight")
