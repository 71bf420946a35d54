"""The gate with Re3 beside its own parts: symbolic and learned evidence in one sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Final

import numpy as np

from epochal.encoders.base import Encoder
from epochal.ranking.gate import Gate
from epochal.ranking.learned.scorer import Re3
from epochal.ranking.pool import Floats, Pool, Scored

__all__ = ["GateRe3", "learned_part"]

#: The odds beyond which a candidate has no share: e^10 to one against it.
_REACH: Final = 10.0


def learned_part(scores: Floats, temperature: float) -> Floats:
    """Scores as a part of the gate, in [0, 1]: 1 for the best, and less by the logarithm of the odds against it.

    The model was trained so that exp(score / temperature) are odds. Those of one to e^10 and beyond are 0.

    >>> learned_part(np.array([0.9, 0.4, -0.6]), 0.1).round(2).tolist()
    [1.0, 0.5, 0.0]
    """
    if not len(scores):
        return np.empty(0)
    behind = (float(scores.max()) - scores) / (_REACH * temperature)
    return np.maximum(1.0 - behind, 0.0)


@dataclass(frozen=True, slots=True)
class GateRe3:
    """The default scorer with one part more, `learned`, which counts as much as the model's folder says.

    >>> GateRe3.read("no/such")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/config.json: cannot be read: No such file or directory; accepted: a folder that
    `epochal train re3` wrote
    """

    re3: Re3
    gate: Gate = field(default_factory=Gate)
    name: str = "gate+re3"

    @classmethod
    def read(cls, folder: str | PathLike[str] | None = None, encoder: Encoder | None = None) -> GateRe3:
        """The scorer with the model of a folder, or with the one that comes with the package.

        >>> GateRe3.read.__name__
        'read'
        """
        return cls(Re3.read(folder, encoder))

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate with its parts; the gate alone where the learned part counts nothing.

        >>> GateRe3.score.__name__
        'score'
        """
        scored = self.gate.score(pool)
        weight = self.re3.model.beside["timed" if pool.windows else "plain"]
        if not weight or not len(pool):
            return scored
        learned = weight * learned_part(self.re3.score(pool).scores, self.re3.model.network.settings.temperature)
        parts = {**scored.parts, "learned": learned}
        return Scored(scored.scores + learned, parts, scored.dating, scored.match, scored.local)
