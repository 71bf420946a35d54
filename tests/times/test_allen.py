"""Allen's relations against their textbook inequalities."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.filters import compute_relations
from epochal.times.interval import Allen, relation
from epochal.times.span import Span
from spans_strategy import open_spans, spans

#: Allen (1983), figure 2, with a = [s, e) and b = [t, u).
TEXTBOOK = {
    Allen.BEFORE: lambda s, e, t, u: e < t,
    Allen.MEETS: lambda s, e, t, u: e == t,
    Allen.OVERLAPS: lambda s, e, t, u: s < t < e < u,
    Allen.STARTS: lambda s, e, t, u: s == t and e < u,
    Allen.DURING: lambda s, e, t, u: t < s and e < u,
    Allen.FINISHED_BY: lambda s, e, t, u: s < t and e == u,
    Allen.EQUALS: lambda s, e, t, u: s == t and e == u,
    Allen.FINISHES: lambda s, e, t, u: t < s and e == u,
    Allen.CONTAINS: lambda s, e, t, u: s < t and u < e,
    Allen.STARTED_BY: lambda s, e, t, u: s == t and u < e,
    Allen.OVERLAPPED_BY: lambda s, e, t, u: t < s < u < e,
    Allen.MET_BY: lambda s, e, t, u: u == s,
    Allen.AFTER: lambda s, e, t, u: u < s,
}
POINTS = range(6)
SMALL = [Span(start, end) for start, end in itertools.combinations(POINTS, 2)]
WITH_OPEN = [
    *SMALL,
    *(Span(OPEN_START, point) for point in POINTS),
    *(Span(point, OPEN_END) for point in POINTS),
    Span(OPEN_START, OPEN_END),
]


@cache
def composition() -> dict[tuple[Allen, Allen], set[Allen]]:
    """What a to c may be when a to b and b to c are known; six points are enough to meet every case."""
    table: dict[tuple[Allen, Allen], set[Allen]] = {}
    for a, b, c in itertools.product(SMALL, repeat=3):
        table.setdefault((relation(a, b), relation(b, c)), set()).add(relation(a, c))
    return table


def holding(a: Span, b: Span) -> list[Allen]:
    return [name for name, holds in TEXTBOOK.items() if holds(a.start, a.end, b.start, b.end)]


def test_all_relations_of_all_small_spans_are_the_textbook_ones():
    met = set()
    for a, b in itertools.product(WITH_OPEN, repeat=2):
        assert holding(a, b) == [relation(a, b)]
        met.add(relation(a, b))
    assert met == set(Allen)


@given(spans(), spans())
def test_exactly_one_relation_holds(a, b):
    assert holding(a, b) == [a.relation(b)]


@given(spans(), spans())
def test_the_inverse_is_the_relation_seen_from_the_other(a, b):
    assert relation(b, a) is relation(a, b).inverse


@given(spans())
def test_a_span_equals_itself(span):
    assert relation(span, span) is Allen.EQUALS


@pytest.mark.parametrize("name", list(Allen))
def test_inverses_undo_themselves(name):
    assert name.inverse.inverse is name
    assert (name.inverse is name) == (name is Allen.EQUALS)
    assert eval(repr(name)) is name
    assert Allen[name.label.upper()] is name


def test_the_composition_table_is_complete():
    table = composition()
    assert set(table) == set(itertools.product(Allen, repeat=2))
    # The known number of disjuncts in the 13 by 13 table of Allen (1983).
    assert sum(len(results) for results in table.values()) == 409


@given(st.lists(st.one_of(spans(), open_spans()), min_size=3, max_size=8))
def test_composition_holds_with_open_spans(sample):
    table = composition()
    for a, b, c in itertools.permutations(sample, 3):
        assert relation(a, c) in table[relation(a, b), relation(b, c)]


def test_composition_holds_for_all_small_open_spans():
    table = composition()
    for a, b, c in itertools.product(WITH_OPEN, repeat=3):
        assert relation(a, c) in table[relation(a, b), relation(b, c)]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("../1985", "../2004", Allen.STARTS),
        ("1985/..", "2004/..", Allen.FINISHED_BY),
        ("../1985", "1986/..", Allen.MEETS),
        ("../1985", "1987/..", Allen.BEFORE),
        ("../1985", "1980/..", Allen.OVERLAPS),
        ("../..", "2004", Allen.CONTAINS),
        ("../..", "2004/", Allen.FINISHED_BY),
        ("/2004", "../2004", Allen.EQUALS),
        ("2004-02-29", "2004-02", Allen.FINISHES),
        ("2004-02-01", "2004-02", Allen.STARTS),
    ],
)
def test_relations_of_stated_times(first, second, expected):
    assert Span.parse(first).relation(Span.parse(second)) is expected


@given(st.lists(spans(), max_size=20), spans())
def test_codes_equal_the_relations_one_by_one(many, other):
    starts = np.array([span.start for span in many], dtype=np.int64)
    ends = np.array([span.end for span in many], dtype=np.int64)
    codes = compute_relations(starts, ends, other)
    assert codes.dtype == np.int8
    assert [Allen(code) for code in codes] == [relation(span, other) for span in many]


def test_codes_of_all_small_spans():
    starts = np.array([span.start for span in WITH_OPEN])
    ends = np.array([span.end for span in WITH_OPEN])
    for other in WITH_OPEN:
        assert compute_relations(starts, ends, other).tolist() == [relation(span, other) for span in WITH_OPEN]
