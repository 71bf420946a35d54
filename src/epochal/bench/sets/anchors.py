"""Time anchors in words, as annotators write them ("44 BCE", "April-May 2023", "Middle Ages"), to periods."""

from __future__ import annotations

from collections.abc import Iterable

from epochal.errors import EpochalError
from epochal.times import Span, resolve

__all__ = ["anchor_periods", "scope"]


def anchor_periods(anchors: Iterable[str]) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The periods that anchors name, each once and in chronological order, and the anchors that name none.

    An anchor may name several periods; one within another of the same anchor is not a second one.

    >>> periods, unread = anchor_periods(["2017", "44 BCE", "1914-1918", "2009 (January 2009)", "the early days"])
    >>> [period.edtf() for period in periods], unread
    (['-0043', '1914/1918', '2009', '2017'], ('the early days',))
    """
    found: set[Span] = set()
    unread: list[str] = []
    for anchor in anchors:
        spans = _spans(anchor)
        found.update(spans)
        if not spans:
            unread.append(anchor)
    return tuple(sorted(found, key=lambda span: (span.start, span.end))), tuple(unread)


def scope(start: str, end: str) -> Span | None:
    """The span of a guess at a scope: YYYY, YYYY-MM or YYYY-MM-DD at both ends, or at one; None where it says nothing.

    >>> scope("1914", "1918").edtf(), scope("1998-05", "").edtf(), scope("", ""), scope("1918", "1914")
    ('1914/1918', '1998-05', None, None)
    """
    given = [text.strip() for text in (start, end) if text.strip()]
    try:
        spans = [Span.parse(text) for text in given]
        return Span.between(spans[0], spans[-1]) if len(set(given)) > 1 else spans[0] if spans else None
    except EpochalError:
        return None


def _spans(anchor: str) -> list[Span]:
    from epochal.reading import stretches, tag

    try:
        return [reading.span for reading in resolve(anchor, calendar="gregorian")]
    except EpochalError:
        pass  # no single expression: words around a date, or the name of an event
    spans = [item.span for item in stretches(anchor, tag(anchor, implicit=True))]
    return [span for span in spans if not any(span != other and span in other for other in spans)]
