"""The losses against slow loops."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal_lab.models.ctd.heads import smooth_labels
from epochal_lab.models.ctd.model import build_overlap_mask, multi_positive_loss, symmetric_loss, time_loss


def slow(scores: list[list[float]], mask: list[list[bool]], extra: list[list[float]] | None) -> float:
    count = len(scores)
    total = 0.0
    for i in range(count):
        every = scores[i] + (extra[i] if extra else [])
        right = sum(math.exp(scores[i][j]) for j in range(count) if mask[i][j])
        total -= math.log(right / sum(math.exp(one) for one in every)) / count
    for j in range(count):
        right = sum(math.exp(scores[i][j]) for i in range(count) if mask[i][j])
        total -= math.log(right / sum(math.exp(scores[i][j]) for i in range(count))) / count
    return total / 2


@given(st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**31))
def test_multi_positive_is_the_slow_loop(count: int, hard: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    scores = torch.randn(count, count, generator=draw, dtype=torch.float64) * 3
    extra = torch.randn(count, hard, generator=draw, dtype=torch.float64) * 3 if hard else None
    mask = (torch.rand(count, count, generator=draw) < 0.4) | torch.eye(count, dtype=torch.bool)
    want = slow(scores.tolist(), mask.tolist(), None if extra is None else extra.tolist())
    assert multi_positive_loss(scores, mask, extra).item() == pytest.approx(want, rel=1e-9, abs=1e-9)


@given(st.integers(1, 5), st.integers(0, 2**31))
@settings(max_examples=20)
def test_with_the_diagonal_alone_both_contrasts_agree(count: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    scores, extra = torch.randn(count, count, generator=draw), torch.randn(count, 2, generator=draw)
    own = torch.eye(count, dtype=torch.bool)
    assert multi_positive_loss(scores, own, extra).item() == pytest.approx(
        symmetric_loss(scores, extra).item(), abs=1e-5
    )


def test_hard_negatives_count_for_questions_only() -> None:
    scores, own = torch.zeros(2, 2), torch.eye(2, dtype=torch.bool)
    less = multi_positive_loss(scores, own)
    more = multi_positive_loss(scores, own, torch.zeros(2, 2))
    assert less.item() == pytest.approx(math.log(2))
    assert more.item() == pytest.approx((math.log(4) + math.log(2)) / 2)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), st.integers(0, 20)), min_size=1, max_size=6))
def test_masks_against_a_loop(rows: list[tuple[int, int, int]]) -> None:
    first = torch.tensor([row[0] for row in rows])
    last = torch.tensor([row[0] + row[1] for row in rows])
    told = torch.tensor([row[2] for row in rows])
    mask = build_overlap_mask(first, last, told, told).tolist()
    for i, (start, length, _) in enumerate(rows):
        want = [start <= row[2] <= start + length for row in rows]
        if not any(want):
            want[i] = True
        assert mask[i] == want


def test_records_of_intervals_overlap() -> None:
    mask = build_overlap_mask(torch.tensor([5, 0]), torch.tensor([6, 1]), torch.tensor([0, 6]), torch.tensor([5, 9]))
    assert mask.tolist() == [[True, True], [True, False]]


def test_time_loss_is_the_mean_of_the_parts() -> None:
    torch.manual_seed(0)
    parts = [torch.randn(3, 12), torch.randn(3, 32), torch.randn(3, 12)]
    labels = [torch.tensor([0, 5, 11]), torch.tensor([31, 2, 0]), torch.tensor([1, 1, 1])]
    targets = [smooth_labels(label, part.shape[1], 0.0) for label, part in zip(labels, parts, strict=True)]
    want = sum(torch.nn.functional.cross_entropy(part, label) for part, label in zip(parts, labels, strict=True)) / 3
    assert time_loss(parts, targets).item() == pytest.approx(want.item(), rel=1e-6)


def test_texts_of_unknown_time_do_not_count() -> None:
    part, target = torch.randn(2, 4), smooth_labels(torch.tensor([1, 0]), 4, 0.0)
    alone = time_loss([part[:1]], [target[:1]])
    assert time_loss([part], [target], torch.tensor([1.0, 0.0])).item() == pytest.approx(alone.item())
    assert time_loss([part], [target], torch.zeros(2)).item() == 0
