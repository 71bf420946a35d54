"""Published scorers: BM25, dense, reciprocal rank and z-score fusion, exact interval matching, time decay."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, get_args

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times.filters import build_filter
from epochal.times.kernels import Exponential, FuturePolicy, freshness
from epochal.times.span import Span
from epochal_lab.systems.scorer_inputs import (
    VectorMemory,
    describe_times,
    encode_or_zero,
    find_encoder,
    get_published_times,
    get_query_spans,
    get_times,
    score_similarity,
)


@dataclass(frozen=True, slots=True)
class Bm25:
    """Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.5.

    The score is that of the index: k1 = 1.2, b = 0.75, and the inverse document frequency of Lucene, which is never
    negative. Time words are ordinary words. The constants belong to the index, so there is nothing to set.
    """

    name: str = "bm25"

    def score(self, pool: Pool) -> Scored:
        """BM25 of each candidate."""
        return Scored(pool.lexical, {"lexical": pool.lexical})


@dataclass(frozen=True, slots=True)
class Dense:
    """Karpukhin et al., "Dense Passage Retrieval for Open-Domain Question Answering" (2020), equation 1.

    sim(q, p) = E_Q(q) . E_P(p), with the untrained encoder of the index and vectors of length 1. The whole question is
    encoded, where the default scorer encodes its topic. `encoder` must be given for an index whose encoder has no name.
    """

    encoder: Encoder | None = None
    name: str = "dense"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The cosine of each candidate and the question."""
        cosine = score_similarity(pool, self.encoder, self.memory, self.name)
        return Scored(cosine, {"semantic": cosine})


def get_reciprocal_ranks(scores: Floats, k: float, listed: Floats | None = None) -> Floats:
    """1 / (k + rank) by descending score, from rank 1; ties keep their order.

    With `listed`, candidates without a value above 0 there have no rank and get 0.
    """
    reciprocal = np.zeros(len(scores))
    order = np.argsort(-scores, kind="stable")
    if listed is not None:
        order = order[listed[order] > 0]
    reciprocal[order] = 1.0 / (k + 1.0 + np.arange(len(order)))
    return reciprocal


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and Individual Rank Learning
    Methods" (2009): RRFscore(d) = sum over the rankings r of 1 / (k + r(d)), with k = 60.

    The rankings are BM25 and the cosine, both of the whole question. Ranks are counted within the pool, which are those
    of the collection as far as each source filled the pool. A passage without a word of the question has no rank by
    words. In the paper every ranking has every document.
    """

    k: float = 60.0
    encoder: Encoder | None = None
    name: str = "rrf"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.k >= 0:
            raise EpochalError(f"k of scorer {self.name!r} must be a number from 0, but is {self.k}")

    def score(self, pool: Pool) -> Scored:
        """The sum of the reciprocal ranks by words and by meaning."""
        similarity = score_similarity(pool, self.encoder, self.memory, self.name)
        words = get_reciprocal_ranks(pool.lexical, self.k, pool.lexical)
        meaning = get_reciprocal_ranks(similarity, self.k)
        return Scored(words + meaning, {"lexical": words, "semantic": meaning})


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Allen, "Maintaining Knowledge about Temporal Intervals" (1983): exact relations between intervals, as a tier.

    A candidate satisfies a window of the query when any of its times (mentioned, or of publication) has the `relation`
    to it: during, overlaps, before, after, around, or one of Allen's thirteen by name.
    The windows of "before 1998" and "since 2017" are open intervals, so the default works for these too. The score is
    the number of windows satisfied, plus BM25 scaled below 1: words decide only among equals. Without a window that is
    the order of BM25. Nothing is graded, and no time of a document counts more than another.
    """

    relation: str = "overlaps"
    name: str = "symbolic"

    def __post_init__(self) -> None:
        build_filter(self.relation, Span.year(2000))

    def score(self, pool: Pool) -> Scored:
        """How many windows each candidate satisfies, and its BM25 below 1."""
        exact = np.zeros(len(pool))
        if pool.windows and len(pool):
            times = get_times(pool)
            for window in pool.windows:
                matching = build_filter(self.relation, window.span).mask(times.spans)
                exact[np.unique(times.positions[matching])] += 1.0
        words = pool.lexical / (1.0 + float(pool.lexical.max(initial=0.0)))
        return Scored(exact + words, {"symbolic": exact, "lexical": words})


_DAY: Final = 86_400
Relevance = Literal["semantic", "lexical"]


