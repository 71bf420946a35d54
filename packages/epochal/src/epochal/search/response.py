"""Hit and Response: the documents of a search, why each was returned, what was applied, and what was left out.

With them, reading a sharded index some of whose shards do not answer: a response names those it did without.
"""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args, overload

import numpy as np

from epochal.errors import EpochalError, PartLostError, UnknownNameError
from epochal.other_names import refuse_attribute
from epochal.reading.questions.question import Understanding, span_to_dict
from epochal.search.display import make_frame, plot_spans, render_heading, render_hits, render_timeline
from epochal.search.explain import HitTime, explain_score
from epochal.storage.metadata import get_field_column
from epochal.storage.protocol import Rows, SupportsParts, View, list_pending, supports
from epochal.storage.records import Document
from epochal.storage.text import analyse
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
    "report_pending",
]


Outcome = Literal["recorded", "none_recorded", "not_covered", "topic_unknown", "no_window"]
#: Of the query windows: something is recorded then; the records cover that time but hold nothing on the topic; the
#: records do not cover that time; nothing is on the topic at any time; there is no window.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: The axis of a time that a scorer has estimated from the words of a text.
ESTIMATED_AXIS: Final = "estimated"
_WORD: Final = re.compile(r"[^\W_]+")
#: Characters of a text that a `repr` shows.
_SHOWN: Final = 60


