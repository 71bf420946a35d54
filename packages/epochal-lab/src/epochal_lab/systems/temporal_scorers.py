"""Published scorers that fuse text and time: tagged dense retrieval, TempRALM, TempRetriever, and BM25 with TimeKDE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder, unit_rows
from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span
from epochal.times.spanset import SpanSet
from epochal_lab.systems.scorer_inputs import (
    CandidateTimes,
    VectorMemory,
    describe_times,
    encode_or_zero,
    encode_waves,
    find_encoder,
    get_passage_texts,
    get_published_times,
    get_query_spans,
    get_times,
    measure_distances,
    measure_nearest,
    score_similarity,
)
from epochal_lab.systems.scorers import standardise


def add_time_tag(template: str, text: str, time: str) -> str:
    """The text with its time by the template, or the text alone if there is no time."""
    return template.replace("{time}", time).replace("{text}", text) if time else text


def score_tagged_similarity(
    pool: Pool, template: str, most: int, encoder: Encoder | None, memory: VectorMemory, scorer: str
) -> Floats:
    """The cosine of each candidate and the question, all encoded with their times."""
    if not len(pool):
        return np.empty(0)
    index_encoder = find_encoder(pool, encoder, memory, scorer)
    query_time = ", ".join(span.describe() for span in get_query_spans(pool))
    question = index_encoder.encode_queries([add_time_tag(template, pool.question, query_time)])[0]
    times = describe_times(pool, most)
    texts = [add_time_tag(template, text, time) for text, time in zip(get_passage_texts(pool), times, strict=True)]
    return np.asarray(index_encoder.encode_documents(texts) @ question, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TaggedDense:
    """Dhingra et al., "Time-Aware Language Models as Temporal Knowledge Bases" (2022), section 2.2: a text is
    modelled with its time in front of it ("year: 2014 text: ..."). Here the text is encoded, and nothing is trained.

    The tag of a candidate is the date of its document, else the first `most` times that it mentions; that of the
    question is the times that it asks for, else `now`. The stored vectors have no tags, so all candidates are encoded
    again: slow the first time (a few milliseconds per passage), and exact. Vectors stay in memory as long as the
    scorer, so use one scorer for all questions, or give it a `CachedEncoder`.
    """

    template: str = "{time}: {text}"
    most: int = 8
    encoder: Encoder | None = None
    name: str = "tagged-dense"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if "{time}" not in self.template or "{text}" not in self.template:
            raise EpochalError(
                f"template of scorer {self.name!r} is {self.template!r}; accepted: a text with {{time}} and {{text}}"
            )

    def score(self, pool: Pool) -> Scored:
        """The cosine of each tagged candidate and the tagged question."""
        cosine = score_tagged_similarity(pool, self.template, self.most, self.encoder, self.memory, self.name)
        return Scored(cosine, {"semantic": cosine})


#: The paper's minus infinity: below every score that cosines can give, and still finite.
_EXCLUDED: Final = -1_000.0


@dataclass(frozen=True, slots=True)
class TempRALM:
    """Gade and Jetcheva, "It's About Time: Incorporating Temporality in Retrieval Augmented Language Models" (2024):

        TempRet(q, d, t_q, t_d) = s(q, d) + tau(t_q, t_d),   tau^ = alpha / (t_q - t_d),
        tau = (tau^ - mean(tau^)) / std(tau^) * std(s) + mean(s)

    with the means and standard deviations over the candidates; documents later than the question are excluded. alpha
    is no parameter here, because the normalisation cancels any factor. s is the cosine of the whole question.

    The paper's questions and documents have one time stamp each. Here t_q is what the question asks for; the distance
    is that to the candidate's nearest time on either side, 0 where they overlap, and nothing is excluded (as Cao et al.
    use it in Re3). A question that asks for no time has t_q = now; then the date of the document counts, and documents
    from the future are excluded. With neither, tau is left out. Distances below `least` seconds count as that (the
    paper divides by 0 there); without any time tau^ is 0: infinitely far.
    """

    least: float = 86_400.0
    encoder: Encoder | None = None
    name: str = "tempralm"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.least > 0:
            raise EpochalError(
                f"least of scorer {self.name!r} must be a number of seconds above 0, but is {self.least}"
            )

    def score(self, pool: Pool) -> Scored:
        """The cosine of each candidate, and the temporal score in the same units."""
        meaning = score_similarity(pool, self.encoder, self.memory, self.name)
        components = {"semantic": meaning}
        if len(pool) and pool.windows:
            far = measure_nearest(get_times(pool), [window.span for window in pool.windows], len(pool))
            components["temporal"] = self._scale_temporal(meaning, far, np.ones(len(pool), dtype=np.bool_))
        elif len(pool) and pool.now is not None:
            far, future = _get_ages(pool, pool.now)
            components["temporal"] = self._scale_temporal(meaning, far, ~future)
        return Scored(np.sum(list(components.values()), axis=0), components)

    def _scale_temporal(self, meaning: Floats, far: Floats, included: npt.NDArray[np.bool_]) -> Floats:
        """The temporal score of the included candidates in the units of their semantic scores."""
        tau = np.full(len(meaning), _EXCLUDED)
        if included.any():
            raw = 1.0 / np.maximum(far[included], self.least)
            scaled = standardise(raw / raw.max() if raw.max() else raw)
            tau[included] = scaled * meaning[included].std() + meaning[included].mean()
        return tau


def _get_ages(pool: Pool, now: Span) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Seconds since each candidate was published, infinite if undated; and which are from the future."""
    dated = get_published_times(pool)
    far = dated.get_minimum(measure_distances(now, dated.spans), len(pool))
    future = np.zeros(len(pool), dtype=np.bool_)
    future[dated.positions[dated.spans.starts >= now.end]] = True
    return far, future


