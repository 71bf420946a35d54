"""Equations 8 to 10 against loops over single tokens and single pairs, and where gradients go."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.models.tmrl.objectives import (
    Groups,
    ProjectedTimes,
    TemporalProjector,
    project_times,
    temporal_contrast,
)

SIDES = ("passage", "question")


def projector(width: int = 6, dims: int = 4) -> TemporalProjector:
    torch.manual_seed(1)
    return TemporalProjector(width, dims)


def test_the_projector_is_two_layers_with_a_norm_between():
    result = projector()
    x = torch.randn(6)
    inner = functional.gelu(result.dense.weight @ x + result.dense.bias)
    inner = (inner - inner.mean()) / torch.sqrt(inner.var(unbiased=False) + 1e-12)
    torch.testing.assert_close(result(x), result.out.weight @ inner, atol=1e-5, rtol=1e-5)
    assert result.out.bias is None


def test_the_projector_is_like_its_backbone():
    from types import SimpleNamespace

    result = TemporalProjector.from_config(SimpleNamespace(hidden_size=6, hidden_act="relu", layer_norm_eps=1e-3), 4)
    assert (result.activation, result.norm.eps, result.dense.in_features) == ("relu", 1e-3, 6)
    nomic = SimpleNamespace(hidden_size=6, activation_function="swiglu", layer_norm_epsilon=1e-5)
    assert TemporalProjector.from_config(nomic, 4).norm.eps == 1e-5
    with pytest.raises(EpochalError, match="the activation is 'sine'"):
        TemporalProjector(6, 4, "sine")
    with pytest.raises(EpochalError, match="temporal_dims is 8; accepted: 1 to 6"):
        TemporalProjector(6, 8)


@pytest.mark.parametrize("first", [False, True])
def test_the_mean_of_projected_tokens_against_loops(first):
    built, hidden = projector(), torch.randn(3, 7, 6)
    spans = torch.tensor([[[1, 3], [4, 7]], [[2, 3], [-1, -1]], [[-1, -1], [-1, -1]]])
    pooled = torch.randn(3, 6) if first else None
    result = project_times(built, hidden, spans, pooled)
    for text in range(3):
        for position in range(2):
            begin, end = spans[text, position].tolist()
            if begin < 0:
                assert not result.present[text, position]
                assert result.vectors[text, position].abs().sum() == 0
                continue
            tokens = [hidden[text, number] for number in range(begin, end)]
            tokens += [pooled[text]] if pooled is not None else []
            want = torch.stack([built(token) for token in tokens]).mean(dim=0)
            torch.testing.assert_close(result.vectors[text, position], want, atol=1e-5, rtol=1e-5)
    assert result.texts.tolist() == [True, True, False]


def test_at_most_sixteen_tokens_of_an_expression():
    hidden = torch.arange(40.0).reshape(1, 40, 1)
    assert project_times(lambda x: x, hidden, torch.tensor([[[2, 30]]])).vectors.item() == pytest.approx(2 + 7.5)


def test_several_expressions_weigh_the_same_whatever_their_length():
    hidden = torch.tensor([[[1.0], [1.0], [1.0], [9.0]]])
    result = project_times(lambda x: x, hidden, torch.tensor([[[0, 3], [3, 4]]])).average()
    assert result.vectors.item() == 5.0


def test_attended_expressions_weigh_as_they_fit():
    result = ProjectedTimes(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]), torch.tensor([[True, True]]))
    other = torch.tensor([[3.0, 4.0]])
    weights = torch.softmax(torch.tensor([0.6, 0.8]) / 0.1, dim=0)
    want = float(weights @ torch.tensor([0.6, 0.8]))
    assert result.compute_scores(other, 0.1).item() == pytest.approx(want, abs=1e-6)
    alone = ProjectedTimes(result.vectors, torch.tensor([[True, False]]))
    assert alone.compute_scores(other, 0.1).item() == pytest.approx(0.6, abs=1e-6)


def slow_contrast(passages, questions, passage_times, question_times, passage_there, there, owner, targets, tau):
    """Equation 10 with the rule for who takes part, one pair at a time; times are None where there are none."""

    def cosine(x, y):
        return float(x @ y / (x.norm() * y.norm()))

    takes = []
    for row, target in enumerate(targets):
        others = [n for n, whose in enumerate(owner) if whose == row and n != target]
        takes.append(there[target] and any(there[n] for n in others))
    retained = [n for n, whose in enumerate(owner) if takes[whose] and there[n]]
    sums, counts = [0.0, 0.0], [0, 0]
    for row, target in enumerate(targets):
        if not takes[row]:
            continue
        for way in (0, 1):
            if way == 0 and not passage_there[row]:
                continue
            scores = {
                n: cosine(passage_times[row], questions[n]) if way == 0 else cosine(passages[row], question_times[n])
                for n in retained
            }
            below = sum(math.exp(score / tau) for score in scores.values())
            sums[way] -= math.log(math.exp(scores[target] / tau) / below)
            counts[way] += 1
    return [total / max(1, count) for total, count in zip(sums, counts, strict=True)]


@pytest.mark.parametrize("seed", range(12))
def test_the_contrast_in_both_directions_against_loops(seed):
    built = torch.Generator().manual_seed(seed)
    owner, targets = [0, 0, 0, 1, 1, 2, 3, 3], [0, 3, 5, 6]
    there = (torch.rand(8, generator=built) < 0.7).tolist()
    passage_there = (torch.rand(4, generator=built) < 0.7).tolist()
    passages, questions = torch.randn(4, 5, generator=built), torch.randn(8, 5, generator=built)
    passage_times, question_times = torch.randn(4, 5, generator=built), torch.randn(8, 5, generator=built)
    want = slow_contrast(passages, questions, passage_times, question_times, passage_there, there, owner, targets, 0.3)
    result = temporal_contrast(
        passages,
        questions,
        ProjectedTimes(passage_times[:, None], torch.tensor(passage_there)[:, None]),
        ProjectedTimes(question_times[:, None], torch.tensor(there)[:, None]),
        Groups(torch.tensor(owner), torch.tensor(targets)),
        0.3,
    )
    assert [part.item() for part in result] == pytest.approx(want, abs=1e-4)


def test_nobody_takes_part_and_no_gradient_is_lost():
    passages, questions = torch.randn(2, 4, requires_grad=True), torch.randn(2, 4, requires_grad=True)
    times = ProjectedTimes(torch.zeros(2, 1, 4, requires_grad=True), torch.tensor([[False], [False]]))
    result = temporal_contrast(
        passages, questions, times, times, Groups(torch.tensor([0, 1]), torch.tensor([0, 1])), 0.1
    )
    assert [part.item() for part in result] == [0.0, 0.0]
    sum(result).backward()
    assert torch.isfinite(passages.grad).all()
    assert torch.isfinite(times.vectors.grad).all()


@pytest.mark.parametrize("detach", [True, False])
def test_gradients_go_into_the_projector_and_the_first_numbers_but_not_into_states_that_are_detached(detach):
    built = projector(dims=4)
    hidden = [torch.randn(2, 5, 6, requires_grad=True) for _ in SIDES]
    vectors = [torch.randn(2, 6, requires_grad=True) for _ in SIDES]
    spans = torch.tensor([[[1, 3]], [[2, 4]]])
    times = [project_times(built, states, spans, detach=detach) for states in hidden]
    # Both questions are of the one passage that takes part.
    result = temporal_contrast(
        vectors[0][:1, :4],
        vectors[1][:, :4],
        ProjectedTimes(times[0].vectors[:1], times[0].present[:1]),
        times[1],
        Groups(torch.tensor([0, 0]), torch.tensor([0])),
        0.1,
    )
    sum(result).backward()
    assert all(
        one.grad is not None and one.grad.abs().sum() > 0 for one in built.parameters() if one is not built.dense.bias
    )
    for states in hidden:
        assert (states.grad is not None) is not detach
    for one in vectors:
        assert one.grad[:, :4].abs().sum() > 0
        assert one.grad[:, 4:].abs().sum() == 0
