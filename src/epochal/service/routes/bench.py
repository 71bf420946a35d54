"""Results of benchmarks, where the service was given a folder of them."""

from __future__ import annotations

from typing import Any, Final

from epochal.service.operations import Operation
from epochal.service.problems import ProblemError
from epochal.service.reports import Reports
from epochal.service.shapes.bench import (
    BenchPath,
    BenchQuestion,
    BenchQuestionPath,
    BenchQuestions,
    BenchResult,
    BenchResults,
)
from epochal.service.shapes.info import Nothing
from epochal.service.state import Service

__all__ = ["OPERATIONS"]

_NAME: Final = "own-cup.test.bm25-0ef77bdd"
_TASK: Final = {"set": "own/cup", "system": "bm25", "split": "test", "variant": "baseline", "protocol": "", "k": 100}
_SHOWN: Final = {
    "id": "d1990",
    "title": "",
    "text": "The cup was won by team 2.",
    "times": [{"span": "1990", "start": 631152000, "end": 662688000}],
}


def _reports(service: Service) -> Reports:
    if service.reports is None:
        raise ProblemError("not-found", "this service shows no results; it can be started with --reports DIR")
    return service.reports


def _all(service: Service, _: Nothing) -> dict[str, Any]:
    return {"results": _reports(service).rows()}


def _one(service: Service, asked: BenchPath) -> dict[str, Any]:
    return _reports(service).one(asked.name)


def _questions(service: Service, asked: BenchPath) -> dict[str, Any]:
    return {"questions": _reports(service).questions(asked.name)}


def _question(service: Service, asked: BenchQuestionPath) -> dict[str, Any]:
    return _reports(service).question(asked.name, asked.id, asked.k)


OPERATIONS: Final = (
    Operation(
        name="bench",
        method="GET",
        path="/api/v1/bench",
        summary="What systems reached on test sets.",
        asks=Nothing,
        tells=BenchResults,
        handle=_all,
        example={},
        told={
            "results": [
                {
                    "name": _NAME,
                    "task": _TASK,
                    "documents": 16,
                    "queries": 16,
                    "measures": {"nDCG@10": 0.61},
                    "latency_ms": {"p50": 4.2, "p95": 7.9},
                    "made": {},
                    "values": True,
                    "runs": True,
                }
            ]
        },
        kinds=("not-found",),
    ),
    Operation(
        name="bench_result",
        method="GET",
        path="/api/v1/bench/{name}",
        summary="One result, with the value of each measure for each question.",
        asks=BenchPath,
        tells=BenchResult,
        handle=_one,
        example={"name": _NAME},
        told={
            "name": _NAME,
            "task": _TASK,
            "measures": {"nDCG@10": {"mean": 0.61, "queries": 16, "undefined": 0, "gaps": 0}},
            "values": {"nDCG@10": {"q1990": 1.0}},
        },
        kinds=("not-found",),
    ),
    Operation(
        name="bench_questions",
        method="GET",
        path="/api/v1/bench/{name}/questions",
        summary="The texts of the questions that a result rests on.",
        asks=BenchPath,
        tells=BenchQuestions,
        handle=_questions,
        example={"name": _NAME},
        told={"questions": {"q1990": "Who won the cup in 1990?"}},
        kinds=("not-found",),
    ),
    Operation(
        name="bench_question",
        method="GET",
        path="/api/v1/bench/{name}/questions/{id}",
        summary="One question: what is right, and what the system found.",
        asks=BenchQuestionPath,
        tells=BenchQuestion,
        handle=_question,
        example={"name": _NAME, "id": "q1990"},
        told={
            "id": "q1990",
            "text": "Who won the cup in 1990?",
            "now": None,
            "periods": [{"span": "1990", "start": 631152000, "end": 662688000, "words": "1990"}],
            "relevant": [{**_SHOWN, "rank": 1}],
            "found": [{**_SHOWN, "rank": 1, "score": 2.7, "relevant": True}],
        },
        kinds=("not-found",),
    ),
)
