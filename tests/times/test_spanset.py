"""SpanSet against the plain loop over single spans."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.times import OPEN_END, OPEN_START, Allen, Grain, Span, SpanSet, filters
from epochal.times.interval import relation
from epochal.times.kernels import align
from spans_strategy import spans

span_lists = st.lists(spans(), min_size=0, max_size=30)


@given(span_lists)
def test_a_set_gives_back_its_spans(items: list[Span]) -> None:
    assert list(SpanSet.of(items)) == items


@given(span_lists, spans())
def test_masks_equal_the_loop(items: list[Span], probe: Span) -> None:
    many = SpanSet.of(items)
    assert many.overlaps(probe).tolist() == [item.overlaps(probe) for item in items]
    assert many.within(probe).tolist() == [item in probe for item in items]
    assert many.covers(probe).tolist() == [probe in item for item in items]
    assert many.gap(probe).tolist() == [probe.gap(item) for item in items]
    assert many.relations(probe).tolist() == [relation(item, probe) for item in items]


@given(span_lists, spans(), st.integers(1, 10**10))
def test_the_first_searches_and_those_by_the_index_find_the_same(items: list[Span], probe: Span, longest: int) -> None:
    many = SpanSet.of(items)
    short = np.flatnonzero(many.overlaps(probe) & (many.ends - many.starts <= longest)).tolist()
    for _ in range(20):
        assert sorted(many.overlapping(probe).tolist()) == np.flatnonzero(many.overlaps(probe)).tolist()
        assert sorted(many.overlapping(probe, longest).tolist()) == short
    assert "lookup" in vars(many)


@given(span_lists, st.lists(st.integers(0, 29)), spans())
def test_a_part_has_the_columns_of_its_spans(items: list[Span], places: list[int], probe: Span) -> None:
    many = SpanSet.of(items, [1 + place % 2 for place in range(len(items))])
    taken = np.array([place for place in places if place < len(items)], dtype=np.int64)
    part, expected = many[taken], SpanSet.of([items[place] for place in taken], (1 + taken % 2).tolist())
    assert part[:] == expected
    assert many[taken].kinds.tolist() == expected.kinds.tolist()
    assert sum(bucket.high - bucket.low for bucket in many.lookup.buckets) == len(many)  # which has kinds from here on
    assert many[taken].kinds.tolist() == expected.kinds.tolist()
    assert align(probe, many[taken]).tolist() == align(probe, expected).tolist()
    for again in (pickle.loads(pickle.dumps(many[taken])), copy.deepcopy(many[taken])):
        assert again == expected
    changed = many[taken]
    taken[:] = 0
    assert changed == expected


def test_a_part_has_no_other_columns() -> None:
    with pytest.raises(AttributeError, match="'length'"):
        _ = SpanSet.of([Span.year(2004)])[:].length  # type: ignore[attr-defined]


@given(span_lists, spans(), st.integers(1, 10**12))
def test_long_spans_can_be_left_out(items: list[Span], probe: Span, longest: int) -> None:
    many = SpanSet.of(items)
    expected = np.flatnonzero(many.overlaps(probe) & (many.ends - many.starts <= longest))
    assert sorted(many.overlapping(probe, longest).tolist()) == expected.tolist()


@given(span_lists, spans(), st.integers(1, 8))
def test_nearest_equals_the_sorted_loop(items: list[Span], probe: Span, count: int) -> None:
    many = SpanSet.of(items)
    expected = sorted(range(len(items)), key=lambda position: (abs(probe.gap(items[position])), position))
    assert many.nearest(probe, count).tolist() == expected[:count]


@given(span_lists, spans(), st.sampled_from(["during", "overlaps", "before", "after", "around", "starts", "meets"]))
def test_find_equals_the_filter_on_each(items: list[Span], probe: Span, name: str) -> None:
    condition = filters.build_filter(name, probe)
    retained = [position for position, item in enumerate(items) if condition(item)]
    assert sorted(SpanSet.of(items).find(condition).tolist()) == retained


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_lookup_equals_the_scan_on_large_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 20_000
    starts = rng.integers(-(10**11), 10**10, count)
    ends = starts + np.exp(rng.uniform(0, 25, count)).astype(np.int64) + 1
    starts[rng.random(count) < 0.01] = OPEN_START
    ends[rng.random(count) < 0.01] = OPEN_END
    many = SpanSet(starts, ends, grains=rng.integers(0, 14, count), certainties=rng.integers(0, 4, count))
    for _ in range(10):
        low = int(rng.integers(-(10**11), 10**10))
        probe = Span(low, low + int(np.exp(rng.uniform(0, 24))) + 1)
        assert np.array_equal(np.sort(many.overlapping(probe)), np.flatnonzero(many.overlaps(probe)))
    for probe in (Span(OPEN_START, 0), Span(0, OPEN_END), Span(OPEN_START, OPEN_END)):
        assert np.array_equal(np.sort(many.overlapping(probe)), np.flatnonzero(many.overlaps(probe)))


def test_slices_masks_and_positions_are_sets() -> None:
    many = SpanSet.of([Span.year(year) for year in range(2000, 2010)], weights=list(range(10)))
    assert list(many[2:4]) == [Span.year(2002), Span.year(2003)]
    assert many[np.array([9, 0])].weights.tolist() == [9, 0]
    assert list(many[many.overlaps(Span.year(2005))]) == [Span.year(2005)]
    assert many[np.int64(3)] == Span.year(2003)


def test_equality_looks_at_every_column() -> None:
    years = [Span.year(2004), Span.year(2005)]
    assert SpanSet.of(years) == SpanSet.of(years)
    assert SpanSet.of(years) != SpanSet.of(years, weights=[1.0, 0.5])
    assert SpanSet.of(years) != SpanSet.of([year.with_grain(Grain.DAY) for year in years])
    assert SpanSet.of(years) != years
    with pytest.raises(TypeError):
        hash(SpanSet.of(years))


def test_a_small_set_reads_back_from_its_repr() -> None:
    many = SpanSet.of([Span.parse("1984~"), Span.parse("../2001")], weights=[0.5, 1.0])
    assert eval(repr(many)) == many
    assert repr(SpanSet.of([Span.year(2004)] * 9)) == "<SpanSet of 9 spans>"


def test_memory_mapped_arrays_stay_mapped(tmp_path) -> None:
    path = tmp_path / "starts.npy"
    np.save(path, np.arange(5, dtype=np.int64))
    starts = np.load(path, mmap_mode="r")
    many = SpanSet(starts, np.arange(5, dtype=np.int64) + 1)
    assert np.shares_memory(many.starts, starts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"starts": [0, 5], "ends": [1]}, "two lists of one length"),
        ({"starts": [0, 5], "ends": [1, 5]}, "span 1 runs from 5 to 5"),
        ({"starts": [-(2**63)], "ends": [0]}, "lie on the axis"),
        ({"starts": [0], "ends": [1], "grains": [14]}, "grains must be codes from 0 to 13"),
        ({"starts": [0], "ends": [1], "certainties": [-1]}, "certainties must be codes from 0 to 3"),
        ({"starts": [0], "ends": [1], "weights": [float("nan")]}, "weights must be finite"),
        ({"starts": [0], "ends": [1], "weights": [1.0, 2.0]}, "weights must have 1 values"),
    ],
)
def test_bad_columns_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(EpochalError, match=message):
        SpanSet(**arguments)


def test_nearest_needs_a_count() -> None:
    with pytest.raises(EpochalError, match="at least 1, but is 0"):
        SpanSet.of([Span.year(2004)]).nearest(Span.year(2004), 0)


def test_an_empty_set_answers() -> None:
    empty = SpanSet.of([])
    assert len(empty) == 0
    assert empty.overlapping(Span.year(2004)).tolist() == []
    assert empty.nearest(Span.year(2004)).tolist() == []


def test_sets_of_edtf_weigh_their_members() -> None:
    assert SpanSet.parse("[1667,1668]").weights.tolist() == [0.5, 0.5]
    assert SpanSet.parse("{1667,1668}").weights.tolist() == [1.0, 1.0]


def test_relation_labels_name_filters() -> None:
    retained = SpanSet.of([Span.month(2004, 1), Span.month(2004, 2)]).find(
        filters.related(Span.year(2004), Allen.STARTS, Allen.FINISHES)
    )
    assert retained.tolist() == [0]


def test_a_part_of_a_set_is_the_set_of_its_spans() -> None:
    items = [Span.parse(text) for text in ("2004", "1984~/2004-06", "199X", "2004-05-03", "../1990?")]
    for known in (False, True):
        many = SpanSet.of(items, [0.1, 0.2, 0.3, 0.4, 0.5])
        if known:
            assert len(many.kinds) == len(items)  # a part takes over what is known of the whole
        for key in (np.array([3, 0, 0]), slice(1, 4), np.array([True, False, False, True, True])):
            positions = np.arange(len(items))[key]
            part = many[key]
            expected = SpanSet.of([items[position] for position in positions], many.weights[positions].tolist())
            assert part == expected
            assert part.kinds.tolist() == expected.kinds.tolist()
            assert part.is_weighted
    one = SpanSet([0, 10], [5, 20], grains=Grain.DAY)[1:]
    assert list(one) == [Span(10, 20, Grain.DAY, Grain.DAY)]


def test_a_key_of_several_dimensions_is_refused() -> None:
    with pytest.raises(EpochalError, match=r"shape \(1, 2\)"):
        SpanSet([0, 10], [5, 20])[np.array([[0, 1]])]
