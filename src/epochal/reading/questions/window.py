"""Window: a stretch of stated length beside a stated time, as "the three months before May 1998" names it."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.reading.binding import Relation
from epochal.times import Span

__all__ = ["Window"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window, the relation it was stated by, and where its words start and end, those of its anchor among them.

    `goes_on` says that what the words name may be named more finely right behind them: 次年三月.

    >>> Window("before", Span.parse("2013-12/2014-02"), 0, 13).span.days
    90
    """

    relation: Relation
    span: Span
    start: int
    end: int
    goes_on: bool = False
