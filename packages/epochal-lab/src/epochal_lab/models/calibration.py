"""Fit the probabilities that are known after a search: that a hit answers, and that something is recorded.

Searches are run with a relevance model; best one that was fitted without the corpus that is searched, since it is surer
of what it has seen. Every corpus weighs the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.ranking.pool import Floats, Pool, Scored, get_windows
from epochal.ranking.relevance import HIT_FEATURES, OUTCOME_FEATURES, LogisticModel, RelevanceModel
from epochal.ranking.scorer import WeightedScorer
from epochal.search.outcome import describe_hits, describe_outcome
from epochal_lab.datasets.timed.questions import TimedQuestion
from epochal_lab.models.requirements import fit_logistic

Labels = npt.NDArray[np.int64]

_HITS: Final = 10
_STEPS: Final = 4000
#: A corpus says how often hits answer only if at least this share of them is judged.
_MIN_JUDGED: Final = 0.5
#: Corpora some of whose questions are called unanswerable and have an answer in plain English: the chief executive one
#: year before a day is whoever was it then, and not only who left on that day.
_NOISY: Final = ("tdbench",)


@dataclass(frozen=True, slots=True, eq=False)
class SearchRows:
    """The hits of some searches and their outcomes, with labels: 1 for what answers and is recorded, else 0."""

    hits: Floats
    answers: Labels
    outcomes: Floats
    recorded: Labels
    judged_share: float

    @classmethod
    def join(cls, parts: Sequence[SearchRows]) -> SearchRows:
        """The outcomes of searches of several collections as those of one corpus.

        Their hits say nothing of others: ten of two dozen documents are hits, whatever is asked.
        """
        hits, answers, outcomes, recorded = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("hits", "answers", "outcomes", "recorded")
        )
        return cls(hits, answers, outcomes, recorded, judged_share=0.0)


class _Recorder:
    """A scorer without calibration that keeps what it scored last."""

    name = "recorder"

    def __init__(self, model: RelevanceModel) -> None:
        self.relevance_model = replace(model, hit=None, outcome=None)
        self._scorer = WeightedScorer(relevance_model=self.relevance_model)
        self.last: Scored | None = None

    def score(self, pool: Pool) -> Scored:
        self.last = self._scorer.score(pool)
        return self.last


def collect_searches(index: Index, questions: Sequence[TimedQuestion], model: RelevanceModel) -> SearchRows:
    """Search an index for questions, and describe hits and outcomes."""
    hits: list[Floats] = [np.zeros((0, len(HIT_FEATURES)))]
    outcomes: list[Floats] = [np.zeros((0, len(OUTCOME_FEATURES)))]
    answers: list[int] = []
    recorded: list[int] = []
    count = 0
    scorer = _Recorder(model)
    for question in questions:
        response = index.search(question.text, k=_HITS, now=question.now, as_of=question.as_of, scorer=scorer)
        if scorer.last is None or scorer.last.relevance is None or not len(response):
            continue
        has_window = bool(get_windows(response.understanding))
        described = describe_hits(response.hits, scorer.last, response.outcome, has_window=has_window)
        judged = [rank for rank, hit in enumerate(response) if hit.id not in question.unjudged]
        count += len(response)
        hits.append(described[judged])
        answers += [int(response[rank].id in question.relevant) for rank in judged]
        if response.outcome != "no_window":
            is_open = not has_window and response.understanding.order is None and question.as_of is None
            outcomes.append(
                describe_outcome(response.hits, scorer.last, response.outcome, has_window=has_window, is_open=is_open)
            )
            recorded.append(int(question.answerable))
    return SearchRows(
        np.concatenate(hits),
        np.array(answers, dtype=np.int64),
        np.concatenate(outcomes),
        np.array(recorded, dtype=np.int64),
        len(answers) / max(count, 1),
    )


def fit_calibration(model: RelevanceModel, searches: Mapping[str, SearchRows]) -> RelevanceModel:
    """The model with calibrated probabilities. Without enough judged searches these are left out."""
    judged = [rows for rows in searches.values() if rows.judged_share >= _MIN_JUDGED]
    # A corpus whose questions all have answers says nothing of false records.
    both = [
        rows
        for corpus, rows in searches.items()
        if 0 < rows.recorded.sum() < len(rows.recorded) and corpus not in _NOISY
    ]
    return replace(
        model,
        hit=_fit([(rows.hits, rows.answers) for rows in judged], HIT_FEATURES),
        outcome=_fit([(rows.outcomes, rows.recorded) for rows in both], OUTCOME_FEATURES),
    )


def _fit(parts: Sequence[tuple[Floats, Labels]], features: Mapping[str, int]) -> LogisticModel | None:
    if not any(len(labels) for _, labels in parts):
        return None
    rows, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    weights = np.concatenate([np.full(len(own), 1.0 / max(len(own), 1)) for _, own in parts])
    return fit_logistic(rows, labels, weights, list(features.values()), _STEPS)
