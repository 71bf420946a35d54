"""Collect candidates by words, vectors and spans into one pool, comparing vectors by `dims` where a request says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.encoders.wrappers import cut_encoder, nested_dims
from epochal.ranking.pool import Pool, Proposer, Window
from epochal.ranking.terms import weigh_tokens
from epochal.reading.questions.question import Understanding
from epochal.search.request import Request
from epochal.search.response import Applied
from epochal.storage.protocol import Ranked, Rows, View, intersect_rows, subtract_rows, union_rows
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

#: How many times as long as a window a time may be for its passage to be a candidate on that ground alone.
_LONGER: Final = 20
#: The share of all passages up to which those from a window are searched by themselves.
_MAX_SHARE: Final = 0.5
_MIN_PASSAGES: Final = 1_000
#: So many passages, and words of a question, are compared one by one: that costs less than searching among them.
_COMPARED: Final = 4_000
_MAX_TOKENS: Final = 64
#: So many passages that score like the last candidate are added: which was stored first says nothing.
_MAX_TIES: Final = 32
#: Sums of weights are compared to so many digits: their last bits depend on the order of adding up.
_DIGITS: Final = 9
#: Where fewer passages from a window share a word with the question, others from that window are added.
_MIN_MATCHING: Final = 30

Vector = npt.NDArray[np.float32]


def collect_candidates(
    view: View,
    encoder: Encoder | None,
    question: str,
    understanding: Understanding,
    now: Span | None,
    windows: tuple[Window, ...],
    rows: Rows | None,
    depth: int,
    proposer: Proposer | None = None,
) -> Pool:
    """The pool of a question: the best `depth` of each source among `rows`, and all their scores.

    It holds at least `depth` documents where the index has as many, unless there are no vectors. What a `proposer`
    gives for the windows is added.
    """
    topic = (understanding.topic or question) if windows else question
    vector = None if encoder is None else encoder.encode_queries([topic])[0]
    sources = [_take_with_ties(view.search_words(question, depth + _MAX_TIES, rows), depth)]
    if vector is not None:
        sources.append(_take_with_ties(view.search_vectors(vector, depth + _MAX_TIES, rows), depth))
    for close in _iterate_close_rows(view, windows, rows):
        if vector is not None and len(close) <= depth:
            sources.append(close)  # by their vectors all of them are among the best
            continue
        matching = _match_topic(view, topic, depth, close)
        # A record of that time may share no word with the question: "What happened in May 1843?"
        sources += [matching, subtract_rows(close, matching)[: max(0, _MIN_MATCHING - len(matching))]]
        if vector is not None:
            sources.append(_take_with_ties(view.search_vectors(vector, depth + _MAX_TIES, close), depth))
    if proposer is not None and windows:
        proposed = proposer.propose(view, windows, rows, depth)
        sources.append(proposed if rows is None else intersect_rows(proposed, rows))
    candidates = _fill(view, union_rows(*sources), vector, rows, depth)
    return Pool(
        question=question,
        understanding=understanding,
        now=now,
        view=view,
        windows=windows,
        rows=candidates,
        document_rows=view.get_document_rows(candidates),
        lexical=view.score_words(question, candidates),
        semantic=np.zeros(len(candidates)) if vector is None else view.score_vectors(vector, candidates),
        vector=vector,
    )


def _take_with_ties(ranked: Ranked, depth: int) -> Rows:
    """The best so many, and those that score like the last of them."""
    if len(ranked) <= depth:
        return ranked.rows
    return np.asarray(ranked.rows[ranked.scores >= ranked.scores[depth - 1]])


def _match_topic(view: View, topic: str, depth: int, close: Rows) -> Rows:
    """The passages, at most `depth` of them, that share most with the topic by the weight of its words.

    Among few passages that is close enough to BM25, by which they are scored later.
    """
    tokens = tuple(dict.fromkeys(view.analyse(topic)))
    if len(close) > _COMPARED or len(tokens) > _MAX_TOKENS:
        return _take_with_ties(view.search_words(topic, depth + _MAX_TIES, close), depth)
    present = view.match_contexts(close, np.full(len(close), -1, dtype=np.int64), tokens)
    counts = present.sum(axis=1)
    (matching,) = np.nonzero(counts)
    if len(matching) <= depth:
        return close[matching]
    weights = weigh_tokens(view, tokens)
    shares = (present[matching] @ np.array([weights[token] for token in tokens])).round(_DIGITS)
    order = np.lexsort((-counts[matching], -shares))
    last = order[depth - 1]
    counts = counts[matching]
    equal = (shares == shares[last]) & (counts == counts[last])
    better = (shares > shares[last]) | ((shares == shares[last]) & (counts > counts[last]))
    # Many share the same few words; of these BM25 says which are best, and the order of storing does not.
    tied = close[matching[equal]]
    scores = view.score_words(topic, tied)
    best = np.lexsort((tied, -scores))
    left = depth - int(better.sum())
    kept = tied[best[: left + _MAX_TIES]][scores[best[: left + _MAX_TIES]] >= scores[best[left - 1]]]
    return np.concatenate([close[matching[better]], kept])


def _fill(view: View, candidates: Rows, vector: Vector | None, rows: Rows | None, least: int) -> Rows:
    """Add candidates while they are passages of fewer than `least` documents and others are left."""
    left = view.alive if rows is None else rows
    depth = least
    while len(np.unique(view.get_document_rows(candidates))) < least and len(candidates) < len(left):
        depth *= 4
        if vector is not None:
            candidates = union_rows(candidates, view.search_vectors(vector, depth, rows).rows)
        elif rows is not None:
            candidates = union_rows(candidates, rows[:depth])
        else:
            return candidates
    return candidates


def _iterate_close_rows(view: View, windows: tuple[Window, ...], rows: Rows | None) -> Iterator[Rows]:
    """For each window the passages whose own times, or whose document's date, lie in it or not much beyond it."""
    for window in windows:
        stated = view.content.rows[_find_close_spans(view.content.spans, window.span)]
        dated = view.get_passage_rows(view.published.rows[_find_close_spans(view.published.spans, window.span)])
        close = union_rows(stated, dated)
        if rows is not None:
            close = intersect_rows(close, rows)
        # Where most of many passages are from that time, the best of all are the best of those.
        if 0 < len(close) <= max(_MIN_PASSAGES, _MAX_SHARE * (view.passage_count if rows is None else len(rows))):
            yield close


def _find_close_spans(spans: SpanSet, window: Span) -> Rows:
    """The spans that overlap a window, without those that are so long that they say little about it."""
    overlapping = spans.overlapping(window).astype(np.int64)
    lengths = spans.ends[overlapping] - spans.starts[overlapping]
    return overlapping[lengths <= _LONGER * window.seconds]


def apply_dims(
    view: View, encoder: Encoder | None, request: Request
) -> tuple[View, Encoder | None, tuple[Applied, ...]]:
    """The view and the encoder for the `dims` of a request, and what the response reports of it."""
    if request.dims is None:
        return view, encoder, ()
    dims, shortlist, full = request.dims, request.shortlist, view.dim
    nested = view.with_dims(dims, shortlist)
    if encoder is None or dims == full:
        return nested, encoder, ()
    sentence = f"compares vectors by their first {dims} of {full} dimensions"
    if shortlist is not None:
        sentence = f"finds {shortlist:,} passages by the first {dims} of {full} dimensions, reranks them by all"
    if dims not in nested_dims(encoder):
        sentence += " (the encoder was not trained to be truncated there)"
    return nested, encoder if shortlist is not None else cut_encoder(encoder, dims), (Applied("dims", sentence),)
