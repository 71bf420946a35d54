"""Training rows: a passage, the questions that it answers, and questions that it does not answer. Needs no torch.

Three forms are read, told apart by their names, one object a line, plain or gzipped; the first is the one written:

    ours       {"id", "passage", "temporal": [...], "positives": [...], "negatives": [...]}, a question being
               {"text", "temporal": [...], "type", "relation"}
    published  {"query_id", "query", "temporal", "positive_passages", "negative_passages"}: the passage stands under
               "query", and a question is {"docid", "text", "temporal", "temporal_query_type", "allen_relation"}
    triples    {"question", "positive_ctxs", "negative_ctxs"}: the passage stands under "question", and a question is
               {"text"} alone; its type and its relation stay empty
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.index.inputs.jsonl import json_rows
from epochal.index.inputs.rows import Meter
from epochal.times import Allen

__all__ = [
    "EMPTY",
    "EXPLICIT",
    "IMPLICIT",
    "QUESTION_TYPES",
    "RELATIONS",
    "TEMPORAL_ANSWER",
    "TemporalQuestion",
    "TemporalRow",
    "read_rows",
    "relation_name",
    "row_of",
    "row_values",
    "write_rows",
]

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
    """A relation of the time algebra as training rows write it.

    >>> relation_name(Allen.OVERLAPPED_BY)
    'OverlappedBy'
    """
    return _NAMES[relation]


@dataclass(frozen=True, slots=True)
class TemporalQuestion:
    """A question, the time expressions in it word for word, its type, and how its time lies to the passage's.

    `type` and `relation` are empty where nobody said them. `anchor` is the expression of the passage that the relation
    is to, said only where the passage has several.

    >>> TemporalQuestion("Who left in 1998?", ("1998",), EXPLICIT, "Equals").relation
    'Equals'
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

    A row without an id has its line for one. An id that comes again is an error, for rows are told apart by it.

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
            found = row_of(row.values, str(row.line))
        except EpochalError as error:
            raise InputError(row.file, row.line, str(error)) from None
        if found.id in seen:
            problem = f"the id {found.id!r} is that of line {seen[found.id]} already; accepted: each id once"
            raise InputError(row.file, row.line, problem)
        seen[found.id] = row.line
        yield found


def row_of(values: Mapping[str, Any], id: str = "") -> TemporalRow:
    """The row that an object in any of the three forms is; `id` stands in for one that is missing.

    >>> row_of({"query_id": 3, "query": "Ann left.", "positive_passages": [], "negative_passages": []}).id
    '3'
    >>> row_of({"text": "Ann left."})
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the row has the names 'text'; accepted: passage with positives and negatives; query
    with positive_passages and negative_passages; question with positive_ctxs and negative_ctxs
    """
    form = next((form for form in _FORMS if form.passage in values and form.positives in values), None)
    if form is None:
        names = ", ".join(map(repr, values)) or "none"
        raise EpochalError(f"the row has the names {names}; accepted: {_ACCEPTED}")
    passage = values[form.passage]
    if not isinstance(passage, str) or not passage.strip():
        raise EpochalError(f"{form.passage!r} is {_shown(passage)}; accepted: the text of a passage")
    given = values.get(form.id, id) if form.id else id
    if not isinstance(given, (str, int)) or isinstance(given, bool):
        raise EpochalError(f"{form.id!r} is {_shown(given)}; accepted: a text or a whole number")
    return TemporalRow(
        str(given),
        passage,
        _texts(values.get(form.temporal, ()) if form.temporal else (), form.temporal),
        _questions(values[form.positives], form.positives, form),
        _questions(values.get(form.negatives, ()), form.negatives, form),
    )


def _questions(value: Any, name: str, form: _Form) -> tuple[TemporalQuestion, ...]:
    if not isinstance(value, (list, tuple)):
        raise EpochalError(f"{name!r} is {_shown(value)}; accepted: a list of questions")
    return tuple(_question(item, f"{name}[{number}]", form) for number, item in enumerate(value))


def _question(value: Any, place: str, form: _Form) -> TemporalQuestion:
    if not isinstance(value, Mapping):
        raise EpochalError(f"{place} is {_shown(value)}; accepted: an object with a text under 'text'")
    text = value.get("text")
    if not isinstance(text, str) or not text.strip():
        raise EpochalError(f"'text' of {place} is {_shown(text)}; accepted: the text of a question")
    temporal = _texts(value.get("temporal", ()), f"temporal of {place}") if form.temporal else ()
    type = value.get(form.type, "") if form.type else ""
    relation = value.get(form.relation, "") if form.relation else ""
    anchor = value.get("anchor", "") if form is _OURS else ""
    if not all(isinstance(said, str) for said in (type, relation, anchor)):
        raise EpochalError(f"the type, the relation or the anchor of {place} is no text; accepted: texts")
    try:
        return TemporalQuestion(text, temporal, type, relation, anchor)
    except EpochalError as error:
        raise EpochalError(f"{place}: {error}") from None


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise EpochalError(f"{name!r} is {_shown(value)}; accepted: a list of texts")
    return tuple(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# ---------------------------------------------------------------- writing


def row_values(row: TemporalRow) -> dict[str, Any]:
    """A row as an object in our form; what nobody said is left out.

    >>> row_values(TemporalRow("p1", "Rain.", (), (TemporalQuestion("Sun?"),)))["positives"]
    [{'text': 'Sun?', 'temporal': []}]
    """
    return {
        "id": row.id,
        "passage": row.passage,
        "temporal": list(row.temporal),
        "positives": [_question_values(question) for question in row.positives],
        "negatives": [_question_values(question) for question in row.negatives],
    }


def _question_values(question: TemporalQuestion) -> dict[str, Any]:
    said = {"type": question.type, "relation": question.relation, "anchor": question.anchor}
    told = {name: value for name, value in said.items() if value}
    return {"text": question.text, "temporal": list(question.temporal), **told}


def write_rows(path: str | os.PathLike[str], rows: Iterable[TemporalRow]) -> int:
    """Write rows in our form, and tell how many; the file appears whole or not at all, and `-` is the output.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> write_rows(path, [TemporalRow("p1", "Rain.")]), [row.passage for row in read_rows(path)]
    (1, ['Rain.'])
    """
    count = 0
    with write_atomically(path) as file:
        for row in rows:
            file.write(f"{json.dumps(row_values(row), ensure_ascii=False)}\n".encode())
            count += 1
    return count
