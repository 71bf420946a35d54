"""The interface of a judge, judging many documents at once, and judgements in files.

A judge decides whether a document helps with the temporal part of a question. Files are JSON Lines, one judgement each:

    query, document   their ids
    relevant          true, false, or null for a missing verdict
    covers            the same for each period of the question, in their order
    judge, reason     who judged, and why
    scores            optional: a number for `relevant`, then one for each period
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.llm.chat import LlmError
from epochal.storage.importers.rows import Meter, json_rows
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.runs import Run, Verdict


@runtime_checkable
class Judge(Protocol):
    """A judge. An atemporal question has no verdict: None. A failure is a missing answer in a verdict, never a no.

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
        """The judge, with everything that its verdicts depend on."""
        ...

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document, with an answer for each period of the question in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its question, its document, its judge, the reason, and scores if the judge gives any.

    `scores` are those of `relevant` and of each period in turn; higher means more likely yes.
    """

    query: str
    document: str
    verdict: Verdict
    judge: str
    reason: str = ""
    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.scores and len(self.scores) != 1 + len(self.verdict.covers):
            count = 1 + len(self.verdict.covers)
            pair = f"question {self.query!r} and document {self.document!r}"
            raise EpochalError(f"the judgement of {pair} has {len(self.scores)} scores; accepted: none or {count}")


@runtime_checkable
class ExplainingJudge(Judge, Protocol):
    """A judge that gives reasons."""

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict of `judge`, with its reason."""
        ...


def make_missing_verdict(query: BenchQuery) -> Verdict:
    """The verdict of a judge that failed: every answer is missing."""
    return Verdict(None, (None,) * len(query.periods))


def write_judgements(path: str | os.PathLike[str], judgements: Iterable[Judgement]) -> int:
    """Write judgements in their order; returns their number. Equal judgements give equal bytes.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judged.jsonl"
    >>> write_judgements(path, [Judgement("q1", "d1", Verdict(True, (None,)), "me", "so it says")])
    1
    >>> path.read_text()
    '{"query": "q1", "document": "d1", "relevant": true, "covers": [null], "judge": "me", "reason": "so it says"}\\n'
    """
    count = 0
    with write_atomically(path) as file:
        for item in judgements:
            file.write(json.dumps(_to_record(item), ensure_ascii=False, allow_nan=False).encode() + b"\n")
            count += 1
    return count


def read_judgements(path: str | os.PathLike[str]) -> tuple[Judgement, ...]:
    """The judgements of a file. A line that is none is an error that names it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judged.jsonl"
    >>> judgements = (Judgement("q1", "d1", Verdict(False), "me", scores=(0.25,)),)
    >>> _ = write_judgements(path, judgements)
    >>> read_judgements(path) == judgements
    True
    """
    name = os.fspath(path)
    judgements = []
    for row in json_rows(Path(path), name, Meter(0)):
        if row.problem is not None:
            raise InputError(name, row.line, row.problem)
        try:
            judgements.append(_read_judgement(row.values))
        except EpochalError as error:
            raise InputError(name, row.line, str(error)) from None
    return tuple(judgements)


def group_verdicts(judgements: Iterable[Judgement]) -> dict[str, dict[str, Verdict]]:
    """The verdicts by question and document, the input of measures."""
    verdicts: dict[str, dict[str, Verdict]] = {}
    for item in judgements:
        verdicts.setdefault(item.query, {})[item.document] = item.verdict
    return verdicts


def _to_record(item: Judgement) -> dict[str, Any]:
    record: dict[str, Any] = {"query": item.query, "document": item.document, "relevant": item.verdict.relevant}
    record |= {"covers": list(item.verdict.covers), "judge": item.judge, "reason": item.reason}
    return record | {"scores": list(item.scores)} if item.scores else record


def _read_judgement(values: dict[str, Any]) -> Judgement:
    query, document = values.get("query"), values.get("document")
    if not isinstance(query, str) or not isinstance(document, str):
        raise EpochalError("the row names no question or no document; accepted: texts under 'query' and 'document'")
    if "relevant" not in values:
        raise EpochalError("the row has no 'relevant'; accepted: true, false or null")
    covers = values.get("covers", [])
    if not isinstance(covers, list):
        raise EpochalError(f"'covers' is {covers!r}; accepted: a list of true, false and null")
    scores = values.get("scores", [])
    if not isinstance(scores, list) or not all(_is_number(score) for score in scores):
        raise EpochalError(f"'scores' is {scores!r}; accepted: a list of numbers")
    for key in ("judge", "reason"):
        if not isinstance(values.get(key, ""), str):
            raise EpochalError(f"{key!r} is {values[key]!r}; accepted: a text")
    verdict = Verdict(_read_answer(values["relevant"]), tuple(_read_answer(value) for value in covers))
    judge, reason = values.get("judge", ""), values.get("reason", "")
    return Judgement(query, document, verdict, judge, reason, tuple(float(score) for score in scores))


