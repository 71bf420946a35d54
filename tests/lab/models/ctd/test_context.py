"""Contexts: what they add to a score, by hand."""

from __future__ import annotations

import math

import pytest
import torch

from epochal.errors import EpochalError
from epochal.ranking.dating.months import MonthAxis
from epochal_lab.models.ctd.context import (
    AddContext,
    ConcatContext,
    LikelihoodContext,
    build_codebook,
    build_frequencies,
    build_full_codebook,
    build_full_frequencies,
    build_month_intervals,
    build_year_intervals,
    encode_distances,
    match_intervals,
)
from epochal_lab.models.ctd.heads import JointHeads, LevelHeads

LU = MonthAxis.lu()


def test_added_context_by_hand() -> None:
    torch.manual_seed(1)
    heads = LevelHeads(8, LU, years=32)
    context, hidden = AddContext(heads, 8, 64, full=False), torch.randn(2, 8)
    assert context.gamma.item() == 1
    logits = heads(hidden)
    expected = torch.cat(
        [part.softmax(-1) @ build_codebook(size) for part, size in zip(logits, (12, 32, 12), strict=True)], -1
    )
    want = hidden + context.project(expected)
    want = want / want.norm(dim=1, keepdim=True)
    assert torch.allclose(context.encode_record(hidden, logits, None), want, atol=1e-6)
    assert torch.allclose(context.encode_question(hidden, logits, 0.05), want, atol=1e-6)


def test_beside_is_the_sum_of_two_cosines() -> None:
    torch.manual_seed(2)
    heads = JointHeads(8, LU)
    context, hidden = ConcatContext(heads, 8, 64, full=True), torch.randn(2, 8)
    with torch.no_grad():
        context.gamma.fill_(0.5)
    logits = heads(hidden)
    result = context.encode_record(hidden, logits, None)
    here = context.context(logits)
    want = torch.cosine_similarity(hidden[0], hidden[1], dim=0) + 0.25 * torch.cosine_similarity(
        here[0], here[1], dim=0
    )
    assert (result[0] @ result[1]).item() == pytest.approx(want.item(), abs=1e-6)


def sure(years: dict[int, float], months: dict[int, float]) -> tuple[torch.Tensor, torch.Tensor]:
    def logits(shares: dict[int, float], size: int) -> torch.Tensor:
        row = torch.full((1, size), -1e4)
        for position, share in shares.items():
            row[0, position] = math.log(share)
        return row

    return logits(years, 20), logits(months, 12)


@pytest.mark.parametrize(
    ("requests", "want"),
    [
        (sure({3: 1}, {4: 1}), 0.7 * 0.6),  # a month
        (sure({3: 1}, {4: 0.5, 5: 0.5}), 0.7 * 0.9),  # two months
        (sure({3: 0.5, 4: 0.5}, {11: 0.5, 0: 0.5}), 0.9 * 0.1),  # over the turn of the year
        (sure({3: 1}, dict.fromkeys(range(12), 1 / 12)), 0.7),  # a year
    ],
)
def test_the_likelihood_of_a_window(requests: tuple[torch.Tensor, torch.Tensor], want: float) -> None:
    context, words, temperature = LikelihoodContext(20), torch.zeros(1, 4), 0.05
    message = sure({3: 0.7, 4: 0.2, 9: 0.1}, {4: 0.6, 5: 0.3, 0: 0.1})
    question = context.encode_question(words, requests, temperature)
    score = (question @ context.encode_record(words, message, None).T / temperature).item()
    assert score == pytest.approx(math.log(want), abs=0.1)


def test_worth_is_part_of_the_score() -> None:
    context, words, when = LikelihoodContext(20), torch.zeros(1, 4), sure({3: 1}, {4: 1})
    question = context.encode_question(words, when, 1.0)
    high, low = (context.encode_record(words, when, torch.tensor([worth])) for worth in (9.0, -3.0))
    assert (question @ (high - low).T).item() == pytest.approx(
        math.log(1 / (1 + math.exp(3)) / (1 / (1 + math.exp(-9)))) * -1
    )


def test_a_belief_is_nearest_to_its_own_interval() -> None:
    for intervals in (build_year_intervals(30), build_month_intervals()):
        even = intervals / intervals.sum(dim=1, keepdim=True)
        assert match_intervals(even, intervals).argmax(dim=1).tolist() == list(range(len(intervals)))
        assert match_intervals(even, intervals).sum(dim=1).tolist() == pytest.approx([1] * len(intervals), abs=1e-5)


def test_there_are_as_many_intervals_as_there_should_be() -> None:
    assert build_year_intervals(255).shape == (509, 255)
    assert build_month_intervals().shape == (133, 12)
    assert len({tuple(row) for row in build_month_intervals().tolist()}) == 133


def test_published_rows_by_hand() -> None:
    rows = build_codebook(12, 64)
    for c in (0, 5, 11):
        for k in (0, 7, 31):
            angle = c / 11 * 10000 ** (-k / 31)
            assert rows[c, k].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert rows[c, 32 + k].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_the_published_codebook_has_almost_rank_two() -> None:
    rows = build_codebook(12, 64).double()
    singular = torch.linalg.svdvals(rows - rows.mean(dim=0))
    assert singular[0].item() == pytest.approx(1.59, abs=0.02)
    assert singular[1].item() == pytest.approx(0.18, abs=0.01)
    assert singular[2].item() == pytest.approx(0.007, abs=0.002)


@pytest.mark.parametrize(("classes", "cyclic"), [(12, True), (255, False), (20, False)])
def test_full_rows_of_neighbours_differ(classes: int, cyclic: bool) -> None:
    rows = build_full_codebook(classes, 64, cyclic=cyclic)
    assert torch.allclose(rows.norm(dim=1), torch.ones(classes), atol=1e-5)
    near = (rows[1:] * rows[:-1]).sum(dim=1)
    assert near.max().item() < 0.5
    assert (build_codebook(classes)[1] - build_codebook(classes)[0]).norm().item() < 0.3  # what it is to mend


def test_a_cycle_closes() -> None:
    rows = build_full_codebook(12, 12, cyclic=True)
    assert (rows[0] @ rows[11]).item() == pytest.approx((rows[0] @ rows[1]).item(), abs=1e-5)


def test_frequencies() -> None:
    assert torch.allclose(build_frequencies(16), torch.exp(-math.log(10000) * torch.linspace(0, 1, 16)), rtol=1e-4)
    step = 1 / 3059
    full, low = build_full_frequencies(16, 3060), build_frequencies(16)
    here, there = torch.tensor([0.0]), torch.tensor([step])
    assert (encode_distances(here, full) - encode_distances(there, full)).abs().max().item() > 1
    assert (encode_distances(here, low) - encode_distances(there, low)).abs().max().item() < 1e-3


def test_mistakes_are_reported() -> None:
    with pytest.raises(EpochalError, match="even number from 4"):
        build_codebook(12, 63)
    with pytest.raises(EpochalError, match="classes is 1"):
        build_codebook(1)
    with pytest.raises(EpochalError, match="steps is 1"):
        build_full_frequencies(4, 1)
