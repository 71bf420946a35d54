"""Judging many documents at once: in threads, in a fixed order, with gaps counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from epochal.bench.judges.base import ExplainingJudge, Judge, Judgement, gap
from epochal.bench.judges.files import verdicts_of
from epochal.bench.metrics.base import Run, Verdict
from epochal.bench.records import BenchQuery
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.llm.chat import LlmError

__all__ = ["Judged", "judge_pairs", "judge_run"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said, in the order in which it was asked, and the questions that ask nothing of time.

    >>> from epochal.bench.judges.spans import SpanJudge
    >>> asked = BenchQuery("q1", "What is a Merkle tree?"), Document("d1", "A tree of hashes.")
    >>> judge_pairs(SpanJudge(), [asked]).atemporal
    ('q1',)
    """

    judgements: tuple[Judgement, ...]
    atemporal: tuple[str, ...] = ()

    @property
    def verdicts(self) -> dict[str, dict[str, Verdict]]:
        """By question and document, as measures take them; questions without time are not in it.

        >>> Judged((Judgement("q1", "d1", Verdict(True), "me"),)).verdicts["q1"]["d1"].relevant
        True
        """
        return verdicts_of(self.judgements)

    @property
    def gaps(self) -> int:
        """How many judgements lack an answer that was asked for.

        >>> Judged((Judgement("q1", "d1", Verdict(), "me"),)).gaps
        1
        """
        return sum(item.verdict.gaps > 0 for item in self.judgements)


def judge_pairs(judge: Judge, pairs: Iterable[tuple[BenchQuery, Document]], *, workers: int = 1) -> Judged:
    """Have a judge judge documents for questions, at most so many at once; the outcome does not depend on how many.

    A judge that raises `LlmError` leaves a gap with the reason; any other error is one.

    >>> from epochal.bench.judges.spans import SpanJudge
    >>> asked = BenchQuery("q1", "Who won the peace prize in 1998?")
    >>> documents = [Document("d1", "Ann won the peace prize in 1998."), Document("d2", "Bob won it in 1931.")]
    >>> found = judge_pairs(SpanJudge(), [(asked, document) for document in documents], workers=2)
    >>> [(item.document, item.verdict.relevant) for item in found.judgements], found.gaps
    ([('d1', True), ('d2', False)], 0)
    """
    if workers < 1:
        raise EpochalError(f"workers is {workers}; accepted: 1 or more")
    found: list[Judgement] = []
    atemporal: dict[str, None] = {}
    for query, judgement in _asked(judge, pairs, workers):
        if judgement is None:
            atemporal[query] = None
        else:
            found.append(judgement)
    return Judged(tuple(found), tuple(atemporal))


def judge_run(
    judge: Judge,
    run: Run,
    queries: Iterable[BenchQuery],
    documents: Mapping[str, Document],
    *,
    k: int = 10,
    workers: int = 1,
) -> Judged:
    """Have the first k documents of each question's ranking judged; of equal scores the one that stands first.

    >>> from epochal.bench.judges.spans import SpanJudge
    >>> asked = BenchQuery("q1", "Who won in 1998?", excluded=("d2",))
    >>> texts = {"d1": Document("d1", "Ann won in 1998."), "d2": Document("d2", "Bob won in 1998.")}
    >>> [item.document for item in judge_run(SpanJudge(), {"q1": {"d1": 0.5, "d2": 0.9}}, [asked], texts).judgements]
    ['d1']
    """
    if k < 1:
        raise EpochalError(f"k is {k}; accepted: 1 or more")
    pairs = []
    for query in queries:
        scores = {name: score for name, score in run.get(query.id, {}).items() if name not in query.excluded}
        for name in sorted(scores, key=lambda name: -scores[name])[:k]:
            if name not in documents:
                raise EpochalError(f"the run has document {name!r} for question {query.id!r}, which is not in the set")
            pairs.append((query, documents[name]))
    return judge_pairs(judge, pairs, workers=workers)


def _asked(
    judge: Judge, pairs: Iterable[tuple[BenchQuery, Document]], workers: int
) -> Iterator[tuple[str, Judgement | None]]:
    if workers == 1:
        for query, document in pairs:
            yield query.id, _one(judge, query, document)
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
        waiting: list[tuple[str, Future[Judgement | None]]] = [
            (query.id, pool.submit(_one, judge, query, document)) for query, document in pairs
        ]
        try:
            for query_id, future in waiting:
                yield query_id, future.result()
        finally:
            # After an error, or an interruption, what was not begun is not begun.
            for _, future in waiting:
                future.cancel()


def _one(judge: Judge, query: BenchQuery, document: Document) -> Judgement | None:
    try:
        if isinstance(judge, ExplainingJudge):
            return judge.explain(query, document)
        verdict = judge.judge(query, document)
    except LlmError as error:
        return Judgement(query.id, document.id, gap(query), judge.name, f"no verdict: {error}")
    return None if verdict is None else Judgement(query.id, document.id, verdict, judge.name)
