"""Texts that somebody else has found, put in order by what a question asks of time, in an index that passes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epochal.engine.index import Index
from epochal.errors import EpochalError
from epochal.index.backend import Rows, View
from epochal.index.inputs.dates import DateReader
from epochal.index.inputs.fields import Fields, document_of
from epochal.index.inputs.rows import Row
from epochal.index.records import Document
from epochal.integrations.asking import ask, check_search_kwargs
from epochal.ranking.pool import Pool, Scored, Scorer
from epochal.ranking.registry import scorer as named_scorer
from epochal.ranking.windows import Window

__all__ = ["Candidate", "rerank"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that was found, with the score and the metadata that it came with.

    >>> Candidate("Rates rose.", 0.9, {"date": "1998-05-20"}).score
    0.9
    """

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

    >>> rerank("rates in 2003", [Candidate("Rates rose in 1998.", 0.9), Candidate("Rates fell in 2003.", 0.8)])[0][0]
    1
    >>> rerank("rates", [Candidate("Rates rose in 1998.", 0.9), Candidate("Rates fell in 2003.", 0.8)])
    [(0, 0.9), (1, 0.8)]
    """
    documents = _documents(candidates, date_key)
    settings = {"k": max(1, len(candidates)), "collapse_versions": False, **check_search_kwargs(options)}
    chosen = settings.get("scorer")
    under = named_scorer(chosen) if isinstance(chosen, str) or chosen is None else chosen
    given = _Given(_topical([candidate.score for candidate in candidates]), under)
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        Index.create(folder, encoder=None) as index,
    ):
        index.add(documents)
        response = ask(index, question, settings, {"scorer": given})
    if not response.applied:
        return [(place, candidate.score) for place, candidate in enumerate(candidates)]
    found: list[tuple[int, float | None]] = [(int(hit.id), hit.score) for hit in response]
    if any(step.strict for step in response.applied):
        return found
    # A text that shares neither words nor a time with the question is no candidate, and nothing has left it out.
    listed = {place for place, _ in found}
    return found + [(place, 0.0) for place in range(len(candidates)) if place not in listed]


def _documents(candidates: Sequence[Candidate], date_key: str | None) -> list[Document]:
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


def _topical(scores: Sequence[float | None]) -> tuple[float, ...]:
    """Scores from 0 that say how well each text fits the topic: those given, or the order where one gives none."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores) or not all(np.isfinite(known)):
        return tuple((len(scores) - place) / len(scores) for place in range(len(scores)))
    least = min(0.0, *known) if known else 0.0
    return tuple(score - least for score in known)


@dataclass(frozen=True, slots=True)
class _Given:
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
