"""TMRLTask: passages with questions, for the trainer; measured by whether held-out questions find their passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from epochal.bench.metrics import measure_rankings
from epochal.errors import EpochalError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.batches import Examples, TMRLBatch, examples_of
from epochal.models.tmrl.encoding import encoded
from epochal.models.tmrl.evaluate import nearest
from epochal.models.tmrl.losses import losses_of
from epochal.models.tmrl.network import Network
from epochal.models.tmrl.rows import TemporalQuestion, TemporalRow
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.spans import passage_places, question_places
from epochal.models.tmrl.texts import TimedTexts, timed_texts
from epochal.models.training.settings import TrainSettings

__all__ = ["HeldOut", "TMRLTask", "held_out_of"]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Passages and questions that are not trained on, and which passages answer each question.

    >>> row = TemporalRow("p", "rain", (), (TemporalQuestion("rain"),))
    >>> made = held_out_of(Backbone.tiny(["rain"]), [row, row], TMRLSettings())
    >>> len(made.passages), made.right
    (1, (frozenset({0}),))
    """

    passages: TimedTexts
    questions: TimedTexts
    right: tuple[frozenset[int], ...]

    def measure_hits(self, network: Network, dims: Sequence[int], precision: str = "fp32") -> dict[int, float]:
        """hit@1 at every prefix: the share of questions whose nearest passage answers them.

        >>> from epochal.models.tmrl.methods import made_network
        >>> row = TemporalRow("p", "rain", (), (TemporalQuestion("rain"),))
        >>> network = made_network(Backbone.tiny(["rain"], width=8), TMRLSettings.named("zero-shot"))
        >>> held_out_of(network.reader, [row], TMRLSettings()).measure_hits(network, [4, 8])
        {4: 1.0, 8: 1.0}
        """
        passages = encoded(network, self.passages, "passage", precision)
        questions = encoded(network, self.questions, "question", precision)
        found = {}
        for dim in dims:
            ranked = list(nearest(questions, passages, dim, depth=1))
            found[dim] = float(measure_rankings(ranked, self.right, "hit@1")["hit@1"].mean())
        return found


def held_out_of(backbone: Backbone, rows: Sequence[TemporalRow], settings: TMRLSettings) -> HeldOut:
    """Rows as what a network is measured on: equal passages are one, and so are equal questions.

    >>> held_out_of(Backbone.tiny(["rain"]), [TemporalRow("p", "rain")], TMRLSettings())
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: none of 1 held-out rows has a question that its passage answers; accepted: one or more
    """
    passages: dict[str, TemporalRow] = {}
    asked: dict[str, tuple[TemporalQuestion, set[int]]] = {}
    places: dict[str, int] = {}
    for row in rows:
        passages.setdefault(row.passage, row)
        place = places.setdefault(row.passage, len(places))
        for one in row.positives:
            asked.setdefault(one.text, (one, set()))[1].add(place)
    if not asked:
        raise EpochalError(
            f"none of {len(rows)} held-out rows has a question that its passage answers; accepted: one or more"
        )
    times = settings.has_two_encoders
    return HeldOut(
        timed_texts(
            backbone,
            list(passages),
            [passage_places(row) for row in passages.values()] if times else None,
            prefix=settings.passage_prefix,
            max_length=settings.max_length,
            times=times,
        ),
        timed_texts(
            backbone,
            list(asked),
            [question_places(one) for one, _ in asked.values()] if times else None,
            prefix=settings.question_prefix,
            max_length=settings.max_length,
            times=times,
        ),
        tuple(frozenset(right) for _, right in asked.values()),
    )


class TMRLTask:
    """What is trained by a method on rows; `dev` are rows to measure on, and without them there is nothing to measure.

    >>> from epochal.models.tmrl.methods import made_network
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> network = made_network(Backbone.tiny(["rain", "snow"]), TMRLSettings(method="lora-mrl", dims=(8,)))
    >>> task = TMRLTask(network, rows, rows, seed=1)
    >>> sorted(task.loss(next(task.batches(0, TrainSettings(batch_size=2))))), sorted(task.evaluate())
    (['contrast', 'loss'], ['hit@1', 'hit@1 8'])
    """

    def __init__(
        self,
        model: Network,
        rows: Sequence[TemporalRow],
        dev: Sequence[TemporalRow] = (),
        *,
        seed: int,
        precision: str = "fp32",
    ) -> None:
        self.model = model
        self.precision = precision
        self.examples: Examples = examples_of(model.reader, rows, model.settings, seed=seed)
        self.held_out = held_out_of(model.reader, dev, model.settings) if dev else None

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return -(-len(self.examples) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[TMRLBatch]:
        """The batches of an epoch."""
        return self.examples.batches(epoch, settings.batch_size, self.model.settings.negatives, settings.seed)

    def loss(self, batch: TMRLBatch) -> Mapping[str, Tensor]:
        """The loss of the method, and its parts."""
        return losses_of(self.model, batch)

    def evaluate(self) -> Mapping[str, float]:
        """The share of held-out questions whose nearest passage answers them: by whole vectors, and by each prefix."""
        if self.held_out is None:
            return {}
        width = self.model.width
        with torch.no_grad():
            found = self.held_out.measure_hits(self.model, self.model.settings.search_dims(width), self.precision)
        return {"hit@1": found.pop(width), **{f"hit@1 {dim}": value for dim, value in found.items()}}
