"""The Re3 network in numpy, equal to that of `epochal_lab.models.re3.task` to five digits, and the folder of a model.

  e~_d   = MLP([e_d; Phi_rel; Phi_rec; flags]), plus e_d if the settings say residual
  time   = cosine(e_q, e~_d), plus a score of the times alone if the settings have a head
  text   = cosine(e_q, e_d), plus BM25 with a learned weight if the settings have words
  score  = g text + (1 - g) time, with g = sigmoid(a), and a scalar or linear in e_q; without gate text + time

`epochal train re3` writes the folder: `model.safetensors` and `config.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError
from epochal.files import read_tensors, write_tensors
from epochal.ranking.pool import Floats
from epochal_lab.models.re3.features import STANDING, Matrix, NetworkInputs, get_code_width, get_question_width
from epochal_lab.models.re3.settings import Re3Settings

_TINY = 1e-12
_EPSILON = 1e-5

CONFIG: Final = "config.json"
MODEL: Final = "model.safetensors"
_KIND: Final = "re3"
_ACCEPTED: Final = "a folder that `epochal train re3` wrote"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreComponents:
    """The weighted text and time components of scores."""

    text: Floats
    time: Floats

    @property
    def scores(self) -> Floats:
        """The sum of both."""
        return self.text + self.time


def get_shapes(settings: Re3Settings, dim: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of a network's parameters, as stored."""
    code = get_code_width(settings, dim)
    times = 2 * code + 2 + (len(STANDING) if settings.standing else 0)
    shapes: dict[str, tuple[int, ...]] = {
        "first.weight": (settings.hidden, dim + times),
        "first.bias": (settings.hidden,),
        "second.weight": (dim, settings.hidden),
        "second.bias": (dim,),
    }
    if settings.missing:
        shapes |= {"missing.rel": (code,), "missing.rec": (code,)}
    if settings.norm:
        shapes |= {"norm.weight": (dim,), "norm.bias": (dim,)}
    if settings.gate == "scalar":
        shapes["gate.bias"] = (1,)
    elif settings.gate == "query":
        shapes |= {"gate.weight": (1, get_question_width(dim)), "gate.bias": (1,)}
    if settings.words:
        shapes["words"] = (1,)
    if settings.head:
        shapes |= {
            "head.first.weight": (settings.head, times),
            "head.first.bias": (settings.head,),
            "head.second.weight": (1, settings.head),
            "head.second.bias": (1,),
        }
    return shapes


