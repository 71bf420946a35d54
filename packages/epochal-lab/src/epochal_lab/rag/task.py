"""Answering the questions of a set from a context, grading the answers, and keeping what came of it.

A question whose writer or grader gave no usable reply is a gap: it is counted, and no mean takes it in. Calls can run
side by side; the outcome has the order of the questions.

Results of answers as a table: a row a context, with its gaps, what was passed on, and its measures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError
from epochal.files import write_atomically
from epochal.llm.chat import LlmError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.rag.contexts import Context, Grader, Writer, covering, references

__all__ = ["Answered", "RagResult", "answer_all", "rag_table", "read_rag_results", "write_rag_result"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a question: the documents it was answered from, the answer, its measures, or the `problem`.

    `withheld` tells that the context had documents and none was passed on, for they do not cover the required periods.
    """

    query: str
    documents: tuple[str, ...]
    withheld: bool
    answer: str
    values: Mapping[str, float]
    problem: str = ""

    @property
    def is_gap(self) -> bool:
        """Whether there is no measure of it."""
        return bool(self.problem)


@dataclass(frozen=True, slots=True)
class RagResult:
    """What a writer reached on a set from a context."""

    set: str
    protocol: str
    context: str
    writer: str
    grader: str
    answered: tuple[Answered, ...]
    unmeasured: int = 0
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def gaps(self) -> int:
        """How many questions have no usable reply."""
        return sum(item.is_gap for item in self.answered)

    @property
    def passed(self) -> int:
        """How many questions were answered from documents."""
        return sum(bool(item.documents) for item in self.answered)

    def mean(self, measure: str, *, passed_only: bool = False) -> float | None:
        """The mean of a measure over the questions without a gap; None where there is none."""
        found = [
            item.values[measure]
            for item in self.answered
            if not item.is_gap and measure in item.values and (item.documents or not passed_only)
        ]
        return math.fsum(found) / len(found) if found else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, which `from_dict` reads back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> RagResult:
        """The result that `to_dict` wrote."""
        try:
            answered = tuple(Answered(**{**item, "documents": tuple(item["documents"])}) for item in told["answered"])
            return cls(**{**told, "answered": answered})
        except KeyError as error:
            raise EpochalError(f"a result of answers cannot be read: it lacks {error}") from None
        except TypeError as error:
            raise EpochalError(f"a result of answers cannot be read: {error}") from None


def answer_all(
    made: BenchSet,
    context: Context,
    documents: Mapping[str, Document],
    writer: Writer,
    grader: Grader,
    *,
    protocol: str = "",
    workers: int = 1,
    tell: Callable[[int, int], None] | None = None,
    facts: Mapping[str, str] | None = None,
) -> RagResult:
    """Have the questions of a set answered from a context, and the answers graded.

    Questions without a reference answer are left out and counted. `documents` are those that the context names.
    """
    if workers < 1:
        raise EpochalError(f"workers is {workers}; accepted: 1 or more")
    asked = [query for query in made.queries if references(query)]
    if not asked:
        accepted = "questions with gold_answers, answers or answer among their annotations"
        raise EpochalError(f"no question of {made.id!r} has an answer to compare with; accepted: {accepted}")

    def one(query: BenchQuery) -> Answered:
        return _answered(query, [documents[id] for id in context.of(query.id)], context.abstains, writer, grader)

    found: list[Answered] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="rag") as pool:
        for item in pool.map(one, asked):
            found.append(item)
            if tell is not None:
                tell(len(found), len(asked))
    return RagResult(
        made.id,
        protocol,
        context.name,
        writer.name,
        grader.name,
        tuple(found),
        len(made.queries) - len(asked),
        dict(facts or {}),
    )


def _answered(
    query: BenchQuery, documents: Sequence[Document], abstains: bool, writer: Writer, grader: Grader
) -> Answered:
    passed = covering(query, documents) if abstains else tuple(documents)
    ids = tuple(document.id for document in passed)
    withheld = bool(documents) and not passed
    answer = ""
    try:
        answer = writer.write(query, passed)
        return Answered(query.id, ids, withheld, answer, grader.grade(query, answer))
    except LlmError as error:
        return Answered(query.id, ids, withheld, answer, {}, str(error))


def write_rag_result(path: Path, result: RagResult) -> None:
    """Write a result as a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(json.dumps(result.to_dict(), indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def read_rag_results(paths: Iterable[Path]) -> list[RagResult]:
    """The results in files."""
    found = []
    for path in paths:
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise EpochalError(f"{path} is no result of `epochal bench rag`") from None
        found.append(RagResult.from_dict(told))
    return found


def rag_table(results: Sequence[RagResult], measures: Sequence[str]) -> str:
    """The table, in Markdown: a row a set and context, and the mean over sets where there are several.

    "From evidence" is the mean over the questions that were answered from documents: what remains where a context that
    withholds its documents refuses instead.
    """
    heads = ["set", "context", "questions", "gaps", "from documents", "withheld"]
    heads += [f"{name}{more}" for name in measures for more in ("", " from evidence")]
    lines = [_line(heads), "|" + "---|" * len(heads)]
    for result in results:
        counts = [len(result.answered), result.gaps, result.passed, sum(item.withheld for item in result.answered)]
        lines.append(_line([result.set, result.context, *map(str, counts), *_means([result], measures)]))
    contexts = dict.fromkeys(result.context for result in results)
    if len({result.set for result in results}) > 1:
        for context in contexts:
            same = [result for result in results if result.context == context]
            counts = [sum(len(item.answered) for item in same), sum(item.gaps for item in same)]
            counts += [sum(item.passed for item in same), sum(one.withheld for item in same for one in item.answered)]
            lines.append(_line([f"mean of {len(same)} sets", context, *map(str, counts), *_means(same, measures)]))
    return "\n".join(lines)


def _means(results: Sequence[RagResult], measures: Sequence[str]) -> list[str]:
    """The mean of each measure over sets, over all questions and over those answered from documents."""
    cells = []
    for name in measures:
        for passed_only in (False, True):
            found = [item.mean(name, passed_only=passed_only) for item in results]
            known = [value for value in found if value is not None]
            cells.append(f"{math.fsum(known) / len(known):.1f}" if known else "–")
    return cells


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
