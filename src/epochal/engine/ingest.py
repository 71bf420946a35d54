"""Ingest: documents made ready to be stored. Split into passages, read for times, and encoded, in bounded memory.

`dated`, `encoded` and `checked_hash` rest on nothing but what they are given, so they can be done anywhere;
`add_documents` does them here and stores what comes of them, and `add_entries` stores what was made ready elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from epochal.encoders.base import Encoder, Vectors
from epochal.errors import EpochalError
from epochal.index.backend import Backend, View
from epochal.index.records import TITLE, Dating, Document, Entry, Passage
from epochal.index.splitting import split
from epochal.reading.ranges import Stretch, stretches
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = [
    "OrderedReader",
    "Reader",
    "Readings",
    "add_documents",
    "add_entries",
    "checked_hash",
    "dated",
    "encoded",
    "encoded_text",
    "read_times",
]

#: Documents that are prepared and stored at a time: what is lost to an interruption, and what memory must hold.
BATCH: Final = 256

#: What the title of a document states, and what its text states.
Readings: TypeAlias = tuple[Sequence[Stretch], Sequence[Stretch]]


class Reader(Protocol):
    """Finds the times of a document's title and of its text. `read_times` is the default one.

    >>> nothing: Reader = lambda document: ([], [])
    >>> nothing(Document("p1", "Tariffs rise in 1998."))
    ([], [])
    """

    def __call__(self, document: Document) -> Readings:
        """What the title states, and what the text states."""
        ...


@runtime_checkable
class OrderedReader(Protocol):
    """Reads documents that depend on those before them. `SequenceReader` is one.

    Each run has a reader of its own, which is shown every document, once and in the order given: also those that are
    stored already, for what comes behind them may hang on them.

    >>> from epochal.engine.sequence import SequenceReader
    >>> isinstance(SequenceReader(), OrderedReader), isinstance(read_times, OrderedReader)
    (True, False)
    """

    def begin(self) -> Reader:
        """A reader for one run."""
        ...


def read_times(document: Document) -> Readings:
    """The times that a document states; "last week" counts from when it was published.

    >>> from epochal.times import Span
    >>> title, text = read_times(Document("p1", "Sold last year.", "Report of May 1998", Span.parse("1998-06-02")))
    >>> [item.span.edtf() for item in title], [item.span.edtf() for item in text]
    (['1998-05'], ['1997'])
    """
    title = stretches(document.title, tag(document.title, document.published)) if document.title else []
    return title, stretches(document.text, tag(document.text, document.published)) if document.text else []


def encoded_text(document: Document, passage: Passage) -> str:
    """What is encoded for a passage: the title, which says what it is about, and its own text.

    >>> encoded_text(Document("p1", "Rates rise. Rates fall.", "Rates"), Passage(12, 23))
    'Rates\\nRates fall.'
    """
    text = document.text[passage.start_char : passage.end_char]
    return f"{document.title}\n{text}" if document.title else text


def add_documents(
    backend: Backend,
    documents: Iterable[Document],
    encoder: Encoder | None,
    *,
    read: Reader | OrderedReader = read_times,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Store documents batch by batch, and return how many were new or changed; what is stored already is left alone.

    Read in order, a document has also changed where those before it now give it another date. `progress` is told after
    each batch how many documents it had. An interrupted run can simply be run again.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     [add_documents(store, [Document("p1", "Tariffs rise in 1998.")], None) for _ in range(2)]
    [1, 0]
    """
    added = 0
    before = backend.view() if isinstance(read, OrderedReader) else None
    with backend.bulk():
        for batch in _batches(_given(documents, read)):
            known = backend.content_hashes([item.document.id for item in batch])
            fresh: list[_Given] = []
            stored: list[_Given] = []
            for item in batch:
                (stored if known.get(item.document.id) == item.hash else fresh).append(item)
            if before is not None:
                fresh += _redated(before, stored)
            if fresh:
                ready = [(item.document, item.passages()) for item in fresh]
                added += backend.add(encoded(ready, encoder, backend.known_vectors))
            if progress is not None:
                progress(len(batch))
    return added


def add_entries(backend: Backend, entries: Iterable[Entry], *, progress: Callable[[int], None] | None = None) -> int:
    """Store what was made ready elsewhere, as `add_documents` would; return how many documents were new or changed.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> ready = encoded([(Document("p1", "Tariffs rise."), dated(Document("p1", "Tariffs rise.")))], None)
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     [add_entries(store, ready) for _ in range(2)]
    [1, 0]
    """
    added = 0
    with backend.bulk():
        for batch in _batches(entries):
            known = backend.content_hashes([entry.document.id for entry in batch])
            fresh = [entry for entry in batch if known.get(entry.document.id) != entry.document.content_hash()]
            if fresh:
                added += backend.add(fresh)
            if progress is not None:
                progress(len(batch))
    return added


def dated(document: Document, read: Reader = read_times) -> tuple[Passage, ...]:
    """The passages of a document, with the times that each speaks of; one that has only a title has one, empty.

    >>> [(item.start_char, item.datings[0].span.edtf()) for item in dated(Document("p1", "Tariffs rise in 1998."))]
    [(0, '1998')]
    """
    return _passages(document, read(document))


