"""Adapters and merged models as files: a folder of half a megabyte, or one that sentence-transformers reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from epochal.encoders.tmrl import CARD, MATRICES
from epochal.errors import EpochalError, InputError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.lora import absorb, add_lora, lora_layers, lora_state, put_lora_state
from epochal.models.tmrl.merging import summed_matrices
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.training.checkpoint import load_tensors, read_json, save_tensors, write_json

__all__ = ["export_model", "load_adapter", "merge_adapters", "save_adapter"]

_KIND: Final = "lora"
#: What adapters must have in common to be merged.
_SHARED: Final = ("kind", "layers", "width", "pooling", "question_prefix", "passage_prefix")
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
    _write(folder, lora_state(backbone.model), {**told, **facts}, half=half)


def merge_adapters(
    folder: Path,
    sources: Sequence[Path | str],
    shares: Sequence[float] | None = None,
    *,
    rank: int | None = None,
    half: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write an adapter that adds the mean of what others add, or of each the share that is given.

    It has the sum of their ranks, or the nearest matrices of a smaller `rank`. Its card tells what it is made of, and
    `facts` besides.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> for name in ("one", "other"):
    ...     tiny = Backbone.tiny(["rain"])
    ...     _ = add_lora(tiny.model, rank=2, alpha=2.0)
    ...     save_adapter(place / name, tiny, TMRLSettings(rank=2, lora_alpha=2.0), {"seed": 7})
    >>> merge_adapters(place / "both", [place / "one", place / "other"])
    >>> load_adapter(place / "both", Backbone.tiny(["rain"])).rank
    4
    """
    if not sources:
        raise EpochalError("no adapters to merge; accepted: folders of one or more")
    cards = [_card(Path(source)) for source in sources]
    for source, card in zip(sources, cards, strict=True):
        for name in _SHARED:
            if card.get(name) != cards[0].get(name):
                raise InputError(
                    str(Path(source) / CARD),
                    0,
                    f"has {card.get(name)!r} for {name!r} where {sources[0]} has {cards[0].get(name)!r}",
                )
    given = [1 / len(sources)] * len(sources) if shares is None else list(shares)
    scales = [card["alpha"] / card["rank"] for card in cards]
    tensors = summed_matrices([load_tensors(Path(source) / MATRICES) for source in sources], scales, given, rank)
    whole = len(next(tensor for name, tensor in tensors.items() if name.endswith(".down")))
    settings = {**cards[0]["settings"], "rank": whole, "lora_alpha": float(whole)}
    dims = [dim for dim in cards[0]["nested_dims"] if all(dim in card["nested_dims"] for card in cards)]
    told = {name: cards[0][name] for name in _SHARED} | {"rank": whole, "alpha": float(whole), "nested_dims": dims}
    made_of = [{"share": share, **_facts(card)} for share, card in zip(given, cards, strict=True)]
    _write(folder, tensors, {**told, "settings": settings, "merged": made_of, **(facts or {})}, half=half)


def load_adapter(folder: Path | str, backbone: Backbone) -> TMRLSettings:
    """Adapt a backbone as the adapter in a folder says, and tell the settings that it was trained with.

    >>> load_adapter("no/such/folder", Backbone.tiny(["rain"]))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/folder/adapter.json: cannot be read: No such file or directory
    """
    place = Path(folder)
    told = _card(place)
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

    `dense` is a layer with a skip behind pooling, as M-Adaptor has one; `load_backbone` does not see it.

    >>> from epochal.models.backbone import load_backbone
    >>> import tempfile
    >>> tiny, place = Backbone.tiny(["rain"], pooling="mean"), Path(tempfile.mkdtemp())
    >>> export_model(place, tiny, TMRLSettings())
    >>> load_backbone(place).pooling, (place / "modules.json").exists()
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


def _card(place: Path) -> dict[str, Any]:
    told = read_json(place / CARD)
    if told.get("kind") != _KIND:
        raise InputError(str(place / CARD), 0, f"is of kind {told.get('kind')!r}; accepted: {_KIND!r}")
    return told


def _facts(card: Mapping[str, Any]) -> dict[str, Any]:
    """What a card tells beside the shape of its matrices."""
    return {name: value for name, value in card.items() if name not in (*_SHARED, "rank", "alpha", "nested_dims")}


def _write(folder: Path, tensors: Mapping[str, Tensor], card: Mapping[str, Any], *, half: bool) -> None:
    kept = {name: tensor.to(torch.float16) if half else tensor for name, tensor in tensors.items()}
    save_tensors(folder / MATRICES, kept)
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
    import json

    from epochal.models.training.checkpoint import whole_file

    with whole_file(path) as part:
        part.write_text(f"{json.dumps(rows, indent=2)}\n", encoding="utf-8")
