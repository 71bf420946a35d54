"""Tagged dense retrieval: texts are encoded with their dates in front, and the question with its own.

TempRALM: the semantic score plus a temporal one that falls with the distance in time.

TempRetriever: a text and its time are encoded apart and fused; here without the training that the paper does.

BM25+TimeKDE: BM25 plus the logarithm of how dense the times around a passage's time are.

The published baseline places one bell over the time of each of the best passages by BM25, on a timeline of months. A
passage that lies where many of them lie gains. The time of the question is never read.

Here a passage may have several times of any length. Its one unit of mass is shared evenly by its times, and spread
evenly over the bins of each; a time has the mean density of its bins, and a passage that of its densest time. For
passages with one time of one bin each this is the published baseline. Sums over stretches of bins come from a table of
the bell's sums, so that a timeline of millions of bins costs no more than a short one.
"""

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
    Memory,
    Times,
    asked_spans,
    distances,
    encoder_of,
    nearest,
    passage_texts,
    published_of,
    question_similarity,
    time_texts,
    times_of,
    waves,
    zeros_or_vectors,
)
from epochal_lab.systems.scorers import standardised

__all__ = ["TaggedDense", "TempRALM", "TempRetriever", "TimeKDE", "tagged", "tagged_similarity"]


def tagged(template: str, text: str, time: str) -> str:
    """A text with its time, or the text alone where there is none."""
    return template.replace("{time}", time).replace("{text}", text) if time else text


