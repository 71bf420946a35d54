"""Strategies for spans: every grain, years from -50,000 to 50,000, open and unknown ends, every doubt."""

from __future__ import annotations

from hypothesis import strategies as st

from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain, to_seconds
from epochal.times.span import Span

FIRST = to_seconds(-50_000)
LAST = to_seconds(50_001) - 1
#: The grains that have units; an era has no fixed length.
UNIT_GRAINS = [grain for grain in Grain if grain is not Grain.ERA]


def seconds() -> st.SearchStrategy[int]:
    """Seconds of the axis; those around year 0 and of our own time come up as often as the far ones."""
    return st.one_of(
        st.integers(FIRST, LAST),
        st.integers(to_seconds(-1200), to_seconds(1200)),
        st.integers(to_seconds(-12), to_seconds(12)),
        st.integers(to_seconds(1900), to_seconds(2100)),
    )


def grains() -> st.SearchStrategy[Grain]:
    """Grains that have units."""
    return st.sampled_from(UNIT_GRAINS)


def certainties() -> st.SearchStrategy[Certainty]:
    """All four certainties."""
    return st.sampled_from(list(Certainty))


@st.composite
def unit_spans(draw: st.DrawFn, grain: Grain | None = None) -> Span:
    """One whole unit of a grain (of any grain, when none is named), with the same doubt at both ends."""
    unit = Span.unit(draw(seconds()), draw(grains()) if grain is None else grain)
    return unit.with_certainty(draw(certainties()))


@st.composite
def whole_spans(draw: st.DrawFn) -> Span:
    """From the start of one whole unit to the end of another, or open or unknown at either end."""
    first, last = draw(unit_spans()), draw(unit_spans())
    if first.start >= last.end:
        first, last = last, first
    kind = draw(st.sampled_from(["unit", "range", "range", "range", "no start", "no end"]))
    if kind == "unit":
        return first
    if kind == "no start":
        return Span(OPEN_START, last.end, last.grain, None, draw(certainties()), last.certainty)  # type: ignore[arg-type]
    if kind == "no end":
        return Span(first.start, OPEN_END, first.grain, None, first.certainty, draw(certainties()))  # type: ignore[arg-type]
    return Span.between(first, last)


@st.composite
def closed_spans(draw: st.DrawFn) -> Span:
    """Any span with two ends, whether or not these lie on the edge of a unit of their grain."""
    start = draw(seconds())
    length = draw(st.one_of(st.integers(1, 10**5), st.integers(1, 10**8), st.integers(1, 10**12)))
    grain, end_grain = draw(st.sampled_from(list(Grain))), draw(st.sampled_from(list(Grain)))
    return Span(start, start + length, grain, end_grain, draw(certainties()), draw(certainties()))


@st.composite
def open_spans(draw: st.DrawFn) -> Span:
    """Any span that lacks a start, an end, or both."""
    span = draw(closed_spans())
    ends = [(OPEN_START, span.end), (span.start, OPEN_END), (OPEN_START, OPEN_END)]
    start, end = draw(st.sampled_from(ends))
    return Span(start, end, span.grain, span.end_grain, span.certainty, span.end_certainty)


def spans() -> st.SearchStrategy[Span]:
    """Any span at all."""
    return st.one_of(closed_spans(), whole_spans(), open_spans())
