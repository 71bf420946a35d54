"""The axis of months that models are trained on, which is the one that their reading of time is searched by.

Records and questions with their months, from a BEIR folder: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.

A record's months are those of its metadata's `times` (EDTF), or of `published`; a question's those of its `periods`, or
else of the records that answer it. A question's split is its own or that of its judgements, a record's that of its
metadata. Where no record has one, what answers a question of another split than train is of that split, and the rest is
of train.

Mode: which records are searched and which questions are asked, by the three switches of ChunQiuTR's protocol.

What a question is trained with: one of its answers, drawn anew each epoch, and hard negatives from its own pool.

The pool begins with the commentaries on the months asked for and goes on with others drawn at random. Where a folder
has no commentaries, hard negatives are answers of the months next before and after. Nothing is ever drawn from a split
that is not trained on.
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


#: Types of records: what happened, that nothing did, and what was said of it later and is never an answer.
EVENT: Final = "event"
EMPTY: Final = "no_event"
COMMENT: Final = "neg_comment"
ANSWERS: Final = (EVENT, EMPTY)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CTDRecord:
    """One record: its text, its type, the split of its month, and its months where they are known."""

    id: str
    text: str
    type: str
    split: str
    months: Months | None


@dataclass(frozen=True, slots=True)
class CTDQuestion:
    """One question: the months it asks for, the rows of the records that answer it, its family, and whether none
    tells.
    """

    id: str
    text: str
    split: str
    months: Months
    answers: tuple[int, ...]
    family: str
    gap: bool


@dataclass(frozen=True)
class Collection:
    """Records, questions and the axis that their months lie on."""

    name: str
    axis: MonthAxis
    records: tuple[CTDRecord, ...]
    questions: tuple[CTDQuestion, ...]

    @cached_property
    def first(self) -> Ints:
        """The first month of each record; -1 where it is not known."""
        return np.array([-1 if row.months is None else row.months.first for row in self.records], dtype=np.int64)

    @cached_property
    def last(self) -> Ints:
        """The last month of each record; -1 where it is not known."""
        return np.array([-1 if row.months is None else row.months.last for row in self.records], dtype=np.int64)

    @property
    def longest_reign(self) -> int:
        """The highest year of a reign that a record has, counted from 1."""
        years = self.axis.year_in_reign[self.last[self.last >= 0] // 12]
        return int(years.max()) + 1 if len(years) else max(self.axis.lengths)

    def rows(self, split: str, *types: str) -> list[int]:
        """The rows of the records of a split, of any type unless types are given."""
        return [
            number for number, row in enumerate(self.records) if row.split == split and (not types or row.type in types)
        ]

    def asked(self, split: str) -> list[CTDQuestion]:
        """The questions of a split."""
        return [question for question in self.questions if question.split == split]


def read_collection(folder: Path | str, axis: MonthAxis | None = None) -> Collection:
    """What a folder holds. The axis is Lu's where records have keys of its months, else the Gregorian years they span.

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
    place = Path(folder)
    rows = list(_read_objects(place / "corpus.jsonl"))
    if not rows:
        raise InputError(str(place / "corpus.jsonl"), 0, "holds no record")
    spans = [_read_spans(row, place / "corpus.jsonl", line) for line, row in rows]
    chosen = axis or _select_axis(rows, spans, place)
    judged = list(_read_answers(place, {_get_text(row, "_id", place / "corpus.jsonl", line) for line, row in rows}))
    undivided = not any((row.get("metadata") or {}).get("split") for _, row in rows)
    held = {document: split for _, document, split in judged if split != "train"}
    records = []
    for (_, row), found in zip(rows, spans, strict=True):
        meta = row.get("metadata") or {}
        name = str(row["_id"])
        records.append(
            CTDRecord(
                name,
                " ".join(part for part in (str(row.get("title") or ""), str(row.get("text") or "")) if part),
                str(meta.get("type") or EVENT),
                held.get(name, "train") if undivided else str(meta.get("split") or ""),
                chosen.place(found) if found else None,
            )
        )
    return Collection(place.name, chosen, tuple(records), tuple(_read_questions(place, chosen, records, judged)))


