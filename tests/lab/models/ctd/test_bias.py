"""The bias by distance: nothing at first, the same in a table as in the model."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.ctd.context import RelativeBias


def opened(steps: int | None = None) -> RelativeBias:
    torch.manual_seed(5)
    bias = RelativeBias(steps=steps)
    with torch.no_grad():
        bias.eps.fill_(2.0)
    return bias


def test_it_begins_with_nothing_and_learns_from_there() -> None:
    bias = RelativeBias()
    result = bias(torch.rand(3), torch.rand(4))
    assert result.abs().max().item() == 0
    result.sum().backward()
    assert bias.eps.grad is not None
    assert bias.eps.grad.abs() > 0  # or eps would stay 0 for ever


def test_pairs_are_records_less_questions() -> None:
    bias, questions, records = opened(), torch.tensor([0.2, 0.9]), torch.tensor([0.1, 0.5, 1.0])
    result = bias(questions, records)
    for i in range(2):
        for j in range(3):
            alone = bias.compute(records[j] - questions[i])
            assert result[i, j].item() == pytest.approx(alone.item(), abs=1e-6)


def test_the_published_frequencies_cannot_tell_months_apart() -> None:
    month = torch.tensor([0.0, 1 / 4607])
    low, full = opened().compute(month), opened(3060).compute(month)
    assert abs((low[0] - low[1]).item()) < 1e-3
    assert abs((full[0] - full[1]).item()) > 1e-2


@pytest.mark.parametrize("steps", [None, 3060])
def test_table_is_within_half_a_cell(steps: int | None) -> None:
    bias, resolution = opened(steps), 1 << 15
    table = bias.table(resolution)
    distance = torch.rand(500, generator=torch.Generator().manual_seed(1)) * 2 - 1
    exact = bias.compute(distance).detach().numpy()
    looked = table[np.rint(distance.numpy() * resolution).astype(int) + resolution]
    steepest = np.abs(np.diff(table)).max()
    assert np.abs(exact - looked).max() <= steepest * 0.75 + 1e-5
    assert steepest < 0.1


def test_mistakes_are_reported() -> None:
    with pytest.raises(EpochalError, match="relative code is 5"):
        RelativeBias(5)
    with pytest.raises(EpochalError, match="resolution of the table is 0"):
        RelativeBias().table(0)
