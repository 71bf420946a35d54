"""Modes of the protocol: what is searched, and what is asked."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal_lab.models.ctd.data import Collection, ProtocolMode


@pytest.mark.parametrize(
    ("mode", "searched", "query"),
    [
        ("neg1_ne1_dq0", 108, 12),
        ("neg0_ne1_dq0", 72, 12),
        ("neg1_ne1_dq1", 108, 6),
        ("neg1_ne0_dq1", 72, 6),
        ("neg0_ne0_dq1", 36, 6),
    ],
)
def test_modes(collection: Collection, mode: str, searched: int, query: int) -> None:
    result = ProtocolMode.parse(mode)
    assert str(result) == mode
    assert len(result.select_gallery(collection)) == searched
    questions = result.select_questions(collection, "test")
    assert len(questions) == query
    assert {question.split for question in questions} == {"test"}


@pytest.mark.parametrize("text", ["neg1_ne0_dq0", "neg2_ne1_dq0", "neg1", ""])
def test_mistakes_are_reported(text: str) -> None:
    with pytest.raises(EpochalError, match="accepted"):
        ProtocolMode.parse(text)
