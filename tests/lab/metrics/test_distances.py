from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal.times import Grain, Span
from epochal.times.axis import DAY
from epochal_lab.metrics.temporal import BETWEEN, UNITS, distance, nearest_distance

DAYS = st.builds(
    lambda first, length: Span.between(Span.unit(first * DAY, Grain.DAY), Span.unit((first + length) * DAY, Grain.DAY)),
    st.integers(-1000, 1000),
    st.integers(0, 400),
)


def days(first: str, second: str, between: str = "spans") -> float:
    found = distance(Span.parse(first), Span.parse(second), between)
    assert found is not None
    return found / DAY


def test_overlapping_spans_are_not_apart():
    assert days("2004", "2004-05-03") == days("2004-05-03", "2004") == days("2004/2006", "2005/2009") == 0
    assert days("2004", "2004-05-03", "gaps") == 0


def test_spans_of_one_length_are_as_far_apart_as_their_starts():
    assert days("2004-05-03", "2004-05-04") == 1
    assert days("2004-05-04", "2004-05-03") == -1
    assert days("2001", "2003") == days("2001", "2003", "starts") == 730


def test_the_shorter_moves_into_the_longer():
    assert days("2004", "2003-12-31") == -1
    assert days("2003-12-31", "2004") == 1
    assert days("2004", "2005-01-02") == 2


def test_gaps_are_what_lies_between():
    assert days("2004-05-03", "2004-05-04", "gaps") == 0
    assert days("2004-05-03", "2004-05-06", "gaps") == 2
    assert days("2004-05-06", "2004-05-03", "gaps") == -2


def test_points():
    assert days("2004", "2004-07-01", "starts") == 182
    assert days("2004", "2004-07-01", "middles") == -0.5


def test_open_spans():
    assert days("2004/..", "2003-12-30") == -2
    assert days("../2004", "2005") == 365
    assert days("../2004", "2005", "starts") == 0
    assert days("2004/..", "2005", "middles") == 366 + 365 / 2
    everything = Span.parse("../..")
    assert distance(everything, Span.year(2004), "starts") is None
    assert distance(everything, Span.year(2004)) == 0


def test_the_nearest_of_several():
    asked = [Span.year(1900), Span.year(2004)]
    assert nearest_distance(asked, [Span.year(2006), Span.year(1950)]) == distance(Span.year(2004), Span.year(2006))
    assert nearest_distance(asked, []) is None
    assert nearest_distance([], asked) is None


def test_units():
    assert UNITS["years"] == 12 * UNITS["months"] == 365.2425 * DAY
    assert UNITS["days"] == DAY


@given(DAYS, DAYS, st.sampled_from(BETWEEN))
def test_there_and_back(first, second, between):
    there, back = distance(first, second, between), distance(second, first, between)
    assert there == -back
    if between in ("spans", "gaps") and first.overlaps(second):
        assert there == 0
    if between == "spans" and not first.overlaps(second):
        assert abs(there) == abs(distance(first, second, "gaps")) + min(first.seconds, second.seconds)
        assert (there > 0) == (second.start > first.start)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_seconds_are_points(first, second):
    found = {distance(Span.at(first), Span.at(second), way) for way in ("spans", "starts", "middles")}
    assert found == {float(second - first)}
