"""Windows around a time: every relation is there, and their words say what they should."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times import Grain, Span
from epochal_lab.datasets.augment.chunks import read_stated_times
from epochal_lab.datasets.augment.rows import RELATIONS
from epochal_lab.datasets.augment.windows import (
    Window,
    build_anchor_windows,
    build_windows,
    group_by_relation,
    load_anchors,
)

ALL = set(RELATIONS) - {"Empty"}
SPANS = ["1998", "1998-05", "1998-05-04", "1990/1998", "199X", "1998-03/2001-07"]


@pytest.mark.parametrize("edtf", ["1998", "1990/1998", "199X", "1998-03/2001-07"])
def test_all_thirteen_relations_can_be_asked(edtf):
    span = Span.parse(edtf)
    found = {name for seed in range(4) for name in group_by_relation(build_windows(span, random.Random(seed)), span)}
    assert found == ALL


def test_a_day_has_no_part_to_ask_for():
    span = Span.day(1998, 5, 4)
    found = set(group_by_relation(build_windows(span, random.Random(1)), span))
    assert found == ALL - {"Starts", "During", "Finishes", "Overlaps", "OverlappedBy"}


@pytest.mark.parametrize("edtf", SPANS)
def test_the_words_are_read_as_what_they_should_say(edtf):
    for window in build_windows(Span.parse(edtf), random.Random(3)):
        stated_time = read_stated_times(f"Who saw Ann Hay {window.words}?").only
        assert stated_time is not None, window.words
        assert (stated_time.span.start, stated_time.span.end) == (window.span.start, window.span.end), window.words


@given(
    st.integers(1100, 2020),
    st.integers(1, 12),
    st.sampled_from([Grain.DAY, Grain.MONTH, Grain.YEAR]),
    st.integers(0, 9),
)
def test_any_unit_has_windows_beside_it(year, month, grain, seed):
    span = Span.unit(Span.day(year, month, 11).start, grain)
    found = group_by_relation(build_windows(span, random.Random(seed)), span)
    assert {"Equals", "Before", "After", "Meets", "MetBy", "Contains", "StartedBy", "FinishedBy"} <= set(found)


def test_no_window_is_in_a_future_that_nobody_asks_about():
    found = build_windows(Span.year(2024), random.Random(2))
    assert max(window.span.last_year or 0 for window in found) <= 2030


def test_open_spans_have_windows():
    span = Span.parse("1998/..")
    assert {"Before", "Equals", "During"} <= set(group_by_relation(build_windows(span, random.Random(1)), span))


def test_the_same_chance_gives_the_same_windows():
    one, two = (build_windows(Span.year(1998), random.Random(5)) for _ in range(2))
    assert one == two


def test_the_grain_of_what_is_asked_about_is_drawn_oftenest():
    year, month = Window("in 1998", Span.year(1998), "in"), Window("in May 1998", Span.month(1998, 5), "in")
    assert year.weight(Grain.YEAR) > month.weight(Grain.YEAR)
    assert month.weight(Grain.MONTH) > month.weight(Grain.YEAR)


# ---------------------------------------------------------------- events


def test_events_near_a_time_are_read_as_they_should_be():
    found = build_anchor_windows(Span.year(1944), random.Random(1))
    assert len(found) > 20
    for window in found:
        stated_time = read_stated_times(f"Who saw Ann Hay {window.words}?", implicit=True).only
        assert stated_time is not None, window.words
        assert stated_time.named, window.words
        assert (stated_time.span.start, stated_time.span.end) == (window.span.start, window.span.end), window.words


def test_no_event_states_a_date():
    assert all(read_stated_times(f"during {anchor.name}").stated_times == () for anchor in load_anchors()[::20])


def test_events_are_written_as_people_write_them():
    names = {anchor.name for anchor in load_anchors()}
    assert {"World War II", "the Korean War", "the Marshall Plan", "the battle of Bunker Hill"} <= names


def test_open_spans_and_times_without_events_have_none():
    assert build_anchor_windows(Span.parse("1998/.."), random.Random(1)) == []
