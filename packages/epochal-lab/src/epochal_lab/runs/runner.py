"""Run tasks: load the set, let the system answer, measure, and store the result.

Everything slow is cached: what a system computes of the documents, each answer as it comes, the finished run and its
result. A task whose result exists for the same documents and queries is not run again, and an interrupted one resumes.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np

from epochal.errors import EpochalError
from epochal.files import write_atomically
from epochal.storage.importers.beir import ranked, write_run
from epochal_lab.datasets.records import BenchQuery, BenchSet, StepMeans, average_steps
from epochal_lab.metrics.evaluation import evaluate
from epochal_lab.metrics.measure import Measure
from epochal_lab.runs.tasks import Result, Task, Value, hash_documents, hash_queries, write_result
from epochal_lab.systems.base import QueryAnswer, Ranker, System, trim_answer


class ProgressFile:
    """A file of answers, one a line. The first line says of what; of another run's file nothing is used."""

    def __init__(self, path: Path, identity: str) -> None:
        self._path = path
        self.known: dict[str, tuple[QueryAnswer, float | None]] = {}
        whole = self._read(identity) if path.exists() else 0
        try:
            # A line that was cut short by a crash is written over.
            self._file = path.open("r+b" if whole else "wb")
        except OSError as error:
            raise EpochalError(f"cannot write {path}: {error.strerror or error}") from error
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self._file.write(json.dumps(identity).encode() + b"\n")

    def _read(self, identity: str) -> int:
        whole = 0
        with self._path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                record = json.loads(line)
                if not whole:
                    if record != identity:
                        return 0
                else:
                    answer = QueryAnswer(
                        record["query"], tuple((id, score) for id, score in record["hits"]), record["facts"]
                    )
                    self.known[answer.query] = (answer, record["ms"])
                whole += len(line)
        return whole

    def put(self, answer: QueryAnswer, milliseconds: float | None) -> None:
        """Keep an answer, and how long it took where that was measured."""
        row = {"query": answer.query, "hits": answer.hits, "facts": dict(answer.facts), "ms": milliseconds}
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        self.known[answer.query] = (answer, milliseconds)

    def remove(self) -> None:
        """Take the file away, when what it holds has been written elsewhere."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


#: Takes how many questions are answered, and how many there are.
CountCallback = Callable[[int, int], None]
#: An answer, and how many milliseconds it took where that was measured.
Timed = tuple[QueryAnswer, float | None]


class QueryRunner(Protocol):
    """Asks the questions of a task somewhere else, of a system whose store is complete; answers come in any order."""

    def __call__(
        self, task: Task, system: System, place: Path, queries: Sequence[BenchQuery], k: int
    ) -> Iterator[Timed]:
        """The answers to the questions, each with the k documents that were found for it at most."""
        ...


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs tasks into a folder: runs/ (TREC), results/ (JSON), values/ (each question), stores/ (what systems keep).

    `stopwatch` reads seconds, for the latency; without one there is none. `made` goes into each result: the date, the
    machine. `report_progress` gets how many of how many questions are answered. With a `query_runner` the system is
    opened here once, so that its store is complete, and the queries run elsewhere.
    """

    folder: Path
    measures: tuple[Measure, ...]
    stopwatch: Callable[[], float] | None = None
    made: Mapping[str, str] = field(default_factory=dict)
    report_progress: CountCallback | None = None
    query_runner: QueryRunner | None = None

    def run(self, task: Task, bench_set: BenchSet, system: System) -> Result:
        """The result of a task: `bench_set` is its set, of one split and as its variant and protocol have it."""
        if not bench_set.queries:
            raise EpochalError(f"{task}: there is no question to ask")
        for name in ("runs", "results", "values", "stores", "parts"):
            try:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise EpochalError(f"cannot write {self.folder}: {error.strerror or error}") from error
        print_of_documents, count = hash_documents(bench_set.documents)
        prints = {"documents": print_of_documents, "questions": hash_queries(bench_set)}
        if (known := self._read_existing(task, prints)) is not None:
            return known
        identity = json.dumps([task.to_dict(), prints], sort_keys=True)
        with ProgressFile(self.folder / "parts" / f"{task.slug}.jsonl", identity) as part:
            missing = [query for query in bench_set.queries if query.id not in part.known]
            if missing:
                # Beside each other, so that what a system keeps of texts serves every set and protocol that has them.
                place = self.folder / "stores" / f"{system.store}-{print_of_documents}"
                with system.open(bench_set.documents, place) as ranker:
                    if self.query_runner is None:
                        self._answer(partial(timed, ranker, stopwatch=self.stopwatch), missing, task, part, bench_set)
                if self.query_runner is not None:
                    self._answer(partial(self.query_runner, task, system, place), missing, task, part, bench_set)
            answers = {query.id: part.known[query.id][0] for query in bench_set.queries}
            took = [part.known[query.id][1] for query in bench_set.queries]
            result = self._measure(task, bench_set, answers, count, prints)
            result = replace(result, latency_ms=_measure_latency([ms for ms in took if ms is not None]))
            rows = (row for answer in answers.values() for row in ranked(answer.query, answer.hits, task.slug))
            write_run(self.folder / "runs" / f"{task.slug}.trec", rows)
            write_result(self.folder / "results", result)
            part.remove()
        return result

    def _read_existing(self, task: Task, prints: Mapping[str, str]) -> Result | None:
        path = self.folder / "results" / f"{task.slug}.json"
        if not path.is_file():
            return None
        known = Result.from_dict(json.loads(path.read_text(encoding="utf-8")))
        same = dict(known.prints) == dict(prints) and set(known.measures) == {str(item) for item in self.measures}
        return known if same else None

    def _answer(
        self,
        ask: Callable[[Sequence[BenchQuery], int], Iterator[Timed]],
        queries: Sequence[BenchQuery],
        task: Task,
        part: ProgressFile,
        bench_set: BenchSet,
    ) -> None:
        """Ask what is left; questions of the same words at the same time are asked once."""
        first: dict[tuple[object, ...], BenchQuery] = {}
        same: dict[str, list[BenchQuery]] = {}
        for query in queries:
            if not query.text.strip():  # a variant may leave nothing of a question
                part.put(QueryAnswer(query.id, ()), None)
                continue
            leader = first.setdefault((query.text, query.now), query)
            same.setdefault(leader.id, []).append(query)
        deepest = task.k + max(len(query.excluded) for query in queries)
        for answer, took in ask(list(first.values()), deepest):
            for query in same[answer.query]:
                part.put(trim_answer(replace(answer, query=query.id), query.excluded, task.k), took)
            if self.report_progress is not None:
                self.report_progress(len(part.known), len(bench_set.queries))

    def _measure(
        self,
        task: Task,
        bench_set: BenchSet,
        answers: Mapping[str, QueryAnswer],
        documents: int,
        prints: Mapping[str, str],
    ) -> Result:
        run = {id: dict(answer.hits) for id, answer in answers.items()}
        # Going through the documents takes long, and most measures ask nothing of their times.
        asks_times = any(need in ("content", "published") for measure in self.measures for need in measure.needs)
        judgements = (bench_set if asks_times else replace(bench_set, documents=())).judgements()
        evaluation = evaluate(run, judgements, self.measures)
        values = {str(outcome.measure): outcome.values for outcome in evaluation.outcomes}
        gaps = {str(outcome.measure): outcome.gaps for outcome in evaluation.outcomes}
        with write_atomically(self.folder / "values" / f"{task.slug}.json") as file:
            output = {
                name: {id: None if math.isnan(value) else value for id, value in per.items()}
                for name, per in values.items()
            }
            file.write(json.dumps(output, ensure_ascii=False).encode() + b"\n")
        breakdowns = {
            by: {
                part: {name: _average(per, ids) for name, per in values.items()} for part, ids in sorted(parts.items())
            }
            for by, parts in (
                ("kind", _group_queries(bench_set, lambda query: query.kind or "none")),
                ("granularity", _group_queries(bench_set, _get_granularity)),
            )
            if len(parts) > 1
        }
        if bench_set.queries and all("parent" in query.annotations for query in bench_set.queries):
            breakdowns["averaging"] = _average_by_step(values, bench_set)
        outcomes = Counter(answer.facts["outcome"] for answer in answers.values() if "outcome" in answer.facts)
        return Result(
            task,
            documents,
            len(bench_set.queries),
            {name: replace(_average(per, list(per)), gaps=gaps[name]) for name, per in values.items()},
            breakdowns,
            {},
            dict(sorted(outcomes.items())),
            prints,
            self.made,
        )


