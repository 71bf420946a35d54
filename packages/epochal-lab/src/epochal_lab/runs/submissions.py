"""Submissions: a run with a card that says what made it and what it knew, checked before it enters a table.

A submission is a folder with `run.trec` and `card.json`:

    system        its name in tables
    set, split    what the run answers; the split is test unless given
    information   what it used, of `INFORMATION`
    trained_on    the sets that it was trained or tuned on, [] for none
    url, contact, notes   optional texts
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.storage.importers.beir import RunRow, ranked, read_run, write_run
from epochal_lab.datasets.records import BenchSet
from epochal_lab.metrics.evaluation import average, evaluate, parse_measures
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.score import System, collect_run
from epochal_lab.runs.tasks import Result, Task
from epochal_lab.systems.engine import RunSystem

#: What a system may know beside the question, and what that means.
INFORMATION: Final[Mapping[str, str]] = {
    "text": "the texts and titles of documents",
    "publication date": "when documents were published",
    "validity": "when documents are valid, and which are versions of one another",
    "order of records": "the order of the corpus, as of the records of a chronicle",
    "record type": "which documents are records and which are commentary",
    "reference time": "when the question is asked",
    "language model": "replies of a language model",
    "trained on this set": "weights or constants were fitted to questions of the same set",
}
RUN_FILE: Final = "run.trec"
CARD_FILE: Final = "card.json"
MEASURES: Final = "nDCG@10 hit@1 R@100"
#: What `epochal bench run` measures of every set.
PLACED_MEASURES: Final = "nDCG@10 hit@1 hit@5 hit@10 R@10 R@100 MRR@10"
#: The most documents per question that a run may have.
DEEPEST: Final = 1000


@dataclass(frozen=True, slots=True)
class Card:
    """What made a run, and what it knew."""

    system: str
    set: str
    information: tuple[str, ...]
    trained_on: tuple[str, ...]
    split: str = "test"
    url: str = ""
    contact: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for name in ("system", "set", "split"):
            if not str(getattr(self, name)).strip():
                raise EpochalError(f"the card has no {name!r}; accepted: a text")
        unknown = [item for item in self.information if item not in INFORMATION]
        if unknown or not self.information:
            shown = unknown[0] if unknown else "empty"
            raise EpochalError(f"the card's 'information' is {shown!r}; accepted: {', '.join(INFORMATION)}")
        if "trained on this set" in self.information and not self.trained_on:
            raise EpochalError("the card says 'trained on this set', and 'trained_on' is empty; name the set there")

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Card:
        """A card from JSON values."""
        known = {"system", "set", "information", "trained_on", "split", "url", "contact", "notes"}
        for name in ("system", "set", "information", "trained_on"):
            if name not in record:
                raise EpochalError(f"the card has no {name!r}; accepted: {', '.join(sorted(known))}")
        for name, value in record.items():
            if name not in known:
                raise EpochalError(f"the card has {name!r}; accepted: {', '.join(sorted(known))}")
            is_list = name in ("information", "trained_on")
            if is_list and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
                raise EpochalError(f"the card's {name!r} is {value!r}; accepted: a list of texts")
            if not is_list and not isinstance(value, str):
                raise EpochalError(f"the card's {name!r} is {value!r}; accepted: a text")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
        }
        return cls(**values)


def read_card(folder: str | os.PathLike[str]) -> Card:
    """The card of a submission."""
    path = Path(folder) / CARD_FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(str(path), 0, f"is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise InputError(str(path), 0, "is no card; accepted: a JSON object")
    try:
        return Card.from_dict(record)
    except EpochalError as error:
        raise InputError(str(path), 0, str(error)) from None


def write_submission(folder: str | os.PathLike[str], system: System, bench_set: BenchSet, card: Card) -> Path:
    """Let a system answer a set, and write its run and its card; the folder.

    A system is what `epochal_lab.runs.score.score` takes: a function (question, k, now), an object with `invoke`, an
    index, or the path of a TREC run.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    run = collect_run(system, bench_set, 100)
    rows = (row for query, scores in run.items() for row in ranked(query, _sort_scores(scores), "submission"))
    write_run(place / RUN_FILE, rows)
    with write_atomically(place / CARD_FILE) as file:
        file.write(json.dumps(asdict(card), indent=2, ensure_ascii=False).encode() + b"\n")
    return place


def place_submission(
    folder: str | os.PathLike[str], out: str | os.PathLike[str], task: Task, bench_set: BenchSet
) -> Result:
    """Measure the run of a submission as a task, into the folder of `epochal bench run`; its result there."""
    system = RunSystem(str(Path(folder) / RUN_FILE))
    return Runner(Path(out), parse_measures(PLACED_MEASURES)).run(task, bench_set, system)


def _sort_scores(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: -item[1])


@dataclass(frozen=True, slots=True)
class SubmissionReport:
    """What is wrong with a submission, what is merely worth knowing, and what it reaches if nothing is wrong."""

    card: Card
    problems: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    questions: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; a row of the leaderboard where there are no problems."""
        return {**asdict(self.card), "problems": list(self.problems), "remarks": list(self.remarks),
                "measures": dict(self.measures), "questions": self.questions}  # fmt: skip


def check_submission(folder: str | os.PathLike[str], bench_set: BenchSet) -> SubmissionReport:
    """Check the run of a submission against the questions and documents of its set, and measure it."""
    card, rows = read_card(folder), read_run(Path(folder) / RUN_FILE)
    problems = [*_check_questions(rows, bench_set), *_check_rows(rows, {item.id for item in bench_set.documents})]
    if problems:
        return SubmissionReport(card, tuple(problems))
    silent = [query.id for query in bench_set.queries if query.id not in rows]
    remarks = [f"{len(silent):,} questions have no document, and count 0; the first: {silent[0]!r}"] if silent else []
    run = {
        query.id: {row.document: row.score for row in rows.get(query.id, ()) if row.document not in query.excluded}
        for query in bench_set.queries
    }
    judgements = bench_set.judgements(times=lambda document: ())
    evaluation = evaluate(run, judgements, parse_measures(MEASURES))
    measures = {
        str(outcome.measure): round(average(outcome.values.values()).mean, 6) for outcome in evaluation.outcomes
    }
    return SubmissionReport(card, (), tuple(remarks), measures, len(bench_set.queries))


def _check_questions(rows: Mapping[str, Sequence[RunRow]], bench_set: BenchSet) -> list[str]:
    known = {query.id for query in bench_set.queries}
    unknown = [id for id in rows if id not in known]
    problems = []
    if unknown:
        problems.append(f"{len(unknown):,} questions are not of the set; the first: {unknown[0]!r}")
    if not known & rows.keys():
        example = bench_set.queries[0].id if bench_set.queries else ""
        problems.append(f"no question of the set is answered; its ids are such as {example!r}")
    return problems


def _check_rows(rows: Mapping[str, Sequence[RunRow]], documents: set[str]) -> list[str]:
    problems = []
    for query, found in rows.items():
        ids = [row.document for row in found]
        unknown = next((id for id in ids if id not in documents), None)
        if unknown is not None:
            problems.append(f"question {query!r}: document {unknown!r} is not in the set")
        if len(set(ids)) < len(ids):
            problems.append(f"question {query!r}: a document occurs twice")
        if not all(math.isfinite(row.score) for row in found):
            problems.append(f"question {query!r}: a score is not a finite number")
        if len(found) > DEEPEST:
            problems.append(f"question {query!r}: {len(found):,} documents; accepted: {DEEPEST:,} at most")
        if len(problems) >= 10:
            problems.append("more problems are not listed")
            break
    return problems
