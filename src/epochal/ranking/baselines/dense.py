"""Dense retrieval alone: the cosine of a passage and the whole question, its time words included."""

from __future__ import annotations

from dataclasses import dataclass, field

from epochal.encoders.base import Encoder
from epochal.ranking.baselines.encoding import Memory, question_similarity
from epochal.ranking.pool import Pool, Scored

__all__ = ["Dense"]


@dataclass(frozen=True, slots=True)
class Dense:
    """Karpukhin et al., "Dense Passage Retrieval for Open-Domain Question Answering" (2020), equation 1.

    sim(q, p) = E_Q(q) . E_P(p), where the encoder is that of the index, as it is: nothing is trained here, and the
    vectors have length 1. The question is encoded as it was asked; the default scorer encodes its topic. `encoder`
    must be given for an index made with an encoder that has no name.

    >>> import numpy as np
    >>> from epochal.reading.questions import understand
    >>> rows, vector = np.arange(2), np.ones(1, dtype=np.float32)
    >>> words, meaning = np.zeros(2), np.array([0.1, 0.9])
    >>> pool = Pool("tariffs", understand("tariffs"), None, None, (), rows, rows, words, meaning, vector)
    >>> Dense().score(pool).scores
    array([0.1, 0.9])
    """

    encoder: Encoder | None = None
    name: str = "dense"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The cosine of each candidate and the question.

        >>> Dense().name
        'dense'
        """
        found = question_similarity(pool, self.encoder, self.memory, self.name)
        return Scored(found, {"semantic": found})
