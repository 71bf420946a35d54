"""Re3 as a scorer of pools, and beside the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.encoders import encoder
from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import list_scorers, load_scorer
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.models.re3.features import build_inputs, compute_differences, compute_time_gaps, describe_times
from epochal_lab.models.re3.model import NumpyNetwork, Re3Model, get_shapes, write_model
from epochal_lab.models.re3.scorer import GateRe3, Re3, get_shipped_folder, scale_learned_scores
from epochal_lab.models.re3.settings import Re3Settings
from lab.systems.test_scorers_pool import Counting, pool_of

PRIZES = [
    Document("a", "The prize of 1901 went to Anna, who was born in 1850.", published=Span.parse("1902-03-04")),
    Document("b", "The prize of 1904 went to Bert."),
    Document("c", "The prize went to Carl.", published=Span.parse("1905-05-02")),
    Document("d", "The prize went to nobody."),
]
ASKED = "Who got the prize in 1902?"


def model(settings: Re3Settings, dim: int = 32, encoder: str = "counting-1", **beside: float) -> Re3Model:
    random = np.random.default_rng(2)
    sample = {name: random.normal(size=shape).astype(np.float32) for name, shape in get_shapes(settings, dim).items()}
    return Re3Model(NumpyNetwork(settings, dim, sample), encoder, {"plain": 0.0, "timed": 0.0, **beside})


@pytest.mark.parametrize("settings", [Re3Settings.parity(hidden=4), Re3Settings.improved(hidden=4)])
@pytest.mark.parametrize("question", [ASKED, "Who got the prize?"])
def test_the_score_is_the_networks(settings: Re3Settings, question: str) -> None:
    result = Re3(model(settings))
    assert isinstance(result, Scorer)
    with pool_of(PRIZES, question, "1910-01-01", Counting()) as pool:
        scored = result.score(pool)
        inputs = build_inputs(
            settings,
            pool.vector,
            Counting().encode_documents([item.text for item in PRIZES]),
            pool.semantic,
            pool.lexical,
            compute_time_gaps(pool),
        )
        assert scored.scores == pytest.approx(result.model.network.forward(inputs).scores)
        assert np.sum(list(scored.parts.values()), axis=0) == pytest.approx(scored.scores)
        assert result.score(pool.at(np.empty(0, dtype=np.int64))).scores.shape == (0,)


def test_only_the_best_by_meaning_are_ranked_again() -> None:
    result = Re3(model(Re3Settings.parity(hidden=4, depth=2)))
    with pool_of(PRIZES, ASKED, None, Counting()) as pool:
        first = np.sort(np.argsort(-pool.semantic, kind="stable")[:2])
        rest = np.setdiff1d(np.arange(4), first)
        scores = result.score(pool).scores
        assert scores[first] == pytest.approx(result.score(pool.at(first)).scores)
        assert scores[rest].max() < scores[first].min()
        # The others stay in the order of meaning.
        assert np.argsort(-scores[rest]).tolist() == np.argsort(-pool.semantic[rest]).tolist()


def test_times_in_words() -> None:
    with pool_of(PRIZES, ASKED, "1910-01-01", Counting()) as pool:
        words = describe_times(pool)
        assert (words.query, words.rel) == ("1902", ("1901", "1904", "", ""))
        assert (words.reference, words.rec) == ("1902", ("4 March 1902", "", "2 May 1905", ""))
        own = Counting()
        result = compute_differences(words, own.encode_queries, own.encode_documents, 32)
        assert result.rel[1] == pytest.approx(own.encode_documents(["1904"])[0] - own.encode_documents(["1902"])[0])
        assert not result.rel[2:].any()
        assert not result.rec[[1, 3]].any()
        built = Re3(model(Re3Settings.parity(hidden=4, encoding="difference")), encoder=Counting())
        assert np.isfinite(built.score(pool).scores).all()


def test_vectors_must_be_those_of_the_training() -> None:
    with pool_of(PRIZES, ASKED, None, Counting()) as pool:
        assert pool.view.encoder_name == "counting-1"
        with pytest.raises(
            EpochalError, match="'other' with 16 dimensions, but those of the index are of 'counting-1' wi"
        ):
            Re3(model(Re3Settings.parity(hidden=4), 16, "other")).score(pool)
        with pytest.raises(
            EpochalError, match="'other' with 32 dimensions, but those of the index are of 'counting-1' wi"
        ):
            Re3(model(Re3Settings.parity(hidden=4), 32, "other")).score(pool)
        # A model that does not say what it was trained on is taken at its word.
        assert len(Re3(model(Re3Settings.parity(hidden=4), 32, "")).score(pool).scores) == 4
    with pool_of(PRIZES, ASKED) as pool:
        with pytest.raises(EpochalError, match="without an encoder"):
            Re3(model(Re3Settings.parity(hidden=4))).score(pool)
        with pytest.raises(EpochalError, match="without an encoder"):
            pool.view.get_vectors(pool.rows)


def test_an_index_that_knows_its_encoder_by_name(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", encoder="static") as index:
        index.add(PRIZES)
        assert index.view().encoder_name == f"static@{encoder('static').name}"
        result = Re3(model(Re3Settings.parity(hidden=4), 256, encoder("static").name))
        assert len(index.search(ASKED, scorer=result)) == 4
        with pytest.raises(EpochalError, match=f"but those of the index are of '{encoder('static').name}'"):
            index.search(ASKED, scorer=Re3(model(Re3Settings.parity(hidden=4), 256, "static-0")))


def test_calibration_is_by_odds() -> None:
    result = scale_learned_scores(np.array([1.0, 0.75, 0.5, -3.0]), 0.05)
    assert result == pytest.approx([1.0, 0.5, 0.0, 0.0])
    assert scale_learned_scores(np.empty(0), 0.05).shape == (0,)


def test_the_gate_with_one_part_more() -> None:
    settings = Re3Settings.improved(hidden=4)
    with pool_of(PRIZES, ASKED, "1910-01-01", Counting()) as pool:
        plain = WeightedScorer().score(pool)
        for weight in (0.0, 3.0):
            result = GateRe3(Re3(model(settings, timed=weight)))
            scored = result.score(pool)
            learned = scale_learned_scores(result.re3.score(pool).scores, settings.temperature)
            assert scored.scores == pytest.approx(plain.scores + weight * learned)
            assert np.sum(list(scored.parts.values()), axis=0) == pytest.approx(scored.scores)
            assert ("learned" in scored.parts) == (weight > 0)
            assert scored.dating is not None
            assert scored.dating.tolist() == plain.dating.tolist()
    with pool_of(PRIZES, "Who got the prize?", "1910-01-01", Counting()) as pool:
        result = GateRe3(Re3(model(settings, timed=3.0)))
        assert result.score(pool).scores == pytest.approx(WeightedScorer().score(pool).scores)


def test_by_name(tmp_path: Path) -> None:
    write_model(tmp_path / "m", replace(model(Re3Settings.improved(hidden=4)), mixing_weights={"plain": 1, "timed": 1}))
    for name, kind in (("re3", Re3), ("gate+re3", GateRe3)):
        result = load_scorer(f"{name}:{tmp_path / 'm'}")
        assert isinstance(result, kind)
        assert result.name == name
        with pytest.raises(InputError, match=r"config\.json: cannot be read"):
            load_scorer(f"{name}:{tmp_path / 'nowhere'}")
    with pytest.raises(UnknownNameError, match="gate\\+re3:FOLDER, re3:FOLDER"):
        load_scorer("re4")


def test_the_shipped_model_or_a_word_on_its_absence() -> None:
    assert "re3" not in list_scorers()  # it takes a folder
    if get_shipped_folder() is None:
        with pytest.raises(EpochalError, match="no Re3 model comes with the package; accepted: re3:FOLDER"):
            load_scorer("re3")
    else:
        assert load_scorer("re3").model.encoder == encoder("minilm").name
