"""The evidence of a document for a period, as features; and what a question asks of time.

Features follow `epochal.ranking.features`, without an index: a time counts as far as the words around it are those of
the question. Words near the time in the question weigh more. With a `Background` of the documents to be judged, rare
words weigh more too, and words that none of them has weigh nothing; otherwise all weigh the same.

What a question asks of time is read by `epochal.reading.questions.understand`. Annotations of the set come first: its
periods, and TEMPO's annotation if there is one. Periods are in chronological order, whatever their order in the text.
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

Floats = npt.NDArray[np.float64]

#: Features of a document and a period, each from 0 to 1: how well the best time matches the period, and states its
#: ends; the match times the share of the question's words around it; the same relative to the other times of the
#: document, because a question may have words that no text uses; and the share of the words in the whole document.
FEATURES: Final = ("match", "ends", "evidence", "contrast", "topic")
#: The weight of the date of publication, relative to a time that the text states, as in ranking.
_PUBLISHED: Final = 0.9
#: The weight of a time without a word of the question around it, relative to one with all of them.
_BARE: Final = 0.1


class Statement(NamedTuple):
    """A time or a duration that a document states: its span, if any, its text, the words around it, and its weight."""

    span: Span | None
    quote: str
    context: frozenset[str]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class DatedText:
    """The times, durations and words of a document."""

    times: tuple[Statement, ...]
    durations: tuple[Statement, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceMatch:
    """The features of a document for one period, in the order of `FEATURES`, and the text of the best time."""

    features: Floats
    quote: str


def read_document(document: Document) -> DatedText:
    """Read the times of a document: of its text, its title and its metadata, including its date."""
    now = document.published
    title = frozenset(analyse(document.title))
    whole = title.union(analyse(document.text))
    text = document.text
    bounds = units(text)
    expressions = tag(text, now)
    contexts: dict[int, frozenset[str]] = {}

    def get_context(offset: int) -> frozenset[str]:
        unit = bisect_right(bounds, (offset, len(text))) - 1
        if unit not in contexts:
            start, end = bounds[unit] if unit >= 0 else (0, len(text))
            contexts[unit] = title.union(analyse(text[start:end]))
        return contexts[unit]

    times = [
        Statement(item.span, text[item.start_char : item.end_char], get_context(item.start_char))
        for item in stated_ranges(text, expressions)
    ]
    in_title = stated_ranges(document.title, tag(document.title, now))
    times += [Statement(item.span, document.title[item.start_char : item.end_char], whole) for item in in_title]
    metadata = [*stated_times(document), *([document.valid] if document.valid is not None else [])]
    times += [Statement(span, span.describe(), whole) for span in metadata]
    if now is not None:
        times.append(Statement(now, f"published {now.describe()}", whole, _PUBLISHED))
    durations = [
        Statement(None, item.text, get_context(item.start_char)) for item in expressions if item.kind == "DURATION"
    ]
    return DatedText(tuple(times), tuple(durations), whole)


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Document frequencies of words, to weigh rare words more."""

    count: int
    frequency: Mapping[str, int]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Background:
        """Count the words of documents, which are iterated once."""
        count, frequency = 0, Counter[str]()
        for document in documents:
            count += 1
            frequency.update({*analyse(document.title), *analyse(document.text)})
        return cls(count, frequency)


def read_question_terms(text: str, times: Sequence[TimeExpr] = (), background: Background | None = None) -> Terms:
    """The words of a question, their weights and their nearness to its times; equal weights without a background."""
    terms = read_terms(cast(View, _WordCounts(background)), text, times)
    # A question all of whose words are unknown weighs them equally.
    return terms if terms.weights.any() else replace(terms, weights=np.ones(len(terms.tokens)))


class QuestionPart(NamedTuple):
    """One of the events that a question compares: its words, and the times that it names."""

    terms: Terms
    times: tuple[TimeExpr, ...]