def tagged_similarity(
    pool: Pool, template: str, most: int, encoder: Encoder | None, memory: Memory, scorer: str
) -> Floats:
    """The cosine of each candidate and the question, all encoded with their times."""
    if not len(pool):
        return np.empty(0)
    known = encoder_of(pool, encoder, memory, scorer)
    asked = ", ".join(span.describe() for span in asked_spans(pool))
    question = known.encode_queries([tagged(template, pool.question, asked)])[0]
    texts = [
        tagged(template, text, time) for text, time in zip(passage_texts(pool), time_texts(pool, most), strict=True)
    ]
    return np.asarray(known.encode_documents(texts) @ question, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TaggedDense:
    """Dhingra et al., "Time-Aware Language Models as Temporal Knowledge Bases" (2022), section 2.2: a text is
    modelled with its time in front of it ("year: 2014 text: ..."). Here the text is encoded, and nothing is trained.

    The tag of a candidate is the date of its document, else the first `most` times that it speaks of; that of the
    question is the times that it asks for, else the present. The stored vectors have no tags, so all candidates are
    encoded anew: slow the first time (a few milliseconds a passage), and exact. What is encoded is remembered while
    the scorer lives, so make one scorer and use it for all questions; or give it a `CachedEncoder`.
    """

    template: str = "{time}: {text}"
    most: int = 8
    encoder: Encoder | None = None
    name: str = "tagged-dense"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if "{time}" not in self.template or "{text}" not in self.template:
            raise EpochalError(
                f"template of scorer {self.name!r} is {self.template!r}; accepted: a text with {{time}} and {{text}}"
            )

    def score(self, pool: Pool) -> Scored:
        """The cosine of each tagged candidate and the tagged question."""
        found = tagged_similarity(pool, self.template, self.most, self.encoder, self.memory, self.name)
        return Scored(found, {"semantic": found})


#: What the paper's minus infinity is here: below every score that cosines can give, and still a number.
_NEVER: Final = -1_000.0


@dataclass(frozen=True, slots=True)
class TempRALM:
    """Gade and Jetcheva, "It's About Time: Incorporating Temporality in Retrieval Augmented Language Models" (2024):

        TempRet(q, d, t_q, t_d) = s(q, d) + tau(t_q, t_d),   tau^ = alpha / (t_q - t_d),
        tau = (tau^ - mean(tau^)) / std(tau^) * std(s) + mean(s)

    with the means and standard deviations over the candidates; documents later than the question are ruled out. alpha
    is no parameter here, because the normalisation takes any factor out again. s is the cosine of the whole question.

    The paper's questions and documents have one time stamp each. Here t_q is what the question asks for, and then the
    distance is taken to the candidate's nearest time on either side, 0 where the two share time, and nothing is ruled
    out (the paper by Cao et al. on Re3 uses it so). A question that asks for no time has t_q = now, and then the date
    of the document counts, and those from the future are ruled out. With neither, tau is left out. Distances below
    `least` seconds count as that (the paper divides by 0 there); without any time tau^ is 0: infinitely far.
    """

    least: float = 86_400.0
    encoder: Encoder | None = None
    name: str = "tempralm"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.least > 0:
            raise EpochalError(
                f"least of scorer {self.name!r} must be a number of seconds above 0, but is {self.least}"
            )

    def score(self, pool: Pool) -> Scored:
        """The cosine of each candidate, and the temporal score in the same units."""
        meaning = question_similarity(pool, self.encoder, self.memory, self.name)
        parts = {"semantic": meaning}
        if len(pool) and pool.windows:
            far = nearest(times_of(pool), [window.span for window in pool.windows], len(pool))
            parts["temporal"] = self._tau(meaning, far, np.ones(len(pool), dtype=np.bool_))
        elif len(pool) and pool.now is not None:
            far, future = _ages(pool, pool.now)
            parts["temporal"] = self._tau(meaning, far, ~future)
        return Scored(np.sum(list(parts.values()), axis=0), parts)

    def _tau(self, meaning: Floats, far: Floats, kept: npt.NDArray[np.bool_]) -> Floats:
        """The temporal score of the kept candidates in the units of their semantic scores."""
        found = np.full(len(meaning), _NEVER)
        if kept.any():
            raw = 1.0 / np.maximum(far[kept], self.least)
            found[kept] = (
                standardised(raw / raw.max() if raw.max() else raw) * meaning[kept].std() + meaning[kept].mean()
            )
        return found


def _ages(pool: Pool, now: Span) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Seconds since each candidate was published, infinite without a date; and which are of the future."""
    dated = published_of(pool)
    far = dated.least(distances(now, dated.spans), len(pool))
    future = np.zeros(len(pool), dtype=np.bool_)
    future[dated.places[dated.spans.starts >= now.end]] = True
    return far, future


Fusion = Literal["tag", "fs", "vs", "ewi"]
TimeEncoding = Literal["text", "waves"]


@dataclass(frozen=True, slots=True)
class TempRetriever:
    """Abdallah et al., "TempRetriever: Fusion-based Temporal Dense Passage Retrieval for Time-Sensitive Questions"
    (2025), in the variants that need no training to be computed. With q, d the vectors of the texts and t_q, t_d those
    of the times, the score is

        tag   the cosine of the texts, each with its time written behind it (the paper's DateAsTag)
        fs    feature stacking: (q . d + t_q . t_d) / 2, the inner product of [q ; t_q] and [d ; t_d]
        vs    vector summation: the cosine of q + t_q and d + t_d
        ewi   element-wise interaction: the cosine of q * t_q and d * t_d

    **Untrained.** The paper fine-tunes the encoder of texts and that of times together, with negatives from other
    times; what it reports is owed to that training. Here both are fixed: texts go through the encoder of the index,
    and times through `time`: "text" encodes them as words ("May 1998") with that same encoder, as the paper's encoder
    of times reads them, and "waves" is the fixed encoding of `epochal_lab.systems.scorer_inputs`. The paper's fusion by
    relative embeddings has no meaning without training, and is left out.

    The paper's time of a document is when it was published. Where that is not known, it is the first `most` times that
    the passage speaks of, joined by commas, as Huynh et al. ("Efficient Temporal-aware Matryoshka Adaptation", 2026)
    run it; for waves the mean of all its times. The time of a question is what it asks for, else the present; without
    either the texts alone are compared, and so is a candidate without time. vs and ewi encode all candidates anew, as
    tag does; see `TaggedDense` for what that costs.
    """

    fusion: Fusion = "fs"
    time: TimeEncoding = "text"
    most: int = 8
    encoder: Encoder | None = None
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.fusion not in get_args(Fusion):
            raise UnknownNameError("fusion", self.fusion, get_args(Fusion))
        if self.time not in get_args(TimeEncoding):
            raise UnknownNameError("encoding of time", self.time, get_args(TimeEncoding))

    @property
    def name(self) -> str:
        """The name by which the scorer is asked for."""
        return f"tempretriever-{self.fusion}" + ("-waves" if self.time == "waves" else "")

    def score(self, pool: Pool) -> Scored:
        """The fused score of each candidate."""
        if not len(pool):
            return Scored(np.empty(0))
        if self.fusion == "tag":
            found = tagged_similarity(pool, "{text} {time}", self.most, self.encoder, self.memory, self.name)
            return Scored(found, {"semantic": found})
        asked = asked_spans(pool)
        if not asked:
            found = question_similarity(pool, self.encoder, self.memory, self.name)
            return Scored(found, {"semantic": found})
        return self._stacked(pool, asked) if self.fusion == "fs" else self._merged(pool, asked)

    def _stacked(self, pool: Pool, asked: Sequence[Span]) -> Scored:
        question, times = self._times(pool, asked)
        meaning = question_similarity(pool, self.encoder, self.memory, self.name) / 2
        temporal = times @ question / 2
        return Scored(meaning + temporal, {"semantic": meaning, "temporal": temporal})

    def _merged(self, pool: Pool, asked: Sequence[Span]) -> Scored:
        encoder = encoder_of(pool, self.encoder, self.memory, self.name)
        question, times = self._times(pool, asked)
        texts = encoder.encode_documents(passage_texts(pool)).astype(np.float64)
        text = encoder.encode_queries([pool.question])[0].astype(np.float64)
        timed = np.any(times != 0, axis=1)
        if self.fusion == "vs":
            ours, theirs = text + question, texts + times
        else:
            ours, theirs = text * question, texts * times
        fused = unit_rows(theirs) @ unit_rows(ours[None, :])[0]
        found = np.where(timed, fused, texts @ text).astype(np.float64)
        return Scored(found, {"fused": found})

    def _times(self, pool: Pool, asked: Sequence[Span]) -> tuple[Floats, Floats]:
        """The vector of the question's time, and of each candidate's; zeros for a candidate without time."""
        encoder = encoder_of(pool, self.encoder, self.memory, self.name)
        if self.time == "text":
            question = encoder.encode_queries([", ".join(span.describe() for span in asked)])[0]
            texts = time_texts(pool, self.most)
            return question.astype(np.float64), zeros_or_vectors(texts, encoder.encode_documents, encoder.dim)
        times = times_of(pool)
        sums = np.zeros((len(pool), encoder.dim))
        np.add.at(sums, times.places, waves(times.spans, encoder.dim))
        question = waves(SpanSet.of(asked), encoder.dim).sum(axis=0)
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
#: Bins whose density is computed at a time: what memory must hold.
_CHUNK: Final = 512


@dataclass(frozen=True, slots=True)
class TimeKDE:
    """Wang et al., "ChunQiuTR: Time-Keyed Temporal Retrieval in Classical Chinese Annals", appendix B.3.1, with the
    constants of its code: score = BM25 + weight * ln(prior + epsilon).

    The prior is a density over bins of one `grain`. Each of the `top` best candidates by BM25 adds a bell of `sigma`
    bins, cut off at `reach` sigmas and at the ends of the timeline; then it is made to sum to 1. Where no candidate
    shares a word with the question, the prior is the same for all.

    Deviations: the BM25 of the index (k1 = 1.2, where the paper has 1.5, and words, where it has characters and their
    pairs); the candidates of the pool stand for the collection; the timeline runs from the first to the last time in
    the pool. A passage without time, which the paper does not have, gets the even share of one bin. With `asked` the
    bells stand on the times that the question asks for instead: a variant of this package, not of the paper.
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
            known = ", ".join(grain.label for grain in _UNITS)
            raise EpochalError(f"grain of scorer {self.name!r} is {Grain(self.grain).label!r}; accepted: {known}")
        for name in ("top", "sigma", "reach", "epsilon"):
            if not getattr(self, name) > 0:
                raise EpochalError(f"{name} of scorer {self.name!r} must be above 0, but is {getattr(self, name)}")

    @property
    def name(self) -> str:
        """The name by which the scorer is asked for."""
        return "bm25-timekde-asked" if self.asked else "bm25-timekde"

    def score(self, pool: Pool) -> Scored:
        """BM25 of each candidate, and the weighed logarithm of its prior."""
        temporal = self.weight * np.log(self.prior(pool) + self.epsilon)
        return Scored(pool.lexical + temporal, {"lexical": pool.lexical, "temporal": temporal})

    def prior(self, pool: Pool) -> Floats:
        """The density at the time of each candidate."""
        even = np.ones(len(pool))
        if not len(pool):
            return even
        times = times_of(pool)
        centres = self._centres(pool, times)
        if centres is None:
            return even
        line = _Timeline(times.spans, centres.spans, grain=self.grain)
        low, high = line.bins(centres.spans)
        if not line.size or not len(low):
            return even
        share = 1.0 / np.bincount(centres.places)[centres.places]
        mass = _Bells(low, high, share, self.sigma, int(self.reach * self.sigma))
        total = float(mass.between(np.array([line.first]), np.array([line.last]))[0])
        found = np.full(len(pool), 1.0 / line.size)
        if len(times.places):
            starts, ends = line.bins(times.spans)
            density = mass.between(starts, ends) / ((ends - starts + 1) * total)
            best = -times.least(-density, len(pool))
            found = np.where(np.isfinite(best), best, found)
        return found

    def _centres(self, pool: Pool, times: Times) -> Times | None:
        """The times that bells stand on, each with the place of whom it belongs to; None for an even prior."""
        if self.asked:
            spans = SpanSet.of(window.span for window in pool.windows)
            return Times(np.arange(len(spans), dtype=np.int64), spans) if len(spans) else None
        if not pool.lexical.any():
            return None
        best = np.zeros(len(pool), dtype=np.bool_)
        best[np.argsort(-pool.lexical, kind="stable")[: self.top]] = True
        chosen = best[times.places]
        return Times(times.places[chosen], times.spans[chosen])


class _Timeline:
    """The bins from the first to the last time that is known; open ends reach to the edge."""

    def __init__(self, *sets: SpanSet, grain: Grain) -> None:
        self._unit = _UNITS[grain]
        starts = np.concatenate([spans.starts for spans in sets])
        ends = np.concatenate([spans.ends for spans in sets])
        known = np.concatenate([starts[starts != OPEN_START], ends[ends != OPEN_END] - 1])
        self.size = 0
        if len(known):
            self._edges = int(known.min()), int(known.max())
            self.first, self.last = (int(self._bin(np.array([edge]))[0]) for edge in self._edges)
            self.size = self.last - self.first + 1

    def bins(self, spans: SpanSet) -> tuple[Ints, Ints]:
        """The first and the last bin of each span."""
        if not self.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        low, high = self._edges
        return self._bin(np.maximum(spans.starts, low)), self._bin(np.minimum(spans.ends - 1, high))

    def _bin(self, seconds: Ints) -> Ints:
        return seconds.astype("datetime64[s]").astype(f"datetime64[{self._unit}]").astype(np.int64)


class _Bells:
    """The sum of bells over stretches of bins, each stretch sharing its weight evenly among its bins."""

    def __init__(self, low: Ints, high: Ints, weights: Floats, sigma: float, width: int) -> None:
        stretches, same = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        self._low, self._high = stretches
        self._weights = np.bincount(same.ravel(), weights) / (self._high - self._low + 1)
        self._width = width
        offsets = np.arange(-width, width + 1)
        bell = np.exp(-0.5 * (offsets / sigma) ** 2)
        #: Sums of the bell up to each offset, and sums of these.
        self._total = float(bell.sum())
        self._twice = np.concatenate([[0.0], np.cumsum(np.cumsum(bell))])

    def between(self, first: Ints, last: Ints) -> Floats:
        """The density summed over the bins from each first to each last one."""
        points, where = np.unique(np.concatenate([first - 1, last]), return_inverse=True)
        sums = np.concatenate([self._upto(points[at : at + _CHUNK]) for at in range(0, len(points), _CHUNK)])
        found: Floats = sums[where[len(first) :]] - sums[where[: len(first)]]
        return found

    def _upto(self, points: Ints) -> Floats:
        """The density summed over all bins up to each point."""
        # Beyond the bell nothing more is added; without the clip, sums over long timelines would lose their digits.
        at = np.clip(points[:, None], self._low - self._width - 1, self._high + self._width)
        sums: Floats = (self._double(at - self._low) - self._double(at - self._high - 1)) @ self._weights
        return sums

    def _double(self, offsets: Ints) -> Floats:
        """The sum of the sums of the bell up to an offset: 0 before it, and rising evenly behind it."""
        inside = np.clip(offsets, -self._width - 1, self._width)
        rising: Floats = self._twice[inside + self._width + 1] + self._total * (offsets - inside).clip(min=0)
        return rising


#: The variant, as the entry point of a scorer names it.
make_timekde_asked = partial(TimeKDE, asked=True)
