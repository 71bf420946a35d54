"""Benchmark results in the HTTP service: the output folder of `epochal bench run`, by result and by question.

The service loads this file by the entry point group `epochal.server`.
"""

from __future__ import annotations

import json
import math
import threading
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from pydantic import Field
from starlette.responses import Response

from epochal.errors import EpochalError, UnknownNameError
from epochal.ingest import read_times
from epochal.reading.questions.question import period_to_dict, span_to_dict
from epochal.reading.questions.understand import understand
from epochal.server.problems import ProblemError
from epochal.server.routing import Extension, ServiceRoute, describe_problems, respond
from epochal.server.search_schemas import PeriodModel, QueryModel, ResponseModel, SpanModel
from epochal.server.settings import MAX_ID, MAX_NAME, Settings
from epochal.storage.importers.beir import read_run
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchSet
from epochal_lab.datasets.sources import MissingSetError
from epochal_lab.metrics.runs import stated_times
from epochal_lab.runs.tasks import Result, SetLoader, read_results

#: Relevant documents of a question that are returned, and characters of a document's text.
_MAX_RELEVANT: Final = 20
_SNIPPET: Final = 600


class Reports:
    """A folder with results/, values/ and runs/. A result is named by its file; no name reaches another folder."""

    def __init__(self, folder: str, data: str | None = None) -> None:
        self._folder = Path(folder)
        self._sets = SetLoader(data)
        self._guard = threading.Lock()
        if not (self._folder / "results").is_dir():
            raise EpochalError(
                f"{folder} holds no folder results; accepted: a folder that `epochal bench run` wrote to"
            )

    def list_results(self) -> list[dict[str, Any]]:
        """All results with their means, ordered by name."""
        return [self._make_row(name, self._read_result(name)) for name in self._list_names()]

    def get_result(self, name: str) -> dict[str, Any]:
        """One result, with the value of each measure for each question if these are stored."""
        result = self._read_result(name)
        path = self._folder / "values" / f"{name}.json"
        values = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        return {**result.to_dict(), "name": name, "values": values}

    def list_questions(self, name: str) -> dict[str, str]:
        """The texts of the questions of a result, by id."""
        return {query.id: query.text for query in self._load_set(name).queries}

    def get_question(self, name: str, id: str, count: int) -> dict[str, Any]:
        """One question with its relevant documents and the first `count` hits of the system, each with its times."""
        bench_set = self._load_set(name)
        query = next((item for item in bench_set.queries if item.id == id), None)
        if query is None:
            raise ProblemError("not-found", f"{name} has no question {id[:80]!r}")
        run = self._folder / "runs" / f"{name}.trec"
        ranked = read_run(run).get(id, ()) if run.is_file() else ()
        scores = {row.document: row.score for row in ranked}
        ranks = {document: rank for rank, document in enumerate(scores, 1)}
        relevant = [document for document, grade in bench_set.qrels.get(id, {}).items() if grade > 0]
        first = list(ranks)[:count]
        needed = {*first, *relevant[:_MAX_RELEVANT]}
        texts = {item.id: item for item in bench_set.documents if item.id in needed}
        periods = query.periods or understand(query.text, query.now).periods
        return {
            "id": id,
            "text": query.text,
            "now": None if query.now is None else query.now.edtf(),
            "periods": [period_to_dict(span) for span in periods],
            "relevant": [
                {**_make_document_record(texts[item]), "rank": ranks.get(item)}
                for item in relevant[:_MAX_RELEVANT]
                if item in texts
            ],
            "found": [
                {
                    **_make_document_record(texts[item]),
                    "rank": ranks[item],
                    "score": scores[item],
                    "relevant": item in relevant,
                }
                for item in first
                if item in texts
            ],
        }

    def _list_names(self) -> list[str]:
        return sorted(path.stem for path in (self._folder / "results").glob("*.json"))

    def _read_result(self, name: str) -> Result:
        if name not in self._list_names():
            raise ProblemError("not-found", f"there is no result {name[:80]!r}")
        return read_results([self._folder / "results" / f"{name}.json"])[0]

    def _make_row(self, name: str, result: Result) -> dict[str, Any]:
        means = {measure: value.mean for measure, value in result.measures.items()}
        return {
            "name": name,
            "task": result.task.to_dict(),
            "documents": result.documents,
            "queries": result.queries,
            "measures": {key: None if mean is None or math.isnan(mean) else mean for key, mean in means.items()},
            "latency_ms": dict(result.latency_ms),
            "made": dict(result.made),
            "values": (self._folder / "values" / f"{name}.json").is_file(),
            "runs": (self._folder / "runs" / f"{name}.trec").is_file(),
        }

    def _load_set(self, name: str) -> BenchSet:
        task = self._read_result(name).task
        try:
            with self._guard:  # the loader keeps the set that was opened last
                return self._sets.load(task)
        except (MissingSetError, UnknownNameError):
            raise ProblemError("not-found", f"the files of the set {task.set!r} are not here") from None


