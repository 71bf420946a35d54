from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from epochal.errors import EpochalError
from epochal.storage.importers import read_run
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import parse_measures
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.tasks import Task, expand_tasks, read_results
from epochal_lab.systems.base import QueryAnswer, Ranker

DOCUMENTS = tuple(Document(f"d{number}", f"text {number}") for number in range(5))
QUERIES = (
    BenchQuery("q1", "one", kind="point", periods=(Span.year(1998),)),
    BenchQuery("q2", "two", kind="window", periods=(Span.parse("1998-05"),), excluded=("d0",)),
    BenchQuery("q3", "one", kind="window"),
)
SET = BenchSet("own", DOCUMENTS, QUERIES, {"q1": {"d0": 1}, "q2": {"d1": 1}, "q3": {"d4": 1}})


class Counting:
    """Answers every question with all documents in order, counts what it is asked, and can fail on the way."""

    name = "counting"
    store = "counting"

    def __init__(self, fail_at: int = -1) -> None:
        self.asked: list[str] = []
        self.opened = 0
        self._fail_at = fail_at

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        self.opened += 1
        yield self

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        for query in queries:
            if len(self.asked) == self._fail_at:
                raise EpochalError("the plug was pulled")
            self.asked.append(query.text)
            hits = tuple((document.id, 1.0 / position) for position, document in enumerate(DOCUMENTS[:k], 1))
            yield QueryAnswer(query.id, hits, {"outcome": "recorded"})


def runner(folder: Path, ticks: list[int] | None = None) -> Runner:
    clock = iter(range(1000))
    message = None if ticks is None else (lambda done, total: ticks.append(done))
    return Runner(folder, parse_measures("hit@1 R@5 TC@5"), lambda: float(next(clock)), {"date": "2026-01-01"}, message)


TASK = Task("own", "counting", k=2)


def test_a_run_is_measured_and_kept(tmp_path: Path) -> None:
    ticks: list[int] = []
    result = runner(tmp_path, ticks).run(TASK, SET, Counting())
    assert result.mean("hit@1") == pytest.approx(2 / 3, abs=1e-6)  # d0 is excluded for q2, so d1 comes first
    assert result.measures["TC@5"].mean is None
    assert result.measures["TC@5"].undefined == 3
    assert result.breakdowns["kind"]["point"]["hit@1"].mean == 1.0
    assert set(result.breakdowns["granularity"]) == {"year", "month", "none"}
    assert result.latency_ms == {"p50": 1000.0, "p95": 1000.0}
    assert result.outcomes == {"recorded": 3}
    assert ticks == [2, 3]
    rows = read_run(tmp_path / "runs" / f"{TASK.slug}.trec")
    assert [row.document for row in rows["q2"]] == ["d1", "d2"]
    assert read_results([tmp_path / "results"]) == [result]
    values = json.loads((tmp_path / "values" / f"{TASK.slug}.json").read_text())
    assert values["hit@1"] == {"q1": 1.0, "q2": 1.0, "q3": 0.0}
    assert values["TC@5"]["q1"] is None
    assert not list((tmp_path / "parts").iterdir())


def test_questions_of_the_same_words_are_asked_once(tmp_path: Path) -> None:
    system = Counting()
    runner(tmp_path).run(TASK, SET, system)
    assert system.asked == ["one", "two"]


def test_a_finished_task_is_not_run_again(tmp_path: Path) -> None:
    first = runner(tmp_path).run(TASK, SET, Counting())
    again = Counting()
    assert runner(tmp_path).run(TASK, SET, again) == first
    assert again.opened == 0


@pytest.mark.parametrize(
    "changed",
    [
        BenchSet("own", DOCUMENTS[:4], QUERIES, SET.qrels),
        BenchSet("own", DOCUMENTS, QUERIES, {**SET.qrels, "q3": {"d0": 1}}),
        BenchSet("own", DOCUMENTS, (*QUERIES[:2], BenchQuery("q3", "three")), SET.qrels),
    ],
)
def test_another_set_under_the_same_name_is_run(tmp_path: Path, changed: BenchSet) -> None:
    runner(tmp_path).run(TASK, SET, Counting())
    again = Counting()
    runner(tmp_path).run(TASK, changed, again)
    assert again.opened == 1


def test_an_interrupted_task_goes_on(tmp_path: Path) -> None:
    broken = Counting(fail_at=1)
    with pytest.raises(EpochalError, match="plug"):
        runner(tmp_path).run(TASK, SET, broken)
    assert not list((tmp_path / "results").iterdir())
    system = Counting()
    result = runner(tmp_path).run(TASK, SET, system)
    assert system.asked == ["two"]
    assert result == runner(tmp_path / "whole").run(TASK, SET, Counting())


def test_without_questions_there_is_nothing_to_run(tmp_path: Path) -> None:
    with pytest.raises(EpochalError, match="no question to ask"):
        runner(tmp_path).run(TASK, SET.with_queries(()), Counting())


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(EpochalError, match="cannot write"):
        runner(tmp_path / "out").run(TASK, SET, Counting())


def test_tasks_are_all_combinations_and_have_names_of_their_own() -> None:
    tasks = list(expand_tasks(["a", "b"], ["x", "y"], variants=["baseline", "strip"], protocols=["", "neg1"]))
    assert len(tasks) == 16
    assert len({task.slug for task in tasks}) == 16
    assert [task.set for task in tasks] == ["a"] * 8 + ["b"] * 8
    with pytest.raises(EpochalError, match="k must be at least 1"):
        Task("a", "x", k=0)


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(EpochalError, match="is no result"):
        read_results([tmp_path])
    with pytest.raises(EpochalError, match="does not exist"):
        read_results([tmp_path / "none"])
