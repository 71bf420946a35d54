"""A test set in one shape, whatever it is made from: documents, questions, what is relevant, what covers a period."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.times import Span

__all__ = ["BenchQuery", "BenchSet", "Card", "PeriodQrels", "Qrels"]

#: By question and document how relevant it is; 0 says that it was looked at and is not.
Qrels = Mapping[str, Mapping[str, int]]
#: By question, for each of its periods in their order, the documents that speak of it.
PeriodQrels = Mapping[str, tuple[frozenset[str], ...]]


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
