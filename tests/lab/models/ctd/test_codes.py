"""The published codes have the published rows, and the full ones tell neighbours apart."""

from __future__ import annotations

import math

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.ctd.context import (
    build_codebook,
    build_frequencies,
    build_full_codebook,
    build_full_frequencies,
    encode_distances,
)


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


def test_mistakes_are_told() -> None:
    with pytest.raises(EpochalError, match="even number from 4"):
        build_codebook(12, 63)
    with pytest.raises(EpochalError, match="classes is 1"):
        build_codebook(1)
    with pytest.raises(EpochalError, match="steps is 1"):
        build_full_frequencies(4, 1)
