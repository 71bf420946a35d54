"""Spans and datings as bytes: every number of theirs, so that what is read back is equal to what was stored."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

import numpy as np

from epochal.errors import EpochalError
from epochal.index.records import Dating
from epochal.times import Certainty, Grain, Span

__all__ = ["DATING", "SPAN", "pack_datings", "pack_span", "unpack_datings", "unpack_span"]

_SPAN_FIELDS: Final = [
    ("start", "<i8"),
    ("end", "<i8"),
    ("grain", "i1"),
    ("end_grain", "i1"),
    ("certainty", "i1"),
    ("end_certainty", "i1"),
]

#: A packed span as numpy sees it.
SPAN: Final = np.dtype(_SPAN_FIELDS)
#: A packed dating as numpy sees it.
DATING: Final = np.dtype([*_SPAN_FIELDS, ("confidence", "<f8"), ("start_char", "<i4"), ("end_char", "<i4")])

_SPAN: Final = struct.Struct("<qqbbbb")
_DATING: Final = struct.Struct("<qqbbbbdii")


def pack_span(span: Span) -> bytes:
    """A span as bytes.

    >>> len(pack_span(Span.year(1998))) == SPAN.itemsize
    True
    """
    return _SPAN.pack(span.start, span.end, span.grain, span.end_grain, span.certainty, span.end_certainty)


def unpack_span(packed: bytes) -> Span:
    """The span that was packed.

    >>> unpack_span(pack_span(Span.parse("1984~/..")))
    Span.parse('1984~/..')
    """
    start, end, grain, end_grain, certainty, end_certainty = _SPAN.unpack(packed)
    return Span(start, end, Grain(grain), Grain(end_grain), Certainty(certainty), Certainty(end_certainty))


def pack_datings(datings: Iterable[Dating]) -> bytes:
    """Datings as bytes, one after the other.

    >>> len(pack_datings([Dating(Span.year(1998), 3, 7)])) == DATING.itemsize
    True
    """
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


def unpack_datings(packed: bytes) -> tuple[Dating, ...]:
    """The datings that were packed.

    >>> unpack_datings(pack_datings([Dating(Span.year(1998), 3, 7)]))[0].span
    Span.parse('1998')
    """
    return tuple(
        Dating(
            Span(start, end, Grain(grain), Grain(end_grain), Certainty(certainty), Certainty(end_certainty)),
            start_char,
            end_char,
            confidence,
        )
        for (start, end, grain, end_grain, certainty, end_certainty, confidence, start_char, end_char) in (
            _DATING.iter_unpack(packed)
        )
    )
