"""No regular expression of the engine takes more than linear time, whatever text it gets."""

from __future__ import annotations

import re

import pytest

from patterns import Used, find_growth, list_patterns


def test_what_is_found_to_be_slow():
    for pattern, method in ((r"\s*x", "search"), (r"a+ *a*b", "match"), (r"(\w+) or", "findall")):
        assert find_growth(Used("here", re.compile(pattern), (method,)), 4000, 0.01)
    for pattern, method in ((r"\s*x", "match"), (r"(?:(?<!\s)\s+)?x", "search"), (r"\b\w+", "findall")):
        assert find_growth(Used("here", re.compile(pattern), (method,)), 4000, 0.01) is None


def test_no_pattern_takes_more_than_linear_time():
    """A quadratic pattern takes 40 ms and more for 4,000 characters, a linear one less than 1 ms."""
    patterns = list_patterns()
    assert len(patterns) > 100
    assert [growth for used in patterns if (growth := find_growth(used, 4000, 0.03))] == []


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time_for_long_texts():
    assert [growth for used in list_patterns() if (growth := find_growth(used, 60_000, 0.05))] == []


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time_for_a_megabyte():
    """What takes quadratic time and less than 50 ms for 60,000 characters can take 14 s here."""
    assert [growth for used in list_patterns() if (growth := find_growth(used, 1_000_000, 0.5, ("",)))] == []
