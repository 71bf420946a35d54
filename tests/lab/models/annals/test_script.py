"""Simplified and traditional."""

from __future__ import annotations

import sys

import pytest

from epochal.errors import MissingExtraError
from epochal.reading.scripts import build_simplified_table, get_traditional_converter, is_simplified


def test_scripts_are_told_apart():
    assert is_simplified("晋侯会诸侯于郑，师还。")
    assert not is_simplified("晉侯會諸侯于鄭，師還。")
    assert not is_simplified("")


def test_old_words_stay():
    pytest.importorskip("opencc")
    assert get_traditional_converter()("会于郑，诗云，余一人") == "會于鄭，詩云，余一人"


def test_one_form_for_comparison():
    pytest.importorskip("opencc")
    table = build_simplified_table("會会鄭為爲")
    assert "會会鄭為爲".translate(table) == "会会郑为为"


def test_a_missing_converter_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(MissingExtraError, match=r"epochal\[chinese\]"):
        get_traditional_converter()
