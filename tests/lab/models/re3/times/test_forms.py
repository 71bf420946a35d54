"""Dates as they are written: every form says what its label says, weekday included."""

from __future__ import annotations

import datetime as dt
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading import tag
from epochal_lab.models.re3.times.labels import NONE, Label
from epochal_lab.models.re3.times.sentences import KINDS, draw_label, get_kind, write_date, write_date_phrase


@given(st.sampled_from(KINDS), st.integers(0, 10**6))
def test_the_rules_read_every_form(kind, seed):
    rng = random.Random(seed)
    label = draw_label(kind, rng)
    text = f"They met {write_date_phrase(label, rng)}."
    assert get_kind(label) == kind
    assert [item.value for item in tag(text)] == [str(label)], text


@given(st.dates(dt.date(1600, 1, 1), dt.date(2099, 12, 31)), st.integers(0, 10**6))
def test_the_weekday_is_that_of_the_date(day, seed):
    names = {f"{day + dt.timedelta(days=off):%a}" for off in range(1, 7)}
    for label in (Label(day.year, day.month, day.day), Label(None, day.month, day.day)):
        text = write_date(label, random.Random(seed), day.year)
        assert not names & {word[:3] for word in text.replace(",", " ").split() if not word.startswith(("Mar", "Sep"))}


def test_bounds():
    rng = random.Random(0)
    assert all(draw_label("day", rng).year >= 1000 for _ in range(300))
    assert min(draw_label("year", rng).year for _ in range(300)) < 1000
    assert all(draw_label("year", rng, 1600).year >= 1600 for _ in range(300))
    with pytest.raises(EpochalError, match="'week'; accepted: year"):
        draw_label("week", rng)
    with pytest.raises(EpochalError, match="states nothing"):
        get_kind(NONE)
