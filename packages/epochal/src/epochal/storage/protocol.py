"""What every store implements: a `Backend` to write to, `View`s to read from, and operations on sets of rows.

A view is a snapshot. Its passages and documents are numbered by *rows*, integers that index arrays and are valid within
that view only. Rows of deleted documents are never returned.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any, Final, NamedTuple, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.lazy import warn_renamed
from epochal.storage.records import Dating, Document, Entry
from epochal.times.spanset import SpanSet

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
    """Spans with the row of the passage or document that each belongs to. `rows` ascend.

    `start_chars` and `end_chars` are the positions of a content span in its passage; -1 for other spans.
    """

    spans: SpanSet
    rows: Rows
    start_chars: npt.NDArray[np.int32]
    end_chars: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A stored passage: `text` begins at `start_char` of its document, where it is the `ordinal`-th."""

    row: int
    document_row: int
    ordinal: int
    text: str
    start_char: int
    datings: tuple[Dating, ...] = ()


class PassageText(NamedTuple):
    """The title of a passage's document, the text of the passage, and its offset in the document's text."""

    title: str
    text: str
    start_char: int


class View(Protocol):
    """A snapshot of an index, for any number of threads to read."""

    @property
    def generation(self) -> int:
        """The number of writes before the snapshot."""
        ...

    @property
    def document_count(self) -> int:
        """The number of documents, without deleted ones."""
        ...

    @property
    def passage_count(self) -> int:
        """The number of passages, without deleted ones."""
        ...

    @property
    def dim(self) -> int:
        """The dimensions of a vector; 0 in an index without vectors."""
        ...

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty in an index without vectors."""
        ...

    # ---------------------------------------------------------------- searching

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the highest BM25 for the words of a text, which is never parsed as a query language.

        A passage has the words of its document's title and metadata, too (`epochal.storage.text.join_heading`).
        `rows`, ascending, restricts the search, and the result is exact for any restriction. Only passages that share
        a word with the query are returned.
        """
        ...

    def score_words(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 scores of passages; 0 for one that shares no word with the query."""
        ...

    def analyse(self, text: str) -> list[str]:
        """The tokens of a text as they are indexed."""
        ...

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        """The number of passages that contain each token of `analyse`; deleted ones count until they are removed."""
        ...

    def search_vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the greatest dot product with a vector; exact where `rows` are few."""
        ...

    def score_vectors(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        """The dot products of the vectors of passages with a vector."""
        ...

    def get_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        """The vectors of passages, one per line; an error in an index without vectors."""
        ...

    def with_dims(self, dims: int, shortlist: int | None = None) -> View:
        """The same snapshot with vectors truncated to their first `dims` dimensions and normalised again.

        Without a `shortlist`, `dim` is `dims`, and so long is a query's vector. With one, `search_vectors` finds at
        least so many passages by the prefixes and reranks them with full vectors; `score_vectors` and `get_vectors` use
        full vectors. Both are restricted to given rows exactly.
        """
        ...

    def match_contexts(self, rows: Rows, positions: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens of `analyse` occur in which context: a line per context, and a column per token.

        A context is given by the row of a passage and the position of one of its times in `content`. It is the title of
        the document and a range of the passage (`epochal.storage.contexts.find_contexts`): the sentence or line of the
        time, with the heading before it. The context of a time in the title, and of a position below 0, is the title
        and the whole passage. A store without an index of contexts can analyse the texts.
        """
        ...

    # ---------------------------------------------------------------- times

    @property
    def content(self) -> SpanTable:
        """The times that passages state, by passage row."""
        ...

    @property
    def published(self) -> SpanTable:
        """When documents were published, by document row; at most one span each."""
        ...

    @property
    def valid(self) -> SpanTable:
        """When documents are valid, by document row; at most one span each."""
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

    def get_document_rows(self, rows: Rows) -> Rows:
        """The document rows of passages."""
        ...

    def get_passage_rows(self, document_rows: Rows) -> Rows:
        """The passage rows of documents, document by document."""
        ...

    def get_series_code(self, name: str) -> int:
        """The code of a series."""
        ...

    def get_series_codes(self, document_rows: Rows) -> Rows:
        """The code of the series of each document; -1 for a document without a series."""
        ...

    def get_series_rows(self, code: int) -> Rows:
        """The rows of the documents of a series, ascending."""
        ...

    # ---------------------------------------------------------------- content

    def get_passages(self, rows: Rows) -> list[StoredPassage]:
        """The passages of rows."""
        ...

    def get_texts(self, rows: Rows) -> list[PassageText]:
        """The texts and titles of passages; cheaper than `get_passages`."""
        ...

    def get_documents(self, document_rows: Rows) -> list[Document]:
        """The documents of rows."""
        ...

    def get_document(self, id: str) -> Document | None:
        """The document with an id, or None."""
        ...

    def find_document_rows(self, ids: Sequence[str]) -> Rows:
        """The document rows of ids; -1 for an unknown id."""
        ...

    def get_entries(self, document_rows: Rows) -> list[Entry]:
        """The entries of documents, as they were given to `add`."""
        ...

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        """All documents in row order, in lists of at most `batch`."""
        ...


@dataclass(frozen=True, slots=True)
class Statistics:
    """The collection statistics of BM25: counts of passages and of tokens, and the document frequencies of tokens.

    The statistics of a sharded collection are the sums of those of its shards. Passages of deleted documents count
    until the index is compacted. `frequencies` has every requested token, 0 included.
    """

    passages: int
    tokens: int
    frequencies: Mapping[str, int]


@runtime_checkable
class ChecksSpace(Protocol):
    """A `Backend` that knows how much room its disk has."""

    def check_space(self, text_bytes: int) -> None:
        """Raise a `StorageError` where the disk surely has no room for the index of so much text."""
        ...


@runtime_checkable
class MakesVectors(Protocol):
    """A `Backend` that may make the vectors of passages itself."""

    @property
    def makes_vectors(self) -> bool:
        """Whether it does, so that documents need not be encoded before they are stored."""
        ...


@runtime_checkable
class AddsVectors(Protocol):
    """A `Backend` that stores documents before their vectors are made: with the key `PENDING` (see `Entry.keys`)."""

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Store the vectors of documents for which some are pending; returns how many documents.

        Those that were changed or deleted meanwhile, or have their vectors, are left alone. A writer's lock that is not
        held yet is held no longer than this takes, and other writers wait for it.
        """
        ...


@runtime_checkable
class SupportsPending(Protocol):
    """A `View` that may have passages whose vectors are not made yet: `search_vectors` does not find these."""

    @property
    def pending(self) -> Rows:
        """These passages, ascending; found once for a view."""
        ...


@runtime_checkable
class SupportsStatistics(Protocol):
    """A `View` that can compute BM25 with given statistics, such as those of all shards of a collection."""

    def get_statistics(self, tokens: Iterable[str]) -> Statistics:
        """The statistics of this view, with the frequencies of some tokens of `analyse`."""
        ...

    def search_words_with(self, query: str, k: int, statistics: Statistics, rows: Rows | None = None) -> Ranked:
        """`View.search_words` with given statistics, which must have the frequency of every token of the query."""
        ...

    def score_words_with(self, query: str, rows: Rows, statistics: Statistics) -> npt.NDArray[np.float64]:
        """`View.score_words` with given statistics, which must have the frequency of every token of the query."""
        ...


class Heading(NamedTuple):
    """What a document bears besides its text and its times: its title, its series and its metadata.

    The first line of a text without a title stands for it.
    """

    title: str
    series: str | None
    meta: Mapping[str, Any]


NO_HEADING: Final = Heading("", None, {})


@runtime_checkable
class SupportsHeadings(Protocol):
    """A `View` that can read headings without the texts of documents."""

    def get_headings(self, document_rows: Rows) -> Sequence[Heading]:
        """The headings of documents; they must not be changed."""
        ...


def get_headings(view: View, document_rows: Rows) -> Sequence[Heading]:
    """The headings of documents, with their texts or without: as the view can read them."""
    if supports(view, SupportsHeadings):
        return view.get_headings(document_rows)
    documents = view.get_documents(document_rows)
    return [Heading(item.title or find_first_line(item.text), item.series, item.meta) for item in documents]


#: The longest first line that heads a text, and how much of a text must be known to find it.
_LONGEST_LINE = 100
LINE_SAMPLE = 160


def find_first_line(text: str) -> str:
    """The first line of a text, if it is short and others follow: then it heads them. Else the empty text.

    >>> find_first_line("curl (7.88.1-10) unstable\\n\\n  * Fix CVE-2023-38545."), find_first_line("Rain.")
    ('curl (7.88.1-10) unstable', '')
    """
    line, _, others = text[:LINE_SAMPLE].lstrip().partition("\n")
    return line.strip() if len(line) <= _LONGEST_LINE and others.strip() else ""


@runtime_checkable
class SupportsPassageDocuments(Protocol):
    """A `View` that reads passages together with their documents."""

    def get_passage_documents(self, rows: Rows) -> Sequence[tuple[Document, PassageText]]:
        """The documents and the texts of passages."""
        ...


def get_passage_documents(view: View, rows: Rows) -> Sequence[tuple[Document, PassageText]]:
    """The documents and the texts of passages: at once, where the view can."""
    if supports(view, SupportsPassageDocuments):
        return view.get_passage_documents(rows)
    return list(zip(view.get_documents(view.get_document_rows(rows)), view.get_texts(rows), strict=True))


class TokenCodes(NamedTuple):
    """The codes of the tokens of passages, one after the other: how many each has, and how many of them its heading.

    Those of the heading come first. A token may come more than once.
    """

    codes: npt.NDArray[np.uint32]
    sizes: Rows
    title_sizes: Rows


@runtime_checkable
class SupportsTokenCodes(Protocol):
    """A `View` that has the tokens of passages as codes, so that texts can be compared without reading them."""

    def get_token_codes(self, rows: Rows) -> TokenCodes:
        """The codes of the tokens of passages."""
        ...


@runtime_checkable
class SupportsParts(Protocol):
    """A `View` of a sharded index, with the names of the shards that are missing from it.

    A shard that fails later makes the view raise a `PartLostError`; a new view does without that shard.
    """

    @property
    def missing(self) -> tuple[str, ...]:
        """The shards that did not respond when the view was taken; it never changes."""
        ...


@runtime_checkable
class SupportsIdentity(Protocol):
    """A `View` that says of which index it is: generations of two indexes may have the same number."""

    @property
    def identity(self) -> str:
        """Differs between two indexes, and between two states of different content with the same generation."""
        ...


_Optional = TypeVar("_Optional")


def supports(value: object, protocol: Callable[..., _Optional]) -> TypeGuard[_Optional]:
    """Whether a value has all members of a protocol that can be checked at runtime, as `isinstance` says, but at once.

    `isinstance` lists the members anew each time, which takes longer than many a call of them.
    """
    return all(hasattr(value, name) for name in _list_members(protocol))


@cache
def _list_members(protocol: object) -> tuple[str, ...]:
    return tuple(name for name in vars(protocol) if not name.startswith("_"))


def list_pending(view: View) -> Rows:
    """The passages whose vectors are not made yet, ascending; none where a store has no such passages."""
    return view.pending if supports(view, SupportsPending) else np.empty(0, np.int64)


def name_state(view: View) -> tuple[str, int]:
    """What a result of a view may be cached under."""
    return view.identity if supports(view, SupportsIdentity) else "", view.generation


class Backend(Protocol):
    """A store of documents. Every write is atomic, and durable once the call has returned."""

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty in an index without vectors."""
        ...

    @property
    def dim(self) -> int:
        """The dimensions of a vector; 0 in an index without vectors."""
        ...

    def add(self, entries: Sequence[Entry]) -> int:
        """Store documents, replacing those with the same ids; returns how many. One invalid entry stores nothing."""
        ...

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; returns how many there were. Unknown ids are ignored."""
        ...

    def bulk(self) -> AbstractContextManager[None]:
        """Delay the update of derived data until the context ends; each call of `add` or `delete` is still durable."""
        ...

    def view(self) -> View:
        """A snapshot of the current state; the same object while nothing has changed."""
        ...

    def get_stored_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, npt.NDArray[np.float32]]:
        """The vectors that are stored under some of the keys (see `Entry.keys`)."""
        ...

    def get_content_hashes(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """`Document.content_hash()` of those ids that are stored; an interrupted import skips these documents."""
        ...

    def compact(self, *, erase: bool = False) -> None:
        """Free the space of deleted and replaced documents; with `erase`, no file has their words afterwards.

        Without it, a few that are dead may stay in files that searches read, and in the word statistics.
        """
        ...

    def backup(self, path: str | PathLike[str]) -> None:
        """Copy the current state to a new folder."""
        ...

    def close(self) -> None:
        """Close the store; views taken before can still be read."""
        ...


StoreT = TypeVar("StoreT", bound="ClosingStore")


class RenamedMethods:
    """The methods of version 0.1 of views and stores under their old names, for one version."""

    def __getattr__(self, name: str) -> Any:
        if name not in _RENAMED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        warn_renamed(type(self).__name__, name, _RENAMED[name])
        return getattr(self, _RENAMED[name])


class ClosingStore(RenamedMethods):
    """A store as a context manager, closed at its end."""

    @abstractmethod
    def close(self) -> None:
        """Release what the store holds."""

    def __enter__(self: StoreT) -> StoreT:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_RENAMED: Final = {
    "content_hashes": "get_content_hashes",
    "contexts": "match_contexts",
    "document": "get_document",
    "document_frequency": "get_document_frequencies",
    "document_of": "get_document_rows",
    "document_rows": "find_document_rows",
    "documents": "get_documents",
    "entries": "get_entries",
    "known_vectors": "get_stored_vectors",
    "nested": "with_dims",
    "passages": "get_passages",
    "rows_of": "get_passage_rows",
    "series_code": "get_series_code",
    "series_members": "get_series_rows",
    "series_of": "get_series_codes",
    "similarities": "score_vectors",
    "statistics": "get_statistics",
    "stored_vectors": "get_vectors",
    "texts": "get_texts",
    "vectors": "search_vectors",
    "word_scores": "score_words",
    "word_scores_with": "score_words_with",
    "words": "search_words",
    "words_with": "search_words_with",
}


#: Rows are marked rather than sorted unless there are so many times as many that would not be marked.
_SORTED: Final = 100


def union_rows(*parts: Rows) -> Rows:
    """The rows that are in any of the parts, ascending, each once."""
    size = max((int(part.max()) + 1 for part in parts if len(part)), default=0)
    if _SORTED * sum(map(len, parts)) < size:
        return drop_repeated(np.concatenate(parts).astype(np.int64, copy=False))
    marks = np.zeros(size, dtype=np.bool_)
    for part in parts:
        marks[part] = True
    return np.flatnonzero(marks).astype(np.int64)


def drop_repeated(rows: Rows) -> Rows:
    """The rows that come, ascending, each once. Rows that ascend already, as most do, need no sorting.

    `np.unique` would import masked arrays, which takes longer than a search.
    """
    if (rows[1:] > rows[:-1]).all():
        return rows
    rows = np.sort(rows)
    is_first = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
    return np.asarray(rows[is_first])


def locate_rows(rows: Rows, targets: Rows) -> tuple[npt.NDArray[np.bool_], Rows]:
    """Which of the target rows are among `rows`, which ascend, and where; places of the others say nothing."""
    if not len(rows):
        return np.zeros(len(targets), dtype=np.bool_), np.zeros(len(targets), dtype=np.int64)
    places = np.minimum(rows.searchsorted(targets), len(rows) - 1)
    return rows[places] == targets, places


def intersect_rows(rows: Rows, others: Rows) -> Rows:
    """The rows that are also in `others`, in their order."""
    return rows[_is_in(rows, others)]


def subtract_rows(rows: Rows, others: Rows) -> Rows:
    """The rows that are not in `others`, in their order."""
    return rows[~_is_in(rows, others)]


def expand_runs(starts: Rows, sizes: Rows) -> Rows:
    """The rows of runs: from each start as many as its size, run by run."""
    ends = np.cumsum(sizes, dtype=np.int64)
    rows: Rows = np.repeat(starts - (ends - sizes), sizes).astype(np.int64, copy=False)
    rows += np.arange(len(rows))
    return rows


def _is_in(rows: Rows, others: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    size = max((int(part.max()) + 1 for part in (rows, others) if len(part)), default=0)
    marks = np.zeros(size, dtype=np.bool_)
    marks[others] = True
    return np.asarray(marks[rows])


def iterate_documents(view: View, batch: int) -> Iterator[list[Document]]:
    """All documents of a view, `batch` at a time."""
    if batch < 1:
        raise EpochalError(f"batch must be at least 1, but is {batch}")
    rows = view.alive_documents
    for low in range(0, len(rows), batch):
        yield view.get_documents(rows[low : low + batch])


def check_ascending(rows: Rows, count: int) -> Rows:
    """Rows to search among, if they ascend and lie within the view."""
    rows = np.asarray(rows, dtype=np.int64)
    if len(rows) and not (rows[0] >= 0 and rows[-1] < count and (rows[1:] > rows[:-1]).all()):
        raise EpochalError(f"rows must ascend and lie within 0 and {count}")
    return rows


def check_encoder(encoder_name: str, dim: int) -> None:
    """Check that a new index has an encoder and the length of its vectors, or neither."""
    if dim < 0 or bool(dim) != bool(encoder_name):
        raise EpochalError(
            f"an encoder goes with the length of its vectors, and none with 0, but {encoder_name!r} with {dim} "
            f"was given"
        )


def check_ids(ids: Iterable[str]) -> Iterable[str]:
    """The ids of documents to delete; a single text is not a list of them."""
    if isinstance(ids, str):
        raise EpochalError(f"delete takes a list of ids, but {ids!r} is a single text; write [{ids!r}]")
    return ids


def check_dims(dims: int, dim: int) -> None:
    """Check a number of leading dimensions against those of an index; 0 is an index without an encoder."""
    if not dim:
        raise EpochalError(f"dims is {dims}, but this index was made without an encoder; leave out dims")
    if not 1 <= dims <= dim:
        raise EpochalError(f"dims must be from 1 to {dim}, the length of the index's vectors, but is {dims}")
