"""Cues: the patterns for texts without Chinese find what the full ones find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading.questions.cues import CUES, _match_words, _shorten, _split_branches, detect_cues, list_starts

#: Words that some cue speaks of, so that texts made of them give many cues.
WORDS = sorted({word for pattern in CUES.values() for word in re.findall(r"[a-z]{3,}", pattern)})
SIGNS = [" ", "-", "'", ".", "s", "1998", "20th century", "\u53bb\u5e74"]


@given(st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=12), st.sampled_from(["", " "]))
def test_patterns_find_something_in_the_same_texts_by_shorter_ways(words: list[str], joint: str) -> None:
    text = joint.join(words)
    full = [name for name, pattern in CUES.items() if re.search(pattern, text)]
    if text.isascii():
        assert [name for name, pattern in CUES.items() if re.search(_shorten(pattern), text)] == full
    assert list(_match_words(text)) == full


@pytest.mark.parametrize(
    ("pattern", "starts"),
    [
        (r"\b(?:ages? ago|since)|\boutlook\b", {"ag", "si", "ou"}),
        (r"\bas? of\b", {"a"}),
        (r"\ba(?:bc|d)\b", {"a"}),
        (r"\b(?:(?:last|this) )?year\b", None),
        (r"^when\b", None),
        (r"\b\d+\b", None),
        (r"\bevery|now", None),
    ],
)
def test_the_starts_of_words_that_a_pattern_needs(pattern: str, starts: set[str] | None) -> None:
    assert list_starts(pattern) == starts


def test_a_pattern_is_parted_at_its_outermost_bars_only() -> None:
    assert _split_branches(r"a(?:b|c)|[|(]d|e\|f|\(g") == ["a(?:b|c)", "[|(]d", r"e\|f", r"\(g"]
    for pattern in CUES.values():
        assert "|".join(_split_branches(pattern)) == pattern


@pytest.mark.parametrize(("text", "name"), [("现在的价格是多少", "market"), ("What are prices 现在?", "ask_now")])
def test_chinese_words_are_cues_beside_others(text: str, name: str) -> None:
    assert name in detect_cues(text)
