"""LoRA adapters (Hu et al. 2021) for all linear layers of a model: training, merging and files.

Written out here so that training needs only torch and transformers; peft was compared, see
docs/develop/decisions/peft-accelerate.md. Models are merged in two ways: TSM (Han et al. 2025), a baseline with one
model per time specifier ("before", "in late", ...), by the mean of weights; adapters by the sum of their updates. An
adapter is a folder of half a megabyte; merged models are folders that sentence-transformers reads.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.encoders.tmrl import CARD, MATRICES
from epochal.errors import EpochalError, InputError
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.training.checkpoint import (
    check_tensors,
    load_tensors,
    read_json,
    replace_whole_file,
    save_tensors,
    write_json,
)

_TIME: Final = r"(?:the\s+)?(?:[a-z.]+\s+)?(?:\d|[a-z]+\s+\d)"
_PATTERNS: Final = (
    ("between_and", re.compile(r"\bbetween\b.*\band\b", re.IGNORECASE)),
    ("from_to", re.compile(r"\bfrom\b.*\b(?:to|until|till|through)\b", re.IGNORECASE)),
    ("in_early", re.compile(r"\bin\s+(?:the\s+)?early\b", re.IGNORECASE)),
    ("in_late", re.compile(r"\bin\s+(?:the\s+)?late\b", re.IGNORECASE)),
    ("after", re.compile(rf"\b(?:after|since)\s+{_TIME}", re.IGNORECASE)),
    ("before", re.compile(rf"\b(?:before|until|by)\s+{_TIME}", re.IGNORECASE)),
    ("in", re.compile(rf"\b(?:in|on|during)\s+{_TIME}", re.IGNORECASE)),
)
#: The specifiers of the paper.
SPECIFIERS: Final = tuple(sorted(name for name, _ in _PATTERNS))
_KIND: Final = "lora"
#: What adapters must have in common to be merged.
_SHARED: Final = ("kind", "layers", "width", "pooling", "question_prefix", "passage_prefix")
_MODULES: Final = "sentence_transformers.models"
_POOLINGS: Final = {
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "last": "pooling_mode_lasttoken",
}


class LoRALinear(nn.Module):
    """A frozen linear layer with two trained low-rank matrices: W x + (alpha / rank) B A x.

    `down` is A, of (rank, inputs), initialised randomly; `up` is B, of (outputs, rank), initialised with zeros, so that
    the layer starts unchanged.
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
        output: Tensor = self.base(x)
        if self.merged:
            return output
        # Scaling the small matrix instead of the output saves a pass over the largest tensor.
        up = self.up if self.scale == 1 else self.up * self.scale
        return output + functional.linear(functional.linear(self.dropout(x), self.down), up)

    def delta(self) -> Tensor:
        """Return what the two matrices add to the weight of the layer."""
        # In double precision, so that adding and subtracting it restores the weight.
        return self.scale * (self.up.detach().double() @ self.down.detach().double())


def add_lora(model: nn.Module, rank: int, alpha: float, dropout: float = 0.0) -> list[str]:
    """Replace every linear layer of a model by a LoRALinear, freeze everything else, and return the layers' names."""
    if find_lora_layers(model):
        raise EpochalError(f"the model {type(model).__name__} has LoRA already; accepted: one without")
    names = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    if not names or names == [""]:
        raise EpochalError(f"the model {type(model).__name__} has no linear layer to adapt; accepted: one that has")
    model.requires_grad_(False)
    for name in names:
        _replace_module(model, name, LoRALinear(model.get_submodule(name), rank, alpha, dropout))
    return names


def find_lora_layers(model: nn.Module) -> dict[str, LoRALinear]:
    """Return the adapted layers by their original names."""
    return {name: module for name, module in model.named_modules() if isinstance(module, LoRALinear)}


@torch.no_grad()
def merge(model: nn.Module) -> None:
    """Add the matrices to the weights of their layers: the same output, at the cost of the plain model."""
    for layer in find_lora_layers(model).values():
        if not layer.merged:
            layer.base.weight.copy_(layer.base.weight.double() + layer.delta())
            layer.merged = True


def absorb(model: nn.Module) -> None:
    """Merge, and put the plain linear layers back: the original architecture with new weights."""
    merge(model)
    for name, layer in find_lora_layers(model).items():
        _replace_module(model, name, layer.base)


def get_lora_state(model: nn.Module) -> dict[str, Tensor]:
    """Return the two matrices of each adapted layer, as `NAME.down` and `NAME.up`."""
    return {
        f"{name}.{part}": getattr(layer, part).detach().cpu().clone()
        for name, layer in find_lora_layers(model).items()
        for part in ("down", "up")
    }


@torch.no_grad()
def load_lora_state(model: nn.Module, tensors: Mapping[str, Tensor], source: Path | str) -> None:
    """Load matrices of `get_lora_state` into a model with the same LoRA layers; an error names one that differs."""
    own = {
        f"{name}.{part}": getattr(one, part) for name, one in find_lora_layers(model).items() for part in ("down", "up")
    }
    check_tensors(own, tensors, source)
    if any(layer.merged for layer in find_lora_layers(model).values()):
        raise EpochalError("the model is merged with other matrices; accepted: one that is not")
    for name, parameter in own.items():
        parameter.copy_(tensors[name])


