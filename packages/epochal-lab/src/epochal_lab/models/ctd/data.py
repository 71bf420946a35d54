"""Data of CTD: records and questions with their months, the protocol's modes, and sampled training batches.

A BEIR folder has corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv. A record's months come from its metadata's `times`
(EDTF) or from `published`; a question's from its `periods`, or else from its answers. A question has its own split or
that of its judgements, a record that of its metadata. If no record has one, the answers of a question of another split
than train belong to that split, and all other records to train.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.months import MONTHS, Levels, MonthAxis, Months
from epochal.times.span import Span
from epochal_lab.models.training.checkpoint import make_generator

__all__ = [
    "ANSWERS",
    "COMMENT",
    "EMPTY",
    "EVENT",
    "MONTHS",
    "CTDQuestion",
    "CTDRecord",
    "Collection",
    "Levels",
    "MonthAxis",
    "Months",
    "ProtocolMode",
    "SampledRows",
    "Sampler",
    "read_collection",
]


#: Types of records: an event, a placeholder for none, and a later commentary, which is never an answer.
EVENT: Final = "event"
EMPTY: Final = "no_event"
COMMENT: Final = "neg_comment"
ANSWERS: Final = (EVENT, EMPTY)

Ints = npt.NDArray[np.int64]

_FORM = re.compile(r"neg([01])_ne([01])_dq([01])")
#: The distance in months of hard negatives if there are no commentaries.
_NEIGHBOURS = 6


@dataclass(frozen=True, slots=True)
class CTDRecord:
    """A record: its text, its type, the split of its month, and its months if known."""

    id: str
    text: str
    type: str
    split: str
    months: Months | None


@dataclass(frozen=True, slots=True)
class CTDQuestion:
    """A question: its months, the rows of its answers, its family, and whether its months have no event (`gap`)."""

    id: str
    text: str
    split: str
    months: Months
    answers: tuple[int, ...]
    family: str
    gap: bool


@dataclass(frozen=True)
class Collection:
    """Records, questions and the axis of their months."""

    name: str
    axis: MonthAxis
    records: tuple[CTDRecord, ...]
    questions: tuple[CTDQuestion, ...]

    @cached_property
    def first(self) -> Ints:
        """The first month of each record; -1 if unknown."""
        return np.array([-1 if row.months is None else row.months.first for row in self.records], dtype=np.int64)

    @cached_property
    def last(self) -> Ints:
        """The last month of each record; -1 if unknown."""
        return np.array([-1 if row.months is None else row.months.last for row in self.records], dtype=np.int64)

    @property
    def longest_reign(self) -> int:
        """The highest year of a reign among the records, counted from 1."""
        years = self.axis.year_in_reign[self.last[self.last >= 0] // 12]
        return int(years.max()) + 1 if len(years) else max(self.axis.lengths)

    def select_rows(self, split: str, *types: str) -> list[int]:
        """Return the rows of the records of a split, of the given types or of any."""
        return [
            row_index
            for row_index, row in enumerate(self.records)
            if row.split == split and (not types or row.type in types)
        ]

    def select_questions(self, split: str) -> list[CTDQuestion]:
        """Return the questions of a split."""
        return [question for question in self.questions if question.split == split]


def read_collection(folder: Path | str, axis: MonthAxis | None = None) -> Collection:
    """Read a folder. The axis is Lu's if records have keys of its months, else the Gregorian years they span.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "corpus.jsonl").write_text('{"_id": "a", "text": "rain", "published": "1998-03-02"}')
    >>> _ = (place / "queries.jsonl").write_text('{"_id": "q", "text": "rain in March 1998?", "periods": ["1998-03"]}')
    >>> (place / "qrels").mkdir()
    >>> _ = (place / "qrels" / "train.tsv").write_text("query-id\\tcorpus-id\\tscore\\nq\\ta\\t1\\n")
    >>> made = read_collection(place)
    >>> made.questions[0].months, made.records[0].split
    (Months(first=2, last=2), 'train')
    """
    path = Path(folder)
    rows = list(_read_objects(path / "corpus.jsonl"))
    if not rows:
        raise InputError(str(path / "corpus.jsonl"), 0, "holds no record")
    spans = [_read_spans(row, path / "corpus.jsonl", line) for line, row in rows]
    month_axis = axis or _select_axis(rows, spans, path)
    judged = list(_read_answers(path, {_get_text(row, "_id", path / "corpus.jsonl", line) for line, row in rows}))
    undivided = not any((row.get("metadata") or {}).get("split") for _, row in rows)
    held_out = {document: split for _, document, split in judged if split != "train"}
    records = []
    for (_, row), own in zip(rows, spans, strict=True):
        meta = row.get("metadata") or {}
        name = str(row["_id"])
        records.append(
            CTDRecord(
                name,
                " ".join(part for part in (str(row.get("title") or ""), str(row.get("text") or "")) if part),
                str(meta.get("type") or EVENT),
                held_out.get(name, "train") if undivided else str(meta.get("split") or ""),
                month_axis.place(own) if own else None,
            )
        )
    return Collection(path.name, month_axis, tuple(records), tuple(_read_questions(path, month_axis, records, judged)))


def _read_answers(folder: Path, ids: Set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each question, a record that answers it, and the split of the judgement file."""
    files = sorted((folder / "qrels").glob("*.tsv"))
    if not files:
        raise InputError(str(folder / "qrels"), 0, "holds no .tsv; accepted: train.tsv, val.tsv and test.tsv")
    for path in files:
        for line, (query, document, score) in _read_judgements(path):
            if document not in ids:
                raise InputError(str(path), line, f"the record {document!r} is not in corpus.jsonl")
            if score > 0:
                yield query, document, path.stem


