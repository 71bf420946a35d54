"""Sentences of several genres in Arabic, Chinese, Japanese, Korean and Russian, and the values of their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.reading import stated_ranges, tag
from epochal.reading.chinese import ChineseTagger
from epochal.times.span import Span

NOW = Span.parse("2024-05-15")
ROWS = [
    [part.strip() for part in line.split("|")]
    for line in (Path(__file__).parent / "data" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("code", "text", "values"), ROWS)
def test_the_times_of_a_sentence(code: str, text: str, values: str) -> None:
    assert [item.value for item in tag(text, NOW)] == values.split(), code


@pytest.mark.parametrize(
    ("prefer", "values"),
    [
        (None, ["2024-03", "2024-05-10"]),
        ("past", ["2024-03", "2024-05-10"]),
        ("future", ["2025-03", "2024-05-17"]),
        ("nearest", ["2024-03", "2024-05-17"]),
    ],
)
def test_chinese_months_and_weekdays_are_those_that_the_caller_prefers(prefer, values: list[str]) -> None:  # type: ignore[no-untyped-def]
    tagger = ChineseTagger()
    assert [tagger.tag(text, NOW, prefer=prefer)[0].value for text in ("3月", "周五")] == values


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("2010年から2015年まで何があったか", "2010/2015"),
        ("2010年以降の出来事", "2010/.."),
        ("2010年までの出来事", "../2010"),
        ("2010년부터 2015년까지 무슨 일이 있었나", "2010/2015"),
        ("2010년 이후의 사건", "2010/.."),
        ("2010년까지의 사건", "../2010"),
    ],
)
def test_what_binds_a_time_may_follow_it(text: str, window: str) -> None:
    (found,) = stated_ranges(text, tag(text, NOW))
    assert found.span.edtf() == window


def test_within_so_long_begins_today() -> None:
    (found,) = tag("2週間以内に来る。", NOW)
    assert (found.value, found.span and found.span.edtf()) == ("P2W", "2024-05-15/2024-05-28")
