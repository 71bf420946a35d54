"""Named settings are what they should be, and what does not fit together is refused."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal_lab.models.ctd.settings import PRESETS, CTDSettings


def test_the_published_model() -> None:
    official = CTDSettings.official()
    assert (official.heads, official.context, official.bias, official.multi_positive) == ("levels", "add", True, True)
    assert (official.time_width, official.bias_width, official.full_codes) == (64, 32, False)
    assert (official.pool, official.question_length, official.record_length) == (16, 64, 196)
    assert not official.supervise_questions
    assert not official.supervise_negatives


def test_baselines() -> None:
    plain, dated, smooth = (CTDSettings.baseline(name) for name in ("ft", "tempdate", "tempdate-smooth"))
    assert (plain.heads, plain.time_weight, plain.multi_positive) == ("none", 0, False)
    assert (dated.heads, dated.context, dated.bias, dated.time_weight, dated.smoothing) == (
        "levels",
        "none",
        False,
        0.1,
        0,
    )
    assert smooth.smoothing == 0.2


@pytest.mark.parametrize("name", PRESETS)
def test_named_settings_survive_json(name: str) -> None:
    assert CTDSettings.from_dict(CTDSettings.from_name(name).to_dict()) == CTDSettings.from_name(name)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"heads": "many"}, "heads is 'many'"),
        ({"heads": "none"}, "need heads"),
        ({"bias": 1}, "bias is 1; accepted: true or false"),
        ({"context": "likelihood"}, "needs the heads 'joint'"),
        ({"negatives": -1}, "negatives is -1"),
        ({"negatives": 1.5}, "whole number"),
        ({"temperature": 0.0}, "temperature is 0.0"),
        ({"alone_weight": 1.0}, "accepted with the context 'likelihood' only"),
        ({"question_heads": True}, "question_heads need"),
        ({"speed": 3}, "'speed' is no setting of CTD"),
    ],
)
def test_mistakes_are_told(given: dict, told: str) -> None:
    with pytest.raises(EpochalError, match=told):
        CTDSettings.from_dict(given)


def test_unknown_names() -> None:
    with pytest.raises(EpochalError, match="no settings is called 'best'"):
        CTDSettings.from_name("best")
    with pytest.raises(EpochalError, match="no baseline is called 'bm25'"):
        CTDSettings.baseline("bm25")