Fusion = Literal["tag", "fs", "vs", "ewi"]
TimeEncoding = Literal["text", "waves"]


@dataclass(frozen=True, slots=True)
class TempRetriever:
    """Abdallah et al., "TempRetriever: Fusion-based Temporal Dense Passage Retrieval for Time-Sensitive Questions"
    (2025), in the variants that need no training to be computed. With q, d the vectors of the texts and t_q, t_d those
    of the times, the score is

        tag   the cosine of the texts, each followed by its time (the paper's DateAsTag)
        fs    feature stacking: (q . d + t_q . t_d) / 2, the inner product of [q ; t_q] and [d ; t_d]
        vs    vector summation: the cosine of q + t_q and d + t_d
        ewi   element-wise interaction: the cosine of q * t_q and d * t_d

    **Untrained.** The paper fine-tunes the encoder of texts and that of times together, with negatives from other
    times; its results depend on that training. Here both are fixed: texts go through the encoder of the index,
    and times through `time`: "text" encodes them as words ("May 1998") with that same encoder, as the paper's encoder
    of times reads them, and "waves" is the fixed encoding of `epochal_lab.systems.scorer_inputs`. The paper's fusion by
    relative embeddings has no meaning without training, and is left out.

    The paper's time of a document is its date. For an undated one it is the first `most` times that the passage
    mentions, joined by commas, as in Huynh et al. ("Efficient Temporal-aware Matryoshka Adaptation", 2026); for waves
    the mean of all its times. The time of a question is what it asks for, else `now`; without either the texts alone
    are compared, as for a candidate without time. vs and ewi encode all candidates again, as tag does; see
    `TaggedDense` for the cost.
    """

    fusion: Fusion = "fs"
    time: TimeEncoding = "text"
    most: int = 8
    encoder: Encoder | None = None
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.fusion not in get_args(Fusion):
            raise UnknownNameError("fusion", self.fusion, get_args(Fusion))
        if self.time not in get_args(TimeEncoding):
            raise UnknownNameError("encoding of time", self.time, get_args(TimeEncoding))

    @property
    def name(self) -> str:
        """The name of the scorer in the registry."""
        return f"tempretriever-{self.fusion}" + ("-waves" if self.time == "waves" else "")

    def score(self, pool: Pool) -> Scored:
        """The fused score of each candidate."""
        if not len(pool):
            return Scored(np.empty(0))
        if self.fusion == "tag":
            scores = score_tagged_similarity(pool, "{text} {time}", self.most, self.encoder, self.memory, self.name)
            return Scored(scores, {"semantic": scores})
        query_spans = get_query_spans(pool)
        if not query_spans:
            scores = score_similarity(pool, self.encoder, self.memory, self.name)
            return Scored(scores, {"semantic": scores})
        return self._stack_vectors(pool, query_spans) if self.fusion == "fs" else self._merge(pool, query_spans)

    def _stack_vectors(self, pool: Pool, query_spans: Sequence[Span]) -> Scored:
        question, times = self._encode_times(pool, query_spans)
        meaning = score_similarity(pool, self.encoder, self.memory, self.name) / 2
        temporal = times @ question / 2
        return Scored(meaning + temporal, {"semantic": meaning, "temporal": temporal})

    def _merge(self, pool: Pool, query_spans: Sequence[Span]) -> Scored:
        encoder = find_encoder(pool, self.encoder, self.memory, self.name)
        question, times = self._encode_times(pool, query_spans)
        texts = encoder.encode_documents(get_passage_texts(pool)).astype(np.float64)
        text = encoder.encode_queries([pool.question])[0].astype(np.float64)
        timed = np.any(times != 0, axis=1)
        if self.fusion == "vs":
            query, documents = text + question, texts + times
        else:
            query, documents = text * question, texts * times
        cosine = unit_rows(documents) @ unit_rows(query[None, :])[0]
        fused = np.where(timed, cosine, texts @ text).astype(np.float64)
        return Scored(fused, {"fused": fused})

    def _encode_times(self, pool: Pool, query_spans: Sequence[Span]) -> tuple[Floats, Floats]:
        """The vectors of the query's time and of each candidate's; zeros for a candidate without time."""
        encoder = find_encoder(pool, self.encoder, self.memory, self.name)
        if self.time == "text":
            question = encoder.encode_queries([", ".join(span.describe() for span in query_spans)])[0]
            texts = describe_times(pool, self.most)
            return question.astype(np.float64), encode_or_zero(texts, encoder.encode_documents, encoder.dim)
        times = get_times(pool)
        sums = np.zeros((len(pool), encoder.dim))
        np.add.at(sums, times.positions, encode_waves(times.spans, encoder.dim))
        question = encode_waves(SpanSet.of(query_spans), encoder.dim).sum(axis=0)
        return unit_rows(question[None, :])[0].astype(np.float64), unit_rows(sums).astype(np.float64)