#: What separates the events that a question compares.
_BETWEEN_EVENTS: Final = re.compile(
    r"[、，,；;。？?！!]|\d[.．、)）]|还是|還是|以及|和|与|與|及|\s(?:and|or|versus|vs\.?|und|oder|et|ou|y|o|e)\s"
)
#: The least share of the words of a question that an event has.
_LEAST_PART: Final = 0.15
#: The power to which the share of the words of an event is raised.
_PART_POWER: Final = 3.0


def split_events(text: str, understanding: Understanding, terms: Terms) -> tuple[QuestionPart, ...]:
    """The events of a question that compares several ("Which was earlier, A or B in 1976?"); empty for another.

    A document about one of them is evidence, although it has few of the words of the whole question.
    """
    if understanding.intent != "order" and not understanding.cross_period:
        return ()
    times = understanding.expressions
    inside = [(item.start_char, item.end_char) for item in times]
    cuts = [
        match.span()
        for match in _BETWEEN_EVENTS.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in inside)
    ]
    bounds = [0, *(edge for cut in cuts for edge in cut), len(text)]
    weights = dict(zip(terms.tokens, terms.weights.tolist(), strict=True))
    total = sum(weights.values())
    parts = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        words = set(analyse(text[start:end]))
        tokens = tuple(token for token in terms.tokens if token in words)
        weight = np.array([weights[token] for token in tokens])
        own = tuple(item for item in times if start <= item.start_char and item.end_char <= end)
        if total and weight.sum() >= _LEAST_PART * total:
            parts.append(QuestionPart(Terms(tokens, weight, np.ones(len(tokens))), own))
    return tuple(parts) if len(parts) > 1 else ()


def lower_part_match(match: EvidenceMatch) -> EvidenceMatch:
    """The match of an event as evidence for the whole question: of few words, many have some by chance."""
    lowered = match.features.copy()
    for name in ("evidence", "topic"):
        lowered[FEATURES.index(name)] **= _PART_POWER
    return EvidenceMatch(lowered, match.quote)


class _WordCounts:
    """The part of a view that `read_terms` needs."""

    def __init__(self, background: Background | None) -> None:
        self._background = background
        self.passage_count = 1 if background is None else background.count

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        if self._background is None:
            return dict.fromkeys(tokens, 1)
        return {token: count for token in tokens if (count := self._background.frequency.get(token)) is not None}