def _read_questions(
    folder: Path, axis: MonthAxis, records: list[CTDRecord], judged: list[tuple[str, str, str]]
) -> Iterator[CTDQuestion]:
    rows = {record.id: row_number for row_number, record in enumerate(records)}
    answers: dict[str, list[int]] = {}
    splits: dict[str, str] = {}
    for query, document, split in judged:
        answers.setdefault(query, []).append(rows[document])
        splits[query] = split
    file = folder / "queries.jsonl"
    for line, row in _read_objects(file):
        name = _get_text(row, "_id", file, line)
        right = answers.get(name)
        if not right:
            continue
        notes = row.get("annotations") or {}
        spans = [Span.parse(text) for text in row.get("periods") or ()]
        if spans:
            months = axis.place(spans)
        else:
            months_found = [own for row_number in right if (own := records[row_number].months) is not None]
            if not months_found:
                continue
            months = Months(min(own.first for own in months_found), max(own.last for own in months_found))
        gap = bool(notes.get("gap", all(records[row_number].type == EMPTY for row_number in right)))
        family = str(notes.get("family") or ("point" if months.length == 1 else "window"))
        split_name = str(row.get("split") or splits[name])
        yield CTDQuestion(name, _get_text(row, "text", file, line), split_name, months, tuple(right), family, gap)


def _select_axis(rows: list[tuple[int, dict[str, Any]]], spans: list[list[Span]], folder: Path) -> MonthAxis:
    lu = MonthAxis.lu()
    keyed = [own for (_, row), own in zip(rows, spans, strict=True) if (row.get("metadata") or {}).get("key")]
    if len(keyed) == len(rows) and all(lu.holds(span) for own in spans for span in own):
        return lu
    years = [year for own in spans for span in own for year in (span.first_year, span.last_year) if year is not None]
    if not years:
        raise EpochalError(f"no record of {folder} has a time; accepted: `published`, or `times` in metadata")
    return MonthAxis.gregorian(min(years), max(years))


def _read_spans(row: Mapping[str, Any], file: Path, line: int) -> list[Span]:
    stated = (row.get("metadata") or {}).get("times") or ([row["published"]] if row.get("published") else [])
    try:
        return [Span.of(text) for text in stated]
    except EpochalError as error:
        raise InputError(str(file), line, f"has a time that cannot be read: {error}") from error


