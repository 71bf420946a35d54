"""Coverage: which times an index has records of, and which k documents cover the periods that a question compares.

Documents are selected greedily under a submodular gain: relevance, plus the probability that a document answers for a
period that nothing selected so far has answered for. The best document of a period is taken to answer with a
probability of a half at most, so that a second one for the period still adds something, a third less. The last ranks
are reserved for periods that would have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from epochal.ranking.histogram import count_in_bins, make_periods
from epochal.ranking.pool import Floats
from epochal.storage.protocol import Rows, View, drop_repeated
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

#: A silence is a hole in the records, not a lack of events, when it is this many times as long as the usual one.
_HOLE: Final = 10
_MAX_PERIODS: Final = 400
_GRAINS: Final = (Grain.DAY, Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many documents fall into each of a row of equal periods: `counts[i]` for `edges[i]`.

    >>> Coverage((Span.year(1998),), (3,)).to_dict()["counts"]
    [3]
    """

    edges: tuple[Span, ...]
    counts: tuple[int, ...]

    @property
    def first(self) -> Span | None:
        """The first period with a document.

        >>> Coverage((Span.year(1998), Span.year(1999)), (0, 3)).first.edtf()
        '1999'
        """
        return next((span for span, count in zip(self.edges, self.counts, strict=True) if count), None)

    @property
    def last(self) -> Span | None:
        """The last period with a document.

        >>> Coverage((Span.year(1998), Span.year(1999)), (2, 0)).last.edtf()
        '1998'
        """
        return next((span for span, n in zip(self.edges[::-1], self.counts[::-1], strict=True) if n), None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Coverage((Span.year(1998),), (3,)).to_dict()["periods"]
        ['1998']
        """
        return {"periods": [span.edtf() for span in self.edges], "counts": list(self.counts)}

    def __repr__(self) -> str:
        if self.first is None or self.last is None:
            return "<Coverage: no document with a date>"
        reach = (
            f"{self.first.describe()} to {self.last.describe()}" if self.first != self.last else self.first.describe()
        )
        return f"<Coverage: {sum(self.counts):,} documents, {reach}>"

    def _repr_html_(self) -> str:
        """A bar for each period, with its name and count where the pointer rests on it."""
        width, height = 640, 60
        most, step = max(self.counts, default=0) or 1, width / max(len(self.counts), 1)
        bars = "".join(
            f'<rect x="{number * step:.1f}" y="{height * (1 - count / most):.1f}" width="{max(step - 0.5, 0.5):.1f}" '
            f'height="{height * count / most:.1f}" fill="#3465a4"><title>{escape(span.describe())}: {count:,}</title>'
            "</rect>"
            for number, (span, count) in enumerate(zip(self.edges, self.counts, strict=True))
            if count
        )
        picture = f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{bars}</svg>'
        return f"<p>{escape(repr(self)[1:-1])}</p>{picture}"


def _find_record_times(view: View, as_of: Span | None = None) -> tuple[SpanSet, Rows]:
    """The times of the records, and their documents: publication dates, or, where there are none, stated times. As of a
    past day only what was surely published by then counts."""
    published = view.published
    if not len(published):
        none = as_of is not None
        content = view.content
        return (content.spans[:0], content.rows[:0]) if none else (content.spans, view.get_document_rows(content.rows))
    if as_of is None:
        return published.spans, published.rows
    by_then = np.flatnonzero(published.spans.ends <= as_of.end)
    return published.spans[by_then], published.rows[by_then]


def measure_coverage(view: View, within: Span | None = None) -> Coverage:
    """How the documents of an index are spread over time, in periods as fine as their dates that make up to 400 bars.

    A document counts once in each period in the middle of which, or of its part `within`, one of its times lies.
    """
    spans, owners = _find_record_times(view)
    closed = (spans.starts != OPEN_START) & (spans.ends != OPEN_END)
    starts, ends = spans.starts, spans.ends
    if within is not None:
        closed &= spans.overlaps(within)
        starts, ends = np.maximum(starts, within.start), np.minimum(ends, within.end)
    if not closed.any():
        return Coverage((), ())
    middles = starts[closed] + (ends[closed] - starts[closed]) // 2
    low, high = int(middles.min()), int(middles.max())
    if within is not None:
        low = low if within.start == OPEN_START else within.start
        high = high if within.end == OPEN_END else within.end - 1
    usual = float(np.median(ends[closed] - starts[closed]))
    periods = make_periods(low, high, _MAX_PERIODS, _GRAINS, usual)
    edges = np.array([*(period.start for period in periods), periods[-1].end], dtype=np.int64)
    return Coverage(tuple(periods), tuple(count_in_bins(edges, middles, owners[closed])))


def is_covered(view: View, window: Span, as_of: Span | None = None) -> bool:
    """Whether the records reach a time: something lies there, or the silence there is no longer than usual.

    "Since 1985" is a record of 1985, and not of all that came after. One that is dated more vaguely than the query
    window, and lies far from all others, is an exception: it does not show how that time is recorded. "About 1890" may
    be 1889 or 1891.
    """
    spans = _find_record_times(view, as_of)[0]
    if not window.is_open:
        near = spans.overlapping(window) if as_of is None else slice(None)  # all times have an index already
        if ((spans.starts[near] >= window.start) & (spans.ends[near] <= window.end)).any():
            return True
    units = _StatedUnits.read(spans) if as_of is not None else _read_all_units(view)
    if np.any((units.starts >= window.start) & (units.ends <= window.end)):
        return True
    starts, ends = units.first_starts, units.last_ends
    (there,) = np.nonzero((starts < window.end) & (ends > window.start))
    low, high = window.start, window.end
    if len(there):
        low, high = int(starts[there].min()), int(ends[there].max())
    before, after = ends[ends <= low], starts[starts >= high]
    hole = _HOLE * units.usual_silence
    gaps = [low - int(before.max())] if len(before) else []
    gaps += [int(after.min()) - high] if len(after) else []
    if len(there):
        return not gaps or min(gaps) <= hole
    return len(gaps) == 2 and sum(gaps) + high - low <= hole


@dataclass(frozen=True, eq=False)
class _StatedUnits:
    """What spans state, without those that are open at both ends: of those open at one end, the unit at the other.

    Approximate years and longer units begin and end between `first_starts` and `last_ends`.
    """

    starts: Rows
    ends: Rows
    first_starts: Rows
    last_ends: Rows

    @classmethod
    def read(cls, spans: SpanSet) -> _StatedUnits:
        """The units of spans. Columns in which nothing changes, as most do not, are not copied."""
        since, until = spans.ends == OPEN_END, spans.starts == OPEN_START
        if (since & until).any():
            stated = ~(since & until)
            spans, since, until = spans[stated], since[stated], until[stated]
        # Months of old calendars are approximate by a few days only.
        is_vague = ((spans.certainties & Certainty.APPROXIMATE) > 0) & (spans.grains >= Grain.YEAR)
        starts, ends = spans.starts, spans.ends
        if not (since | until | is_vague).any():
            return cls(starts, ends, starts, ends)
        lengths = np.array([Grain(grain).seconds for grain in range(len(Grain))], dtype=np.int64)[spans.grains]
        starts, ends = np.where(until, ends - lengths, starts), np.where(since, starts + lengths, ends)
        margins = lengths * is_vague
        return cls(starts, ends, starts - margins, ends + margins)

    @cached_property
    def usual_silence(self) -> float:
        """How long there usually is none."""
        apart = np.diff(drop_repeated(self.first_starts))
        return float(np.median(apart)) if len(apart) else 0.0


#: The units of all records of a view, which many searches ask for and no search changes.
_UNITS: Final[WeakKeyDictionary[View, _StatedUnits]] = WeakKeyDictionary()


def _read_all_units(view: View) -> _StatedUnits:
    if view not in _UNITS:
        _UNITS[view] = _StatedUnits.read(_find_record_times(view)[0])
    return _UNITS[view]


#: The weight of answering for a period beside relevance, which is at most 1.
_GAIN: Final = 0.5
#: The probability that the document that answers best for a period does answer.
_PROBABILITY: Final = 0.5
#: A document represents a period when it answers at least this share as well as the best one for it.
_MIN_SHARE: Final = 0.5


def select_covering(scores: Floats, periods: npt.NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """The indices of k documents in the order of selection, and for each the period that it was selected for, or -1.

    `periods` has a row a period and a column a document: how well the document answers for the period, in [0, 1].
    """
    relevance = scores / top if (top := float(scores.max(initial=0.0))) > 0 else np.zeros(len(scores))
    values = _weigh_by_relevance(relevance, periods)
    represents = (values > 0) & (values >= _MIN_SHARE * values.max(axis=1, initial=0.0, keepdims=True))
    unanswered = np.ones(len(periods))
    open_periods = np.flatnonzero(represents.any(axis=1)).tolist()
    selected: list[int] = []
    reasons: list[int] = []
    count = min(k, len(scores))
    gains = unanswered[:, None] * _PROBABILITY * values
    sums = relevance + _GAIN * gains.sum(axis=0)
    while len(selected) < count:
        total = sums
        if count - len(selected) <= len(open_periods):
            total = np.where(represents[open_periods].any(axis=0), sums, -np.inf)
        best = int(total.argmax())
        own = gains[:, best].tolist()
        selected.append(best)
        reasons.append(own.index(max(own)) if any(own) else -1)
        if any(own):
            unanswered *= 1.0 - _PROBABILITY * values[:, best]
            gains = unanswered[:, None] * _PROBABILITY * values
            sums = relevance + _GAIN * gains.sum(axis=0)
            open_periods = [period for period in open_periods if not represents[period, best]]
        sums[selected] = -np.inf
    return selected, reasons


def _weigh_by_relevance(relevance: Floats, periods: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How well each document answers for each period, weighted by its relevance."""
    both = periods * np.maximum(relevance, 0.0)
    best = both.max(axis=1, initial=0.0, keepdims=True)
    strongest = periods.max(axis=1, initial=0.0, keepdims=True)
    # Where nothing that answers for a period is relevant, how well it answers is all there is.
    return np.where(best > 0, both / np.where(best > 0, best, 1.0) * strongest, periods)
