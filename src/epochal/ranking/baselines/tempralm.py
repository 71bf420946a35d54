"""TempRALM: the semantic score plus a temporal one that falls with the distance in time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.baselines.encoding import Memory, question_similarity
from epochal.ranking.baselines.times import distances, nearest, published_of, times_of
from epochal.ranking.baselines.zscore import standardised
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times import Span

__all__ = ["TempRALM"]

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

    >>> TempRALM().name
    'tempralm'
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
        """The cosine of each candidate, and the temporal score in the same units.

        >>> TempRALM(least=1.0).least
        1.0
        """
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
