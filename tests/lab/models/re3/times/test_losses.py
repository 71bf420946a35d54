"""The joint loss against a slow loop, and what each head does not learn from."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.re3.times.labels import HEADS, IGNORED, NONE, Label
from epochal_lab.models.re3.times.model import LossSettings, joint_loss

LABELS = [Label(2014, 6, 9), Label(1998), Label(1998, 3), Label(None, 6, 9), Label(None, 5), NONE, Label(845)]


def drawn(seed: int, count: int) -> dict[str, torch.Tensor]:
    made = torch.Generator().manual_seed(seed)
    return {head: torch.randn(count, width, generator=made) for head, width in HEADS.items()}


def slow(logits: dict[str, torch.Tensor], labels: list[Label], weights: LossSettings) -> float:
    total = 0.0
    for column, head in enumerate(HEADS):
        parts = []
        for row, label in enumerate(labels):
            wanted = label.classes[column]
            hidden = weights.absent == "masked" and head in ("month", "day") and wanted == 0
            if wanted == IGNORED or hidden:
                continue
            scores = logits[head][row].tolist()
            parts.append(math.log(sum(math.exp(score) for score in scores)) - scores[wanted])
        if parts:
            total += getattr(weights, head) * sum(parts) / len(parts)
    return total


@given(st.integers(0, 1000), st.lists(st.sampled_from(LABELS), min_size=1, max_size=6), st.booleans())
def test_against_a_slow_loop(seed, labels, masked):
    weights = LossSettings(absent="masked" if masked else "class")
    logits = drawn(seed, len(labels))
    found = joint_loss(logits, torch.tensor([label.classes for label in labels]), weights)
    assert found["loss"].item() == pytest.approx(slow(logits, labels, weights), rel=1e-4)


def gradients(label: Label, absent: str) -> dict[str, float]:
    logits = {head: scores.requires_grad_() for head, scores in drawn(1, 1).items()}
    joint_loss(logits, torch.tensor([label.classes]), LossSettings(absent=absent))["loss"].backward()
    return {head: 0.0 if scores.grad is None else scores.grad.abs().sum().item() for head, scores in logits.items()}


@pytest.mark.parametrize(
    ("label", "absent", "silent"),
    [
        (Label(2014, 6, 9), "class", set()),
        (Label(1998), "class", set()),
        (Label(1998), "masked", {"month", "day"}),
        (Label(1998, 3), "masked", {"day"}),
        (Label(None, 6, 9), "class", {"century", "decade", "year"}),
        (Label(None, 6, 9), "masked", {"century", "decade", "year"}),
        (NONE, "class", {"century", "decade", "year"}),
        (NONE, "masked", {"century", "decade", "year", "month", "day"}),
    ],
)
def test_what_is_not_learnt(label, absent, silent):
    found = gradients(label, absent)
    assert {head for head, size in found.items() if size == 0} == silent


def test_coarse_heads_count_for_more():
    logits = drawn(3, 2)
    found = joint_loss(logits, torch.tensor([Label(2014, 6, 9).classes, Label(1998).classes]), LossSettings())
    rest = sum(found[head] for head in ("year", "month", "day", "exists"))
    assert found["loss"].item() == pytest.approx((1.5 * found["century"] + 1.25 * found["decade"] + rest).item())


def test_what_is_accepted():
    with pytest.raises(EpochalError, match="absent is 'gone'; accepted: class, masked"):
        LossSettings(absent="gone")
    with pytest.raises(EpochalError, match="the weight of the head day is -1"):
        LossSettings(day=-1)
