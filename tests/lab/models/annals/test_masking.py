"""How many characters are covered, which, and by what."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal_lab.models.annals.tasks import IGNORED, mask_ids, sample_positions

SIZE = 400


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.integers(0, 2**40), st.floats(0.05, 0.4), st.floats(1, 6))
@settings(max_examples=30)
def test_the_rate_is_kept_at_every_place(seed, rate, span):
    found = sample_positions(torch.Size([3000, 24]), drawn(seed), rate, span).float()
    assert found.mean().item() == pytest.approx(rate, abs=0.012)
    # Also at both ends of a row, where spans could be cut off. 3,000 rows: five standard deviations are 0.045.
    assert found[:, 0].mean().item() == pytest.approx(rate, abs=0.045)
    assert found[:, -1].mean().item() == pytest.approx(rate, abs=0.045)


def test_spans_have_the_length_asked_for():
    found = sample_positions(torch.Size([2000, 200]), drawn(1), 0.05, 3.0)
    begins = (found[:, 1:] & ~found[:, :-1]).sum().item() + found[:, 0].sum().item()
    # Spans that meet run together, so that they come out a little longer than drawn.
    assert 2.7 < found.sum().item() / begins < 3.4


@given(st.integers(0, 2**40), st.sampled_from([1.0, 3.0]))
@settings(max_examples=20)
def test_what_covers_what(seed, span):
    ids = torch.randint(0, SIZE, (400, 128), generator=drawn(seed + 1))
    inputs, labels = mask_ids(ids, SIZE, drawn(seed), 0.15, span)
    guessed = labels != IGNORED
    assert not guessed[ids < 5].any()
    assert torch.equal(labels[guessed], ids[guessed])
    assert torch.equal(inputs[~guessed], ids[~guessed])
    count = guessed.sum().item()
    covered = (inputs[guessed] == 4).sum().item() / count
    same = (inputs[guessed] == ids[guessed]).sum().item() / count
    assert covered == pytest.approx(0.8, abs=0.03)
    assert same == pytest.approx(0.1, abs=0.03)
    assert (inputs[guessed] >= 4).all()
    assert (inputs < SIZE).all()


def test_a_seed_decides_everything():
    ids = torch.arange(5, 205).repeat(4, 1)
    first, second, third = (mask_ids(ids, SIZE, drawn(seed), 0.15, 3.0) for seed in (3, 3, 4))
    assert torch.equal(first.inputs, second.inputs)
    assert torch.equal(first.labels, second.labels)
    assert not torch.equal(first.labels, third.labels)
