"""Answer the questions of a set from a context, grade the answers, and write the results and their table.

A question without a usable reply of the writer or the grader is unanswered: it is counted, and enters no mean. Calls
can run in parallel; results have the order of the questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError
from epochal.files import write_atomically
from epochal.llm.chat import LlmError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.rag.contexts import Grader, RagContext, Writer, get_references, select_covering


@dataclass(frozen=True, slots=True)
class AnsweredQuery:
    """The result of a question: its documents, the answer, its measures, or the `problem`.

    `withheld` says that the context had documents, and none was passed on because they do not cover the periods.
    """

    query: str
    documents: tuple[str, ...]
    withheld: bool
    answer: str
    values: Mapping[str, float]
    problem: str = ""

    @property
    def is_gap(self) -> bool:
        """Whether it has no measures."""
        return bool(self.problem)


@dataclass(frozen=True, slots=True)
class RagResult:
    """The result of a writer on a set from a context."""

    set: str
    protocol: str
    context: str
    writer: str
    grader: str
    answered: tuple[AnsweredQuery, ...]
    unmeasured: int = 0
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def gaps(self) -> int:
        """The number of questions without a usable reply."""
        return sum(item.is_gap for item in self.answered)

    @property
    def passed(self) -> int:
        """The number of questions answered from documents."""
        return sum(bool(item.documents) for item in self.answered)

    def mean(self, measure: str, *, passed_only: bool = False) -> float | None:
        """The mean of a measure over the questions with a usable reply; None if there is none."""
        values = [
            item.values[measure]
            for item in self.answered
            if not item.is_gap and measure in item.values and (item.documents or not passed_only)
        ]
        return math.fsum(values) / len(values) if values else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def answer_all(
    bench_set: BenchSet,
    context: RagContext,
    documents: Mapping[str, Document],
    writer: Writer,
    grader: Grader,
    *,
    protocol: str = "",
    workers: int = 1,
    report_progress: Callable[[int, int], None] | None = None,
    facts: Mapping[str, str] | None = None,
) -> RagResult:
    """Answer the questions of a set from a context, and grade the answers.

    Questions without a reference answer are left out and counted. `documents` has those that the context names.
    """
    if workers < 1:
        raise EpochalError(f"workers is {workers}; accepted: 1 or more")
    queries = [query for query in bench_set.queries if get_references(query)]
    if not queries:
        accepted = "questions with gold_answers, answers or answer among their annotations"
        raise EpochalError(f"no question of {bench_set.id!r} has an answer to compare with; accepted: {accepted}")

    def answer(query: BenchQuery) -> AnsweredQuery:
        return _answer_one(query, [documents[id] for id in context.get_ids(query.id)], context.abstains, writer, grader)

    answered: list[AnsweredQuery] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="rag") as pool:
        for item in pool.map(answer, queries):
            answered.append(item)
            if report_progress is not None:
                report_progress(len(answered), len(queries))
    return RagResult(
        bench_set.id,
        protocol,
        context.name,
        writer.name,
        grader.name,
        tuple(answered),
        len(bench_set.queries) - len(queries),
        dict(facts or {}),
    )


def _answer_one(
    query: BenchQuery, documents: Sequence[Document], abstains: bool, writer: Writer, grader: Grader
) -> AnsweredQuery:
    passed = select_covering(query, documents) if abstains else tuple(documents)
    ids = tuple(document.id for document in passed)
    withheld = bool(documents) and not passed
    answer = ""
    try:
        answer = writer.write(query, passed)
        return AnsweredQuery(query.id, ids, withheld, answer, grader.grade(query, answer))
    except LlmError as error:
        return AnsweredQuery(query.id, ids, withheld, answer, {}, str(error))


def write_rag_result(path: Path, result: RagResult) -> None:
    """Write a result as a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(json.dumps(result.to_dict(), indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def format_rag_table(results: Sequence[RagResult], measures: Sequence[str]) -> str:
    """A Markdown table with a row per set and context, and the mean over sets if there are several.

    "From evidence" is the mean over the questions that were answered from documents.
    """
    heads = ["set", "context", "questions", "gaps", "from documents", "withheld"]
    heads += [f"{name}{more}" for name in measures for more in ("", " from evidence")]
    lines = [_format_line(heads), "|" + "---|" * len(heads)]
    for result in results:
        counts = [len(result.answered), result.gaps, result.passed, sum(item.withheld for item in result.answered)]
        lines.append(_format_line([result.set, result.context, *map(str, counts), *_format_means([result], measures)]))
    contexts = dict.fromkeys(result.context for result in results)
    if len({result.set for result in results}) > 1:
        for context in contexts:
            same = [result for result in results if result.context == context]
            counts = [sum(len(item.answered) for item in same), sum(item.gaps for item in same)]
            counts += [sum(item.passed for item in same), sum(one.withheld for item in same for one in item.answered)]
            lines.append(
                _format_line([f"mean of {len(same)} sets", context, *map(str, counts), *_format_means(same, measures)])
            )
    return "\n".join(lines)


def _format_means(results: Sequence[RagResult], measures: Sequence[str]) -> list[str]:
    """The mean of each measure over sets, of all questions and of those answered from documents."""
    cells = []
    for name in measures:
        for passed_only in (False, True):
            means = [item.mean(name, passed_only=passed_only) for item in results]
            values = [value for value in means if value is not None]
            cells.append(f"{math.fsum(values) / len(values):.1f}" if values else "–")
    return cells


def _format_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
