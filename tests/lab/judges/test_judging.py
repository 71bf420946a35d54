"""Many documents at once, and a judge that fails: gaps are counted, and never become zeros."""

from __future__ import annotations

import threading

import pytest

from epochal.errors import EpochalError
from epochal.llm.chat import LlmError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.base import judge_pairs, judge_run
from epochal_lab.metrics.evaluation import parse_measure
from epochal_lab.metrics.runs import Judgements, Verdict

PERIODS = (Span.year(1998), Span.year(2003))
QUERY = BenchQuery("q", "How did it change from 1998 to 2003?", periods=PERIODS)
DOCUMENTS = [Document(f"d{number}", "Rain.") for number in range(9)]


class Lenient:
    """Says yes to everything."""

    name = "lenient"

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        return Verdict(True, (True,) * len(query.periods))


class EveryThird:
    """A judge whose every third call fails."""

    def __init__(self, judge: Lenient) -> None:
        self._judge = judge
        self._calls = 0
        self.name = judge.name

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        self._calls += 1
        if self._calls % 3 == 0:
            raise LlmError("the line is down")
        return self._judge.judge(query, document)


def test_a_judge_that_fails_on_every_third_call_leaves_gaps_not_zeros():
    judged = judge_pairs(EveryThird(Lenient()), [(QUERY, document) for document in DOCUMENTS])
    assert judged.gaps == 3
    answers = [item.verdict for item in judged.judgements]
    assert [verdict.relevant for verdict in answers] == [True, True, None] * 3
    assert answers[2] == Verdict(None, (None, None))
    assert judged.judgements[2].reason == "no verdict: the line is down"
    run = {"q": {document.id: -float(at) for at, document in enumerate(DOCUMENTS)}}
    known = Judgements(verdicts=judged.verdicts)
    scores = {name: parse_measure(name).per_query(run, known)["q"] for name in ("TR@2", "TP@2", "TC@9")}
    assert scores == {"TR@2": 1.0, "TP@2": 1.0, "TC@9": 1.0}
    # Zeros in the place of gaps would make TR@9 two thirds.
    assert parse_measure("TR@9(missing=skip)").per_query(run, known)["q"] == 1.0
    assert parse_measure("TR@9(missing=miss)").per_query(run, known)["q"] == pytest.approx(2 / 3)


def test_order_and_outcome_do_not_depend_on_the_number_of_workers():
    class Slow(Lenient):
        """The first answer comes last."""

        def __init__(self) -> None:
            self.done = threading.Event()

        def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
            if document.id == "d0":
                assert self.done.wait(120)
            if document.id == "d2":
                self.done.set()
            return super().judge(query, document)

    pairs = [(QUERY, document) for document in DOCUMENTS]
    assert judge_pairs(Slow(), pairs, workers=3) == judge_pairs(Lenient(), pairs)


def test_no_more_at_once_than_workers():
    class Counting(Lenient):
        now = most = 0
        lock = threading.Lock()
        full = threading.Barrier(3)

        def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            self.full.wait(120)  # passes only when three are in here at once
            with self.lock:
                self.now -= 1
            return super().judge(query, document)

    judge = Counting()
    judge_pairs(judge, [(QUERY, document) for document in DOCUMENTS], workers=3)
    assert judge.most == 3


@pytest.mark.parametrize("workers", [1, 3])
def test_other_errors_are_errors(workers):
    class Broken(Lenient):
        def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
            raise KeyError(document.id)

    with pytest.raises(KeyError, match="d0"):
        judge_pairs(Broken(), [(QUERY, document) for document in DOCUMENTS], workers=workers)


def test_questions_without_time_are_distinguished_from_gaps():
    class Atemporal(Lenient):
        def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
            return None if query.id == "tree" else super().judge(query, document)

    tree = BenchQuery("tree", "What is a Merkle tree?")
    judged = judge_pairs(Atemporal(), [(tree, DOCUMENTS[0]), (QUERY, DOCUMENTS[0]), (tree, DOCUMENTS[1])])
    assert judged.atemporal == ("tree",)
    assert list(judged.verdicts) == ["q"]
    assert judged.gaps == 0


def test_the_first_of_a_ranking_are_judged():
    run = {"q": {"d1": 0.5, "d2": 0.9, "d3": 0.9, "d4": 0.1, "d5": 2.0}}
    query = BenchQuery("q", QUERY.text, excluded=("d5",))
    texts = {document.id: document for document in DOCUMENTS}
    judged = judge_run(Lenient(), run, [query, BenchQuery("empty", "?")], texts, k=3)
    assert [item.document for item in judged.judgements] == ["d2", "d3", "d1"]


def test_what_cannot_be_judged_is_named():
    with pytest.raises(EpochalError, match="the run has document 'x' for question 'q', which is not in the set"):
        judge_run(Lenient(), {"q": {"x": 1.0}}, [QUERY], {})
    with pytest.raises(EpochalError, match="k is 0"):
        judge_run(Lenient(), {}, [], {}, k=0)
    with pytest.raises(EpochalError, match="workers is 0"):
        judge_pairs(Lenient(), [], workers=0)
