"""Hit and Response: the documents of a search, why each was returned, what was applied, and what was left out.

With them, reading a sharded index some of whose shards do not answer: a response names those it did without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar, get_args

from epochal.errors import PartLostError, UnknownNameError
from epochal.reading.questions.question import Understanding, span_to_dict
from epochal.storage.importers.export import build_row
from epochal.storage.protocol import SupportsParts, View
from epochal.storage.records import Document
from epochal.times.span import Span

__all__ = [
    "ESTIMATED_AXIS",
    "OUTCOMES",
    "Applied",
    "Evidence",
    "Hit",
    "Outcome",
    "Response",
    "find_missing_shards",
    "read_with_retry",
    "report_missing_shards",
]


Outcome = Literal["recorded", "none_recorded", "not_covered", "topic_unknown", "no_window"]
#: Of the query windows: something is recorded then; the records cover that time but hold nothing on the topic; the
#: records do not cover that time; nothing is on the topic at any time; there is no window.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: The axis of a time that a scorer has estimated from the words of a text.
ESTIMATED_AXIS: Final = "estimated"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A time that supports a hit: `text` is at `start_char` of the document's text.

    `match` says how well the time matches the query window, `local` how well the words around it match the question.
    `context` is the sentence or line. A date of the document, not read in its text, has no position (-1), and the axis
    "published", "valid" or "title". With the axis "estimated" the span is an estimate from the words, and `match` the
    probability by that estimate that the text is from the query window.

    >>> Evidence(Span.year(1933), "1933", 30, 34, "The Nobel Prize in Literature 1933.", 1.0, 0.8).span.edtf()
    '1933'
    """

    span: Span
    text: str
    start_char: int
    end_char: int
    context: str
    match: float
    local: float
    axis: str = "content"

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Evidence(Span.year(1933), "1933", 0, 4, "1933", 1.0, 0.8).to_dict()["text"]
        '1933'
        """
        return {
            **span_to_dict(self.span),
            "axis": self.axis,
            "text": self.text,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "context": self.context,
            "match": self.match,
            "local": self.local,
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A document of a response: its best passage, its score, the components of the score, and its evidence.

    `parts` sum to `score`. `period` is the required period that it was selected for, where there are several;
    `superseded_by` is the id of the newest version of its series, and `folded` are the ids of the versions and
    near-duplicates that were collapsed into this one. `relevance` is the probability that it answers: that it is on the
    topic, and from the time of the question if that has one; None where the scorer gives none.

    >>> Hit(Document("p1", "Tariffs rise."), 1.5, {"lexical": 1.0, "alignment": 0.5}, "Tariffs rise.").id
    'p1'
    """

    document: Document
    score: float
    parts: Mapping[str, float]
    passage: str
    passage_start: int = 0
    evidence: tuple[Evidence, ...] = ()
    period: Span | None = None
    superseded_by: str | None = None
    folded: tuple[str, ...] = ()
    relevance: float | None = None

    @property
    def id(self) -> str:
        """The document's id.

        >>> Hit(Document("p1", "Tariffs rise."), 1.0, {}, "Tariffs rise.").id
        'p1'
        """
        return self.document.id

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Hit(Document("p1", "Tariffs rise."), 1.0, {}, "Tariffs rise.").to_dict())[:3]
        ['id', 'score', 'parts']
        """
        return {
            "id": self.document.id,
            "score": self.score,
            "parts": dict(self.parts),
            "passage": self.passage,
            "passage_start": self.passage_start,
            "evidence": [item.to_dict() for item in self.evidence],
            "period": None if self.period is None else span_to_dict(self.period),
            "superseded_by": self.superseded_by,
            "folded": list(self.folded),
            "relevance": self.relevance,
            "document": build_row(self.document),
        }


@dataclass(frozen=True, slots=True)
class Applied:
    """Something that a search did, mostly with time: the `name` of the step, and a sentence for people.

    `strict` says whether it could leave documents out; what is not strict only moved them.

    >>> Applied("constraint", "prefers what is about 1998", Span.year(1998)).strict
    False
    """

    name: str
    sentence: str
    span: Span | None = None
    strict: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Applied("as_of", "only documents published by 2019", Span.year(2019), True).to_dict()["strict"]
        True
        """
        return {
            "name": self.name,
            "sentence": self.sentence,
            "strict": self.strict,
            "span": None if self.span is None else span_to_dict(self.span),
        }


@dataclass(frozen=True, slots=True)
class Response:
    """The hits of a search, best first, and what led to them. Iterates over the hits.

    `hidden` counts the documents that were left out, by reason; `timings` are milliseconds by step, empty unless a
    stopwatch was given. `missing` names the shards of an index that did not answer, and were not searched. `total` is
    how many documents among the candidates answer rather than not; `unknown_words` are words that an answer would have
    to have, and no document has.

    >>> empty = Response("nothing", None, (), Understanding("none", "atemporal", "Never"))
    >>> len(empty), empty.outcome
    (0, 'no_window')
    """

    question: str
    now: Span | None
    hits: tuple[Hit, ...]
    understanding: Understanding
    applied: tuple[Applied, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)
    outcome: Outcome = "no_window"
    timings: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    total: int | None = None
    unknown_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise UnknownNameError("outcome", self.outcome, OUTCOMES)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Response("nothing", None, (), Understanding("none", "atemporal", "Never")).to_dict())[:5]
        ['question', 'now', 'outcome', 'total', 'unknown_words']
        """
        return {
            "question": self.question,
            "now": None if self.now is None else self.now.edtf(),
            "outcome": self.outcome,
            "total": self.total,
            "unknown_words": list(self.unknown_words),
            "hits": [hit.to_dict() for hit in self.hits],
            "applied": [item.to_dict() for item in self.applied],
            "hidden": dict(self.hidden),
            "missing": list(self.missing),
            "understanding": self.understanding.to_dict(),
            "timings": dict(self.timings),
        }


T = TypeVar("T")

#: How often a new view is taken when a shard of the last one was lost.
_RETRIES: Final = 4


def find_missing_shards(view: View) -> tuple[str, ...]:
    """The shards that did not answer when a view was taken; none for an index without shards."""
    return view.missing if isinstance(view, SupportsParts) else ()


def report_missing_shards(missing: tuple[str, ...]) -> tuple[Applied, ...]:
    """What a response reports of missing shards."""
    if not missing:
        return ()
    if len(missing) == 1:
        words = f"the shard {missing[0]}, which does not answer: its documents were not searched"
    else:
        words = f"the shards {', '.join(missing)}, which do not answer: their documents were not searched"
    return (Applied("missing", f"skipped {words}", strict=True),)


def read_with_retry(take: Callable[[], View], read: Callable[[View], T]) -> T:
    """Read from one view; where a shard of it is lost meanwhile, read everything again from a new view without it.

    So a response is always of one state, and names the shards that it did without.
    """
    for _ in range(_RETRIES):
        try:
            return read(take())
        except PartLostError:
            continue
    return read(take())
