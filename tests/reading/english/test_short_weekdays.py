"""Short weekdays in small letters, as chat and mail have them, and the hours of a range of days."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.times import Span

NOW = Span.parse("2026-11-18")  # a Wednesday


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("see you fri", ["2026-11-20"]),
        ("We meet on Mon.", ["2026-11-23"]),
        ("Open Sat and Sun.", ["2026-11-21", "2026-11-22"]),
        ("Monday 11-4 works", ["2026-11-23", "2026-11-23T11:00", "2026-11-23T16:00"]),
        ("He sat and sun-bathed until the boat came.", []),
        ("He relied on Sun Microsystems.", []),
        ("lets meet sat 3pm", ["2026-11-21T15:00"]),
        ("cu sun 10 am", ["2026-11-22T10:00"]),
        ("Mon-Fri 9-5", ["2026-11-23", "2026-11-27", "2026-11-27T09:00", "2026-11-27T17:00"]),
        ("open mon-fri 9am-5pm", ["2026-11-23", "2026-11-27T09:00", "2026-11-27T17:00"]),
    ],
)
def test_short_weekdays_are_read(text, values):
    assert [item.value for item in tag(text, now=NOW)] == values


@pytest.mark.parametrize("text", ["The cat sat.", "we sat down", "the sun is out", "they wed in church"])
def test_other_words_spelt_like_them_are_not(text):
    assert tag(text, now=NOW) == []


def test_a_result_behind_a_weekday_is_no_time():
    assert [item.text for item in tag("They won Friday 11-4.", now=NOW)] == ["Friday"]
