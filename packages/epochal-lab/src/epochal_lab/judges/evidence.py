"""What a document says of a period, in numbers: how well its times fit, and whether they stand among the right words.

The idea is that of `epochal.ranking.features`, without an index: a time counts as far as the words around it are those
of the question. Words near the time in the question weigh more. Where the documents are known that a judge will see
(`Background`), rare words weigh more too, and words that none of them uses weigh nothing; otherwise all weigh alike.

The gate before any judgement: whether a question asks for time at all, and which periods an answer must cover.

Read by `epochal.reading.questions.understand`, so that words count and not pieces of them: "know" says nothing of now,
"unchanged" is no change, "since it is free" is no time. Years before 1900 and before our era are years like others.
What a set says of a question goes first: its periods, and TEMPO's annotation where there is one. Periods are in the
order of time, whatever the order in which they are named.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from epochal.ranking.features import match_window
from epochal.ranking.pool import Window
from epochal.ranking.terms import Terms, read_terms
from epochal.reading.expression import TimeExpr, stated_ranges
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.protocol import View
from epochal.storage.records import Document
from epochal.storage.text import analyse, units
from epochal.times.span import Span
from epochal.times.spanset import SpanSet
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.runs import stated_times

__all__ = [
    "FEATURES",
    "Background",
    "DatedText",
    "Gate",
    "Sighting",
    "Statement",
    "is_known_temporal",
    "plain_text",
    "question_terms",
    "read_document",
    "read_gate",
    "sight",
    "sight_any",
    "with_periods",
]


Floats = npt.NDArray[np.float64]

#: What is told of a document and a period, each from 0 to 1: how well the best time fits the period, and states its
#: ends; how well it fits times the share of the question's words around it; the same as against the other times of the
#: document, for questions may be asked in words that no text uses; and the share of the words in the whole document.
FEATURES: Final = ("match", "ends", "evidence", "contrast", "topic")
#: What the date of publication is worth beside a time that the text states, as in ranking.
_PUBLISHED: Final = 0.9
#: What a time is worth that no word of the question stands by, as against one that all of them do.
_BARE: Final = 0.1


class Statement(NamedTuple):
    """A time or a duration that a document states: its span, if it has one, its words, and the words around it."""

    span: Span | None
    quote: str
    around: frozenset[str]
    worth: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class DatedText:
    """A document as it is judged: the times that it states, its durations, and all of its words."""

    times: tuple[Statement, ...]
    durations: tuple[Statement, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """The features of a document for one period, in the order of `FEATURES`, and the time that speaks for it most."""

    features: Floats
    quote: str


def read_document(document: Document) -> DatedText:
    """The times of a whole document: of its text, its title, and what is known of it, when it appeared among them."""
    now = document.published
    title = frozenset(analyse(document.title))
    whole = title.union(analyse(document.text))
    text = document.text
    bounds = units(text)
    found = tag(text, now)
    said: dict[int, frozenset[str]] = {}

    def around(place: int) -> frozenset[str]:
        at = bisect_right(bounds, (place, len(text))) - 1
        if at not in said:
            start, end = bounds[at] if at >= 0 else (0, len(text))
            said[at] = title.union(analyse(text[start:end]))
        return said[at]

    times = [
        Statement(item.span, text[item.start_char : item.end_char], around(item.start_char))
        for item in stated_ranges(text, found)
    ]
    headed = stated_ranges(document.title, tag(document.title, now))
    times += [Statement(item.span, document.title[item.start_char : item.end_char], whole) for item in headed]
    known = [*stated_times(document), *([document.valid] if document.valid is not None else [])]
    times += [Statement(span, span.describe(), whole) for span in known]
    if now is not None:
        times.append(Statement(now, f"published {now.describe()}", whole, _PUBLISHED))
    durations = [Statement(None, item.text, around(item.start_char)) for item in found if item.kind == "DURATION"]
    return DatedText(tuple(times), tuple(durations), whole)


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """In how many of some documents each word is: what tells common words from rare ones."""

    count: int
    frequency: Mapping[str, int]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Background:
        """The background that documents make; they are gone through once."""
        count, frequency = 0, Counter[str]()
        for document in documents:
            count += 1
            frequency.update({*analyse(document.title), *analyse(document.text)})
        return cls(count, frequency)


def question_terms(text: str, times: Sequence[TimeExpr] = (), background: Background | None = None) -> Terms:
    """Words of a question, their weights and their nearness to its times; all of one weight without a background."""
    terms = read_terms(cast(View, _Words(background)), text, times)
    # What none of the documents says is still asked: a question all of whose words are unknown weighs them alike.
    return terms if terms.weights.any() else replace(terms, weights=np.ones(len(terms.tokens)))


class _Words:
    """As much of a view as `read_terms` asks for."""

    def __init__(self, background: Background | None) -> None:
        self._known = background
        self.passage_count = 1 if background is None else background.count

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        if self._known is None:
            return dict.fromkeys(tokens, 1)
        return {token: self._known.frequency[token] for token in tokens if token in self._known.frequency}


def sight(terms: Terms, window: Window, read: DatedText) -> Sighting:
    """What a document says of one period that a question asks for."""
    topic = _share(terms, read.words)
    placed = [(item, item.span) for item in read.times if item.span is not None]
    if not placed:
        return Sighting(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    match = match_window(window, SpanSet.of([span for _, span in placed]))
    worth = np.array([item.worth for item, _ in placed])
    inside = worth * match.inside
    # The words bear "from 1916 to 1920" out best that state when it began or ended.
    ends = inside if match.first is None or match.last is None else worth * np.maximum(match.first, match.last)
    return _told(placed, inside, ends, terms, topic)


def sight_any(terms: Terms, read: DatedText, statements: Sequence[Statement]) -> Sighting:
    """What a document says where any of some statements would do: any date for "when", any duration for "how long"."""
    topic = _share(terms, read.words)
    if not statements:
        return Sighting(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    worth = np.array([item.worth for item in statements])
    return _told([(item, item.span) for item in statements], worth, worth, terms, topic)


def _told(
    placed: Sequence[tuple[Statement, Span | None]], inside: Floats, ends: Floats, terms: Terms, topic: float
) -> Sighting:
    local = np.array([_share(terms, item.around) for item, _ in placed])
    evidence = float((inside * local).max())
    contrast = inside * (_BARE + local) / (_BARE + local.max())
    told = [inside.max(), ends.max(), evidence, contrast.max(), topic]
    best = int(np.argmax(inside * (_BARE + local)))
    return Sighting(np.array(told, dtype=np.float64), placed[best][0].quote if inside[best] > 0 else "")


def _share(terms: Terms, words: frozenset[str]) -> float:
    """The share of a question, by weight and nearness, that some words have; all of it where it has no words."""
    worth = (terms.weights * terms.nearness).tolist()
    total = sum(worth)
    return (
        sum(each for token, each in zip(terms.tokens, worth, strict=True) if token in words) / total if total else 1.0
    )


_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_CROSS_CLASS: Final = "trends_changes_and_cross_period"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a question asks of time: whether it does, its focus, whether it sets periods against each other, and
    which.
    """

    temporal: bool
    focus: str = "none"
    cross_period: bool = False
    periods: tuple[Span, ...] = ()
    understanding: Understanding | None = None


