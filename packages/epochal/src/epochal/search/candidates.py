"""Candidates: what words, vectors and spans each bring, put together in one pool with the scores of all of it.

What a search that asks for `dims` compares: a view and an encoder of shorter vectors, or a funnel.
"""

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

__all__ = ["apply_dims", "collect_candidates"]


#: How many times as long as the time asked for a time may be for its passage to be a candidate on that ground alone.
_LONGER: Final = 20
#: The share of all passages up to which those from the time that is asked for are searched by themselves.
_MOST_OF: Final = 0.5
_MANY: Final = 1_000
#: So many passages, and words of a question, are compared one by one: that costs less than searching among them.
_COMPARED: Final = 4_000
_MOST_TOKENS: Final = 64
#: Of passages that score like the last candidate, so many more may join it: which was stored first says nothing.
_TIED: Final = 32
#: Sums of weights are compared to so many digits: their last bits depend on the order of adding up.
_DIGITS: Final = 9
#: Where fewer passages from the time asked for share a word with the question, others from that time join them.
_FEW: Final = 30

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

    There are `depth` documents in it where there are as many at all, unless only words can tell which. What a
    `proposer` names for the times asked for joins them.
    """
    topic = (understanding.topic or question) if windows else question
    vector = None if encoder is None else encoder.encode_queries([topic])[0]
    found = [_with_ties(view.words(question, depth + _TIED, rows), depth)]
    if vector is not None:
        found.append(_with_ties(view.vectors(vector, depth + _TIED, rows), depth))
    for close in _close_rows(view, windows, rows):
        if vector is not None and len(close) <= depth:
            found.append(close)  # by their vectors all of them are among the best
            continue
        named = _named(view, topic, depth, close)
        # What was said then may share no word with the question: "What happened in May 1843?"
        found += [named, subtract_rows(close, named)[: max(0, _FEW - len(named))]]
        if vector is not None:
            found.append(_with_ties(view.vectors(vector, depth + _TIED, close), depth))
    if proposer is not None and windows:
        proposed = proposer.propose(view, windows, rows, depth)
        found.append(proposed if rows is None else intersect_rows(proposed, rows))
    gathered = _filled(view, union_rows(*found), vector, rows, depth)
    return Pool(
        question=question,
        understanding=understanding,
        now=now,
        view=view,
        windows=windows,
        rows=gathered,
        document_rows=view.document_of(gathered),
        lexical=view.word_scores(question, gathered),
        semantic=np.zeros(len(gathered)) if vector is None else view.similarities(vector, gathered),
        vector=vector,
    )


def _with_ties(found: Ranked, depth: int) -> Rows:
    """The best so many, and those that score like the last of them."""
    if len(found) <= depth:
        return found.rows
    return np.asarray(found.rows[found.scores >= found.scores[depth - 1]])


def _named(view: View, topic: str, depth: int, close: Rows) -> Rows:
    """The passages, at most `depth` of them, that share most with the topic by the weight of its words.

    Among few passages that is close enough to BM25, by which they are scored once they are gathered.
    """
    tokens = tuple(dict.fromkeys(view.analyse(topic)))
    if len(close) > _COMPARED or len(tokens) > _MOST_TOKENS:
        return _with_ties(view.words(topic, depth + _TIED, close), depth)
    present = view.contexts(close, np.full(len(close), -1, dtype=np.int64), tokens)
    counts = present.sum(axis=1)
    (named,) = np.nonzero(counts)
    if len(named) <= depth:
        return close[named]
    weights = weigh_tokens(view, tokens)
    shares = (present[named] @ np.array([weights[token] for token in tokens])).round(_DIGITS)
    order = np.lexsort((-counts[named], -shares))
    last = order[depth - 1]
    alike = (shares == shares[last]) & (counts[named] == counts[named][last])
    surely = (shares > shares[last]) | ((shares == shares[last]) & (counts[named] > counts[named][last]))
    # Many share the same few words; of these, BM25 says which come nearest, and the order of storing does not.
    tied = close[named[alike]]
    scores = view.word_scores(topic, tied)
    nearest = np.lexsort((tied, -scores))
    left = depth - int(surely.sum())
    kept = tied[nearest[: left + _TIED]][scores[nearest[: left + _TIED]] >= scores[nearest[left - 1]]]
    return np.concatenate([close[named[surely]], kept])


def _filled(view: View, gathered: Rows, vector: Vector | None, rows: Rows | None, least: int) -> Rows:
    """The candidates, and more of them while they are passages of fewer than `least` documents and others are left."""
    left = view.alive if rows is None else rows
    reach = least
    while len(np.unique(view.document_of(gathered))) < least and len(gathered) < len(left):
        reach *= 4
        if vector is not None:
            gathered = union_rows(gathered, view.vectors(vector, reach, rows).rows)
        elif rows is not None:
            gathered = union_rows(gathered, rows[:reach])
        else:
            return gathered
    return gathered


def _close_rows(view: View, windows: tuple[Window, ...], rows: Rows | None) -> Iterator[Rows]:
    """For each window the passages whose own times, or whose document's date, lie in it or not much beyond it."""
    for window in windows:
        spoken = view.content.rows[_close(view.content.spans, window.span)]
        dated = view.rows_of(view.published.rows[_close(view.published.spans, window.span)])
        close = union_rows(spoken, dated)
        if rows is not None:
            close = intersect_rows(close, rows)
        # Where most of many passages are from that time, the best of all are the best of those.
        if 0 < len(close) <= max(_MANY, _MOST_OF * (view.passage_count if rows is None else len(rows))):
            yield close


def _close(spans: SpanSet, window: Span) -> Rows:
    """The spans that share time with a window, without those that are so long that they say little of it."""
    found = spans.overlapping(window).astype(np.int64)
    lengths = spans.ends[found] - spans.starts[found]
    return found[lengths <= _LONGER * window.seconds]


def apply_dims(
    view: View, encoder: Encoder | None, request: Request
) -> tuple[View, Encoder | None, tuple[Applied, ...]]:
    """The view and the encoder that a request is answered with, and what the response says of it."""
    if request.dims is None:
        return view, encoder, ()
    dims, shortlist, whole = request.dims, request.shortlist, view.dim
    found = view.nested(dims, shortlist)
    if encoder is None or dims == whole:
        return found, encoder, ()
    sentence = f"compares vectors by their first {dims} of {whole} numbers"
    if shortlist is not None:
        sentence = f"finds {shortlist:,} passages by the first {dims} of {whole} numbers of vectors, ranks them by all"
    if dims not in nested_dims(encoder):
        sentence += " (the encoder was not trained to be cut there)"
    return found, encoder if shortlist is not None else cut_encoder(encoder, dims), (Applied("dims", sentence),)
