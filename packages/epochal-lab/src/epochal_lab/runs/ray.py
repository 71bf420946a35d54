"""Asking the questions of a benchmark on a cluster: every worker opens the system, and answers some at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from epochal.backends.ray.cluster import RayWorkers, load_ray
from epochal.backends.ray.sources import Failure
from epochal.errors import EpochalError
from epochal.times.span import stopwatch
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.datasets.sources import data_folder
from epochal_lab.runs.runner import Timed, timed
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.base import System

#: Questions that a worker answers at a time: what is asked again when it is lost.
_CHUNK: Final = 16


@dataclass(frozen=True, slots=True)
class RayQueryRunner:
    """Shares questions out over the workers of a cluster; give it to `Runner` as its `query_runner`.

    Answers are those of one process, for a system answers each question by itself. The store of the system and the
    data of the set must be on a file system that all nodes see, for every worker opens both.
    """

    workers: RayWorkers
    data: str | None = None
    hub: bool = False

    def __call__(
        self, task: Task, system: System, place: Path, queries: Sequence[BenchQuery], k: int
    ) -> Iterator[Timed]:
        """The answers as they come, of whichever worker; what a lost worker had is asked of another."""
        ray = load_ray()
        chunks = deque(queries[first : first + _CHUNK] for first in range(0, len(queries), _CHUNK))
        # Workers stand in other folders, and may have another environment.
        data = data_folder(self.data)
        task = replace(task, set=os.path.abspath(task.set)) if os.path.isdir(task.set) else task
        remote = ray.remote(num_cpus=1, num_gpus=self.workers.gpus, max_restarts=0)(_Desk)
        desks = [
            remote.remote(task, system, place.absolute(), None if data is None else data.absolute(), self.hub)
            for _ in range(min(self.workers.count, len(chunks)))
        ]
        # Each is asked nothing at first: who has no core, or never gets one, is given no question to sit on.
        pending: dict[Any, tuple[Any, Sequence[BenchQuery]]] = {desk.answer.remote([], k): (desk, ()) for desk in desks}
        free: list[Any] = []
        try:
            while chunks or any(chunk for _, chunk in pending.values()):
                while free and chunks:
                    desk, chunk = free.pop(), chunks.popleft()
                    pending[desk.answer.remote(list(chunk), k)] = (desk, chunk)
                if not pending:
                    raise EpochalError(
                        f"{task}: all {len(desks)} workers were lost before all questions were answered; the same "
                        f"command goes on from there"
                    )
                (done,), _ = ray.wait(list(pending), num_returns=1)
                desk, chunk = pending.pop(done)
                try:
                    answers = ray.get(done)
                except ray.exceptions.RayActorError:
                    if chunk:
                        chunks.appendleft(chunk)
                    continue
                if isinstance(answers, Failure):
                    raise answers.error()
                free.append(desk)
                yield from answers
        finally:
            for desk in desks:
                ray.kill(desk)


class _Desk:
    """A worker that keeps a system open."""

    def __init__(self, task: Task, system: System, place: Path, data: Path | None, hub: bool) -> None:
        self._given = task, system, place, data, hub
        self._stack = ExitStack()
        self._ranker: Any = None

    def answer(self, queries: Sequence[BenchQuery], k: int) -> list[Timed] | Failure:
        task, system, position, data, hub = self._given
        try:
            if self._ranker is None:
                documents = SetLoader(data, hub=hub).load(task).documents
                self._ranker = self._stack.enter_context(system.open(documents, position))
            return list(timed(self._ranker, queries, k, stopwatch))
        except EpochalError as error:
            return Failure.of(error)
