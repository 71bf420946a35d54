"""A fixed encoding of time: waves of many lengths, from a day to ten thousand years."""

from __future__ import annotations

from typing import Final

import numpy as np

from epochal.encoders.base import unit_rows
from epochal.ranking.pool import Floats
from epochal.times import OPEN_END, OPEN_START, SpanSet

__all__ = ["waves"]

_DAY: Final = 86_400.0
_SHORTEST: Final = 2 * _DAY
_LONGEST: Final = 10_000 * 365.2425 * _DAY


def waves(spans: SpanSet, dim: int) -> Floats:
    """Vectors of length 1, one a span: sines and cosines of its time, averaged over the span.

    The lengths of the waves fall evenly on a logarithmic scale. Over a long span the short waves cancel out, so that a
    year is like its neighbours and says nothing of days. An open end counts as the unit at the other end.

    >>> from epochal.times import Span
    >>> found = waves(SpanSet.of([Span.year(1998), Span.year(1999), Span.year(1950)]), 64)
    >>> bool(found[0] @ found[1] > found[0] @ found[2])
    True
    """
    starts, ends = spans.starts.copy(), spans.ends.copy()
    for place in np.flatnonzero((starts == OPEN_START) | (ends == OPEN_END)).tolist():
        span = spans[place]
        if span.start != OPEN_START:
            starts[place], ends[place] = span.grain.unit(span.start)
        elif span.end != OPEN_END:
            starts[place], ends[place] = span.end_grain.unit(span.end - 1)
        else:
            starts[place], ends[place] = 0, 1
    lengths = np.geomspace(_SHORTEST, _LONGEST, (dim + 1) // 2)
    middle, half = (starts + ends) / 2.0, (ends - starts) / 2.0
    damped = np.sinc(2 * half[:, None] / lengths)
    angle = 2 * np.pi * middle[:, None] / lengths
    both = np.stack([np.sin(angle) * damped, np.cos(angle) * damped], axis=2).reshape(len(spans), -1)
    return unit_rows(both[:, :dim]).astype(np.float64)
