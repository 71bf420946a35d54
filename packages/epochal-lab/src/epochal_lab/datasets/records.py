"""A test set in one shape: documents, queries, relevance, periods; also sets of steps, and TEMPO's query variants.

A set of steps has one query per step. Its annotations hold `parent`, the id of the question that the step serves, the
question's words under `parent_text`, and the step's own under `step_text`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from epochal.errors import EpochalError, UnknownNameError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.metrics.runs import DocumentTimes, Judgements, PeriodQrels, Qrels, QueryTimes, Verdicts, stated_times

#: Takes how much of the work of a builder is done, and a note.
ProgressCallback = Callable[[int, str], None]

_YES: Final = ("1", "true", "yes", "on")
_NO: Final = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """A question of a test set.

    `now` is its reference time, `periods` are the spans of time that an answer must cover, `kind` the class under which
    it is reported, `excluded` the documents that are taken out of its own ranking. `annotations` are whatever else the
    set says of it, as JSON values.
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
class SetCard:
    """What one should know of a set before trusting its figures."""

    title: str
    description: str = ""
    source: str = ""
    licence: str = "none stated"
    language: str = "en"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BenchSet:
    """A test set. `documents` can be iterated any number of times; large sets read them from disk each time."""

    id: str
    documents: Iterable[Document]
    queries: tuple[BenchQuery, ...]
    qrels: Qrels
    period_qrels: PeriodQrels = field(default_factory=dict)
    card: SetCard = field(default_factory=lambda: SetCard(""))

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits, in the order of the queries."""
        return tuple(dict.fromkeys(query.split for query in self.queries))

    def select_split(self, name: str) -> BenchSet:
        """The same documents with the questions of one split."""
        if name not in self.splits:
            raise EpochalError(f"the set {self.id!r} has no split {name!r}; it has: {', '.join(self.splits) or 'none'}")
        return self.with_queries(query for query in self.queries if query.split == name)

    def with_queries(self, queries: Iterable[BenchQuery]) -> BenchSet:
        """The same documents with other questions, or some of its own, and the judgements of those."""
        selected = tuple(queries)
        ids = {query.id for query in selected}
        return replace(
            self,
            queries=selected,
            qrels={query: judged for query, judged in self.qrels.items() if query in ids},
            period_qrels={query: judged for query, judged in self.period_qrels.items() if query in ids},
        )

    def judgements(
        self, verdicts: Verdicts | None = None, *, times: Callable[[Document], Iterable[Span]] | None = None
    ) -> Judgements:
        """What runs on this set are measured against. `times` gives the times that a document mentions; `stated_times`
        unless given.

        Reads the documents once; those without any time are left out.
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
    """A setting of a builder: its name, what it is unless given, and what it does. Its type is that of its default."""

    name: str
    default: bool | int | float | str
    help: str
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> bool | int | float | str:
        """The value that a text gives."""
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
        value: str = self.validate(text)
        return value

    def validate(self, value: Any) -> Any:
        """A value given from Python, if it is one that the switch takes."""
        if isinstance(self.default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(self.default):
            raise EpochalError(f"{self.name} is {value!r}; accepted: a value of type {type(self.default).__name__}")
        if self.choices and value not in self.choices:
            raise EpochalError(f"{self.name} is {value!r}; accepted: {', '.join(self.choices)}")
        return value


#: Ways of asking: by the step alone, by the question with the step, or once by the question with all of its steps.
STRATEGIES: Final = ("step-only", "query+step", "query+all")
#: What is before a step, as in TEMPO's code.
_PREFIX: Final = "\n\nStep: "


@dataclass(frozen=True, slots=True)
class StepMeans:
    """A measure over steps, averaged twice: over all steps, and within each question before over questions.

    TEMPO's code does the first, its paper describes the second. Steps whose value is not a number (a measure that is
    not defined for them) are passed over, and counted by neither.
    """

    pooled: float
    by_question: float
    steps: int
    questions: int


def apply_strategy(bench_set: BenchSet, strategy: str) -> BenchSet:
    """The same steps with the texts that a strategy searches by; judgements stay those of each step.

    All steps of a question have the same text under `query+all`: a ranking for one is that for all of them.
    """
    if strategy not in STRATEGIES:
        raise UnknownNameError("strategy for steps", strategy, STRATEGIES)
    plans: dict[str, list[str]] = {}
    for query in bench_set.queries:
        plans.setdefault(_get_annotation(query, "parent", bench_set.id), []).append(
            _get_annotation(query, "step_text", bench_set.id)
        )
    return replace(
        bench_set, queries=tuple(_build_step_query(query, strategy, plans, bench_set.id) for query in bench_set.queries)
    )


def average_steps(values: Mapping[str, float], bench_set: BenchSet) -> StepMeans:
    """The two averages of a measure, whose values are given by step; a step without a value is an error."""
    by_parent: dict[str, list[float]] = {}
    for query in bench_set.queries:
        if query.id not in values:
            raise EpochalError(f"the step {query.id!r} of {bench_set.id!r} has no value; give one for every step")
        if not math.isnan(values[query.id]):
            by_parent.setdefault(_get_annotation(query, "parent", bench_set.id), []).append(values[query.id])
    every = [value for step_values in by_parent.values() for value in step_values]
    means = [math.fsum(step_values) / len(step_values) for step_values in by_parent.values()]
    return StepMeans(_average(every), _average(means), len(every), len(means))


def _build_step_query(query: BenchQuery, strategy: str, plans: Mapping[str, list[str]], id: str) -> BenchQuery:
    step = _get_annotation(query, "step_text", id)
    if strategy == "step-only":
        return replace(query, text=step)
    steps = [step] if strategy == "query+step" else plans[_get_annotation(query, "parent", id)]
    return replace(
        query, text="".join((_get_annotation(query, "parent_text", id), *(f"{_PREFIX}{item}" for item in steps)))
    )


def _get_annotation(query: BenchQuery, key: str, id: str) -> str:
    value = query.annotations.get(key)
    if not isinstance(value, str):
        accepted = "a set of steps, whose annotations have 'parent', 'parent_text' and 'step_text'"
        raise EpochalError(f"the question {query.id!r} of {id!r} has no {key!r}; accepted: {accepted}")
    return value


def _average(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


#: The question as it is; without its signals of time; its times and events alone; with intent and anchors after it.
VARIANTS: Final = ("baseline", "strip", "temporal-only", "normalized")

_SIGNALS, _EVENTS = "query_temporal_signals", "query_temporal_events"
_ANCHORS, _INTENT = "key_time_anchors", "temporal_intent"


def apply_variant(bench_set: BenchSet, variant: str) -> BenchSet:
    """The same set with questions in a variant; everything but their texts stays."""
    _check(variant)
    if variant == "baseline":
        return bench_set
    queries = (replace(query, text=build_variant_text(query, variant)) for query in bench_set.queries)
    return replace(bench_set, queries=tuple(queries))


def build_variant_text(query: BenchQuery, variant: str) -> str:
    """The text of a question in a variant.

    Signals, events, anchors and intent are those of the set's annotations where the question has any of these, and
    are read by rule elsewhere. Where nothing is left, the text is empty: such a question finds nothing.
    """
    _check(variant)
    if variant == "baseline":
        return query.text
    if not any(key in query.annotations for key in (_SIGNALS, _EVENTS, _ANCHORS, _INTENT)):
        return _read(query, variant)
    from epochal.reading.questions.topic import keep_times, normalise, strip_times

    anchors, signals = _list(query, _ANCHORS), _list(query, _SIGNALS)
    if variant == "strip":
        return strip_times(query.text, signals)
    if variant == "temporal-only":
        return keep_times(anchors, _list(query, _EVENTS), signals)
    return normalise(query.text, str(query.annotations.get(_INTENT) or "none"), anchors)


def _check(variant: str) -> None:
    if variant not in VARIANTS:
        raise UnknownNameError("query variant", variant, VARIANTS)


def _read(query: BenchQuery, variant: str) -> str:
    from epochal.reading.questions.understand import understand

    return dict(understand(query.text, query.now).variants)[variant.replace("-", "_")]


def _list(query: BenchQuery, key: str) -> Iterable[str]:
    value = query.annotations.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []
