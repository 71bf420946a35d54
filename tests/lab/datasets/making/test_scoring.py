"""Any retriever can be scored on a made set."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.storage.importers import RunRow, write_run
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.making.make import make
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.runs.score import score

DOCUMENTS = tuple(Document(f"d{number}", "Rain.") for number in range(4))
QUERIES = (
    BenchQuery("q1", "first", Span.year(2001), kind="point", annotations={"outcome": "recorded"}),
    BenchQuery("q2", "second", kind="window", excluded=("d0",), annotations={"outcome": "recorded"}),
    BenchQuery("q3", "third", kind="none_recorded", annotations={"outcome": "none_recorded"}),
)
SET = BenchSet("own", DOCUMENTS, QUERIES, {"q1": {"d1": 1}, "q2": {"d2": 1}})
ANSWERS = {"first": ["d1"], "second": ["d0", "d2"], "third": []}


@dataclass
class Page:
    metadata: dict[str, str] = field(default_factory=dict)
    page_content: str = ""


class LikeLangChain:
    def invoke(self, query: str) -> list[Page]:
        return [Page({"id": id}) for id in ANSWERS[query]]


def asked(question: str, k: int, now: object) -> list[str]:
    assert k >= 100
    assert (now is None) == (question != "first")
    return ANSWERS[question]


RUN = {"q1": {"d1": 1.0}, "q2": {"d0": 2.0, "d2": 1.0}}


@pytest.mark.parametrize(
    "system",
    [asked, lambda question, k, now: [(id, 1.0 - position / 9) for position, id in enumerate(ANSWERS[question])],
     LikeLangChain(), RUN],
    ids=["ids", "scores", "invoke", "run"],
)  # fmt: skip
def test_systems_of_all_kinds(system):
    scored = score(system, SET)
    # What a question excludes is taken out before anything is counted.
    assert scored["hit@1"] == 1.0
    assert scored.per_query["hit@1"] == {"q1": 1.0, "q2": 1.0}
    assert scored.silent.mean == 1.0
    assert scored.wrongly_silent.mean == 0.0
    assert set(scored.kinds) == {"point", "window"}


def test_a_trec_run(tmp_path):
    write_run(tmp_path / "mine.trec", [RunRow("q1", "d3", 1, 2.0), RunRow("q1", "d1", 2, 1.0)])
    scored = score(tmp_path / "mine.trec", SET)
    assert scored.kinds["point"]["hit@1"].mean == 0.0
    assert scored.kinds["point"]["hit@10"].mean == 1.0
    assert scored.wrongly_silent.mean == 0.5  # of q2 it says nothing


def test_an_index_says_when_nothing_is_recorded(tmp_path):
    days = [Span.parse(f"2001-{month:02}-04") for month in range(1, 13)]
    documents = [
        Document(f"{name}-{day}", f"They met {name}, again.", published=day)
        for number, name in enumerate(("Ann Hay", "Bob Roe"))
        for position, day in enumerate(days)
        if position % 4 != number
    ]
    result, _ = make(documents, per_kind=5, kinds=["point", "none_recorded", "not_covered"])
    with Index.create(tmp_path, encoder=None) as index:
        index.add(documents)
        scored = score(index, result)
    assert scored["hit@1"] > 0.8
    assert scored.silent.mean > 0.8


def test_an_outcome_counts_more_than_a_list():
    class Answer(list):
        outcome = "none_recorded"

    assert score(lambda question, k, now: Answer(["d1"]), SET).wrongly_silent.mean == 1.0


def test_what_cannot_be_scored_is_said():
    with pytest.raises(EpochalError, match="int cannot be scored; accepted: a function"):
        score(7, SET)
    with pytest.raises(EpochalError, match="the answer to 'q1' has 7 in it"):
        score(lambda question, k, now: [7], SET)
    with pytest.raises(EpochalError, match="has no id"):
        score(type("Bare", (), {"invoke": lambda self, query: [Page()]})(), SET)
    with pytest.raises(EpochalError, match="MAP was not measured"):
        score(RUN, SET)["MAP"]