def read_gate(query: BenchQuery) -> Gate:
    """What a question asks of time, by its annotations and by its words."""
    known = _guidance(query.annotations)
    found = understand(plain_text(query.text), query.now)
    cross = (
        len(query.periods) >= 2 or found.cross_period or known.get("temporal_reasoning_class_primary") == _CROSS_CLASS
    )
    temporal = found.is_temporal or is_known_temporal(query)
    focus = found.temporal_focus
    if focus == "none" and (query.periods or cross):
        focus = "change_over_time" if cross else "specific_time"
    return Gate(temporal, focus, cross, _periods(query, found, known, cross), found)


def is_known_temporal(query: BenchQuery) -> bool:
    """Whether the set itself says that a question asks for time: by periods, or by an annotation."""
    return bool(query.periods) or _guidance(query.annotations).get("is_temporal_query") is True


def with_periods(query: BenchQuery) -> BenchQuery:
    """The question with the periods that it must cover, where its set names none and it asks across periods.

    >>> asked = BenchQuery("q1", "How did tolls differ in 44 BCE and in 1850?")
    >>> [period.edtf() for period in with_periods(asked).periods]
    ['-0043', '1850']
    >>> with_periods(BenchQuery("q2", "Who was president in 1920?")).periods
    ()
    """
    if query.periods:
        return query
    found = read_gate(query)
    return replace(query, periods=found.periods) if found.cross_period else query


def plain_text(text: str) -> str:
    """The text of a question that was written in HTML, as those of Stack Exchange are; others stay as they are."""
    return html.unescape(_TAG.sub(" ", text)) if _TAG.search(text) or "&" in text else text


def _guidance(annotations: Mapping[str, Any]) -> Mapping[str, Any]:
    """TEMPO's annotation of a question, be it an entry of its own or spread among the others."""
    inner = annotations.get("query_guidance")
    return inner if isinstance(inner, Mapping) else annotations


def _periods(query: BenchQuery, found: Understanding, known: Mapping[str, Any], cross: bool) -> tuple[Span, ...]:
    if query.periods:
        return query.periods
    anchors = known.get("key_time_anchors")
    if cross and isinstance(anchors, (list, tuple)):
        named = [span for anchor in anchors if (span := _anchor(str(anchor), query.now)) is not None]
        distinct = tuple(sorted(dict.fromkeys(named), key=lambda span: (span.start, span.end)))
        if len(distinct) >= 2:
            return distinct
    return found.periods


def _anchor(text: str, now: Span | None) -> Span | None:
    """The time that an anchor names, if it names one: free text such as "the 1850s" or "post-war era"."""
    for implicit in (False, True):
        read = stated_ranges(text, tag(text, now, implicit=implicit))
        if read:
            return read[0].span
    return None
