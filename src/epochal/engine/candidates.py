"""Candidates: what words, vectors and spans each bring, put together in one pool with the scores of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.index.backend import Rows, View
from epochal.index.rowsets import joined, shared, without
from epochal.ranking.pool import Pool, Proposer
from epochal.ranking.terms import token_weights
from epochal.ranking.windows import Window
from epochal.reading.questions.question import Understanding
from epochal.times import Span, SpanSet

__all__ = ["gather"]

#: How many times as long as the time asked for a time may be for its passage to be a candidate on that ground alone.
_LONGER: Final = 20
#: The share of all passages up to which those from the time that is asked for are searched by themselves.
_MOST_OF: Final = 0.5
_MANY: Final = 1_000
#: So many passages, and words of a question, are compared one by one: that costs less than searching among them.
_COMPARED: Final = 4_000
_MOST_TOKENS: Final = 64
#: Where fewer passages from the time asked for share a word with the question, others from that time join them.
_FEW: Final = 30

Vector = npt.NDArray[np.float32]


def gather(
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

    >>> from epochal.index.store import Store
    >>> from epochal.reading.questions import understand
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     len(gather(store.view(), None, "tariffs", understand("tariffs"), None, (), None, 10))
    0
    """
    topic = (understanding.topic or question) if windows else question
    vector = None if encoder is None else encoder.encode_queries([topic])[0]
    found = [view.words(question, depth, rows).rows]
    if vector is not None:
        found.append(view.vectors(vector, depth, rows).rows)
    for close in _close_rows(view, windows, rows):
        if vector is not None and len(close) <= depth:
            found.append(close)  # by their vectors all of them are among the best
            continue
        named = _named(view, topic, depth, close)
        # What was said then may share no word with the question: "What happened in May 1843?"
        found += [named, without(close, named)[: max(0, _FEW - len(named))]]
        if vector is not None:
            found.append(view.vectors(vector, depth, close).rows)
    if proposer is not None and windows:
        proposed = proposer.propose(view, windows, rows, depth)
        found.append(proposed if rows is None else shared(proposed, rows))
    gathered = _filled(view, joined(*found), vector, rows, depth)
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


def _named(view: View, topic: str, depth: int, close: Rows) -> Rows:
    """The passages, at most `depth` of them, that share most with the topic by the weight of its words.

    Among few passages that is close enough to BM25, by which they are scored once they are gathered.
    """
    tokens = tuple(dict.fromkeys(view.analyse(topic)))
    if len(close) > _COMPARED or len(tokens) > _MOST_TOKENS:
        return view.words(topic, depth, close).rows
    present = view.contexts(close, np.full(len(close), -1, dtype=np.int64), tokens)
    counts = present.sum(axis=1)
    (named,) = np.nonzero(counts)
    if len(named) <= depth:
        return close[named]
    weights = token_weights(view, tokens)
    shares = present[named] @ np.array([weights[token] for token in tokens])
    return close[named[np.lexsort((named, -counts[named], -shares))[:depth]]]


def _filled(view: View, gathered: Rows, vector: Vector | None, rows: Rows | None, least: int) -> Rows:
    """The candidates, and more of them while they are passages of fewer than `least` documents and others are left."""
    left = view.alive if rows is None else rows
    reach = least
    while len(np.unique(view.document_of(gathered))) < least and len(gathered) < len(left):
        reach *= 4
        if vector is not None:
            gathered = joined(gathered, view.vectors(vector, reach, rows).rows)
        elif rows is not None:
            gathered = joined(gathered, rows[:reach])
        else:
            return gathered
    return gathered


def _close_rows(view: View, windows: tuple[Window, ...], rows: Rows | None) -> Iterator[Rows]:
    """For each window the passages whose own times, or whose document's date, lie in it or not much beyond it."""
    for window in windows:
        spoken = view.content.rows[_close(view.content.spans, window.span)]
        dated = view.rows_of(view.published.rows[_close(view.published.spans, window.span)])
        close = joined(spoken, dated)
        if rows is not None:
            close = shared(close, rows)
        # Where most of many passages are from that time, the best of all are the best of those.
        if 0 < len(close) <= max(_MANY, _MOST_OF * (view.passage_count if rows is None else len(rows))):
            yield close


def _close(spans: SpanSet, window: Span) -> Rows:
    """The spans that share time with a window, without those that are so long that they say little of it."""
    found = spans.overlapping(window).astype(np.int64)
    lengths = spans.ends[found] - spans.starts[found]
    return found[lengths <= _LONGER * window.seconds]