@dataclass(frozen=True, slots=True)
class TimeDecay:
    """Li and Croft, "Time-Based Language Models" (2003), section 4: P(D | Q) ~ P(Q | D) P(D | T_D), with the
    exponential prior P(D | T_D) = r exp(-r (T_C - T_D)), where T_D is the date of the document and T_C the present.

    `rate` is r, per day; 0.01 halves a score in 69 days. The papers tune it for each collection, so the default is this
    package's choice. Deviations: the relevance is the cosine of the question, or BM25,
    instead of a query likelihood (negative cosines count as 0); the constant r before the exponential, which is the
    same for all, is left out; the present is the `now` of the search. An undated document decays like the median
    of the pool, and one from the future follows `future` (see `epochal.times.kernels`).
    """

    relevance: Relevance = "semantic"
    rate: float = 0.01
    future: FuturePolicy = "as_new"
    encoder: Encoder | None = None
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.relevance not in get_args(Relevance):
            raise UnknownNameError("relevance", self.relevance, get_args(Relevance))
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise EpochalError(
                f"rate of scorer {self.name!r} must be a number above 0 (parts a day), but is {self.rate}"
            )

    @property
    def name(self) -> str:
        """The name of the scorer in the registry."""
        return "time-decay" if self.relevance == "semantic" else f"time-decay-{self.relevance}"

    def score(self, pool: Pool) -> Scored:
        """The relevance of each candidate, decayed by its age."""
        if pool.now is None:
            raise EpochalError(
                f"scorer {self.name!r} counts ages from the present, but the search has none; accepted: a now such as "
                "'2026-11-15'"
            )
        if self.relevance == "semantic":
            relevance = np.maximum(score_similarity(pool, self.encoder, self.memory, self.name), 0.0)
        else:
            relevance = pool.lexical
        loss = relevance * (self._get_decay(pool, pool.now) - 1.0)
        return Scored(relevance + loss, {self.relevance: relevance, "age": loss})

    def _get_decay(self, pool: Pool, now: Span) -> Floats:
        dated = get_published_times(pool) if len(pool) else None
        if dated is None or not len(dated.positions):
            return np.ones(len(pool))
        curve = Exponential(scale=math.log(2) / self.rate * _DAY)
        fresh = freshness(dated.spans, now, curve, future=self.future)
        decay = np.full(len(pool), float(np.median(fresh)))
        decay[dated.positions] = fresh
        return decay


#: The variant, as the entry point of a scorer names it.
make_time_decay_lexical = partial(TimeDecay, relevance="lexical")


def standardise(scores: Floats) -> Floats:
    """Z-scores: each score minus the mean, in standard deviations; 0 where all are equal."""
    if not len(scores):
        return np.empty(0)
    spread = float(scores.std())
    # Equal scores have a spread of rounding errors, which must not be amplified.
    if spread <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        return np.zeros(len(scores))
    return np.asarray((scores - scores.mean()) / spread, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ZScore:
    """Renda and Straccia, "Web Metasearch: Rank vs. Score Based Rank Aggregation Methods" (2003): Z-score
    normalisation and CombSUM.

    The scores are BM25 and the cosine, both of the whole question, with mean and standard deviation (that of the
    population) over the pool. In the paper they are taken over the list of each source.
    """

    lexical: float = 1.0
    semantic: float = 1.0
    encoder: Encoder | None = None
    name: str = "zscore"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The sum of the standardised scores by words and by meaning."""
        similarity = score_similarity(pool, self.encoder, self.memory, self.name)
        words = self.lexical * standardise(pool.lexical)
        meaning = self.semantic * standardise(similarity)
        return Scored(words + meaning, {"lexical": words, "semantic": meaning})


@dataclass(frozen=True, slots=True)
class ZScoreTime:
    """Cao et al., "Re3: Learning to Balance Relevance & Recency for Temporal Information Retrieval" (2025): the
    baseline that its table 4 calls TSM, z(cosine of the texts) + z(cosine of the times as texts).

    The paper that TSM is named after (Han et al., 2025) does something else: it merges seven trained retrievers. The
    times are words ("May 1998"); of a candidate the date of its document, else the first `most` times that it mentions;
    of a question the times that it asks for, else `now`. Without a query time the score is z(cosine). A candidate
    without time has a similarity of 0 before it is standardised.
    """

    most: int = 8
    encoder: Encoder | None = None
    name: str = "zscore-time"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The sum of the standardised similarities of text and time."""
        meaning = standardise(score_similarity(pool, self.encoder, self.memory, self.name))
        query_spans = get_query_spans(pool)
        temporal = np.zeros(len(pool))
        if query_spans and len(pool):
            encoder = find_encoder(pool, self.encoder, self.memory, self.name)
            query_time = encoder.encode_queries([", ".join(span.describe() for span in query_spans)])[0]
            temporal = standardise(
                encode_or_zero(describe_times(pool, self.most), encoder.encode_documents, encoder.dim) @ query_time
            )
        return Scored(meaning + temporal, {"semantic": meaning, "temporal": temporal})
