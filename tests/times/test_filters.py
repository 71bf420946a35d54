"""The words people use are sets of Allen relations, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.times import Allen, Grain, Span, SpanSet, after, around, before, during, overlaps, related
from epochal.times.filters import RELATIONS, build_filter
from spans_strategy import closed_spans, spans


@given(spans(), spans(), st.sampled_from(sorted(RELATIONS)))
def test_a_word_is_its_relations(item: Span, probe: Span, name: str) -> None:
    assert build_filter(name, probe)(item) == (item.relation(probe) in RELATIONS[name])


@given(spans(), spans())
def test_every_pair_is_before_after_or_sharing(item: Span, probe: Span) -> None:
    assert [before(probe)(item), after(probe)(item), overlaps(probe)(item)].count(True) == 1


@given(spans(), spans(), st.sampled_from(list(Allen)))
def test_each_allen_relation_is_a_filter(item: Span, probe: Span, wanted: Allen) -> None:
    assert related(probe, wanted)(item) == (item.relation(probe) is wanted)


@given(spans(), spans(), spans())
def test_filters_join(item: Span, first: Span, second: Span) -> None:
    one, two = during(first), overlaps(second)
    assert (one & two)(item) == (one(item) and two(item))
    assert (one | two)(item) == (one(item) or two(item))
    assert (~one)(item) == (not one(item))
    many = SpanSet.of([item])
    for condition in (one & two, one | two, ~one, one & ~two):
        assert many.find(condition).tolist() == ([0] if condition(item) else [])


@given(closed_spans(), closed_spans())
def test_around_counts_units_of_the_grain(item: Span, probe: Span) -> None:
    margin = 2 * probe.coarsest_grain.seconds
    assert around(probe, 2)(item) == (abs(probe.gap(item)) <= margin)


def test_around_of_an_open_span_stays_open() -> None:
    since = Span.parse("1985/..")
    assert around(since)(Span.year(9000))
    assert around(since)(Span.year(1984))
    assert not around(since)(Span.year(1982))


def test_around_in_another_grain() -> None:
    assert around(Span.year(2004), 2, Grain.DAY)(Span.day(2005, 1, 2))
    assert not around(Span.year(2004), 2, Grain.DAY)(Span.day(2005, 1, 5))


def test_bad_words_are_named() -> None:
    with pytest.raises(UnknownNameError, match="no relation is called 'near'; known: during, overlaps"):
        build_filter("near", Span.year(2004))
    with pytest.raises(EpochalError, match="0 or more, but is -1"):
        around(Span.year(2004), -1)
    with pytest.raises(EpochalError, match="at least one"):
        related(Span.year(2004))


def test_a_filter_says_what_it_is() -> None:
    assert repr(during(Span.year(2004)) & ~before(Span.year(2001))) == "<TimeFilter (during 2004 and not before 2001)>"
