"""A time that somebody asks for by text: EDTF, ISO 8601, or words; one reading, or an error that names them all."""

from __future__ import annotations

from epochal.errors import EpochalError, TimeParseError
from epochal.times.span import Span
from epochal.times.when import resolve

__all__ = ["asked_time"]


def asked_time(text: str | None, name: str, now: Span | None = None) -> Span | None:
    """The span that a value stands for, None where none was given; `name` is what errors call it.

    >>> asked_time("March 2011", "--during").edtf()
    '2011-03'
    >>> asked_time("永和元年", "--during")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: --during '永和元年' may be any of several times: 0136-02-19/0137-02-06, ...; give one
    """
    if text is None:
        return None
    stripped = text.strip()
    try:
        return Span.parse(stripped)
    except TimeParseError:
        pass  # it may be words: that is told next, with all that is accepted
    try:
        readings = resolve(stripped, now=now)
    except EpochalError as error:
        raise EpochalError(f"{name}: {error}") from error
    spans = list(dict.fromkeys(reading.span for reading in readings))
    if len(spans) > 1:
        named = ", ".join(span.edtf() for span in spans[:6])
        raise EpochalError(f"{name} {stripped!r} may be any of several times: {named}; give one")
    return spans[0]
