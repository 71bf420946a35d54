"""The kernel: bounded, 1 inside, monotone in the gap, symmetric where it should be, the same by index and by loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.times import OPEN_END, OPEN_START, Certainty, Grain, Span, SpanSet, align, align_pair, align_sparse
from epochal.times.kernels import MARGIN, get_target_span
from spans_strategy import closed_spans, spans

TRUST = {Certainty.CERTAIN: 1.0, Certainty.APPROXIMATE: 0.95, Certainty.UNCERTAIN: 0.8, Certainty.BOTH: 0.76}


def by_the_book(query: Span, doc: Span, margin: float = MARGIN) -> float:
    """The formula of docs/time/kernel.md in plain Python."""

    def unit(span: Span) -> float:
        return span.coarsest_grain.seconds * (2 if span.worst_certainty.is_approximate else 1)

    blurred = query.worst_certainty.is_approximate or doc.worst_certainty.is_approximate
    touch = 0.45 if blurred else 0.25
    shared = min(query.end, doc.end) - max(query.start, doc.start)
    if shared > 0:
        share = shared / doc.seconds
        vagueness = math.log10(min(max(doc.seconds / query.seconds, 1), 1000))
        if doc.is_open and not query.is_open:
            vagueness = 1.0
        cover = shared / min(doc.seconds, query.seconds) / (1 + vagueness / 4)
        if doc.seconds == OPEN_END - OPEN_START > query.seconds:
            cover = 0.0
        score = touch + (1 - touch) * (share + cover) / 2
    else:
        score = touch * max(0.0, 1 + shared / (margin * max(unit(query), unit(doc)))) ** 2
    return TRUST[doc.worst_certainty] * score


@given(spans(), spans())
def test_a_pair_follows_the_book(query: Span, doc: Span) -> None:
    assert align_pair(query, doc) == pytest.approx(by_the_book(query, doc), abs=1e-12)


@given(spans(), spans())
def test_bounded(query: Span, doc: Span) -> None:
    assert 0.0 <= align_pair(query, doc) <= 1.0


@given(spans(), spans())
def test_one_inside_what_is_asked(query: Span, doc: Span) -> None:
    if doc in query:
        assert align_pair(query, doc) == pytest.approx(TRUST[doc.worst_certainty])


@given(closed_spans(), st.integers(-400, 400), st.integers(-400, 400))
def test_monotone_in_the_gap(doc: Span, first: int, second: int) -> None:
    """The same document, moved farther to the same side, never scores more once it has left the question."""
    query = Span.year(2000)
    length, grain = doc.seconds, doc.grain
    near, far = sorted((abs(first), abs(second)))
    for side in (1, -1):
        scores = []
        for distance in (near, far):
            gap = distance * 86_400 * 10
            start = query.end + gap if side > 0 else query.start - gap - length
            scores.append(align_pair(query, Span(start, start + length, grain, grain, doc.certainty)))
        assert scores[0] >= scores[1]


@given(closed_spans(), st.integers(0, 10**10))
def test_before_and_after_weigh_alike(doc: Span, gap: int) -> None:
    query = Span.parse("1999-07")
    later = Span(query.end + gap, query.end + gap + doc.seconds, doc.grain)
    earlier = Span(query.start - gap - doc.seconds, query.start - gap, doc.grain)
    assert align_pair(query, later) == pytest.approx(align_pair(query, earlier), abs=1e-12)


@given(
    st.integers(-(10**11), 10**11), st.integers(-(10**11), 10**11), st.integers(1, 10**9), st.sampled_from(list(Grain))
)
def test_symmetric_for_like_spans(first: int, second: int, length: int, grain: Grain) -> None:
    """Certain spans of one length and grain: who asks and who answers does not matter."""
    one, two = Span(first, first + length, grain), Span(second, second + length, grain)
    assert align_pair(one, two) == pytest.approx(align_pair(two, one), abs=1e-12)


@given(closed_spans(), closed_spans())
def test_doubt_never_helps_a_match_and_softens_a_miss(query: Span, doc: Span) -> None:
    sure = doc.with_certainty(Certainty.CERTAIN)
    unsure = doc.with_certainty(Certainty.UNCERTAIN)
    about = doc.with_certainty(Certainty.APPROXIMATE)
    query = query.with_certainty(Certainty.CERTAIN)
    assert align_pair(query, unsure) == pytest.approx(0.8 * align_pair(query, sure))
    if sure in query:
        assert align_pair(query, about) < align_pair(query, sure)
    if not sure.overlaps(query):
        assert align_pair(query, about) >= align_pair(query, sure)


@settings(max_examples=3)  # 6,000 spans a case
@given(st.integers(0, 2**32 - 1), spans(), st.sampled_from(["during", "overlaps", "before", "after", "around"]))
def test_the_index_gives_what_the_loop_gives(seed: int, query: Span, relation: str) -> None:
    rng = np.random.default_rng(seed)
    count = 6000
    centre = query.start if query.start != OPEN_START else query.end if query.end != OPEN_END else 0
    starts = centre + rng.integers(-(10**10), 10**10, count)
    ends = starts + np.exp(rng.uniform(0, 22, count)).astype(np.int64) + 1
    starts[rng.random(count) < 0.01] = OPEN_START
    ends[rng.random(count) < 0.01] = OPEN_END
    docs = SpanSet(starts, ends, grains=rng.integers(3, 12, count), certainties=rng.integers(0, 4, count))
    try:
        target = get_target_span(query, relation)
    except EpochalError:
        return  # nothing lies before a span without a start
    scores = align(query, docs, relation)
    expected = np.array([by_the_book(target, doc) for doc in docs])
    assert np.allclose(scores, expected, atol=1e-12)
    positions, sparse = align_sparse(query, docs, relation)
    assert positions.tolist() == np.flatnonzero(scores).tolist()
    assert np.array_equal(sparse, scores[positions])


def test_an_open_end_states_no_doubt_and_no_grain() -> None:
    """Columns may hold anything at an open end; a Span doesn't, and both score alike."""
    ends = [(OPEN_START, OPEN_END), (OPEN_START, 10**9), (0, OPEN_END)]
    docs = SpanSet(*zip(*ends, strict=True), grains=Grain.CENTURY, end_grains=Grain.DAY, certainties=Certainty.BOTH)
    query = Span.parse("0290-02-15T22:32:11Z%/..")
    assert align(query, docs) == pytest.approx([by_the_book(query, doc) for doc in docs])


