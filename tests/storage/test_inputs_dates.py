from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given

from epochal.errors import EpochalError
from epochal.storage.importers.fields import DateReader, span_value
from epochal.times import Certainty, Grain, Span
from spans_strategy import spans


@given(spans())
def test_a_span_comes_back_exactly(span: Span) -> None:
    value = span_value(span)
    assert DateReader().read(value, "valid") == span
    assert DateReader().read(json.loads(json.dumps(value)), "valid") == span
    if not isinstance(value, str):  # tables hold objects as text
        assert DateReader().read(json.dumps(value), "valid") == span


@pytest.mark.parametrize("text", ["1998-03", "-0721-03", "../2001", "1984~/", "/2001?", "156X", "../.."])
def test_edtf_stays_text(text: str) -> None:
    assert span_value(Span.parse(text)) == text


@pytest.mark.parametrize(
    ("value", "key", "wanted"),
    [
        ("1998-03-15", "date", "1998-03-15"),
        (" 1998-03-15 ", "date", "1998-03-15"),
        ("2024-05-01T10:00+02:00", "date", "2024-05-01T08:00Z"),
        ("2024-05-01 10:00:07.25", "date", "2024-05-01T10:00:07Z"),
        ("1984~/2004-06", "published", "1984~/2004-06"),
        ("20240501", "date", "2024-05-01"),
        ("2024/5/1", "date", "2024-05-01"),
        ("2024-5-1", "date", "2024-05-01"),
        ("2024.05.01", "date", "2024-05-01"),
        ("15 March 44 BCE", "date", "-0043-03-15"),
        ("Meiji 10", "date", "1877"),
        ("2004-01/P1M", "date", "2004-01-01/2004-01-31"),
        ("1714557600", "timestamp", "2024-05-01T10:00:00Z"),
        (1714557600, "timestamp", "2024-05-01T10:00:00Z"),
        (1714557600.9, "timestamp", "2024-05-01T10:00:00Z"),
        ("{1667,1668}", "date", "1667/1668"),
        (1998, "date", "1998"),
        (20240501, "created", "2024-05-01"),
        (dt.date(2024, 5, 1), "date", "2024-05-01"),
        (dt.datetime(2024, 5, 1, 10, tzinfo=dt.timezone.utc), "date", "2024-05-01T10:00:00Z"),
    ],
)
def test_forms(value: Any, key: str, wanted: str) -> None:
    assert DateReader().read(value, key).edtf() == wanted


@pytest.mark.parametrize(
    ("value", "key", "problem"),
    [
        ("2023-02-30", "date", "'2023-02-30' names a day that does not exist"),
        ("123456789012-01-01", "date", "'123456789012-01-01' is not a time"),
        ("Y999999999999", "date", "cannot be placed on the axis"),
        ("03/04/2024", "date", "'03/04/2024' is not an interval"),
        ("1714557600", "date", "'1714557600' is not a time"),
        ("soonish", "date", "'soonish' is not a time"),
        ("永和元年", "date", "may be any of several times"),
        ("last year", "date", "'last year' is not a time"),
        ("x" * 500, "date", "..."),
        (1714557600, "date", "the number 1714557600"),
        (1714557600000, "timestamp", "the number 1714557600000"),
        (0, "timestamp", "the number 0"),
        (True, "timestamp", "is True"),
        ([2024], "date", r"is \[2024\]"),
        ({"start": 5}, "date", "lacks 'end'"),
        ({"start": 5, "end": "6"}, "date", "'6' is no whole number"),
        ({"start": 5, "end": 4}, "date", "must end after it starts"),
        ({"start": 5, "end": 6, "grain": "blink"}, "date", "no grain is called 'blink'"),
        ('{"start": 5,', "date", "looks like an object"),
    ],
)
def test_what_is_no_date_is_named(value: Any, key: str, problem: str) -> None:
    with pytest.raises(EpochalError, match=problem) as caught:
        DateReader().read(value, key)
    assert f"'{key}'" in str(caught.value)
    assert "accepted: " in str(caught.value) or "JSON" in str(caught.value)
    assert len(str(caught.value)) < 500


def test_the_same_text_may_be_seconds_under_one_name_only() -> None:
    dates = DateReader()
    assert dates.read("1714557600", "timestamp") == Span.at(1714557600)
    with pytest.raises(EpochalError):
        dates.read("1714557600", "date")


def test_an_object_keeps_unknown_ends_and_doubts() -> None:
    value = {"start": None, "end": 86400, "grain": "day", "certainty": "uncertain", "end_certainty": "both"}
    span = DateReader().read(value, "valid")
    assert (span.certainty, span.end_certainty, span.grain) == (Certainty.UNCERTAIN, Certainty.BOTH, Grain.DAY)


@pytest.mark.parametrize(
    ("text", "edtf"), [("[1831?]", "1831?"), ("1939-45", "1939/1945"), ("ca. 1780", "1780~"), ("16th c.", "15XX")]
)
def test_a_catalogue_may_state_the_date(text: str, edtf: str) -> None:
    assert DateReader().read(text, "date").edtf() == edtf
