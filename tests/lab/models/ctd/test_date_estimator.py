"""The date estimator: what torch has learned is read and run in numpy, and what cannot be read is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from epochal.errors import InputError
from epochal.files import write_tensors
from epochal.ranking.dating.dater import DateEstimator, MixingWeights
from epochal.ranking.dating.months import MonthAxis, Months
from epochal_lab.models.backbone import NgramBackbone
from epochal_lab.models.ctd.model import CTD
from epochal_lab.models.ctd.settings import CTDSettings

TEXTS = ["春公會戎于潛", "夏五月莒人入向", "無駭帥師入極", "秋八月公及戎盟于唐", "春公會戎于潛盟", "", "未知之字"]
_ALONE = {"deep_heads": False}


def save_model(place: Path, **changes: object) -> Path:
    """A folder of a model whose table was filled with random numbers."""
    torch.manual_seed(5)
    settings = replace(CTDSettings.improved(), record_length=6, **{**_ALONE, **changes})
    backbone = NgramBackbone.from_texts(TEXTS, min_texts=1, capacity=200, width=8)
    model = CTD(backbone, MonthAxis.lu(), settings)
    tokens = model.tokenize([], TEXTS).records
    assert model.temporal.wide is not None
    model.temporal.wide.select_ngrams([tokens.row(row) for row in range(4)], min_texts=1)
    with torch.no_grad():
        for parameter in model.temporal.parameters():
            parameter.copy_(torch.randn(parameter.shape) * 0.3)
    model.eval().save(place)
    return place


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def copied(model_folder: Path, tmp_path: Path) -> Path:
    """A copy of the model that a test may change."""
    return shutil.copytree(model_folder, tmp_path / "model")


@pytest.mark.parametrize("changes", [{}, {"spread": 0.0}, {"worth": False}], ids=["usual", "no spread", "no worth"])
def test_what_is_believed_is_what_torch_believes(tmp_path: Path, changes: dict[str, object]) -> None:
    place = save_model(tmp_path, **changes)
    model = CTD.load(place).eval()
    batch = model.backbone.tokenize(TEXTS, model.settings.record_length)
    with torch.no_grad():
        encoded = model(batch.ids, batch.mask, "record")
    assert encoded.logits is not None
    years, months = (part.softmax(dim=-1).double().numpy() for part in encoded.logits)
    result = DateEstimator.read(place).estimate(TEXTS)
    assert result.years == pytest.approx(years, abs=1e-6)
    assert result.months == pytest.approx(months, abs=1e-6)
    worth = 0.0 if encoded.worth is None else torch.nn.functional.logsigmoid(encoded.worth).numpy()
    assert result.worth == pytest.approx(np.broadcast_to(worth, len(TEXTS)), abs=1e-5)
    for query in (Months(0, 0), Months(7, 30), Months(1082, 1082), Months(3000, 3059)):
        within = np.zeros((255, 12))
        within.reshape(-1)[query.first : query.last + 1] = 1
        slow = np.einsum("ty,ym,tm->t", years, within, months)
        assert result.log_likelihoods(query) == pytest.approx(np.log(slow + 1e-6), abs=1e-4)


def test_of_a_text_only_so_much_is_read_as_the_model_was_trained_on(copied: Path) -> None:
    dater = DateEstimator.read(copied)
    result = dater.estimate(["夏五月莒人入向", "夏五月莒又別事"])
    assert dater.length == 6
    assert result.years[0].tolist() == result.years[1].tolist()


@pytest.mark.parametrize(
    ("file", "changes", "message"),
    [
        ("config.json", {"kind": "re3"}, "holds a model of kind 're3', not 'ctd'"),
        ("config.json", {"settings": None}, "has no settings"),
        ("config.json", {"settings.deep_heads": True}, r"with a transformer \(deep_heads is true\)"),
        ("config.json", {"settings.heads": "levels"}, "has no table of runs"),
        ("config.json", {"axis": {"name": "lu"}}, "holds no whole model"),
        ("config.json", {"axis.lengths": [5]}, "holds no whole model .*the shape"),
        ("config.json", {"beside_the_gate": {"undated": -1}}, "'undated' of a date estimator is -1"),
        ("config.json", {"beside_the_gate": {"mine": 1}}, "holds no whole model"),
        ("backbone/config.json", {"kind": "bert"}, "runs of the tokens of 'bert', not of characters"),
        ("backbone/config.json", {"characters": None, "max_length": None}, "holds no whole model"),
    ],
)
def test_what_it_cannot_read_is_refused_in_one_sentence(
    copied: Path, file: str, changes: dict[str, object], message: str
) -> None:
    path = copied / file
    record = json.loads(path.read_text(encoding="utf-8"))
    for name, value in changes.items():
        outer, _, inner = name.partition(".")
        if inner:
            record[outer][inner] = value
        else:
            record[outer] = value
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        DateEstimator.read(copied)
    assert "accepted: a folder that `epochal train ctd --backbone runs --set deep_heads=false` wrote" in str(
        caught.value
    )
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "{"])
def test_a_config_that_is_none_is_refused(copied: Path, text: str) -> None:
    (copied / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.json: (holds no object|is not JSON).*accepted: a folder"):
        DateEstimator.read(copied)


def test_a_file_without_its_table_is_refused(copied: Path) -> None:
    write_tensors(copied / "model.safetensors", {"temperature": np.ones(1)})
    with pytest.raises(InputError, match=r"holds no whole model \('wide\.keys'\)"):
        DateEstimator.read(copied)


def test_the_weights_of_a_folder_are_taken(copied: Path) -> None:
    path = copied / "config.json"
    assert DateEstimator.read(copied).mixing == MixingWeights()
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, "beside_the_gate": {"dated": 0.5}}), encoding="utf-8")
    assert DateEstimator.read(copied).mixing == MixingWeights(dated=0.5)