def _read_answers(place: Path, known: Set[str]) -> Iterator[tuple[str, str, str]]:
    """Each question, a record that answers it, and the split of the file that says so."""
    files = sorted((place / "qrels").glob("*.tsv"))
    if not files:
        raise InputError(str(place / "qrels"), 0, "holds no .tsv; accepted: train.tsv, val.tsv and test.tsv")
    for path in files:
        for line, (query, document, score) in _read_judgements(path):
            if document not in known:
                raise InputError(str(path), line, f"the record {document!r} is not in corpus.jsonl")
            if score > 0:
                yield query, document, path.stem


def _read_questions(
    place: Path, axis: MonthAxis, records: list[CTDRecord], judged: list[tuple[str, str, str]]
) -> Iterator[CTDQuestion]:
    rows = {record.id: number for number, record in enumerate(records)}
    answers: dict[str, list[int]] = {}
    splits: dict[str, str] = {}
    for query, document, split in judged:
        answers.setdefault(query, []).append(rows[document])
        splits[query] = split
    file = place / "queries.jsonl"
    for line, row in _read_objects(file):
        name = _get_text(row, "_id", file, line)
        right = answers.get(name)
        if not right:
            continue
        told = row.get("annotations") or {}
        spans = [Span.parse(text) for text in row.get("periods") or ()]
        if spans:
            months = axis.place(spans)
        else:
            known = [found for number in right if (found := records[number].months) is not None]
            if not known:
                continue
            months = Months(min(found.first for found in known), max(found.last for found in known))
        gap = bool(told.get("gap", all(records[number].type == EMPTY for number in right)))
        family = str(told.get("family") or ("point" if months.length == 1 else "window"))
        asked = str(row.get("split") or splits[name])
        yield CTDQuestion(name, _get_text(row, "text", file, line), asked, months, tuple(right), family, gap)


def _select_axis(rows: list[tuple[int, dict[str, Any]]], spans: list[list[Span]], place: Path) -> MonthAxis:
    lu = MonthAxis.lu()
    keyed = [found for (_, row), found in zip(rows, spans, strict=True) if (row.get("metadata") or {}).get("key")]
    if len(keyed) == len(rows) and all(lu.holds(span) for found in spans for span in found):
        return lu
    years = [
        year for found in spans for span in found for year in (span.first_year, span.last_year) if year is not None
    ]
    if not years:
        raise EpochalError(f"no record of {place} has a time; accepted: `published`, or `times` in metadata")
    return MonthAxis.gregorian(min(years), max(years))


def _read_spans(row: Mapping[str, Any], file: Path, line: int) -> list[Span]:
    told = (row.get("metadata") or {}).get("times") or ([row["published"]] if row.get("published") else [])
    try:
        return [Span.of(text) for text in told]
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


_FORM = re.compile(r"neg([01])_ne([01])_dq([01])")


