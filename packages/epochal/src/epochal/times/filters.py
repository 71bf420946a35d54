"""Filters on time, for one span or a SpanSet; they combine with `&`, `|` and `~`.

during     the document's span lies within the reference
overlaps   the two share time
before     the document ends before, or just as, the reference starts
after      the document starts after, or just as, the reference ends
around     the two lie at most some units of the reference's grain apart
related    any Allen relations you name
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, UnknownNameError
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.interval import Allen
from epochal.times.span import Span

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The Allen relations of a document to the reference behind each word.
RELATIONS: dict[str, frozenset[Allen]] = {
    "during": frozenset({Allen.DURING, Allen.STARTS, Allen.FINISHES, Allen.EQUALS}),
    "overlaps": frozenset(Allen) - {Allen.BEFORE, Allen.MEETS, Allen.MET_BY, Allen.AFTER},
    "before": frozenset({Allen.BEFORE, Allen.MEETS}),
    "after": frozenset({Allen.AFTER, Allen.MET_BY}),
}


class SpanArrays(Protocol):
    """Many spans as two arrays of axis seconds: a `SpanSet`, or anything else that has them."""

    @property
    def starts(self) -> Ints:
        """The first second of each."""
        ...

    @property
    def ends(self) -> Ints:
        """The second after the last of each."""
        ...


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """A condition on spans: call it with a span, or take its `mask` over a SpanSet.

    `window`, where there is one, is a span that every kept span overlaps: what an index needs to look at.

    >>> from epochal.times import SpanSet
    >>> nineties = during(Span.parse("199X"))
    >>> nineties(Span.year(1994)), (~nineties)(Span.year(1994))
    (True, False)
    >>> (nineties & before(Span.year(1995))).mask(SpanSet.of([Span.year(1994), Span.year(1996)]))
    array([ True, False])
    """

    text: str
    keeps: Callable[[Ints, Ints], Mask]
    window: Span | None = None

    def __call__(self, span: Span) -> bool:
        """Whether it keeps the span."""
        mask = self.keeps(np.array([span.start], dtype=np.int64), np.array([span.end], dtype=np.int64))
        return bool(mask[0])

    def mask(self, spans: SpanArrays) -> Mask:
        """Which of the spans it keeps.

        >>> from epochal.times import SpanSet
        >>> after(Span.year(2004)).mask(SpanSet.of([Span.year(2005), Span.year(2003)]))
        array([ True, False])
        """
        return self.keeps(spans.starts, spans.ends)

    def __and__(self, other: TimeFilter) -> TimeFilter:
        return TimeFilter(
            f"({self.text} and {other.text})",
            lambda starts, ends: self.keeps(starts, ends) & other.keeps(starts, ends),
            self.window or other.window,
        )

    def __or__(self, other: TimeFilter) -> TimeFilter:
        window = self.window.hull(other.window) if self.window and other.window else None
        return TimeFilter(
            f"({self.text} or {other.text})",
            lambda starts, ends: self.keeps(starts, ends) | other.keeps(starts, ends),
            window,
        )

    def __invert__(self) -> TimeFilter:
        return TimeFilter(f"not {self.text}", lambda starts, ends: ~self.keeps(starts, ends))

    def __repr__(self) -> str:
        return f"<TimeFilter {self.text}>"


def during(span: Span) -> TimeFilter:
    """Keeps what lies within the span.

    >>> during(Span.year(2004))(Span.month(2004, 12))
    True
    """
    return TimeFilter(f"during {span}", lambda starts, ends: (starts >= span.start) & (ends <= span.end), span)


def overlaps(span: Span) -> TimeFilter:
    """Keeps what shares time with the span.

    >>> overlaps(Span.year(2004))(Span.parse("2004-12/2005-01"))
    True
    """
    return TimeFilter(f"overlaps {span}", lambda starts, ends: (starts < span.end) & (ends > span.start), span)


def before(span: Span) -> TimeFilter:
    """Keeps what is over when the span starts.

    >>> before(Span.year(2004))(Span.year(2003)), before(Span.year(2004))(Span.parse("2003/2004"))
    (True, False)
    """
    return TimeFilter(f"before {span}", lambda _, ends: ends <= span.start)


def after(span: Span) -> TimeFilter:
    """Keeps what starts once the span is over.

    >>> after(Span.year(2004))(Span.year(2005))
    True
    """
    return TimeFilter(f"after {span}", lambda starts, _: starts >= span.end)


def around(span: Span, margin: float = 1.0, grain: Grain | None = None) -> TimeFilter:
    """Keeps what lies at most `margin` units of a grain (the span's coarsest unless named) from the span.

    >>> around(Span.year(2004))(Span.year(2006)), around(Span.year(2004))(Span.year(2008))
    (True, False)
    """
    if not margin >= 0:
        raise EpochalError(f"margin must be 0 or more, but is {margin}")
    unit = (span.coarsest_grain if grain is None else grain).seconds
    slack = int(min(margin * unit, OPEN_END))
    low = OPEN_START if span.start == OPEN_START else max(span.start - slack, OPEN_START)
    high = OPEN_END if span.end == OPEN_END else min(span.end + slack, OPEN_END)
    # Spans that just touch the widened reference are `margin` away, so they count; the window takes in their edge.
    window = Span(max(low - 1, OPEN_START), min(high + 1, OPEN_END), span.grain)
    return TimeFilter(f"around {span}", lambda starts, ends: (starts <= high) & (ends >= low), window)


def related(span: Span, *relations: Allen) -> TimeFilter:
    """Keeps what has one of the Allen relations to the span.

    >>> related(Span.year(2004), Allen.STARTS)(Span.month(2004, 1))
    True
    """
    if not relations:
        raise EpochalError("name at least one Allen relation")
    table = np.zeros(len(Allen), dtype=np.bool_)
    table[[int(relation) for relation in relations]] = True
    names = ", ".join(relation.label for relation in sorted(relations))
    window = span if set(relations) <= RELATIONS["overlaps"] else None
    return TimeFilter(f"{names} {span}", lambda starts, ends: table[compute_relations(starts, ends, span)], window)


def compute_relations(starts: Ints, ends: Ints, other: Span) -> npt.NDArray[np.int8]:
    """The relation of each of many spans to one other, as the values of `Allen`."""
    start_sign = (starts > other.start).astype(np.int8) - (starts < other.start)
    end_sign = (ends > other.end).astype(np.int8) - (ends < other.end)
    # Where the two share time, the signs of (start against start) and (end against end) give the value of the relation.
    codes: npt.NDArray[np.int8] = start_sign + 3 * end_sign + int(Allen.EQUALS)
    codes[ends == other.start] = Allen.MEETS
    codes[ends < other.start] = Allen.BEFORE
    codes[starts == other.end] = Allen.MET_BY
    codes[starts > other.end] = Allen.AFTER
    return codes


def build_filter(name: str, span: Span) -> TimeFilter:
    """The filter with that name: during, overlaps, before, after, around, or an Allen relation."""
    words: dict[str, Callable[[Span], TimeFilter]] = {
        "during": during,
        "overlaps": overlaps,
        "before": before,
        "after": after,
        "around": around,
    }
    if name in words:
        return words[name](span)
    allen = {relation.label: relation for relation in Allen if relation.label not in words}
    if name in allen:
        return related(span, allen[name])
    raise UnknownNameError("relation", name, [*words, *allen])
