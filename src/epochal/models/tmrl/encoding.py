"""Texts to vectors by a network: all of them at once, in batches of texts of similar length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor

from epochal.models.tmrl.network import Network, Side
from epochal.models.tmrl.spans import read_places
from epochal.models.tmrl.texts import TimedTexts, timed_texts
from epochal.models.training.batches import batches_by_length
from epochal.models.training.device import autocast

__all__ = ["EncodeTexts", "encoded", "text_encoder"]

#: Texts of one side to vectors, one row a text.
EncodeTexts = Callable[[Sequence[str], Side], Tensor]

_TOKENS: Final = 1 << 16


@torch.no_grad()
def encoded(network: Network, texts: TimedTexts, side: Side, precision: str = "fp32") -> Tensor:
    """The vectors of texts, one row a text, on the network's device and in float32.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.tmrl.methods import made_network
    >>> from epochal.models.tmrl.settings import TMRLSettings
    >>> made = made_network(Backbone.tiny(["rain"], width=8), TMRLSettings.named("zero-shot"))
    >>> encoded(made, timed_texts(made.reader, ["rain", "rain rain"]), "passage").shape
    torch.Size([2, 8])
    """
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    found: Tensor | None = None
    lengths = texts.texts.lengths.tolist()
    for rows in batches_by_length(lengths, max_tokens=_TOKENS, seed=0) if lengths else []:
        batch = texts.batch(rows).to(device)
        with autocast(precision, device):
            made = network.encode(batch, side).vectors.float()
        if found is None:
            found = torch.zeros(len(texts), made.shape[1], device=device)
        found[torch.from_numpy(np.asarray(rows))] = made
    network.train(was_training)
    return torch.zeros(0, network.width, device=device) if found is None else found


def text_encoder(network: Network, precision: str = "fp32", *, text_only: bool = False) -> EncodeTexts:
    """A network as a function of texts, with the prefixes and the lengths of its settings.

    Where a second encoder reads time expressions, the tagger finds them; with `text_only` it is left out, as for
    collections that have nothing to do with time.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.tmrl.methods import made_network
    >>> from epochal.models.tmrl.settings import TMRLSettings
    >>> made = made_network(Backbone.tiny(["rain"], width=8), TMRLSettings.named("tempretriever-fs"))
    >>> text_encoder(made)(["rain"], "passage").shape, text_encoder(made, text_only=True)(["rain"], "passage").shape
    (torch.Size([1, 16]), torch.Size([1, 8]))
    """
    settings = network.settings
    times = settings.has_two_encoders and not text_only

    def encode(texts: Sequence[str], side: Side) -> Tensor:
        made = timed_texts(
            network.reader,
            texts,
            [read_places(text) for text in texts] if times else None,
            prefix=settings.question_prefix if side == "question" else settings.passage_prefix,
            max_length=settings.max_length,
            times=times,
        )
        return encoded(network, made, side, precision)

    return encode
