"""What the integrations share: an index from a folder, a question with its options, a hit as plain values.

Texts that somebody else has found, put in order by what a question asks of time, in an index that passes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.pool import Pool, Scored, Scorer, Window
from epochal.ranking.registry import scorer as named_scorer
from epochal.search.request import SearchOptions, rename_aliases
from epochal.search.response import Hit, Response
from epochal.storage.importers.fields import DateReader, Fields, document_of
from epochal.storage.importers.rows import Row
from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document
from epochal.times.span import Clock, Span, SystemClock

__all__ = [
    "CLOCK",
    "Candidate",
    "check_search_kwargs",
    "get_content",
    "make_hit_record",
    "open_index",
    "rerank",
    "search_index",
]


#: The value of `now` that stands for the machine's clock at the moment of each question.
CLOCK: Final = "clock"
#: Words such as "last year" can be checked with any present.
_ANY_PRESENT: Final = Span.year(2000)


def open_index(index: Index | str | os.PathLike[str]) -> Index:
    """An index that is open, or the one of a folder, opened to be read."""
    if isinstance(index, Index):
        return index
    if isinstance(index, str | os.PathLike):
        return Index.open(index)
    raise EpochalError(f"index must be an Index or the folder of one, but is {index!r}")


def check_search_kwargs(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options of a search that a retriever was made with, refused where they are given and not at the first
    query.
    """
    options = rename_aliases(given or {})
    present = {"now": None} if options.get("now") == CLOCK else {}
    SearchOptions.parse({**options, **present}, _ANY_PRESENT)
    return options


def search_index(index: Index, question: str, *given: Mapping[str, Any] | None, clock: Clock | None = None) -> Response:
    """The response of a search; of several sets of options a later one goes before an earlier.

    They are those of `Index.search`. `now="clock"` is the machine's clock; without `now`, no clock is read.
    """
    merged: dict[str, Any] = {}
    for group in given:
        merged.update(rename_aliases(group or {}))
    if merged.get("now") == CLOCK:
        merged["now"] = (clock or SystemClock()).now()
    return index.search(question, **merged)


def make_hit_record(hit: Hit, response: Response) -> dict[str, Any]:
    """A hit as plain values that JSON can hold, on top of the document's own metadata.

    Times are EDTF. `time` is the one that speaks loudest for the hit; `outcome` is that of the whole search.
    """
    document = hit.document
    return {
        **document.meta,
        "id": document.id,
        "title": document.title,
        "score": hit.score,
        "parts": dict(hit.parts),
        "published": _edtf(document.published),
        "valid": _edtf(document.valid),
        "series": document.series,
        "time": hit.evidence[0].span.edtf() if hit.evidence else None,
        "evidence": [item.to_dict() for item in hit.evidence],
        "passage_start": hit.passage_start,
        "period": _edtf(hit.period),
        "superseded_by": hit.superseded_by,
        "folded": list(hit.folded),
        "outcome": response.outcome,
    }


def get_content(hit: Hit, *, full_text: bool) -> str:
    """What a framework is given to read: the best passage, or the whole text; the title where there is no text."""
    return (hit.document.text if full_text else hit.passage) or hit.document.title


def _edtf(span: Span | None) -> str | None:
    return None if span is None else span.edtf()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that was found, with the score and the metadata that it came with."""

    text: str
    score: float | None = None
    metadata: Mapping[str, Any] | None = None


def rerank(
    question: str,
    candidates: Sequence[Candidate],
    options: Mapping[str, Any] | None = None,
    *,
    date_key: str | None = None,
) -> list[tuple[int, float | None]]:
    """The places of the candidates, best first, with their scores; those that a filter leaves out are not among them.

    `options` are those of `Index.search`. Where neither they nor the question ask anything of time, places and scores
    stay as they are. Dates of publication are looked for under `date_key`, or under the names that inputs may have.
    """
    documents = _make_documents(candidates, date_key)
    settings = {"k": max(1, len(candidates)), "collapse_versions": False, **check_search_kwargs(options)}
    chosen = settings.get("scorer")
    under = named_scorer(chosen) if isinstance(chosen, str) or chosen is None else chosen
    given = _GivenScores(_shift_scores([candidate.score for candidate in candidates]), under)
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        Index.create(folder, encoder=None) as index,
    ):
        index.add(documents)
        response = search_index(index, question, settings, {"scorer": given})
    if not response.applied:
        return [(place, candidate.score) for place, candidate in enumerate(candidates)]
    found: list[tuple[int, float | None]] = [(int(hit.id), hit.score) for hit in response]
    if any(step.strict for step in response.applied):
        return found
    # A text that shares neither words nor a time with the question is no candidate, and nothing has left it out.
    listed = {place for place, _ in found}
    return found + [(place, 0.0) for place in range(len(candidates)) if place not in listed]


def _make_documents(candidates: Sequence[Candidate], date_key: str | None) -> list[Document]:
    fields = Fields.named(None if date_key is None else {"published": date_key})
    names = {*fields.title, *fields.published, *fields.valid, *fields.valid_from, *fields.valid_to, *fields.series}
    dates = DateReader()
    found = []
    for place, candidate in enumerate(candidates):
        values = {key: value for key, value in (candidate.metadata or {}).items() if key in names}
        if not candidate.text.strip() and not values.get("title"):
            continue
        values |= {"id": str(place), "text": candidate.text}
        try:
            found.append(document_of(Row("", place + 1, values), fields, dates))
        except EpochalError as error:
            raise EpochalError(
                f"the metadata of text {place + 1} of {len(candidates)}: {error}; or name another key with date_key"
            ) from error
    return found


def _shift_scores(scores: Sequence[float | None]) -> tuple[float, ...]:
    """Scores from 0 that say how well each text fits the topic: those given, or the order where one gives none."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores) or not all(np.isfinite(known)):
        return tuple((len(scores) - place) / len(scores) for place in range(len(scores)))
    least = min(0.0, *known) if known else 0.0
    return tuple(score - least for score in known)


@dataclass(frozen=True, slots=True)
class _GivenScores:
    """Another scorer, for which the scores that texts came with stand for their meaning."""

    scores: tuple[float, ...]
    under: Scorer
    name: str = "given"

    def score(self, pool: Pool) -> Scored:
        places = pool.view.document_rows([str(place) for place in range(len(self.scores))])
        by_row = dict(zip(places.tolist(), self.scores, strict=True))
        meaning = np.array([by_row[row] for row in pool.document_rows.tolist()], dtype=np.float64)
        return self.under.score(replace(pool, semantic=meaning))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        return view.alive if rows is None else rows
