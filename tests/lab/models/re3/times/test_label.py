"""Labels: classes and back, texts and back, spans and back, and the year of a date that leaves it out."""

from __future__ import annotations

import calendar
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.times import Grain, Span
from epochal_lab.models.re3.times.labels import HEADS, IGNORED, LAST_YEAR, NONE, Label, days_in_month


@st.composite
def labels(draw: st.DrawFn) -> Label:
    year = draw(st.none() | st.integers(1, LAST_YEAR))
    month = draw(st.none() | st.integers(1, 12))
    if month is None:
        return Label(year)
    day = draw(st.none() | st.integers(1, days_in_month(year, month)))
    return Label(year, month, day)


@given(labels())
def test_classes_and_back(label):
    classes = label.classes
    assert Label.from_classes([0 if one == IGNORED else one for one in classes]) == label
    for one, count in zip(classes, HEADS.values(), strict=True):
        assert one == IGNORED or 0 <= one < count


@given(labels())
def test_the_year_is_put_together_from_its_parts(label):
    century, decade, year, *_, exists = label.classes
    if label.year is None:
        assert (century, decade, year, exists) == (IGNORED, IGNORED, IGNORED, 0)
    else:
        assert 100 * century + 10 * decade + year == label.year
        assert exists == 1


@given(labels())
def test_text_and_back(label):
    assert Label.parse(str(label)) == label


@given(labels(), st.integers(1, LAST_YEAR))
def test_spans_and_back(label, now):
    span = label.span(Span.year(now))
    if label.year is not None:
        assert Label.from_span(span) == label
    elif label.month is None:
        assert span is None
    else:
        expected = Grain.MONTH if label.day is None else Grain.DAY
        assert span.grain is expected
        if (result := Label.from_span(span)) is not None:
            assert (result.month, result.day) == (label.month, label.day)


@given(st.integers(1, 12), st.integers(1, 29), st.dates(dt.date(1600, 1, 1), dt.date(2090, 12, 31)))
def test_a_year_left_out_is_the_nearest(month, day, now):
    reference, year = Span.of(now), now.year
    result = Label(None, month, day).span(reference)
    others = [
        Span.day(other, month, day)
        for other in range(year - 9, year + 10)
        if day <= calendar.monthrange(other, month)[1]
    ]
    best = min(abs(span.start - reference.start) for span in others)
    # Whole days that end at the reference are as near as those that start there.
    assert abs(result.start - reference.start) - best <= 86_400


@pytest.mark.parametrize(
    ("label", "now", "expected"),
    [
        (Label(None, 6, 9), "2014-06-01", "2014-06-09"),
        (Label(None, 1, 2), "2021-12-30", "2022-01-02"),
        (Label(None, 12, 30), "2022-01-02", "2021-12-30"),
        (Label(None, 2, 29), "2023-03-01", "2024-02-29"),
        (Label(None, 6), "2014-06-20", "2014-06"),
        (Label(None, 12), "2014-01-20", "2013-12"),
        (Label(1998), "2014-06-20", "1998"),
    ],
)
def test_with_a_reference(label, now, expected):
    assert label.span(Span.parse(now)).edtf() == expected


def test_without_a_reference():
    assert Label(None, 6, 9).span() is None
    assert Label(None, 6, 9).span(Span.parse("2014/..")) is None
    assert NONE.span(Span.year(2014)) is None


@pytest.mark.parametrize("text", ["1990/2000", "199X", "2014-06-01/2014-06-03", "1998/..", "2014-W05", "-0043-03-15"])
def test_spans_that_no_label_says(text):
    assert Label.from_span(Span.parse(text)) is None


@pytest.mark.parametrize("fields", [(0,), (2100,), (1998, 13), (1998, None, 4), (2023, 2, 29), (None, 6, 31)])
def test_what_is_no_date(fields):
    with pytest.raises(EpochalError, match="accepted"):
        Label(*fields)


@pytest.mark.parametrize("text", ["98", "XXXX", "1998-3", "1998-13", "1998-02-30", "June", "0000"])
def test_what_cannot_be_parsed(text):
    with pytest.raises(EpochalError, match="accepted"):
        Label.parse(text)


def test_year_zero_is_no_year():
    assert Label.from_classes((0, 0, 0, 0, 0, 1)) == NONE
    assert Label.from_classes((20, 1, 4, 0, 9, 1)) == Label(2014)
