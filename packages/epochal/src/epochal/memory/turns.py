"""A turn of a conversation: how it is stored as a document, and when what it tells of happened.

A turn has two times. `said` is when it was said, the date of publication of its document. When it happened is stated in
its words ("yesterday", read against `said`), or was given with `happened`, the validity of its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import quote

from epochal.errors import EpochalError
from epochal.memory.stated import read_ranges
from epochal.reading.expression import TimeExpr
from epochal.storage.importers.fields import span_value
from epochal.storage.records import Document
from epochal.storage.text import units
from epochal.times.axis import Grain
from epochal.times.span import Span

#: Whether something happened at a time, is planned for it, or did not happen.
HappeningStatus = Literal["happened", "planned", "negated"]

#: Metadata of a turn's document; all of them are texts.
USER: Final = "user"
SESSION: Final = "session"
ABOUT: Final = "about"
SOURCE: Final = "source"
CORRECTS: Final = "corrects"
#: Where anything else is kept that was given with a turn; it is not searched.
EXTRA: Final = "extra"
#: A number that grows with each turn: in a sharded store rows do not follow the order of storing.
ORDER: Final = "order"
#: The `source` of facts that a language model read from other turns; `extra["turns"]` has the ids of these.
FACTS: Final = "facts"
_FIELDS: Final = (SESSION, ABOUT, SOURCE, CORRECTS)

#: Where a clause ends; a time belongs to the words of its clause.
_CLAUSE_END: Final = re.compile(r"[,;:–—]|\s-\s|\b(?:but|although|though|because|while|whereas)\b", re.IGNORECASE)
#: What denies that something happened. "Not only" and "can't wait" deny nothing.
_NEGATION: Final = re.compile(
    r"\b(?:(?:did|do|does|was|were|have|has|had|could|would|is|are|am)(?:n['’]?t| not)\b(?! only)"
    r"|never\b|cancel(?:l?ed|s)?\b|missed\b|skipped\b|without\b|no longer\b)",
    re.IGNORECASE,
)
#: What announces: of a time that is not over, it says that something is still to come.
_PLAN: Final = re.compile(
    r"\b(?:will\b|['’]ll\b|going to\b|gonna\b|plan(?:s|ning|ned)?\b|hop(?:e|es|ing) to\b|intend(?:s|ing)?\b"
    r"|about to\b|looking forward\b|can['’]?t wait\b|want to\b|thinking (?:of|about)\b|scheduled\b|upcoming\b"
    r"|later (?:this|today)\b)",
    re.IGNORECASE,
)
_WITHIN_A_DAY: Final = frozenset(("part of day", "clock"))


@dataclass(frozen=True, slots=True)
class Happening:
    """A time that a turn states at `text[start_char:end_char]`, and whether it happened then.

    A time that was given with the turn, and that no words state, has the range 0 to 0.
    """

    span: Span
    text: str
    start_char: int
    end_char: int
    status: HappeningStatus = "happened"

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"time": self.span.edtf(), "text": self.text, "status": self.status}


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said and is remembered.

    >>> Turn("t1", "I moved last week.", Span.parse("2023-06-09"), speaker="Ana").happenings[0].span.edtf()
    '2023-W22'
    """

    id: str
    text: str
    said: Span
    speaker: str = ""
    session: str = ""
    about: str = ""
    source: str = ""
    corrects: str = ""
    happened: Span | None = None
    user: str = ""
    #: Anything else that belongs to the turn, as JSON can hold it; it is not searched.
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def happenings(self) -> tuple[Happening, ...]:
        """The times at which what it tells of happened: the one that was given, else those that its words state."""
        if self.happened is not None:
            status: HappeningStatus = "planned" if self.happened.start >= self.said.end else "happened"
            return (Happening(self.happened, "", 0, 0, status),)
        return read_happenings(self.text, self.said)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, and as `Memory.export` writes it, without the parts that it lacks."""
        row: dict[str, Any] = {"id": self.id, "text": self.text, "at": span_value(self.said)}
        for name in ("speaker", *_FIELDS):
            if value := getattr(self, name):
                row[name] = value
        if self.happened is not None:
            row["happened"] = span_value(self.happened)
        if self.extra:
            row[EXTRA] = dict(self.extra)
        return row

    def to_document(self, order: int) -> Document:
        """The document that a turn is stored as; the speaker is its title, and so a name of it."""
        meta: dict[str, Any] = {
            USER: self.user,
            ORDER: order,
            **{name: value for name in _FIELDS if (value := getattr(self, name))},
        }
        if self.extra:
            meta[EXTRA] = dict(self.extra)
        id = make_document_id(self.user, self.id)
        return Document(id, self.text, self.speaker, published=self.said, valid=self.happened, meta=meta)

    @classmethod
    def from_document(cls, document: Document) -> Turn:
        """The turn that a document holds."""
        if document.published is None or USER not in document.meta:
            raise EpochalError(f"the document {document.id!r} is no turn of a memory")
        fields = {name: str(document.meta.get(name, "")) for name in (*_FIELDS, USER)}
        extra = document.meta.get(EXTRA, {})
        id = document.id[len(make_document_id(fields[USER], "")) :]
        return cls(
            id, document.text, document.published, document.title, happened=document.valid, extra=extra, **fields
        )


def make_document_id(user: str, id: str) -> str:
    """The id of the document of a turn: users may give the same ids.

    >>> make_document_id("ana/1", "t1")
    'ana%2F1/t1'
    """
    return f"{_quote_user(user)}/{id}"


@lru_cache(maxsize=256)
def _quote_user(user: str) -> str:
    return quote(user, safe="")


def check_texts(fields: Mapping[str, object]) -> None:
    """Refuse values of a turn that are no texts."""
    for name, value in fields.items():
        if not isinstance(value, str):
            raise EpochalError(f"{name} must be a text, but is {value!r}")


def read_happenings(text: str, said: Span) -> tuple[Happening, ...]:
    """The times that a turn states, each with whether it happened then; hours count as their days.

    >>> read_happenings("I didn't go yesterday.", Span.parse("2023-06-09"))[0].to_dict()
    {'time': '2023-06-08', 'text': 'yesterday', 'status': 'negated'}
    >>> read_happenings("We're going camping next month!", Span.parse("2023-05-25"))[0].status
    'planned'
    >>> read_happenings("I've been playing for four months now.", Span.parse("2023-12-06"))[0].span.edtf()
    '2023-08/..'
    """
    ranges = read_ranges(text, said)
    clauses = list(_find_clauses(text)) if ranges else []
    found = []
    for item in ranges:
        span = _take_day(item.span) if any(_states_day(part) for part in item.parts) else None
        if span is not None:
            status = _read_status(_get_clause(text, clauses, item.start_char), span, said)
            words = text[item.start_char : item.end_char]
            found.append(Happening(span, words, item.start_char, item.end_char, status))
    return tuple(found)


def _states_day(part: TimeExpr) -> bool:
    """Whether an expression says on which day or days: "now", "recently", "a sunset" and "at 5 pm" do not."""
    if part.span is None:  # a duration that counts from when it was said
        return True
    return not part.value.endswith("_REF") and not (part.stated and _WITHIN_A_DAY.issuperset(part.stated))


def _take_day(span: Span) -> Span | None:
    """The span, or its day where it is a part of one: "last night" and "at noon" are days to remember."""
    if span.grain >= Grain.DAY:
        return span
    if span.is_open or span.end - span.start > 86_400:
        return None
    return Span.unit(span.start, Grain.DAY)


def _find_clauses(text: str) -> Iterable[tuple[int, int]]:
    for start, end in units(text):
        position = start
        for mark in _CLAUSE_END.finditer(text, start, end):
            yield position, mark.start()
            position = mark.start()
        yield position, end


def _get_clause(text: str, clauses: Iterable[tuple[int, int]], position: int) -> str:
    return next((text[start:end] for start, end in clauses if start <= position < end), text)


def _read_status(clause: str, span: Span, said: Span) -> HappeningStatus:
    if span.start >= said.end:
        return "planned"
    if _PLAN.search(clause) and span.end > said.end:
        return "planned"
    return "negated" if _NEGATION.search(clause) else "happened"
