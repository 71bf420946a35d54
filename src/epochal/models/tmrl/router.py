"""Ts-Retriever with its router, a baseline: questions of no time go to the encoder as it was (Wu et al., 2024).

Only the encoder of questions is trained, and passages keep the vectors that they had. A small network looks at the
untouched vector of a question and says whether that one is used, or the trained one.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.network import Encoded, Network, Side
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.texts import TextBatch
from epochal.models.training.checkpoint import save_tensors, write_json

__all__ = ["QueryRouter", "RoutedRetriever", "fit_router"]

_STEPS: Final = 300
_RATE: Final = 1e-3


class QueryRouter(nn.Module):
    """How likely it is that a question asks of no time, from its untouched vector.

    >>> QueryRouter(8)(torch.ones(3, 8)).shape
    torch.Size([3])
    """

    def __init__(self, width: int, inner: int = 128) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, 1))

    def forward(self, vectors: Tensor) -> Tensor:
        """One number a question, from 0 to 1; above a half it is one of no time.

        >>> bool(QueryRouter(8)(torch.ones(1, 8)).item() < 1)
        True
        """
        return self.logits(vectors).sigmoid()

    def logits(self, vectors: Tensor) -> Tensor:
        """The same before the sigmoid.

        >>> QueryRouter(8).logits(torch.ones(1, 8)).shape
        torch.Size([1])
        """
        made: Tensor = self.layers(functional.normalize(vectors, dim=-1))
        return made.squeeze(-1)


def fit_router(router: QueryRouter, timed: Tensor, plain: Tensor) -> float:
    """Fit a router to untouched vectors of questions that ask of a time and of some that do not; its accuracy on them.

    >>> _ = torch.manual_seed(1)
    >>> fit_router(QueryRouter(2), torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]))
    1.0
    """
    if not len(timed) or not len(plain):
        raise EpochalError(f"the router has {len(timed)} questions of a time and {len(plain)} of none; give both kinds")
    vectors = torch.cat([timed, plain]).detach()
    wanted = torch.cat([vectors.new_zeros(len(timed)), vectors.new_ones(len(plain))])
    # Whichever kind is the rarer counts for as much as the other.
    weight = torch.where(wanted > 0, 0.5 / len(plain), 0.5 / len(timed))
    optimiser = torch.optim.Adam(router.parameters(), lr=_RATE)
    with torch.enable_grad():
        for _ in range(_STEPS):
            optimiser.zero_grad(set_to_none=True)
            each = functional.binary_cross_entropy_with_logits(router.logits(vectors), wanted, reduction="none")
            (each * weight).sum().backward()
            optimiser.step()
    with torch.no_grad():
        return float(((router(vectors) > 0.5) == (wanted > 0.5)).float().mean())


class RoutedRetriever(Network):
    """The backbone as it was, a copy that is trained for questions, and the router between them.

    Without a router that was fitted, all questions go to the trained one.

    >>> made = RoutedRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings(method="ts-retriever", router=True))
    >>> {name.partition(".")[0] for name in made.trained()}
    {'tuned'}
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.tuned = deepcopy(backbone)
        backbone.requires_grad_(False)
        self.vanilla = backbone
        self.settings = settings
        self.router: QueryRouter | None = None

    @property
    def width(self) -> int:
        """That of the backbone.

        >>> RoutedRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings(method="ts-retriever")).width
        8
        """
        return int(self.vanilla.width)

    @property
    def reader(self) -> Backbone:
        """The backbone as it was.

        >>> RoutedRetriever(Backbone.tiny(["rain"]), TMRLSettings(method="ts-retriever")).reader.pooling
        'cls'
        """
        return self.vanilla

    def train(self, mode: bool = True) -> RoutedRetriever:
        """Only the copy is trained; what stays as it was drops nothing out.

        >>> RoutedRetriever(Backbone.tiny(["rain"]), TMRLSettings(method="ts-retriever")).train().vanilla.training
        False
        """
        super().train(mode)
        self.vanilla.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> Encoded:
        """Passages as they were; questions by the trained encoder, or as the router says.

        >>> from epochal.models.tmrl.texts import timed_texts
        >>> made = RoutedRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings(method="ts-retriever"))
        >>> made.encode(timed_texts(made.reader, ["rain"]).batch([0]), "question").vectors.shape
        torch.Size([1, 8])
        """
        ids, mask = batch.texts.ids, batch.texts.mask
        if side == "passage":
            with torch.no_grad():
                return Encoded(self.vanilla(ids, mask))
        made: Tensor = self.tuned(ids, mask)
        if self.training or self.router is None:
            return Encoded(made)
        with torch.no_grad():
            before = self.vanilla(ids, mask)
            plain = self.router(before.float()) > 0.5
        return Encoded(torch.where(plain.unsqueeze(-1), before, made))

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write the encoder of questions and the router; passages need the backbone that is there already.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> RoutedRetriever(Backbone.tiny(["rain"]), TMRLSettings(method="ts-retriever", router=True)).save(place, {})
        >>> sorted(path.name for path in place.iterdir())
        ['questions', 'router.json']
        """
        self.tuned.save(folder / "questions")
        write_json(folder / "router.json", {"fitted": self.router is not None, **facts})
        if self.router is not None:
            save_tensors(folder / "router.safetensors", self.router.state_dict())
