"""Low-rank adaptation of all linear layers of a model (Hu et al. 2021), written out here.

A machine that trains then needs no more packages than torch and transformers; peft was compared, see
docs/develop/decisions/peft-accelerate.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError, InputError

__all__ = ["LoRALinear", "absorb", "add_lora", "lora_layers", "lora_state", "merge", "put_lora_state", "unmerge"]


class LoRALinear(nn.Module):
    """A linear layer that is frozen, and beside it two thin matrices that are trained: W x + (alpha / rank) B A x.

    `down` is A, of (rank, inputs), and begins at random; `up` is B, of (outputs, rank), and begins at zero, so that
    the layer begins as it was.

    >>> layer = LoRALinear(nn.Linear(4, 3), rank=2, alpha=2.0)
    >>> x = torch.ones(1, 4)
    >>> torch.equal(layer(x), layer.base(x)), [name for name, one in layer.named_parameters() if one.requires_grad]
    (True, ['down', 'up'])
    """

    def __init__(self, base: nn.Linear, rank: int, alpha: float, dropout: float = 0.0) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, base.in_features, device=base.weight.device))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scale = alpha / rank
        self.dropout = nn.Dropout(dropout)
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        """The layer's own output and what the two matrices add; once merged, the former alone.

        >>> LoRALinear(nn.Linear(4, 3), rank=2, alpha=2.0)(torch.ones(5, 4)).shape
        torch.Size([5, 3])
        """
        made: Tensor = self.base(x)
        if self.merged:
            return made
        # Scaling the thin matrix, not the output, spares a pass over the largest tensor here.
        up = self.up if self.scale == 1 else self.up * self.scale
        return made + functional.linear(functional.linear(self.dropout(x), self.down), up)

    def delta(self) -> Tensor:
        """What the two matrices add to the weight of the layer.

        >>> LoRALinear(nn.Linear(4, 3), rank=2, alpha=2.0).delta().abs().sum().item()
        0.0
        """
        # In double precision, so that adding it and taking it away leaves the weight where it was.
        return self.scale * (self.up.detach().double() @ self.down.detach().double())


def add_lora(model: nn.Module, rank: int, alpha: float, dropout: float = 0.0) -> list[str]:
    """Put a LoRALinear in the place of every linear layer of a model, freeze all else, and tell the layers' names.

    >>> model = nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3), nn.Linear(3, 2))
    >>> add_lora(model, rank=2, alpha=2.0)
    ['0', '2']
    >>> add_lora(nn.LayerNorm(3), rank=2, alpha=2.0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the model LayerNorm has no linear layer to adapt; accepted: one that has
    """
    if lora_layers(model):
        raise EpochalError(f"the model {type(model).__name__} has LoRA already; accepted: one without")
    names = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    if not names or names == [""]:
        raise EpochalError(f"the model {type(model).__name__} has no linear layer to adapt; accepted: one that has")
    model.requires_grad_(False)
    for name in names:
        _put(model, name, LoRALinear(model.get_submodule(name), rank, alpha, dropout))
    return names


def lora_layers(model: nn.Module) -> dict[str, LoRALinear]:
    """The layers that were adapted, by the names that they had before.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> list(lora_layers(model))
    ['0']
    """
    return {name: module for name, module in model.named_modules() if isinstance(module, LoRALinear)}


@torch.no_grad()
def merge(model: nn.Module) -> None:
    """Add the matrices to the weights of their layers: the same output, at the cost of the plain model.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> merge(model)
    >>> lora_layers(model)["0"].merged
    True
    """
    for layer in lora_layers(model).values():
        if not layer.merged:
            layer.base.weight.copy_(layer.base.weight.double() + layer.delta())
            layer.merged = True


@torch.no_grad()
def unmerge(model: nn.Module) -> None:
    """Take the matrices out of the weights again, to go on training.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> merge(model)
    >>> unmerge(model)
    >>> lora_layers(model)["0"].merged
    False
    """
    for layer in lora_layers(model).values():
        if layer.merged:
            layer.base.weight.copy_(layer.base.weight.double() - layer.delta())
            layer.merged = False


def absorb(model: nn.Module) -> None:
    """Merge, and put the plain linear layers back in their places: a model as it was before, with other weights.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> absorb(model)
    >>> type(model[0]).__name__
    'Linear'
    """
    merge(model)
    for name, layer in lora_layers(model).items():
        _put(model, name, layer.base)


def lora_state(model: nn.Module) -> dict[str, Tensor]:
    """The two matrices of each adapted layer, as `NAME.down` and `NAME.up`, and nothing else.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> {name: tuple(one.shape) for name, one in lora_state(model).items()}
    {'0.down': (2, 4), '0.up': (3, 2)}
    """
    return {
        f"{name}.{part}": getattr(layer, part).detach().cpu().clone()
        for name, layer in lora_layers(model).items()
        for part in ("down", "up")
    }


@torch.no_grad()
def put_lora_state(model: nn.Module, tensors: Mapping[str, Tensor], source: Path | str) -> None:
    """Put matrices that `lora_state` gave into a model adapted in the same way; else an error names one that differs.

    >>> model = nn.Sequential(nn.Linear(4, 3))
    >>> _ = add_lora(model, rank=2, alpha=2.0)
    >>> put_lora_state(model, {"0.down": torch.ones(2, 4)}, "mine")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: mine: lacks '0.up', which the model has
    """
    own = {f"{name}.{part}": getattr(one, part) for name, one in lora_layers(model).items() for part in ("down", "up")}
    for name in sorted({*own, *tensors}):
        if name not in tensors:
            raise InputError(str(source), 0, f"lacks {name!r}, which the model has")
        if name not in own:
            raise InputError(str(source), 0, f"holds {name!r}, which the model has not")
        if own[name].shape != tensors[name].shape:
            here, there = tuple(tensors[name].shape), tuple(own[name].shape)
            raise InputError(str(source), 0, f"{name!r} is of shape {here} where the model has {there}")
    if any(layer.merged for layer in lora_layers(model).values()):
        raise EpochalError("the model is merged with other matrices; accepted: one that is not, see unmerge")
    for name, parameter in own.items():
        parameter.copy_(tensors[name])


def _put(model: nn.Module, name: str, module: nn.Module) -> None:
    parent, _, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, module)