def _replace_module(model: nn.Module, name: str, module: nn.Module) -> None:
    parent, _, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, module)


def find_specifier(question: TemporalQuestion | str) -> str | None:
    """Return the time specifier of a question, or None."""
    text = question if isinstance(question, str) else question.text
    return next((name for name, pattern in _PATTERNS if pattern.search(text)), None)


def group_by_specifier(rows: Iterable[TemporalRow]) -> dict[str, list[TemporalRow]]:
    """Group rows by specifier, each with its answered questions of that specifier only."""
    groups: dict[str, list[TemporalRow]] = {name: [] for name in SPECIFIERS}
    for row in rows:
        parts: dict[str, list[TemporalQuestion]] = {}
        for one in row.positives:
            if (name := find_specifier(one)) is not None:
                parts.setdefault(name, []).append(one)
        for name, questions in parts.items():
            groups[name].append(replace(row, positives=tuple(questions)))
    return {name: part for name, part in groups.items() if part}


def average_states(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Return the mean of the parameters of models of one shape."""
    if not states:
        raise EpochalError("no models to merge; accepted: one or more")
    if any(set(state) != set(states[0]) for state in states):
        raise EpochalError("the models to merge have parameters of other names; accepted: models of one shape")
    return {
        name: torch.stack([state[name].double() for state in states]).mean(dim=0).to(first.dtype)
        for name, first in states[0].items()
    }


def sum_matrices(
    adapters: Sequence[Mapping[str, Tensor]], scales: Sequence[float], shares: Sequence[float], rank: int | None = None
) -> dict[str, Tensor]:
    """Return LoRA matrices `NAME.down` and `NAME.up` whose update is the weighted sum of those of some adapters.

    `scales` are the factors of the adapters' products; that of the result is 1. The rank is the sum of all ranks; a
    smaller `rank` gives the best approximation of that rank.
    """
    if not adapters or len(adapters) != len(shares):
        raise EpochalError(
            f"{len(adapters)} adapters have {len(shares)} shares; accepted: one share for each, of one or more"
        )
    if rank is not None and rank < 1:
        raise EpochalError(f"rank is {rank}; accepted: a whole number from 1")
    if any(set(one) != set(adapters[0]) for one in adapters):
        raise EpochalError("the adapters to merge have matrices of other names; accepted: adapters of one backbone")
    matrices: dict[str, Tensor] = {}
    for name in (key.removesuffix(".down") for key in adapters[0] if key.endswith(".down")):
        down = torch.cat([one[f"{name}.down"].double() for one in adapters])
        parts = zip(adapters, scales, shares, strict=True)
        up = torch.cat([one[f"{name}.up"].double() * (scale * share) for one, scale, share in parts], dim=1)
        if rank is not None and rank < len(down):
            # QR first, so that the SVD is of a matrix no larger than the ranks.
            left, inner = torch.linalg.qr(up)
            right, outer = torch.linalg.qr(down.T)
            u, sizes, v = torch.linalg.svd(inner @ outer.T)
            root = sizes[:rank].sqrt()
            up, down = left @ u[:, :rank] * root, (right @ v[:rank].T * root).T
        matrices[f"{name}.down"], matrices[f"{name}.up"] = down.float().contiguous(), up.float().contiguous()
    return matrices


def save_adapter(
    folder: Path, backbone: Backbone, settings: TMRLSettings, facts: Mapping[str, Any], *, half: bool = False
) -> None:
    """Write the matrices of an adapted backbone to adapter.safetensors, and their description to adapter.json.

    With `half` they are stored in 16 bits, which is more precise than int8 weights need.
    """
    layers = find_lora_layers(backbone.model)
    if not layers:
        raise EpochalError("the backbone has no LoRA to save; accepted: one that add_lora adapted")
    dims = settings.loss_dims(backbone.width)
    card = {
        "kind": _KIND,
        "rank": settings.rank,
        "alpha": settings.lora_alpha,
        "layers": len(layers),
        "width": backbone.width,
        "pooling": backbone.pooling,
        "nested_dims": [dim for dim in dims if len(dims) > 1],
        "question_prefix": settings.question_prefix,
        "passage_prefix": settings.passage_prefix,
        "settings": settings.to_dict(),
    }
    _write(folder, get_lora_state(backbone.model), {**card, **facts}, half=half)


def merge_adapters(
    folder: Path,
    sources: Sequence[Path | str],
    shares: Sequence[float] | None = None,
    *,
    rank: int | None = None,
    half: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write an adapter whose update is the mean of those of others, or their sum weighted by `shares`.

    Its rank is the sum of their ranks, or a smaller `rank` by approximation. Its card names the sources, and has
    `facts`.
    """
    if not sources:
        raise EpochalError("no adapters to merge; accepted: folders of one or more")
    cards = [_read_adapter_card(Path(source)) for source in sources]
    for source, card in zip(sources, cards, strict=True):
        for name in _SHARED:
            if card.get(name) != cards[0].get(name):
                raise InputError(
                    str(Path(source) / CARD),
                    0,
                    f"has {card.get(name)!r} for {name!r} where {sources[0]} has {cards[0].get(name)!r}",
                )
    weights = [1 / len(sources)] * len(sources) if shares is None else list(shares)
    scales = [card["alpha"] / card["rank"] for card in cards]
    tensors = sum_matrices([load_tensors(Path(source) / MATRICES) for source in sources], scales, weights, rank)
    whole = len(next(tensor for name, tensor in tensors.items() if name.endswith(".down")))
    settings = {**cards[0]["settings"], "rank": whole, "lora_alpha": float(whole)}
    dims = [dim for dim in cards[0]["nested_dims"] if all(dim in card["nested_dims"] for card in cards)]
    merged_card = {name: cards[0][name] for name in _SHARED} | {
        "rank": whole,
        "alpha": float(whole),
        "nested_dims": dims,
    }
    made_of = [{"share": share, **_get_other_facts(card)} for share, card in zip(weights, cards, strict=True)]
    _write(folder, tensors, {**merged_card, "settings": settings, "merged": made_of, **(facts or {})}, half=half)


def load_adapter(folder: Path | str, backbone: Backbone) -> TMRLSettings:
    """Add the adapter of a folder to a backbone, and return the settings that it was trained with."""
    path = Path(folder)
    card = _read_adapter_card(path)
    try:
        settings = TMRLSettings.from_dict(card["settings"])
    except (KeyError, TypeError, EpochalError) as error:
        raise InputError(str(path / CARD), 0, f"has no settings that can be used: {error}") from error
    tensors = load_tensors(path / MATRICES)
    add_lora(backbone.model, settings.rank, settings.lora_alpha, settings.lora_dropout)
    load_lora_state(backbone.model, {name: tensor.float() for name, tensor in tensors.items()}, path / MATRICES)
    return settings


def export_model(folder: Path, backbone: Backbone, settings: TMRLSettings, dense: nn.Linear | None = None) -> None:
    """Write a backbone, with its adapter merged in, as a folder for sentence-transformers and `Backbone`.

    `dense` is a layer with a skip connection after pooling, as in M-Adaptor; `load_backbone` ignores it.
    """
    plain = deepcopy(backbone).cpu()
    if find_lora_layers(plain.model):
        absorb(plain.model)
    plain.save(folder)
    kinds = ["Transformer", "Pooling", *(["Dense"] if dense is not None else []), "Normalize"]
    names = ["", *(f"{number}_{kind}" for number, kind in enumerate(kinds[1:], 1))]
    rows = [
        {"idx": number, "name": str(number), "path": name, "type": f"{_MODULES}.{kind}"}
        for number, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
    _write_list(folder / "modules.json", rows)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": plain.max_length, "do_lower_case": False})
    prompts = {"query": settings.question_prefix, "document": settings.passage_prefix}
    write_json(
        folder / "config_sentence_transformers.json",
        {"prompts": prompts, "default_prompt_name": None, "similarity_fn_name": "cosine"},
    )
    write_json(
        folder / names[1] / "config.json",
        {"word_embedding_dimension": plain.width, **{mode: how == plain.pooling for how, mode in _POOLINGS.items()}},
    )
    if dense is not None:
        _write_dense(folder / "2_Dense", dense)


def _read_adapter_card(folder: Path) -> dict[str, Any]:
    card = read_json(folder / CARD)
    if card.get("kind") != _KIND:
        raise InputError(str(folder / CARD), 0, f"is of kind {card.get('kind')!r}; accepted: {_KIND!r}")
    return card


def _get_other_facts(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a card other than the shape of its matrices."""
    return {name: value for name, value in card.items() if name not in (*_SHARED, "rank", "alpha", "nested_dims")}


def _write(folder: Path, tensors: Mapping[str, Tensor], card: Mapping[str, Any], *, half: bool) -> None:
    matrices = {name: tensor.to(torch.float16) if half else tensor for name, tensor in tensors.items()}
    save_tensors(folder / MATRICES, matrices)
    write_json(folder / CARD, dict(card))


def _write_dense(folder: Path, dense: nn.Linear) -> None:
    weight = dense.weight.detach().cpu()
    skip = torch.eye(len(weight))
    save_tensors(
        folder / "model.safetensors", {"linear.weight": weight + skip, "linear.bias": dense.bias.detach().cpu()}
    )
    write_json(
        folder / "config.json",
        {
            "in_features": dense.in_features,
            "out_features": dense.out_features,
            "bias": True,
            "activation_function": "torch.nn.modules.linear.Identity",
        },
    )


def _write_list(path: Path, rows: list[dict[str, Any]]) -> None:
    with replace_whole_file(path) as part:
        part.write_text(f"{json.dumps(rows, indent=2)}\n", encoding="utf-8")
