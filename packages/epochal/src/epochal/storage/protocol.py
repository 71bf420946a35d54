"""What every store offers: a `Backend` to write to, `View`s to read from, and operations on sets of rows.

A view is one unchanging state. Its passages and documents are numbered by *rows*, integers that index arrays; they are
valid within that view only. Rows of deleted documents are never returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from epochal.storage.records import Dating, Document, Entry
from epochal.times.spanset import SpanSet

__all__ = [
    "Backend",
    "PassageText",
    "Ranked",
    "Rows",
    "SpanTable",
    "Statistics",
    "StoredPassage",
    "SupportsParts",
    "SupportsStatistics",
    "View",
    "expand_runs",
    "intersect_rows",
    "subtract_rows",
    "union_rows",
]


Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Rows and their scores, best first; of equal scores the lower row comes first."""

    rows: Rows
    scores: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class SpanTable:
    """Spans, and for each the row that it belongs to: of a passage, or of a document. `rows` ascend.

    `start_chars` and `end_chars` say where in its passage a span of the content was read; -1 for other spans.
    """

    spans: SpanSet
    rows: Rows
    start_chars: npt.NDArray[np.int32]
    end_chars: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as it is stored: `text` begins at `start_char` of its document, where it is the `ordinal`-th."""

    row: int
    document_row: int
    ordinal: int
    text: str
    start_char: int
    datings: tuple[Dating, ...] = ()


class PassageText(NamedTuple):
    """A passage to be read: the title of its document, its text, and where in the document's text that starts."""

    title: str
    text: str
    start_char: int


