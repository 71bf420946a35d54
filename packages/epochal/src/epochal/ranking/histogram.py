"""Histograms of documents over time: equal bins at any zoom, calendar periods, few periods, columns of a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.protocol import Rows, View, drop_repeated
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Grain, add_months, get_year, to_seconds
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span

Axis = Literal["auto", "published", "content"]
#: Which times of a document count: when it was published, what it is about, or the first of these that it has.
AXES: tuple[Axis, ...] = get_args(Axis)
#: The share of times that lies outside the usual interval, at each end.
_OUTSIDE: Final = 0.01
#: All times reach far beyond the usual interval where they reach over this many times its length.
_FAR: Final = 2
#: Years that a bin of years may have; beyond these, ten times as many, and so on.
_YEARS: Final = (1, 2, 5)
_GRAINS: Final = (Grain.YEAR, Grain.MONTH, Grain.DAY, Grain.HOUR)
#: Beyond these the axis has no years that could be written; it is farther than any document reaches.
_FIRST: Final = Span.year(-1_000_000_000).start
_LAST: Final = Span.year(1_000_000_000).end

_COARSER: Final = (Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)
#: What a period shares with a column below this is an accident of leap years.
_SLIVER: Final = 0.05

Seconds = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Edges of bins in seconds, the documents in each, and the extent of all documents that were counted.

    `first` and `last` bound every time, `usual` all but the outermost hundredth at each end; None without any.
    """

    edges: list[int]
    counts: list[int]
    documents: int
    undated: int
    first: Span | None
    last: Span | None
    usual: tuple[int, int] | None

    @property
    def grain(self) -> Grain:
        """The unit of the calendar that a bin is, or has several of."""
        width = (self.edges[1] - self.edges[0]) if self.counts else 0
        # Years and months are not all as long as an average one.
        return next((item for item in _GRAINS if width * 1.1 >= item.seconds), Grain.SECOND)

    @property
    def periods(self) -> list[Span]:
        """The bins as units of the calendar, or as stretches from one to another."""
        grain = self.grain
        return [
            Span.between(Span.unit(start, grain), Span.unit(end - 1, grain))
            for start, end in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it. The EDTF of an edge names the unit in which the bin begins, or ends."""
        grain = self.grain
        return {
            "bins": [
                _describe_bin(start, end, grain, count)
                for start, end, count in zip(self.edges[:-1], self.edges[1:], self.counts, strict=True)
            ],
            "first": None if self.first is None else self.first.edtf(),
            "last": None if self.last is None else self.last.edtf(),
            "usual": None if self.usual is None else {"start": self.usual[0], "end": self.usual[1]},
            "undated": self.undated,
            "documents": self.documents,
        }


@dataclass(frozen=True, slots=True)
class ReignCount:
    """The part of a reign that lies between bounds, in seconds, and how many documents are from it."""

    name: str
    start: int
    end: int
    count: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: a bin with a name."""
        return {**_describe_bin(self.start, self.end, Grain.DAY, self.count), "name": self.name}


def seconds_between(first: Span | None, last: Span | None) -> tuple[int | None, int | None]:
    """The seconds from which and to which to look; None for an end that is open or not given."""
    low = None if first is None or first.start == OPEN_START else first.start
    high = None if last is None or last.end == OPEN_END else last.end
    if first is not None and last is not None and low is not None and high is not None and low >= high:
        raise EpochalError(
            f"from {first.edtf()} to {last.edtf()} is an invalid interval; accepted: a start before the end"
        )
    return low, high


def measure_histogram(
    view: View,
    bins: int,
    low: int | None = None,
    high: int | None = None,
    *,
    axis: Axis = "auto",
    among: Rows | None = None,
    calendar: bool = False,
    finest: Grain = Grain.DAY,
) -> Histogram:
    """How many documents lie in each of so many equal bins, from the first time to the last or between bounds.

    A document counts once in each bin in which the middle of one of its times lies; times with an open end do not
    count. `among` are the rows of the documents to count, all of them unless given. With `calendar` the bins are whole
    days, weeks, months or years, at most so many and none finer than `finest`; without bounds they leave out the few
    times that lie far from the others.
    """
    divide = partial(make_calendar_edges, finest=finest) if calendar else _make_edges
    starts, ends, owners = collect_times(view, axis, among)
    total = view.document_count if among is None else len(among)
    undated = total - len(drop_repeated(owners))
    if not len(starts):
        edges = [] if low is None or high is None else divide(low, high, bins)
        return Histogram(edges, [0] * max(len(edges) - 1, 0), total, undated, None, None, None)
    earliest, latest = int(starts.argmin()), int(ends.argmax())
    middles = starts + (ends - starts) // 2
    lower, upper = (int(bound) for bound in np.quantile(middles, [_OUTSIDE, 1 - _OUTSIDE]))
    usual = (lower, max(upper, lower + 1))
    reach = (int(starts[earliest]), int(ends[latest]))
    if calendar and reach[1] - reach[0] > _FAR * (usual[1] - usual[0]):
        reach = usual
    bound_low = reach[0] if low is None else low
    bound_high = reach[1] if high is None else high
    if bound_low >= bound_high:  # one bound was given, and all times lie on its other side
        bound_low, bound_high = (bound_low, bound_low + 1) if high is None else (bound_high - 1, bound_high)
    edges = divide(bound_low, bound_high, bins)
    return Histogram(
        edges,
        count_in_bins(np.array(edges, dtype=np.int64), middles, owners),
        total,
        undated,
        _name_interval(int(starts[earliest]), int(ends[earliest])),
        _name_interval(int(starts[latest]), int(ends[latest])),
        usual,
    )


def count_in_reigns(
    view: View,
    calendar: RegnalCalendar,
    low: int,
    high: int,
    *,
    axis: Axis = "auto",
    among: Rows | None = None,
) -> list[ReignCount]:
    """How many documents have a time whose middle lies in each reign between two seconds.

    Reigns may overlap: two courts counted the same years, and a day of succession belongs to both rulers.
    """
    starts, ends, owners = collect_times(view, axis, among)
    middles = starts + (ends - starts) // 2
    counts = []
    for first, after, reign in calendar.list_reigns(low // DAY, -(-high // DAY)):
        start, end = max(first * DAY, low), min(after * DAY, high)
        within = owners[(middles >= start) & (middles < end)]
        counts.append(ReignCount(reign.latin or reign.name, start, end, len(drop_repeated(within))))
    return counts


def count_in_bins(edges: Seconds, middles: Seconds, owners: Rows) -> list[int]:
    """How many owners have a time whose middle lies in each bin between edges that follow one another.

    An owner with two times in a bin counts once there.
    """
    within = (middles >= edges[0]) & (middles < edges[-1])
    bins = np.searchsorted(edges, middles[within], side="right") - 1
    if (owners[1:] <= owners[:-1]).any():  # else each has one time, as where documents have dates
        # One number a pair of bin and owner.
        size = int(owners.max(initial=0)) + 1
        bins = drop_repeated(bins * size + owners[within]) // size
    return [int(count) for count in np.bincount(bins, minlength=len(edges) - 1)]


def make_periods(low: int, high: int, most: int, grains: Sequence[Grain], finest: float = 0.0) -> list[Span]:
    """A row of equal calendar periods from one second to another: units of a grain, or many of the coarsest each.

    They are the finest that make at most so many, and no finer than `finest` seconds: "1998" says nothing of July.
    """
    fine = (item for item in grains if (high - low) / item.seconds < most and item.seconds * 1.1 >= finest)
    grain = next(fine, grains[-1])
    together = 1 + (high - low) // (grain.seconds * most)
    periods: list[Span] = []
    start = Span.unit(low, grain)
    while not periods or periods[-1].end <= high:
        periods.append(start if together == 1 else Span.between(start, start.shift(together - 1)))
        start = Span.unit(periods[-1].end, grain)
    return periods


def coarsen_periods(periods: Iterable[Span], counts: Iterable[int], most: int) -> list[tuple[Span, int]]:
    """The periods that have documents, at most so many of them, with their counts.

    Periods are put together by the month, the year and so on until they are few enough; where even millennia are too
    many, neighbours are. A count is then the sum of those that it is made of: a document of several times may count
    more than once.
    """
    filled = [(period, count) for period, count in zip(periods, counts, strict=True) if count]
    for grain in _COARSER:
        if len(filled) <= most:
            return filled
        if filled[0][0].grain < grain:
            units: dict[Span, int] = {}
            for span, count in filled:
                unit = Span.unit(span.start, grain)
                units[unit] = units.get(unit, 0) + count
            filled = list(units.items())
    while len(filled) > most:
        pairs = [filled[first : first + 2] for first in range(0, len(filled), 2)]
        filled = [(Span.between(pair[0][0], pair[-1][0]), sum(count for _, count in pair)) for pair in pairs]
    return filled


def spread_over_columns(periods: Iterable[Span], counts: Iterable[int], window: Span, columns: int) -> list[float]:
    """How many documents each of a row of columns shows, which share a window of time evenly.

    Columns share a count by the time that they share with its period, so that none looks fuller than it is.
    """
    heights = [0.0] * columns
    start, seconds = window.start, window.seconds
    for period, count in zip(periods, counts, strict=True):
        if not count or not period.overlaps(window):
            continue
        low = max(period.start - start, 0) * columns / seconds
        high = min(period.end - start, seconds) * columns / seconds
        for column in range(int(low), min(int(high) + 1, columns)):
            shared = min(high, column + 1) - max(low, column)
            if shared > _SLIVER or high - low <= _SLIVER:
                heights[column] += count * shared / (high - low)
    return heights


def _make_edges(low: int, high: int, bins: int) -> list[int]:
    low = min(max(low, _FIRST), _LAST - 1)
    high = max(min(high, _LAST), low + 1)
    count = max(1, min(bins, high - low))
    return [low + (high - low) * place // count for place in range(count + 1)]


def make_calendar_edges(low: int, high: int, most: int, finest: Grain = Grain.DAY) -> list[int]:
    """The edges of whole days, weeks, months or years from one second to another, the finest that make at most so many.

    `finest` is day, month or year: units are no finer.

    >>> [len(make_calendar_edges(to_seconds(2000), to_seconds(end), 400)) for end in (2001, 2002, 2010, 2100)]
    [367, 106, 121, 101]
    """
    low = min(max(low, _FIRST), _LAST - 1)
    high = max(min(high, _LAST), low + 1)
    first = low // DAY * DAY
    for step in (DAY, 7 * DAY) if finest < Grain.MONTH else ():
        count = -(-(high - first) // step)
        if count <= most:
            return [first + step * place for place in range(count + 1)]
    first_year, last_year = get_year(low), get_year(high - 1)
    if finest < Grain.YEAR and 12 * (last_year + 1 - first_year) <= most:
        months = range(12 * (last_year + 1 - first_year) + 1)
        return [add_months(to_seconds(first_year), month) for month in months]
    steps = (years * 10**power for power in range(10) for years in _YEARS)
    step = next(years for years in steps if last_year // years + 1 - first_year // years <= most)
    return [to_seconds(year * step) for year in range(first_year // step, last_year // step + 2)]


def collect_times(view: View, axis: Axis, among: Rows | None) -> tuple[Seconds, Seconds, Rows]:
    """Starts and ends of the closed times that count, and the documents that have them."""
    published, content = view.published, view.content
    dates = (published.spans.starts, published.spans.ends, published.rows)
    stated = (content.spans.starts, content.spans.ends, view.get_document_rows(content.rows))
    if axis == "published":
        tables = [dates]
    elif axis == "content":
        tables = [stated]
    else:
        undated = np.isin(stated[2], dates[2], invert=True)
        tables = [dates, (stated[0][undated], stated[1][undated], stated[2][undated])]
    starts, ends, owners = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    keep = (starts > _FIRST) & (ends < _LAST)
    if among is not None:
        keep &= np.isin(owners, among)
    return starts[keep], ends[keep], owners[keep]


def _describe_bin(start: int, end: int, grain: Grain, count: int) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "start_edtf": Span.unit(start, grain).edtf(),
        "end_edtf": Span.unit(end - 1, grain).edtf(),
        "count": count,
    }


def _name_interval(start: int, end: int) -> Span:
    """An interval by the coarsest unit that it fills; by its first day where it fills none."""
    for grain in (Grain.YEAR, Grain.MONTH, Grain.DAY):
        unit = Span.unit(start, grain)
        if unit.start == start and unit.end == end:
            return unit
    return (
        Span.unit(start, Grain.DAY)
        if end - start <= Grain.DAY.seconds
        else Span.between(Span.unit(start, Grain.DAY), Span.unit(end - 1, Grain.DAY))
    )
