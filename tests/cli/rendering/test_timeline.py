"""The picture of time: where things stand in it, and which stretch is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.cli.rendering.timeline import Timeline, choose_window, find_ticks
from epochal.times import Span
from epochal.times.axis import to_seconds

DECADE = Span.parse("2001/2010")
YEARS = tuple(Span.year(year) for year in range(2001, 2011))


def drawn(picture: Timeline, width: int = 52) -> list[str]:
    return ["".join(text for text, _ in row).rstrip() for row in picture.rows(width)]


def row(lines: list[str], label: str) -> str:
    return next(line for line in lines if line.startswith(label))


def test_bars_are_as_high_as_the_counts():
    lines = drawn(Timeline(DECADE, YEARS, (0, 1, 2, 4, 8, 0, 0, 0, 0, 8)))
    bars = lines[:3]
    heights = ["".join(line.ljust(52)[column] for line in bars) for column in range(12, 52, 4)]
    assert heights[0] == "   "
    assert heights[4] == heights[9] == "███"
    assert heights[3] == " ▄█"
    assert [height == "   " for height in heights] == [True, False, False, False, False, True, True, True, True, False]


def test_a_single_document_among_thousands_is_seen():
    bottom = drawn(Timeline(DECADE, YEARS, (9000, 0, 1, 0, 0, 0, 0, 0, 0, 0)))[2]
    assert bottom[12 + 8 : 12 + 12] == "▁▁▁▁"
    assert bottom[12 + 4 : 12 + 8] == "    "


def test_months_do_not_look_fuller_for_having_fewer_columns():
    months = tuple(Span.month(2001, month) for month in range(1, 13))
    bottom = drawn(Timeline(Span.year(2001), months, (5,) * 12), 12 + 17)[2]
    assert set(bottom[12:]) == {"█"}


def test_nothing_held():
    assert drawn(Timeline(DECADE, (), ()))[0] == ""


def test_bands_and_what_lies_outside():
    bands = (("asked", Span.year(2005)), ("asked", Span.year(1990)), ("asked", Span.year(2030)))
    lines = drawn(Timeline(DECADE, YEARS, (1,) * 10, bands))
    first = lines.index(row(lines, "asked"))
    assert lines[first][12:] == " " * 16 + "━━━━ 2005"
    assert lines[first + 1][12:] == "← 1990"
    assert lines[first + 2].endswith("2030 →")


def test_an_open_band_runs_to_the_edge():
    lines = drawn(Timeline(DECADE, YEARS, (1,) * 10, (("asked", Span.parse("2008/..")),)))
    assert row(lines, "asked")[12:].endswith("since 2008 " + "━" * 12)


def test_marks_with_their_ranks():
    marks = ((1, Span.parse("2003-01-05")), (2, Span.parse("2003-01-06")), (3, Span.year(2009)), (10, Span.year(2001)))
    lines = drawn(Timeline(DECADE, YEARS, (1,) * 10, (), marks))
    first = lines.index(row(lines, "hits"))
    assert lines[first][12 + 8] == "1"
    assert lines[first + 1][12 + 8] == "2"
    assert lines[first][12 + 32 : 12 + 36] in ("─3──", "──3─")
    assert "10" in lines[first][12:16]


def test_marks_without_room_are_counted():
    marks = tuple((rank, Span.parse("2003-01-05")) for rank in range(1, 10))
    assert drawn(Timeline(DECADE, YEARS, (1,) * 10, (), marks))[-1].strip() == "and 4 more at the same places"


def test_marks_outside_are_left_out():
    assert not any(
        line.startswith("hits") for line in drawn(Timeline(DECADE, YEARS, (1,) * 10, (), ((1, Span.year(1950)),)))
    )


@pytest.mark.parametrize(
    ("spans", "window"),
    [
        ([], "2001/2010"),
        (["2001", "2010"], "2001/2010"),
        (["1995"], "1995/2010"),
        (["2012"], "2001/2012"),
        (["1900"], "2001/2010"),
        (["-0043", "2005-03"], "2005-01/2005-05"),
        (["1995", "2005"], "1995/2010"),
        (["2008/.."], "2001/2010"),
        (["2005-03-10"], "2005-02-01/2005-04-16"),
    ],
)
def test_the_range_that_is_drawn(spans, window):
    assert choose_window(DECADE, [Span.parse(text) for text in spans]).edtf() == window


def test_an_open_question_about_all_time():
    assert choose_window(DECADE, [Span.parse("../..")]) == DECADE


# ---------------------------------------------------------------- ticks


@pytest.mark.parametrize(
    ("start", "end", "columns", "labels"),
    [
        ("2003-07-02", "2003-07-04", 60, ["2 Jul 2003", "3 Jul", "4 Jul"]),
        ("2003-01", "2003-02", 60, ["1 Jan 2003", "11 Jan", "21 Jan", "1 Feb"]),
        ("2003", "2003", 40, ["Jan 2003", "Apr 2003", "Jul 2003", "Oct 2003"]),
        ("-0720", "-0479", 40, ["701 BCE", "601 BCE", "501 BCE"]),
        ("1000", "2020", 40, ["1000", "1200"]),
    ],
)
def test_ticks_are_round(start, end, columns, labels):
    window = Span.between(Span.parse(start), Span.parse(end))
    assert [label for _, label in find_ticks(window.start, window.end, columns)][: len(labels)] == labels


@given(st.integers(-5000, 5000), st.integers(1, 10**10), st.integers(20, 110))
def test_ticks_fit_and_lie_within(year, seconds, columns):
    start = to_seconds(year)
    result = find_ticks(start, start + seconds, columns)
    assert sum(len(label) + 2 for _, label in result) <= columns
    assert all(start <= second < start + seconds for second, _ in result)
    assert [second for second, _ in result] == sorted({second for second, _ in result})
