"""Several measures of one run at once, with what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from epochal.bench.metrics.averages import Average, average
from epochal.bench.metrics.base import Judgements, Run
from epochal.bench.metrics.measure import Measure
from epochal.bench.metrics.ranking import Ranking
from epochal.errors import EpochalError

__all__ = ["Evaluation", "Outcome", "evaluate", "lacking"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one measure says of a run: a value for each question, nan where it is undefined.

    `unanswered` counts the questions with a value that the run has no document for, `gaps` the documents within the
    cut-off of which something that the measure needs is not known.

    >>> from epochal.bench.metrics import Hit
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

        >>> from epochal.bench.metrics import Hit
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

    >>> from epochal.bench.metrics import parse_measures
    >>> judged = Judgements({"q1": {"d1": 1}, "q2": {"d1": 1}})
    >>> told = evaluate({"q1": {"d1": 0.5}, "q9": {"d1": 0.5}}, judged, parse_measures("hit@1 R@10"))
    >>> told["hit@1"].average.mean, told["hit@1"].unanswered, told.unjudged
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


def lacking(measure: Measure, judgements: Judgements) -> tuple[str, ...]:
    """What a measure needs that these judgements have nothing of, in words.

    >>> from epochal.bench.metrics import parse_measure
    >>> lacking(parse_measure("tnDCG@10"), Judgements({"q1": {"d1": 1}}))
    ('periods of questions', 'times that documents speak of')
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
        "content": (any(item.content for item in judgements.documents.values()), "times that documents speak of"),
        "published": (any(item.published for item in judgements.documents.values()), "dates of publication"),
    }
    return tuple(present[need][1] for need in measure.needs if not present[need][0])
