"""Evaluate a run by several measures, average over queries, kinds and domains, and parse measures by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.metrics.measure import Measure, Spec
from epochal_lab.metrics.runs import Judgements, Ranking, Run


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over the values that are defined; nan where none is. `count` says how many, `undefined` how many are not.

    >>> Average(0.5, 10).undefined
    0
    """

    mean: float
    count: int
    undefined: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """The two ways to average over domains, which differ where domains differ in size, and each domain for itself.

    >>> average_domains({"law": {"q1": 1.0}, "travel": {"q2": 0.0, "q3": 0.0}}).macro.mean
    0.5
    """

    pooled: Average
    macro: Average
    domains: Mapping[str, Average]


def average(values: Iterable[float]) -> Average:
    """The mean of the values that are numbers.

    >>> average([1.0, 0.0, float("nan")])
    Average(mean=0.5, count=2, undefined=1)
    """
    numbers = list(values)
    defined = [value for value in numbers if not math.isnan(value)]
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    return Average(mean, len(defined), len(numbers) - len(defined))


def average_domains(values: Mapping[str, Mapping[str, float]]) -> Averages:
    """Means over domains, from each domain's values by question.

    `pooled` takes every question alike, `macro` every domain: TEMPO's Table 4 is the first, its Tables 3 and 29 are the
    second. A domain in which nothing is defined does not count in `macro`, and is counted as undefined.

    >>> found = average_domains({"law": {"q1": 1.0}, "travel": {"q2": 0.0, "q3": 0.0}, "iota": {"q4": float("nan")}})
    >>> round(found.pooled.mean, 3), found.macro
    (0.333, Average(mean=0.5, count=2, undefined=1))
    """
    domains = {domain: average(by_question.values()) for domain, by_question in values.items()}
    pooled = average(value for by_question in values.values() for value in by_question.values())
    return Averages(pooled, average(domain.mean for domain in domains.values()), domains)


def average_by_kind(values: Mapping[str, float], kinds: Mapping[str, str]) -> dict[str, Average]:
    """The mean of each kind of question, in the order of their names; questions without a kind are under ''.

    >>> average_by_kind({"q1": 1.0, "q2": 0.0, "q3": 0.5}, {"q1": "point", "q2": "window", "q3": "point"})
    {'point': Average(mean=0.75, count=2, undefined=0), 'window': Average(mean=0.0, count=1, undefined=0)}
    """
    groups: dict[str, list[float]] = {}
    for query, value in values.items():
        groups.setdefault(kinds.get(query, ""), []).append(value)
    return {kind: average(groups[kind]) for kind in sorted(groups)}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one measure says of a run: a value for each question, nan where it is undefined.

    `unanswered` counts the questions with a value that the run has no document for, `gaps` the documents within the
    cut-off of which something that the measure needs is not known.

    >>> from epochal_lab.metrics import Hit
    >>> outcome = Outcome(Hit(1), {"q1": 1.0, "q2": float("nan")})
    >>> outcome.average
    Average(mean=1.0, count=1, undefined=1)
    """

    measure: Measure
    values: Mapping[str, float]
    unanswered: int = 0
    gaps: int = 0

    @property
    def average(self) -> Average:
        """The mean over the questions for which it is defined, and how many those are.

        >>> from epochal_lab.metrics import Hit
        >>> Outcome(Hit(1), {"q1": 1.0, "q2": 0.0}).average.mean
        0.5
        """
        return average(self.values.values())


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What measures say of a run, in the order in which they were asked for.

    `unjudged` counts the questions of the run of which nothing is known; they are left out.

    >>> Evaluation((), 3).unjudged
    3
    """

    outcomes: tuple[Outcome, ...]
    unjudged: int = 0

    def __getitem__(self, measure: Measure | str) -> Outcome:
        for outcome in self.outcomes:
            if measure == outcome.measure or measure == str(outcome.measure):
                return outcome
        measured = ", ".join(str(outcome.measure) for outcome in self.outcomes)
        raise EpochalError(f"{measure} was not measured; accepted: {measured or 'nothing, for nothing was'}")


def evaluate(run: Run, judgements: Judgements, measures: Iterable[Measure]) -> Evaluation:
    """Measure a run; it is put in order once for all measures.

    A question that is judged and that the run does not answer counts 0; one of which the measure cannot tell anything
    is left out of its mean, and counted.

    >>> from epochal_lab.metrics import parse_measures
    >>> judged = Judgements({"q1": {"d1": 1}, "q2": {"d1": 1}})
    >>> evaluation = evaluate({"q1": {"d1": 0.5}, "q9": {"d1": 0.5}}, judged, parse_measures("hit@1 R@10"))
    >>> evaluation["hit@1"].average.mean, evaluation["hit@1"].unanswered, evaluation.unjudged
    (0.5, 1, 1)
    """
    ranking = Ranking(run, judgements)
    outcomes = []
    for measure in measures:
        scores = measure.score(ranking)
        defined = ~np.isnan(scores.values)
        outcomes.append(
            Outcome(
                measure,
                dict(zip(ranking.queries, scores.values.tolist(), strict=True)),
                int((defined & (ranking.counts == 0)).sum()),
                0 if scores.gaps is None else int(scores.gaps.sum()),
            )
        )
    return Evaluation(tuple(outcomes), ranking.unjudged)


