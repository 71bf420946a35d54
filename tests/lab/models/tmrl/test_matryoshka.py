"""Equations 3 to 5 against loops over single numbers, and the rule for what may be right too."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.models.tmrl.objectives import Groups, info_nce, matryoshka_loss, take_prefixes


def cosine(x: list[float], y: list[float], dim: int) -> float:
    """Equation 4."""
    dot = sum(a * b for a, b in zip(x[:dim], y[:dim], strict=True))
    return dot / math.sqrt(sum(a * a for a in x[:dim]) * sum(b * b for b in y[:dim]))


def slow(anchors, candidates, owner, targets, dim, temperature, share=None) -> float:
    """Equation 3, one anchor and one candidate at a time."""
    total = 0.0
    for row, anchor in enumerate(anchors):
        scores = [cosine(anchor, candidate, dim) for candidate in candidates]
        right = scores[targets[row]]
        below = sum(
            math.exp(score / temperature)
            for score, whose in zip(scores, owner, strict=True)
            if share is None or whose == row or score <= share * right
        )
        total -= math.log(math.exp(right / temperature) / below)
    return total / len(anchors)


@st.composite
def batches(draw):
    anchors = draw(st.integers(1, 4))
    owner, targets = [], []
    for row in range(anchors):
        targets.append(len(owner))
        owner += [row] * draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10_000))
    result = torch.Generator().manual_seed(seed)
    return torch.randn(anchors, 6, generator=result), torch.randn(len(owner), 6, generator=result), owner, targets


@given(batches(), st.sampled_from([1.0, 0.2]), st.sampled_from([None, 0.95, 0.5]))
def test_against_loops_at_every_prefix(batch, temperature, share):
    anchors, candidates, owner, targets = batch
    groups = Groups(torch.tensor(owner), torch.tensor(targets))
    dims = [2, 4, 6]
    here, there = take_prefixes(anchors, dims), take_prefixes(candidates, dims)
    want = []
    for dim in dims:
        want.append(slow(anchors.tolist(), candidates.tolist(), owner, targets, dim, temperature, share))
        got = info_nce(here[dim], there[dim], groups, temperature, share)
        assert got.item() == pytest.approx(want[-1], abs=1e-4)
    whole = matryoshka_loss(here, there, groups, temperature, false_negatives=share, mean=False)
    assert whole.item() == pytest.approx(sum(want), abs=3e-4)
    assert matryoshka_loss(here, there, groups, temperature, false_negatives=share).item() == pytest.approx(
        sum(want) / 3, abs=1e-4
    )
    weighed = matryoshka_loss(
        here, there, groups, temperature, false_negatives=share, mean=False, weights={2: 0.5, 4: 0.0, 6: 2.0}
    )
    assert weighed.item() == pytest.approx(0.5 * want[0] + 2 * want[2], abs=3e-4)


def test_by_hand():
    anchors = torch.tensor([[1.0, 0.0]])
    candidates = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    loss = info_nce(anchors, candidates, Groups(torch.tensor([0, 0, 0]), torch.tensor([0])), 0.5)
    assert loss.item() == pytest.approx(-math.log(math.e**2 / (math.e**2 + 1 + math.e**-2)), abs=1e-6)


def test_what_may_be_right_too_is_left_out_unless_it_was_drawn_for_the_anchor():
    anchors = torch.tensor([[1.0, 0.0]])
    # Scores .8 (the right one), 1 (drawn for the anchor), .99 (of another anchor, and too good), 0 (of another).
    candidates = functional.normalize(torch.tensor([[0.8, 0.6], [1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]), dim=-1)
    groups = Groups(torch.tensor([0, 0, 1, 1]), torch.tensor([0]))
    want = -math.log(math.exp(0.8) / sum(map(math.exp, (0.8, 1.0, 0.0))))
    result = info_nce(anchors, candidates, groups, 1.0, 0.95)
    assert result.item() == pytest.approx(want, abs=1e-5)
    assert info_nce(anchors, candidates, groups, 1.0).item() > result.item() + 0.1


def test_any_prefix_holds_the_temporal_part():
    """Equations 6 and 7: the first numbers are the same in every prefix, up to its length."""
    vectors = torch.randn(3, 16)
    result = take_prefixes(vectors, [4, 8, 16])
    for dim in (8, 16):
        torch.testing.assert_close(functional.normalize(result[dim][:, :4], dim=-1), result[4])


def test_whole_vectors_may_stay_as_they_are():
    vectors = torch.tensor([[3.0, 4.0]])
    assert torch.equal(take_prefixes(vectors, [2], normalise=False)[2], vectors)
    assert take_prefixes(vectors, [1, 2], normalise=False)[1].item() == 1.0
    with pytest.raises(EpochalError, match="the prefix has 3 dimensions, the vectors 2"):
        take_prefixes(vectors, [3])
