"""The time algebra: spans with a grain on one axis, their relations, sets and kernels, and calendars.

This room reads single time expressions only, and knows nothing of search or models. It needs numpy only; calendars that
convertdate computes import it on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.times.axis import OPEN_END as OPEN_END
    from epochal.times.axis import OPEN_START as OPEN_START
    from epochal.times.axis import Certainty as Certainty
    from epochal.times.axis import Grain as Grain
    from epochal.times.calendars.base import Calendar as Calendar
    from epochal.times.calendars.base import CalendarDate as CalendarDate
    from epochal.times.calendars.registry import calendar as calendar
    from epochal.times.calendars.registry import register as register
    from epochal.times.filters import TimeFilter as TimeFilter
    from epochal.times.filters import after as after
    from epochal.times.filters import around as around
    from epochal.times.filters import before as before
    from epochal.times.filters import during as during
    from epochal.times.filters import overlaps as overlaps
    from epochal.times.filters import related as related
    from epochal.times.interval import Allen as Allen
    from epochal.times.kernels import Exponential as Exponential
    from epochal.times.kernels import Gaussian as Gaussian
    from epochal.times.kernels import Linear as Linear
    from epochal.times.kernels import Steps as Steps
    from epochal.times.kernels import align as align
    from epochal.times.kernels import align_pair as align_pair
    from epochal.times.kernels import align_sparse as align_sparse
    from epochal.times.kernels import freshness as freshness
    from epochal.times.span import Clock as Clock
    from epochal.times.span import FixedClock as FixedClock
    from epochal.times.span import Span as Span
    from epochal.times.span import SystemClock as SystemClock
    from epochal.times.spanset import SpanSet as SpanSet
    from epochal.times.when import Interpretation as Interpretation
    from epochal.times.when import Rendering as Rendering
    from epochal.times.when import render_span as render_span
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
    "Interpretation",
    "Linear",
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
    "render_span",
    "resolve",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.times.axis": "Certainty Grain OPEN_END OPEN_START",
        "epochal.times.calendars.base": "Calendar CalendarDate",
        "epochal.times.calendars.registry": "calendar register",
        "epochal.times.filters": "TimeFilter after around before during overlaps related",
        "epochal.times.interval": "Allen",
        "epochal.times.kernels": "Exponential Gaussian Linear Steps align align_pair align_sparse freshness",
        "epochal.times.span": "Clock FixedClock Span SystemClock",
        "epochal.times.spanset": "SpanSet",
        "epochal.times.when": "Interpretation Rendering render_span resolve",
    },
    {"Reading": "Interpretation", "renderings": "render_span"},
)
