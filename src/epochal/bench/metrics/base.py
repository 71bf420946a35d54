"""What is measured, and against what: a run, and everything that is known of what it should have found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.times import Span

__all__ = [
    "DocumentTimes",
    "Judgements",
    "PeriodQrels",
    "Qrels",
    "QueryTimes",
    "Run",
    "Verdict",
    "Verdicts",
    "stated_times",
]

#: By question and document how relevant it is; 0 says that it was looked at and is not.
Qrels = Mapping[str, Mapping[str, int]]
#: By question, for each of its periods in their order, the documents that speak of it.
PeriodQrels = Mapping[str, tuple[frozenset[str], ...]]
#: By question and document the score that a system gave; the higher, the better.
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one document for one question.

    `relevant` tells whether it helps with what the question asks of time, `covers` whether it speaks of each of the
    question's periods, in their order; it is empty where the question has no periods. None is a gap: the judge failed,
    or was not asked. A gap is never a no.

    >>> Verdict(True, (True, None)).gaps
    1
    """

    relevant: bool | None = None
    covers: tuple[bool | None, ...] = ()

    @property
    def gaps(self) -> int:
        """How many of its answers are missing.

        >>> Verdict().gaps, Verdict(False).gaps
        (1, 0)
        """
        return (self.relevant, *self.covers).count(None)


#: By question and document what a judge said. A question without any temporal intent is not in it.
Verdicts = Mapping[str, Mapping[str, Verdict]]


@dataclass(frozen=True, slots=True)
class DocumentTimes:
    """The times of a document: those that it speaks of, and when it was published.

    >>> DocumentTimes((Span.year(1998),)).published is None
    True
    """

    content: tuple[Span, ...] = ()
    published: Span | None = None


@dataclass(frozen=True, slots=True)
class QueryTimes:
    """The times of a question: the periods that it is about, and when it is asked.

    >>> QueryTimes((Span.year(1998), Span.year(2003))).now is None
    True
    """

    periods: tuple[Span, ...] = ()
    now: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """All that runs are measured against; each measure takes what it needs, and leaves out questions that lack it.

    `excluded` names documents that are taken out of a question's ranking before anything is counted.

    >>> judged = Judgements({"q1": {"d1": 1}}, queries={"q1": QueryTimes((Span.year(1998),))})
    >>> judged.query_ids
    ('q1',)
    """

    qrels: Qrels = field(default_factory=dict)
    period_qrels: PeriodQrels = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    documents: Mapping[str, DocumentTimes] = field(default_factory=dict)
    queries: Mapping[str, QueryTimes] = field(default_factory=dict)
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every question of which anything is known, in the order of the judgements.

        >>> Judgements({"q2": {"d": 1}}, verdicts={"q1": {}, "q2": {}}).query_ids
        ('q2', 'q1')
        """
        return tuple(dict.fromkeys((*self.qrels, *self.period_qrels, *self.verdicts, *self.queries)))


def stated_times(document: Document) -> tuple[Span, ...]:
    """The times that a document is known to speak of: the EDTF texts under `times` of its `meta`.

    >>> [span.edtf() for span in stated_times(Document("d1", "Ann won.", meta={"times": ["1998", "2003-05"]}))]
    ['1998', '2003-05']
    """
    texts = document.meta.get("times", ())
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise EpochalError(f"the times of document {document.id!r} are {texts!r}; accepted: a list of EDTF texts")
    try:
        return tuple(Span.parse(text) for text in texts)
    except EpochalError as error:
        raise EpochalError(f"the times of document {document.id!r} cannot be read: {error}") from None
