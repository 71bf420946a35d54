"""The line of months agrees with the calendar of Lu and with Gregorian dates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, TimeRangeError
from epochal.ranking.dating.months import Levels, MonthAxis, Months
from epochal.times import Span, resolve

LU = MonthAxis.lu()


@given(st.integers(0, LU.months - 1))
def test_levels_and_index_are_each_others_reverse(month: int) -> None:
    assert LU.index(LU.levels(month)) == month


def test_levels_count_up_without_a_gap() -> None:
    every = [LU.levels(month) for month in range(LU.months)]
    assert every == sorted(every)
    assert len(set(every)) == 3060
    assert [sum(1 for one in every if one.reign == reign) // 12 for reign in range(12)] == list(LU.lengths)


def test_reigns_are_those_of_the_calendar() -> None:
    for reign, name in enumerate("隱桓莊閔僖文宣成襄昭定哀"):
        (reading,) = resolve(f"魯{name}公二年三月")
        assert LU.place([reading.span]) == Months(*[LU.index(Levels(reign, 1, 2))] * 2)


def test_a_window_over_the_turn_of_the_year() -> None:
    requests = [Span.parse("-0613-11~"), Span.parse("-0613-12~"), Span.parse("-0612-01~")]
    months = LU.place(requests)
    assert months.length == 3
    assert LU.levels(months.first)[1:] == (12, 10)
    assert LU.levels(months.last)[1:] == (13, 0)


@pytest.mark.parametrize(("text", "first", "last"), [("1999", 12, 23), ("1990/1998-02", 0, 1), ("1999-12-31", 23, 23)])
def test_gregorian_places(text: str, first: int, last: int) -> None:
    assert MonthAxis.gregorian(1998, 1999).place([Span.parse(text)]) == Months(first, last)


def test_open_spans_reach_the_ends() -> None:
    axis = MonthAxis.gregorian(1998, 1999)
    assert axis.place([Span.parse("1999-02/..")]) == Months(13, 23)
    assert axis.place([Span.parse("../1998-02")]) == Months(0, 1)


def test_decades_are_reigns() -> None:
    axis = MonthAxis.gregorian(1985, 2003)
    assert axis.lengths == (5, 10, 4)
    assert axis.levels(axis.place([Span.parse("1990-06")]).first) == Levels(1, 0, 5)


@pytest.mark.parametrize("bad", [-1, 3060])
def test_months_outside_are_refused(bad: int) -> None:
    with pytest.raises(TimeRangeError, match="accepted: 0 to 3059"):
        LU.levels(bad)


def test_mistakes_are_reported() -> None:
    with pytest.raises(TimeRangeError, match="from 0"):
        LU.index(Levels(3, 2, 0))  # 閔 reigned two years
    with pytest.raises(EpochalError, match="no time to place"):
        LU.place([])
    with pytest.raises(EpochalError, match="in their order"):
        MonthAxis.gregorian(2000, 1999)
    with pytest.raises(EpochalError, match="one or more each"):
        MonthAxis("own", 1, (3, 0))
