"""Judge: whoever says of a document whether it helps with what a question asks of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from epochal.bench.metrics.base import Verdict
from epochal.bench.records import BenchQuery
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["ExplainingJudge", "Judge", "Judgement", "gap"]


@runtime_checkable
class Judge(Protocol):
    """A judge. A question that asks nothing of time has no verdict: None. What fails is a gap in a verdict, never a no.

    `judge` may be called from several threads at once.

    >>> class Lenient:
    ...     name = "lenient"
    ...     def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
    ...         return Verdict(True, (True,) * len(query.periods))
    >>> isinstance(Lenient(), Judge)
    True
    """

    @property
    def name(self) -> str:
        """Who judges, with whatever its verdicts depend on."""
        ...

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document, with an answer for each of the question's periods in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its question, its document, its judge, the reason, and the scores where the judge gives any.

    `scores` are those of `relevant` and of each period in turn, the higher the likelier a yes.

    >>> Judgement("q1", "d1", Verdict(True, (True, False)), "me", "it tells both dates").verdict.gaps
    0
    """

    query: str
    document: str
    verdict: Verdict
    judge: str
    reason: str = ""
    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.scores and len(self.scores) != 1 + len(self.verdict.covers):
            wanted = 1 + len(self.verdict.covers)
            pair = f"question {self.query!r} and document {self.document!r}"
            raise EpochalError(f"the judgement of {pair} has {len(self.scores)} scores; accepted: none or {wanted}")


@runtime_checkable
class ExplainingJudge(Judge, Protocol):
    """A judge that says why.

    >>> from epochal.bench.judges.spans import SpanJudge
    >>> isinstance(SpanJudge(), ExplainingJudge)
    True
    """

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict of `judge`, with its reason."""
        ...


def gap(query: BenchQuery) -> Verdict:
    """The verdict of a judge that could not be heard: every answer is missing.

    >>> gap(BenchQuery("q1", "Who won?")).gaps
    1
    """
    return Verdict(None, (None,) * len(query.periods))
