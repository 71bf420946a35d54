"""Pools: the candidates of many queries with their features and answers, collected by the engine and kept in a file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.errors import EpochalError, InputError
from epochal.ranking.pool import Floats, Pool, get_windows
from epochal.ranking.scorer import WeightedScorer
from epochal.reading.questions.understand import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.importers.beir import QueryRow
from epochal.storage.protocol import Rows, View
from epochal_lab.models.re3.features import TimeDifferences, TimeGaps, TimeWords, compute_time_gaps, describe_times
from epochal_lab.systems.scorer_inputs import encode_or_zero

_DEPTH: Final = 100
_PER_CANDIDATE: Final = ("semantic", "lexical", "rel", "overlap", "rec", "gate", "answers", "forced")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidates of one query. `forced` are answers that the search missed, added to learn from."""

    question: npt.NDArray[np.float32]
    vectors: npt.NDArray[np.float32]
    semantic: Floats
    lexical: Floats
    gaps: TimeGaps
    gate: Floats
    answers: npt.NDArray[np.bool_]
    forced: npt.NDArray[np.bool_]
    differences: TimeDifferences | None = None

    def __len__(self) -> int:
        return len(self.semantic)

    def at(self, places: Rows) -> Candidates:
        """Return some of the candidates."""
        gaps, words = self.gaps, self.differences
        return Candidates(
            self.question,
            self.vectors[places],
            self.semantic[places],
            self.lexical[places],
            gaps.at(places),
            self.gate[places],
            self.answers[places],
            self.forced[places],
            None if words is None else TimeDifferences(words.rel[places], words.rec[places]),
        )

    @property
    def retrieved(self) -> Candidates:
        """The candidates that the search returned, without forced ones."""
        return self.at(np.flatnonzero(~self.forced)) if self.forced.any() else self


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """The candidates of many queries; those of query i are from `offsets[i]` to `offsets[i + 1]`.

    `vectors` has each passage once, and `places` the row of each candidate in it; `asked` says whether a query has a
    time. `gate` is the score of the default scorer. For the encoding "difference", `time_vectors` has each time in
    words once, `rel_times` and `rec_times` the rows of the candidates in it (-1 for none), and `asked_times` and
    `reference_times` the vectors of the queries; otherwise all of them are empty.
    """

    encoder: str
    ids: npt.NDArray[np.str_]
    offsets: Rows
    questions: npt.NDArray[np.float32]
    asked: npt.NDArray[np.bool_]
    vectors: npt.NDArray[np.float32]
    places: npt.NDArray[np.int32]
    semantic: Floats
    lexical: Floats
    rel: Floats
    overlap: Floats
    rec: Floats
    gate: Floats
    answers: npt.NDArray[np.bool_]
    forced: npt.NDArray[np.bool_]
    time_vectors: npt.NDArray[np.float32]
    rel_times: npt.NDArray[np.int32]
    rec_times: npt.NDArray[np.int32]
    asked_times: npt.NDArray[np.float32]
    reference_times: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> Candidates:
        low, high = int(self.offsets[index]), int(self.offsets[index + 1])
        part = slice(low, high)
        differences = None
        if len(self.rel_times):
            differences = TimeDifferences(
                self._subtract_query_time(self.rel_times[part], self.asked_times[index]),
                self._subtract_query_time(self.rec_times[part], self.reference_times[index]),
            )
        return Candidates(
            self.questions[index],
            self.vectors[self.places[part]],
            self.semantic[part],
            self.lexical[part],
            TimeGaps(self.rel[part], self.overlap[part], self.rec[part], bool(self.asked[index])),
            self.gate[part],
            self.answers[part],
            self.forced[part],
            differences,
        )

    def _subtract_query_time(
        self, rows: npt.NDArray[np.int32], query_vector: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """Return the vectors of times minus that of the query's; zeros where either is unknown."""
        known = rows >= 0 if query_vector.any() else np.zeros(len(rows), dtype=np.bool_)
        differences = np.zeros((len(rows), len(query_vector)), np.float32)
        differences[known] = self.time_vectors[rows[known]] - query_vector
        return differences

    @property
    def dim(self) -> int:
        """The number of dimensions of a vector."""
        return int(self.questions.shape[1])


def collect_pools(
    index: Index,
    queries: Iterable[QueryRow],
    answers: Mapping[str, Mapping[str, int]],
    *,
    words: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Pools:
    """Collect the pools of queries as a search does; with `words`, also what the encoding "difference" needs."""
    encoder, view, gate = index.encoder, index.view(), WeightedScorer()
    if encoder is None:
        raise EpochalError(
            "Re3 compares vectors, but the index was made without an encoder; accepted: one with vectors"
        )
    rows: list[Rows] = []
    columns: dict[str, list[Any]] = {name: [] for name in _PER_CANDIDATE}
    ids, vectors, timed, time_words = [], [], [], []
    for query in queries:
        right = view.find_document_rows([id for id, grade in answers.get(query.id, {}).items() if grade > 0])
        understood = understand(query.text, query.now)
        pool = collect_candidates(
            view, encoder, query.text, understood, query.now, get_windows(understood), None, _DEPTH
        )
        retrieved = pool.rows
        pool = _add_answers(view, pool, right[right >= 0])
        gaps = compute_time_gaps(pool)
        ids.append(query.id)
        vectors.append(pool.vector)
        timed.append(gaps.timed)
        rows.append(pool.rows)
        figures = {
            "semantic": pool.semantic,
            "lexical": pool.lexical,
            "rel": gaps.rel,
            "overlap": gaps.overlap,
            "rec": gaps.rec,
            "gate": gate.score(pool).scores,
            "answers": np.isin(pool.document_rows, right),
            "forced": ~np.isin(pool.rows, retrieved),
        }
        for name, values in figures.items():
            columns[name].append(values)
        if words:
            time_words.append(describe_times(pool))
        if progress is not None:
            progress(1)
    if not ids:
        raise EpochalError("there are no questions to collect pools for")
    every, positions = np.unique(np.concatenate(rows), return_inverse=True)
    return Pools(
        encoder=encoder.name,
        ids=np.array(ids),
        offsets=np.cumsum([0, *map(len, rows)]),
        questions=np.array(vectors, dtype=np.float32),
        asked=np.array(timed),
        vectors=view.get_vectors(every),
        places=positions.astype(np.int32),
        **{name: np.concatenate(values) for name, values in columns.items()},
        **_encode_time_words(time_words, encoder),
    )


def _encode_time_words(time_words: Sequence[TimeWords], encoder: Encoder) -> dict[str, npt.NDArray[Any]]:
    """Return the fields of `Pools` that the encoding "difference" needs."""
    stated = sorted({text for words in time_words for text in (*words.rel, *words.rec) if text})
    line = {text: row for row, text in enumerate(stated)}

    def lines(texts: Iterable[str]) -> npt.NDArray[np.int32]:
        return np.array([line.get(text, -1) for text in texts], dtype=np.int32)

    def questions(texts: list[str]) -> npt.NDArray[np.float32]:
        return encode_or_zero(texts, encoder.encode_queries, encoder.dim).astype(np.float32)

    return {
        "time_vectors": encoder.encode_documents(stated) if stated else np.zeros((0, encoder.dim), np.float32),
        "rel_times": lines(text for words in time_words for text in words.rel),
        "rec_times": lines(text for words in time_words for text in words.rec),
        "asked_times": questions([words.query for words in time_words]),
        "reference_times": questions([words.reference for words in time_words]),
    }


def _add_answers(view: View, pool: Pool, right: Rows) -> Pool:
    """Add the passages of answers that were not retrieved."""
    missing = view.get_passage_rows(np.setdiff1d(right, pool.document_rows))
    if not len(missing) or pool.vector is None:
        return pool
    rows = np.sort(np.concatenate([pool.rows, missing]))
    return replace(
        pool,
        rows=rows,
        document_rows=view.get_document_rows(rows),
        lexical=view.score_words(pool.question, rows),
        semantic=view.score_vectors(pool.vector, rows),
    )


def write_pools(path: str | PathLike[str], pools: Pools) -> None:
    """Write pools to a numpy file (.npz)."""
    values = {field.name: getattr(pools, field.name) for field in fields(pools)}
    with Path(path).open("wb") as file:
        np.savez(file, **{**values, "encoder": np.array(pools.encoder)})


def read_pools(path: str | PathLike[str]) -> Pools:
    """Read the pools of a file."""
    accepted = "a file of pools that `epochal train re3` keeps"
    try:
        with np.load(path, allow_pickle=False) as file:
            values = {field.name: file[field.name] for field in fields(Pools)}
    except FileNotFoundError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}") from error
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise InputError(fspath(path), 0, f"holds no pools ({error}); accepted: {accepted}") from error
    return Pools(**{**values, "encoder": str(values["encoder"])})
