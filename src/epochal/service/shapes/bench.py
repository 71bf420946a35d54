"""The shapes of results of benchmarks."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from epochal.service.limits import MOST_ID, MOST_NAME
from epochal.service.shapes.base import Asked, Told
from epochal.service.shapes.times import Period, Stretch

__all__ = [
    "BenchFound",
    "BenchPath",
    "BenchQuestion",
    "BenchQuestionPath",
    "BenchQuestions",
    "BenchRelevant",
    "BenchResult",
    "BenchResults",
    "BenchRow",
    "BenchShown",
]


class BenchPath(Asked):
    """Which result.

    >>> BenchPath(name="tnp.test.bm25-0ef77bdd").name
    'tnp.test.bm25-0ef77bdd'
    """

    name: str = Field(min_length=1, max_length=MOST_NAME, description="The name of the result.")


class BenchQuestionPath(BenchPath):
    """Which question of a result.

    >>> BenchQuestionPath(name="tnp.test.bm25-0ef77bdd", id="q1").k
    10
    """

    id: str = Field(min_length=1, max_length=MOST_ID, description="The id of the question.")
    k: int = Field(10, ge=1, le=100, description="How many of the documents that were found.")


class BenchRow(Told):
    """What a system reached on a set, in means.

    >>> "measures" in BenchRow.model_fields
    True
    """

    name: str
    task: dict[str, Any]
    documents: int
    queries: int
    measures: dict[str, float | None]
    latency_ms: dict[str, float]
    made: dict[str, str]
    values: bool
    runs: bool


class BenchResults(Told):
    """All results of a folder.

    >>> BenchResults(results=[]).results
    []
    """

    results: list[BenchRow]


class BenchResult(Told):
    """One result; `values` are null where they are not kept.

    >>> "values" in BenchResult.model_fields
    True
    """

    name: str
    task: dict[str, Any]
    measures: dict[str, Any]
    values: dict[str, dict[str, float | None]] | None


class BenchQuestions(Told):
    """The texts of questions by their ids.

    >>> BenchQuestions(questions={"q1": "Who won?"}).questions["q1"]
    'Who won?'
    """

    questions: dict[str, str]


class BenchShown(Told):
    """A document, how it begins, and its times.

    >>> BenchShown(id="d1", title="", text="Ann won.", times=[]).id
    'd1'
    """

    id: str
    title: str
    text: str
    times: list[Stretch]


class BenchRelevant(BenchShown):
    """A document that is right, and its place; null where it was not found.

    >>> BenchRelevant(id="d1", title="", text="Ann won.", times=[], rank=None).rank is None
    True
    """

    rank: int | None


class BenchFound(BenchShown):
    """A document that was found.

    >>> BenchFound(id="d1", title="", text="Ann won.", times=[], rank=1, score=0.5, relevant=True).relevant
    True
    """

    rank: int
    score: float
    relevant: bool


class BenchQuestion(Told):
    """A question, what is right, and what was found.

    >>> BenchQuestion(id="q1", text="Who won?", now=None, periods=[], relevant=[], found=[]).id
    'q1'
    """

    id: str
    text: str
    now: str | None
    periods: list[Period]
    relevant: list[BenchRelevant]
    found: list[BenchFound]
