"""Training rows (a passage, questions that it answers, questions that it does not), their files and their counts.

Three forms are read, distinguished by their keys, one object a line, plain or gzipped; the first is the one written:

    ours       {"id", "passage", "temporal": [...], "positives": [...], "negatives": [...]}, a question being
               {"text", "temporal": [...], "type", "relation"}
    published  {"query_id", "query", "temporal", "positive_passages", "negative_passages"}: the passage is under
               "query", and a question is {"docid", "text", "temporal", "temporal_query_type", "allen_relation"}
    triples    {"question", "positive_ctxs", "negative_ctxs"}: the passage is under "question", and a question is
               {"text"} alone; its type and its relation stay empty
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.storage.importers.rows import Meter, json_rows
from epochal.times.interval import Allen

EXPLICIT: Final = "Explicit"
IMPLICIT: Final = "Implicit"
TEMPORAL_ANSWER: Final = "TemporalAnswer"
#: A question states a time, names an event that has one, or asks for a time.
QUESTION_TYPES: Final = (EXPLICIT, IMPLICIT, TEMPORAL_ANSWER)
#: The relation of a question that states no time.
EMPTY: Final = "Empty"
#: Allen's relations as training rows write them, of a question's time to the passage's; and the one for no time.
RELATIONS: Final = (
    "Before",
    "After",
    "Meets",
    "MetBy",
    "Overlaps",
    "OverlappedBy",
    "Starts",
    "StartedBy",
    "During",
    "Contains",
    "Finishes",
    "FinishedBy",
    "Equals",
    EMPTY,
)


_NAMES: Final = {relation: relation.label.title().replace("_", "") for relation in Allen}


def relation_name(relation: Allen) -> str:
    """A relation of the time algebra as training rows write it."""
    return _NAMES[relation]


@dataclass(frozen=True, slots=True)
class TemporalQuestion:
    """A question, the time expressions in it word for word, its type, and how its time lies to the passage's.

    `type` and `relation` are empty where they are unknown. `anchor` is the expression of the passage that the relation
    is to, said only where the passage has several.
    """

    text: str
    temporal: tuple[str, ...] = ()
    type: str = ""
    relation: str = ""
    anchor: str = ""

    def __post_init__(self) -> None:
        if self.type not in ("", *QUESTION_TYPES):
            raise EpochalError(f"the type of a question is {self.type!r}; accepted: {', '.join(QUESTION_TYPES)}")
        if self.relation not in ("", *RELATIONS):
            raise EpochalError(f"the relation of a question is {self.relation!r}; accepted: {', '.join(RELATIONS)}")


@dataclass(frozen=True, slots=True)
class TemporalRow:
    """A passage, the time expressions in it word for word, the questions that it answers, and those that it does not.

    >>> TemporalRow("p1", "Ann left in 1998.", ("1998",), (TemporalQuestion("Who left in 1998?"),)).negatives
    ()
    """

    id: str
    passage: str
    temporal: tuple[str, ...] = ()
    positives: tuple[TemporalQuestion, ...] = ()
    negatives: tuple[TemporalQuestion, ...] = ()

    @property
    def questions(self) -> tuple[TemporalQuestion, ...]:
        """All questions, those that the passage answers first.

        >>> TemporalRow("p1", "Rain.", (), (TemporalQuestion("Sun?"),), (TemporalQuestion("Snow?"),)).questions[1].text
        'Snow?'
        """
        return self.positives + self.negatives


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Form:
    """The names of one of the three forms; an empty one is a part that the form does not have."""

    passage: str
    id: str
    temporal: str
    positives: str
    negatives: str
    type: str
    relation: str


_OURS: Final = _Form("passage", "id", "temporal", "positives", "negatives", "type", "relation")
_FORMS: Final = (
    _OURS,
    _Form(
        "query",
        "query_id",
        "temporal",
        "positive_passages",
        "negative_passages",
        "temporal_query_type",
        "allen_relation",
    ),
    _Form("question", "", "", "positive_ctxs", "negative_ctxs", "", ""),
)
_ACCEPTED: Final = "; ".join(f"{form.passage} with {form.positives} and {form.negatives}" for form in _FORMS)


def read_rows(path: str | os.PathLike[str]) -> Iterator[TemporalRow]:
    """The rows of a file in any of the three forms, plain or gzipped.

    A row without an id has its line for one. An id that comes again is an error, for rows are distinguished by it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> _ = path.write_text('{"question": "Ann left.", "positive_ctxs": [{"text": "Who left?"}], "negative_ctxs": []}')
    >>> next(read_rows(path)).positives[0].text
    'Who left?'
    """
    place = Path(path)
    seen: dict[str, int] = {}
    for row in json_rows(place, str(place), Meter(0)):
        if row.problem is not None:
            raise InputError(row.file, row.line, row.problem)
        try:
            parsed = parse_row(row.values, str(row.line))
        except EpochalError as error:
            raise InputError(row.file, row.line, str(error)) from None
        if parsed.id in seen:
            problem = f"the id {parsed.id!r} is that of line {seen[parsed.id]} already; accepted: each id once"
            raise InputError(row.file, row.line, problem)
        seen[parsed.id] = row.line
        yield parsed


def parse_row(values: Mapping[str, Any], id: str = "") -> TemporalRow:
    """The row that an object in any of the three forms is; `id` replaces one that is missing."""
    form = next((form for form in _FORMS if form.passage in values and form.positives in values), None)
    if form is None:
        names = ", ".join(map(repr, values)) or "none"
        raise EpochalError(f"the row has the names {names}; accepted: {_ACCEPTED}")
    passage = values[form.passage]
    if not isinstance(passage, str) or not passage.strip():
        raise EpochalError(f"{form.passage!r} is {_format_value(passage)}; accepted: the text of a passage")
    row_id = values.get(form.id, id) if form.id else id
    if not isinstance(row_id, (str, int)) or isinstance(row_id, bool):
        raise EpochalError(f"{form.id!r} is {_format_value(row_id)}; accepted: a text or a whole number")
    return TemporalRow(
        str(row_id),
        passage,
        _parse_texts(values.get(form.temporal, ()) if form.temporal else (), form.temporal),
        _parse_questions(values[form.positives], form.positives, form),
        _parse_questions(values.get(form.negatives, ()), form.negatives, form),
    )


def _parse_questions(value: Any, name: str, form: _Form) -> tuple[TemporalQuestion, ...]:
    if not isinstance(value, (list, tuple)):
        raise EpochalError(f"{name!r} is {_format_value(value)}; accepted: a list of questions")
    return tuple(_parse_question(item, f"{name}[{number}]", form) for number, item in enumerate(value))


def _parse_question(value: Any, location: str, form: _Form) -> TemporalQuestion:
    if not isinstance(value, Mapping):
        raise EpochalError(f"{location} is {_format_value(value)}; accepted: an object with a text under 'text'")
    text = value.get("text")
    if not isinstance(text, str) or not text.strip():
        raise EpochalError(f"'text' of {location} is {_format_value(text)}; accepted: the text of a question")
    temporal = _parse_texts(value.get("temporal", ()), f"temporal of {location}") if form.temporal else ()
    type = value.get(form.type, "") if form.type else ""
    relation = value.get(form.relation, "") if form.relation else ""
    anchor = value.get("anchor", "") if form is _OURS else ""
    if not all(isinstance(part, str) for part in (type, relation, anchor)):
        raise EpochalError(f"the type, the relation or the anchor of {location} is no text; accepted: texts")
    try:
        return TemporalQuestion(text, temporal, type, relation, anchor)
    except EpochalError as error:
        raise EpochalError(f"{location}: {error}") from None


def _parse_texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise EpochalError(f"{name!r} is {_format_value(value)}; accepted: a list of texts")
    return tuple(value)


def _format_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# ---------------------------------------------------------------- writing


def to_row_values(row: TemporalRow) -> dict[str, Any]:
    """A row as an object in our form; what is not given is left out."""
    return {
        "id": row.id,
        "passage": row.passage,
        "temporal": list(row.temporal),
        "positives": [_question_to_dict(question) for question in row.positives],
        "negatives": [_question_to_dict(question) for question in row.negatives],
    }


def _question_to_dict(question: TemporalQuestion) -> dict[str, Any]:
    optional = {"type": question.type, "relation": question.relation, "anchor": question.anchor}
    fields = {name: value for name, value in optional.items() if value}
    return {"text": question.text, "temporal": list(question.temporal), **fields}


def write_rows(path: str | os.PathLike[str], rows: Iterable[TemporalRow]) -> int:
    """Write rows in our form, and tell how many; the file appears whole or not at all, and `-` is the output."""
    count = 0
    with write_atomically(path) as file:
        for row in rows:
            file.write(f"{json.dumps(to_row_values(row), ensure_ascii=False)}\n".encode())
            count += 1
    return count


@dataclass(frozen=True, slots=True)
class RowStatistics:
    """What rows have, as the tables 7 to 10 of TMRL's paper count it.

    `sources` are the documents that the passages come from: what their ids have before the last "#".
    """

    sources: int
    passages: int
    positives: int
    negatives: int
    types: dict[str, tuple[int, int]]
    relations: dict[str, tuple[int, int]]
    passage_expressions: float
    question_expressions: float
    passage_words: float
    question_words: float
    distinct_questions: int
    specifiers: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON; types and relations have a pair of counts, of positives and of negatives."""
        return {
            "sources": self.sources,
            "passages": self.passages,
            "positives": self.positives,
            "negatives": self.negatives,
            "distinct questions": self.distinct_questions,
            "types": {name: list(pair) for name, pair in self.types.items()},
            "relations": {name: list(pair) for name, pair in self.relations.items()},
            "expressions a passage": round(self.passage_expressions, 3),
            "expressions a question": round(self.question_expressions, 3),
            "words a passage": round(self.passage_words, 2),
            "words a question": round(self.question_words, 2),
            "first words of expressions": dict(self.specifiers),
        }

    def markdown(self) -> str:
        """As tables for a page."""
        head = ("sources", "passages", "positives", "negatives", "distinct questions")
        counts = (self.sources, self.passages, self.positives, self.negatives, self.distinct_questions)
        means = (self.passage_expressions, self.question_expressions, self.passage_words, self.question_words)
        return "\n\n".join(
            (
                _format_table(head, [[f"{count:,}" for count in counts]]),
                _format_table(("type", "positives", "negatives"), _format_pairs(self.types)),
                _format_table(("relation", "positives", "negatives"), _format_pairs(self.relations)),
                _format_table(
                    ("expressions a passage", "expressions a question", "words a passage", "words a question"),
                    [[f"{mean:.2f}" for mean in means]],
                ),
            )
        )


