"""Time decay: relevance that fades with the age of the document."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, get_args

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking.baselines.encoding import Memory, question_similarity
from epochal.ranking.baselines.times import published_of
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times import Exponential, Span, freshness
from epochal.times.decay import FuturePolicy

__all__ = ["TimeDecay"]

_DAY: Final = 86_400
Relevance = Literal["semantic", "lexical"]


@dataclass(frozen=True, slots=True)
class TimeDecay:
    """Li and Croft, "Time-Based Language Models" (2003), section 4: P(D | Q) ~ P(Q | D) P(D | T_D), with the
    exponential prior P(D | T_D) = r exp(-r (T_C - T_D)), where T_D is the date of the document and T_C the present.

    `rate` is r, in parts a day; 0.01 halves a score in 69 days. The papers tune it for each collection, so that the
    default is this package's choice and not theirs. Deviations: the relevance is the cosine of the question, or BM25,
    instead of a query likelihood (negative cosines count as 0); the constant r before the exponential, which is the
    same for all, is left out; the present is the `now` of the search. A document without a date fades as the middle
    one of the pool, and one from the future follows `future` (see `epochal.times.decay`).

    >>> TimeDecay(relevance="lexical").name
    'time-decay-lexical'
    """

    relevance: Relevance = "semantic"
    rate: float = 0.01
    future: FuturePolicy = "as_new"
    encoder: Encoder | None = None
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.relevance not in get_args(Relevance):
            raise UnknownNameError("relevance", self.relevance, get_args(Relevance))
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise EpochalError(
                f"rate of scorer {self.name!r} must be a number above 0 (parts a day), but is {self.rate}"
            )

    @property
    def name(self) -> str:
        """The name by which the scorer is asked for.

        >>> TimeDecay().name
        'time-decay'
        """
        return "time-decay" if self.relevance == "semantic" else f"time-decay-{self.relevance}"

    def score(self, pool: Pool) -> Scored:
        """The relevance of each candidate, less what its age takes.

        >>> none = np.empty(0, dtype=np.int64)
        >>> from epochal.reading.questions import understand
        >>> TimeDecay().score(Pool("rates", understand("rates"), None, None, (), none, none, np.empty(0), np.empty(0)))
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: scorer 'time-decay' counts ages from the present, but the search has none;
        accepted: a now such as '2026-11-15'
        """
        if pool.now is None:
            raise EpochalError(
                f"scorer {self.name!r} counts ages from the present, but the search has none; accepted: a now such as "
                "'2026-11-15'"
            )
        if self.relevance == "semantic":
            found = np.maximum(question_similarity(pool, self.encoder, self.memory, self.name), 0.0)
        else:
            found = pool.lexical
        loss = found * (self._fading(pool, pool.now) - 1.0)
        return Scored(found + loss, {self.relevance: found, "age": loss})

    def _fading(self, pool: Pool, now: Span) -> Floats:
        dated = published_of(pool) if len(pool) else None
        if dated is None or not len(dated.places):
            return np.ones(len(pool))
        curve = Exponential(scale=math.log(2) / self.rate * _DAY)
        known = freshness(dated.spans, now, curve, future=self.future)
        found = np.full(len(pool), float(np.median(known)))
        found[dated.places] = known
        return found


#: The variant, as the entry point of a scorer names it.
make_time_decay_lexical = partial(TimeDecay, relevance="lexical")
