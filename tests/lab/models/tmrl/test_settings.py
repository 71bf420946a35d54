from __future__ import annotations

import subprocess
import sys

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.models.tmrl.settings import METHODS, TMRLSettings, get_training_settings


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_settings_that_survive_json(method):
    import json

    settings = TMRLSettings.from_name(method)
    assert TMRLSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    assert get_training_settings(method).metric == "hit@1"
    assert settings.loss_dims(384)[-1] == 384


def test_methods_differ_where_their_authors_did():
    assert [
        TMRLSettings.from_name(name).negatives for name in ("tmrl", "ts-retriever", "tempretriever-ewi", "tsm")
    ] == [
        *(4, 1, 4, 5),
    ]
    assert {name for name in METHODS if TMRLSettings.from_name(name).has_lora} == {"lora", "lora-mrl", "tmrl"}
    assert {name for name in METHODS if len(TMRLSettings.from_name(name).loss_dims(384)) > 1} == {
        *("lora-mrl", "tmrl", "m-adaptor"),
    }
    assert {
        name: get_training_settings(name).batch_size for name in ("lora", "ts-retriever", "tempretriever-fs", "tsm")
    } == {
        **{"lora": 256, "ts-retriever": 64},
        **{"tempretriever-fs": 32, "tsm": 16},
    }


def test_dims_are_cut_to_the_width():
    settings = TMRLSettings(dims=(512, 64, 384))
    assert settings.search_dims(384) == (64, 384)
    assert settings.search_dims(1024) == (64, 384, 512, 1024)
    assert settings.search_dims(32) == (32,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "bm25"}, "method is 'bm25'; accepted: zero-shot"),
        ({"dims": ()}, "dims is empty"),
        ({"dims": (64, 0)}, "one of dims is 0"),
        ({"rank": 0}, "rank is 0"),
        ({"recompute": 3}, "recompute is 3; accepted: true or false"),
        ({"detach": "no"}, "detach is 'no'"),
        ({"alpha": -1}, "alpha is -1"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"temperature": 0}, "temperature is 0"),
        ({"lora_dropout": 1.0}, "lora_dropout is 1.0"),
        ({"false_negatives": 0}, "false_negatives is 0"),
        ({"negatives": True}, "negatives is True"),
        ({"router": True}, "router is set with the method 'tmrl'"),
    ],
)
def test_settings_that_make_no_sense(change, message):
    with pytest.raises(EpochalError, match=message):
        TMRLSettings(**change)


def test_unknown_names():
    with pytest.raises(UnknownNameError):
        get_training_settings("bm25")


def test_settings_and_rows_need_no_torch():
    code = (
        "import sys; from epochal_lab.models.tmrl import settings; from epochal_lab.datasets.augment import rows; "
        "print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