def count_rows(rows: Iterable[TemporalRow]) -> RowStatistics:
    """The counts of rows."""
    rows = list(rows)
    right = [question for row in rows for question in row.positives]
    wrong = [question for row in rows for question in row.negatives]
    both = right + wrong
    return RowStatistics(
        len({row.id.rpartition("#")[0] or row.id for row in rows}),
        len(rows),
        len(right),
        len(wrong),
        _count_pairs(QUESTION_TYPES, [item.type for item in right], [item.type for item in wrong]),
        _count_pairs(RELATIONS, [item.relation for item in right], [item.relation for item in wrong]),
        _average([len(row.temporal) for row in rows]),
        _average([len(item.temporal) for item in both]),
        _average([len(row.passage.split()) for row in rows]),
        _average([len(item.text.split()) for item in both]),
        len({item.text for item in both}),
        dict(_count_first_words(both).most_common()),
    )


def _count_pairs(names: Sequence[str], right: Sequence[str], wrong: Sequence[str]) -> dict[str, tuple[int, int]]:
    one, two = Counter(right), Counter(wrong)
    # What is not given has a line of its own, where there is some.
    rest = [name for name in ("",) if one[name] or two[name]]
    return {name or "not said": (one[name], two[name]) for name in (*names, *rest)}


def _count_first_words(questions: Iterable[TemporalQuestion]) -> Counter[str]:
    """How expressions open: "from", "between", "before", "after", ...; "in" for what has no word that binds it."""
    bound = ("from", "between", "before", "prior", "after", "since", "until", "up", "early", "mid", "late")
    first_words: Counter[str] = Counter()
    for question in questions:
        for text in question.temporal:
            words = text.lower().removeprefix("the ").split()
            first_words[words[0] if words and words[0] in bound else "in"] += 1
    return first_words


def _average(numbers: Sequence[int]) -> float:
    return fmean(numbers) if numbers else 0.0


def _format_pairs(counts: dict[str, tuple[int, int]]) -> list[list[str]]:
    return [[name, f"{right:,}", f"{wrong:,}"] for name, (right, wrong) in counts.items()]


def _format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
