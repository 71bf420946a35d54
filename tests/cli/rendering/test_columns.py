"""Columns of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.cli.rendering.terminal import bar, clean, crop, measure_width, pad


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("魯隱公", 6), ("é", 1), ("e\u0301", 1), ("", 0), ("한국", 4)])
def test_widths(text, width):
    assert measure_width(text) == width


def test_padding_to_either_side():
    assert pad("魯", 4) == "魯  "
    assert pad("魯", 4, right=True) == "  魯"
    assert pad("魯隱公", 4) == "魯隱公"


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Me"]), max_size=40), st.integers(1, 30))
def test_what_is_cropped_fits(text, width):
    shown = crop(text, width)
    assert measure_width(shown) <= width
    assert shown == text or shown.endswith("…")


@given(st.text(max_size=40))
def test_what_is_clean_steers_nothing(text):
    shown = clean(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in shown)
    assert "\u202e" not in shown
    shown.encode()


@given(st.floats(0, 1), st.integers(1, 40))
def test_bars_keep_within_their_room(share, width):
    assert len(bar(share, width)) <= width


def test_bars():
    assert [bar(share, 2) for share in (0, 0.25, 1, 3, -1)] == ["", "▌", "██", "██", ""]
