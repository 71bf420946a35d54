"""What the integrations share: search options and hits as plain values, and reranking of another system's texts."""

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
from epochal.ranking.registry import load_scorer as named_scorer
from epochal.search.request import SearchOptions, rename_aliases
from epochal.search.response import Hit, Response
from epochal.storage.importers.fields import DateReader, Fields, build_document
from epochal.storage.importers.rows import Row
from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document
from epochal.times.span import Clock, Span, SystemClock

#: The value of `now` that means the machine's clock at each question.
CLOCK: Final = "clock"
#: Any reference time will do to check words such as "last year".
_ANY_PRESENT: Final = Span.year(2000)


def open_index(index: Index | str | os.PathLike[str]) -> Index:
    """Return an open index as it is, or open the one of a folder."""
    if isinstance(index, Index):
        return index
    if isinstance(index, str | os.PathLike):
        return Index.open(index)
    raise EpochalError(f"index must be an Index or the folder of one, but is {index!r}")


def check_search_kwargs(search_kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Check the search options of a retriever when it is made, not at the first query."""
    options = rename_aliases(search_kwargs or {})
    present = {"now": None} if options.get("now") == CLOCK else {}
    SearchOptions.parse({**options, **present}, _ANY_PRESENT)
    return options


def search_index(index: Index, question: str, *given: Mapping[str, Any] | None, clock: Clock | None = None) -> Response:
    """Search with several sets of options of `Index.search`; later ones override earlier ones.

    `now="clock"` is the machine's clock; without `now` it is today, by the clock of the index, and None is no present.
    """
    merged: dict[str, Any] = {}
    for group in given:
        merged.update(rename_aliases(group or {}))
    if merged.get("now") == CLOCK:
        merged["now"] = (clock or SystemClock()).now()
    return index.search(question, **merged)


def make_hit_record(hit: Hit, response: Response) -> dict[str, Any]:
    """Make a record of plain JSON values from a hit, merged with the document's metadata.

    Times are EDTF. `time` is the one that supports the hit best; `outcome` is that of the whole search.
    """
    document = hit.document
    return {
        **document.meta,
        "id": document.id,
        "title": document.title,
        "score": hit.score,
        "parts": dict(hit.parts),
        "published": _format_edtf(document.published),
        "valid": _format_edtf(document.valid),
        "series": document.series,
        "time": hit.times[0].span.edtf() if hit.times else None,
        "times": [item.to_dict() for item in hit.times],
        "evidence": [item.to_dict() for item in hit.evidence],
        "passage_start": hit.passage_start,
        "period": _format_edtf(hit.period),
        "superseded_by": hit.superseded_by,
        "folded": list(hit.folded),
        "outcome": response.outcome,
    }


def get_content(hit: Hit, *, full_text: bool) -> str:
    """Get the content of a hit: the best passage or the whole text; the title if there is no text."""
    return (hit.document.text if full_text else hit.passage) or hit.document.title


def _format_edtf(span: Span | None) -> str | None:
    return None if span is None else span.edtf()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text of another retriever, with its score and metadata."""

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
    """Rank candidates by what a question asks about time: their positions, best first, with scores.

    `options` are those of `Index.search`; filters leave candidates out. If neither they nor the question ask about
    time, order and scores stay. Publication dates are read from `date_key`, or from the names that importers accept.
    """
    documents = _make_documents(candidates, date_key)
    settings = {"k": max(1, len(candidates)), "collapse_versions": False, **check_search_kwargs(options)}
    scorer = settings.get("scorer")
    under = named_scorer(scorer) if isinstance(scorer, str) or scorer is None else scorer
    fixed_scores = _GivenScores(_shift_scores([candidate.score for candidate in candidates]), under)
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        Index.create(folder, encoder=None) as index,
    ):
        index.add(documents)
        response = search_index(index, question, settings, {"scorer": fixed_scores})
    if not response.applied:
        return [(position, candidate.score) for position, candidate in enumerate(candidates)]
    ranked: list[tuple[int, float | None]] = [(int(hit.id), hit.score) for hit in response]
    if any(step.strict for step in response.applied):
        return ranked
    # Texts that share neither words nor a time with the question are no hits; no filter excluded them.
    listed = {position for position, _ in ranked}
    return ranked + [(position, 0.0) for position in range(len(candidates)) if position not in listed]


def _make_documents(candidates: Sequence[Candidate], date_key: str | None) -> list[Document]:
    fields = Fields.named(None if date_key is None else {"published": date_key})
    names = {*fields.title, *fields.published, *fields.valid, *fields.valid_from, *fields.valid_to, *fields.series}
    dates = DateReader()
    documents = []
    for position, candidate in enumerate(candidates):
        values = {key: value for key, value in (candidate.metadata or {}).items() if key in names}
        if not candidate.text.strip() and not values.get("title"):
            continue
        values |= {"id": str(position), "text": candidate.text}
        try:
            documents.append(build_document(Row("", position + 1, values), fields, dates))
        except EpochalError as error:
            raise EpochalError(
                f"the metadata of text {position + 1} of {len(candidates)}: {error}; or name another key with date_key"
            ) from error
    return documents


def _shift_scores(scores: Sequence[float | None]) -> tuple[float, ...]:
    """Shift the given scores to start at 0; without all of them, make scores from the order."""
    present = [score for score in scores if score is not None]
    if len(present) < len(scores) or not all(np.isfinite(present)):
        return tuple((len(scores) - position) / len(scores) for position in range(len(scores)))
    minimum = min(0.0, *present) if present else 0.0
    return tuple(score - minimum for score in present)


@dataclass(frozen=True, slots=True)
class _GivenScores:
    """Another scorer, which uses the given scores as semantic similarity."""

    scores: tuple[float, ...]
    under: Scorer
    name: str = "given"

    def score(self, pool: Pool) -> Scored:
        positions = pool.view.find_document_rows([str(position) for position in range(len(self.scores))])
        by_row = dict(zip(positions.tolist(), self.scores, strict=True))
        meaning = np.array([by_row[row] for row in pool.document_rows.tolist()], dtype=np.float64)
        return self.under.score(replace(pool, semantic=meaning))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        return view.alive if rows is None else rows
