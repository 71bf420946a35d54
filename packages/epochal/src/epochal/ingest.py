"""Prepare documents for storage: split into passages, read their times, encode them, in bounded memory.

`add_documents` does all of it and stores the result. `read_passages`, `make_entries` and `hash_document` depend only on
their arguments, so other processes can run them; `add_entries` stores what they prepared.

Annals, diaries and logs state only the part of a date that has changed: `SequenceReader` reads their documents in order
and carries the rest over. A date that is carried over whole has a range of length 0, since no word states it. Later
passages of a text take the date of its opening or, where a sequence carries the last stated date, the last one before.
"""

from __future__ import annotations

import hashlib
import time
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from epochal.encoders.base import Encoder, Vectors
from epochal.errors import EpochalError, IndexLockedError
from epochal.reading.expression import StatedRange, stated_ranges
from epochal.reading.sequences import CarriedDate, DateCarrier, make_carrier
from epochal.reading.tagger import tag
from epochal.storage.importers.inputs import AddReport
from epochal.storage.making import join_title
from epochal.storage.protocol import AddsVectors, Backend, MakesVectors, View, drop_repeated, list_pending, supports
from epochal.storage.records import PENDING, TITLE, Dating, Document, Entry, Passage
from epochal.storage.text import split
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span

#: Documents that are prepared and stored at a time: what is lost to an interruption, and what memory must hold.
BATCH: Final = 512

#: Times of a title, which every passage of its document has, and of a text; more are left out.
MAX_TITLE_TIMES: int = 100
MAX_TIMES: int = 100_000
#: Warnings of one call that are kept.
_SHOWN: Final = 20

#: What the title of a document states, and what its text states.
StatedTimes: TypeAlias = tuple[Sequence[StatedRange], Sequence[StatedRange]]


class Reader(Protocol):
    """Finds the times of a document's title and of its text. `read_times` is the default one."""

    def __call__(self, document: Document) -> StatedTimes:
        """What the title states, and what the text states."""
        ...


@runtime_checkable
class OrderedReader(Protocol):
    """Reads documents that depend on those before them. `SequenceReader` is one.

    Each run has a reader of its own, which is shown every document, once and in the order given: also those that are
    stored already, for what comes behind them may hang on them.
    """

    def begin(self) -> Reader:
        """A reader for one run."""
        ...


def read_times(document: Document) -> StatedTimes:
    """The times that a document states; "last week" counts from when it was published."""
    return _read_ranges(document.title, document), _read_ranges(document.text, document)


def _read_ranges(text: str, document: Document) -> list[StatedRange]:
    expressions = tag(text, document.published) if text else []
    return stated_ranges(text, expressions) if expressions else []


def get_passage_text(document: Document, passage: Passage) -> str:
    """What is encoded for a passage: the title, which says what it is about, and its own text."""
    return join_title(document.title, document.text[passage.start_char : passage.end_char])


def add_documents(
    backend: Backend,
    documents: Iterable[Document],
    encoder: Encoder | None,
    *,
    read: Reader | OrderedReader = read_times,
    progress: Callable[[int], None] | None = None,
    fast: bool = False,
) -> AddReport:
    """Store documents batch by batch, and report how many were new or changed; what is stored already is left alone.

    With `fast`, vectors that are not stored yet are left to `make_vectors`. Read in order, a document has also changed
    where those before it now give it another date. `progress` gets the size of each stored batch. An interrupted run
    can simply be run again.
    """
    added = replaced = unchanged = undated = 0
    warnings: list[str] = []
    if supports(backend, MakesVectors) and backend.makes_vectors:
        encoder = None
    if fast and encoder is not None and not supports(backend, AddsVectors):
        raise EpochalError(
            "fast=True stores documents before their vectors, which only an index in a folder can; leave out fast"
        )
    before = backend.view() if isinstance(read, OrderedReader) else None
    with backend.bulk():
        for batch in _make_batches(_prepare_documents(documents, read)):
            hashes = backend.get_content_hashes([item.document.id for item in batch])
            fresh: list[_Given] = []
            stored: list[_Given] = []
            for item in batch:
                (stored if hashes.get(item.document.id) == item.hash else fresh).append(item)
            if before is not None:
                fresh += _select_redated(before, stored)
            if fresh:
                ready = [(item.document, item.passages()) for item in fresh]
                warnings += [item.warning for item in fresh if item.warning][: _SHOWN - len(warnings)]
                backend.add(make_entries(ready, encoder, backend.get_stored_vectors, fast=fast))
            known = sum(item.document.id in hashes for item in fresh)
            added, replaced = added + len(fresh) - known, replaced + known
            unchanged += len(batch) - len(fresh)
            undated += sum(item.document.published is None and item.document.valid is None for item in batch)
            if progress is not None:
                progress(len(batch))
    return AddReport(added=added, replaced=replaced, unchanged=unchanged, undated=undated, warnings=warnings)


