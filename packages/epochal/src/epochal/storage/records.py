"""What is stored: documents, their passages, the times they mention, and how these are packed as bytes."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.times.axis import Certainty, Grain
from epochal.times.span import Span

#: Characters of a text that a `repr` shows.
_SHOWN: Final = 60
#: The position of a dating that was read in the title: it dates the passage without being part of it.
TITLE: Final = -1


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """A text with an id and its times.

    `published` is when it appeared, `valid` is when its content is valid, and `series` names the chain of versions that
    it belongs to. A time is a `Span`, a date, a datetime, a year or a text. `meta` holds anything else that JSON can
    represent.

    >>> Document("p1", "Tariffs rise in May.", published="2 May 1998").published
    Span.parse('1998-05-02')
    """

    id: str
    text: str
    title: str = ""
    published: Span | None = None
    valid: Span | None = None
    series: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        id: str,
        text: str,
        title: str = "",
        published: Span | dt.date | int | str | None = None,
        valid: Span | dt.date | int | str | None = None,
        series: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        store = object.__setattr__
        store(self, "id", id)
        store(self, "text", text)
        store(self, "title", title)
        store(self, "published", _read_time(published, "published", id))
        store(self, "valid", _read_time(valid, "valid", id))
        store(self, "series", series)
        store(self, "meta", {} if meta is None else meta)
        self._check()

    def _check(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise EpochalError(f"a document's id must be a text that is not empty, but is {self.id!r}")
        if not isinstance(self.text, str) or not isinstance(self.title, str):
            raise EpochalError(f"the text and the title of document {self.id!r} must be texts")

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        parts = [repr(self.id), repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")]
        for name in ("title", "published", "valid", "series"):
            if value := getattr(self, name):
                parts.append(f"{name}={str(value)!r}")
        return f"Document({', '.join(parts)})"

    def content_hash(self) -> bytes:
        """Sixteen bytes that differ when anything but the id differs.

        >>> Document("p1", "Tariffs rise.").content_hash() == Document("p2", "Tariffs rise.").content_hash()
        True
        """
        spans = f"{_write_span(self.published)}, {_write_span(self.valid)}"
        series = "null" if self.series is None else _write_sorted(self.series)
        meta = _write_sorted(dict(self.meta)) if self.meta else "{}"
        content = f"[{len(self.title)}, [{spans}], {series}, {meta}]{self.title}{self.text}"
        return hashlib.blake2b(content.encode(), digest_size=16).digest()


#: Made once: `json.dumps` makes an encoder for each text.
_write_sorted: Final = json.JSONEncoder(sort_keys=True).encode


#: A span as JSON: the encoder takes longer over the numbers of enumerations.
_SPAN_JSON: Final = "[%d, %d, %d, %d, %d, %d]"


def _write_span(span: Span | None) -> str:
    if span is None:
        return "null"
    return _SPAN_JSON % (span.start, span.end, span.grain, span.end_grain, span.certainty, span.end_certainty)


def _read_time(value: Span | dt.date | int | str | None, name: str, id: object) -> Span | None:
    """The time of a document from whatever was given for it."""
    if value is None or isinstance(value, Span):
        return value
    from epochal.reading.resolve import parse_time

    return parse_time(value, f"{name} of document {id!r}")


@dataclass(frozen=True, slots=True)
class Dating:
    """A time that a passage states at `text[start_char:end_char]`.

    Both positions are `TITLE` for a time in the title of the document.
    """

    span: Span
    start_char: int
    end_char: int
    confidence: float = 1.0


def has_position(dating: Dating, size: int) -> bool:
    """Whether the position of a dating lies in a passage of so many characters, or in the title."""
    return 0 <= dating.start_char <= dating.end_char <= size or dating.start_char == dating.end_char == TITLE


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document's text, `text[start_char:end_char]`, with the times that it states."""

    start_char: int
    end_char: int
    datings: tuple[Dating, ...] = ()


#: The key of a passage whose vector is not made yet, and is zero until then: the hash of no text is so short.
PENDING: Final = b""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document that is ready to be stored, with its passages and, unless the index has none, a vector for each.

    `keys`, one per passage, identify what was encoded (by a hash, for example), so that its vector can be reused. Where
    one is `PENDING`, the vector is made later.
    """

    document: Document
    passages: tuple[Passage, ...]
    vectors: npt.NDArray[np.float32] | None = None
    keys: tuple[bytes, ...] | None = None


_SPAN_FIELDS: Final = [
    ("start", "<i8"),
    ("end", "<i8"),
    ("grain", "i1"),
    ("end_grain", "i1"),
    ("certainty", "i1"),
    ("end_certainty", "i1"),
]

#: The numpy type of a packed span.
SPAN: Final = np.dtype(_SPAN_FIELDS)
#: The numpy type of a packed dating.
DATING: Final = np.dtype([*_SPAN_FIELDS, ("confidence", "<f8"), ("start_char", "<i4"), ("end_char", "<i4")])

_SPAN: Final = struct.Struct("<qqbbbb")
_DATING: Final = struct.Struct("<qqbbbbdii")


def pack_span(span: Span) -> bytes:
    """Convert a span to bytes."""
    return _SPAN.pack(span.start, span.end, span.grain, span.end_grain, span.certainty, span.end_certainty)


def unpack_span(packed: bytes) -> Span:
    """Convert bytes to a span."""
    return _make_span(*_SPAN.unpack(packed))


@lru_cache(maxsize=1 << 14)  # many documents have the same day
def _make_span(start: int, end: int, grain: int, end_grain: int, certainty: int, end_certainty: int) -> Span:
    return Span(start, end, Grain(grain), Grain(end_grain), Certainty(certainty), Certainty(end_certainty))


def pack_datings(datings: Iterable[Dating]) -> bytes:
    """Convert datings to bytes."""
    packed = []
    for dating in datings:
        span = dating.span
        try:
            packed.append(
                _DATING.pack(
                    span.start,
                    span.end,
                    span.grain,
                    span.end_grain,
                    span.certainty,
                    span.end_certainty,
                    dating.confidence,
                    dating.start_char,
                    dating.end_char,
                )
            )
        except struct.error as error:
            raise EpochalError(f"{dating!r} cannot be stored: {error}") from error
    return b"".join(packed)


def parse_meta(text: str) -> dict[str, Any]:
    """The metadata of a document, as they are stored."""
    meta = json.loads(text)
    if not isinstance(meta, dict):
        raise ValueError("its metadata are no table of names")
    return meta


def unpack_datings(packed: bytes) -> tuple[Dating, ...]:
    """Convert bytes to datings."""
    return tuple(
        Dating(
            _make_span(start, end, grain, end_grain, certainty, end_certainty),
            start_char,
            end_char,
            confidence,
        )
        for (start, end, grain, end_grain, certainty, end_certainty, confidence, start_char, end_char) in (
            _DATING.iter_unpack(packed)
        )
    )