class NumpyNetwork:
    """A network with its parameters, which are checked once."""

    def __init__(self, settings: Re3Settings, dim: int, tensors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self.settings, self.dim = settings, dim
        shapes = get_shapes(settings, dim)
        for name in sorted({*shapes, *tensors}):
            shape = tensors[name].shape if name in tensors else "none"
            if name not in shapes or shape != shapes[name]:
                raise EpochalError(
                    f"the parameters {name!r} of a Re3 network have the shape {shape}; accepted with these settings: "
                    f"{shapes.get(name, 'none of that name')}"
                )
            if not np.isfinite(tensors[name]).all():
                raise EpochalError(f"the parameters {name!r} of a Re3 network have values that are not finite")
        self._of = {name: np.asarray(tensors[name], dtype=np.float32) for name in shapes}

    @property
    def tensors(self) -> dict[str, npt.NDArray[np.float32]]:
        return dict(self._of)

    def forward(self, inputs: NetworkInputs) -> ScoreComponents:
        """Score the candidates."""
        settings = self.settings
        times = self._make_time_columns(inputs)
        projected = self._project(inputs.vectors, times)
        question = inputs.question[: self.dim].astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", projected, projected, dtype=np.float64))
        time = (projected @ question) / np.maximum(lengths * max(float(np.linalg.norm(question)), _TINY), _TINY)
        if settings.head:
            time = time + self._apply_head(times)
        text = inputs.semantic.astype(np.float64)
        if settings.words:
            text = text + float(np.logaddexp(0.0, self._of["words"][0])) * inputs.lexical
        share = self.share(inputs.question)
        return ScoreComponents(share * text, (1.0 if settings.gate == "off" else 1.0 - share) * time)

    def share(self, question: Matrix) -> float:
        """Return the weight of the text for a query; 1 without a gate."""
        if self.settings.gate == "off":
            return 1.0
        open_by = float(self._of["gate.bias"][0])
        if self.settings.gate == "query":
            open_by += float(self._of["gate.weight"][0].astype(np.float64) @ question)
        return float(1.0 / (1.0 + np.exp(-open_by)))

    def _make_time_columns(self, inputs: NetworkInputs) -> Matrix:
        rel, rec = inputs.rel, inputs.rec
        if self.settings.missing:
            rel = np.where(inputs.unknown[:, :1] > 0, self._of["missing.rel"], rel)
            rec = np.where(inputs.unknown[:, 1:] > 0, self._of["missing.rec"], rec)
        columns = [rel, rec, inputs.unknown]
        return np.concatenate([*columns, inputs.standing] if self.settings.standing else columns, axis=1)

    def _project(self, vectors: Matrix, times: Matrix) -> Matrix:
        of = self._of
        hidden = np.maximum(np.concatenate([vectors, times], axis=1) @ of["first.weight"].T + of["first.bias"], 0.0)
        projected = hidden @ of["second.weight"].T + of["second.bias"]
        if self.settings.residual:
            projected = projected + vectors
        if self.settings.norm:
            centred = projected - projected.mean(axis=1, keepdims=True)
            projected = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + _EPSILON)
            projected = projected * of["norm.weight"] + of["norm.bias"]
        return np.asarray(projected, dtype=np.float32)

    def _apply_head(self, times: Matrix) -> Floats:
        of = self._of
        hidden = np.maximum(times @ of["head.first.weight"].T + of["head.first.bias"], 0.0)
        return np.asarray((hidden @ of["head.second.weight"].T + of["head.second.bias"])[:, 0], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Re3Model:
    """A network, the encoder whose vectors it was trained on, and its weights in the combined scorer.

    `encoder` is the identity of that encoder, empty if unknown. `mixing_weights` has one for queries without a time
    (`plain`) and one for those with (`timed`).
    """

    network: NumpyNetwork
    encoder: str = ""
    mixing_weights: Mapping[str, float] = field(default_factory=lambda: {"plain": 0.0, "timed": 0.0})

    def __post_init__(self) -> None:
        for name in ("plain", "timed"):
            value = self.mixing_weights.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value) or value < 0:
                raise EpochalError(
                    f"the mixing weight of a Re3 model for {name} queries is {value!r}; accepted: a number from 0"
                )


def write_model(folder: str | PathLike[str], model: Re3Model, **facts: Any) -> None:
    """Write a model into a folder, which is created; `facts` are stored in the config for readers."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    write_tensors(path / MODEL, model.network.tensors)
    config = {
        "kind": _KIND,
        "encoder": model.encoder,
        "dim": model.network.dim,
        "settings": model.network.settings.to_dict(),
        "beside_the_gate": dict(model.mixing_weights),
        **({"facts": facts} if facts else {}),
    }
    (path / CONFIG).write_text(f"{json.dumps(config, indent=2, ensure_ascii=False)}\n", encoding="utf-8")


def read_model(folder: str | PathLike[str]) -> Re3Model:
    """Read the model of a folder; an error names the file that is missing or damaged."""
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
            NumpyNetwork(Re3Settings.from_dict(settings), dim, tensors),
            str(config.get("encoder", "")),
            beside if isinstance(beside, dict) else {"plain": 0.0, "timed": 0.0},
        )
    except EpochalError as error:
        raise InputError(fspath(folder), 0, f"{error}; accepted: {_ACCEPTED}") from error