# The variants, as the entry points of scorers name them.
make_tempretriever_tag = partial(TempRetriever, "tag")
make_tempretriever_fs = partial(TempRetriever, "fs")
make_tempretriever_vs = partial(TempRetriever, "vs")
make_tempretriever_ewi = partial(TempRetriever, "ewi")
make_tempretriever_fs_waves = partial(TempRetriever, "fs", "waves")
make_tempretriever_vs_waves = partial(TempRetriever, "vs", "waves")
make_tempretriever_ewi_waves = partial(TempRetriever, "ewi", "waves")


Ints = npt.NDArray[np.int64]

_UNITS: Final = {Grain.DAY: "D", Grain.MONTH: "M", Grain.YEAR: "Y"}
#: Bins whose density is computed at a time, which limits memory.
_CHUNK: Final = 512


@dataclass(frozen=True, slots=True)
class TimeKDE:
    """Wang et al., "ChunQiuTR: Time-Keyed Temporal Retrieval in Classical Chinese Annals", appendix B.3.1, with the
    constants of its code: score = BM25 + weight * ln(prior + epsilon).

    The prior is a density over bins of one `grain`. Each of the `top` best candidates by BM25 adds a bell of `sigma`
    bins, cut off at `reach` sigmas and at the ends of the timeline; then it is normalised to sum to 1. Where no
    candidate shares a word with the question, the prior is the same for all.

    A passage may have several times of any length. Its unit of mass is shared evenly by its times, and spread evenly
    over the bins of each; a time has the mean density of its bins, and a passage that of its densest time. For passages
    with one time of one bin each this is the published baseline. Sums over ranges of bins come from a table of the
    bell's sums, so that a timeline of millions of bins costs no more than a short one.

    Deviations: the BM25 of the index (k1 = 1.2, where the paper has 1.5, and words, where it has characters and their
    pairs); the candidates of the pool represent the collection; the timeline runs from the first to the last time in
    the pool. A passage without time, which the paper does not have, gets the uniform density. With `asked` the bells
    are on the times that the query asks for instead: a variant of this package, not of the paper.
    """

    top: int = 200
    sigma: float = 3.0
    reach: float = 3.0
    weight: float = 1.0
    epsilon: float = 1e-8
    grain: Grain = Grain.MONTH
    asked: bool = False

    def __post_init__(self) -> None:
        if self.grain not in _UNITS:
            accepted = ", ".join(grain.label for grain in _UNITS)
            raise EpochalError(f"grain of scorer {self.name!r} is {Grain(self.grain).label!r}; accepted: {accepted}")
        for name in ("top", "sigma", "reach", "epsilon"):
            if not getattr(self, name) > 0:
                raise EpochalError(f"{name} of scorer {self.name!r} must be above 0, but is {getattr(self, name)}")

    @property
    def name(self) -> str:
        """The name of the scorer in the registry."""
        return "bm25-timekde-asked" if self.asked else "bm25-timekde"

    def score(self, pool: Pool) -> Scored:
        """BM25 of each candidate plus the weighted logarithm of its prior."""
        temporal = self.weight * np.log(self.compute_prior(pool) + self.epsilon)
        return Scored(pool.lexical + temporal, {"lexical": pool.lexical, "temporal": temporal})

    def compute_prior(self, pool: Pool) -> Floats:
        """The density at the time of each candidate."""
        uniform = np.ones(len(pool))
        if not len(pool):
            return uniform
        times = get_times(pool)
        centres = self._find_centres(pool, times)
        if centres is None:
            return uniform
        line = _Timeline(times.spans, centres.spans, grain=self.grain)
        low, high = line.get_bins(centres.spans)
        if not line.size or not len(low):
            return uniform
        share = 1.0 / np.bincount(centres.positions)[centres.positions]
        mass = _Bells(low, high, share, self.sigma, int(self.reach * self.sigma))
        total = float(mass.sum_between(np.array([line.first]), np.array([line.last]))[0])
        prior = np.full(len(pool), 1.0 / line.size)
        if len(times.positions):
            starts, ends = line.get_bins(times.spans)
            density = mass.sum_between(starts, ends) / ((ends - starts + 1) * total)
            best = -times.get_minimum(-density, len(pool))
            prior = np.where(np.isfinite(best), best, prior)
        return prior

    def _find_centres(self, pool: Pool, times: CandidateTimes) -> CandidateTimes | None:
        """The times of the bells, each with the position of its owner; None for a uniform prior."""
        if self.asked:
            spans = SpanSet.of(window.span for window in pool.windows)
            return CandidateTimes(np.arange(len(spans), dtype=np.int64), spans) if len(spans) else None
        if not pool.lexical.any():
            return None
        best = np.zeros(len(pool), dtype=np.bool_)
        best[np.argsort(-pool.lexical, kind="stable")[: self.top]] = True
        selected = best[times.positions]
        return CandidateTimes(times.positions[selected], times.spans[selected])


