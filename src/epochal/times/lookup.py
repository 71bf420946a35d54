"""Which of many spans overlap a window, without looking at all of them.

Spans are put into buckets of like kind and like length (by powers of two) and sorted by start inside each. A span of
a bucket whose lengths are below `2 * size` can reach into a window only when it starts less than that before it, so
two binary searches bound the candidates, of which at most those in a stretch as long as the bucket's own spans are
looked at in vain. Spans without a start are sorted by their end instead. The spans of small buckets, of which there may
be many, are compared one and all. Nothing depends on how the spans are distributed, and the answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.times.axis import OPEN_END, OPEN_START

__all__ = ["Bucket", "SpanLookup"]

_OPEN_START_CLASS = 63
_OPEN_END_CLASS = 62
#: Buckets of fewer spans than this are not searched: comparing each of their spans costs less.
_SPARSE = 1024


@dataclass(frozen=True, slots=True)
class Bucket:
    """A run `[low, high)` of the sorted spans: one kind, one class of lengths.

    >>> Bucket(kind=36, low=0, high=10, longest=86400).longest
    86400
    """

    kind: int
    low: int
    high: int
    longest: int

    @property
    def is_open_start(self) -> bool:
        """Whether its spans have no start, and so are sorted by their end.

        >>> Bucket(0, 0, 1, 86400).is_open_start
        False
        """
        return self.longest < 0


class _Spans(NamedTuple):
    ids: npt.NDArray[np.intp]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class SpanLookup:
    """An index over arrays of starts and ends; `kinds` (small integers) keep unlike spans in different buckets.

    >>> starts = np.array([0, 10, 20], dtype=np.int64)
    >>> lookup = SpanLookup(starts, starts + 5)
    >>> lookup.overlapping(12, 21)
    array([1, 2])
    """

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
        places = np.where(starts == OPEN_START, ends, starts)
        order = np.lexsort((places, keys))
        self.ids = order
        self.starts = starts[order]
        self.ends = ends[order]
        sorted_keys = keys[order]
        cuts = np.flatnonzero(np.diff(sorted_keys)) + 1
        edges = [0, *cuts.tolist(), len(order)] if len(order) else []
        self.buckets = tuple(self._bucket(int(sorted_keys[low]), low, high) for low, high in pairwise(edges))

    @cached_property
    def log_lengths(self) -> npt.NDArray[np.float64]:
        """The power of ten of each span's length in seconds, in the order of the index.

        >>> SpanLookup(np.array([0]), np.array([100])).log_lengths
        array([2.])
        """
        return np.log10((self.ends - self.starts).astype(np.float64))

    def _bucket(self, key: int, low: int, high: int) -> Bucket:
        kind, length_class = divmod(key, 64)
        if length_class == _OPEN_START_CLASS:
            return Bucket(kind, low, high, -1)
        return Bucket(kind, low, high, int((self.ends[low:high] - self.starts[low:high]).max()))

    def candidates(self, bucket: Bucket, start: int, end: int) -> tuple[int, int]:
        """The run of a bucket's spans that may overlap `[start, end)`: all that do, and few that do not.

        >>> lookup = SpanLookup(np.array([0, 10, 20]), np.array([5, 15, 25]))
        >>> lookup.candidates(lookup.buckets[0], 12, 21)
        (1, 3)
        """
        low, high = bucket.low, bucket.high
        if bucket.is_open_start:
            return low + int(self.ends[low:high].searchsorted(start, side="right")), high
        places = self.starts[low:high]
        first = places.searchsorted(max(start - bucket.longest, OPEN_START), side="right")
        last = places.searchsorted(min(end, OPEN_END), side="left")
        return low + int(first), low + max(int(first), int(last))

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The non-empty candidate runs of all buckets.

        >>> lookup = SpanLookup(np.array([0, 10, 20]), np.array([5, 15, 25]))
        >>> list(lookup.runs(100, 200))
        []
        """
        for bucket in self.buckets:
            first, last = self.candidates(bucket, start, end)
            if first < last:
                yield first, last

    def overlapping(self, start: int, end: int) -> npt.NDArray[np.intp]:
        """The positions of all spans that share a second with `[start, end)`, in no particular order.

        >>> SpanLookup(np.array([0, 10]), np.array([5, 15])).overlapping(4, 5)
        array([0])
        """
        sparse = self._sparse
        found = [sparse.ids[(sparse.starts < end) & (sparse.ends > start)]]
        for bucket in self._dense:
            first, last = self.candidates(bucket, start, end)
            if first < last:
                ids = self.ids[first:last]
                keep = self.ends[first:last] > start
                found.append(ids if keep.all() else ids[keep])
        return np.concatenate(found)

    @cached_property
    def _dense(self) -> tuple[Bucket, ...]:
        return tuple(bucket for bucket in self.buckets if bucket.high - bucket.low >= _SPARSE)

    @cached_property
    def _sparse(self) -> _Spans:
        """The spans of all small buckets."""
        small = np.ones(len(self.ids), dtype=np.bool_)
        for bucket in self._dense:
            small[bucket.low : bucket.high] = False
        return _Spans(self.ids[small], self.starts[small], self.ends[small])
