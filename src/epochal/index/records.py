"""What is stored: a document, the passages it is split into, and the times that they speak of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.times import Span

__all__ = ["TITLE", "Dating", "Document", "Entry", "Passage", "is_placed"]

#: The place of a dating that was read in the title: it dates the passage, and stands outside it.
TITLE: Final = -1


@dataclass(frozen=True, slots=True)
class Document:
    """A text with an id, and what is known of its times.

    `published` is when it appeared, `valid` the stretch for which it holds, and `series` names the chain of versions
    that it belongs to. `meta` holds anything else that JSON can hold.

    >>> Document("p1", "Tariffs rise in May.", published=Span.parse("1998-03")).published.edtf()
    '1998-03'
    """

    id: str
    text: str
    title: str = ""
    published: Span | None = None
    valid: Span | None = None
    series: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise EpochalError(f"a document's id must be a text that is not empty, but is {self.id!r}")
        if not isinstance(self.text, str) or not isinstance(self.title, str):
            raise EpochalError(f"the text and the title of document {self.id!r} must be texts")

    def content_hash(self) -> bytes:
        """Sixteen bytes that differ when anything but the id differs.

        >>> Document("p1", "Tariffs rise.").content_hash() == Document("p2", "Tariffs rise.").content_hash()
        True
        """
        spans = [
            span and (span.start, span.end, span.grain, span.end_grain, span.certainty, span.end_certainty)
            for span in (self.published, self.valid)
        ]
        rest = json.dumps([len(self.title), spans, self.series, dict(self.meta)], sort_keys=True)
        told = hashlib.blake2b(rest.encode(), digest_size=16)
        told.update(self.title.encode())
        told.update(self.text.encode())
        return told.digest()


@dataclass(frozen=True, slots=True)
class Dating:
    """A time that a passage speaks of, and where: `text[start_char:end_char]` of the passage.

    Both places are `TITLE` for a time that the title of the document states.

    >>> Dating(Span.year(1998), 3, 7).confidence
    1.0
    """

    span: Span
    start_char: int
    end_char: int
    confidence: float = 1.0


def is_placed(dating: Dating, size: int) -> bool:
    """Whether the place of a dating is one in a passage of so many characters, or in the title.

    >>> is_placed(Dating(Span.year(1998), 3, 7), 20), is_placed(Dating(Span.year(1998), 3, 7), 5)
    (True, False)
    """
    return 0 <= dating.start_char <= dating.end_char <= size or dating.start_char == dating.end_char == TITLE


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document's text, `text[start_char:end_char]`, with the times that it speaks of.

    >>> Passage(0, 20, (Dating(Span.year(1998), 3, 7),)).datings[0].span.edtf()
    '1998'
    """

    start_char: int
    end_char: int
    datings: tuple[Dating, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A document that is ready to be stored: split, dated, and encoded, one vector a passage; None without vectors.

    `keys`, one a passage, name what was encoded (a hash of it, say), so that its vector can be asked for again.

    >>> Entry(Document("p1", "Tariffs rise."), (Passage(0, 13),)).vectors is None
    True
    """

    document: Document
    passages: tuple[Passage, ...]
    vectors: npt.NDArray[np.float32] | None = None
    keys: tuple[bytes, ...] | None = None
