"""Window: a time that a question asks for, as the ranker uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from epochal.reading.questions.question import Axis, Constraint, Understanding
from epochal.times import Span

__all__ = ["Window", "windows_of"]

_FROM_TO: Final = re.compile(r"\b(?:to|until|till|through)\b|\d\s?[-–—]\s?\w*\s?\d|[至到]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Window:
    """A span that is asked for, on the axis that is meant: what a document speaks of, or when it appeared.

    `throughout` says that something is asked about that lasted for the whole of it ("from 1916 to 1920"), so that a
    text which states its first or last moment says more than one which states a moment in between.

    >>> Window(Span.year(1998)).axis
    'content'
    """

    span: Span
    axis: Axis = "content"
    throughout: bool = False


def windows_of(understanding: Understanding, extra: Iterable[Span] = ()) -> tuple[Window, ...]:
    """The windows of a question: its constraints that bind, periods that none of them names, and spans given beside it.

    >>> from epochal.reading.questions import understand
    >>> [window.span.edtf() for window in windows_of(understand("Who owned the house from 1916 to 1920?"))]
    ['1916/1920']
    """
    found = [_window(item) for item in understanding.constraints if item.binds]
    named = {window.span for window in found}
    if understanding.cross_period:
        found += [Window(period) for period in understanding.periods if period not in named]
    found += [Window(span) for span in extra if span not in named]
    return tuple(dict.fromkeys(found))


def _window(item: Constraint) -> Window:
    """A range from here to there is asked about as a whole; "between 1916 and 1920" and "the 1920s" mean any time."""
    words = item.evidence.text if item.relation == "between" and item.evidence is not None else ""
    return Window(item.span, item.axis, _FROM_TO.search(words) is not None)
