"""The questions of a split put to the gallery: the same as scores of the model, and files that read back."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from epochal.errors import EpochalError
from epochal.storage.importers.beir import read_run
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.ctd.data import Collection, ProtocolMode
from epochal_lab.models.ctd.model import CTD, SEARCH_MODES
from epochal_lab.models.ctd.searching import (
    MEASURES,
    build_gallery,
    encode_texts,
    search_split,
    select_question_vectors,
    summarise_measures,
    write_results,
)
from epochal_lab.models.ctd.settings import CTDSettings
from epochal_lab.models.texts import CollectionTokens


@pytest.fixture(params=["official", "improved", "ft"])
def model(request: pytest.FixtureRequest, backbone: Backbone, collection: Collection) -> CTD:
    result = CTD(backbone, collection.axis, CTDSettings.from_name(request.param), collection.longest_reign).eval()
    if result.temporal.bias is not None:
        with torch.no_grad():
            result.temporal.bias.eps.fill_(3.0)
    return result


@pytest.fixture
def tokens(model: CTD, collection: Collection) -> CollectionTokens:
    texts = [question.text for question in collection.questions], [record.text for record in collection.records]
    return model.tokenize(*texts)


@pytest.mark.parametrize("search", SEARCH_MODES)
def test_a_gallery_has_the_scores_of_the_model(model: CTD, tokens: CollectionTokens, search: str) -> None:
    records, questions = (
        encode_texts(model, tokens.records, "record"),
        encode_texts(model, tokens.questions.select([0, 5]), "question"),
    )
    result = build_gallery(model, records, search).compute_scores(
        select_question_vectors(model, questions, search), questions.positions
    )
    with torch.no_grad():
        query, message = tokens.questions.batch([0, 5]), tokens.records.batch(range(len(tokens.records)))
        here, there = model(query.ids, query.mask, "question"), model(message.ids, message.mask, "record")
        parts = model.temporal
        if search == "enc_only":
            want = (
                parts.compute_vectors(here, "question", context=False)
                @ parts.compute_vectors(there, "record", context=False).T
                / 0.05
            )
        else:
            want = parts.compute_scores(here, there, bias=search == "ctx+bias")
    # The table is rounded to a cell; the bias of full frequencies is steep.
    assert np.abs(result - want.numpy()).max() < (0.05 if search == "ctx+bias" else 1e-4)


def test_outcomes_are_measured_over_the_gallery_of_the_mode(
    model: CTD, collection: Collection, tokens: CollectionTokens
) -> None:
    modes = [ProtocolMode.parse("neg1_ne0_dq1"), ProtocolMode.parse("neg1_ne1_dq0")]
    outcomes = search_split(model, collection, tokens, "test", modes, ["enc_only", "ctx"])
    assert [(str(outcome.mode), outcome.search) for outcome in outcomes] == [
        (str(mode), search) for search in ("enc_only", "ctx") for mode in modes
    ]
    for outcome in outcomes:
        retained = set(outcome.mode.select_gallery(collection))
        for name, match in outcome.ranked.items():
            assert {row for row, _ in match} <= retained
            assert [score for _, score in match] == sorted((score for _, score in match), reverse=True)
            assert outcome.answers[name] <= retained
        assert 0 <= outcome.mean("hit@1") <= outcome.mean("hit@10") <= 1


def test_files_read_back(model: CTD, collection: Collection, tokens: CollectionTokens, tmp_path) -> None:
    (outcome,) = search_split(model, collection, tokens, "test", [ProtocolMode.parse("neg1_ne0_dq1")], ["ctx"])
    write_results(tmp_path, collection, [outcome], {"mix": 1.0})
    run = read_run(tmp_path / "runs" / "test.neg1_ne0_dq1.ctx.trec")
    assert {name: [row.document for row in rows] for name, rows in run.items()} == {
        name: [collection.records[row].id for row, _ in match] for name, match in outcome.ranked.items()
    }
    judged = (tmp_path / "qrels" / "test.neg1_ne0_dq1.tsv").read_text().splitlines()
    assert len(judged) == 1 + sum(len(right) for right in outcome.answers.values())
    record = json.loads((tmp_path / "metrics.json").read_text())
    (result,) = record["outcomes"]
    assert result["families"]["all"]["hit@10"]["mean"] == pytest.approx(outcome.mean("hit@10"), abs=1e-4)
    assert len(result["questions"]) == result["families"]["point"]["questions"] == 6


def test_the_words_can_be_weighed(backbone: Backbone, collection: Collection) -> None:
    model = CTD(backbone, collection.axis, CTDSettings.improved(), collection.longest_reign).eval()
    tokens = model.tokenize(["元年正月"], ["元年正月公盟于", "注曰"])
    records, questions = (
        encode_texts(model, tokens.records, "record"),
        encode_texts(model, tokens.questions, "question"),
    )
    gallery = build_gallery(model, records, "ctx")
    full, half, none = (
        gallery.compute_scores(select_question_vectors(model, questions, "ctx", mix)) for mix in (1.0, 0.5, 0.0)
    )
    assert np.allclose(half, (full + none) / 2, atol=1e-4)
    words = build_gallery(model, records, "enc_only").compute_scores(questions.bare)
    assert np.allclose(full - none, words, atol=1e-4)


def test_a_bias_without_places_is_refused(backbone: Backbone, collection: Collection) -> None:
    from epochal_lab.models.ctd.searching import EncodedTexts

    model = CTD(backbone, collection.axis, CTDSettings.official(), 6)
    rows = np.eye(2, 32, dtype=np.float32)
    with pytest.raises(EpochalError, match="needs positions"):
        build_gallery(model, EncodedTexts(rows, rows, None), "ctx+bias")


def test_summary_of_all_measures() -> None:
    result = summarise_measures({"a": dict.fromkeys(MEASURES, 1.0), "b": dict.fromkeys(MEASURES, 0.0)})
    assert result["questions"] == 2
    assert [result[name]["mean"] for name in MEASURES] == [0.5] * len(MEASURES)
    assert result["hit@1"]["low"] < 0.5 < result["hit@1"]["high"]
    assert summarise_measures({}) == {"questions": 0}