def add_entries(
    backend: Backend, entries: Iterable[Entry], *, progress: Callable[[int], None] | None = None
) -> AddReport:
    """Store what was made ready elsewhere, as `add_documents` would, and report the same."""
    added = replaced = unchanged = undated = 0
    with backend.bulk():
        for batch in _make_batches(entries):
            hashes = backend.get_content_hashes([entry.document.id for entry in batch])
            fresh = [entry for entry in batch if hashes.get(entry.document.id) != entry.document.content_hash()]
            if fresh:
                backend.add(fresh)
            known = sum(entry.document.id in hashes for entry in fresh)
            added, replaced = added + len(fresh) - known, replaced + known
            unchanged += len(batch) - len(fresh)
            undated += sum(entry.document.published is None and entry.document.valid is None for entry in batch)
            if progress is not None:
                progress(len(batch))
    return AddReport(added=added, replaced=replaced, unchanged=unchanged, undated=undated)


#: Passages whose vectors are made at a time, unless one document has more: what is lost to an interruption.
_PENDING_BATCH: Final = 512
#: How often, and after how many seconds each time, a store is asked again while another writer has it.
_TRIES: Final = 600
_PAUSE: Final = 1.0


def make_vectors(
    backend: Backend,
    encoder: Encoder | None,
    *,
    progress: Callable[[int], None] | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Make the vectors that documents lack which were added with `fast`, and store them; returns of how many passages.

    Others may read and write meanwhile: the writer's lock is held only while a batch is stored. `progress` gets the
    size of each stored batch, in passages. An interrupted run can simply be run again.
    """
    store: object = backend
    if encoder is None or not supports(store, AddsVectors):
        return 0
    made = 0
    while len(pending := list_pending(view := backend.view())):
        rows = drop_repeated(view.get_document_rows(pending[:_PENDING_BATCH]))
        before = view.get_entries(rows)
        documents = [(entry.document, entry.passages) for entry in before]
        _store_vectors(store, make_entries(documents, encoder, backend.get_stored_vectors), wait)
        count = sum((entry.keys or ()).count(PENDING) for entry in before)
        made += count
        if progress is not None:
            progress(count)
    return made


def _store_vectors(store: AddsVectors, entries: Sequence[Entry], wait: Callable[[float], None]) -> None:
    for _ in range(_TRIES):
        try:
            store.add_vectors(entries)
        except IndexLockedError:
            wait(_PAUSE)
        else:
            return
    store.add_vectors(entries)


def read_passages(document: Document, read: Reader = read_times) -> tuple[Passage, ...]:
    """The passages of a document, with the times that each mentions; one that has only a title has one, empty.

    Of very many times only the first are kept: `MAX_TITLE_TIMES` of the title, `MAX_TIMES` of the text.
    """
    return _make_passages(document, _limit_times(read(document)))


def _limit_times(readings: StatedTimes) -> StatedTimes:
    title, text = readings
    if len(title) <= MAX_TITLE_TIMES and len(text) <= MAX_TIMES:
        return readings  # as nearly always
    return title[:MAX_TITLE_TIMES], text[:MAX_TIMES]


def make_entries(
    documents: Sequence[tuple[Document, tuple[Passage, ...]]],
    encoder: Encoder | None,
    get_stored_vectors: Callable[[Sequence[bytes]], Mapping[bytes, Vectors]] = lambda _: {},
    *,
    fast: bool = False,
) -> list[Entry]:
    """Make entries of documents and their passages; `get_stored_vectors` looks up existing vectors by key.

    With `fast` no text is encoded: passages without an existing vector get the key `PENDING`.
    """
    if encoder is None:
        return [Entry(document, passages) for document, passages in documents]
    texts = [[get_passage_text(document, passage) for passage in passages] for document, passages in documents]
    keys = [[_hash_text(text) for text in group] for group in texts]
    vectors = dict(get_stored_vectors([key for group in keys for key in group]))
    if fast:
        keys = [[key if key in vectors else PENDING for key in names] for names in keys]
        vectors[PENDING] = np.zeros(encoder.dim, dtype=np.float32)
    missing = {
        key: text
        for group, names in zip(texts, keys, strict=True)
        for text, key in zip(group, names, strict=True)
        if key not in vectors
    }
    if missing:
        vectors.update(zip(missing, encoder.encode_documents(list(missing.values())), strict=True))
    return [
        Entry(document, passages, _stack_vectors([vectors[key] for key in names], encoder.dim), tuple(names))
        for (document, passages), names in zip(documents, keys, strict=True)
    ]


def hash_document(document: Document) -> bytes:
    """The hash of a document, once it is sure that it can be read and stored."""
    for name, span in (("published", document.published), ("valid", document.valid)):
        if span is not None and not isinstance(span, Span):
            raise EpochalError(f"{name} of document {document.id!r} must be a Span or None, but is {span!r}")
    for name in ("id", "text", "title", "series"):
        text = getattr(document, name)
        if isinstance(text, str) and not text.isascii():
            _check_letters(document, name, text)
    try:
        return document.content_hash()
    except (TypeError, ValueError) as error:
        raise EpochalError(f"the meta of document {document.id!r} must be what JSON can hold, but {error}") from error


class _Given:
    """A document that is to be added; its passages are made when they are first asked for."""

    __slots__ = ("_made", "_read", "document", "hash", "warning")

    def __init__(self, document: Document, read: Reader) -> None:
        self.document = document
        self.hash = hash_document(document)
        self._read = read
        self._made: tuple[Passage, ...] | None = None
        #: What was left out of its passages; empty if nothing was.
        self.warning = ""

    def passages(self) -> tuple[Passage, ...]:
        if self._made is None:
            readings = self._read(self.document)
            limited = _limit_times(readings)
            self.warning = _describe_limit(self.document, readings, limited)
            self._made = _make_passages(self.document, limited)
        return self._made


def _describe_limit(document: Document, readings: StatedTimes, limited: StatedTimes) -> str:
    if limited is readings:
        return ""
    for name, stated, kept in zip(("title", "text"), readings, limited, strict=True):
        if len(kept) < len(stated):
            return (
                f"document {document.id!r}: its {name} states {len(stated):,} times; the first {len(kept):,} are kept"
            )
    return ""


def _prepare_documents(documents: Iterable[Document], read: Reader | OrderedReader) -> Iterator[_Given]:
    ordered = isinstance(read, OrderedReader)
    reader = read.begin() if isinstance(read, OrderedReader) else read
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


def _select_redated(view: View, items: list[_Given]) -> list[_Given]:
    """Those of the documents, which have not changed themselves, whose times are no longer those that are stored."""
    rows = view.find_document_rows([item.document.id for item in items])
    entries = dict(zip(rows[rows >= 0].tolist(), view.get_entries(rows[rows >= 0]), strict=True))
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


def _make_batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Lists of at most BATCH documents; the second of two with one id waits for the next list, and so wins."""
    source = iter(items)
    while batch := list(islice(source, BATCH)):
        while batch:
            by_id: dict[str, _Item] = {}
            rest: list[_Item] = []
            for item in batch:
                if item.document.id in by_id:
                    rest.append(item)
                else:
                    by_id[item.document.id] = item
            yield list(by_id.values())
            batch = rest


def _stack_vectors(vectors: list[Vectors], dim: int) -> Vectors:
    if len(vectors) == 1:
        return vectors[0][None]  # most documents are one passage
    return np.stack(vectors) if vectors else np.empty((0, dim), dtype=np.float32)


def _hash_text(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _make_passages(document: Document, readings: StatedTimes) -> tuple[Passage, ...]:
    title, text = readings
    bounds = split(document.text) or [(0, 0)]
    if not title and not text:
        return tuple(Passage(start, end) for start, end in bounds)
    common = tuple(Dating(item.span, TITLE, TITLE, item.confidence) for item in title)
    passages: list[Passage] = []
    place = 0
    for start, end in bounds:
        own = []
        while place < len(text) and text[place].start_char < end:
            item = text[place]
            own.append(Dating(item.span, item.start_char - start, min(item.end_char, end) - start, item.confidence))
            place += 1
        passages.append(Passage(start, end, common + tuple(own)))
    return tuple(passages)


#: How sure a date is that the opening states, at least in part, and one that was carried over whole.
_STATED: Final = 0.95
_CARRIED: Final = 0.85
#: What a date further in is worth beside them: the text may tell of another time there, and come back.
_LATER_CONFIDENCE: Final = 0.75


@dataclass(frozen=True, slots=True)
class SequenceReader:
    """Reads documents in the order in which they are added; give it to `Index.add` as `read`.

    `calendar`, `start` and `carry` are those of `read_sequence`: a regnal calendar for annals, "gregorian" for diaries
    and logs. Every call of `add` begins at `start` again. With `by`, documents whose `meta` has different values under
    that key are sequences of their own: several logs may come mixed. With `only`, a key and a value, documents whose
    `meta` has another value there are read each by itself: notes on a chronicle are not part of it. Of a sequence
    nothing is kept but the date it has got to, so it may be as long as you like.
    """

    calendar: str | RegnalCalendar = "gregorian"
    start: CalendarDate | Span | None = None
    carry: Literal["opening", "last"] = "opening"
    by: str | None = None
    only: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self._make_carrier()

    @classmethod
    def named(
        cls,
        calendar_name: str,
        start: str | None = None,
        by: str | None = None,
        only: tuple[str, str] | None = None,
    ) -> SequenceReader:
        """The reader of a calendar, from the text of the date that it starts at, in that calendar."""
        if start is None:
            return cls(calendar_name, by=by, only=only)
        if calendar_name == "gregorian":
            return cls(calendar_name, Span.parse(start), by=by, only=only)
        dates = calendar(calendar_name).parse(start)
        if len(dates) != 1:
            raise EpochalError(
                f"the start {start!r} has {len(dates)} readings in {calendar_name}; accepted: a date with one"
            )
        return cls(calendar_name, dates[0], by=by, only=only)

    def _make_carrier(self) -> DateCarrier:
        return make_carrier(self.calendar, self.start, self.carry)

    def begin(self) -> Reader:
        """A reader for one run of documents, which is at `start`."""
        return _Run(self)


class _Run:
    """The reader of one run: for each sequence the date that it has got to."""

    def __init__(self, reader: SequenceReader) -> None:
        self._reader = reader
        self._carriers: dict[Hashable, DateCarrier] = {}

    def __call__(self, document: Document) -> StatedTimes:
        only = self._reader.only
        if only is not None and document.meta.get(only[0]) != only[1]:
            return read_times(document)
        at = self._get_carrier(document)
        # A heading moves a sequence on; the text below it, which inherits its date, states that date more finely.
        heading = _get_opening_range(at.read(document.title)) if document.title else []
        mentions = _find_mentions(document.title, at, document) if document.title else []
        if not document.text:
            return heading + mentions, []
        own = _get_opening_range(at.read(document.text))
        inside = own + _find_mentions(document.text, at, document)
        return mentions, _extend_to_passages(document.text, inside, own if self._reader.carry == "opening" else inside)

    def _get_carrier(self, document: Document) -> DateCarrier:
        by = self._reader.by
        key = None if by is None else document.meta.get(by)
        if not isinstance(key, Hashable):
            raise EpochalError(
                f"document {document.id!r} has {key!r} under {by!r}; the name of a sequence must be a text or a number"
            )
        if key not in self._carriers:
            self._carriers[key] = self._reader._make_carrier()
        return self._carriers[key]


def _get_opening_range(carried: CarriedDate) -> list[StatedRange]:
    if carried.span is None:
        return []
    sure = _STATED if carried.stated else _CARRIED
    return [StatedRange(carried.span, carried.start_char, carried.end_char, sure, ())]


def _find_mentions(text: str, at: DateCarrier, document: Document) -> list[StatedRange]:
    """The dates further in, counted from that of the text, or from when the document was published."""
    ranges = stated_ranges(text, at.later(text, document.published))
    return [replace(item, confidence=_LATER_CONFIDENCE * item.confidence) for item in ranges]


def _extend_to_passages(text: str, ranges: list[StatedRange], over: list[StatedRange]) -> list[StatedRange]:
    """The runs with one more for each passage but the first: the last of those `over` it."""
    starts = {item.start_char for item in ranges}
    lasts = [item.start_char for item in over]
    carried = []
    for start, _ in split(text)[1:]:
        last = bisect_left(lasts, start)
        if last and start not in starts:
            span, sure = over[last - 1].span, over[last - 1].confidence
            carried.append(StatedRange(span, start, start, min(sure, _CARRIED), ()))
    return sorted([*ranges, *carried], key=lambda item: item.start_char)
