"""Plan: which times a question asks about, so that each can be looked up by itself.

Evidence: for each query window, what the index holds of it, selected by its relation to the question.

A time is looked up by itself, strictly: nothing of another time replaces it. What answers comes first, then
what is dated more vaguely, then what is recorded of that time in other words; places that are left go to what is near.

Quotes: the words of a document that bear out an answer, with their place, never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

import numpy as np

from epochal.answers.answer import EvidenceStatus
from epochal.ranking.coverage import is_covered
from epochal.ranking.pool import Window, get_windows
from epochal.ranking.terms import Terms
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.search.outcome import answers_topic, get_topic_terms
from epochal.search.response import ESTIMATED_AXIS, Evidence, Hit, Outcome, Response
from epochal.search.search import Searcher
from epochal.search.where import Where
from epochal.storage.text import analyse, units
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, what it asks of time, and the times to look in, in their order; none where it names none."""

    question: str
    now: Span | None
    understanding: Understanding
    windows: tuple[Window, ...]
    #: Names that the question puts side by side, as in "Berlin and Paris": each is to be covered.
    subjects: tuple[str, ...] = ()
    #: Whether the times are the periods of one course of events: then each is beside the next.
    is_course: bool = False

    @property
    def topic(self) -> str:
        """The question without its time words, to be searched for in each query window."""
        return self.understanding.topic or self.question


def make_plan(question: str, now: Span | None = None) -> Plan:
    """The plan of a question. Where it sets periods against each other, these are what must be covered."""
    understanding = understand(question, now)
    windows = get_windows(understanding)
    if (periods := _list_periods(understanding, now)) is not None:
        windows = tuple(Window(span) for span in periods)
    elif understanding.cross_period and len(understanding.periods) > 1:
        windows = tuple(window for window in windows if window.span in understanding.periods)
    ordered = tuple(sorted(windows, key=lambda item: (item.span.start, item.span.end)))
    subjects = find_subjects(understanding.topic or question)
    return Plan(question, now, understanding, ordered, subjects, periods is not None)


#: Bounded, so that a long text of capitals takes linear time.
_NAME: Final = r"[A-Z][\w.&'’-]{0,60}(?:\s+[A-Z][\w.&'’-]{0,60}){0,7}"
_BETWEEN: Final = (
    r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus|with|to|und|oder|et|ou|y|o|e|en)\s+)(?:the\s+)?"
)
_SIDE_BY_SIDE: Final = re.compile(rf"{_NAME}(?:{_BETWEEN}{_NAME})+")


def find_subjects(topic: str) -> tuple[str, ...]:
    """The names that a question puts side by side; none where there are fewer than two.

    >>> find_subjects("Compare the fees of Berlin, New York and Paris")
    ('Berlin', 'New York', 'Paris')
    >>> find_subjects("Compare Airbnb with Uber")
    ('Airbnb', 'Uber')
    """
    names: dict[str, None] = {}
    for match in _SIDE_BY_SIDE.finditer(topic):
        parts = re.split(_BETWEEN, match[0])
        # A question begins with a capital that is no part of a name.
        if not match.start() and " " in parts[0]:
            parts[0] = parts[0].split(None, 1)[1]
        names.update(dict.fromkeys(part.strip(" .'’") for part in parts))
    return tuple(names) if len(names) > 1 else ()


#: A course of events is followed through so many periods at most.
_MAX_PERIODS: Final = 12
_GRAINS: Final = (Grain.DAY, Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY)


#: Questions for whatever happened, which are answered period by period.
_COURSE: Final = re.compile(
    r"\s*(?:and\s+)?(?:what\s+(?:has\s+|have\s+)?(?:happened|changed|become|became)|how\s)", re.IGNORECASE
)


_YES_OR_NO: Final = re.compile(r"\s*(?:did|do|does|was|were|is|are|has|have|had|can|could|will|would)\s", re.IGNORECASE)