def test_most_documents_inside_takes_the_short_way_with_the_same_scores() -> None:
    rng = np.random.default_rng(0)
    starts = rng.integers(0, 10**9, 10_000)
    doubts = rng.integers(0, 4, 10_000)
    docs = SpanSet(starts, starts + 86_400, grains=Grain.DAY, certainties=doubts)
    query = Span.parse("1971/..")
    assert np.allclose(align(query, docs), [by_the_book(query, doc) for doc in docs])


def test_direction_is_kept() -> None:
    docs = SpanSet.of([Span.year(1999), Span.year(2001)])
    assert align(Span.year(2000), docs, "before").tolist() == [1.0, pytest.approx(0.25 * 0.8**2, rel=1e-2)]
    assert align(Span.year(2000), docs, "after").tolist() == [pytest.approx(0.25 * 0.8**2, rel=1e-2), 1.0]


def test_of_several_spans_asked_for_the_best_counts() -> None:
    window = SpanSet.of([Span.year(1990), Span.year(2000)])
    docs = SpanSet.of([Span.year(1990), Span.year(2000), Span.year(1995)])
    single = [align(span, docs) for span in window]
    assert align(window, docs).tolist() == np.maximum(*single).tolist()


def test_weights_scale_both_sides() -> None:
    docs = SpanSet.of([Span.year(2000), Span.year(2001)], weights=[0.5, 1.0])
    assert align(Span.year(2000), docs).tolist() == [0.5, 0.25]
    assert align(SpanSet.of([Span.year(2000)], weights=[0.5]), docs).tolist() == [0.25, 0.125]
    assert align_sparse(Span.year(2000), docs)[1].tolist() == [0.5, 0.25]
    large = SpanSet.of([Span.year(2000)] * 5000, weights=[0.5] * 5000)
    assert set(align(Span.year(2000), large).tolist()) == {0.5}


def test_a_vaguer_document_that_holds_the_question_scores_less() -> None:
    question = Span.year(1998)
    scores = [
        align_pair(question, Span.parse(text)) for text in ("1998", "1993/2001", "1985/..", "19XX", "1XXX", "../..")
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == pytest.approx(0.25)


def test_reach_sets_where_the_fall_ends() -> None:
    docs = SpanSet.of([Span.year(2010)])
    assert align(Span.year(2000), docs)[0] == 0.0
    assert align(Span.year(2000), docs, margin=20)[0] > 0.0
    with pytest.raises(EpochalError, match="margin must be a number of units above 0, but is 0"):
        align(Span.year(2000), docs, margin=0)


def test_what_cannot_be_wanted_is_an_error() -> None:
    with pytest.raises(EpochalError, match=r"nothing lies before '\.\./2001'"):
        get_target_span(Span.parse("../2001"), "before")
    with pytest.raises(UnknownNameError, match="no relation is called 'near'"):
        get_target_span(Span.year(2001), "near")
