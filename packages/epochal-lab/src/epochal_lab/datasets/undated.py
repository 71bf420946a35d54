"""A test set with the times of some documents taken out, as papers do with "missing timestamps", but also of the text.

Without the dates of a document but with its text as it was, a word match on the year finds what the dates would have.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from epochal.errors import EpochalError
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchSet

_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_SPACES: Final = re.compile(r"[ \t]{2,}")
#: Metadata that say when something was.
_TIME_KEYS: Final = frozenset(("times", "time_id", "date", "year", "month", "day", "published", "issued", "target"))


def remove_times(bench_set: BenchSet, share: float) -> BenchSet:
    """The set with a share of its documents undated: no dates, no time expressions in title and text, no metadata.

    Which documents, the hashes of their ids decide, so that a larger share takes more of the same.
    """
    if not 0 <= share <= 1:
        raise EpochalError(f"share is {share}; accepted: 0 to 1")
    return replace(bench_set, documents=_UndatedDocuments(bench_set.documents, share)) if share else bench_set


def remove_document_times(document: Document) -> Document:
    """A document without its dates and without the times that its texts state.

    >>> remove_document_times(Document("a", "In May 1815 the tolls of 1814 were doubled.")).text
    'the tolls of were doubled.'
    """
    meta = {key: value for key, value in document.meta.items() if key not in _TIME_KEYS}
    title, text = remove_stated_times(document.title), remove_stated_times(document.text)
    return replace(document, text=text, title=title, published=None, valid=None, meta=meta)


def remove_stated_times(text: str) -> str:
    """A text without its time expressions, the "in" before them, and numbers that look like years."""
    for item in reversed(tag(text)):
        before = re.sub(r"(?:\b(?:in|on|at|during|since|from|until|by|as of|back in|the year)\s+)+$", "",
                        text[: item.start_char], flags=re.IGNORECASE)  # fmt: skip
        text = f"{before} {text[item.end_char :]}"
    return _SPACES.sub(" ", _YEAR.sub(" ", text)).strip()


@dataclass(frozen=True, slots=True, eq=False)
class _UndatedDocuments:
    documents: Iterable[Document]
    share: float

    def __iter__(self) -> Iterator[Document]:
        for document in self.documents:
            yield remove_document_times(document) if _draw(document.id) < self.share else document


def _draw(id: str) -> float:
    digest = hashlib.blake2b(b"undated\0" + id.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
