"""Counting documents over time: once each, at any width, however far the times lie apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal import Document, Index, Span, SpanSet
from epochal.ranking.histogram import (
    Histogram,
    count_in_reigns,
    make_calendar_edges,
    measure_histogram,
    seconds_between,
)
from epochal.storage.protocol import SpanTable, View
from epochal.times.axis import DAY, Grain, to_seconds
from epochal.times.calendars.regnal import RegnalCalendar


@pytest.fixture
def view(tmp_path):
    def made(*documents: Document):
        with Index.create(tmp_path / "index", encoder=None) as index:
            index.add(documents)
            return index.view()

    return made


def test_a_document_counts_once_in_a_range(view):
    text = "Rain in May 1998, and in June 1998, and in 2003."
    found = measure_histogram(view(Document("a", text)), 10)
    assert sum(found.counts) == 2
    assert (found.first.edtf(), found.last.edtf()) == ("1998-05", "2003")


def test_the_date_of_a_document_goes_before_what_it_mentions(view):
    seen = view(Document("a", "Rain in 1850.", published=Span.year(1998)), Document("b", "Snow in 1860."))
    assert measure_histogram(seen, 1).first.edtf() == "1860"
    assert measure_histogram(seen, 1, axis="content").first.edtf() == "1850"
    assert measure_histogram(seen, 1, axis="published").undated == 1


def test_open_times_do_not_count(view):
    found = measure_histogram(view(Document("a", "Rain.", published=Span.parse("1998/.."))), 5)
    assert (found.counts, found.undated, found.documents) == ([], 1, 1)


def test_an_empty_index(view):
    seen = view()
    assert measure_histogram(seen, 5).to_dict() == {
        "bins": [],
        "first": None,
        "last": None,
        "usual": None,
        "undated": 0,
        "documents": 0,
    }
    assert measure_histogram(seen, 5, 0, 50).counts == [0] * 5


def test_a_range_shorter_than_the_bars_has_fewer(view):
    assert len(measure_histogram(view(Document("a", "Rain in 1998.")), 1000, 0, 3).counts) == 3


def test_what_is_farther_than_any_year_that_can_be_written_is_left_out(view):
    far = Document("a", "Rain.", published=Span.year(2_000_000_000))
    found = measure_histogram(view(far, Document("b", "Rain in 1998.")), 3)
    assert (sum(found.counts), found.undated) == (1, 1)
    assert found.to_dict()["bins"]


def test_the_usual_range_leaves_out_the_outermost(view):
    days = [Document(f"d{day}", "Rain.", published=Span.day(1998, 5, 1 + day % 30)) for day in range(300)]
    found = measure_histogram(view(*days, Document("old", "Rain.", published=Span.year(-3000))), 10)
    assert found.first.edtf() == "-3000"
    assert found.usual[0] > Span.year(1998).start


def test_calendar_bins_leave_out_what_lies_far_off(view):
    documents = [
        Document(f"d{day}", "Rain.", published=Span.day(2001, 1 + day // 28, 1 + day % 28)) for day in range(300)
    ]
    far = Document("far", "Rain.", published=Span.year(1450))
    found = measure_histogram(view(*documents, far), 60, calendar=True)
    assert found.edges[0] == Span.day(2001, 1, 3).start
    assert set(np.diff(found.edges)) == {7 * DAY}
    assert (found.documents, found.first) == (301, Span.year(1450))


@given(
    first=st.integers(-60_000_000, 3000),
    years=st.integers(0, 60_000_000),
    day=st.integers(0, 364),
    most=st.integers(2, 500),
)
def test_calendar_bins_are_whole_units_and_cover_the_range(first, years, day, most):
    low = to_seconds(first) + day * DAY + 5
    high = min(to_seconds(first + years) + (day + 3) * DAY, to_seconds(500_000_000))
    edges = make_calendar_edges(low, high, most)
    assert edges[0] <= low < edges[1]
    assert edges[-2] < high <= edges[-1]
    assert len(edges) <= most + 1
    assert not any(edge % DAY for edge in edges)


def table(spans: list[Span], rows: list[int]) -> SpanTable:
    nowhere = np.full(len(rows), -1, dtype=np.int32)
    return SpanTable(SpanSet.of(spans), np.array(rows, dtype=np.int64), nowhere, nowhere)


def dated(spans: list[Span]) -> View:
    """As much of a view as is looked at: documents that were published, and speak of nothing."""
    published = table(spans, list(range(len(spans))))
    seen = SimpleNamespace(
        published=published, content=table([], []), document_count=len(spans), get_document_rows=lambda rows: rows
    )
    return cast("View", seen)


@pytest.mark.parametrize(
    ("finest", "most", "length"), [(Grain.MONTH, 400, 36), (Grain.MONTH, 30, 3), (Grain.YEAR, 400, 3)]
)
def test_calendar_bins_no_finer_than_asked(finest, most, length):
    assert len(make_calendar_edges(to_seconds(2000), to_seconds(2003), most, finest)) == length + 1


def test_reigns_count_what_is_from_them_within_bounds():
    seen = dated([Span.year(year) for year in (1936, 1936, 1940, 2001, 2023)])
    found = count_in_reigns(seen, RegnalCalendar.load("british.toml"), to_seconds(1930), to_seconds(2024))
    assert [(item.name, item.count) for item in found] == [
        ("George V", 0),
        ("Edward VIII", 2),
        ("George VI", 1),
        ("Elizabeth II", 1),
        ("Charles III", 1),
    ]
    assert (found[0].start, found[-1].end) == (to_seconds(1930), to_seconds(2024))


@given(starts=st.lists(st.integers(-4000, 3000), min_size=1, max_size=12), bins=st.integers(1, 50))
def test_every_dated_document_is_counted_in_the_whole(starts, bins):
    found = measure_histogram(dated([Span.year(year) for year in starts]), bins)
    assert sum(found.counts) == len(starts)
    assert found.undated == 0
    record = found.to_dict()
    assert record["bins"][0]["start"] == Span.year(min(starts)).start
    assert record["bins"][-1]["end"] == Span.year(max(starts)).end


@given(first=st.integers(-9000, 9000), years=st.integers(1, 500), bins=st.integers(1, 60))
def test_edges_are_named_by_units_that_hold_them(first, years, bins):
    low, high = Span.year(first).start, Span.year(first + years).start
    edges = [low + (high - low) * place // bins for place in range(bins + 1)]
    shown = Histogram(edges, [0] * bins, 0, 0, None, None, None).to_dict()["bins"]
    for item in shown:
        begins, ends = Span.parse(item["start_edtf"]), Span.parse(item["end_edtf"])
        assert begins.start <= item["start"] < begins.end
        assert ends.start < item["end"] <= ends.end


def test_bounds():
    assert seconds_between(None, None) == (None, None)
    assert seconds_between(Span.parse("../1998"), Span.parse("1998")) == (None, Span.year(1998).end)
