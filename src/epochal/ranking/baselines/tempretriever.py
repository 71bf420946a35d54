"""TempRetriever: a text and its time are encoded apart and fused; here without the training that the paper does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

import numpy as np

from epochal.encoders.base import Encoder, unit_rows
from epochal.errors import UnknownNameError
from epochal.ranking.baselines.encoding import Memory, encoder_of, passage_texts, question_similarity, zeros_or_vectors
from epochal.ranking.baselines.tagged_dense import tagged_similarity
from epochal.ranking.baselines.times import asked_spans, time_texts, times_of
from epochal.ranking.baselines.waves import waves
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times import Span, SpanSet

__all__ = ["TempRetriever"]

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
    of times reads them, and "waves" is the fixed encoding of `epochal.ranking.baselines.waves`. The paper's fusion by
    relative embeddings has no meaning without training, and is left out.

    The paper's time of a document is when it was published. Where that is not known, it is the first `most` times that
    the passage speaks of, joined by commas, as Huynh et al. ("Efficient Temporal-aware Matryoshka Adaptation", 2026)
    run it; for waves the mean of all its times. The time of a question is what it asks for, else the present; without
    either the texts alone are compared, and so is a candidate without time. vs and ewi encode all candidates anew, as
    tag does; see `TaggedDense` for what that costs.

    >>> TempRetriever("ewi").name, TempRetriever("fs", time="waves").name
    ('tempretriever-ewi', 'tempretriever-fs-waves')
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
        """The name by which the scorer is asked for.

        >>> TempRetriever("tag").name
        'tempretriever-tag'
        """
        return f"tempretriever-{self.fusion}" + ("-waves" if self.time == "waves" else "")

    def score(self, pool: Pool) -> Scored:
        """The fused score of each candidate.

        >>> from epochal.reading.questions import understand
        >>> none = np.empty(0, dtype=np.int64)
        >>> pool = Pool("rates", understand("rates"), None, None, (), none, none, np.empty(0), np.empty(0))
        >>> len(TempRetriever("vs").score(pool).scores)
        0
        """
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
