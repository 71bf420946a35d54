"""The whole of a method's loss on a batch (equation 15), told in its parts."""

from __future__ import annotations

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal.models.tmrl.adaptor import adaptor_losses
from epochal.models.tmrl.batches import TMRLBatch
from epochal.models.tmrl.matryoshka import Groups, matryoshka_loss, prefixes
from epochal.models.tmrl.network import Encoded, Network, Single
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.structure import cka_loss, distillation
from epochal.models.tmrl.temporal import Projected, project, temporal_contrast
from epochal.models.tmrl.texts import TextBatch

__all__ = ["losses_of"]


def losses_of(network: Network, batch: TMRLBatch) -> dict[str, Tensor]:
    """The loss of a batch, and its parts before they are weighed.

    Everything after the encoder is computed in float32, whatever the precision of training: differences of cosines are
    smaller than what bf16 can hold.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.tmrl.batches import examples_of
    >>> from epochal.models.tmrl.rows import TemporalQuestion, TemporalRow
    >>> tiny, settings = Backbone.tiny(["rain", "snow"], width=8), TMRLSettings(dims=(4,), temporal_dims=4, top_k=1)
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> examples = examples_of(tiny, rows, settings, seed=1)
    >>> sorted(losses_of(Single(tiny, settings), next(examples.batches(0, 2, 4, seed=1))))
    ['cka', 'contrast', 'distillation', 'loss', 'temporal passage', 'temporal question']
    """
    passages = network.encode(batch.passages, "passage")
    questions = network.encode(batch.questions, "question")
    with torch.autocast(passages.vectors.device.type, enabled=False):
        if network.settings.method == "m-adaptor":
            return adaptor_losses(passages, questions, batch.groups, network.settings)
        return _contrastive(network, batch, passages, questions)


def _contrastive(network: Network, batch: TMRLBatch, passages: Encoded, questions: Encoded) -> dict[str, Tensor]:
    settings = network.settings
    dims = settings.loss_dims(network.width)
    anchors = prefixes(passages.vectors.float(), dims, normalise=settings.normalise)
    candidates = prefixes(questions.vectors.float(), dims, normalise=settings.normalise)
    told = {
        "contrast": matryoshka_loss(
            anchors,
            candidates,
            batch.groups,
            settings.temperature,
            false_negatives=settings.false_negatives,
            mean=settings.mean_over_dims,
        )
    }
    total = told["contrast"]
    if settings.method != "tmrl":
        return {"loss": total, **told}
    if settings.alpha:
        # The paper's names: what is compared with questions' vectors is called the loss of questions.
        told["temporal question"], told["temporal passage"] = _temporal(
            network, batch, passages, questions, batch.groups
        )
        total = total + settings.alpha * (told["temporal question"] + told["temporal passage"])
    if settings.beta:
        told["distillation"] = distillation(anchors, settings.top_k, include_self=settings.include_self) + distillation(
            candidates, settings.top_k, include_self=settings.include_self
        )
        total = total + settings.beta * told["distillation"]
    if settings.gamma:
        told["cka"] = cka_loss(anchors) + cka_loss(candidates)
        total = total + settings.gamma * told["cka"]
    return {"loss": total, **told}


def _temporal(
    network: Network, batch: TMRLBatch, passages: Encoded, questions: Encoded, groups: Groups
) -> tuple[Tensor, Tensor]:
    settings = network.settings
    first = settings.temporal_dims
    return temporal_contrast(
        passages.vectors[:, :first].float(),
        questions.vectors[:, :first].float(),
        _times(network, batch.passages, passages, settings),
        _times(network, batch.questions, questions, settings),
        groups,
        settings.temperature,
    )


def _times(network: Network, texts: TextBatch, encoded: Encoded, settings: TMRLSettings) -> Projected:
    if not isinstance(network, Single) or network.projector is None or encoded.hidden is None:
        raise EpochalError("the temporal contrast needs a projector and the states of tokens, which are missing")
    first = encoded.vectors if network.backbone.pooling == "cls" else None
    made = project(network.projector, encoded.hidden, texts.spans, first, detach=settings.detach)
    return made.averaged() if settings.spans == "all" else made
