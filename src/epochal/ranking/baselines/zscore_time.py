"""Z-score fusion of meaning and time: the likeness of the texts, and the likeness of their times written out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from epochal.encoders.base import Encoder
from epochal.ranking.baselines.encoding import Memory, encoder_of, question_similarity, zeros_or_vectors
from epochal.ranking.baselines.times import asked_spans, time_texts
from epochal.ranking.baselines.zscore import standardised
from epochal.ranking.pool import Pool, Scored

__all__ = ["ZScoreTime"]


@dataclass(frozen=True, slots=True)
class ZScoreTime:
    """Cao et al., "Re3: Learning to Balance Relevance & Recency for Temporal Information Retrieval" (2025): the
    baseline that its table 4 calls TSM, z(cosine of the texts) + z(cosine of the times as texts).

    The paper that TSM is named after (Han et al., 2025) does something else: it merges seven trained retrievers. The
    times are words ("May 1998"); of a candidate the date of its document, else the first `most` times that it speaks
    of; of a question the times that it asks for, else the present. Where the question has no time, z(cosine) is all.
    A candidate without time has a likeness of 0 before it is standardised.

    >>> ZScoreTime().name
    'zscore-time'
    """

    most: int = 8
    encoder: Encoder | None = None
    name: str = "zscore-time"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The sum of the standardised likenesses of text and time.

        >>> ZScoreTime(most=2).most
        2
        """
        meaning = standardised(question_similarity(pool, self.encoder, self.memory, self.name))
        asked = asked_spans(pool)
        temporal = np.zeros(len(pool))
        if asked and len(pool):
            encoder = encoder_of(pool, self.encoder, self.memory, self.name)
            wanted = encoder.encode_queries([", ".join(span.describe() for span in asked)])[0]
            temporal = standardised(
                zeros_or_vectors(time_texts(pool, self.most), encoder.encode_documents, encoder.dim) @ wanted
            )
        return Scored(meaning + temporal, {"semantic": meaning, "temporal": temporal})
