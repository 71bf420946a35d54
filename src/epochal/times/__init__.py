"""The time algebra: spans with a grain on one axis, their relations, sets and kernels, and calendars.

This floor knows no text beyond single time expressions, no search and no models. It needs numpy only; calendars that
convertdate computes load it when they are first asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.times.allen import Allen as Allen
    from epochal.times.axis import OPEN_END as OPEN_END
    from epochal.times.axis import OPEN_START as OPEN_START
    from epochal.times.calendars.base import Calendar as Calendar
    from epochal.times.calendars.base import CalendarDate as CalendarDate
    from epochal.times.calendars.registry import calendar as calendar
    from epochal.times.calendars.registry import register as register
    from epochal.times.certainty import Certainty as Certainty
    from epochal.times.clock import Clock as Clock
    from epochal.times.clock import FixedClock as FixedClock
    from epochal.times.clock import SystemClock as SystemClock
    from epochal.times.decay import Exponential as Exponential
    from epochal.times.decay import Gaussian as Gaussian
    from epochal.times.decay import Linear as Linear
    from epochal.times.decay import Steps as Steps
    from epochal.times.decay import freshness as freshness
    from epochal.times.filters import TimeFilter as TimeFilter
    from epochal.times.filters import after as after
    from epochal.times.filters import around as around
    from epochal.times.filters import before as before
    from epochal.times.filters import during as during
    from epochal.times.filters import overlaps as overlaps
    from epochal.times.filters import related as related
    from epochal.times.grain import Grain as Grain
    from epochal.times.kernel import align as align
    from epochal.times.kernel import align_pair as align_pair
    from epochal.times.kernel import align_sparse as align_sparse
    from epochal.times.span import Span as Span
    from epochal.times.spanset import SpanSet as SpanSet
    from epochal.times.when import Reading as Reading
    from epochal.times.when import Rendering as Rendering
    from epochal.times.when import renderings as renderings
    from epochal.times.when import resolve as resolve

__all__ = [
    "OPEN_END",
    "OPEN_START",
    "Allen",
    "Calendar",
    "CalendarDate",
    "Certainty",
    "Clock",
    "Exponential",
    "FixedClock",
    "Gaussian",
    "Grain",
    "Linear",
    "Reading",
    "Rendering",
    "Span",
    "SpanSet",
    "Steps",
    "SystemClock",
    "TimeFilter",
    "after",
    "align",
    "align_pair",
    "align_sparse",
    "around",
    "before",
    "calendar",
    "during",
    "freshness",
    "overlaps",
    "register",
    "related",
    "renderings",
    "resolve",
]

_HOMES = {
    "OPEN_END": "epochal.times.axis",
    "OPEN_START": "epochal.times.axis",
    "Allen": "epochal.times.allen",
    "Calendar": "epochal.times.calendars.base",
    "CalendarDate": "epochal.times.calendars.base",
    "Certainty": "epochal.times.certainty",
    "Clock": "epochal.times.clock",
    "Exponential": "epochal.times.decay",
    "FixedClock": "epochal.times.clock",
    "Gaussian": "epochal.times.decay",
    "Grain": "epochal.times.grain",
    "Linear": "epochal.times.decay",
    "Reading": "epochal.times.when",
    "Rendering": "epochal.times.when",
    "Span": "epochal.times.span",
    "SpanSet": "epochal.times.spanset",
    "Steps": "epochal.times.decay",
    "SystemClock": "epochal.times.clock",
    "TimeFilter": "epochal.times.filters",
    "after": "epochal.times.filters",
    "align": "epochal.times.kernel",
    "align_pair": "epochal.times.kernel",
    "align_sparse": "epochal.times.kernel",
    "around": "epochal.times.filters",
    "before": "epochal.times.filters",
    "calendar": "epochal.times.calendars.registry",
    "during": "epochal.times.filters",
    "freshness": "epochal.times.decay",
    "overlaps": "epochal.times.filters",
    "register": "epochal.times.calendars.registry",
    "related": "epochal.times.filters",
    "renderings": "epochal.times.when",
    "resolve": "epochal.times.when",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
