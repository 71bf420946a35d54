"""Rerank: a cross-encoder reads the question with each of the best passages, and its scores move their documents.

The score of the engine and that of the cross-encoder are standardised among the documents that are reranked, added with
the weight of the cross-encoder's card, and mapped to the range of scores that these documents had. So all that is not
reranked stays behind them, and the parts of a score still sum to it.

The cross-encoder reads the times of a passage in words, too: a model of words compares "from 1916 to 1920" with "during
the First World War" badly. Each time that the reader has resolved is followed by a word for its relation to the query
window: "In 1917 (then) he moved to Paris, and two years later (1919, later) to Rome".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from epochal.ranking.pool import Floats, Pool, Scored
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


# ---------------------------------------------------------------- what the cross-encoder reads

#: From the best relation to the worst; a time is marked with the best of its relations to several windows.
_ORDER: Final = ("start and end", "start", "end", "then", "throughout", "partly", "earlier", "later")

Range = tuple[int, int]


class PassageTime(NamedTuple):
    """A time of a passage: where its expression is, when it is in seconds, and in words where the text does not say."""

    start_char: int
    end_char: int
    start: int
    end: int
    words: str = ""


def compare_times(time: Range, windows: Sequence[Range]) -> str:
    """The relation of a time to the query windows in a word or two; empty without query windows."""
    return min((_compare(time, window) for window in windows), key=_ORDER.index, default="")


def _compare(time: Range, window: Range) -> str:
    (start, end), (first, last) = time, window
    if end <= first:
        return "earlier"
    if start >= last:
        return "later"
    if first <= start and end <= last:
        # A state that lasted from 1916 to 1920 is stated by its two ends; "1917" is merely within.
        ends = [name for name, at in (("start", start == first), ("end", end == last)) if at]
        return " and ".join(ends) or "then"
    return "throughout" if start <= first and last <= end else "partly"


def write_question(question: str, words: Sequence[str]) -> str:
    """The question, with the times that it asks for where its own words do not say them."""
    missing = [item for item in words if item and item not in question]
    return f"{question} ({'; '.join(missing)})" if missing else question


def write_passage(
    title: str, text: str, times: Sequence[PassageTime], windows: Sequence[Range], published: PassageTime | None = None
) -> str:
    """The title and the text, its times marked; before them the day of publication, where it is known."""
    parts: list[str] = []
    place = 0
    for time in sorted(times, key=lambda item: item.end_char):
        if not place <= time.end_char <= len(text):
            continue
        notes = [note for note in (time.words, compare_times((time.start, time.end), windows)) if note]
        if notes:
            parts += [text[place : time.end_char], f" ({', '.join(notes)})"]
            place = time.end_char
    marked = "".join(parts) + text[place:]
    headed = f"{title}. {marked}" if title and not text.startswith(title) else marked
    if published is None:
        return headed
    relation = compare_times((published.start, published.end), windows)
    return f"{published.words}{f' ({relation})' if relation else ''}: {headed}"