@dataclass(frozen=True, slots=True)
class ProtocolMode:
    """`neg`: commentaries are searched too; `ne`: placeholders are; `dq`: only what events answer is asked.

    The headline of the paper is neg1_ne1_dq0, which is won by placeholders; neg1_ne0_dq1 says whether events are found.
    """

    neg: bool
    ne: bool
    dq: bool

    def __post_init__(self) -> None:
        if not self.ne and not self.dq:
            raise EpochalError(f"the mode {self} asks for placeholders that it leaves out; accepted: ne0 with dq1")

    @classmethod
    def parse(cls, text: str) -> ProtocolMode:
        """A mode from how it is written."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise EpochalError(f"{text!r} is no mode of the protocol; accepted: negA_neB_dqC with 0 or 1 each")
        neg, ne, dq = (part == "1" for part in found.groups())
        return cls(neg, ne, dq)

    def __str__(self) -> str:
        return f"neg{self.neg:d}_ne{self.ne:d}_dq{self.dq:d}"

    def keeps(self, kind: str) -> bool:
        """Whether records of a type are searched."""
        return (self.neg or kind != COMMENT) and (self.ne or kind != EMPTY)

    def gallery(self, collection: Collection) -> list[int]:
        """The rows of the records that are searched: those of all splits."""
        return [number for number, record in enumerate(collection.records) if self.keeps(record.type)]

    def questions(self, collection: Collection, split: str) -> list[CTDQuestion]:
        """The questions of a split that are asked: those that have an answer among what is searched."""
        return [
            question
            for question in collection.asked(split)
            if not (self.dq and question.gap)
            and any(self.keeps(collection.records[row].type) for row in question.answers)
        ]


#: How far the months lie that hard negatives come from where there are no commentaries.
_NEIGHBOURS = 6


@dataclass(frozen=True, slots=True)
class SampledRows:
    """Rows for one batch: questions, a positive record each, and hard negatives (several a question, in their order)"""

    questions: Ints
    positives: Ints
    negatives: Ints


class Sampler:
    """Draws batches for the questions of a split."""

    def __init__(self, collection: Collection, split: str, pool: int, seed: int) -> None:
        self.seed = seed
        self.questions = [
            number
            for number, question in enumerate(collection.questions)
            if question.split == split and self._answers(collection, question, split)
        ]
        if not self.questions:
            raise EpochalError(f"{collection.name} has no question of the split {split!r} with an answer in that split")
        self._positives = {
            number: np.array(self._answers(collection, collection.questions[number], split))
            for number in self.questions
        }
        self._pools = _build_pools(collection, split, self.questions, pool, seed)

    @property
    def has_negatives(self) -> bool:
        """Whether there are hard negatives at all."""
        return any(len(pool) for pool in self._pools.values())

    def count(self, size: int) -> int:
        """How many batches an epoch has: the last is dropped unless it is full."""
        return len(self.questions) // size

    def batches(self, epoch: int, size: int, negatives: int) -> list[SampledRows]:
        """The batches of an epoch, the same for the same seed and epoch."""
        if self.count(size) == 0:
            raise EpochalError(f"a batch of {size} questions is more than the {len(self.questions)} there are")
        draw = make_generator(self.seed, epoch)
        order = draw.permutation(np.array(self.questions))
        made = []
        for start in range(0, self.count(size) * size, size):
            chosen = order[start : start + size]
            right = np.array([draw.choice(self._positives[int(number)]) for number in chosen])
            wrong = [
                draw.choice(pool, negatives, replace=len(pool) < negatives)
                for number in chosen
                if negatives and len(pool := self._pools[int(number)])
            ]
            made.append(SampledRows(chosen, right, np.concatenate(wrong) if wrong else np.zeros(0, np.int64)))
        return made

    @staticmethod
    def _answers(collection: Collection, question: CTDQuestion, split: str) -> list[int]:
        return [row for row in question.answers if collection.records[row].split == split]


def _build_pools(collection: Collection, split: str, questions: list[int], size: int, seed: int) -> dict[int, Ints]:
    comments = np.array(collection.rows(split, COMMENT), dtype=np.int64)
    candidates = comments if len(comments) else np.array(collection.rows(split, *ANSWERS), dtype=np.int64)
    candidates = candidates[collection.first[candidates] >= 0]
    candidates = candidates[np.argsort(collection.first[candidates], kind="stable")]
    first = collection.first[candidates]
    draw = make_generator(seed, 1 << 20)
    reach = 0 if len(comments) else _NEIGHBOURS
    pools = {}
    for number in questions:
        asked = collection.questions[number]
        low = np.searchsorted(first, asked.months.first - reach, side="left")
        high = np.searchsorted(first, asked.months.last + reach, side="right")
        near = candidates[low:high]
        if not len(comments):
            right = (collection.first[near] <= asked.months.last) & (collection.last[near] >= asked.months.first)
            near = np.setdiff1d(near[~right], asked.answers)
        if len(near) > size:
            near = draw.choice(near, size, replace=False)
        elif len(near) < size and len(comments):
            others = draw.choice(candidates, min(size - len(near), len(candidates)), replace=False)
            near = np.unique(np.concatenate([near, others]))
        pools[number] = near.astype(np.int64)
    return pools
