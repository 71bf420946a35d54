"""A date with what modifies it: "early", "the end of", "circa"."""

from __future__ import annotations

import contextlib

from epochal.errors import TimeRangeError
from epochal.reading.english.found import Found, Meaning
from epochal.reading.english.values import date_value
from epochal.times import Certainty, Grain, Span

__all__ = ["dated"]


def dated(span: Span, found: Found, confidence: float = 0.95) -> Meaning:
    """A unit of time with what "early", "the end of" or "circa" do to it.

    >>> from epochal.reading.english.tokens import tokenise
    >>> dated(Span.year(1998), Found(tokenise("early 1998"), 0, 2)).span.edtf()
    '1998-01~/1998-04~'
    """
    mod = found.mod()
    parts = {"START": "early", "MID": "mid", "END": "late"}
    value = date_value(span)
    if mod in parts and span.grain >= Grain.MONTH:
        # A unit that is no single one of its grain keeps its whole.
        with contextlib.suppress(TimeRangeError):
            span = span.part(parts[mod])  # type: ignore[arg-type]
    elif mod == "APPROX":
        span = span.with_certainty(Certainty.APPROXIMATE)
    return Meaning("DATE", value, span, mod, confidence)
