"""Scores to labels: the best class of each head, and only days that exist."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.models.re3.times.labels import (
    HEADS,
    IGNORED,
    NONE,
    Label,
    days_in_month,
    decode_scores,
    label_accuracy,
    select_most_similar,
    span_accuracy,
)
from epochal_lab.models.re3.times.model import LossSettings, joint_loss


def scores_of(*rows: tuple[int, ...]) -> dict[str, np.ndarray]:
    result = {head: np.zeros((len(rows), count), np.float32) for head, count in HEADS.items()}
    for position, classes in enumerate(rows):
        for head, best in zip(HEADS, classes, strict=True):
            result[head][position, best] = 3.0
    return result


def test_the_best_classes_win():
    result = decode_scores(scores_of((20, 1, 4, 6, 9, 1), (19, 9, 8, 0, 0, 1), (3, 3, 3, 6, 9, 0), (3, 3, 3, 0, 5, 0)))
    assert result == [Label(2014, 6, 9), Label(1998), Label(None, 6, 9), NONE]


@pytest.mark.parametrize(("year", "last"), [((20, 2, 3), 28), ((20, 2, 4), 29)])
def test_a_day_that_does_not_exist_gives_way(year, last):
    scores = scores_of((*year, 2, 31, 1))
    scores["day"][0, last] = 2.0
    assert decode_scores(scores)[0].day == last


def test_masked_training_says_nothing_without_a_year():
    scores = scores_of((20, 1, 4, 6, 9, 0))
    assert decode_scores(scores, absent="masked") == [NONE]
    assert decode_scores(scores) == [Label(None, 6, 9)]


@given(st.integers(0, 2**32 - 1))
def test_any_scores_give_a_date_that_exists(seed):
    rng = np.random.default_rng(seed)
    result = decode_scores({head: rng.normal(size=(8, count)) for head, count in HEADS.items()})
    for label in result:
        if label.day is not None:
            assert label.day <= days_in_month(label.year, label.month)


LABELS = [Label(2014, 6, 9), Label(1998), Label(1998, 3), Label(None, 6, 9), Label(None, 5), NONE, Label(845)]


def drawn(seed: int, count: int) -> dict[str, torch.Tensor]:
    result = torch.Generator().manual_seed(seed)
    return {head: torch.randn(count, width, generator=result) for head, width in HEADS.items()}


def slow(logits: dict[str, torch.Tensor], labels: list[Label], weights: LossSettings) -> float:
    total = 0.0
    for column, head in enumerate(HEADS):
        parts = []
        for row, label in enumerate(labels):
            expected = label.classes[column]
            hidden = weights.absent == "masked" and head in ("month", "day") and expected == 0
            if expected == IGNORED or hidden:
                continue
            scores = logits[head][row].tolist()
            parts.append(math.log(sum(math.exp(score) for score in scores)) - scores[expected])
        if parts:
            total += getattr(weights, head) * sum(parts) / len(parts)
    return total


@given(st.integers(0, 1000), st.lists(st.sampled_from(LABELS), min_size=1, max_size=6), st.booleans())
def test_against_a_slow_loop(seed, labels, masked):
    weights = LossSettings(absent="masked" if masked else "class")
    logits = drawn(seed, len(labels))
    result = joint_loss(logits, torch.tensor([label.classes for label in labels]), weights)
    assert result["loss"].item() == pytest.approx(slow(logits, labels, weights), rel=1e-4)


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
    result = gradients(label, absent)
    assert {head for head, size in result.items() if size == 0} == silent


def test_coarse_heads_count_for_more():
    logits = drawn(3, 2)
    result = joint_loss(logits, torch.tensor([Label(2014, 6, 9).classes, Label(1998).classes]), LossSettings())
    rest = sum(result[head] for head in ("year", "month", "day", "exists"))
    assert result["loss"].item() == pytest.approx((1.5 * result["century"] + 1.25 * result["decade"] + rest).item())


def test_what_is_accepted():
    with pytest.raises(EpochalError, match="absent is 'gone'; accepted: class, masked"):
        LossSettings(absent="gone")
    with pytest.raises(EpochalError, match="the weight of the head day is -1"):
        LossSettings(day=-1)


def spans(*texts: str | None) -> list[Span | None]:
    return [None if text is None else Span.parse(text) for text in texts]


def test_parts_of_days():
    gold = spans("2014-07-04", "2014-07-04", "2014-07-04", "2014-07-04")
    result = span_accuracy(spans("2014-07-04", "2014-07-05", "2013-07-04", None), gold)
    assert (result.year, result.month, result.day, result.exact, result.missing) == (0.5, 0.75, 0.5, 0.25, 0.25)


def test_years_have_no_months():
    result = span_accuracy(spans("1998", "1998-03", "199X"), spans("1998", "1998", "1998"))
    assert (result.year, result.month, result.day, result.exact) == (
        pytest.approx(2 / 3),
        None,
        None,
        pytest.approx(1 / 3),
    )
    assert result.missing == 0


def test_labels_may_state_nothing():
    assert label_accuracy([NONE, Label(1998)], [NONE, NONE]).exact == 0.5


def test_the_likest_of_several():
    gold = Span.parse("2014-07-04")
    assert select_most_similar(spans("1998", "2014-07-05", "2014-07"), gold) == Span.parse("2014-07-05")
    assert select_most_similar(spans("2014-07-05", "2014-07-04"), gold) == gold
    assert select_most_similar([], gold) is None


def test_what_cannot_be_measured():
    with pytest.raises(EpochalError, match="0 dates were found for 1"):
        label_accuracy([], [NONE])
    with pytest.raises(EpochalError, match="199X cannot be measured"):
        span_accuracy([None], spans("199X"))
