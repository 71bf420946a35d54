"""The learned reading of time, alone and as a part of the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dating_world import dater_of
from epochal.api import Index
from epochal.errors import InputError, UnknownNameError
from epochal.ranking.dating.dater import MixingWeights
from epochal.ranking.dating.scorers import EstimateCache, EstimateScorer, WeightedEstimateScorer, scale_likelihoods
from epochal.ranking.pool import Proposer, Scorer, Window
from epochal.ranking.registry import load_scorer
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.records import Document
from epochal.times import Span

DATER = dater_of({"安": 1993, "伯": 1997}, {"夏": 5, "冬": 11}, talk="注")
RECORDS = [
    Document("an", "安來朝。"),
    Document("bo", "伯夏盟。"),
    Document("note", "注伯夏。"),
    Document("stated", "1997年，某薨。"),
    Document("known", "某卒。", published=Span.year(1997)),
    Document("nothing", "大雨。"),
]
ASKED = "What happened in 1997?"


@pytest.fixture
def index(tmp_path: Path):
    with Index.create(tmp_path / "made", encoder=None) as made:
        made.add(RECORDS)
        yield made


def both(**beside: float) -> WeightedEstimateScorer:
    dater = replace(DATER, mixing=MixingWeights(**beside))
    return WeightedEstimateScorer(dater, EstimateCache(dater))


def alone() -> EstimateScorer:
    return EstimateScorer(DATER, EstimateCache(DATER))


def ids(index: Index, rows: np.ndarray) -> list[str]:
    return [item.id for item in index.view().get_documents(index.view().get_document_rows(rows))]


def test_a_part_is_one_for_certainty_and_a_tenth_less_a_factor_of_e() -> None:
    assert scale_likelihoods(np.array([0.0, -1.0, -9.9, -10.0, -50.0])) == pytest.approx([1.0, 0.9, 0.01, 0.0, 0.0])


def test_they_are_scorers_that_propose() -> None:
    for made in (both(), alone()):
        assert isinstance(made, Scorer)
        assert isinstance(made, Proposer)
    assert not isinstance(WeightedScorer(), Proposer)


def test_records_that_share_neither_words_nor_a_stated_time_are_found(index: Index) -> None:
    assert "bo" not in [hit.id for hit in index.search(ASKED, scorer=WeightedScorer())]
    found = [hit.id for hit in index.search(ASKED, scorer=both(undated=4.5, dated=0.0))]
    assert set(found[:3]) == {"stated", "known", "bo"}
    assert found.index("bo") < found.index("an")
    assert found.index("bo") < found.index("note")


def test_the_part_is_the_likelihood_with_the_worth(index: Index) -> None:
    hits = {hit.id: hit for hit in index.search(ASKED, scorer=both(undated=2.0, dated=0.0, worth=0.5))}
    beliefs = DATER.estimate(["伯夏盟。", "注伯夏。"])
    likely = beliefs.log_likelihoods(DATER.months_of(Span.year(1997))) + 0.5 * beliefs.worth
    assert hits["bo"].parts["dated"] == pytest.approx(2.0 * float(scale_likelihoods(likely)[0]))
    assert hits["note"].parts["dated"] == pytest.approx(2.0 * float(scale_likelihoods(likely)[1]))
    assert hits["stated"].parts["dated"] == hits["known"].parts["dated"] == 0
    for hit in hits.values():
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


def test_beside_a_time_that_is_known_it_counts_by_its_weight(index: Index) -> None:
    before = {hit.id: hit.score for hit in index.search(ASKED, scorer=WeightedScorer())}
    plain = {hit.id: hit for hit in index.search(ASKED, scorer=both(dated=0.0))}
    assert {name: plain[name].score for name in ("stated", "known")} == pytest.approx(
        {name: before[name] for name in ("stated", "known")}
    )
    counted = {hit.id: hit for hit in index.search(ASKED, scorer=both(dated=1.0))}
    year = DATER.months_of(Span.year(1997))
    likely = float(
        scale_likelihoods(DATER.estimate(["某卒。"]).log_likelihoods(year) + DATER.estimate(["某卒。"]).worth)[0]
    )
    assert counted["known"].parts["dated"] == pytest.approx(likely)


def test_without_any_weight_it_is_the_gate(index: Index) -> None:
    found = index.search(ASKED, scorer=both(undated=0.0, dated=0.0))
    assert [(hit.id, hit.score) for hit in found] == [
        (hit.id, hit.score) for hit in index.search(ASKED, scorer=WeightedScorer())
    ]
    assert all(item.axis != "estimated" for hit in found for item in hit.evidence)


@pytest.mark.parametrize("question", ["大雨", "What happened in 1750?"])
def test_where_nothing_is_asked_that_it_knows_it_is_the_gate(index: Index, question: str) -> None:
    found, usual = index.search(question, scorer=both()), index.search(question, scorer=WeightedScorer())
    assert [(hit.id, hit.score, hit.parts) for hit in found] == [(hit.id, hit.score, hit.parts) for hit in usual]
    assert found.applied == usual.applied


def test_proposals_are_the_likeliest_of_each_window_among_the_rows(index: Index) -> None:
    view = index.view()
    windows = (Window(Span.year(1997)), Window(Span.year(1993)))
    assert ids(index, both().propose(view, windows[:1], None, 1)) == ["bo"]
    assert ids(index, both().propose(view, windows, None, 1)) == ["an", "bo"]
    left = np.setdiff1d(view.alive, view.get_passage_rows(view.find_document_rows(["bo"])))
    assert ids(index, both().propose(view, windows, left, 1)) == ["an", "nothing"]
    assert len(both().propose(view, windows, np.empty(0, np.int64), 3)) == 0
    assert len(both().propose(view, (Window(Span.year(1750)),), None, 3)) == 0
    assert ids(index, alone().propose(view, windows[:1], None, 100)) == [item.id for item in RECORDS]


def test_of_equally_likely_ones_the_first_are_proposed(tmp_path: Path) -> None:
    with Index.create(tmp_path / "many", encoder=None) as index:
        index.add([Document(f"b{number}", "伯夏盟。") for number in range(9)])
        found = both().propose(index.view(), (Window(Span.year(1997)),), None, 4)
        assert ids(index, found) == ["b0", "b1", "b2", "b3"]


def test_alone_it_looks_at_nothing_that_is_stated(index: Index) -> None:
    found = index.search("What happened in May 1997?", scorer=alone(), promote_current_version=False)
    assert found[0].id == "bo"
    assert {name for hit in found for name in hit.parts} == {"dated", "worth"}
    scores = {hit.id: hit.score for hit in found}
    assert scores["stated"] == pytest.approx(scores["nothing"])
    assert scores["note"] < scores["bo"] - 5


def test_alone_it_ranks_by_words_where_no_time_is_asked_for(index: Index) -> None:
    assert next(hit.id for hit in index.search("大雨", scorer=alone())) == "nothing"


def test_of_periods_that_are_compared_the_best_counts(index: Index) -> None:
    found = index.search("How did records differ between 1993 and 1997?", scorer=both())
    assert found.understanding.cross_period
    parts = {hit.id: hit.parts["dated"] for hit in found}
    assert parts["an"] == pytest.approx(parts["bo"], abs=0.5)
    assert parts["nothing"] < parts["an"]


def test_they_have_names() -> None:
    with pytest.raises(
        InputError, match=r"no/such/config\.json: cannot be read.*accepted: a folder that `epochal train ctd"
    ):
        load_scorer("gate+ctd:no/such")
    with pytest.raises(InputError, match=r"no/such/config\.json"):
        load_scorer("ctd:no/such")
    with pytest.raises(UnknownNameError, match="ctd:FOLDER, gate\\+ctd:FOLDER"):
        load_scorer("ctd")
