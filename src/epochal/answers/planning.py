"""Plan: which times a question asks about, so that each can be looked up by itself."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.ranking.windows import Window, windows_of
from epochal.reading.questions import understand
from epochal.reading.questions.question import Understanding
from epochal.times import Span

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, what it asks of time, and the times to look in, in their order; none where it names none.

    >>> make_plan("Compare fees in 2017 with those of 2009").topic
    'Compare fees with those'
    """

    question: str
    now: Span | None
    understanding: Understanding
    windows: tuple[Window, ...]

    @property
    def topic(self) -> str:
        """The question without its time words, to be asked of each of its times.

        >>> make_plan("What did the bank do in 2003?").topic
        'What did the bank do'
        """
        return self.understanding.topic or self.question


def make_plan(question: str, now: Span | None = None) -> Plan:
    """The plan of a question. Where it sets periods against each other, these are what must be covered.

    >>> [window.span.edtf() for window in make_plan("How did fees change from 2009 to 2017?").windows]
    ['2009', '2017']
    >>> [window.span.edtf() for window in make_plan("What happened from 2009 to 2017?").windows]
    ['2009/2017']
    """
    asked = understand(question, now)
    windows = windows_of(asked)
    if asked.cross_period and len(asked.periods) > 1:
        windows = tuple(window for window in windows if window.span in asked.periods)
    return Plan(question, now, asked, tuple(sorted(windows, key=lambda item: (item.span.start, item.span.end))))
