"""M-Adaptor, a baseline: a frozen backbone, and one linear layer with a skip that orders the numbers of its vectors.

Yoon et al., 2024. The layer stands on the states of tokens, before pooling. Since pooling takes a mean, or one token,
and the layer is linear, it may stand behind pooling as well, where it is as many times cheaper as a text has tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone, pooled
from epochal.models.tmrl.matryoshka import Groups, prefixes
from epochal.models.tmrl.network import Encoded, Network, Side
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.texts import TextBatch

__all__ = ["MAdaptor", "adaptor_losses", "neighbour_loss", "pair_loss", "rank_loss"]


class MAdaptor(Network):
    """A frozen backbone and a linear layer with a skip, which begins at zero, so that vectors begin as they were.

    >>> made = MAdaptor(Backbone.tiny(["rain"], width=8), TMRLSettings.named("m-adaptor"))
    >>> made.trained()
    ['adaptor.weight', 'adaptor.bias']
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        backbone.requires_grad_(False)
        self.backbone = backbone
        self.settings = settings
        self.adaptor = nn.Linear(backbone.width, backbone.width)
        nn.init.zeros_(self.adaptor.weight)
        nn.init.zeros_(self.adaptor.bias)

    @property
    def width(self) -> int:
        """That of the backbone.

        >>> MAdaptor(Backbone.tiny(["rain"], width=8), TMRLSettings.named("m-adaptor")).width
        8
        """
        return int(self.backbone.width)

    @property
    def reader(self) -> Backbone:
        """The backbone.

        >>> MAdaptor(Backbone.tiny(["rain"]), TMRLSettings.named("m-adaptor")).reader.pooling
        'cls'
        """
        return self.backbone

    def train(self, mode: bool = True) -> MAdaptor:
        """Only the layer is trained: the backbone drops nothing out, or its vectors would be no fixed targets.

        >>> MAdaptor(Backbone.tiny(["rain"]), TMRLSettings.named("m-adaptor")).train().backbone.training
        False
        """
        super().train(mode)
        self.backbone.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> Encoded:
        """Texts with the layer, and as they were before it.

        >>> from epochal.models.tmrl.texts import timed_texts
        >>> made = MAdaptor(Backbone.tiny(["rain"], width=8), TMRLSettings.named("m-adaptor"))
        >>> found = made.encode(timed_texts(made.reader, ["rain"]).batch([0]), "question")
        >>> torch.equal(found.vectors, found.before)
        True
        """
        with torch.no_grad():
            before = pooled(*self.backbone.read(batch.texts), self.backbone.pooling)
        return Encoded(before + self.adaptor(before), before=before)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write model/, a model with one layer more.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> MAdaptor(Backbone.tiny(["rain"]), TMRLSettings.named("m-adaptor")).save(place, {})
        >>> (place / "model" / "2_Dense" / "model.safetensors").exists()
        True
        """
        from epochal.models.tmrl.adapter import export_model

        export_model(folder / "model", self.backbone, self.settings, self.adaptor)


def adaptor_losses(passages: Encoded, questions: Encoded, groups: Groups, settings: TMRLSettings) -> dict[str, Tensor]:
    """The loss of a batch: on each side cosines kept, neighbours kept and vectors kept; and right before wrong.

    >>> one = Encoded(torch.eye(2), before=torch.eye(2))
    >>> made = adaptor_losses(one, one, Groups(torch.tensor([0, 1]), torch.tensor([0, 1])), TMRLSettings(dims=(1,)))
    >>> sorted(made)
    ['loss', 'neighbours', 'pairs', 'ranking', 'reconstruction']
    """
    if passages.before is None or questions.before is None:
        raise EpochalError("the losses of M-Adaptor need vectors as they were before it, which are missing")
    dims = settings.search_dims(passages.vectors.shape[-1])
    before = [_scaled(side, settings.normalise) for side in (passages.before, questions.before)]
    after = [_scaled(side.vectors, settings.normalise) for side in (passages, questions)]
    both = list(zip(before, after, strict=True))
    told = {
        "pairs": torch.stack([pair_loss(old, new, dims) for old, new in both]).sum(),
        "neighbours": torch.stack([neighbour_loss(old, new, dims, settings.top_k) for old, new in both]).sum(),
        "reconstruction": torch.stack([(old - new).abs().mean() for old, new in both]).sum(),
        "ranking": rank_loss(after[0], after[1], groups, dims),
    }
    return {"loss": torch.stack(list(told.values())).sum(), **told}


def pair_loss(before: Tensor, after: Tensor, dims: Sequence[int]) -> Tensor:
    """How far the cosines of all pairs, by each prefix, are from what they were by the whole vector.

    The sum over pairs is divided by the number of texts and of prefixes, as published.

    >>> round(pair_loss(torch.eye(2), torch.ones(2, 2), [2]).item(), 4)
    1.0
    """
    target = _cosines(before)
    parts = [(target - _cosines(after[:, :dim])).abs().fill_diagonal_(0.0).sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def neighbour_loss(before: Tensor, after: Tensor, dims: Sequence[int], top_k: int) -> Tensor:
    """The same over the nearest texts only, by the whole vector as it was; a small batch tells nothing.

    >>> whole = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> neighbour_loss(whole, whole, [2], top_k=1).item()
    0.0
    """
    if len(before) <= top_k:
        return after.new_zeros(())
    own = torch.eye(len(before), dtype=torch.bool, device=before.device)
    near = _cosines(before).masked_fill(own, -torch.inf).topk(top_k, dim=1)
    parts = [(_cosines(after[:, :dim]).gather(1, near.indices) - near.values).abs().sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def rank_loss(anchors: Tensor, candidates: Tensor, groups: Groups, dims: Sequence[int]) -> Tensor:
    """How far each wrong candidate is from standing below the right one, by each prefix, summed over prefixes.

    >>> groups = Groups(torch.tensor([0, 1]), torch.tensor([0, 1]))
    >>> round(rank_loss(torch.eye(2), torch.eye(2), groups, [2]).item(), 4)  # log(1 + 1/e), half of the pairs
    0.1566
    """
    here, there = prefixes(anchors, dims), prefixes(candidates, dims)
    targets = groups.targets.unsqueeze(1)
    parts = []
    for dim in dims:
        scores = here[dim] @ there[dim].T
        each = functional.softplus(scores - scores.gather(1, targets))
        parts.append(each.scatter(1, targets, 0.0).mean())
    return torch.stack(parts).sum()


def _scaled(vectors: Tensor, normalise: bool) -> Tensor:
    return functional.normalize(vectors.float(), dim=-1) if normalise else vectors.float()


def _cosines(x: Tensor) -> Tensor:
    unit = functional.normalize(x, dim=-1)
    return unit @ unit.T
