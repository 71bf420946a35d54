"""What is known of a document's time, and how surely: when it was published, what it is about, what its text states.

Three axes, because a question must say which of them it means. `published` is the date of the document. `about` are the
times of the document as a whole: those under `meta["times"]`, or else the dates in its title. `stated` are the times of
single sentences, each with the place of its words.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.ingest import read_times
from epochal.storage.importers.fields import DateReader
from epochal.storage.importers.read import Reading, read
from epochal.storage.records import TITLE, Document, Entry
from epochal.times.span import Span

#: Below this confidence a time that was read in a text is a guess, which no gold may rest on.
MIN_CONFIDENCE: Final = 0.8


@dataclass(frozen=True, slots=True)
class Stated:
    """A time that a text states: `text[start_char:end_char]` are its words."""

    span: Span
    start_char: int
    end_char: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Facts:
    """A document and its times."""

    document: Document
    about: tuple[Span, ...] = ()
    stated: tuple[Stated, ...] = ()
    #: Where in the title its dates stand, so that they are no part of a topic.
    title_times: tuple[tuple[int, int], ...] = ()

    @property
    def is_dated(self) -> bool:
        """Whether anything at all is known of the document's time."""
        return bool(self.document.published or self.document.valid or self.about or self.stated)


def collect_facts(document: Document) -> Facts:
    """The facts of a document that has not been indexed: its times are read here."""
    title, text = read_times(document)
    return Facts(
        document,
        _get_given_times(document) or tuple(item.span for item in title if item.confidence >= MIN_CONFIDENCE),
        tuple(Stated(item.span, item.start_char, item.end_char, item.confidence) for item in text),
        tuple((item.start_char, item.end_char) for item in title),
    )


def facts_of_entry(entry: Entry) -> Facts:
    """The facts of a document that an index holds, with the times that it was indexed with: carried ones too."""
    document = entry.document
    title: dict[Span, float] = {}
    stated = []
    for passage in entry.passages:
        for dating in passage.datings:
            if dating.start_char == TITLE:
                title[dating.span] = dating.confidence
                continue
            start = passage.start_char
            stated.append(Stated(dating.span, start + dating.start_char, start + dating.end_char, dating.confidence))
    positions = read_times(Document(document.id, "", document.title, document.published))[0] if title else ()
    return Facts(
        document,
        _get_given_times(document) or tuple(span for span, confidence in title.items() if confidence >= MIN_CONFIDENCE),
        tuple(stated),
        tuple((item.start_char, item.end_char) for item in positions),
    )


def is_index(source: str | os.PathLike[str]) -> bool:
    """Whether a source is the folder of an index, or the address of one."""
    from epochal.storage.addresses import get_provider, provides

    return provides(source) and get_provider(source).exists(source)


def iterate_facts(source: str | os.PathLike[str] | Iterable[Document], *, format: str | None = None) -> Iterator[Facts]:
    """The facts of everything in a source: an index, anything that `epochal.storage.importers.read` reads, or
    documents.
    """
    if not isinstance(source, (str, os.PathLike)):
        yield from (collect_facts(document) for document in source)
        return
    if not is_index(source):
        yield from (collect_facts(document) for document in _check_readable(read(source, format=format)))
        return
    from epochal.storage.addresses import get_provider

    with closing(get_provider(source).open(source)) as backend:
        view = backend.view()
        rows = view.alive_documents
        for start in range(0, len(rows), 1000):
            yield from (facts_of_entry(entry) for entry in view.get_entries(rows[start : start + 1000]))


def hash_choice(seed: int, *parts: str) -> int:
    """A number that depends on the seed and on what is chosen for, and on nothing else."""
    digest = hashlib.blake2b("\0".join((str(seed), *parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _check_readable(reading: Reading) -> Iterator[Document]:
    yield from reading
    if not reading.read:
        raise EpochalError(f"{reading.source} has no row that can be read, of {reading.bad:,}")


def _get_given_times(document: Document) -> tuple[Span, ...]:
    """The times that whoever made the document knows it to be about."""
    times: Any = document.meta.get("times") or ()
    if not isinstance(times, (list, tuple)):
        raise EpochalError(f"meta 'times' of document {document.id!r} must be a list of EDTF texts, but is {times!r}")
    dates = DateReader()
    return tuple(dates.read(value, "times") for value in times)
