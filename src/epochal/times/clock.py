"""The one place that may read the wall clock. Everything below the outermost call takes `now` as an argument."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from epochal.times.span import Span

__all__ = ["Clock", "FixedClock", "SystemClock", "stopwatch"]


class Clock(Protocol):
    """Tells the time.

    >>> clock: Clock = FixedClock(Span.parse("2026-11-15"))
    >>> clock.now().edtf()
    '2026-11-15'
    """

    def now(self) -> Span:
        """The present, in the grain the clock knows it."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock, to the second.

    >>> SystemClock().now().seconds
    1
    """

    def now(self) -> Span:
        """The present second."""
        return Span.at(int(time.time()))


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still, for tests and for questions asked of the past.

    >>> FixedClock(Span.year(1999)).now().describe()
    '1999'
    """

    present: Span

    def now(self) -> Span:
        """The time it was set to."""
        return self.present


def stopwatch() -> float:
    """Seconds that pass, from no point in particular: for how long something takes, never for what time it is.

    >>> stopwatch() <= stopwatch()
    True
    """
    return time.perf_counter()
