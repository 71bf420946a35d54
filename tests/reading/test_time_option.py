"""Times given as text in options."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.reading.resolve import parse_time_option
from epochal.times import Span

NOW = Span.parse("2026-11-15")


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("2011-03", "2011-03"),
        (" -0043-03-15", "-0043-03-15"),
        ("1984~/2004-06", "1984~/2004-06"),
        ("March 2011", "2011-03"),
        ("the 1990s", "199X"),
        ("Meiji 10", "1877"),
        ("last year", "2025"),
        ("1985/..", "1985/.."),
    ],
)
def test_readable(text, edtf):
    assert parse_time_option(text, "--during", NOW).edtf() == edtf


def test_not_given():
    assert parse_time_option(None, "--during") is None


@pytest.mark.parametrize("text", ["", "soonish", "2011-13-40", "a\nb"])
def test_not_readable(text):
    with pytest.raises(EpochalError, match=r"^--during: "):
        parse_time_option(text, "--during", NOW)
