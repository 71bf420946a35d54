"""Every way of writing a window names exactly that window: the tagger, which knows nothing of it, reads it back."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading import stated_ranges, tag
from epochal.times import Grain, Span
from epochal_lab.datasets.making.wording import during, names

GRAINS = (Grain.DAY, Grain.MONTH, Grain.QUARTER, Grain.YEAR, Grain.DECADE)
days = st.dates(dt.date(1500, 1, 1), dt.date(2090, 1, 1))


def read(text: str) -> set[tuple[int, int]]:
    return {(item.span.start, item.span.end) for item in stated_ranges(text, tag(text))}


@given(days, st.sampled_from(GRAINS), st.sampled_from(["en", "zh"]))
def test_units_read_back(day, grain, language):
    unit = Span.unit(Span.of(day).start, grain)
    for name in names(unit, language):
        text = f"在{name}，下雨。" if language == "zh" else f"It rained in {name}."
        assert (unit.start, unit.end) in read(text), name


@given(days, st.integers(1, 20), st.sampled_from([Grain.DAY, Grain.MONTH, Grain.YEAR]), st.integers(0, 7))
def test_stretches_read_back(day, length, grain, choice):
    first = Span.unit(Span.of(day).start, grain)
    last = first.shift(length)
    text = f"It rained {during(first, last, choice)}."
    assert (first.start, last.end) in read(text), text


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        (Span.year(-721), "in 722 BCE"),
        (Span.day(2014, 3, 5), "on 5 March 2014"),
        (Span.unit(Span.year(1994).start, Grain.DECADE), "in the 1990s"),
    ],
)
def test_prepositions(unit, words):
    assert during(unit, unit, 0) == words
