"""The small linear models: features, files, decisions, and what they reach on the shared sets."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.questions import classifier
from epochal.reading.questions.classifier import (
    QuestionClassifier,
    _gram_hashes,
    decide,
    extract_features,
    load_model,
    tokenise,
)
from epochal.reading.questions.cues import CUES, detect_cues, mask_years
from epochal.reading.questions.question import RECENCY_CLASSES, TEMPORAL_CLASSES
from epochal.times import Span
from paths import ROOT

WEIGHTS = Path(classifier.__file__).parent / "weights"
NOW = Span.parse("2026-11-15")


def small() -> QuestionClassifier:
    generator = np.random.default_rng(7)
    return QuestionClassifier(
        ("a", "b", "c"), generator.normal(size=(64, 3)), generator.normal(size=3), generator.uniform(1, 5, 64), 0.5
    )


@pytest.mark.parametrize(("name", "labels"), [("recency", RECENCY_CLASSES), ("temporal_class", TEMPORAL_CLASSES)])
def test_shipped_models_have_our_labels_and_are_small(name, labels):
    assert load_model(name).labels == labels
    assert (WEIGHTS / f"{name}.npz").stat().st_size < 300_000


def test_an_unknown_model_is_named():
    with pytest.raises(UnknownNameError, match="known: recency, temporal_class"):
        load_model("mood")


def test_a_model_survives_its_file(tmp_path):
    model = small()
    model.save(tmp_path / "model.npz")
    again = QuestionClassifier.load(tmp_path / "model.npz")
    assert again.labels == model.labels
    assert np.abs(again.weights - model.weights).max() < 0.03
    for text in ("fb stock price", "who was the first pope", ""):
        assert np.abs(again.probabilities(text) - model.probabilities(text)).max() < 0.05


@pytest.mark.parametrize("content", [b"", b"not a model", b"PK\x03\x04 broken"])
def test_a_broken_file_is_an_error_that_names_it(tmp_path, content):
    (tmp_path / "model.npz").write_bytes(content)
    with pytest.raises(EpochalError, match=r"model\.npz is no linear model"):
        QuestionClassifier.load(tmp_path / "model.npz")


def test_shapes_must_fit():
    with pytest.raises(EpochalError, match="3 labels and 64 buckets"):
        QuestionClassifier(("a", "b", "c"), np.zeros((64, 2)), np.zeros(3), np.zeros(64), 1.0)


@given(st.text(max_size=80))
def test_probabilities_are_probabilities(text):
    for name in ("recency", "temporal_class"):
        chances = load_model(name).probabilities(text, NOW)
        assert chances.min() >= 0
        assert abs(chances.sum() - 1) < 1e-9


def test_every_kind_but_cues_has_length_one():
    places, values = extract_features("gold price", None, None, 2**20, 0.0)
    assert len(places) == len(values)
    assert values @ values == pytest.approx(3.0, abs=0.01)  # words, pieces and shape


def test_years_are_placed_against_the_present():
    assert mask_years("cup 2012 2013 2014", Span.year(2013)) == "cup yearlast yearnow yearnext"
    assert mask_years("cup 2012", None) == "cup 2012"
    assert {"year_past"} < set(detect_cues("nfl schedule 2013", NOW))
    assert {"year_now"} < set(detect_cues("nfl schedule 2013", Span.parse("2013-05-01")))
    assert "year_ancient" in detect_cues("trade in 300 BCE")
    assert "has_year" not in detect_cues("it costs $1999, or 2000 people")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I know", "ask_now"),
        ("the snow fell nowhere", "ask_now"),
        ("unchanged", "change"),
        ("the exchange rate", "change"),
        ("what is trending", "trend_noun"),
        ("renewed", "recent_words"),
        ("goodwill", "future_words"),
    ],
)
def test_cues_are_words_and_not_parts_of_them(text, name):
    assert name in CUES
    assert name not in detect_cues(text)


def test_tokens_of_chinese_are_characters():
    assert [token for kind, token in tokenise("金价") if kind == "word"] == ["金", "价", "金 价"]


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=12))
def test_decisions(weights):
    chances = np.array(weights) / sum(weights)
    assert chances[decide(chances)] == pytest.approx(chances.max())
    middle = decide(chances, most=len(chances))
    assert chances[: middle + 1].sum() >= 0.5 - 1e-9
    assert chances[middle:].sum() >= 0.5 - 1e-9


def test_the_recorded_folds_pass_the_marks():
    record = json.loads((ROOT / "tools" / "understanding_folds.json").read_text(encoding="utf-8"))
    for figures in record["temporal_class"].values():
        assert figures["accuracy"] >= 0.75
    assert any(
        figures["accuracy"] > 0.62 and figures["mean_class_distance"] < 0.91 for figures in record["recency"].values()
    )


@pytest.mark.parametrize("words", [[], ["won"], ["who", "won"], ["who", "won", "the", "価格", "who", "won"]])
def test_checksums_that_go_on_are_those_of_the_grams(words: list[str]) -> None:
    for most in (1, 2, 3):
        grams = [" ".join(words[at : at + n]) for n in range(1, most + 1) for at in range(len(words) - n + 1)]
        assert _gram_hashes("word", words, most) == [zlib.crc32(f"word:{gram}".encode()) for gram in grams]
