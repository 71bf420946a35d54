"""A lost worker's questions are asked again, and what is wrong with a system is said."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends.ray.conftest import write_set
from epochal.backends.ray import RayWorkers
from epochal.backends.ray.cluster import load_ray
from epochal.backends.ray.sources import Failure
from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.runs.ray import RayQueryRunner, _Desk
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.base import QueryAnswer
from epochal_lab.systems.registry import make_system

pytestmark = pytest.mark.xdist_group("ray")


@dataclass(frozen=True)
class Fatal:
    """A system that ends the process that answers one question: the first time, or every time."""

    mark: Path
    always: bool = False
    name: str = "fatal"
    store: str = "fatal"

    def open(self, documents, folder):
        return nullcontext(self)

    def answer(self, queries, k):
        for query in queries:
            if query.id == "q20" and (self.always or not self.mark.exists()):
                self.mark.touch()
                os._exit(1)
            yield QueryAnswer(query.id, ((f"d{query.id[1:]}", 1.0),))


def test_a_lost_worker(workers, tmp_path):
    load_ray().cloudpickle.register_pickle_by_value(sys.modules[__name__])
    task = Task(write_set(tmp_path / "set"), "fatal", k=10)
    queries = SetLoader().load(task).queries
    # Of three workers two have a core; the third waits for one, and nobody waits for it.
    matches = list(RayQueryRunner(RayWorkers(3))(task, Fatal(tmp_path / "mark"), tmp_path, queries, 10))
    assert sorted(answer.query for answer, _ in matches) == sorted(query.id for query in queries)
    with pytest.raises(EpochalError, match="all 1 workers were lost"):
        list(RayQueryRunner(RayWorkers(1))(task, Fatal(tmp_path / "mark", always=True), tmp_path, queries, 10))


def test_what_is_wrong_travels(tmp_path):
    desk = _Desk(Task("no-such-set", "bm25"), make_system("bm25(encoder=none)"), tmp_path, None, False)
    result = desk.answer([], 1)
    assert isinstance(result, Failure)
    assert result.kind is UnknownNameError
    assert "no-such-set" in result.message


def test_a_system_is_opened_once(tmp_path):
    task = Task(write_set(tmp_path / "set"), "bm25-official", k=10)
    desk = _Desk(task, make_system(task.system), tmp_path / "store", None, False)
    assert desk.answer([], 5) == []
    ranker = desk._ranker
    queries = SetLoader().load(task).queries[:3]
    assert [answer.query for answer, took in desk.answer(queries, 5) if took > 0] == [query.id for query in queries]
    assert desk._ranker is ranker
    desk._stack.close()