def _list_periods(understanding: Understanding, now: Span | None) -> tuple[Span, ...] | None:
    """The periods of "how did it develop from 2014 to 2016" and "since 2018", one after the other; else None."""
    bound_times = [item for item in understanding.constraints if item.axis != "publication"]
    if len(understanding.constraints) != 1 or len(bound_times) != 1 or understanding.order is not None:
        return None
    relation, span = bound_times[0].relation, bound_times[0].span
    # "Did it rise between A and B?" asks for a yes or no.
    is_timeline = understanding.intent == "timeline" and not _YES_OR_NO.match(understanding.topic or "")
    if relation not in ("between", "since"):
        # "In the 1990s", "over the last five years": a course of events through one time.
        if not is_timeline or relation != "during" or span.is_open:
            return None
        return _split_span(span, finer=True)
    if not (is_timeline or _COURSE.match(understanding.topic or "")) or span.start == OPEN_START:
        return None
    if span.end == OPEN_END:
        if now is None or now.end <= span.start:
            return None
        span = Span(span.start, now.end, span.grain)
    return _split_span(span)


def _split_span(span: Span, *, finer: bool = False) -> tuple[Span, ...] | None:
    """The units that a span goes through, of the finest grain from its own on that has few; None for fewer than two.

    With `finer`, a decade goes through its years, and a century through its decades.
    """
    first = _GRAINS.index(span.grain) if span.grain in _GRAINS else 0
    if finer and span.grain in (Grain.DECADE, Grain.CENTURY):
        first -= 1
    for grain in _GRAINS[first:]:
        periods = list(islice(_iterate_units(span, grain), _MAX_PERIODS + 1))
        if len(periods) <= _MAX_PERIODS:
            return tuple(periods) if len(periods) > 1 else None
    return None


def spread_plan(index: Searcher, plan: Plan, *, as_of: Span | None = None, where: Where | None = None) -> Plan:
    """The plan of "how did it change over the years", with the periods through which there are records of the topic."""
    understanding = plan.understanding
    if plan.windows or understanding.intent != "timeline" or not understanding.cross_period:
        return plan
    found = index.search(plan.question, k=_DEPTH, now=plan.now, as_of=as_of, where=where, collapse_versions=False)
    if found.outcome == "topic_unknown":
        return plan
    terms = get_topic_terms(index.view(), understanding)
    likely = [hit for hit in found if answers_topic(terms, hit) and (hit.relevance is None or hit.relevance >= _LIKELY)]
    dates = [hit.date for hit in likely if hit.date is not None and not hit.date.is_open]
    if len(dates) < 2:
        return plan
    start, end = min(date.start for date in dates), max(date.end for date in dates)
    periods = _split_span(Span(start, end, Grain.YEAR)) or _split_span(Span(start, end, Grain.MONTH))
    return plan if periods is None else replace(plan, windows=tuple(map(Window, periods)), is_course=True)


def _iterate_units(span: Span, grain: Grain) -> Iterator[Span]:
    unit = Span.unit(span.start, grain)
    while unit.start < span.end:
        yield unit
        unit = Span.unit(unit.end, grain)


#: Where a question asks for whatever there is, so many records of a time are given, whatever `k` is.
_MAX_RECORDS: Final = 50
#: Documents that are added for a subject of the question that the others say nothing of.
_EXTRA: Final = 2
#: Documents that are looked at for one time, and around it.
_DEPTH: Final = 100
_AROUND: Final = 200
#: A time that matches the query window less well than this is no evidence for it.
_MATCH: Final = 0.6
#: Without a query window, what scores less than this share of the best is left out; what scores as well as the
#: second is kept whatever its words.
_WORTH: Final = 0.5
_GOOD: Final = 0.8
#: What answers with less than this probability is not quoted.
_MIN_RELEVANCE: Final = 0.1
#: What answers with at least this probability shows how far the records of a topic reach.
_LIKELY: Final = 0.5
#: How far around a time one looks for what lies near it, in its own units.
_REACH: Final = 5
_COARSER: Final = {
    Grain.SECOND: Grain.DAY,
    Grain.MINUTE: Grain.DAY,
    Grain.HOUR: Grain.DAY,
    Grain.DAY: Grain.MONTH,
    Grain.WEEK: Grain.MONTH,
    Grain.MONTH: Grain.YEAR,
    Grain.SEASON: Grain.YEAR,
    Grain.QUARTER: Grain.YEAR,
    Grain.HALF: Grain.YEAR,
    Grain.YEAR: Grain.DECADE,
    Grain.DECADE: Grain.CENTURY,
    Grain.CENTURY: Grain.MILLENNIUM,
}


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """A hit, the time that supports it, and its relation to the question."""

    hit: Hit
    evidence: Evidence | None
    standing: EvidenceStatus

    @property
    def date(self) -> Span | None:
        """The time that it is cited for: what supports it, else when the document appeared."""
        document = self.hit.document
        stated = None if self.evidence is None else self.evidence.span
        own = (
            document.valid or document.published
            if self.standing == "in_force"
            else document.published or document.valid
        )
        # "Since 1983" has no place of its own in an order of events; the document's own may be better.
        return own if stated is None or (stated.is_open and own is not None) else stated


