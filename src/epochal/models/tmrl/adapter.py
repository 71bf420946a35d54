"""Adapters and merged models as files: a folder of half a megabyte, or one that sentence-transformers reads."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

from epochal.encoders.tmrl import CARD, MATRICES
from epochal.errors import EpochalError, InputError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.lora import absorb, add_lora, lora_layers, lora_state, put_lora_state
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.training.checkpoint import load_tensors, read_json, save_tensors, write_json

__all__ = ["export_model", "load_adapter", "save_adapter"]

_KIND: Final = "lora"
_MODULES: Final = "sentence_transformers.models"
_POOLINGS: Final = {
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "last": "pooling_mode_lasttoken",
}


def save_adapter(
    folder: Path, backbone: Backbone, settings: TMRLSettings, facts: Mapping[str, Any], *, half: bool = False
) -> None:
    """Write the matrices of an adapted backbone as adapter.safetensors, and what they are as adapter.json.

    With `half` they have 16 bits a number, which is more than eight bits of weights need.

    >>> import tempfile
    >>> tiny, place = Backbone.tiny(["rain"]), Path(tempfile.mkdtemp())
    >>> _ = add_lora(tiny.model, rank=2, alpha=2.0)
    >>> save_adapter(place, tiny, TMRLSettings(rank=2, lora_alpha=2.0), {"data": "rain"})
    >>> load_adapter(place, Backbone.tiny(["rain"])).rank
    2
    """
    layers = lora_layers(backbone.model)
    if not layers:
        raise EpochalError("the backbone has no LoRA to save; accepted: one that add_lora adapted")
    dims = settings.loss_dims(backbone.width)
    tensors = lora_state(backbone.model)
    if half:
        tensors = {name: tensor.to(torch.float16) for name, tensor in tensors.items()}
    save_tensors(folder / MATRICES, tensors)
    told = {
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
    write_json(folder / CARD, {**told, **facts})


def load_adapter(folder: Path | str, backbone: Backbone) -> TMRLSettings:
    """Adapt a backbone as the adapter in a folder says, and tell the settings that it was trained with.

    >>> load_adapter("no/such/folder", Backbone.tiny(["rain"]))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/folder/adapter.json: cannot be read: No such file or directory
    """
    place = Path(folder)
    told = read_json(place / CARD)
    if told.get("kind") != _KIND:
        raise InputError(str(place / CARD), 0, f"is of kind {told.get('kind')!r}; accepted: {_KIND!r}")
    try:
        settings = TMRLSettings.from_dict(told["settings"])
    except (KeyError, TypeError, EpochalError) as error:
        raise InputError(str(place / CARD), 0, f"has no settings that can be used: {error}") from error
    tensors = load_tensors(place / MATRICES)
    add_lora(backbone.model, settings.rank, settings.lora_alpha, settings.lora_dropout)
    put_lora_state(backbone.model, {name: tensor.float() for name, tensor in tensors.items()}, place / MATRICES)
    return settings


def export_model(folder: Path, backbone: Backbone, settings: TMRLSettings, dense: nn.Linear | None = None) -> None:
    """Write a backbone, with what adapted it merged in, as a folder that sentence-transformers and `Backbone` read.

    `dense` is a layer with a skip behind pooling, as M-Adaptor has one; `Backbone.load` does not see it.

    >>> import tempfile
    >>> tiny, place = Backbone.tiny(["rain"], pooling="mean"), Path(tempfile.mkdtemp())
    >>> export_model(place, tiny, TMRLSettings())
    >>> Backbone.load(place).pooling, (place / "modules.json").exists()
    ('mean', True)
    """
    plain = deepcopy(backbone).cpu()
    if lora_layers(plain.model):
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
    import json

    from epochal.models.training.checkpoint import whole_file

    with whole_file(path) as part:
        part.write_text(f"{json.dumps(rows, indent=2)}\n", encoding="utf-8")
