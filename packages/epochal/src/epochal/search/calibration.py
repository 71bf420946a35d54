"""Calibrated probabilities: that a hit answers, and that what is said of the question is true.

The relevance of a candidate (`epochal.ranking.relevance`) is that of its topic and its time alone. What is known after
the search says more: where a hit stands among the others, whether times order them, and whether anything is recorded at
all. The weights are fitted to searches over many corpora by `epochal train scorer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from epochal.ranking.pool import Floats, Scored
from epochal.ranking.relevance import HIT_FEATURES, OUTCOME_FEATURES, RelevanceModel
from epochal.search.response import ESTIMATED_AXIS, Hit, Outcome

#: The outcomes by which nothing is recorded.
DENIED: Final = ("none_recorded", "not_covered", "topic_unknown")
#: Parts of a score that come from an order of time.
_ORDERS: Final = ("order", "forecast")
#: Log odds, and gaps of scores, beyond these say no more.
_MAX_ODDS: Final = 6.0
_MAX_SURE: Final = 4.0
_MAX_GAP: Final = 3.0


def calibrate_hits(
    hits: tuple[Hit, ...],
    scored: Scored,
    outcome: Outcome,
    model: RelevanceModel,
    *,
    has_window: bool,
    offset: int = 0,
) -> tuple[Hit, ...]:
    """Hits with the probability that each answers; `scored` are the candidates before they were ordered."""
    if model.hit is None or scored.relevance is None or not hits:
        return hits
    features = describe_hits(hits, scored, outcome, has_window=has_window, offset=offset)
    return tuple(
        replace(hit, relevance=float(value)) for hit, value in zip(hits, model.hit.predict(features), strict=True)
    )


def calibrate_outcome(
    hits: Sequence[Hit], scored: Scored, outcome: Outcome, model: RelevanceModel, *, has_window: bool
) -> float | None:
    """The probability that an outcome is true; None where nothing is said or nothing was calibrated."""
    if model.outcome is None or scored.relevance is None or outcome == "no_window":
        return None
    recorded = float(model.outcome.predict(describe_outcome(hits, scored, outcome, has_window=has_window))[0])
    return recorded if outcome == "recorded" else 1.0 - recorded


def describe_hits(
    hits: Sequence[Hit], scored: Scored, outcome: Outcome, *, has_window: bool, offset: int = 0
) -> Floats:
    """The features of hits among the others: a row a hit, a column for each of `HIT_FEATURES`."""
    assert scored.relevance is not None
    relevance = np.array([hit.relevance or 0.0 for hit in hits])
    best = float(scored.relevance.answer.max(initial=0.0))
    scores = np.array([hit.score - hit.parts.get("order", 0.0) for hit in hits])
    rank = np.log1p(np.arange(offset, offset + len(hits)))
    is_denied = outcome in DENIED
    is_ordered = not is_denied and _are_ordered(hits)
    columns = {
        "sure": np.clip(_get_odds(relevance), 0.0, _MAX_SURE),
        "best_unsure": np.full(len(hits), min(float(_get_odds(np.array([best]))[0]), 0.0)),
        "behind": np.maximum(best - relevance, 0.0),
        "gap": np.clip(float(scored.scores.max(initial=0.0)) - scores, 0.0, _MAX_GAP) * (not is_ordered),
        "rank": rank,
        "plain_rank": rank * (not has_window),
        "ordered": np.full(len(hits), float(is_ordered)),
        "ordered_rank": rank * is_ordered,
        "later": (rank > 0) * float(is_ordered),
        "denied": np.full(len(hits), float(is_denied)),
        "local": np.array([_get_local(hit) for hit in hits]) * has_window,
    }
    return np.stack([columns[name] for name in HIT_FEATURES], axis=1)


def describe_outcome(hits: Sequence[Hit], scored: Scored, outcome: Outcome, *, has_window: bool) -> Floats:
    """The features of an outcome in one row, a column for each of `OUTCOME_FEATURES`."""
    assert scored.relevance is not None
    is_ordered = outcome not in DENIED and _are_ordered(hits)
    best = _get_odds(np.array([float(scored.relevance.answer.max(initial=0.0))]))[0]
    columns = {
        "denied": float(outcome in DENIED),
        "unknown": float(outcome == "topic_unknown"),
        "relevance": 0.0 if is_ordered else float(best),
        "local": max((_get_local(hit) for hit in hits), default=0.0) * has_window * (not is_ordered),
        "ordered": float(is_ordered),
    }
    return np.array([[columns[name] for name in OUTCOME_FEATURES]])


def _are_ordered(hits: Sequence[Hit]) -> bool:
    return any(name in hit.parts for hit in hits for name in _ORDERS)


def _get_odds(probabilities: Floats) -> Floats:
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    return np.asarray(np.clip(np.log(clipped / (1 - clipped)), -_MAX_ODDS, _MAX_ODDS))


def _get_local(hit: Hit) -> float:
    return max((item.local for item in hit.evidence if item.axis != ESTIMATED_AXIS), default=0.0)
