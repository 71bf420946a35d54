"""The spread of an index over time in few enough periods to be read at a glance."""

from __future__ import annotations

from typing import Final

from epochal.engine.coverage import Coverage
from epochal.times import Grain, Span

__all__ = ["histogram"]

_COARSER: Final = (Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)


def histogram(coverage: Coverage, most: int) -> list[tuple[Span, int]]:
    """The periods that have documents, at most so many of them, with their counts.

    Periods are put together by the month, the year and so on until they are few enough; where even millennia are too
    many, neighbours are. A count is then the sum of those that it is made of: a document of several times may count
    more than once.

    >>> months = tuple(Span.parse(f"{year}-{month:02}") for year in (1998, 1999) for month in range(1, 13))
    >>> [(span.edtf(), count) for span, count in histogram(Coverage(months, (1,) * 24), 10)]
    [('1998', 12), ('1999', 12)]
    """
    found = [(edge, count) for edge, count in zip(coverage.edges, coverage.counts, strict=True) if count]
    for grain in _COARSER:
        if len(found) <= most:
            return found
        if found[0][0].grain < grain:
            found = _by_unit(found, grain)
    while len(found) > most:
        pairs = [found[place : place + 2] for place in range(0, len(found), 2)]
        found = [(Span.between(pair[0][0], pair[-1][0]), sum(count for _, count in pair)) for pair in pairs]
    return found


def _by_unit(found: list[tuple[Span, int]], grain: Grain) -> list[tuple[Span, int]]:
    counts: dict[Span, int] = {}
    for span, count in found:
        unit = Span.unit(span.start, grain)
        counts[unit] = counts.get(unit, 0) + count
    return list(counts.items())
