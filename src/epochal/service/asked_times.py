"""Times that a request carries: as on the command line, but a blank one is none."""

from __future__ import annotations

from epochal.times import Span
from epochal.times.asked import asked_time as read_time

__all__ = ["asked_time"]


def asked_time(text: str | None, name: str, now: Span | None = None) -> Span | None:
    """The span that a value stands for; None where none was given.

    >>> asked_time("March 2011", "during").edtf()
    '2011-03'
    >>> asked_time(" ", "during") is None
    True
    """
    return None if text is None or not text.strip() else read_time(text, name, now)
