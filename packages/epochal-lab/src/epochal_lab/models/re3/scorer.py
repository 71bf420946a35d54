"""Re3 as a scorer of the engine: alone, and combined with the default scorer."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Final

import numpy as np

from epochal.encoders.base import Encoder, Vectors
from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.ranking.scorer import WeightedScorer
from epochal_lab.models.re3.features import (
    NetworkInputs,
    build_inputs,
    compute_differences,
    compute_time_gaps,
    describe_times,
)
from epochal_lab.models.re3.model import CONFIG, Re3Model, read_model
from epochal_lab.systems.scorer_inputs import VectorMemory, find_encoder

#: The log odds against a candidate from which its component is 0.
_MAX_LOG_ODDS: Final = 10.0


def get_shipped_folder() -> Path | None:
    """Return the folder of the model that is part of the package, or None."""
    folder = Path(str(resources.files("epochal_lab.models.re3").joinpath("weights")))
    return folder if (folder / CONFIG).is_file() else None


@dataclass(frozen=True, slots=True)
class Re3:
    """Cao et al., "Re3: Learning to Balance Relevance & Recency for Temporal Information Retrieval" (2025).

    The score of a candidate is the sum of a text and a time component, already weighted by the model's gate. `encoder`
    is needed only by a model that compares times in words, if the index's encoder has no name.
    """

    model: Re3Model
    encoder: Encoder | None = None
    name: str = "re3"
    memory: VectorMemory = field(default_factory=VectorMemory, repr=False, compare=False)

    @classmethod
    def read(cls, folder: str | PathLike[str] | None = None, encoder: Encoder | None = None) -> Re3:
        """Read the model of a folder, by default of the one in the package."""
        path = get_shipped_folder() if folder is None else folder
        if path is None:
            raise EpochalError(
                "no Re3 model comes with the package; accepted: re3:FOLDER, a folder that `epochal train re3` wrote"
            )
        return cls(read_model(path), encoder)

    def score(self, pool: Pool) -> Scored:
        """Score the candidates, with components for text and time.

        If only the top candidates by similarity are reranked, the others follow in the order of similarity.
        """
        self._check_encoder(pool)
        count, depth = len(pool), self.model.network.settings.depth
        if not count:
            return Scored(np.empty(0), {"text": np.empty(0), "time": np.empty(0)})
        if depth is None or count <= depth:
            parts = self.model.network.forward(self.inputs(pool))
            return Scored(parts.scores, {"text": parts.text, "time": parts.time})
        first = np.sort(np.lexsort((pool.rows, -pool.semantic))[:depth])
        near = self.model.network.forward(self.inputs(pool.at(first)))
        text, time = pool.semantic.astype(np.float64).copy(), np.zeros(count)
        # Below the last reranked candidate, by more than any cosine.
        text -= 3.0 + float(text.max()) - min(float(near.scores.min()), 0.0)
        text[first], time[first] = near.text, near.time
        return Scored(text + time, {"text": text, "time": time})

    def inputs(self, pool: Pool) -> NetworkInputs:
        """Build the network's inputs for a pool."""
        vector = self._check_encoder(pool)
        settings = self.model.network.settings
        differences = None
        if settings.encoding == "difference":
            encoder = find_encoder(pool, self.encoder, self.memory, self.name)
            differences = compute_differences(
                describe_times(pool), encoder.encode_queries, encoder.encode_documents, encoder.dim
            )
        vectors = pool.view.get_vectors(pool.rows)
        return build_inputs(
            settings, vector, vectors, pool.semantic, pool.lexical, compute_time_gaps(pool), differences
        )

    def _check_encoder(self, pool: Pool) -> Vectors:
        """Return the query's vector; the index must have vectors of the encoder that the model was trained on."""
        if pool.vector is None:
            raise EpochalError(
                f"scorer {self.name!r} compares vectors, but the index was made without an encoder; accepted: an index "
                "with vectors"
            )
        # The name of an index's encoder may have a prefix before its identity, such as "minilm@".
        name, mark, identity = pool.view.encoder_name.partition("@")
        actual, expected = identity if mark else name, self.model.encoder
        if len(pool.vector) != self.model.network.dim or (expected and actual != expected):
            raise EpochalError(
                f"scorer {self.name!r} was trained on vectors of {expected or 'an encoder'!r} with "
                f"{self.model.network.dim} dimensions, but those of the index are of {actual!r} with "
                f"{len(pool.vector)}; accepted: an index made with that encoder, or a model trained on this one's"
            )
        return pool.vector


def scale_learned_scores(scores: Floats, temperature: float) -> Floats:
    """Scale scores to a component in [0, 1]: 1 for the best, less by the log odds against the others.

    The model was trained so that exp(score / temperature) are odds. Log odds of 10 and more give 0.
    """
    if not len(scores):
        return np.empty(0)
    behind = (float(scores.max()) - scores) / (_MAX_LOG_ODDS * temperature)
    return np.maximum(1.0 - behind, 0.0)


@dataclass(frozen=True, slots=True)
class GateRe3:
    """The default scorer with one more component, `learned`, weighted as the model's folder says."""

    re3: Re3
    gate: WeightedScorer = field(default_factory=WeightedScorer)
    name: str = "gate+re3"

    @classmethod
    def read(cls, folder: str | PathLike[str] | None = None, encoder: Encoder | None = None) -> GateRe3:
        """Read the model of a folder, by default of the one in the package."""
        return cls(Re3.read(folder, encoder))

    def score(self, pool: Pool) -> Scored:
        """Score the candidates with their components; the default scorer alone if the learned weight is 0."""
        scored = self.gate.score(pool)
        weight = self.re3.model.mixing_weights["timed" if pool.windows else "plain"]
        if not weight or not len(pool):
            return scored
        learned = weight * scale_learned_scores(
            self.re3.score(pool).scores, self.re3.model.network.settings.temperature
        )
        parts = {**scored.parts, "learned": learned}
        return Scored(scored.scores + learned, parts, scored.dating, scored.match, scored.local)
