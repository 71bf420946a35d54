"""Standing among newer candidates, against a slow loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.models.re3.features import STANDING, TimeGaps, compute_standing


def slow_standing(gaps: TimeGaps, vectors: np.ndarray, semantic: np.ndarray, lexical: np.ndarray) -> list[list[float]]:
    rows = []
    for one in range(len(semantic)):
        followers = []
        for other in range(len(semantic)):
            if math.isnan(gaps.rec[one]) or math.isnan(gaps.rec[other]) or gaps.rec[other] >= gaps.rec[one]:
                continue
            mine = math.inf if math.isnan(gaps.rel[one]) else abs(gaps.rel[one])
            theirs = math.inf if math.isnan(gaps.rel[other]) else abs(gaps.rel[other])
            if theirs <= mine:
                followers.append(other)
        if not followers:
            rows.append([0.0, -1.0, -1.0, float(not math.isnan(gaps.rec[one])), 0.0, -1.0, -1.0])
            continue
        alike = {other: float(vectors[one].astype(float) @ vectors[other].astype(float)) for other in followers}
        rows.append(
            [
                max(alike.values()),
                max(semantic[other] for other in followers) - semantic[one],
                max(lexical[other] for other in followers) - lexical[one],
                0.0,
                math.log1p(gaps.rec[one] - min(gaps.rec[other] for other in followers)) / 16,
                max(alike[other] + min(0.0, semantic[other] - semantic[one]) for other in followers),
                max(alike[other] + min(0.0, lexical[other] - lexical[one]) for other in followers),
            ]
        )
    return rows


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_standing_is_what_a_loop_finds(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    known = [0.0, 1.0, -1.0, 30.0, np.nan]
    gaps = TimeGaps(
        random.choice(known, count), np.zeros(count), random.choice([1.0, 5.0, -2.0, 400.0, np.nan], count), True
    )
    vectors = random.normal(size=(count, 3)).astype(np.float32)
    semantic, lexical = random.random(count), random.random(count)
    found = compute_standing(gaps, vectors, semantic, lexical)
    assert found == pytest.approx(np.array(slow_standing(gaps, vectors, semantic, lexical)), abs=1e-6)


def test_a_newer_one_about_another_time_follows_nobody() -> None:
    vectors = np.ones((2, 1), dtype=np.float32)
    gaps = TimeGaps(np.array([0.0, 365.0]), np.zeros(2), np.array([10.0, 1.0]), True)
    found = compute_standing(gaps, vectors, np.zeros(2), np.zeros(2))
    assert found[:, STANDING.index("unfollowed")].tolist() == [1.0, 1.0]


def test_without_dates_nothing_is_said() -> None:
    gaps = TimeGaps(np.zeros(2), np.zeros(2), np.full(2, np.nan), True)
    found = compute_standing(gaps, np.ones((2, 1), dtype=np.float32), np.zeros(2), np.zeros(2))
    assert found.tolist() == [[0.0, -1.0, -1.0, 0.0, 0.0, -1.0, -1.0]] * 2


def test_an_empty_pool() -> None:
    empty = np.empty(0)
    assert compute_standing(TimeGaps(empty, empty, empty, True), np.empty((0, 2), np.float32), empty, empty).shape == (
        0,
        7,
    )