def _read_objects(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InputError(str(file), number, f"is no JSON: {error}") from error
                if not isinstance(row, dict):
                    raise InputError(str(file), number, f"is a {type(row).__name__}; accepted: an object")
                yield number, row
    except OSError as error:
        raise InputError(str(file), 0, f"cannot be read: {error.strerror}") from error


def _read_judgements(file: Path) -> Iterator[tuple[int, tuple[str, str, float]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split("\t")
        if (number == 1 and parts[0] == "query-id") or not line.strip():
            continue
        try:
            query, document, score = parts
            yield number, (query, document, float(score))
        except ValueError as error:
            raise InputError(
                str(file), number, f"{line!r} is no judgement; accepted: question, record, score"
            ) from error


def _get_text(row: Mapping[str, Any], name: str, file: Path, line: int) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(str(file), line, f"has no {name!r}; accepted: a text")
    return value


@dataclass(frozen=True, slots=True)
class ProtocolMode:
    """A mode of ChunQiuTR's protocol. `neg`: commentaries are searched; `ne`: placeholders are; `dq`: only questions
    with events.

    The paper's headline is neg1_ne1_dq0, which placeholders win; neg1_ne0_dq1 measures whether events are found.
    """

    neg: bool
    ne: bool
    dq: bool

    def __post_init__(self) -> None:
        if not self.ne and not self.dq:
            raise EpochalError(f"the mode {self} asks for placeholders that it leaves out; accepted: ne0 with dq1")

    @classmethod
    def parse(cls, text: str) -> ProtocolMode:
        """Parse a mode such as "neg1_ne0_dq1"."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise EpochalError(f"{text!r} is no mode of the protocol; accepted: negA_neB_dqC with 0 or 1 each")
        neg, ne, dq = (part == "1" for part in match.groups())
        return cls(neg, ne, dq)

    def __str__(self) -> str:
        return f"neg{self.neg:d}_ne{self.ne:d}_dq{self.dq:d}"

    def includes(self, kind: str) -> bool:
        """Return whether records of a type are searched."""
        return (self.neg or kind != COMMENT) and (self.ne or kind != EMPTY)

    def select_gallery(self, collection: Collection) -> list[int]:
        """Return the rows of the searched records, of all splits."""
        return [number for number, record in enumerate(collection.records) if self.includes(record.type)]

    def select_questions(self, collection: Collection, split: str) -> list[CTDQuestion]:
        """Return the questions of a split that have an answer among the searched records."""
        return [
            question
            for question in collection.select_questions(split)
            if not (self.dq and question.gap)
            and any(self.includes(collection.records[row].type) for row in question.answers)
        ]


@dataclass(frozen=True, slots=True)
class SampledRows:
    """The rows of one batch: questions, one positive record each, and hard negatives (grouped by question)."""

    questions: Ints
    positives: Ints
    negatives: Ints


class Sampler:
    """Samples batches for the questions of a split: one answer per question and epoch, and hard negatives from its
    pool.

    A pool has the commentaries on the question's months, and then random ones. Without commentaries, hard negatives are
    answers of the months next before and after. Nothing is sampled from other splits.
    """

    def __init__(self, collection: Collection, split: str, pool: int, seed: int) -> None:
        self.seed = seed
        self.questions = [
            number
            for number, question in enumerate(collection.questions)
            if question.split == split and self._list_answers(collection, question, split)
        ]
        if not self.questions:
            raise EpochalError(f"{collection.name} has no question of the split {split!r} with an answer in that split")
        self._positives = {
            number: np.array(self._list_answers(collection, collection.questions[number], split))
            for number in self.questions
        }
        self._pools = _build_pools(collection, split, self.questions, pool, seed)

    def count_batches(self, size: int) -> int:
        """Return the number of batches per epoch: an incomplete last one is dropped."""
        return len(self.questions) // size

    def batches(self, epoch: int, size: int, negatives: int) -> list[SampledRows]:
        """Sample the batches of an epoch, the same for the same seed and epoch."""
        if self.count_batches(size) == 0:
            raise EpochalError(f"a batch of {size} questions is more than the {len(self.questions)} there are")
        draw = make_generator(self.seed, epoch)
        order = draw.permutation(np.array(self.questions))
        batches = []
        for start in range(0, self.count_batches(size) * size, size):
            rows = order[start : start + size]
            right = np.array([draw.choice(self._positives[int(number)]) for number in rows])
            wrong = [
                draw.choice(pool, negatives, replace=len(pool) < negatives)
                for number in rows
                if negatives and len(pool := self._pools[int(number)])
            ]
            batches.append(SampledRows(rows, right, np.concatenate(wrong) if wrong else np.zeros(0, np.int64)))
        return batches

    @staticmethod
    def _list_answers(collection: Collection, question: CTDQuestion, split: str) -> list[int]:
        return [row for row in question.answers if collection.records[row].split == split]


def _build_pools(collection: Collection, split: str, questions: list[int], size: int, seed: int) -> dict[int, Ints]:
    comments = np.array(collection.select_rows(split, COMMENT), dtype=np.int64)
    candidates = comments if len(comments) else np.array(collection.select_rows(split, *ANSWERS), dtype=np.int64)
    candidates = candidates[collection.first[candidates] >= 0]
    candidates = candidates[np.argsort(collection.first[candidates], kind="stable")]
    first = collection.first[candidates]
    draw = make_generator(seed, 1 << 20)
    margin = 0 if len(comments) else _NEIGHBOURS
    pools = {}
    for number in questions:
        question = collection.questions[number]
        low = np.searchsorted(first, question.months.first - margin, side="left")
        high = np.searchsorted(first, question.months.last + margin, side="right")
        near = candidates[low:high]
        if not len(comments):
            right = (collection.first[near] <= question.months.last) & (collection.last[near] >= question.months.first)
            near = np.setdiff1d(near[~right], question.answers)
        if len(near) > size:
            near = draw.choice(near, size, replace=False)
        elif len(near) < size and len(comments):
            others = draw.choice(candidates, min(size - len(near), len(candidates)), replace=False)
            near = np.unique(np.concatenate([near, others]))
        pools[number] = near.astype(np.int64)
    return pools
