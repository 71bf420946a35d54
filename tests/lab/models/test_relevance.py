"""The relevance model is fitted to questions over an index, and learns which words a text must have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.cli import main
from epochal.errors import EpochalError
from epochal.ranking.relevance import HIT_FEATURES, RelevanceModel, load_relevance_model
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.timed.nouns import ask_about_absent_things
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus, TimedQuestion
from epochal_lab.models import scorer_training
from epochal_lab.models.calibration import collect_searches, fit_calibration
from epochal_lab.models.relevance import collect_examples, fit_relevance, predict, summarise
from epochal_lab.models.requirements import fit_logistic

NOW = Span.parse("2024-06-01")
NAMES = ("Corvid", "Heron", "Plover", "Dunlin", "Curlew", "Godwit")


def make_documents() -> list[Document]:
    return [
        Document(
            f"{name}-{month}",
            f"The council of {name} met and fixed the budget.",
            f"{name} report",
            Span.parse(f"2021-{month:02}-10"),
        )
        for name in NAMES
        for month in range(1, 7)
    ]


def make_questions() -> list[TimedQuestion]:
    questions = []
    for name in NAMES:
        topic = frozenset(f"{name}-{month}" for month in range(1, 7))
        for month, word in ((1, "January"), (3, "March"), (5, "May")):
            gold = frozenset({f"{name}-{month}"})
            text = f"What did {name} fix in {word} 2021?"
            questions.append(
                TimedQuestion(f"{name}{month}", text, "in_month", "birds", NOW, gold, on_topic=topic, group=name)
            )
        questions.append(
            TimedQuestion(
                f"{name}-none", f"What did {name} fix in May 2022?", "empty_month", "birds", NOW,
                outcome="none_recorded", on_topic=topic, group=name,
            )
        )  # fmt: skip
    for name in ("Bittern", "Avocet", "Sanderling"):
        questions.append(
            TimedQuestion(
                f"{name}-absent", f"What did {name} fix in March 2021?", "absent_name", "birds", NOW,
                outcome="topic_unknown", on_topic=frozenset(), absent=name, group=name,
            )
        )  # fmt: skip
    return questions


def test_names_become_salient_and_frames_do_not(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(make_documents())
        examples = collect_examples(index, make_questions())
    model = fit_relevance({"birds": examples})
    example = next(item for item in examples if item.question.id == "Heron3")
    salience = dict(zip(example.features.words.words, model.weigh_words(example.features.words), strict=True))
    assert salience["Heron"] > 0.8
    assert max(salience["What"], salience["did"]) < 0.2
    topic, answer = predict(model, example)
    on_topic = example.topic == 1
    assert topic.probability[on_topic].min() > topic.probability[~on_topic].max()
    assert example.ids[int(np.argmax(answer))] == "Heron-3"
    absent = next(item for item in examples if item.question.id == "Avocet-absent")
    assert predict(model, absent)[0].named.max() < 0.2
    assert summarise(model, examples)["topic_known_right"] == 1.0


def test_hits_and_outcomes_are_calibrated_by_searches(tmp_path: Path) -> None:
    questions = make_questions()
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(make_documents())
        model = fit_relevance({"birds": collect_examples(index, questions)})
        rows = collect_searches(index, questions, model)
        calibrated = fit_calibration(model, {"birds": rows})
        assert RelevanceModel.from_dict(calibrated.to_dict()).hit is not None
        scorer = WeightedScorer(relevance_model=calibrated)
        response = index.search("What did Heron fix in March 2021?", now=NOW, scorer=scorer)
        denied = index.search("What did Bittern fix in March 2021?", now=NOW, scorer=scorer)
    assert rows.hits.shape[1] == len(HIT_FEATURES)
    assert rows.answers.sum() == sum(question.answerable for question in questions)
    assert response[0].id == "Heron-3"
    assert response[0].relevance > 0.8
    assert max(hit.relevance for hit in response[1:]) < 0.3
    assert response.probability > 0.8
    assert denied.outcome == "topic_unknown"
    assert denied[0].relevance < 0.2
    assert denied.probability > 0.8


def test_nothing_is_fitted_from_no_labels() -> None:
    with pytest.raises(EpochalError, match="no labels to fit"):
        fit_logistic(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), np.zeros(0), [1, -1])


def test_training_leaves_each_corpus_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, *, seed: int = 0) -> TimedCorpus:
        return TimedCorpus(name, tuple(make_documents()), tuple(make_questions()))

    monkeypatch.setattr(scorer_training, "load_corpus", load)
    training = scorer_training.ScorerTraining(("birds", "waders", "terms"), tmp_path, questions=12)
    lines: list[str] = []
    trained = training.run(leave_out=True, report=lines.append)
    assert set(trained.left_out) == {"birds", "waders", "terms"}
    assert [row["left_out"] for row in trained.summaries] == ["birds", "waders", "terms"]
    assert trained.model.hit is not None
    # Two more without an answer, and two of "terms", which name what the others do not have.
    assert [line.split()[-2] for line in lines[:3]] == ["16", "16", "14"]


def test_collections_in_other_words_alone_train_nothing(tmp_path: Path) -> None:
    training = scorer_training.ScorerTraining(scorer_training.CALIBRATING, tmp_path)
    with pytest.raises(EpochalError, match="train no model; accepted beside them: any of changelogs"):
        training.run(leave_out=False, report=print)


def test_absent_things_occur_in_no_document() -> None:
    corpus = ask_about_absent_things(TimedCorpus("birds", tuple(make_documents()), tuple(make_questions())))
    added = [item for item in corpus.questions if item.kind == "absent_noun"]
    texts = " ".join(document.text.lower() for document in corpus.documents)
    assert len(added) > 50
    assert all(item.absent in item.text and item.absent not in texts for item in added)
    by_split = {split: {item.absent for item in added if item.split == split} for split in SPLITS}
    assert not by_split["train"] & by_split["report"]


def test_a_kept_model_changes_in_its_probabilities_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, *, seed: int = 0) -> TimedCorpus:
        return TimedCorpus(name, tuple(make_documents()), tuple(make_questions()))

    monkeypatch.setattr(scorer_training, "load_corpus", load)
    kept = load_relevance_model().to_dict()
    older = {**kept, "hit": {"intercept": 0.0, "weights": {"of an earlier version": 1.0}}}
    (tmp_path / "kept.json").write_text(json.dumps(older), encoding="utf-8")
    out = tmp_path / "out.json"
    corpora = ["--corpus", "birds", "--corpus", "waders", "--leave-out", "--questions", "12"]
    assert main(["train", "scorer", *corpora, "--keep", str(tmp_path / "kept.json"), "-o", str(out)]) == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    probabilities = ("hit", "outcome")
    assert {k: v for k, v in written.items() if k not in probabilities} == {
        k: v for k, v in kept.items() if k not in probabilities
    }
    assert all(written[name] != kept[name] for name in probabilities)
    assert json.loads((tmp_path / "out-training.json").read_text(encoding="utf-8"))["kept"] == ["all"]
    assert main(["train", "scorer", *corpora, "--keep", str(tmp_path / "none.json"), "-o", str(out)]) != 0
