"""A backbone of character n-grams: what it contains, and that its folder restores it."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError, InputError
from epochal_lab.models.backbone import NgramBackbone, load_backbone

TEXTS = ("元年春，王正月。", "二年春，公會戎于潛。", "三年春，王二月。")


def test_texts_with_other_runs_have_other_vectors() -> None:
    runs = NgramBackbone.from_texts(TEXTS, width=16).eval()
    batch = runs.tokenize(["元年春", "年春王", "年春王"])
    vectors = runs(batch.ids, batch.mask)
    assert not torch.allclose(vectors[0], vectors[1])
    assert torch.equal(vectors[1], vectors[2])


def test_a_text_is_cut_and_blanks_do_not_count() -> None:
    runs = NgramBackbone.from_texts(TEXTS)
    assert runs.tokenize(["春 年 春"]).ids.tolist() == runs.tokenize(["春年春"]).ids.tolist()
    assert runs.tokenize(["春年春年春"], max_length=4).tokens == 4
    assert runs.tokenize([]).tokens == 0


def test_the_folder_gives_the_same_vectors(tmp_path) -> None:
    torch.manual_seed(3)
    runs = NgramBackbone.from_texts(TEXTS, width=16).eval()
    runs.save(tmp_path / "runs")
    back = load_backbone(tmp_path / "runs").eval()
    assert isinstance(back, NgramBackbone)
    batch = runs.tokenize(["元年春，公會戎。"])
    assert torch.equal(runs(batch.ids, batch.mask), back(batch.ids, batch.mask))


def test_mistakes_are_reported(tmp_path) -> None:
    with pytest.raises(EpochalError, match="max_length is 2"):
        NgramBackbone("春", max_length=2)
    NgramBackbone("春", capacity=10, width=4).save(tmp_path)
    with pytest.raises(EpochalError, match="pooling is 'cls'"):
        load_backbone(tmp_path, pooling="cls")
    (tmp_path / "config.json").write_text('{"kind": "runs"}', encoding="utf-8")
    with pytest.raises(InputError, match="has a config that lacks its shape"):
        load_backbone(tmp_path)
