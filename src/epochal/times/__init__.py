"""The time algebra: spans with a grain on one axis, their relations, sets and kernels, and calendars.

This floor knows no text beyond single time expressions, no search and no models. It needs numpy only; calendars that
convertdate computes load it when they are first asked.
"""

from epochal.times.allen import Allen
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.calendars import Calendar, CalendarDate, calendar, calendars, register
from epochal.times.certainty import Certainty
from epochal.times.clock import Clock, FixedClock, SystemClock
from epochal.times.filters import TimeFilter, after, around, before, during, overlaps, related
from epochal.times.freshness import Exponential, Gaussian, Linear, Steps, freshness
from epochal.times.grain import Grain
from epochal.times.kernel import align, align_pair, align_sparse
from epochal.times.span import Span
from epochal.times.spanset import SpanSet
from epochal.times.when import Reading, Rendering, renderings, resolve

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
    "calendars",
    "during",
    "freshness",
    "overlaps",
    "register",
    "related",
    "renderings",
    "resolve",
]