def _crop(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN else f"{plain[: _SHOWN - 1]}…"


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


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A document of a response: its best passage, its score, the components of the score, its evidence and times.

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
    #: The times of the document and of the passage, best first.
    times: tuple[HitTime, ...] = ()
    #: The words of the question as the index counts them.
    terms: tuple[str, ...] = ()

    if not TYPE_CHECKING:  # type checkers know which names there are

        def __getattr__(self, name: str) -> Any:
            raise refuse_attribute("a hit", name, self)

        def __getitem__(self, name: object) -> Any:
            raise TypeError(f"a hit has attributes, not items: hit.{name}, or hit.to_dict()[{name!r}]")

    def with_relevance(self, relevance: float) -> Hit:
        """The hit with another probability that it answers: `dataclasses.replace` takes several times as long."""
        return Hit(
            self.document,
            self.score,
            self.parts,
            self.passage,
            self.passage_start,
            self.evidence,
            self.period,
            self.superseded_by,
            self.folded,
            relevance,
            self.times,
            self.terms,
        )

    @property
    def id(self) -> str:
        """The document's id.

        >>> Hit(Document("p1", "Tariffs rise."), 1.0, {}, "Tariffs rise.").id
        'p1'
        """
        return self.document.id

    @property
    def title(self) -> str:
        """The title of the document; empty where it has none."""
        return self.document.title

    @property
    def text(self) -> str:
        """The passage that answers best; the title where the document has no text."""
        return self.passage or self.document.title

    @property
    def date(self) -> Span | None:
        """When the document was published, else when it is valid, else the best time that its text states."""
        own = self.document.published or self.document.valid
        return own or next((time.span for time in self.times if time.provenance in ("stated", "carried")), None)

    @property
    def meta(self) -> Mapping[str, Any]:
        """The metadata of the document."""
        return self.document.meta

    @property
    def highlights(self) -> list[tuple[int, int]]:
        """The places in `text` of words of the question, and of the times that the passage states."""
        terms = set(self.terms)
        places = [match.span() for match in _WORD.finditer(self.text) if not terms.isdisjoint(analyse(match[0]))]
        first, last = self.passage_start, self.passage_start + len(self.passage)
        times = [time for time in self.times if time.provenance == "stated" and first <= time.start_char < last]
        return sorted({*places, *((time.start_char - first, time.end_char - first) for time in times)})

    def explain(self) -> str:
        """Why the hit has its rank: the parts of its score and its times, a line each."""
        return "\n".join(explain_score(self.id, self.score, self.parts, self.times, self.relevance, self.superseded_by))

    def __repr__(self) -> str:
        date = "undated" if self.date is None else self.date.edtf()
        return f"Hit({self.id!r}, {self.score:.3f}, {date}, {_crop(self.text)!r})"

    def _repr_html_(self) -> str:
        return render_hits([self.to_row()])

    def to_row(self) -> dict[str, Any]:
        """The hit as a row of a table: id, score, date, times, text, title, and the metadata of the document."""
        document = self.document
        return {
            **document.meta,
            "id": document.id,
            "score": self.score,
            "relevance": self.relevance,
            "date": None if self.date is None else self.date.edtf(),
            "published": None if document.published is None else document.published.edtf(),
            "valid": None if document.valid is None else document.valid.edtf(),
            "times": [time.span.edtf() for time in self.times],
            "series": document.series,
            "title": document.title,
            "text": self.text,
        }

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Hit(Document("p1", "Tariffs rise."), 1.0, {}, "Tariffs rise.").to_dict())[:3]
        ['id', 'score', 'parts']
        """
        from epochal.storage.importers.export import build_row

        return {
            "id": self.document.id,
            "score": self.score,
            "parts": dict(self.parts),
            "passage": self.passage,
            "passage_start": self.passage_start,
            "evidence": [item.to_dict() for item in self.evidence],
            "times": [item.to_dict() for item in self.times],
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


class FieldCounter:
    """Counts the values of a field among the documents that answer; the view is not kept alive for it."""

    __slots__ = ("_rows", "_view")

    def __init__(self, view: View | None = None, rows: Rows | None = None) -> None:
        self._view = None if view is None else weakref.ref(view)
        self._rows = rows

    def __reduce__(self) -> tuple[type[FieldCounter], tuple[()]]:
        return FieldCounter, ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldCounter)

    __hash__ = None  # type: ignore[assignment]

    @property
    def rows(self) -> Rows:
        """The rows of the documents that answer; none where nothing was searched."""
        return np.empty(0, dtype=np.int64) if self._rows is None else self._rows

    def count(self, name: str) -> dict[Any, int]:
        """How many documents have each value, the most frequent first."""
        view = None if self._view is None else self._view()
        if view is None or self._rows is None:
            raise EpochalError(f"the values of {name!r} can no longer be counted: the index has changed; search again")
        column = get_field_column(view, name)
        codes = column.codes[np.isin(column.rows, self._rows)]
        counts = np.bincount(codes, minlength=len(column.values))
        ordered = np.argsort(-counts, kind="stable")
        return {_make_hashable(column.values[code]): int(counts[code]) for code in ordered.tolist() if counts[code]}


def _make_hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True, repr=False)
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
    #: How likely the outcome is true; None where nothing is said of a time.
    probability: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    total: int | None = None
    #: Whether there are at least `total`, and likely more: some of the last candidates answer, too.
    total_is_lower_bound: bool = False
    unknown_words: tuple[str, ...] = ()
    counter: FieldCounter = field(default_factory=FieldCounter, compare=False)

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise UnknownNameError("outcome", self.outcome, OUTCOMES)

    if not TYPE_CHECKING:  # type checkers know which names there are

        def __getattr__(self, name: str) -> Any:
            raise refuse_attribute("a response", name, self)

    @property
    def ids(self) -> list[str]:
        """The ids of the hits, best first."""
        return [hit.id for hit in self.hits]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        if isinstance(index, str):
            raise TypeError(f"a response holds hits by their places, not {index!r}; write response.to_dicts()")
        return self.hits[index]

    def __repr__(self) -> str:
        count = f"{len(self.hits):,} hit{'' if len(self.hits) == 1 else 's'}"
        total = "" if self.total is None else f" of {'at least ' * self.total_is_lower_bound}{self.total:,}"
        now = "" if self.now is None else f", now {self.now.edtf()}"
        return f"<Response to {_crop(self.question)!r}: {count}{total}, {self.outcome}{now}>"

    def _repr_html_(self) -> str:
        spans = [(hit.id, hit.date) for hit in self.hits if hit.date is not None]
        head = f"{self.question} — {self.outcome.replace('_', ' ')}"
        return render_heading(head) + render_timeline(spans) + render_hits(self.to_dicts())

    def facets(self, name: str) -> dict[Any, int]:
        """How many of the documents that answer have each value of a metadata field, the most frequent first.

        They are counted while the index is as it was at the search.
        """
        return self.counter.count(name)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row for each hit, with plain values: id, score, date, times, text, title and metadata."""
        return [hit.to_row() for hit in self.hits]

    def to_pandas(self) -> Any:
        """The hits as a data frame of pandas, which must be installed."""
        return make_frame(self.to_dicts(), "pandas")

    def to_polars(self) -> Any:
        """The hits as a data frame of polars, which must be installed."""
        return make_frame(self.to_dicts(), "polars")

    def plot(self) -> Any:
        """The hits on a time axis, by matplotlib, which must be installed; returns the axes."""
        return plot_spans([(hit.id, hit.date) for hit in self.hits if hit.date is not None], self.question)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Response("nothing", None, (), Understanding("none", "atemporal", "Never")).to_dict())[:5]
        ['question', 'now', 'outcome', 'probability', 'total']
        """
        return {
            "question": self.question,
            "now": None if self.now is None else self.now.edtf(),
            "outcome": self.outcome,
            "probability": self.probability,
            "total": self.total,
            "total_is_lower_bound": self.total_is_lower_bound,
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
    return view.missing if supports(view, SupportsParts) else ()


def report_missing_shards(missing: tuple[str, ...]) -> tuple[Applied, ...]:
    """What a response reports of missing shards."""
    if not missing:
        return ()
    if len(missing) == 1:
        words = f"the shard {missing[0]}, which does not answer: its documents were not searched"
    else:
        words = f"the shards {', '.join(missing)}, which do not answer: their documents were not searched"
    return (Applied("missing", f"skipped {words}", strict=True),)


def report_pending(view: View) -> tuple[Applied, ...]:
    """What a response reports of passages whose vectors are not made yet."""
    pending = len(list_pending(view))
    if not pending:
        return ()
    if pending == 1:
        says = "has no vector yet: it is found by its words and times alone"
    else:
        says = "have no vectors yet: they are found by their words and times alone"
    sentence = f"{pending:,} of {view.passage_count:,} passages {says}"
    return (Applied("pending", sentence),)


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
