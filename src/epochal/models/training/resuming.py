"""What a run needs to go on as if it had not been broken off, on disk.

last/ holds the model and the optimiser of one step, each in a file that has the step in its name, and state.json,
which names the two and is written after them. A run killed at any moment thus leaves a state.json whose files are
whole. best/ is one file, which tells its step and metrics itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError, InputError
from epochal.models.training.checkpoint import (
    MODEL,
    load_tensors,
    read_json,
    read_metadata,
    save_tensors,
    write_json,
)
from epochal.models.training.seeds import RandomState
from epochal.models.training.settings import TrainSettings

__all__ = ["Position", "Saved", "best_of", "load_saved", "save_position"]

_STATE: Final = "state.json"
#: Settings that may be others when a run is resumed: they do not touch what is learnt.
_FREE: Final = ("device", "max_seconds", "log_every", "save_every")


@dataclass(slots=True)
class Position:
    """Where a run stands: how far it came, how long it took, and the best so far.

    `batch` counts those of the present epoch that were used, `idle` the seconds spent on measuring, `waited` the
    evaluations since the best, `rows` the lines of the log.
    """

    epoch: int = 0
    batch: int = 0
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    idle: float = 0.0
    waited: int = 0
    rows: int = 0
    evaluated_at: int | None = None
    best_step: int | None = None
    best_value: float = 0.0
    best: dict[str, float] = field(default_factory=dict)
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was saved of a run."""

    position: Position
    model: dict[str, Tensor]
    optimiser: dict[str, Tensor]
    best: dict[str, Tensor]
    scaler: dict[str, Any]
    meters: dict[str, Any]
    random: RandomState

    def fill_optimiser(self, optimiser: torch.optim.Optimizer, source: Path) -> None:
        """Put the moments back into an optimiser over the same parameters."""
        record = optimiser.state_dict()
        known = {number for group in record["param_groups"] for number in group["params"]}
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in self.optimiser.items():
            number, _, moment = name.partition(".")
            if int(number) not in known:
                raise InputError(str(source), 0, f"holds moments of parameter {number}; the model has {len(known)}")
            moments.setdefault(int(number), {})[moment] = tensor
        optimiser.load_state_dict({**record, "state": moments})


def save_position(
    folder: Path,
    settings: TrainSettings,
    position: Position,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    scaler: Mapping[str, Any],
    meters: Mapping[str, Any],
    random: RandomState,
) -> None:
    """Write where a run stands, and take away what the folder held before."""
    files = {"model": f"model-{position.step}.safetensors", "optimiser": f"optimiser-{position.step}.safetensors"}
    save_tensors(folder / files["model"], model.state_dict())
    moments = {
        f"optimiser.{number}.{name}": tensor
        for number, inside in optimiser.state_dict()["state"].items()
        for name, tensor in inside.items()
    }
    drawn = {f"random.{name}": tensor for name, tensor in random.tensors.items()}
    save_tensors(folder / files["optimiser"], {**moments, **drawn})
    record = {
        "files": files,
        "position": asdict(position),
        "settings": settings.to_dict(),
        "scaler": dict(scaler),
        "meters": dict(meters),
        "random": dict(random.record),
    }
    write_json(folder / _STATE, record)
    for path in folder.iterdir():  # the files of the step before, and what a killed run had not finished
        if path.name not in (*files.values(), _STATE):
            path.unlink()


def load_saved(folder: Path, best: Path, settings: TrainSettings) -> Saved | None:
    """What was saved of a run with the same settings, or None where nothing was."""
    if not (folder / _STATE).exists():
        return None
    record = read_json(folder / _STATE)
    try:
        _check_settings(folder, record["settings"], settings)
        position = Position(**record["position"])
        files, random = record["files"], record["random"]
        scaler, meters = record["scaler"], record["meters"]
    except (KeyError, TypeError) as error:
        raise InputError(str(folder / _STATE), 0, f"is not what a run saves: {error}") from error
    tensors = load_tensors(folder / files["optimiser"])
    # best/ is written before last/, so it is never behind; where it is ahead, the run comes to that step again.
    chosen: dict[str, Tensor] = {}
    if position.best_step is not None:
        chosen = load_tensors(best / MODEL)
        told = read_metadata(best / MODEL)
        position.best_step = int(told["step"])
        position.best_value = float(told["value"])
        position.best = json.loads(told["metrics"])
    return Saved(
        position,
        load_tensors(folder / files["model"]),
        _inside(tensors, "optimiser."),
        chosen,
        scaler,
        meters,
        RandomState(random, _inside(tensors, "random.")),
    )


def best_of(position: Position) -> dict[str, str]:
    """What the file of the best parameters tells of them."""
    return {
        "step": str(position.best_step),
        "value": repr(position.best_value),
        "metrics": json.dumps(position.best),
    }


def _inside(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _check_settings(folder: Path, saved: Mapping[str, Any], settings: TrainSettings) -> None:
    for name, value in settings.to_dict().items():
        if name not in _FREE and saved.get(name) != value:
            raise EpochalError(
                f"{folder} was saved with {name} {saved.get(name)!r}, not {value!r}; "
                f"resume it with the same settings (but for {', '.join(_FREE)}), or begin in another folder"
            )