def _make_document_record(document: Document) -> dict[str, Any]:
    """A document with the times that the set gives or its text states, and its publication date."""
    stated = stated_times(document) or tuple(item.span for part in read_times(document) for item in part)
    published = () if document.published is None else (document.published,)
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text[:_SNIPPET],
        "times": [span_to_dict(span) for span in dict.fromkeys((*stated, *published))],
    }


# ---------------------------------------------------------------- schemas


class BenchQuestionQuery(QueryModel):
    """How many hits of a question to return."""

    k: int = Field(10, ge=1, le=100, description="The number of hits.")


class BenchRow(ResponseModel):
    """The mean results of a system on a test set."""

    name: str
    task: dict[str, Any]
    documents: int
    queries: int
    measures: dict[str, float | None]
    latency_ms: dict[str, float]
    made: dict[str, str]
    values: bool
    runs: bool


class BenchResults(ResponseModel):
    """All results of a folder."""

    results: list[BenchRow]


class BenchResult(ResponseModel):
    """One result; `values` are null if they are not stored."""

    name: str
    task: dict[str, Any]
    measures: dict[str, Any]
    values: dict[str, dict[str, float | None]] | None


class BenchQuestions(ResponseModel):
    """The texts of questions by their ids."""

    questions: dict[str, str]


class BenchDocument(ResponseModel):
    """A document: the start of its text, and its times."""

    id: str
    title: str
    text: str
    times: list[SpanModel]


class BenchRelevant(BenchDocument):
    """A relevant document, and its rank; null if it is not a hit."""

    rank: int | None


class BenchHit(BenchDocument):
    """A hit of the system."""

    rank: int
    score: float
    relevant: bool


class BenchQuestion(ResponseModel):
    """A question, its relevant documents, and the hits of the system."""

    id: str
    text: str
    now: str | None
    periods: list[PeriodModel]
    relevant: list[BenchRelevant]
    found: list[BenchHit]


# ---------------------------------------------------------------- routes

Name = Annotated[str, InPath(min_length=1, max_length=MAX_NAME, description="The name of the result.")]
QuestionId = Annotated[str, InPath(min_length=1, max_length=MAX_ID, description="The id of the question.")]


def make_extension(settings: Settings) -> Extension:
    """Make the routes to the results in the folder of the settings, and the page that shows them."""
    reports = None if settings.reports is None else Reports(settings.reports, settings.data)
    router = APIRouter(prefix="/api/v1/bench", route_class=ServiceRoute, tags=["bench"])
    problems = describe_problems("not-found")

    def find() -> Reports:
        if reports is None:
            raise ProblemError("not-found", "this service shows no results; it can be started with --reports DIR")
        return reports

    @router.get("", name="bench", response_model=BenchResults, responses=problems)
    async def list_results(request: Request) -> Response:
        """The results of systems on test sets."""
        return await respond(request, lambda _: {"results": find().list_results()})

    @router.get("/{name}", name="bench_result", response_model=BenchResult, responses=problems)
    async def get_result(request: Request, name: Name) -> Response:
        """One result, with the value of each measure for each question."""
        return await respond(request, lambda _: find().get_result(name))

    @router.get("/{name}/questions", name="bench_questions", response_model=BenchQuestions, responses=problems)
    async def list_questions(request: Request, name: Name) -> Response:
        """The texts of the questions of a result."""
        return await respond(request, lambda _: {"questions": find().list_questions(name)})

    @router.get("/{name}/questions/{id:path}", name="bench_question", response_model=BenchQuestion, responses=problems)
    async def get_question(
        request: Request, name: Name, id: QuestionId, query: Annotated[BenchQuestionQuery, Query()]
    ) -> Response:
        """One question: its relevant documents, and the hits of the system."""
        return await respond(request, lambda _: find().get_question(name, id, query.k))

    static = resources.files("epochal_lab.runs") / "page"
    return Extension(router, static, {"/bench": "bench.html"}, has_results=reports is not None)