@dataclass(frozen=True, slots=True)
class PeriodEvidence:
    """What was found for one time, None for any: the outcome, the evidence, best first, and how much more there was.

    `missing` names the shards of an index that did not answer.
    """

    window: Window | None
    outcome: Outcome
    items: tuple[EvidenceItem, ...] = ()
    more: int = 0
    hidden: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def is_carried_over(evidence: Evidence) -> bool:
    """Whether no word of the text states the time: it was carried over from the documents before."""
    return evidence.axis == "content" and evidence.start_char == evidence.end_char


def collect_evidence(
    index: Searcher, plan: Plan, *, as_of: Span | None = None, k: int = 10, where: Where | None = None
) -> list[PeriodEvidence]:
    """What the index holds of each time of a plan, k documents for each, or of the topic where there are none.

    Where the question has no topic, all that is recorded of a time is given, up to fifty documents. Only documents
    count whose metadata meet the conditions of `where`.
    """
    terms = get_topic_terms(index.view(), plan.understanding)
    if not plan.windows:
        return [_collect_for_topic(index, plan, terms, as_of, k, where)]
    looked = [_Looked(index, plan, window, terms, as_of, k, where) for window in plan.windows]
    return [window_search.all() for window_search in looked]


def _collect_for_topic(
    index: Searcher, plan: Plan, terms: Terms, as_of: Span | None, k: int, where: Where | None
) -> PeriodEvidence:
    response = index.search(plan.question, k=k, now=plan.now, as_of=as_of, where=where)
    # What all documents on the topic have alike does not tell the better ones from the others.
    scores = [hit.score - hit.parts.get("topic", 0.0) for hit in response]
    best = scores[0] if scores else 0.0
    hits = [
        hit
        for hit, score in zip(response, scores, strict=True)
        if (score >= _GOOD * best or (score >= _WORTH * best and answers_topic(terms, hit)))
        and (hit.relevance is None or hit.relevance >= _MIN_RELEVANCE)
    ]
    if response.outcome == "topic_unknown":
        hits = []
    select = _find_stated_time if asks_when(plan.understanding) else _get_evidence
    items = tuple(EvidenceItem(hit, select(hit), "topic") for hit in hits)
    if hits:
        items += tuple(
            EvidenceItem(hit, select(hit), "topic")
            for name, question in list_subject_questions(plan, items)
            for hit in index.search(question, k=_EXTRA, now=plan.now, as_of=as_of, where=where)
            if is_subject_covered(name, [EvidenceItem(hit, None, "topic")])
            and (hit.relevance is None or hit.relevance >= _MIN_RELEVANCE)
        )
    outcome: Outcome = "topic_unknown" if response.outcome == "topic_unknown" else "no_window"
    return PeriodEvidence(None, outcome, items, 0, response.hidden, response.missing)


def list_subject_questions(plan: Plan, items: Sequence[EvidenceItem]) -> list[tuple[str, str]]:
    """The subjects that no evidence is about, each with the question without the other subjects."""
    questions = []
    for name in plan.subjects:
        if not is_subject_covered(name, items):
            others = "|".join(re.escape(other) for other in plan.subjects if other != name)
            questions.append((name, " ".join(re.sub(rf"\b(?:{others})\b", " ", plan.topic).split())))
    return questions


def is_subject_covered(name: str, items: Sequence[EvidenceItem]) -> bool:
    """Whether a document of the evidence has a name."""
    tokens = set(analyse(name))
    documents = (item.hit.document for item in items)
    return any(
        tokens <= set(analyse(f"{document.id} {document.title} {document.series or ''} {document.text}"))
        for document in documents
    )


def asks_when(understanding: Understanding) -> bool:
    """Whether a question asks for a time and states none."""
    return understanding.intent == "when" and not understanding.constraints and not understanding.periods


