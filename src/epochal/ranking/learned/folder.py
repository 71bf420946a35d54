"""A Re3 model in a folder: `model.safetensors` and `config.json`, as `epochal train re3` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.errors import EpochalError, InputError
from epochal.files import read_tensors, write_tensors
from epochal.ranking.learned.network import Network
from epochal.ranking.learned.settings import Re3Settings

__all__ = ["CONFIG", "MODEL", "Re3Model", "read_model", "write_model"]

CONFIG: Final = "config.json"
MODEL: Final = "model.safetensors"
_KIND: Final = "re3"
_ACCEPTED: Final = "a folder that `epochal train re3` wrote"


@dataclass(frozen=True, slots=True, eq=False)
class Re3Model:
    """A network, the encoder whose vectors it was trained on, and how much its score counts beside the gate's parts.

    `encoder` is the identity of those vectors, empty where it is not known. `beside` has a weight for questions
    without a time (`plain`) and one for those that ask for one (`timed`).

    >>> Re3Model.__slots__
    ('network', 'encoder', 'beside')
    """

    network: Network
    encoder: str = ""
    beside: Mapping[str, float] = field(default_factory=lambda: {"plain": 0.0, "timed": 0.0})

    def __post_init__(self) -> None:
        for name in ("plain", "timed"):
            value = self.beside.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value) or value < 0:
                raise EpochalError(
                    f"a Re3 model counts {value!r} beside the gate for {name} questions; accepted: a number from 0"
                )


def write_model(folder: str | PathLike[str], model: Re3Model, **facts: Any) -> None:
    """Write a model into a folder, which is made; `facts` are kept in the config for people to read.

    >>> import tempfile
    >>> from epochal.ranking.learned.network import shapes_of
    >>> settings = Re3Settings.parity(hidden=2, width=2)
    >>> zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes_of(settings, 3).items()}
    >>> folder = tempfile.mkdtemp()
    >>> write_model(folder, Re3Model(Network(settings, 3, zeros), "mine-1"), trained_on="nothing")
    >>> read_model(folder).encoder
    'mine-1'
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    write_tensors(place / MODEL, model.network.tensors)
    config = {
        "kind": _KIND,
        "encoder": model.encoder,
        "dim": model.network.dim,
        "settings": model.network.settings.to_dict(),
        "beside_the_gate": dict(model.beside),
        **({"facts": facts} if facts else {}),
    }
    (place / CONFIG).write_text(f"{json.dumps(config, indent=2, ensure_ascii=False)}\n", encoding="utf-8")


def read_model(folder: str | PathLike[str]) -> Re3Model:
    """The model of a folder; what is missing or damaged is an error that names the file.

    >>> read_model("no/such")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/config.json: cannot be read: No such file or directory; accepted: a folder that
    `epochal train re3` wrote
    """
    path = Path(folder) / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}; accepted: {_ACCEPTED}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: {_ACCEPTED}") from error
    if not isinstance(config, dict) or config.get("kind") != _KIND:
        raise InputError(fspath(path), 0, f"is not the config of a Re3 model; accepted: {_ACCEPTED}")
    dim, settings = config.get("dim"), config.get("settings")
    if not isinstance(dim, int) or isinstance(dim, bool) or dim < 1 or not isinstance(settings, dict):
        raise InputError(fspath(path), 0, f"lacks dim or settings; accepted: {_ACCEPTED}")
    beside = config.get("beside_the_gate")
    tensors = read_tensors(Path(folder) / MODEL)
    try:
        return Re3Model(
            Network(Re3Settings.from_dict(settings), dim, tensors),
            str(config.get("encoder", "")),
            beside if isinstance(beside, dict) else {"plain": 0.0, "timed": 0.0},
        )
    except EpochalError as error:
        raise InputError(fspath(folder), 0, f"{error}; accepted: {_ACCEPTED}") from error