def timed(
    ranker: Ranker, queries: Sequence[BenchQuery], k: int, stopwatch: Callable[[], float] | None = None
) -> Iterator[Timed]:
    """The answers of a ranker, each with the milliseconds that it took by a stopwatch that reads seconds."""
    start = stopwatch() if stopwatch is not None else 0.0
    for answer in ranker.answer(queries, k):
        yield answer, 1000 * (stopwatch() - start) if stopwatch is not None else None
        start = stopwatch() if stopwatch is not None else 0.0


def _group_queries(bench_set: BenchSet, part: Callable[[BenchQuery], str]) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for query in bench_set.queries:
        parts.setdefault(part(query), []).append(query.id)
    return parts


def _get_granularity(query: BenchQuery) -> str:
    """The grain of the queried time; of several the finest."""
    return min(period.grain for period in query.periods).label if query.periods else "none"


def _average(values: Mapping[str, float], ids: Sequence[str]) -> Value:
    present = [values[id] for id in ids if id in values]
    defined = [value for value in present if not math.isnan(value)]
    mean = round(float(np.mean(defined)), 6) if defined else None
    return Value(mean, len(defined), len(present) - len(defined))


def _average_by_step(values: Mapping[str, Mapping[str, float]], bench_set: BenchSet) -> dict[str, dict[str, Value]]:
    """Both means over steps: of all of them, and of the means within each question."""
    means = {name: average_steps(per, bench_set) for name, per in values.items()}

    def collect(mean: Callable[[StepMeans], float], count: Callable[[StepMeans], int]) -> dict[str, Value]:
        return {
            name: Value(None if math.isnan(mean(item)) else round(mean(item), 6), count(item))
            for name, item in means.items()
        }

    return {
        "steps pooled": collect(lambda item: item.pooled, lambda item: item.steps),
        "by question": collect(lambda item: item.by_question, lambda item: item.questions),
    }


def _measure_latency(took: Sequence[float]) -> dict[str, float]:
    if not took:
        return {}
    p50, p95 = np.percentile(took, (50, 95))
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2)}