def _find_stated_time(hit: Hit) -> Evidence | None:
    """The time that a hit states beside the words of the question, as evidence."""
    for time in hit.times:
        if time.provenance in ("stated", "carried") and time.local > 0:
            axis = "title" if time.start_char < 0 and time.provenance == "stated" else "content"
            return Evidence(time.span, time.text, time.start_char, time.end_char, time.context, 1.0, time.local, axis)
    return _get_evidence(hit)


class _Looked:
    """One time of a plan, looked up."""

    def __init__(
        self,
        index: Searcher,
        plan: Plan,
        window: Window,
        terms: Terms,
        as_of: Span | None,
        k: int,
        where: Where | None = None,
    ) -> None:
        self._index, self._plan, self._window, self._terms = index, plan, window, terms
        self._as_of, self._k, self._where = as_of, k, where

    def all(self) -> PeriodEvidence:
        response = self._search(self._window.span, _DEPTH)
        items = [item for hit in response if (item := self._classify_hit(hit)) is not None]
        by = {name: [item for item in items if item.standing == name] for name in ("within", "vague", "other")}
        # A question for whatever there is is answered by all of it; one with a topic by the best.
        most = self._k if self._terms.tokens else max(self._k, _MAX_RECORDS)
        held = [] if by["within"] else self._collect_valid({item.hit.id for item in items})
        selected = [*by["within"], *held, *by["vague"]][:most]
        selected += self._cover_subjects(selected, items)
        selected += by["other"][: max(0, self._k - len(selected))]
        if len(selected) < self._k and not self._plan.is_course:
            selected += self._collect_near({item.hit.id for item in items})[: self._k - len(selected)]
        more = len(by["within"]) - sum(item.standing == "within" for item in selected)
        outcome = self._decide_outcome([*by["within"], *held])
        return PeriodEvidence(self._window, outcome, tuple(selected), more, response.hidden, response.missing)

    def _cover_subjects(self, selected: list[EvidenceItem], items: list[EvidenceItem]) -> list[EvidenceItem]:
        """The best items on subjects of the question that the selected ones say nothing of."""
        added: list[EvidenceItem] = []
        for name, question in list_subject_questions(self._plan, selected):
            found = (self._classify_hit(hit) for hit in self._search(self._window.span, _EXTRA, question))
            candidates = [*items, *(item for item in found if item is not None)]
            covering = (item for item in candidates if item.standing != "other" and is_subject_covered(name, [item]))
            added += islice(covering, 1)
        return added

    def _search(self, during: Span, k: int, question: str | None = None) -> Response:
        return self._index.search(
            question or self._plan.topic,
            k=k,
            now=self._plan.now,
            during=during,
            strict=True,
            as_of=self._as_of,
            where=self._where,
        )

    def _classify_hit(self, hit: Hit) -> EvidenceItem | None:
        evidence = _get_evidence(hit)
        if evidence is None or evidence.match < _MATCH:
            return None
        span = self._window.span
        if evidence.axis == "valid" and evidence.span not in span:
            return None  # in force then, and older
        if self._window.axis == "publication" and hit.document.published not in span:
            return None
        if not answers_topic(self._terms, hit, evidence):
            return EvidenceItem(hit, evidence, "other")
        return EvidenceItem(hit, evidence, "within" if evidence.span in span else "vague")

    def _collect_valid(self, used_ids: set[str]) -> list[EvidenceItem]:
        """What holds then although it is older, by its own word or as a version of its series; only for a topic."""
        if not self._terms.tokens:
            return []
        response = self._index.search(
            self._plan.topic,
            k=self._k,
            now=self._plan.now,
            valid_at=self._window.span,
            as_of=self._as_of,
            where=self._where,
        )
        hits = [hit for hit in response if hit.id not in used_ids and answers_topic(self._terms, hit)]
        # The last version of a series is known to hold up to the present, and not for all time to come.
        is_past = self._window.span.start < self._get_present_end()
        return [EvidenceItem(hit, None, "in_force") for hit in hits if is_past or hit.document.valid is not None]

    def _get_present_end(self) -> int:
        """The end of the present, or of the time at which the newest document appeared, if that is later."""
        ends = self._index.view().published.spans.ends
        newest = int(ends[ends != OPEN_END].max(initial=OPEN_START))
        return newest if self._plan.now is None else max(newest, self._plan.now.end)

    def _decide_outcome(self, answering: Sequence[EvidenceItem]) -> Outcome:
        if answering:
            return "recorded"
        return "none_recorded" if is_covered(self._index.view(), self._window.span, self._as_of) else "not_covered"

    def _collect_near(self, used_ids: set[str]) -> list[EvidenceItem]:
        """What lies around the time, nearest first; what states no date of its own, and lies in the same unit of the
        next coarser kind, before all others: the date that it inherited may be off."""
        span = self._window.span
        if span.is_open or span.grain not in _COARSER:
            return []
        unit = span.widen(_COARSER[span.grain])
        items: list[tuple[bool, int, int, EvidenceItem]] = []
        for hit in self._search(_widen_span(span, unit), _AROUND):
            evidence = _get_evidence(hit)
            if (
                evidence is None
                or evidence.span.is_open
                or hit.id in used_ids
                or not answers_topic(self._terms, hit, evidence)
            ):
                continue
            sure = not (is_carried_over(evidence) and evidence.span in unit)
            items.append((sure, abs(span.gap(evidence.span)), len(items), EvidenceItem(hit, evidence, "near")))
        return [item for *_, item in sorted(items, key=lambda row: row[:3])]


