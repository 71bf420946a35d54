"""The loss of a method on a batch (equation 15), and its task for the trainer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.metrics.functions import measure_rankings
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.tmrl.batches import (
    Examples,
    TextBatch,
    TimedTexts,
    TMRLBatch,
    build_examples,
    find_passage_times,
    find_question_times,
    tokenize_timed,
)
from epochal_lab.models.tmrl.evaluate import encode_texts, search_nearest
from epochal_lab.models.tmrl.network import SingleEncoder, TMRLNetwork, TMRLOutput, compute_adaptor_losses
from epochal_lab.models.tmrl.objectives import (
    Groups,
    ProjectedTimes,
    cka_loss,
    distillation_loss,
    matryoshka_loss,
    project_times,
    take_prefixes,
    temporal_contrast,
)
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.training.settings import TrainSettings


def compute_losses(network: TMRLNetwork, batch: TMRLBatch) -> dict[str, Tensor]:
    """Return the loss of a batch, and its unweighted terms.

    Everything after the encoder is computed in float32: differences of cosines are smaller than what bf16 can
    represent.
    """
    passages = network.encode(batch.passages, "passage")
    questions = network.encode(batch.questions, "question")
    with torch.autocast(passages.vectors.device.type, enabled=False):
        if network.settings.method == "m-adaptor":
            return compute_adaptor_losses(passages, questions, batch.groups, network.settings)
        return _compute_contrastive(network, batch, passages, questions)


def _compute_contrastive(
    network: TMRLNetwork, batch: TMRLBatch, passages: TMRLOutput, questions: TMRLOutput
) -> dict[str, Tensor]:
    settings = network.settings
    dims = settings.loss_dims(network.width)
    anchors = take_prefixes(passages.vectors.float(), dims, normalise=settings.normalise)
    candidates = take_prefixes(questions.vectors.float(), dims, normalise=settings.normalise)
    losses = {
        "contrast": matryoshka_loss(
            anchors,
            candidates,
            batch.groups,
            settings.temperature,
            false_negatives=settings.false_negatives,
            mean=settings.mean_over_dims,
        )
    }
    total = losses["contrast"]
    if settings.method != "tmrl":
        return {"loss": total, **losses}
    if settings.alpha:
        # The paper's names: what is compared with questions' vectors is called the loss of questions.
        losses["temporal question"], losses["temporal passage"] = _compute_temporal(
            network, batch, passages, questions, batch.groups
        )
        total = total + settings.alpha * (losses["temporal question"] + losses["temporal passage"])
    if settings.beta:
        losses["distillation"] = distillation_loss(
            anchors, settings.top_k, include_self=settings.include_self
        ) + distillation_loss(candidates, settings.top_k, include_self=settings.include_self)
        total = total + settings.beta * losses["distillation"]
    if settings.gamma:
        losses["cka"] = cka_loss(anchors) + cka_loss(candidates)
        total = total + settings.gamma * losses["cka"]
    return {"loss": total, **losses}


def _compute_temporal(
    network: TMRLNetwork, batch: TMRLBatch, passages: TMRLOutput, questions: TMRLOutput, groups: Groups
) -> tuple[Tensor, Tensor]:
    settings = network.settings
    first = settings.temporal_dims
    return temporal_contrast(
        passages.vectors[:, :first].float(),
        questions.vectors[:, :first].float(),
        _project_batch(network, batch.passages, passages, settings),
        _project_batch(network, batch.questions, questions, settings),
        groups,
        settings.temperature,
    )


def _project_batch(
    network: TMRLNetwork, texts: TextBatch, encoded: TMRLOutput, settings: TMRLSettings
) -> ProjectedTimes:
    if not isinstance(network, SingleEncoder) or network.projector is None or encoded.hidden is None:
        raise EpochalError("the temporal contrast needs a projector and the states of tokens, which are missing")
    first = encoded.vectors if network.backbone.pooling == "cls" else None
    projected = project_times(network.projector, encoded.hidden, texts.spans, first, detach=settings.detach)
    return projected.average() if settings.spans == "all" else projected


@dataclass(frozen=True, slots=True)
class TMRLHoldout:
    """Passages and questions that are not trained on, and which passages answer each question."""

    passages: TimedTexts
    questions: TimedTexts
    right: tuple[frozenset[int], ...]

    def measure_hits(self, network: TMRLNetwork, dims: Sequence[int], precision: str = "fp32") -> dict[int, float]:
        """Return hit@1 at every prefix: the share of questions whose nearest passage answers them."""
        passages = encode_texts(network, self.passages, "passage", precision)
        questions = encode_texts(network, self.questions, "question", precision)
        hits = {}
        for dim in dims:
            ranked = list(search_nearest(questions, passages, dim, depth=1))
            hits[dim] = float(measure_rankings(ranked, self.right, "hit@1")["hit@1"].mean())
        return hits


def build_holdout(backbone: Backbone, rows: Sequence[TemporalRow], settings: TMRLSettings) -> TMRLHoldout:
    """Build the holdout of rows: equal passages count once, and so do equal questions."""
    passages: dict[str, TemporalRow] = {}
    answers: dict[str, tuple[TemporalQuestion, set[int]]] = {}
    rows_by_passage: dict[str, int] = {}
    for row in rows:
        passages.setdefault(row.passage, row)
        row_number = rows_by_passage.setdefault(row.passage, len(rows_by_passage))
        for one in row.positives:
            answers.setdefault(one.text, (one, set()))[1].add(row_number)
    if not answers:
        raise EpochalError(
            f"none of {len(rows)} held-out rows has a question that its passage answers; accepted: one or more"
        )
    times = settings.has_two_encoders
    return TMRLHoldout(
        tokenize_timed(
            backbone,
            list(passages),
            [find_passage_times(row) for row in passages.values()] if times else None,
            prefix=settings.passage_prefix,
            max_length=settings.max_length,
            times=times,
        ),
        tokenize_timed(
            backbone,
            list(answers),
            [find_question_times(one) for one, _ in answers.values()] if times else None,
            prefix=settings.question_prefix,
            max_length=settings.max_length,
            times=times,
        ),
        tuple(frozenset(right) for _, right in answers.values()),
    )


class TMRLTask:
    """Training of a method on rows; `dev` are rows to evaluate on, without which nothing is measured.

    >>> from epochal_lab.models.tmrl.network import build_network
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> network = build_network(Backbone.tiny(["rain", "snow"]), TMRLSettings(method="lora-mrl", dims=(8,)))
    >>> task = TMRLTask(network, rows, rows, seed=1)
    >>> sorted(task.loss(next(task.batches(0, TrainSettings(batch_size=2))))), sorted(task.evaluate())
    (['contrast', 'loss'], ['hit@1', 'hit@1 8'])
    """

    def __init__(
        self,
        model: TMRLNetwork,
        rows: Sequence[TemporalRow],
        dev: Sequence[TemporalRow] = (),
        *,
        seed: int,
        precision: str = "fp32",
    ) -> None:
        self.model = model
        self.precision = precision
        self.examples: Examples = build_examples(model.reader, rows, model.settings, seed=seed)
        self.held_out = build_holdout(model.reader, dev, model.settings) if dev else None

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return -(-len(self.examples) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[TMRLBatch]:
        """The batches of an epoch."""
        return self.examples.batches(epoch, settings.batch_size, self.model.settings.negatives, settings.seed)

    def loss(self, batch: TMRLBatch) -> Mapping[str, Tensor]:
        return compute_losses(self.model, batch)

    def evaluate(self) -> Mapping[str, float]:
        """Return the share of held-out questions whose nearest passage answers them: by whole vectors, and by each
        prefix.
        """
        if self.held_out is None:
            return {}
        width = self.model.width
        with torch.no_grad():
            hits = self.held_out.measure_hits(self.model, self.model.settings.search_dims(width), self.precision)
        return {"hit@1": hits.pop(width), **{f"hit@1 {dim}": value for dim, value in hits.items()}}
