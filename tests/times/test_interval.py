"""Intervals and the spans that extend them: equal by their fields, and operations keep the class."""

import datetime as dt
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from epochal.times import OPEN_END, SpanSet, calendar, resolve
from epochal.times.axis import Certainty, Grain
from epochal.times.calendars.registry import calendars
from epochal.times.filters import around, overlaps
from epochal.times.interval import Interval
from epochal.times.span import Span
from epochal.times.words import read_relative
from spans_strategy import spans

FIELDS = ("start", "end", "grain", "end_grain", "certainty", "end_certainty")


def plain(span: Span) -> Interval:
    return Interval(*(getattr(span, name) for name in FIELDS))


@given(spans())
def test_an_interval_equals_the_span_of_its_fields(span):
    interval = plain(span)
    assert interval == span
    assert span == interval
    assert hash(interval) == hash(span)
    assert {span: "found"}[interval] == "found"
    assert Span.of(interval) == interval
    assert type(Span.of(interval)) is Span


@given(spans())
def test_span_of_a_span_is_that_span(span):
    assert Span.of(span) is span


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_counts_for_equality(field):
    interval = Interval.month(2004, 5)
    other = {"start": 0, "end": OPEN_END, "grain": Grain.DAY, "end_grain": Grain.DAY}
    changed = replace(interval, **{field: other.get(field, Certainty.UNCERTAIN)})
    assert changed != interval
    assert changed != Span.of(interval)


def test_an_interval_equals_nothing_else():
    assert Interval.year(2004) != "2004"
    assert Span.year(2004) != (Span.year(2004).start, Span.year(2004).end)


@pytest.mark.parametrize("made", [Interval, Span])
def test_constructors_and_operations_keep_the_class(made):
    year, later = made.year(2004), Interval.year(2005)
    results = [
        made.at(0),
        made.day(2004, 2, 29),
        made.month(2004, 2),
        year,
        made.unit(0, Grain.WEEK),
        made.between(later, later),
        year & Interval.month(2004, 3),
        year.hull(later),
        year.with_grain(Grain.DAY),
        year.with_certainty(Certainty.UNCERTAIN),
        year.widen(Grain.DECADE),
        year.shift(1),
        year.shift(3, Grain.DAY),
        year.part("late"),
        read_relative("last week", year),
        pickle.loads(pickle.dumps(year)),
    ]
    assert {type(result) for result in results} == {made}


def test_spans_and_intervals_hold_no_other_fields():
    assert not hasattr(Span.year(2004), "__dict__")
    with pytest.raises(AttributeError):
        Span.year(2004).start = 0


def test_an_interval_shows_its_fields():
    assert repr(Interval.at(0)) == str(Interval.at(0)) == "Interval(0, 1, Grain.SECOND)"


@pytest.mark.parametrize(
    "value",
    ["1998-03", "2004-W05", "1984~/..", "2004-01-01/P1M", dt.date(2004, 2, 29), dt.datetime(2004, 2, 29),
     np.datetime64("2004-02"), Interval.year(2004), Span.year(2004)],
    ids=str,
)  # fmt: skip
def test_span_of_anything_is_a_span(value):
    assert type(Span.of(value)) is Span


@pytest.mark.parametrize(
    "text",
    ["1998-03", "{1667, 1668}", "2004-W05", "15 March 44 BCE", "the late 1990s", "since about 1984", "now", "last year",
     "3 days ago", "Meiji 10", "永和元年", "week 5 of 2004"],
)  # fmt: skip
def test_what_is_resolved_is_a_span(text):
    assert {type(reading.span) for reading in resolve(text, now=Span.day(2026, 11, 15))} == {Span}


def test_what_sets_and_filters_hold_are_spans():
    assert {type(span) for span in SpanSet.parse("[1667, 1668, 1670..1672]")} == {Span}
    assert type(around(Span.year(2004)).window) is Span
    assert type((overlaps(Span.year(2004)) | overlaps(Span.year(2009))).window) is Span


@pytest.mark.parametrize("name", sorted(name for name in calendars() if not name.startswith("civil/")))
def test_dates_of_calendars_are_spans(name):
    item = calendar(name)
    assert type(item.coverage) is Span
    dates = item.dates(max(item.coverage.start // 86_400, min(0, item.coverage.end // 86_400 - 1)))
    assert {type(item.span(date)) for date in dates} <= {Span}
