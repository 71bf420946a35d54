"""Judge: whoever says of a document whether it helps with what a question asks of time.

Judgements in a file: JSON Lines, one judgement a line, to be kept, shared and compared.

query, document   their ids
relevant          true, false, or null for a gap
covers            the same for each period of the question, in their order
judge, reason     who said so, and why
scores            optional: a number for `relevant`, then one for each period

Judging many documents at once: in threads, in a fixed order, with gaps counted.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
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

__all__ = [
    "ExplainingJudge",
    "Judge",
    "Judged",
    "Judgement",
    "gap",
    "judge_pairs",
    "judge_run",
    "read_judgements",
    "verdicts_of",
    "write_judgements",
]


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
    """A judge that says why."""

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict of `judge`, with its reason."""
        ...


def gap(query: BenchQuery) -> Verdict:
    """The verdict of a judge that could not be heard: every answer is missing."""
    return Verdict(None, (None,) * len(query.periods))


def write_judgements(path: str | os.PathLike[str], judgements: Iterable[Judgement]) -> int:
    """Write judgements in their order; how many they are. Equal judgements give equal bytes.

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
            file.write(json.dumps(_record(item), ensure_ascii=False, allow_nan=False).encode() + b"\n")
            count += 1
    return count


def read_judgements(path: str | os.PathLike[str]) -> tuple[Judgement, ...]:
    """The judgements of a file. A line that is none is an error that names it: a judgement is never guessed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judged.jsonl"
    >>> kept = (Judgement("q1", "d1", Verdict(False), "me", scores=(0.25,)),)
    >>> _ = write_judgements(path, kept)
    >>> read_judgements(path) == kept
    True
    """
    place, name = Path(path), os.fspath(path)
    found = []
    for row in json_rows(place, name, Meter(0)):
        if row.problem is not None:
            raise InputError(name, row.line, row.problem)
        try:
            found.append(_judgement(row.values))
        except EpochalError as error:
            raise InputError(name, row.line, str(error)) from None
    return tuple(found)


def verdicts_of(judgements: Iterable[Judgement]) -> dict[str, dict[str, Verdict]]:
    """The verdicts by question and document, as measures take them."""
    found: dict[str, dict[str, Verdict]] = {}
    for item in judgements:
        found.setdefault(item.query, {})[item.document] = item.verdict
    return found


def _record(item: Judgement) -> dict[str, Any]:
    told: dict[str, Any] = {"query": item.query, "document": item.document, "relevant": item.verdict.relevant}
    told |= {"covers": list(item.verdict.covers), "judge": item.judge, "reason": item.reason}
    return told | {"scores": list(item.scores)} if item.scores else told


def _judgement(values: dict[str, Any]) -> Judgement:
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
    verdict = Verdict(_answer(values["relevant"]), tuple(_answer(value) for value in covers))
    told = values.get("judge", ""), values.get("reason", "")
    return Judgement(query, document, verdict, *told, tuple(float(score) for score in scores))


def _answer(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise EpochalError(f"an answer is {value!r}; accepted: true, false or null")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said, in the order in which it was asked, and the questions that ask nothing of time.

    >>> from epochal_lab.judges.spans import SpanJudge
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

    >>> from epochal_lab.judges.spans import SpanJudge
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

    >>> from epochal_lab.judges.spans import SpanJudge
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
