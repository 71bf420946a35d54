"""The default scorer: a weighted sum of score components, with weights that depend on what the question asks of time.

Each component is scaled to [0, 1] within a pool:

    lexical     BM25 of the question, as a share of the best in the pool
    semantic    cosine of the passage and the topic of the question, as a share of the best in the pool
    alignment   local evidence for the query windows (`epochal.ranking.features`)
    freshness   how new the document is beside the newest on the topic, where the question asks for news, by the
                half-life of its answer, times the other components: what is about something else is no news
    topic       the probability that the document is on the topic (`epochal.ranking.relevance`)

The probability that a candidate is also from the query windows is no component: alignment has that evidence already.
It decides outcomes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from epochal.errors import EpochalError, InputError
from epochal.ranking.features import BestEvidence, find_evidence, measure_freshness, needs_freshness
from epochal.ranking.pool import Floats, Pool, Scored, get_terms, scale_to_best, score_query_words
from epochal.ranking.relevance import RelevanceModel, grade_topic, load_relevance_model, measure_relevance

#: The components that the scorer weighs.
COMPONENTS = ("lexical", "semantic", "alignment", "freshness")
#: What the meaning weighs where vectors do not know the order of words, as a share: they repeat much of what the words
#: say. Chosen on TimeQA (half of its pages) among 0.25, 0.5, 0.75 and 1.
_UNORDERED = 0.5
#: The share of the best probability of the topic from which a document can be the newest on it.
_SAME_NEWS = 0.8
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class ScorerWeights:
    """The weights of the components for a question without a window, for one with a window, and for one about news."""

    plain: dict[str, float]
    timed: dict[str, float]
    fresh: dict[str, float]

    def __post_init__(self) -> None:
        for group in (self.plain, self.timed, self.fresh):
            for name, value in group.items():
                if name not in COMPONENTS or not np.isfinite(value) or value < 0:
                    raise EpochalError(
                        f"the gate has a weight {value!r} for {name!r}; "
                        f"accepted: numbers from 0 for {', '.join(COMPONENTS)}"
                    )

    def for_pool(self, pool: Pool) -> dict[str, float]:
        """The weights for the question of a pool."""
        weights = dict(self.timed if pool.windows else self.plain)
        if pool.is_unordered and "semantic" in weights:
            weights["semantic"] *= _UNORDERED
        return weights | self.fresh if needs_freshness(pool) else weights

    def to_dict(self) -> dict[str, dict[str, float]]:
        """As JSON has it."""
        return {"plain": dict(self.plain), "timed": dict(self.timed), "fresh": dict(self.fresh)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ScorerWeights:
        """Weights from what JSON holds."""
        try:
            return cls(*({str(k): float(v) for k, v in data[name].items()} for name in ("plain", "timed", "fresh")))
        except (KeyError, AttributeError, TypeError) as error:
            raise EpochalError(f"weights of a gate need the groups plain, timed and fresh, but lack {error}") from error


@cache
def load_default_weights() -> ScorerWeights:
    """The weights that come with the package."""
    data = (Path(__file__).parent / "weights" / "gate.json").read_text(encoding="utf-8")
    return ScorerWeights.from_dict(json.loads(data))


def read_weights(path: str | PathLike[str]) -> ScorerWeights:
    """Weights from a file that `epochal train gate` wrote."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(
            fspath(path), 0, f"is not JSON: {error}; accepted: what `epochal train gate` writes"
        ) from error
    if not isinstance(data, dict):
        raise InputError(fspath(path), 0, "holds no weights; accepted: what `epochal train gate` writes")
    return ScorerWeights.from_dict(data)


@dataclass(frozen=True, slots=True)
class WeightedScorer:
    """The default scorer."""

    weights: ScorerWeights = field(default_factory=load_default_weights)
    name: str = "gate"
    #: Adds the probabilities of topic and time; None ranks by the other components alone.
    relevance_model: RelevanceModel | None = field(default_factory=load_relevance_model, repr=False)

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate with its components."""
        weights = self.weights.for_pool(pool)
        parts, evidence = self.measure_components(pool)
        weighted = {name: weights.get(name, 0.0) * values for name, values in parts.items()}
        scored = Scored(_add(weighted, pool), weighted, evidence.dating, evidence.match, evidence.local)
        on_topic, share = None, np.ones(len(pool))
        if (model := self.relevance_model) is not None and len(pool):
            relevance = measure_relevance(pool, scored, model)
            topic = relevance.weight * grade_topic(relevance.subject / relevance.unknown_factor)
            weighted = {**weighted, "topic": topic + relevance.head_weight * grade_topic(relevance.headed)}
            scored = replace(scored, scores=_add(weighted, pool), parts=weighted, relevance=relevance)
            share = scale_to_best(relevance.topic)
            on_topic = (relevance.same_topic >= model.same_topic) & (share >= _SAME_NEWS)
        if not needs_freshness(pool):
            return scored
        fresh = measure_freshness(pool, on_topic) * share * scale_to_best(scored.scores)
        weighted = {**weighted, "freshness": weights.get("freshness", 0.0) * fresh}
        return replace(scored, scores=_add(weighted, pool), parts=weighted)

    def measure_components(self, pool: Pool) -> tuple[dict[str, Floats], BestEvidence]:
        """The words, the meaning and the alignment of each candidate, unweighted, and the evidence of the last."""
        weights = self.weights.for_pool(pool)
        if (lexical := score_query_words(pool)) is not pool.lexical:
            pool = replace(pool, lexical=lexical)
        parts = {"lexical": scale_to_best(pool.lexical), "semantic": scale_to_best(pool.semantic)}
        evidence = BestEvidence.make_empty(len(pool))
        if pool.windows:
            prior = _add_weighted(weights, parts)
            evidence = find_evidence(pool, get_terms(pool), prior / max(weights.get("alignment", 0.0), _TINY))
            parts["alignment"] = evidence.score
        return parts, evidence


def _add(parts: Mapping[str, Floats], pool: Pool) -> Floats:
    return sum(parts.values(), np.zeros(len(pool)))


def _add_weighted(weights: Mapping[str, float], parts: Mapping[str, Floats]) -> Floats:
    return reduce(np.add, [weights.get(name, 0.0) * values for name, values in parts.items()])
