"""Which documents are stored already, in sixteen bytes a document, for workers to pass over."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from epochal.index.records import Document

__all__ = ["Known"]

_BATCH = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Ids and contents of documents, 64 bits of the hash of each.

    Whoever stores asks the index itself once more; this only spares workers what would be thrown away.

    >>> known = Known.of([Document("p1", "Rain."), Document("p2", "Sun.")])
    >>> known.has("p1", Document("p1", "Rain.").content_hash()), known.has("p1", Document("p1", "Sun.").content_hash())
    (True, False)
    """

    ids: npt.NDArray[np.uint64]
    contents: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Known:
        """What is known of documents, which are gone through once.

        >>> len(Known.of([]).ids)
        0
        """
        source = iter(documents)
        ids, contents = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
        while batch := list(islice(source, _BATCH)):
            ids.append(np.array([_number(document.id) for document in batch], np.uint64))
            contents.append(np.array([_start(document.content_hash()) for document in batch], np.uint64))
        every = np.concatenate(ids)
        order = np.argsort(every, kind="stable")
        return cls(every[order], np.concatenate(contents)[order])

    def has(self, id: str, content_hash: bytes) -> bool:
        """Whether a document of that id is stored with that content.

        >>> Known.of([]).has("p1", bytes(16))
        False
        """
        number = np.uint64(_number(id))
        first = int(np.searchsorted(self.ids, number, "left"))
        last = int(np.searchsorted(self.ids, number, "right"))
        return bool((self.contents[first:last] == np.uint64(_start(content_hash))).any())


def _number(id: str) -> int:
    return _start(hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _start(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")