def missing_requirements(measure: Measure, judgements: Judgements) -> tuple[str, ...]:
    """What a measure needs that these judgements have nothing of, in words.

    >>> from epochal_lab.metrics import parse_measure
    >>> missing_requirements(parse_measure("tnDCG@10"), Judgements({"q1": {"d1": 1}}))
    ('periods of questions', 'times that documents mention')
    """
    present = {
        "qrels": (any(judgements.qrels.values()), "relevance judgements"),
        "coverage": (
            bool(judgements.period_qrels)
            or any(verdict.covers for verdicts in judgements.verdicts.values() for verdict in verdicts.values()),
            "period labels or verdicts on periods",
        ),
        "verdicts": (bool(judgements.verdicts), "verdicts of a judge"),
        "periods": (any(query.periods for query in judgements.queries.values()), "periods of questions"),
        "content": (any(item.content for item in judgements.documents.values()), "times that documents mention"),
        "published": (any(item.published for item in judgements.documents.values()), "dates of publication"),
    }
    return tuple(present[need][1] for need in measure.needs if not present[need][0])


#: Where installed packages offer measures: an entry point is a class that derives from `Measure`.
GROUP: Final = "epochal.metrics"

_BUILT_IN: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "nDCG": ("epochal_lab.metrics.relevance", "NDCG"),
        "R": ("epochal_lab.metrics.relevance", "Recall"),
        "hit": ("epochal_lab.metrics.relevance", "Hit"),
        "MRR": ("epochal_lab.metrics.relevance", "MRR"),
        "AP": ("epochal_lab.metrics.relevance", "AP"),
        "P": ("epochal_lab.metrics.relevance", "Precision"),
        "TP": ("epochal_lab.metrics.temporal", "TemporalPrecision"),
        "TR": ("epochal_lab.metrics.temporal", "TemporalRelevance"),
        "TC": ("epochal_lab.metrics.temporal", "TemporalCoverage"),
        "nDCG|FC": ("epochal_lab.metrics.temporal", "FullCoverageNDCG"),
        "TimeVar": ("epochal_lab.metrics.temporal", "TimeVar"),
        "MFG": ("epochal_lab.metrics.temporal", "MFG"),
        "tnDCG": ("epochal_lab.metrics.temporal", "TemporalNDCG"),
    }
)
#: Other names that are in use.
_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {"map": "AP", "rr": "MRR", "recall": "R", "success": "hit", "precision": "P"}
)
_FORM: Final = re.compile(r"(?P<head>[^@]*)(?:@(?P<cutoff>[^@(]*)(?P<tail>[^@]*))?")
#: Commas and spaces between measures, not those between the parameters of one.
_BETWEEN: Final = re.compile(r"(?:[\s,]+)(?![^()]*\))")


def measure_names() -> tuple[str, ...]:
    """The names of the measures that are at hand.

    >>> measure_names()[:6]
    ('nDCG', 'R', 'hit', 'MRR', 'AP', 'P')
    """
    return (*_BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - set(_BUILT_IN)))


def measure_type(name: str) -> type[Measure]:
    """The class of the measure of that name, in capitals or not."""
    folded = name.casefold()
    known = next((own for own in _BUILT_IN if own.casefold() == folded), _ALIASES.get(folded))
    if known is not None:
        module, attribute = _BUILT_IN[known]
        return cast("type[Measure]", getattr(import_module(module), attribute))
    point = next((point for point in entry_points(group=GROUP) if point.name.casefold() == folded), None)
    if point is None:
        raise UnknownNameError("measure", name, measure_names())
    loaded = point.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Measure)):
        raise EpochalError(f"measure {name!r} is {loaded!r}; accepted: a class that derives from Measure")
    return loaded


def parse_measure(text: str) -> Measure:
    """The measure that a text names: NAME, NAME@K or NAME@K(key=value, ...).

    >>> parse_measure("nDCG@10") == parse_measure("ndcg@10(gain=linear)")
    True
    >>> print(parse_measure("TimeVar@5(unit=days, missing=skip)"))
    TimeVar@5(unit=days)
    >>> parse_measure("fame@5")
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no measure is called 'fame'; known: nDCG, R, hit, MRR, AP, P, TP, TR, TC, nDCG|FC,
    TimeVar, MFG, tnDCG
    """
    match = _FORM.fullmatch(text.strip())
    try:
        if match is None or (match["cutoff"] is not None and not re.fullmatch(r"[0-9]+", match["cutoff"].strip())):
            raise EpochalError(text)
        spec = Spec.parse(match["head"] + (match["tail"] or ""))
    except EpochalError:
        accepted = f"NAME, NAME@K or NAME@K(key=value, ...), where NAME is one of {', '.join(measure_names())}"
        raise EpochalError(f"{text!r} is no measure; accepted: {accepted}") from None
    kind = measure_type(spec.name)
    known = {item.name: item.default for item in fields(kind) if item.name != "cutoff"}
    settings = {key: _read(kind.name, key, value, known[key]) for key, value in spec.only(*known).items()}
    return kind(None if match["cutoff"] is None else int(match["cutoff"]), **settings)


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Several measures, with spaces or commas between them.

    >>> [str(measure) for measure in parse_measures("nDCG@10, R@100 MFG@5(unit=days, clip=true)")]
    ['nDCG@10', 'R@100', 'MFG@5(clip=true)']
    """
    return tuple(parse_measure(part) for part in _BETWEEN.split(text.strip()) if part)


def _read(measure: str, key: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(default)(text)
    except (ValueError, KeyError):
        accepted = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise EpochalError(f"the parameter {key} of {measure} is {text!r}; accepted: {accepted}") from None