class View(Protocol):
    """One unchanging state of an index, for any number of threads to read."""

    @property
    def generation(self) -> int:
        """How many writes it has seen."""
        ...

    @property
    def document_count(self) -> int:
        """How many documents there are, deleted ones left out."""
        ...

    @property
    def passage_count(self) -> int:
        """How many passages there are, deleted ones left out."""
        ...

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        ...

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors, as the backend names it; empty where there are none."""
        ...

    # ---------------------------------------------------------------- searching

    def words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the highest BM25 for the words of a text, which is never read as a query language.

        `rows`, ascending, restricts the search; the answer is exact whatever it keeps. Only passages that share a
        word with the query are answered.
        """
        ...

    def word_scores(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 of the given passages, in their order; 0 for one that shares no word with the query."""
        ...

    def analyse(self, text: str) -> list[str]:
        """The tokens of a text as the index counts them."""
        ...

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        """In how many passages each token (as `analyse` gives it) occurs."""
        ...

    def vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the greatest dot product with a vector; exact where `rows` keep few."""
        ...

    def similarities(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        """The dot products of the given passages' vectors with a vector, in their order."""
        ...

    def stored_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        """The vectors of the given passages, a line each, in their order; an index without vectors has none to give."""
        ...

    def nested(self, dims: int, shortlist: int | None = None) -> View:
        """The same state, whose vectors are compared by their first `dims` numbers: cut, and made of length 1 again.

        Without a `shortlist`, it is as if nothing else were stored: `dim` is `dims`, and so long is a query's vector.
        With one, `vectors` looks by the prefixes for at least so many passages, and ranks these by the whole vectors;
        `similarities` and `stored_vectors` are of the whole vectors. Both keep to the rows that are given, exactly.
        """
        ...

    def contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens (as `analyse` gives them) stand in which context: a line a context, and a column a token.

        The context of a time, the dating at a place in `content` of the passage at its row, is the title of the
        document and a stretch of the passage (`epochal.storage.contexts.find_contexts`): its sentence or line, with the
        heading before it. The title and all of the passage are the context of a time that was read in the title, and
        for a place below 0, which stands for the passage itself. Whoever keeps no such words can analyse the texts.
        """
        ...

    # ---------------------------------------------------------------- times

    @property
    def content(self) -> SpanTable:
        """The times that passages speak of; the rows are passage rows."""
        ...

    @property
    def published(self) -> SpanTable:
        """When documents were published; the rows are document rows, at most one span each."""
        ...

    @property
    def valid(self) -> SpanTable:
        """The stretch for which documents hold; the rows are document rows, at most one span each."""
        ...

    # ---------------------------------------------------------------- rows

    @property
    def alive(self) -> Rows:
        """The rows of all passages, ascending."""
        ...

    @property
    def alive_documents(self) -> Rows:
        """The rows of all documents, ascending."""
        ...

    def document_of(self, rows: Rows) -> Rows:
        """The document rows of passage rows, in their order."""
        ...

    def rows_of(self, document_rows: Rows) -> Rows:
        """The passage rows of documents, document by document in the given order."""
        ...

    def series_code(self, name: str) -> int:
        """The code of a series."""
        ...

    def series_of(self, document_rows: Rows) -> Rows:
        """A code for the series of each document, in their order; -1 for a document of none."""
        ...

    def series_members(self, code: int) -> Rows:
        """The rows of the documents of a series, ascending."""
        ...

    # ---------------------------------------------------------------- what is stored

    def passages(self, rows: Rows) -> list[StoredPassage]:
        """The passages of the given rows, in their order."""
        ...

    def texts(self, rows: Rows) -> list[PassageText]:
        """The texts of the given passages with their titles, in their order; cheaper than all that is stored."""
        ...

    def documents(self, document_rows: Rows) -> list[Document]:
        """The documents of the given rows, in their order."""
        ...

    def document(self, id: str) -> Document | None:
        """The document of an id, or None."""
        ...

    def document_rows(self, ids: Sequence[str]) -> Rows:
        """The document rows of ids, in their order; -1 for an id that is not there."""
        ...

    def entries(self, document_rows: Rows) -> list[Entry]:
        """Everything that was stored with the documents of the given rows, in their order: what `add` was given."""
        ...

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        """All documents in the order of their rows, in lists of at most `batch`."""
        ...


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 must know of a collection: its passages, all of their tokens, and in how many passages a token occurs.

    Each is a sum over passages, so those of a collection in parts are the sums of the parts'. Passages of deleted
    documents count until the index is compacted. `frequencies` has every token that was asked for, 0 included.
    """

    passages: int
    tokens: int
    frequencies: Mapping[str, int]


@runtime_checkable
class SupportsStatistics(Protocol):
    """What a `View` may offer besides: BM25 by somebody else's statistics, those of all parts of a collection, say."""

    def statistics(self, tokens: Iterable[str]) -> Statistics:
        """Those of this view, with the frequencies of some tokens (as `analyse` gives them)."""
        ...

    def words_with(self, query: str, k: int, statistics: Statistics, rows: Rows | None = None) -> Ranked:
        """`View.words` by the given statistics, which must have the frequency of each of the query's tokens."""
        ...

    def word_scores_with(self, query: str, rows: Rows, statistics: Statistics) -> npt.NDArray[np.float64]:
        """`View.word_scores` by the given statistics, which must have the frequency of each of the query's tokens."""
        ...


@runtime_checkable
class SupportsParts(Protocol):
    """What a `View` of an index in parts offers besides: the names of the parts that it does without.

    A part that stops answering later makes the view raise a `PartLostError`; a new view does without that part.
    """

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that did not answer when the view was taken; it never changes."""
        ...


class Backend(Protocol):
    """Where documents are kept. Every write is whole or not at all, and is safe once the call has returned."""

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none."""
        ...

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        ...

    def add(self, entries: Sequence[Entry]) -> int:
        """Store documents, in place of those with the same ids; returns how many. One wrong entry stores nothing."""
        ...

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; returns how many there were. Unknown ids are passed over."""
        ...

    def bulk(self) -> AbstractContextManager[None]:
        """Many calls of `add` and `delete` whose documents are found by searches only once the context ends.

        Each call is safe on return all the same.
        """
        ...

    def view(self) -> View:
        """The present state; the same view while nothing has changed."""
        ...

    def known_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, npt.NDArray[np.float32]]:
        """The stored vectors of those keys (see `Entry.keys`) that are known."""
        ...

    def content_hashes(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """`Document.content_hash()` of those ids that are stored: what an interrupted import need not add again."""
        ...

    def compact(self) -> None:
        """Remove what deleted and replaced documents have left behind."""
        ...

    def backup(self, path: str | PathLike[str]) -> None:
        """Copy the present state, which stays open, to a new folder."""
        ...

    def close(self) -> None:
        """Let go of everything; views taken before can still be read."""
        ...


def union_rows(*parts: Rows) -> Rows:
    """The rows that are in any of the parts, ascending, each once."""
    size = max((int(part.max()) + 1 for part in parts if len(part)), default=0)
    marks = np.zeros(size, dtype=np.bool_)
    for part in parts:
        marks[part] = True
    return np.flatnonzero(marks).astype(np.int64)


def intersect_rows(rows: Rows, others: Rows) -> Rows:
    """Those of the rows that are among the others, in their order."""
    return rows[_among(rows, others)]


def subtract_rows(rows: Rows, others: Rows) -> Rows:
    """Those of the rows that are not among the others, in their order."""
    return rows[~_among(rows, others)]


def expand_runs(starts: Rows, sizes: Rows) -> Rows:
    """Rows that lie in runs: from each start as many as its size, run by run."""
    # Each run counts up from its start: a count over all of them, less where the run begins in that count.
    begins = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(starts - begins, sizes), dtype=np.int64)


def _among(rows: Rows, others: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    size = max((int(part.max()) + 1 for part in (rows, others) if len(part)), default=0)
    marks = np.zeros(size, dtype=np.bool_)
    marks[others] = True
    return np.asarray(marks[rows])
