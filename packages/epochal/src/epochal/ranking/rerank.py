"""Rerank: a cross-encoder reads the question with each of the best passages, and its scores move their documents.

The score of the engine and that of the cross-encoder are standardised among the documents that are reranked, added with
the weight of the cross-encoder's card, and mapped to the range of scores that these documents had. So all that is not
reranked stays behind them, and the parts of a score still sum to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from epochal.ranking.pool import Floats, Pool, Scored
from epochal.ranking.time_marks import PassageTime, write_passage, write_question
from epochal.storage.records import Document
from epochal.times.span import Span

#: So many documents are reranked.
RERANKED: Final = 20
_YEAR: Final = re.compile(r"\d{3,}")
#: Scores that differ by less are equal.
_TINY: Final = 1e-6


class PairScorer(Protocol):
    """What reads a question and passages together; `weight` is that of its scores beside the engine's."""

    weight: float

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """The score of each passage; higher is better."""
        ...


def rerank_candidates(pool: Pool, scored: Scored, model: PairScorer, count: int = RERANKED) -> Scored:
    """The scores with a part "rerank" that moves the best `count` documents among themselves."""
    order = np.lexsort((pool.rows, -scored.scores))
    best = np.sort(np.unique(pool.document_rows[order], return_index=True)[1])
    positions = order[best][:count]
    if len(positions) < 2:
        return scored
    words = [window.span.describe() for window in pool.windows]
    pairs = model.score(write_question(pool.question, words), _write_passages(pool, positions))
    old = scored.scores[positions]
    new = fuse_scores(old, pairs, model.weight)
    # All passages of a document move alike: else one that was not read would take the place of the one that was.
    moves = dict(zip(pool.document_rows[positions].tolist(), (new - old).tolist(), strict=True))
    part = np.array([moves.get(document, 0.0) for document in pool.document_rows.tolist()])
    return replace(scored, scores=scored.scores + part, parts={**scored.parts, "rerank": part})


def fuse_scores(old: Floats, pairs: Floats, weight: float) -> Floats:
    """Both scores, standardised and added, in the range of the old ones."""
    sums = _standardise(old) + weight * _standardise(pairs)
    spread = float(sums.max() - sums.min())
    if spread < _TINY:
        return old
    low, high = float(old.min()), float(old.max())
    fused: Floats = low + max(high - low, _TINY) * (sums - sums.min()) / spread
    return fused


def _standardise(values: Floats) -> Floats:
    centred = values - values.mean()
    return np.asarray(centred / (values.std() + _TINY))


def _write_passages(pool: Pool, positions: npt.NDArray[np.int64]) -> list[str]:
    view, windows = pool.view, [(window.span.start, window.span.end) for window in pool.windows]
    texts, documents = view.get_texts(pool.rows[positions]), view.get_documents(pool.document_rows[positions])
    return [
        write_passage(text.title, text.text, read_times(pool, row, text.text), windows, find_date(document))
        for row, text, document in zip(pool.rows[positions].tolist(), texts, documents, strict=True)
    ]


def read_times(pool: Pool, row: int, text: str) -> list[PassageTime]:
    """The times of a passage that its text states; those of the title are read with it."""
    content = pool.view.content
    first, last = np.searchsorted(content.rows, [row, row + 1])
    times = []
    for place in range(int(first), int(last)):
        start, end = int(content.start_chars[place]), int(content.end_chars[place])
        if start >= 0:
            span = content.spans[place]
            times.append(PassageTime(start, end, span.start, span.end, name_year(span, text[start:end])))
    return times


def name_year(span: Span, text: str) -> str:
    """The span in words where the text does not state its year: "two years later"."""
    years = set(_YEAR.findall(span.edtf()))
    return "" if years & set(_YEAR.findall(text)) else span.describe()


def describe_time(span: Span) -> tuple[int, int, str]:
    """A span as its first and last second, and in words."""
    return span.start, span.end, span.describe()


def find_date(document: Document) -> PassageTime | None:
    """When a document was published, or for what time it is valid."""
    span = document.published or document.valid
    return None if span is None else PassageTime(-1, -1, *describe_time(span))
