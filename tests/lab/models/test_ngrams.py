"""Runs of tokens: which there are and which are known; padding makes none, and what was never met says nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.ranking.dating.dater import BASE, run_keys
from epochal.ranking.dating.months import MonthAxis
from epochal_lab.models.backbone import Backbone, Ngrams, encode_ngrams
from epochal_lab.models.ctd.model import CTD
from epochal_lab.models.ctd.settings import CTDSettings


def runs(*ids: int, padding: int = 0) -> set[int]:
    row = torch.tensor([[*ids, *[0] * padding]])
    result = encode_ngrams(row, torch.tensor([[1] * len(ids) + [0] * padding]))
    return set(result[result > 0].tolist())


def test_padding_makes_no_run() -> None:
    assert runs(2, 7, 8, 9, 3) == runs(2, 7, 8, 9, 3, padding=4)
    assert len(runs(2, 7, 8, 9, 3)) == 3 + 4 + 3


def test_texts_share_the_runs_that_they_share() -> None:
    both = runs(2, 7, 8, 9, 3) & runs(2, 5, 8, 9, 3)
    assert len(both) == 2 + 2 + 1  # 8, 9; 8-9, 9-3; 8-9-3
    assert runs(2, 7, 8, 3) != runs(2, 8, 7, 3)


@settings(deadline=None)
@given(st.lists(st.integers(4, 30_000), min_size=1, max_size=12))
def test_runs_are_the_tuples_of_tokens(ids: list[int]) -> None:
    whole = [2, *ids, 3]
    tuples = {(one,) for one in ids}
    tuples |= {tuple(whole[at : at + size]) for size in (2, 3) for at in range(len(whole) - size + 1)}
    assert len(runs(*whole)) == len(tuples)


def test_only_what_several_texts_have_is_known() -> None:
    wide = Ngrams(100, 4)
    texts = [np.array([2, 7, 8, 3]), np.array([2, 7, 9, 3]), np.array([2, 7, 8, 8, 3])]
    assert wide.select_ngrams(texts, min_texts=3) == 2  # 7, and 2-7
    assert wide.select_ngrams(texts, min_texts=2) == 6  # and 8, 7-8, 8-3, 2-7-8
    assert Ngrams(2, 4).select_ngrams(texts, min_texts=2) == 2
    rare, common = wide.rarity[wide.rarity > 0].max(), wide.rarity[wide.rarity > 0].min()
    assert rare > common == 1.0  # a run of every text weighs 1


def test_what_was_never_met_says_nothing_and_every_known_text_has_one_length() -> None:
    wide = Ngrams(1 << 10, 4)
    met, other = torch.tensor([[2, 7, 8, 3]]), torch.tensor([[4, 17, 18, 6]])
    wide.select_ngrams([met[0].numpy()] * 3)
    mask = torch.ones_like(met)
    torch.nn.init.ones_(wide.table.weight)
    # Seven runs, all in every text, so all of one weight: 10 / sqrt(7) each.
    assert len(runs(2, 7, 8, 3)) == 7
    assert torch.allclose(wide(met, mask), torch.full((1, 4), 10 * 7**0.5), atol=1e-4)
    assert wide(other, mask).abs().max() == 0


def test_dropout_is_for_training_only() -> None:
    ids = torch.arange(2, 60)[None]
    wide = Ngrams(1 << 10, 4, dropout=0.5)
    wide.select_ngrams([ids[0].numpy()] * 3)
    torch.nn.init.normal_(wide.table.weight)
    mask = torch.ones_like(ids)
    assert torch.equal(wide.eval()(ids, mask), wide(ids, mask))
    assert not torch.equal(wide.train()(ids, mask), wide(ids, mask))


def test_padding_on_either_side_is_the_same() -> None:
    torch.manual_seed(1)
    parts = replace(CTDSettings.improved(), ngrams=100)
    model = CTD(Backbone.tiny(["rain", "fell"]), MonthAxis.lu(), parts).eval()
    model.temporal.wide.select_ngrams([np.array([2, 5, 6, 3])] * 3)
    torch.nn.init.normal_(model.temporal.wide.table.weight)
    left, right = torch.tensor([[0, 0, 2, 5, 6, 3]]), torch.tensor([[2, 5, 6, 3, 0, 0]])
    here, there = (model(ids, (ids > 0).long(), "record").logits[0] for ids in (left, right))
    assert torch.allclose(here, there, atol=1e-5)
    assert not torch.allclose(here, model(right, (right > 0).long(), "question").logits[0], atol=1e-2)


def test_mistakes_are_reported() -> None:
    with pytest.raises(EpochalError, match="capacity of the n-gram table is 1"):
        Ngrams(1, 2)
    with pytest.raises(EpochalError, match="dropout of n-grams is 1"):
        Ngrams(10, 2, dropout=1.0)
    with pytest.raises(EpochalError, match="the highest token id is 2000000"):
        encode_ngrams(torch.tensor([[2_000_000]]), torch.ones(1, 1).long())


@given(st.lists(st.lists(st.integers(1, BASE - 2), min_size=2, max_size=12), min_size=1, max_size=4))
def test_keys_are_those_that_a_table_is_fitted_by(texts: list[list[int]]) -> None:
    longest = max(map(len, texts))
    ids = torch.tensor([text + [0] * (longest - len(text)) for text in texts])
    mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in texts])
    for row, text in zip(encode_ngrams(ids, mask), texts, strict=True):
        assert row[row > 0].tolist() == run_keys(np.array(text)).tolist()