def _read_answer(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise EpochalError(f"an answer is {value!r}; accepted: true, false or null")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """Judgements in the order of the pairs, and the atemporal questions, which have none."""

    judgements: tuple[Judgement, ...]
    atemporal: tuple[str, ...] = ()

    @property
    def verdicts(self) -> dict[str, dict[str, Verdict]]:
        """By question and document, the input of measures; atemporal questions are not in it."""
        return group_verdicts(self.judgements)

    @property
    def gaps(self) -> int:
        """The number of judgements with a missing answer."""
        return sum(item.verdict.gaps > 0 for item in self.judgements)


def judge_pairs(
    judge: Judge,
    pairs: Iterable[tuple[BenchQuery, Document]],
    *,
    workers: int = 1,
    report_progress: Callable[[int, int], object] | None = None,
) -> JudgeResult:
    """Judge pairs of a question and a document in `workers` threads, on which the result does not depend.

    An `LlmError` of the judge becomes a missing verdict with the reason; any other error is raised. `report_progress`
    is called with the number of pairs judged, and of all.

    >>> from epochal_lab.judges.spans import SpanJudge
    >>> query = BenchQuery("q1", "Who won the peace prize in 1998?")
    >>> documents = [Document("d1", "Ann won the peace prize in 1998."), Document("d2", "Bob won it in 1931.")]
    >>> result = judge_pairs(SpanJudge(), [(query, document) for document in documents], workers=2)
    >>> [(item.document, item.verdict.relevant) for item in result.judgements], result.gaps
    ([('d1', True), ('d2', False)], 0)
    """
    if workers < 1:
        raise EpochalError(f"workers is {workers}; accepted: 1 or more")
    judgements: list[Judgement] = []
    atemporal: dict[str, None] = {}
    listed = list(pairs)
    for done, (query, judgement) in enumerate(_judge_each(judge, listed, workers), 1):
        if report_progress is not None:
            report_progress(done, len(listed))
        if judgement is None:
            atemporal[query] = None
        else:
            judgements.append(judgement)
    return JudgeResult(tuple(judgements), tuple(atemporal))


def judge_run(
    judge: Judge,
    run: Run,
    queries: Iterable[BenchQuery],
    documents: Mapping[str, Document],
    *,
    k: int = 10,
    workers: int = 1,
    report_progress: Callable[[int, int], object] | None = None,
) -> JudgeResult:
    """Judge the first k documents of each question's ranking; ties keep their order.

    >>> from epochal_lab.judges.spans import SpanJudge
    >>> query = BenchQuery("q1", "Who won in 1998?", excluded=("d2",))
    >>> texts = {"d1": Document("d1", "Ann won in 1998."), "d2": Document("d2", "Bob won in 1998.")}
    >>> [item.document for item in judge_run(SpanJudge(), {"q1": {"d1": 0.5, "d2": 0.9}}, [query], texts).judgements]
    ['d1']
    """
    pairs = list_pairs(run, queries, documents, k)
    return judge_pairs(judge, pairs, workers=workers, report_progress=report_progress)


def list_pairs(
    run: Run, queries: Iterable[BenchQuery], documents: Mapping[str, Document], k: int
) -> list[tuple[BenchQuery, Document]]:
    """The pairs of a question and a document that `judge_run` judges, question by question and best first."""
    if k < 1:
        raise EpochalError(f"k is {k}; accepted: 1 or more")
    pairs = []
    for query in queries:
        scores = {name: score for name, score in run.get(query.id, {}).items() if name not in query.excluded}
        for name in sorted(scores, key=lambda name: -scores[name])[:k]:
            if name not in documents:
                raise EpochalError(f"the run has document {name!r} for question {query.id!r}, which is not in the set")
            pairs.append((query, documents[name]))
    return pairs


def _judge_each(
    judge: Judge, pairs: Iterable[tuple[BenchQuery, Document]], workers: int
) -> Iterator[tuple[str, Judgement | None]]:
    if workers == 1:
        for query, document in pairs:
            yield query.id, _judge_one(judge, query, document)
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
        futures: list[tuple[str, Future[Judgement | None]]] = [
            (query.id, pool.submit(_judge_one, judge, query, document)) for query, document in pairs
        ]
        try:
            for query_id, future in futures:
                yield query_id, future.result()
        finally:
            # After an error or an interruption, nothing more is started.
            for _, future in futures:
                future.cancel()


def _judge_one(judge: Judge, query: BenchQuery, document: Document) -> Judgement | None:
    try:
        if isinstance(judge, ExplainingJudge):
            return judge.explain(query, document)
        verdict = judge.judge(query, document)
    except LlmError as error:
        return Judgement(query.id, document.id, make_missing_verdict(query), judge.name, f"no verdict: {error}")
    return None if verdict is None else Judgement(query.id, document.id, verdict, judge.name)