def match_evidence(terms: Terms, window: Window, document: DatedText) -> EvidenceMatch:
    """The evidence of a document for one period of a question."""
    topic = _get_share(terms, document.words)
    dated = [(item, item.span) for item in document.times if item.span is not None]
    if not dated:
        return EvidenceMatch(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    match = match_window(window, SpanSet.of([span for _, span in dated]))
    weights = np.array([item.weight for item, _ in dated])
    inside = weights * match.inside
    # The best evidence for "from 1916 to 1920" states when it began or ended.
    ends = inside if match.first is None or match.last is None else weights * np.maximum(match.first, match.last)
    return _build_match([item for item, _ in dated], inside, ends, terms, topic)


def match_any_evidence(terms: Terms, document: DatedText, statements: Sequence[Statement]) -> EvidenceMatch:
    """The evidence where any of some statements will do: any date for "when", any duration for "how long"."""
    topic = _get_share(terms, document.words)
    if not statements:
        return EvidenceMatch(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    weights = np.array([item.weight for item in statements])
    return _build_match(statements, weights, weights, terms, topic)


def _build_match(
    statements: Sequence[Statement], inside: Floats, ends: Floats, terms: Terms, topic: float
) -> EvidenceMatch:
    local = np.array([_get_share(terms, item.context) for item in statements])
    evidence = float((inside * local).max())
    contrast = inside * (_BARE + local) / (_BARE + local.max())
    features = [inside.max(), ends.max(), evidence, contrast.max(), topic]
    best = int(np.argmax(inside * (_BARE + local)))
    return EvidenceMatch(np.array(features, dtype=np.float64), statements[best].quote if inside[best] > 0 else "")


def _get_share(terms: Terms, words: frozenset[str]) -> float:
    """The share of a question's words, by weight and nearness, that are among some words; 1 if it has no words."""
    weights = (terms.weights * terms.nearness).tolist()
    total = sum(weights)
    return (
        sum(each for token, each in zip(terms.tokens, weights, strict=True) if token in words) / total if total else 1.0
    )


_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_CROSS_CLASS: Final = "trends_changes_and_cross_period"


@dataclass(frozen=True, slots=True)
class TemporalNeeds:
    """What a question asks of time: whether it is temporal, its focus, and the periods it compares."""

    temporal: bool
    focus: str = "none"
    cross_period: bool = False
    periods: tuple[Span, ...] = ()
    understanding: Understanding | None = None


def read_temporal_needs(query: BenchQuery) -> TemporalNeeds:
    """What a question asks of time, by its annotations and its words."""
    guidance = _get_guidance(query.annotations)
    understanding = understand(strip_html(query.text), query.now)
    cross = (
        len(query.periods) >= 2
        or understanding.cross_period
        or guidance.get("temporal_reasoning_class_primary") == _CROSS_CLASS
    )
    temporal = understanding.is_temporal or is_marked_temporal(query)
    focus = understanding.temporal_focus
    if focus == "none" and (query.periods or cross):
        focus = "change_over_time" if cross else "specific_time"
    periods = _find_periods(query, understanding, guidance, cross)
    return TemporalNeeds(temporal, focus, cross, periods, understanding)


def is_marked_temporal(query: BenchQuery) -> bool:
    """Whether the set itself marks a question as temporal: by periods, or by an annotation."""
    return bool(query.periods) or _get_guidance(query.annotations).get("is_temporal_query") is True


def add_periods(query: BenchQuery) -> BenchQuery:
    """The question with the periods that an answer must cover, where its set names none and it compares periods.

    >>> query = BenchQuery("q1", "How did tolls differ in 44 BCE and in 1850?")
    >>> [period.edtf() for period in add_periods(query).periods]
    ['-0043', '1850']
    >>> add_periods(BenchQuery("q2", "Who was president in 1920?")).periods
    ()
    """
    if query.periods:
        return query
    needs = read_temporal_needs(query)
    return replace(query, periods=needs.periods) if needs.cross_period else query


def strip_html(text: str) -> str:
    """The text of a question in HTML, as on Stack Exchange; other texts are unchanged."""
    return html.unescape(_TAG.sub(" ", text)) if _TAG.search(text) or "&" in text else text


def _get_guidance(annotations: Mapping[str, Any]) -> Mapping[str, Any]:
    """TEMPO's annotation of a question, in its own entry or among the others."""
    inner = annotations.get("query_guidance")
    return inner if isinstance(inner, Mapping) else annotations


def _find_periods(
    query: BenchQuery, understanding: Understanding, guidance: Mapping[str, Any], cross: bool
) -> tuple[Span, ...]:
    if query.periods:
        return query.periods
    anchors = guidance.get("key_time_anchors")
    if cross and isinstance(anchors, (list, tuple)):
        named = [span for anchor in anchors if (span := _read_anchor(str(anchor), query.now)) is not None]
        distinct = tuple(sorted(dict.fromkeys(named), key=lambda span: (span.start, span.end)))
        if len(distinct) >= 2:
            return distinct
    return understanding.periods


def _read_anchor(text: str, now: Span | None) -> Span | None:
    """The time of an anchor, if it names one: free text such as "the 1850s" or "post-war era"."""
    for implicit in (False, True):
        ranges = stated_ranges(text, tag(text, now, implicit=implicit))
        if ranges:
            return ranges[0].span
    return None
