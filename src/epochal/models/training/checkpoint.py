"""Tensors and what belongs to them on disk: safetensors and JSON, written whole or not at all, and no pickle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from torch import Tensor, nn

from epochal.errors import InputError, StorageError
from epochal.files import replace_file

__all__ = [
    "CONFIG",
    "MODEL",
    "State",
    "fill",
    "load_state",
    "load_tensors",
    "read_json",
    "read_metadata",
    "save_state",
    "save_tensors",
    "whole_file",
    "write_json",
]

#: The files of a model's folder.
MODEL: Final = "model.safetensors"
CONFIG: Final = "config.json"


class State(NamedTuple):
    """What a model's folder holds: what it is made from, and its tensors by name."""

    config: dict[str, Any]
    tensors: dict[str, Tensor]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to; the file takes its place when the context ends without an error, until then the old stays."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as part:
            yield part
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors as one safetensors file, with texts to go with them."""
    from safetensors.torch import save

    alone: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        here = tensor.detach().cpu().contiguous()
        # The format holds no two tensors of one memory, as tied weights are: the second is written as a copy.
        alone[name] = here.clone() if here.untyped_storage().data_ptr() in seen else here
        seen.add(here.untyped_storage().data_ptr())
    with whole_file(path) as part:
        # Written here, since what the library writes to a file can be read by its owner alone.
        part.write_bytes(save(alone, metadata=dict(metadata or {})))


def load_tensors(path: Path, device: str = "cpu") -> dict[str, Tensor]:
    """The tensors of a safetensors file by name; a file that is missing, damaged or of another kind is an error."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    _check_readable(path)
    try:
        return dict(load_file(str(path), device=device))
    except SafetensorError as error:
        raise InputError(str(path), 0, f"is no whole safetensors file: {error}") from error


def read_metadata(path: Path) -> dict[str, str]:
    """The texts that were saved with tensors."""
    from safetensors import SafetensorError, safe_open

    _check_readable(path)
    try:
        with safe_open(str(path), framework="pt") as file:
            return dict(file.metadata() or {})
    except SafetensorError as error:
        raise InputError(str(path), 0, f"is no whole safetensors file: {error}") from error


def save_state(folder: Path, model: nn.Module, config: Mapping[str, Any]) -> None:
    """Write the parameters of a model and what it is made from: model.safetensors and config.json.

    Both are written beside their places before either takes its place, the config last.
    """
    with whole_file(folder / CONFIG) as part:
        part.write_text(_json(config), encoding="utf-8")
        save_tensors(folder / MODEL, model.state_dict())


def load_state(folder: Path) -> State:
    """What `save_state` wrote."""
    return State(read_json(folder / CONFIG), load_tensors(folder / MODEL))


def fill(model: nn.Module, tensors: Mapping[str, Tensor], source: Path | str) -> None:
    """Put tensors into a model that has the same names and shapes; else an error names one that differs."""
    own = model.state_dict()
    for name in sorted({*own, *tensors}):
        if name not in tensors:
            raise InputError(str(source), 0, f"holds no {name!r}, which the model has")
        if name not in own:
            raise InputError(str(source), 0, f"holds {name!r}, which the model has not")
        if own[name].shape != tensors[name].shape:
            here, there = tuple(tensors[name].shape), tuple(own[name].shape)
            raise InputError(str(source), 0, f"{name!r} is of shape {here} where the model has {there}")
    model.load_state_dict(dict(tensors))


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write an object as JSON, whole or not at all."""
    with whole_file(path) as part:
        part.write_text(_json(record), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds."""
    _check_readable(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(str(path), 0, f"is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(str(path), 0, f"holds a {type(found).__name__}; accepted: a JSON object")
    return found


def _json(record: Mapping[str, Any]) -> str:
    return f"{json.dumps(dict(record), indent=2, ensure_ascii=False, allow_nan=False)}\n"


def _check_readable(path: Path) -> None:
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror}") from error
