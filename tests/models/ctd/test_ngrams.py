"""Runs of tokens: which there are, that padding makes none, and that what was never met says nothing."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone
from epochal.models.ctd.axis import MonthAxis
from epochal.models.ctd.model import CTD
from epochal.models.ctd.ngrams import Ngrams, hashed_runs
from epochal.models.ctd.settings import CTDSettings


def runs(*ids: int, padding: int = 0) -> set[int]:
    row = torch.tensor([[*ids, *[0] * padding]])
    buckets, there = hashed_runs(row, torch.tensor([[1] * len(ids) + [0] * padding]), 1 << 20)
    assert bool((buckets[~there] == 0).all())
    return set(buckets[there].tolist())


def test_padding_makes_no_run() -> None:
    assert runs(2, 7, 8, 9, 3) == runs(2, 7, 8, 9, 3, padding=4)
    assert len(runs(2, 7, 8, 9, 3)) == 3 + 4 + 3


def test_texts_share_the_runs_that_they_share() -> None:
    both = runs(2, 7, 8, 9, 3) & runs(2, 5, 8, 9, 3)
    assert len(both) == 2 + 2 + 1  # 8, 9; 8-9, 9-3; 8-9-3
    assert runs(2, 7, 8, 3) != runs(2, 8, 7, 3)


def test_buckets_are_evenly_filled() -> None:
    ids = torch.arange(5, 5005).reshape(1, -1)
    buckets, there = hashed_runs(ids, torch.ones_like(ids), 1 << 16)
    found = buckets[there]
    assert len(found.unique()) > 0.88 * len(found)  # 15,000 into 65,536: chance leaves 0.89


def test_what_was_never_met_says_nothing() -> None:
    wide = Ngrams(1 << 16, 4)
    optimiser = torch.optim.SGD(wide.parameters(), lr=1.0)
    met, other = torch.tensor([[2, 7, 8, 3]]), torch.tensor([[4, 17, 18, 6]])
    mask = torch.ones_like(met)
    (1 - wide(met, mask)).sum().backward()
    optimiser.step()
    assert wide(met, mask).abs().min() > 0
    assert wide(other, mask).abs().max() == 0


def test_dropout_is_for_training_only() -> None:
    wide, ids = Ngrams(1 << 10, 4, dropout=0.5), torch.arange(2, 60)[None]
    torch.nn.init.ones_(wide.table.weight)
    mask = torch.ones_like(ids)
    assert torch.equal(wide.eval()(ids, mask), wide(ids, mask))
    assert not torch.equal(wide.train()(ids, mask), wide(ids, mask))


def test_padding_on_either_side_is_the_same() -> None:
    torch.manual_seed(1)
    model = CTD(Backbone.tiny(["rain", "fell"]), MonthAxis.lu(), CTDSettings.improved()).eval()
    torch.nn.init.normal_(model.temporal.wide.table.weight)
    left, right = torch.tensor([[0, 0, 2, 5, 6, 3]]), torch.tensor([[2, 5, 6, 3, 0, 0]])
    here, there = (model(ids, (ids > 0).long(), "record").logits[0] for ids in (left, right))
    assert torch.allclose(here, there, atol=1e-5)


def test_mistakes_are_told() -> None:
    with pytest.raises(EpochalError, match="table of 1 buckets"):
        hashed_runs(torch.ones(1, 3).long(), torch.ones(1, 3).long(), 1)
    with pytest.raises(EpochalError, match="dropout of runs is 1"):
        Ngrams(10, 2, dropout=1.0)