def _get_evidence(hit: Hit) -> Evidence | None:
    """The time that supports a hit; an estimate is none."""
    return next(_list_stated(hit), None)


def _list_stated(hit: Hit) -> Iterator[Evidence]:
    return (item for item in hit.evidence if item.axis != ESTIMATED_AXIS)


def _widen_span(span: Span, unit: Span) -> Span:
    reach = _REACH * span.grain.seconds
    start = max(min(unit.start, span.start - reach), OPEN_START + 1)
    end = min(max(unit.end, span.end + reach), OPEN_END - 1)
    return Span(start, end, Grain.SECOND)


#: The longest quote of an answer, and the longest part of a text that a language model gets, in characters.
_LONGEST: Final = 300
_EXCERPT: Final = 1_200
#: A sentence shorter than this is quoted with the one after it: "13. Rain." says little.
_SHORT: Final = 12
_SPACE = re.compile(r"\s")


def find_quote(hit: Hit, evidence: Evidence | None, topic: Terms) -> tuple[int, int]:
    """The place of the quote of a hit in its text: the sentence or line with the date, or the one nearest the topic."""
    text, first = hit.document.text, hit.passage_start
    parts = [(first + start, first + end) for start, end in units(hit.passage)] or [(first, first + len(hit.passage))]
    at = 0
    if evidence is not None and evidence.axis == "content" and evidence.start_char >= 0:
        at = next((number for number, part in enumerate(parts) if part[0] <= evidence.start_char < part[1]), 0)
    elif topic.tokens:
        present = [[token in set(analyse(text[start:end])) for token in topic.tokens] for start, end in parts]
        at = int(topic.shares(np.array(present)).argmax())
    start, end = _trim_range(text, *parts[at])
    while end - start < _SHORT and at + 1 < len(parts):
        at += 1
        end = _trim_range(text, start, parts[at][1])[1]
    mark = evidence.start_char if evidence is not None and evidence.start_char >= 0 else start
    return _cut(text, start, end, mark, _LONGEST)


def find_excerpt(hit: Hit, start: int, end: int) -> tuple[int, int]:
    """The place of the text around a quote that a language model is shown: the passage, as far as there is room."""
    text = hit.document.text
    low, high = _trim_range(text, hit.passage_start, hit.passage_start + len(hit.passage))
    low, high = min(low, start), max(high, end)
    return _cut(text, low, high, start, _EXCERPT)


def _trim_range(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, end: int, mark: int, most: int) -> tuple[int, int]:
    """A run of at most so many characters that holds the mark, between words where there are spaces."""
    if end - start <= most:
        return start, end
    low = max(start, min(mark - most // 3, end - most))
    high = min(end, low + most)
    if low > start and (space := _SPACE.search(text, low, min(low + 40, mark))):
        low = space.end()
    if high < end:
        spaces = [match.start() for match in _SPACE.finditer(text, max(high - 40, mark), high)]
        high = spaces[-1] if spaces else high
    return _trim_range(text, low, high)
