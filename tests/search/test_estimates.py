"""Times that are estimated from words: told as estimates, never as evidence, and within what a search may answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dating_world import dater_of
from epochal.api import Index
from epochal.cli.rendering.response import show_response
from epochal.cli.rendering.terminal import Page
from epochal.ranking.dating.dater import DateEstimator, MixingWeights
from epochal.ranking.dating.scorers import EstimateCache, WeightedEstimateScorer
from epochal.ranking.pool import Pool, Scored, Window
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[..., Index]
RECORDS = [
    Document("an", "安來朝。"),
    Document("bo", "伯夏盟。"),
    Document("stated", "1997年，某薨。"),
    Document("known", "某卒。", published=Span.year(1997)),
]
ASKED = "What happened in May 1997?"


@pytest.fixture
def scorer() -> WeightedEstimateScorer:
    dater = dater_of({"安": 1993, "伯": 1997}, {"夏": 5}, beside=MixingWeights(9.0, 0.0))
    return WeightedEstimateScorer(dater, EstimateCache(dater))


def test_an_estimate_is_reported_as_one(filled: Filler, scorer: WeightedEstimateScorer) -> None:
    result = filled(RECORDS).search(ASKED, scorer=scorer)
    hit = next(hit for hit in result if hit.id == "bo")
    (evidence,) = hit.evidence
    assert (evidence.axis, evidence.text, evidence.start_char) == ("estimated", "", -1)
    assert Span.year(1997) in evidence.span
    assert evidence.span.edtf().count("?") == 2
    assert 0 < evidence.match < 1
    assert evidence.to_dict()["axis"] == "estimated"
    assert [item.sentence for item in result.applied if item.name == "estimate"] == [
        "where a document has no time, estimates one from its words"
    ]
    stated = next(hit for hit in result if hit.id == "stated")
    assert [item.axis for item in stated.evidence] == ["content"]


def test_an_estimate_records_nothing(filled: Filler, scorer: WeightedEstimateScorer) -> None:
    result = filled(RECORDS[:2]).search(ASKED, scorer=scorer)
    assert result[0].id == "bo"
    assert result[0].evidence[0].match > 0.0
    assert result.outcome == "not_covered"


def test_a_certain_estimate_records_nothing_either(filled: Filler) -> None:
    class Certain:
        name = "certain"

        def score(self, pool: Pool) -> Scored:
            from epochal.ranking.pool import Estimate

            return Scored(np.ones(len(pool)), estimate=lambda position: Estimate(Span.parse("1997-05?"), 1.0))

        def propose(self, view, windows, rows, depth):
            return view.alive

    result = filled(RECORDS[:2]).search(ASKED, scorer=Certain())
    assert [item.match for hit in result for item in hit.evidence] == [1.0, 1.0]
    assert result.outcome == "not_covered"


def test_what_a_search_leaves_out_is_not_proposed(filled: Filler, scorer: WeightedEstimateScorer) -> None:
    index = filled(RECORDS)
    assert {hit.id for hit in index.search(ASKED, during="1997", strict=True, scorer=scorer)} == {"stated", "known"}
    assert {hit.id for hit in index.search(ASKED, as_of="1998", scorer=scorer)} == {"known"}
    assert {hit.id for hit in index.search(ASKED, undated="exclude", scorer=scorer)} == {"stated", "known"}
    lost = index.search(ASKED, undated="penalise", scorer=scorer)
    assert next(hit for hit in lost if hit.id == "bo").parts["undated"] < 0


def test_a_proposer_cannot_leave_the_selection(filled: Filler) -> None:
    class Stubborn:
        name = "stubborn"

        def score(self, pool: Pool) -> Scored:
            return Scored(np.ones(len(pool)))

        def propose(self, view, windows: tuple[Window, ...], rows, depth: int):
            return view.alive

    index = filled(RECORDS)
    assert {hit.id for hit in index.search(ASKED, scorer=Stubborn())} == {"an", "bo", "stated", "known"}
    assert {hit.id for hit in index.search(ASKED, during="1997", strict=True, scorer=Stubborn())} == {
        "stated",
        "known",
    }


def test_a_named_proposer_is_made_once_for_an_index(
    filled: Filler, scorer: WeightedEstimateScorer, monkeypatch
) -> None:
    results = []

    def read(folder: str) -> WeightedEstimateScorer:
        results.append(folder)
        return scorer

    monkeypatch.setattr(WeightedEstimateScorer, "read", read)
    index = filled(RECORDS)
    first = index.search(ASKED, scorer="gate+ctd:mine")
    assert first[0].parts["dated"] > 0
    assert index.search(ASKED, scorer="gate+ctd:mine").hits == first.hits
    index.search(ASKED, scorer="gate+ctd:other")
    assert results == ["mine", "other"]


def test_an_estimate_is_reported_as_such(filled: Filler, scorer: WeightedEstimateScorer, capsys) -> None:
    index = filled(RECORDS[:2])
    found = index.search(ASKED, scorer=scorer)
    show_response(found, index.coverage, Page(), explained=1)
    output = " ".join(capsys.readouterr().out.split())
    assert "1 undated" in output
    assert "time estimated, not stated: from perhaps" in output
    assert "it states no time; estimated by its names and words: from perhaps" in output
    assert "has names and words of the time asked for" in output
    assert "Not covered" in output


def test_reading_is_general(filled: Filler) -> None:
    """Nothing of it is of Chinese or of annals: English records of the 1990s, with characters for names."""
    dater: DateEstimator = dater_of({"Z": 1993, "Q": 1997})
    index = filled([Document("z", "Zed and Zoe met."), Document("q", "Quin met Quentin.")])
    found = index.search("What happened in 1997?", scorer=WeightedEstimateScorer(dater, EstimateCache(dater)))
    assert found[0].id == "q"
