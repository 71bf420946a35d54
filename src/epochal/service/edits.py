"""Edits: what a question was understood to ask of time, as somebody has corrected it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epochal.errors import EpochalError
from epochal.reading.questions.question import Constraint, Understanding
from epochal.times import Span

__all__ = ["edited"]


def edited(asked: Understanding, drop: Sequence[int] = (), periods: Sequence[Span] | None = None) -> Understanding:
    """An understanding without some of its constraints, counted from 0, or with other periods in place of them all.

    A period goes with the constraint that it was read from. Periods that are given are times that the answer must
    have, each as a constraint of its own; with two or more of them the answer must cover them all.

    >>> from epochal.reading.questions import understand
    >>> asked = understand("Compare the fees of 1998 with those of 2008")
    >>> [span.edtf() for span in edited(asked, drop=[0]).periods], edited(asked, drop=[0]).cross_period
    (['2008'], False)
    >>> [item.span.edtf() for item in edited(asked, periods=[Span.year(2001), Span.year(1999)]).constraints]
    ['1999', '2001']
    >>> edited(asked, drop=[2])
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: drop has 2, but the question has 2 constraints; accepted: 0 to 1
    """
    count = len(asked.constraints)
    for place in drop:
        if not 0 <= place < count:
            accepted = f"0 to {count - 1}" if count else "none, for this question"
            raise EpochalError(f"drop has {place}, but the question has {count} constraints; accepted: {accepted}")
    if periods is not None:
        return _with_periods(asked, sorted(set(periods), key=lambda span: (span.start, span.end)))
    return _without(asked, frozenset(drop)) if drop else asked


def _with_periods(asked: Understanding, periods: Sequence[Span]) -> Understanding:
    return replace(
        asked,
        constraints=tuple(Constraint("during", span) for span in periods),
        periods=tuple(periods),
        cross_period=len(periods) > 1,
        plan=tuple(step for step in asked.plan if step.period is None or step.period in periods),
    )


def _without(asked: Understanding, drop: frozenset[int]) -> Understanding:
    gone = [item.span for place, item in enumerate(asked.constraints) if place in drop]
    kept = tuple(item for place, item in enumerate(asked.constraints) if place not in drop)

    def stays(period: Span) -> bool:
        return not any(period in span for span in gone) or any(period in item.span for item in kept)

    periods = tuple(period for period in asked.periods if stays(period))
    return replace(
        asked,
        constraints=kept,
        periods=periods,
        cross_period=asked.cross_period and len(periods) > 1,
        plan=tuple(step for step in asked.plan if step.period is None or stays(step.period)),
    )
