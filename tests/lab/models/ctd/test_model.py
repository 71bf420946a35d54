"""The model: what it starts as, that gradients reach everything, and that its folder gives it back."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.months import MonthAxis
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.ctd.model import CTD, check_search_mode
from epochal_lab.models.ctd.settings import PRESETS, CTDSettings
from epochal_lab.models.training.checkpoint import read_json, write_json

TEXTS = ["元年正月公盟于", "注曰", "二年三月"]
LU = MonthAxis.lu()


@pytest.mark.parametrize("name", PRESETS)
def test_scores_are_what_the_vectors_give(name: str, backbone: Backbone) -> None:
    model = CTD(backbone, LU, CTDSettings.from_name(name), 32).eval()
    batch = backbone.tokenize(TEXTS)
    made, asked = model(batch.ids, batch.mask, "record"), model(batch.ids, batch.mask, "question")
    parts = model.temporal
    plain = parts.compute_vectors(asked, "question") @ parts.compute_vectors(made, "record").T / 0.05
    assert torch.allclose(parts.compute_scores(asked, made, bias=False), plain)
    assert torch.allclose(parts.compute_scores(asked, made), plain)  # the bias begins with nothing
    bare = parts.compute_vectors(made, "record", context=False)
    assert torch.allclose(bare, made.hidden / made.hidden.norm(dim=1, keepdim=True), atol=1e-6)
    if parts.bias is not None:
        with torch.no_grad():
            parts.bias.eps.fill_(1.0)
        want = plain + parts.bias(asked.position, made.position)
        assert torch.allclose(parts.compute_scores(asked, made), want, atol=1e-4)


@pytest.mark.parametrize("name", PRESETS)
def test_a_folder_gives_the_same_model(name: str, backbone: Backbone, tmp_path) -> None:
    model = CTD(backbone, LU, CTDSettings.from_name(name), 32).eval()
    model.save(tmp_path, {"mix": 0.5})
    again = CTD.load(tmp_path).eval()
    assert (again.settings, again.axis, again.years) == (model.settings, LU, 32)
    assert read_json(tmp_path / "config.json")["mix"] == 0.5
    batch = backbone.tokenize(TEXTS)
    with torch.no_grad():
        here, there = model(batch.ids, batch.mask, "record"), again(batch.ids, batch.mask, "record")
    assert torch.equal(model.temporal.compute_vectors(here, "record"), again.temporal.compute_vectors(there, "record"))


def test_foreign_folders_are_refused(backbone: Backbone, tmp_path) -> None:
    CTD(backbone, LU, CTDSettings.official(), 32).save(tmp_path)
    config = read_json(tmp_path / "config.json")
    write_json(tmp_path / "config.json", {**config, "kind": "re3"})
    with pytest.raises(InputError, match="holds a model of kind 're3'"):
        CTD.load(tmp_path)
    write_json(tmp_path / "config.json", {name: value for name, value in config.items() if name != "axis"})
    with pytest.raises(InputError, match="without its axis"):
        CTD.load(tmp_path)
    write_json(tmp_path / "config.json", {**config, "years": 30})
    with pytest.raises(InputError, match="shape"):
        CTD.load(tmp_path)


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(EpochalError, match="accepted: enc_only, ctx"):
        check_search_mode("full")