class _Timeline:
    """The bins from the first to the last time; open ends extend to the edge."""

    def __init__(self, *sets: SpanSet, grain: Grain) -> None:
        self._unit = _UNITS[grain]
        starts = np.concatenate([spans.starts for spans in sets])
        ends = np.concatenate([spans.ends for spans in sets])
        bounds = np.concatenate([starts[starts != OPEN_START], ends[ends != OPEN_END] - 1])
        self.size = 0
        if len(bounds):
            self._edges = int(bounds.min()), int(bounds.max())
            self.first, self.last = (int(self._get_bin(np.array([edge]))[0]) for edge in self._edges)
            self.size = self.last - self.first + 1

    def get_bins(self, spans: SpanSet) -> tuple[Ints, Ints]:
        """The first and the last bin of each span."""
        if not self.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        low, high = self._edges
        return self._get_bin(np.maximum(spans.starts, low)), self._get_bin(np.minimum(spans.ends - 1, high))

    def _get_bin(self, seconds: Ints) -> Ints:
        return seconds.astype("datetime64[s]").astype(f"datetime64[{self._unit}]").astype(np.int64)


class _Bells:
    """The sum of bells over ranges of bins; each range shares its weight evenly among its bins."""

    def __init__(self, low: Ints, high: Ints, weights: Floats, sigma: float, width: int) -> None:
        ranges, inverse = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        self._low, self._high = ranges
        self._weights = np.bincount(inverse.ravel(), weights) / (self._high - self._low + 1)
        self._width = width
        offsets = np.arange(-width, width + 1)
        bell = np.exp(-0.5 * (offsets / sigma) ** 2)
        #: The sum of the bell, and the cumulative sums of its cumulative sums.
        self._total = float(bell.sum())
        self._twice = np.concatenate([[0.0], np.cumsum(np.cumsum(bell))])

    def sum_between(self, first: Ints, last: Ints) -> Floats:
        """The density summed over the bins from each first to each last one."""
        points, where = np.unique(np.concatenate([first - 1, last]), return_inverse=True)
        sums = np.concatenate([self._sum_up_to(points[at : at + _CHUNK]) for at in range(0, len(points), _CHUNK)])
        differences: Floats = sums[where[len(first) :]] - sums[where[: len(first)]]
        return differences

    def _sum_up_to(self, points: Ints) -> Floats:
        """The density summed over all bins up to each point."""
        # Beyond the bell nothing is added; without the clip, sums over long timelines would lose precision.
        at = np.clip(points[:, None], self._low - self._width - 1, self._high + self._width)
        sums: Floats = (self._sum_twice(at - self._low) - self._sum_twice(at - self._high - 1)) @ self._weights
        return sums

    def _sum_twice(self, offsets: Ints) -> Floats:
        """The cumulative sum of cumulative sums of the bell up to an offset: 0 before it, linear after it."""
        inside = np.clip(offsets, -self._width - 1, self._width)
        rising: Floats = self._twice[inside + self._width + 1] + self._total * (offsets - inside).clip(min=0)
        return rising


#: The variant, as the entry point of a scorer names it.
make_timekde_asked = partial(TimeKDE, asked=True)
