"""Postings: blocks that are joined and cut without a count being lost, over the bounds of pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend_entries import made_entry
from epochal.backends.postgres import words as postings
from epochal.backends.postgres.provider import check
from epochal.backends.postgres.words import joinable, pages, unpack


@given(st.integers(0, 300_000), st.integers(0, 300_000))
def test_pages_cut_a_run_without_a_gap(first: int, size: int) -> None:
    parts = list(pages(first, first + size))
    assert [row for part in parts for row in part][1:-1:2] == [low for low, _ in parts[1:]]
    assert sum(high - low for low, high in parts) == size
    assert all(low // postings.PAGE == (high - 1) // postings.PAGE for low, high in parts)


@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=120))
def test_segments_stay_few_and_whole(sizes: list[int]) -> None:
    """What is written bit by bit: each row is in one segment, and a search looks into few of them."""
    segments: list[tuple[int, int]] = []
    past = 0
    for size in sizes:
        for low, high in pages(past, past + size):
            segments.append((low, high))
            while selected := joinable(segments):
                assert segments[-len(selected) :] == selected
                segments[-len(selected) :] = [(selected[0][0], selected[-1][1])]
        past += size
    assert [low for low, _ in segments] == [0, *(high for _, high in segments[:-1])]
    assert segments[-1][1] == past
    full = past // postings.PAGE
    assert sum(low // postings.PAGE < full for low, _ in segments) == full  # of a full page there is one
    assert len(segments) - full <= 40


def test_rows_beyond_a_state_are_left_out() -> None:
    positions, counts = np.arange(5, dtype="<u2").tobytes(), np.ones(5, dtype="<u2").tobytes()
    blocks = [(0, positions, counts), (postings.PAGE, positions, counts)]
    assert unpack(3, blocks, postings.PAGE + 2)[0].tolist() == [3, 4, postings.PAGE, postings.PAGE + 1]
    assert unpack(0, [])[0].tolist() == []


def test_pages_are_crossed_by_writes_deaths_and_compaction(
    make_pair, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(postings, "PAGE", 8)
    pair = make_pair()
    number = 0
    for size in (5, 11, 1, 1, 1, 20, 3):
        pair.add(
            [
                made_entry(f"d{number + position}", f"rain {(number + position) % 5} " * (1 + position % 3))
                for position in range(size)
            ]
        )
        number += size
    for again in range(2):
        true, ours = pair.embedded.view(), pair.postgres.view()
        for query in ("rain", "rain 3", "1 2 4"):
            for rows in (None, np.arange(6, 19), true.alive[::3]):
                expected, result = true.search_words(query, 50, rows), ours.search_words(query, 50, rows)
                assert result.rows.tolist() == expected.rows.tolist()
                assert result.scores == pytest.approx(expected.scores, rel=1e-5)
        assert ours.get_document_frequencies(["rain", "3"]) == true.get_document_frequencies(["rain", "3"])
        assert check(address, repair=False).findings == ()
        if not again:
            pair.delete([f"d{position}" for position in range(0, number, 4)])
            pair.compact()
    (count,) = pair.postgres._fetch("SELECT count(*) FROM epochal.segments WHERE space = %s", (ours.space,))[0]
    assert count == -(-ours.passage_count // 8)
