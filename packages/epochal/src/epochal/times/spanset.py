"""SpanSet: many weighted spans as arrays, with an index that finds the ones that overlap a window.

The index puts spans into buckets of equal kind and similar length (by powers of two), sorted by start. A span of a
bucket whose lengths are below `2 * size` can overlap a window only when it starts less than that before it, so two
binary searches bound the candidates. Spans without a start are sorted by their end instead. The spans of small buckets,
of which there may be many, are compared one by one. The result is exact, however the spans are distributed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.edtf import parse_set
from epochal.times.filters import TimeFilter, compute_relations
from epochal.times.interval import Interval
from epochal.times.span import Span

_OPEN_START_CLASS = 63
_OPEN_END_CLASS = 62
#: Buckets of fewer spans than this are not searched: comparing each of their spans costs less.
_SPARSE = 1024
#: After so many searches that compared all spans the index over them is built.
_SCANS = 16


@dataclass(frozen=True, slots=True)
class Bucket:
    """A run `[low, high)` of the sorted spans: one kind, one class of lengths."""

    kind: int
    low: int
    high: int
    longest: int
    shortest: int

    @property
    def is_open_start(self) -> bool:
        """Whether its spans have no start, and so are sorted by their end."""
        return self.longest < 0


class _Spans(NamedTuple):
    ids: npt.NDArray[np.intp]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


class SpanLookup:
    """An index over arrays of starts and ends; `kinds` (small integers) keep unlike spans in different buckets."""

    def __init__(
        self,
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        kinds: npt.NDArray[np.integer] | None = None,
    ) -> None:
        # The class of a length is the place of its highest bit. Floats may round a length up into the next class,
        # which does no harm: the longest length of a bucket is measured. 62 and 63 are kept for open spans.
        classes = np.minimum(np.frexp((ends - starts).astype(np.float64))[1], 61).astype(np.int16)
        classes[ends == OPEN_END] = _OPEN_END_CLASS
        classes[starts == OPEN_START] = _OPEN_START_CLASS
        keys = classes if kinds is None else classes + kinds.astype(np.int16) * np.int16(64)
        positions = np.where(starts == OPEN_START, ends, starts)
        # By keys, and of one key by positions: documents mostly come by date, which this sort makes use of.
        order = positions.argsort(kind="stable")
        order = order[keys[order].argsort(kind="stable")]
        self.ids = order
        self.starts = starts[order]
        self.ends = ends[order]
        sorted_keys = keys[order]
        cuts = np.flatnonzero(np.diff(sorted_keys)) + 1
        edges = [0, *cuts.tolist(), len(order)] if len(order) else []
        self.buckets = tuple(self._make_bucket(int(sorted_keys[low]), low, high) for low, high in pairwise(edges))

    @cached_property
    def log_lengths(self) -> npt.NDArray[np.float64]:
        """The power of ten of each span's length in seconds, in the order of the index."""
        return np.log10((self.ends - self.starts).astype(np.float64))

    def _make_bucket(self, key: int, low: int, high: int) -> Bucket:
        kind, length_class = divmod(key, 64)
        lengths = self.ends[low:high] - self.starts[low:high]
        longest = -1 if length_class == _OPEN_START_CLASS else int(lengths.max())
        return Bucket(kind, low, high, longest, int(lengths.min()))

    def candidates(self, bucket: Bucket, start: int, end: int) -> tuple[int, int]:
        """The run of a bucket's spans that may overlap `[start, end)`: all that do, and few that do not."""
        low, high = bucket.low, bucket.high
        if bucket.is_open_start:
            return low + int(self.ends[low:high].searchsorted(start, side="right")), high
        positions = self.starts[low:high]
        first = positions.searchsorted(max(start - bucket.longest, OPEN_START), side="right")
        last = positions.searchsorted(min(end, OPEN_END), side="left")
        return low + int(first), low + max(int(first), int(last))

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The non-empty candidate runs of all buckets."""
        for bucket in self.buckets:
            first, last = self.candidates(bucket, start, end)
            if first < last:
                yield first, last

    def overlapping(self, start: int, end: int, longest: int = OPEN_END - OPEN_START) -> npt.NDArray[np.intp]:
        """The positions of all spans that share a second with `[start, end)`, in no particular order.

        Spans that are longer than `longest` seconds are left out.
        """
        sparse = self._sparse
        size = int(sparse.lengths.searchsorted(longest, side="right"))
        matches = [sparse.ids[:size][(sparse.starts[:size] < end) & (sparse.ends[:size] > start)]]
        for bucket in self._dense:
            if bucket.shortest > longest:
                continue
            first, last = self.candidates(bucket, start, end)
            if first < last:
                ids = self.ids[first:last]
                keep = self.ends[first:last] > start
                if not 0 <= bucket.longest <= longest:
                    keep &= self.ends[first:last] - self.starts[first:last] <= longest
                matches.append(ids if keep.all() else ids[keep])
        return np.concatenate(matches)

    @cached_property
    def _dense(self) -> tuple[Bucket, ...]:
        return tuple(bucket for bucket in self.buckets if bucket.high - bucket.low >= _SPARSE)

    @cached_property
    def _sparse(self) -> _Spans:
        """The spans of all small buckets, the shortest first."""
        small = np.ones(len(self.ids), dtype=np.bool_)
        for bucket in self._dense:
            small[bucket.low : bucket.high] = False
        lengths = self.ends - self.starts
        order = np.flatnonzero(small)[np.argsort(lengths[small], kind="stable")]
        return _Spans(self.ids[order], self.starts[order], self.ends[order], lengths[order])


Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]

#: The columns that a part takes late, and the column that may be the same.
_LATE_COLUMNS = {
    "grains": None,
    "end_grains": "grains",
    "certainties": None,
    "end_certainties": "certainties",
    "weights": None,
}
_INTEGERS = (int, np.integer)
#: The grains and certainties of codes.
_GRAINS, _CERTAINTIES = tuple(Grain), tuple(Certainty)


class SpanSet:
    """Spans as arrays: `starts`, `ends`, `grains`, `end_grains`, `certainties`, `end_certainties`, `weights`.

    The arrays are kept as they are given when their types fit, so that they may be memory-mapped; do not change them
    afterwards.

    >>> years = SpanSet.of([Span.year(2004), Span.year(2005), Span.parse("199X")])
    >>> years.overlaps(Span.parse("2004-06/2007"))
    array([ True,  True, False])
    >>> years[2].describe()
    'the 1990s'
    """

    def __init__(
        self,
        starts: npt.ArrayLike,
        ends: npt.ArrayLike,
        *,
        grains: npt.ArrayLike | Grain = Grain.SECOND,
        end_grains: npt.ArrayLike | Grain | None = None,
        certainties: npt.ArrayLike | Certainty = Certainty.CERTAIN,
        end_certainties: npt.ArrayLike | Certainty | None = None,
        weights: npt.ArrayLike | float = 1.0,
    ) -> None:
        self.starts = np.asarray(starts, dtype=np.int64)
        self.ends = np.asarray(ends, dtype=np.int64)
        if self.starts.ndim != 1 or self.starts.shape != self.ends.shape:
            raise EpochalError(
                f"starts and ends must be two lists of one length, but have shapes {self.starts.shape} and "
                f"{self.ends.shape}"
            )
        self.grains = self._check_column(grains, np.int8, "grains")
        self.end_grains = self.grains if end_grains is None else self._check_column(end_grains, np.int8, "end_grains")
        self.certainties = self._check_column(certainties, np.int8, "certainties")
        self.end_certainties = (
            self.certainties
            if end_certainties is None
            else self._check_column(end_certainties, np.int8, "end_certainties")
        )
        self.weights = self._check_column(weights, np.float64, "weights")
        self._check()

    def _check_column(self, values: Any, dtype: type, name: str) -> npt.NDArray[Any]:
        column: npt.NDArray[Any] = np.asarray(values, dtype=dtype)
        if column.ndim == 0:
            return np.broadcast_to(column, self.starts.shape)
        if column.shape != self.starts.shape:
            raise EpochalError(f"{name} must have {len(self.starts)} values, one a span, but has shape {column.shape}")
        return column

    def _check(self) -> None:
        # Least and most are compared, which is several times as fast as every number: each write opens a view anew.
        starts, ends = self.starts, self.ends
        if len(self) and ((starts >= ends).any() or starts.min() < OPEN_START or ends.max() > OPEN_END):
            position = int(np.flatnonzero((starts >= ends) | (starts < OPEN_START) | (ends > OPEN_END))[0])
            raise EpochalError(
                f"span {position} runs from {self.starts[position]} to {self.ends[position]}; "
                f"a span must end after it starts and lie on the axis"
            )
        for name, column, most in (
            ("grains", self.grains, max(Grain)),
            ("end_grains", self.end_grains, max(Grain)),
            ("certainties", self.certainties, max(Certainty)),
            ("end_certainties", self.end_certainties, max(Certainty)),
        ):
            if len(column) and not 0 <= column.min() <= column.max() <= most:
                raise EpochalError(f"{name} must be codes from 0 to {int(most)}")
        if len(self) and not 0 <= self.weights.min() <= self.weights.max() < np.inf:
            raise EpochalError("weights must be finite and not negative")

    # ---------------------------------------------------------------- making

    @classmethod
    def of(cls, spans: Iterable[Interval], weights: Sequence[float] | None = None) -> SpanSet:
        """A set from single spans, in their order.

        >>> len(SpanSet.of([Span.year(2004)]))
        1
        """
        listed = list(spans)
        table = np.array(
            [(s.start, s.end, s.grain, s.end_grain, s.certainty, s.end_certainty) for s in listed], dtype=np.int64
        ).reshape(-1, 6)
        return cls(
            table[:, 0].copy(),
            table[:, 1].copy(),
            grains=table[:, 2],
            end_grains=table[:, 3],
            certainties=table[:, 4],
            end_certainties=table[:, 5],
            weights=1.0 if weights is None else np.asarray(weights, dtype=np.float64),
        )

    @classmethod
    def parse(cls, text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> SpanSet:
        """Read an EDTF set, date or interval. Of a one-of set each member weighs its share, of others 1.

        >>> SpanSet.parse("[1667, 1668, 1670..1672]").weights.round(2)
        array([0.33, 0.33, 0.33])
        """
        members = parse_set(text, tz=tz)
        weight = 1 / len(members.intervals) if members.choice == "one" else 1.0
        return cls.of(members.intervals, [weight] * len(members.intervals))

    # ---------------------------------------------------------------- as a sequence

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, key: int) -> Span: ...
    @overload
    def __getitem__(self, key: slice | Positions | Mask) -> SpanSet: ...
    def __getitem__(self, key: int | slice | Positions | Mask) -> Span | SpanSet:
        if isinstance(key, _INTEGERS):
            return Span(
                int(self.starts[key]),
                int(self.ends[key]),
                _GRAINS[self.grains[key]],
                _GRAINS[self.end_grains[key]],
                _CERTAINTIES[self.certainties[key]],
                _CERTAINTIES[self.end_certainties[key]],
            )
        return self._select_part(key)

    def _select_part(self, key: slice | Positions | Mask) -> SpanSet:
        """Some of the spans. What was checked once is not checked again: a search takes parts of large sets.

        Most columns of a part are never read, so they are taken from the whole when they are.
        """
        starts = self.starts[key]
        if starts.ndim != 1:
            raise EpochalError(
                f"spans are taken by a slice or by one list of places, but the key has shape {starts.shape}"
            )
        part = SpanSet.__new__(SpanSet)
        part.starts, part.ends = starts, self.ends[key]
        part.__dict__["_source"] = self, key if isinstance(key, slice) else np.array(key)
        if not self.is_weighted:
            part.__dict__["is_weighted"] = False
        return part

    if not TYPE_CHECKING:  # type checkers know which columns there are

        def __getattr__(self, name: str) -> npt.NDArray[Any]:
            if name not in _LATE_COLUMNS or "_source" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            whole, key = self._source
            alike = _LATE_COLUMNS[name]
            same = alike is not None and getattr(whole, alike) is getattr(whole, name)
            column = getattr(self, alike) if same else getattr(whole, name)[key]
            setattr(self, name, column)
            return column

    def __getstate__(self) -> dict[str, Any]:
        """All columns of a part, without the whole."""
        self._get_columns()
        return {name: value for name, value in self.__dict__.items() if name != "_source"}

    def __iter__(self) -> Iterator[Span]:
        return (self[position] for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return len(self) == len(other) and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(self._get_columns(), other._get_columns(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change; a set of spans is no key

    def _get_columns(self) -> tuple[npt.NDArray[Any], ...]:
        return (
            self.starts,
            self.ends,
            self.grains,
            self.end_grains,
            self.certainties,
            self.end_certainties,
            self.weights,
        )

    def __repr__(self) -> str:
        if len(self) > 8:
            return f"<SpanSet of {len(self):,} spans>"
        weights = "" if (self.weights == 1).all() else f", {self.weights.tolist()}"
        return f"SpanSet.of({list(self)!r}{weights})"

    # ---------------------------------------------------------------- against one span

    def overlaps(self, span: Span) -> Mask:
        """Which share a second with the span.

        >>> SpanSet.of([Span.year(2004), Span.year(2005)]).overlaps(Span.day(2004, 12, 31))
        array([ True, False])
        """
        return (self.starts < span.end) & (self.ends > span.start)

    def within(self, span: Span) -> Mask:
        """Which lie within the span.

        >>> SpanSet.of([Span.month(2004, 1), Span.year(2005)]).within(Span.year(2004))
        array([ True, False])
        """
        return (self.starts >= span.start) & (self.ends <= span.end)

    def covers(self, span: Span) -> Mask:
        """Which hold the whole span.

        >>> SpanSet.of([Span.month(2004, 1), Span.year(2004)]).covers(Span.day(2004, 1, 2))
        array([ True,  True])
        """
        return (self.starts <= span.start) & (self.ends >= span.end)

    def gap(self, span: Span) -> npt.NDArray[np.int64]:
        """Seconds from the span to each: 0 when they touch or overlap, negative for those before it.

        >>> SpanSet.of([Span.day(2004, 1, 1), Span.day(2004, 1, 9)]).gap(Span.day(2004, 1, 4)) // 86400
        array([-2,  4])
        """
        return np.maximum(self.starts - span.end, 0) + np.minimum(self.ends - span.start, 0)

    def relations(self, span: Span) -> npt.NDArray[np.int8]:
        """The Allen relation of each to the span, as codes of `Allen`.

        >>> SpanSet.of([Span.year(2003), Span.year(2004)]).relations(Span.year(2004))
        array([1, 6], dtype=int8)
        """
        return compute_relations(self.starts, self.ends, span)

    # ---------------------------------------------------------------- without looking at all

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any weight is not 1.

        >>> SpanSet.parse("[1667, 1668]").is_weighted, SpanSet.parse("1667").is_weighted
        (True, False)
        """
        return bool((self.weights != 1.0).any())

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        """A code a span for its coarsest grain and its worst certainty; what the kernel treats alike.

        >>> SpanSet.of([Span.parse("1984~/2004-06")]).kinds
        array([37], dtype=int8)
        """
        whole, key = self.__dict__.get("_source", (self, slice(0)))
        if whole is not self and "kinds" in whole.__dict__:
            return np.asarray(whole.kinds[key], dtype=np.int8)
        kinds = np.maximum(self.grains, self.end_grains).astype(np.int8) * np.int8(4)
        kinds |= (self.certainties | self.end_certainties).astype(np.int8)
        (rows,) = np.nonzero((self.starts == OPEN_START) | (self.ends == OPEN_END))
        if len(rows):
            # As in `Interval`: an open end states nothing, so it has the other end's grain and is near nothing.
            open_start, open_end = self.starts[rows] == OPEN_START, self.ends[rows] == OPEN_END
            grain, end_grain = self.grains[rows], self.end_grains[rows]
            doubt, end_doubt = self.certainties[rows], self.end_certainties[rows]
            grain = np.where(open_start & open_end, Grain.ERA, np.where(open_start, end_grain, grain))
            end_grain = np.where(open_end, grain, end_grain)
            doubt = np.where(open_start, doubt & Certainty.UNCERTAIN, doubt)
            end_doubt = np.where(open_end, end_doubt & Certainty.UNCERTAIN, end_doubt)
            kinds[rows] = np.maximum(grain, end_grain) * 4 + (doubt | end_doubt)
        return np.asarray(kinds, dtype=np.int8)

    @cached_property
    def lookup(self) -> SpanLookup:
        """The index over the spans, built on first use.

        >>> len(SpanSet.of([Span.year(2004), Span.year(2005)]).lookup.buckets)
        1
        """
        return SpanLookup(self.starts, self.ends, self.kinds)

    def overlapping(self, span: Span, longest: int = OPEN_END - OPEN_START) -> Positions:
        """The positions of those that share a second with the span, in no particular order.

        Those that are longer than `longest` seconds are left out.

        >>> SpanSet.of([Span.year(2004), Span.year(2005)]).overlapping(Span.day(2005, 12, 31))
        array([1])
        """
        return self._find_overlapping(span.start, span.end, longest)

    def _find_overlapping(self, start: int, end: int, longest: int = OPEN_END - OPEN_START) -> Positions:
        # Comparing all spans costs a twentieth of building the index, which a process that searches once never needs.
        scans = self.__dict__.get("_scans", 0)
        if "lookup" in self.__dict__ or scans == _SCANS:
            return self.lookup.overlapping(start, end, longest)
        self._scans = scans + 1
        near = (self.starts < end) & (self.ends > start)
        if longest < OPEN_END - OPEN_START:
            near &= self.ends - self.starts <= longest
        return np.flatnonzero(near)

    def find(self, condition: TimeFilter) -> Positions:
        """The positions of those that a filter keeps, in no particular order.

        >>> from epochal.times.filters import during
        >>> SpanSet.of([Span.month(2004, 1), Span.year(2005)]).find(during(Span.year(2004)))
        array([0])
        """
        window = condition.window
        if window is None:
            return np.flatnonzero(condition.mask(self))
        near = self._find_overlapping(window.start, window.end)
        return near[condition.keeps(self.starts[near], self.ends[near])]

    @cached_property
    def _by_start(self) -> Positions:
        return np.argsort(self.starts, kind="stable")

    @cached_property
    def _by_end(self) -> Positions:
        return np.argsort(self.ends, kind="stable")

    def nearest(self, span: Span, count: int = 1) -> Positions:
        """The positions of the `count` spans with the least gap to the span; of equals, those that come first.

        >>> SpanSet.of([Span.year(1990), Span.year(2001), Span.year(2010)]).nearest(Span.year(2004), 2)
        array([1, 2])
        """
        if count < 1:
            raise EpochalError(f"count must be at least 1, but is {count}")
        # What only touches the span has no gap either.
        near = np.sort(self._find_overlapping(max(span.start - 1, OPEN_START), min(span.end + 1, OPEN_END)))
        if len(near) < count:
            # Of those wholly after, the nearest have the least starts; of those wholly before, the greatest ends.
            after = int(self.starts[self._by_start].searchsorted(span.end, side="left"))
            before = int(self.ends[self._by_end].searchsorted(span.start, side="right"))
            near = np.unique(
                np.concatenate(
                    [
                        near,
                        self._widen_over_ties(self._by_start, self.starts, after, after + count),
                        self._widen_over_ties(self._by_end, self.ends, before - count, before),
                    ]
                )
            )
        gaps = np.abs(self[near].gap(span))
        return near[np.argsort(gaps, kind="stable")[:count]]

    def _widen_over_ties(self, order: Positions, values: npt.NDArray[np.int64], low: int, high: int) -> Positions:
        """A run of the order, widened over values equal to those at its edges, so that ties are broken by position."""
        low, high = max(low, 0), min(high, len(order))
        if low >= high:
            return order[:0]
        ordered = values[order]
        low = int(ordered.searchsorted(ordered[low], side="left"))
        high = int(ordered.searchsorted(ordered[high - 1], side="right"))
        return order[low:high]