def encoded(
    documents: Sequence[tuple[Document, tuple[Passage, ...]]],
    encoder: Encoder | None,
    known: Callable[[Sequence[bytes]], Mapping[bytes, Vectors]] = lambda _: {},
) -> list[Entry]:
    """Documents with their passages as entries; `known` gives vectors that need not be made again, by their keys.

    >>> from epochal.encoders import encoder
    >>> rising = Document("p1", "Tariffs rise.")
    >>> encoded([(rising, dated(rising))], encoder("static"))[0].vectors.shape
    (1, 256)
    """
    if encoder is None:
        return [Entry(document, found) for document, found in documents]
    texts = [[encoded_text(document, passage) for passage in found] for document, found in documents]
    keys = [[_key(text) for text in group] for group in texts]
    vectors = dict(known([key for group in keys for key in group]))
    missing = {
        key: text
        for group, names in zip(texts, keys, strict=True)
        for text, key in zip(group, names, strict=True)
        if key not in vectors
    }
    vectors.update(zip(missing, encoder.encode_documents(list(missing.values())), strict=True))
    return [
        Entry(document, found, _stacked([vectors[key] for key in names], encoder.dim), tuple(names))
        for (document, found), names in zip(documents, keys, strict=True)
    ]


def checked_hash(document: Document) -> bytes:
    """The hash of a document, once it is sure that it can be read and stored.

    >>> checked_hash(Document("p1", "Rain.", meta={"at": object()}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the meta of document 'p1' must be what JSON can hold, but Object of type object ...
    """
    for name, span in (("published", document.published), ("valid", document.valid)):
        if span is not None and not isinstance(span, Span):
            raise EpochalError(f"{name} of document {document.id!r} must be a Span or None, but is {span!r}")
    for name, text in (("id", document.id), ("text", document.text), ("title", document.title)):
        _check_letters(document, name, text)
    if isinstance(document.series, str):
        _check_letters(document, "series", document.series)
    try:
        return document.content_hash()
    except (TypeError, ValueError) as error:
        raise EpochalError(f"the meta of document {document.id!r} must be what JSON can hold, but {error}") from error


class _Given:
    """A document that is to be added; its passages are made when they are first asked for."""

    __slots__ = ("_made", "_read", "document", "hash")

    def __init__(self, document: Document, read: Reader) -> None:
        self.document = document
        self.hash = checked_hash(document)
        self._read = read
        self._made: tuple[Passage, ...] | None = None

    def passages(self) -> tuple[Passage, ...]:
        if self._made is None:
            self._made = dated(self.document, self._read)
        return self._made


def _given(documents: Iterable[Document], read: Reader | OrderedReader) -> Iterator[_Given]:
    ordered = isinstance(read, OrderedReader)
    reader = read.begin() if isinstance(read, OrderedReader) else read
    if isinstance(documents, Document):
        raise EpochalError(f"add takes a list of documents, but was given document {documents.id!r} alone; write [...]")
    if not isinstance(documents, Iterable):
        raise EpochalError(f"add takes a list of documents, but was given {documents!r}")
    for document in documents:
        if not isinstance(document, Document):
            raise EpochalError(f"only documents can be added, but a {type(document).__name__} was given")
        item = _Given(document, reader)
        if ordered:
            item.passages()
        yield item


def _check_letters(document: Document, name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise EpochalError(
            f"the {name} of document {document.id!r} has half of a letter at {error.start}, {text[error.start]!r}, "
            f"which no file can hold; decode it again, with errors='replace' where need be"
        ) from error


def _redated(view: View, items: list[_Given]) -> list[_Given]:
    """Those of the documents, which have not changed themselves, whose times are no longer those that are stored."""
    rows = view.document_rows([item.document.id for item in items])
    entries = dict(zip(rows[rows >= 0].tolist(), view.entries(rows[rows >= 0]), strict=True))
    return [
        item
        for item, row in zip(items, rows.tolist(), strict=True)
        if row not in entries or entries[row].passages != item.passages()
    ]


class _Named(Protocol):
    """Something that belongs to one document."""

    @property
    def document(self) -> Document: ...


_Item = TypeVar("_Item", bound=_Named)


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Lists of at most BATCH documents; the second of two with one id waits for the next list, and so wins."""
    source = iter(items)
    while batch := list(islice(source, BATCH)):
        while batch:
            taken: dict[str, _Item] = {}
            rest: list[_Item] = []
            for item in batch:
                if item.document.id in taken:
                    rest.append(item)
                else:
                    taken[item.document.id] = item
            yield list(taken.values())
            batch = rest


def _stacked(vectors: list[Vectors], dim: int) -> Vectors:
    return np.stack(vectors) if vectors else np.empty((0, dim), dtype=np.float32)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _passages(document: Document, readings: Readings) -> tuple[Passage, ...]:
    title, text = readings
    common = tuple(Dating(item.span, TITLE, TITLE, item.confidence) for item in title)
    bounds = split(document.text) or [(0, 0)]
    found: list[Passage] = []
    place = 0
    for start, end in bounds:
        own = []
        while place < len(text) and text[place].start_char < end:
            item = text[place]
            own.append(Dating(item.span, item.start_char - start, min(item.end_char, end) - start, item.confidence))
            place += 1
        found.append(Passage(start, end, common + tuple(own)))
    return tuple(found)
