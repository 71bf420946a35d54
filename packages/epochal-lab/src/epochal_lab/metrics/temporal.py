"""Measures of time.

TC, nDCG|FC  the share of a query's periods that are covered, and nDCG of queries whose periods all are
TP, TR       whether documents that help with the time of a query come first, and their share
TimeVar      how far the times of the documents lie from the queried time
MFG          how much older than the freshest relevant document the documents are
tnDCG        nDCG whose gains say how well a document's time fits the queried time
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np

from epochal.errors import EpochalError
from epochal.times.axis import DAY, OPEN_END, OPEN_START
from epochal.times.span import Span
from epochal_lab.metrics.measure import Choices, Measure, Scores
from epochal_lab.metrics.relevance import NDCG
from epochal_lab.metrics.runs import Bools, DocumentTimes, Floats, Judgements, Ranking, Run, Verdict

#: Seconds of each unit; years and months are the mean ones of the Gregorian calendar.
UNITS: Final[Mapping[str, float]] = MappingProxyType(
    {"years": 365.2425 * DAY, "months": 365.2425 / 12 * DAY, "days": float(DAY)}
)
#: What is taken for the distance of two spans.
BETWEEN: Final = ("spans", "gaps", "starts", "middles")


def distance(first: Span, second: Span, between: str = "spans") -> float | None:
    """Seconds from the first span to the second, negative where the second is earlier; None where there is no telling.

    `spans`: 0 where they overlap, else how far the shorter would have to move to lie within the longer, at its edge.
    Spans of one length are then as far apart as their starts: a day is one day from the next, not none.
    `gaps`: what lies between them, 0 where they touch. `starts`, `middles`: from point to point, for comparison with
    figures that were made so; the start or the middle of an open span is its known end.
    """
    if between in ("starts", "middles"):
        here, there = _pick_point(first, between), _pick_point(second, between)
        return None if here is None or there is None else there - here
    if first.overlaps(second):
        return 0.0
    moved = float(first.gap(second))
    if between == "gaps":
        return moved
    shorter = float(min(first.seconds, second.seconds))
    return moved + shorter if second.start > first.start else moved - shorter


def nearest_distance(targets: Iterable[Span], stated: Iterable[Span], between: str = "spans") -> float | None:
    """The distance of the two spans that lie closest, one of each; None where there are none to compare."""
    spans = tuple(stated)
    distances = [
        between_them
        for one in targets
        for other in spans
        if (between_them := distance(one, other, between)) is not None
    ]
    return min(distances, key=abs, default=None)


def _pick_point(span: Span, between: str) -> float | None:
    open_start, open_end = span.start == OPEN_START, span.end == OPEN_END
    if open_start and open_end:
        return None
    if open_start:
        return float(span.end)
    if open_end or between == "starts":
        return float(span.start)
    return (span.start + span.end) / 2


@dataclass(frozen=True, slots=True)
class TemporalCoverage(Measure):
    """TEMPO's TC@k, for any number of periods: the share of them that some document within k covers.

    Verdicts of a judge go before period labels (`period_qrels`). Where verdicts are missing and could still make a
    period covered, the value is undefined (`missing=skip`); `missing=miss` and `missing=hit` give the least and the
    most that it can be. With `periods=coverable`, periods that no document of the labels covers are not counted, as
    subtopic recall does it; with verdicts there is no telling, and all count.

    >>> from epochal_lab.metrics import Judgements
    >>> judged = Judgements(period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2", "d3"}))})
    >>> TemporalCoverage(2).per_query({"q1": {"d3": 3, "d2": 2, "d1": 1}}, judged)
    {'q1': 0.5}
    """

    name: ClassVar[str] = "TC"
    title: ClassVar[str] = "temporal coverage"
    needs = ("coverage",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"missing": ("skip", "miss", "hit"), "periods": ("required", "coverable")}

    missing: str = "skip"
    periods: str = "required"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it has no periods to cover."""
        values = np.full(len(ranking), np.nan)
        gaps = np.zeros(len(ranking), dtype=np.int64)
        for number, query in enumerate(ranking.queries):
            documents = ranking.get_documents(number, self.cutoff)
            verdicts = ranking.judgements.verdicts.get(query, {})
            count = max((len(verdict.covers) for verdict in verdicts.values()), default=0)
            if count:
                values[number], gaps[number] = self._score_verdicts(documents, verdicts, count)
            elif query in ranking.judgements.period_qrels:
                sets = ranking.judgements.period_qrels[query]
                if self.periods == "coverable":
                    sets = tuple(covering for covering in sets if covering)
                if sets:
                    values[number] = sum(not covering.isdisjoint(documents) for covering in sets) / len(sets)
        return Scores(values, gaps)

    def _score_verdicts(self, documents: list[str], verdicts: Mapping[str, Verdict], count: int) -> tuple[float, int]:
        unknown: tuple[bool | None, ...] = (None,) * count
        rows = [((verdicts.get(document) or Verdict()).covers + unknown)[:count] for document in documents]
        states = [[covers[period] for covers in rows] for period in range(count)]
        gaps = sum(None in covers for covers in rows)
        if self.missing == "skip" and any(None in state and True not in state for state in states):
            return float("nan"), gaps
        counted = (True, None) if self.missing == "hit" else (True,)
        return sum(any(covers in counted for covers in state) for state in states) / count, gaps


@dataclass(frozen=True, slots=True)
class FullCoverageNDCG(Measure):
    """TEMPO's NDCG|FC@k: nDCG@k where TC@k is 1, and undefined elsewhere.

    Each system has its own such questions, so that two means cannot be compared; take `full_coverage_intersection` for
    that.

    >>> judged = Judgements({"q1": {"d1": 1}}, period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2"}))})
    >>> FullCoverageNDCG(2).per_query({"q1": {"d1": 2, "d2": 1}}, judged)
    {'q1': 1.0}
    >>> FullCoverageNDCG(1).per_query({"q1": {"d1": 2, "d2": 1}}, judged)
    {'q1': nan}
    """

    name: ClassVar[str] = "nDCG|FC"
    title: ClassVar[str] = "nDCG given full coverage"
    needs = ("qrels", "coverage")
    needs_cutoff = True
    choices: ClassVar[Choices] = {
        "gain": NDCG.choices["gain"],
        "missing": TemporalCoverage.choices["missing"],
        "periods": TemporalCoverage.choices["periods"],
    }

    gain: str = "linear"
    missing: str = "skip"
    periods: str = "required"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant, or not every period is covered."""
        covered = TemporalCoverage(self.cutoff, self.missing, self.periods).score(ranking)
        whole = NDCG(self.cutoff, self.gain).score(ranking).values
        return Scores(np.where(covered.values == 1.0, whole, np.nan), covered.gaps)


def full_coverage_intersection(
    runs: Iterable[Run], judgements: Judgements, cutoff: int = 10, **settings: str
) -> frozenset[str]:
    """The questions whose periods every one of these runs covers within the cut-off; settings are those of TC.

    >>> judged = Judgements({"q1": {"d1": 1}}, period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2"}))})
    >>> both, one = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d1": 1}}
    >>> full_coverage_intersection([both, both], judged), full_coverage_intersection([both, one], judged)
    (frozenset({'q1'}), frozenset())
    """
    covered = frozenset(judgements.query_ids)
    measure = TemporalCoverage(cutoff, **settings)
    for run in runs:
        covered &= {query for query, value in measure.per_query(run, judgements).items() if value == 1.0}
    return covered


_NONE: Final = DocumentTimes()


@dataclass(frozen=True, slots=True)
class _DistanceMeasure(Measure):
    """A mean over the first K documents of how far each is away in time; lower is better."""

    needs_cutoff = True
    higher_is_better = False
    choices: ClassVar[Choices] = {"unit": tuple(UNITS), "missing": ("skip", "penalise"), "between": BETWEEN}

    unit: str = "days"
    missing: str = "skip"
    between: str = "spans"
    penalty: float = 10.0

    def __post_init__(self) -> None:
        Measure.__post_init__(self)
        if not 0 <= self.penalty < float("inf"):
            raise EpochalError(f"the parameter penalty of {self.name} is {self.penalty}; accepted: a number from 0")

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it or everything within K has no time."""
        depth = self.cutoff or 0
        values = np.full(len(ranking), np.nan)
        gaps = np.zeros(len(ranking), dtype=np.int64)
        for number, query in enumerate(ranking.queries):
            documents = ranking.get_documents(number, depth)
            distances = self._measure_distances(ranking.judgements, query, documents)
            if distances is None:
                continue
            known = [self._rate(seconds / UNITS[self.unit]) for seconds in distances if seconds is not None]
            gaps[number] = len(documents) - len(known)
            if self.missing == "penalise":
                known += [self._rate(self.penalty)] * (depth - len(known))
            if known:
                values[number] = sum(known) / len(known)
        return Scores(values, gaps)

    @abstractmethod
    def _measure_distances(
        self, judgements: Judgements, query: str, documents: Sequence[str]
    ) -> list[float | None] | None:
        """Seconds between each document and the time it is compared with; None where the question has no such time."""

    @abstractmethod
    def _rate(self, away: float) -> float:
        """What a distance adds to the mean."""


@dataclass(frozen=True, slots=True)
class MFG(_DistanceMeasure):
    """Re3's MFG@K, the mean freshness gap: how long before the freshest relevant document the first K were published.

    A wrong document that is newer has a negative gap, unless `clip` makes it 0. `unit`, `between`, `missing` and
    `penalty` are as for TimeVar; `rel` is the least relevance that counts. Lower is better; it says nothing of topics.

    >>> from epochal_lab.metrics import Judgements
    >>> days = {"new": "2004-05-09", "old": "2004-05-01"}
    >>> published = {name: DocumentTimes((), Span.parse(day)) for name, day in days.items()}
    >>> judged = Judgements({"q1": {"new": 1}}, documents=published)
    >>> MFG(5).per_query({"q1": {"new": 3, "old": 2, "undated": 1}}, judged)
    {'q1': 4.0}
    """

    name: ClassVar[str] = "MFG"
    title: ClassVar[str] = "mean freshness gap"
    needs = ("qrels", "published")

    clip: bool = False
    rel: int = 1

    def _measure_distances(
        self, judgements: Judgements, query: str, documents: Sequence[str]
    ) -> list[float | None] | None:
        published = judgements.documents
        freshest = self._find_freshest(judgements.qrels.get(query, {}), published)
        if freshest is None:
            return None
        dates = [published.get(document, _NONE).published for document in documents]
        return [None if date is None else distance(date, freshest, self.between) for date in dates]

    def _rate(self, away: float) -> float:
        return max(away, 0.0) if self.clip else away

    def _find_freshest(self, judged: Mapping[str, int], published: Mapping[str, DocumentTimes]) -> Span | None:
        dates = [published.get(document, _NONE).published for document, grade in judged.items() if grade >= self.rel]
        return max((date for date in dates if date is not None), key=lambda date: (date.start, date.end), default=None)


def mark_judged_queries(ranking: Ranking) -> Bools:
    """Which questions a judge was asked about; those without temporal intent are not among them."""
    return np.asarray([query in ranking.judgements.verdicts for query in ranking.queries], dtype=bool)


def map_verdicts(ranking: Ranking, cutoff: int | None) -> Floats:
    """For each row of a ranking 1 for relevant, 0 for not, nan for a gap and for what lies beyond the cut-off."""
    answers = np.full(len(ranking.documents), np.nan)
    for number, query in enumerate(ranking.queries):
        verdicts = ranking.judgements.verdicts.get(query)
        if verdicts is None:
            continue
        for position, document in enumerate(ranking.get_documents(number, cutoff), int(ranking.starts[number])):
            verdict = verdicts.get(document)
            if verdict is not None and verdict.relevant is not None:
                answers[position] = verdict.relevant
    return answers


@dataclass(frozen=True, slots=True)
class TemporalPrecision(Measure):
    """TEMPO's TP@k: the mean precision at the ranks within k where the judge found a document relevant.

    0 where none is. It divides by what was found, so that a single hit at the top is worth 1: read it beside TR.
    Documents without a verdict are taken out and the others move up (`missing=skip`), or count as not relevant
    (`missing=miss`, as in the paper's code).

    >>> from epochal_lab.metrics import Judgements, Verdict
    >>> run = {"q1": {"d1": 5, "d2": 4, "d3": 3}}
    >>> verdicts = {"q1": {"d1": Verdict(None), "d2": Verdict(True), "d3": Verdict(False)}}
    >>> TemporalPrecision(3).per_query(run, Judgements(verdicts=verdicts))
    {'q1': 1.0}
    >>> TemporalPrecision(3, missing="miss").per_query(run, Judgements(verdicts=verdicts))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "TP"
    title: ClassVar[str] = "temporal precision"
    needs = ("verdicts",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"missing": ("skip", "miss")}

    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where no judge was asked, or nothing within k has a verdict."""
        verdicts, judged = map_verdicts(ranking, self.cutoff), mark_judged_queries(ranking)
        top = ranking.top(self.cutoff) & judged[ranking.row]
        gap = top & np.isnan(verdicts)
        counted = top & ~gap if self.missing == "skip" else top
        relevant = counted & (verdicts == 1)
        precision = ranking.count_running(relevant) / np.maximum(ranking.count_running(counted), 1)
        count = ranking.sum_rows(relevant)
        mean = np.divide(ranking.sum_rows(relevant, precision), count, out=np.zeros(len(ranking)), where=count > 0)
        defined = judged & ((ranking.sum_rows(counted) > 0) | (ranking.counts == 0))
        return Scores(np.where(defined, mean, np.nan), ranking.sum_rows(gap).astype(np.int64))


@dataclass(frozen=True, slots=True)
class TemporalRelevance(Measure):
    """TEMPO's TR@k: the share of the first k documents that the judge found relevant.

    It divides by k (`depth=k`, as the paper says), or by the number of documents there are (`depth=judged`, as its code
    does). A document without a verdict lowers neither: it is taken out of both counts (`missing=skip`); `missing=miss`
    and `missing=hit` count it as not relevant and as relevant, and the value lies between the two.

    >>> from epochal_lab.metrics import Judgements, Verdict
    >>> judged = Judgements(verdicts={"q1": {"d1": Verdict(True), "d2": Verdict(None), "d3": Verdict(False)}})
    >>> run = {"q1": {"d1": 5, "d2": 4, "d3": 3}}
    >>> [TemporalRelevance(4, missing=way).per_query(run, judged)["q1"] for way in ("miss", "skip", "hit")]
    [0.25, 0.3333333333333333, 0.5]
    """

    name: ClassVar[str] = "TR"
    title: ClassVar[str] = "temporal relevance"
    needs = ("verdicts",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"depth": ("k", "judged"), "missing": ("skip", "miss", "hit")}

    depth: str = "k"
    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where no judge was asked, or nothing within k has a verdict."""
        verdicts, judged = map_verdicts(ranking, self.cutoff), mark_judged_queries(ranking)
        top = ranking.top(self.cutoff) & judged[ranking.row]
        gaps = ranking.sum_rows(top & np.isnan(verdicts))
        relevant = ranking.sum_rows(top & (verdicts == 1)) + (gaps if self.missing == "hit" else 0.0)
        full = np.full(len(ranking), float(self.cutoff or 0)) if self.depth == "k" else ranking.sum_rows(top)
        size = full - gaps if self.missing == "skip" else full
        share = np.divide(relevant, size, out=np.zeros(len(ranking)), where=size > 0)
        only_gaps = (gaps > 0) & (ranking.sum_rows(top) == gaps) & (self.missing == "skip")
        return Scores(np.where(judged & ~only_gaps, share, np.nan), gaps.astype(np.int64))


@dataclass(frozen=True, slots=True)
class TimeVar(_DistanceMeasure):
    """Re3's TimeVar@K: the mean, over the first K documents, of the squared distance to the queried time.

    A document is as far away as the nearest of its times is from the nearest period of the question. `unit` is that of
    the distance before it is squared; `between` is what is taken for it, see `distance`. Documents without times are
    left out (`missing=skip`), or count, like ranks that the run leaves empty, as `penalty` units away
    (`missing=penalise`). Lower is better; it says nothing of topics, so never optimise it alone.

    >>> from epochal_lab.metrics import Judgements, QueryTimes
    >>> from epochal.times import Span
    >>> times = {"d1": DocumentTimes((Span.year(2004),)), "d2": DocumentTimes((Span.year(2006), Span.year(1950)))}
    >>> judged = Judgements(documents=times, queries={"q1": QueryTimes((Span.year(2004),))})
    >>> round(TimeVar(5).per_query({"q1": {"d1": 3, "d2": 2, "d3": 1}}, judged)["q1"], 3)
    1.997
    """

    name: ClassVar[str] = "TimeVar"
    title: ClassVar[str] = "mean squared distance in time"
    needs = ("periods", "content")

    unit: str = "years"

    def _measure_distances(
        self, judgements: Judgements, query: str, documents: Sequence[str]
    ) -> list[float | None] | None:
        times = judgements.queries.get(query)
        if times is None or not times.periods:
            return None
        return [
            nearest_distance(times.periods, judgements.documents.get(document, _NONE).content, self.between)
            for document in documents
        ]

    def _rate(self, away: float) -> float:
        return away**2


#: What an overlap is a share of.
OVERLAP: Final = ("shorter", "period", "document", "union")


@dataclass(frozen=True, slots=True)
class TemporalNDCG(Measure):
    """Temporal nDCG: a relevant document gains by how much its times overlap the periods of the question.

    Its gain is that of nDCG times its overlap, which is the mean, over the periods, of the largest share that one of
    its times has in common with them. `share` says of what: of the shorter of the two (1 where either lies within the
    other), of the period, of the document's time, or of both together. Relevant documents without times are left out
    of the ranking and of the best order (`missing=skip`), or gain nothing (`missing=miss`).

    >>> from epochal_lab.metrics import Judgements, QueryTimes
    >>> times = {"d1": DocumentTimes((Span.parse("2003-07/2004-06"),)), "d2": DocumentTimes((Span.year(2004),))}
    >>> judged = Judgements({"q1": {"d1": 1, "d2": 1}}, documents=times, queries={"q1": QueryTimes((Span.year(2004),))})
    >>> round(TemporalNDCG(10).per_query({"q1": {"d1": 2, "d2": 1}}, judged)["q1"], 3)
    0.859
    >>> TemporalNDCG(10).per_query({"q1": {"d2": 2, "d1": 1}}, judged)
    {'q1': 1.0}
    """

    name: ClassVar[str] = "tnDCG"
    title: ClassVar[str] = "nDCG by overlap in time"
    needs = ("qrels", "periods", "content")
    choices: ClassVar[Choices] = {"share": OVERLAP, "gain": NDCG.choices["gain"], "missing": ("skip", "miss")}

    share: str = "shorter"
    gain: str = "linear"
    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it has no period, or nothing relevant overlaps one."""
        brings = np.zeros(len(ranking.documents))
        undated = np.zeros(len(ranking.documents), dtype=bool)
        gained = [self._collect_gains(ranking, query) for query in ranking.queries]
        best = np.asarray(
            [self._compute_best([value for value in values.values() if value is not None]) for values in gained]
        )
        for position in np.flatnonzero(ranking.relevance > 0).tolist():
            value = gained[ranking.row[position]].get(ranking.documents[position], 0.0)
            undated[position] = value is None
            brings[position] = value or 0.0
        rank = ranking.rank - (ranking.count_running(undated) if self.missing == "skip" else 0)
        top = np.ones(len(rank), dtype=bool) if self.cutoff is None else rank <= self.cutoff
        got = ranking.sum_rows(top & (brings > 0), brings / np.log2(np.maximum(rank, 1) + 1.0))
        values = np.divide(got, best, out=np.full(len(ranking), np.nan), where=best > 0)
        return Scores(values, ranking.sum_rows(undated & ranking.top(self.cutoff)).astype(np.int64))

    def _collect_gains(self, ranking: Ranking, query: str) -> dict[str, float | None]:
        """What each relevant document brings; None for those whose times are not known."""
        judged, query_spans = ranking.judgements.qrels.get(query, {}), ranking.judgements.queries.get(query)
        if query_spans is None or not query_spans.periods:
            return {}
        brought: dict[str, float | None] = {}
        for document, grade in judged.items():
            if grade > 0:
                times = ranking.judgements.documents.get(document, _NONE).content
                gain = self._compute_gain(grade)
                brought[document] = gain * overlap(query_spans.periods, times, self.share) if times else None
        return brought

    def _compute_gain(self, grade: int) -> float:
        if self.gain == "linear":
            return float(grade)
        return 1.0 if self.gain == "binary" else 2.0**grade - 1.0

    def _compute_best(self, brought: Sequence[float]) -> float:
        """What the best order of these would gain."""
        gains = sorted(brought, reverse=True)[: self.cutoff]
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(gains, 1))


def overlap(periods: Sequence[Span], times: Iterable[Span], share: str = "shorter") -> float:
    """The mean, over the periods, of the largest share that one of the times has in common with it."""
    spans = tuple(times)
    best = (max((_compute_share(period, time, share) for time in spans), default=0.0) for period in periods)
    return sum(best) / len(periods)


def _compute_share(period: Span, time: Span, share: str) -> float:
    common = min(period.end, time.end) - max(period.start, time.start)
    if common <= 0:
        return 0.0
    if share == "shorter":
        return common / min(period.seconds, time.seconds)
    if share == "union":
        return common / (period.seconds + time.seconds - common)
    return common / (period if share == "period" else time).seconds
