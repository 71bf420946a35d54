"""A test set in one shape, whatever it is made from: documents, questions, what is relevant, what covers a period."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from epochal.bench.metrics.base import (
    DocumentTimes,
    Judgements,
    PeriodQrels,
    Qrels,
    QueryTimes,
    Verdicts,
    stated_times,
)
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.times import Span

__all__ = ["BenchQuery", "BenchSet", "Card", "Switch", "Tell"]

#: Is given how much of a builder's work is done, and a note.
Tell = Callable[[int, str], None]

_YES: Final = ("1", "true", "yes", "on")
_NO: Final = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """A question of a test set.

    `now` is when it is asked, `periods` are the spans of time that an answer must cover, `kind` the class under which
    it is reported, `excluded` the documents that are taken out of its own ranking. `annotations` are whatever else the
    set says of it, as JSON values.

    >>> BenchQuery("q1", "Who won in 1998?", periods=(Span.year(1998),)).split
    'test'
    """

    id: str
    text: str
    now: Span | None = None
    periods: tuple[Span, ...] = ()
    kind: str = ""
    split: str = "test"
    excluded: tuple[str, ...] = ()
    annotations: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Card:
    """What one should know of a set before trusting its figures.

    >>> Card("Temporal Nobel Prize").licence
    'none stated'
    """

    title: str
    description: str = ""
    source: str = ""
    licence: str = "none stated"
    language: str = "en"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BenchSet:
    """A test set. `documents` can be gone through any number of times; large sets read them from disk each time.

    >>> documents = (Document("d1", "Ann won in 1998."), Document("d2", "Bob won in 1999."))
    >>> small = BenchSet("own/winners", documents, (BenchQuery("q1", "Who won in 1998?"),), {"q1": {"d1": 1}})
    >>> [query.id for query in small.of_split("test").queries]
    ['q1']
    """

    id: str
    documents: Iterable[Document]
    queries: tuple[BenchQuery, ...]
    qrels: Qrels
    period_qrels: PeriodQrels = field(default_factory=dict)
    card: Card = field(default_factory=lambda: Card(""))

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits, in the order in which the questions bring them.

        >>> BenchSet("own", (), (BenchQuery("q1", "Who?", split="train"), BenchQuery("q2", "When?")), {}).splits
        ('train', 'test')
        """
        return tuple(dict.fromkeys(query.split for query in self.queries))

    def of_split(self, name: str) -> BenchSet:
        """The same documents with the questions of one split.

        >>> BenchSet("own", (), (BenchQuery("q1", "Who?"),), {}).of_split("dev")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: the set 'own' has no split 'dev'; it has: test
        """
        if name not in self.splits:
            raise EpochalError(f"the set {self.id!r} has no split {name!r}; it has: {', '.join(self.splits) or 'none'}")
        return self.having(query for query in self.queries if query.split == name)

    def having(self, queries: Iterable[BenchQuery]) -> BenchSet:
        """The same documents with other questions, or some of its own, and the judgements of those.

        >>> both = BenchSet("own", (), (BenchQuery("q1", "Who?"), BenchQuery("q2", "When?")), {"q1": {"d": 1}})
        >>> dict(both.having(both.queries[1:]).qrels)
        {}
        """
        kept = tuple(queries)
        ids = {query.id for query in kept}
        return replace(
            self,
            queries=kept,
            qrels={query: judged for query, judged in self.qrels.items() if query in ids},
            period_qrels={query: judged for query, judged in self.period_qrels.items() if query in ids},
        )

    def judgements(
        self, verdicts: Verdicts | None = None, *, times: Callable[[Document], Iterable[Span]] | None = None
    ) -> Judgements:
        """What runs on this set are measured against. `times` gives the times that a document speaks of; `stated_times`
        unless given.

        The documents are gone through once; those without any time are not kept.

        >>> document = Document("d1", "Ann won.", published=Span.year(1999), meta={"times": ["1998"]})
        >>> query = BenchQuery("q1", "Who won in 1998?", periods=(Span.year(1998),))
        >>> judged = BenchSet("own", (document,), (query,), {"q1": {"d1": 1}}).judgements()
        >>> [span.edtf() for span in judged.documents["d1"].content], judged.documents["d1"].published.edtf()
        (['1998'], '1999')
        """
        spans = stated_times if times is None else times
        dated = {}
        for document in self.documents:
            content = tuple(spans(document))
            if content or document.published is not None:
                dated[document.id] = DocumentTimes(content, document.published)
        return Judgements(
            self.qrels,
            self.period_qrels,
            {} if verdicts is None else verdicts,
            dated,
            {query.id: QueryTimes(query.periods, query.now) for query in self.queries},
            {query.id: frozenset(query.excluded) for query in self.queries if query.excluded},
        )


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting of a builder: its name, what it is unless given, and what it does. Its type is that of its default.

    >>> Switch("windows", 2.4, "windows a month").read("3")
    3.0
    >>> Switch("script", "traditional", "which characters", ("traditional", "simplified")).read("roman")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: script is 'roman'; accepted: traditional, simplified
    """

    name: str
    default: bool | int | float | str
    help: str
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> bool | int | float | str:
        """The value that a text gives.

        >>> Switch("trim", True, "drop what lies outside").read("no")
        False
        """
        if isinstance(self.default, bool):
            if text.lower() not in (*_YES, *_NO):
                raise EpochalError(f"{self.name} is {text!r}; accepted: {', '.join((*_YES, *_NO))}")
            return text.lower() in _YES
        if isinstance(self.default, (int, float)):
            kind = "a whole number" if isinstance(self.default, int) else "a number"
            try:
                return type(self.default)(text)
            except ValueError:
                raise EpochalError(f"{self.name} is {text!r}; accepted: {kind}") from None
        found: str = self.checked(text)
        return found

    def checked(self, value: Any) -> Any:
        """A value given from Python, if it is one that the switch takes.

        >>> Switch("trim", True, "drop what lies outside").checked("perhaps")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: trim is 'perhaps'; accepted: a value of type bool
        """
        if isinstance(self.default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(self.default):
            raise EpochalError(f"{self.name} is {value!r}; accepted: a value of type {type(self.default).__name__}")
        if self.choices and value not in self.choices:
            raise EpochalError(f"{self.name} is {value!r}; accepted: {', '.join(self.choices)}")
        return value
