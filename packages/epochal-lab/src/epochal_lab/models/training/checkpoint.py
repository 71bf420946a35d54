"""Checkpoints: tensors and JSON on disk (safetensors, never pickle), and everything a run needs to resume exactly.

Files are written atomically. Of a run, last/ holds the model and the optimiser of one step, each in a file with the
step in its name, and state.json, which names both and is written after them: a run that is killed at any moment leaves
a state.json whose files are complete. best/ is one file whose metadata hold its step and metrics. The states of the
random generators of Python, numpy and torch are saved too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from epochal.errors import EpochalError, InputError, StorageError
from epochal.files import replace_file
from epochal_lab.models.training.settings import TrainSettings

#: The files of a model's folder.
MODEL: Final = "model.safetensors"
CONFIG: Final = "config.json"

_STATE: Final = "state.json"
#: Settings that may change when a run is resumed: they do not affect the parameters.
_CHANGEABLE: Final = ("device", "max_seconds", "log_every", "save_every")


class ModelState(NamedTuple):
    """The content of a model's folder: its configuration, and its tensors by name."""

    config: dict[str, Any]
    tensors: dict[str, Tensor]


@contextmanager
def replace_whole_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to; the file replaces `path` when the context ends without an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as part:
            yield part
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors and text metadata as one safetensors file."""
    from safetensors.torch import save

    alone: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        here = tensor.detach().cpu().contiguous()
        # The format cannot store tensors that share memory, such as tied weights: the second is copied.
        alone[name] = here.clone() if here.untyped_storage().data_ptr() in seen else here
        seen.add(here.untyped_storage().data_ptr())
    with replace_whole_file(path) as part:
        # Not by the library, whose files only their owner may read.
        part.write_bytes(save(alone, metadata=dict(metadata or {})))


def load_tensors(path: Path, device: str = "cpu") -> dict[str, Tensor]:
    """Load the tensors of a safetensors file by name; a missing or damaged file is an error."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    _check_readable(path)
    try:
        return dict(load_file(str(path), device=device))
    except SafetensorError as error:
        raise InputError(str(path), 0, f"is no whole safetensors file: {error}") from error


def read_metadata(path: Path) -> dict[str, str]:
    """Read the text metadata of a safetensors file."""
    from safetensors import SafetensorError, safe_open

    _check_readable(path)
    try:
        with safe_open(str(path), framework="pt") as file:
            return dict(file.metadata() or {})
    except SafetensorError as error:
        raise InputError(str(path), 0, f"is no whole safetensors file: {error}") from error


def save_state(folder: Path, model: nn.Module, config: Mapping[str, Any]) -> None:
    """Write the parameters of a model and its configuration: model.safetensors and config.json.

    Both are complete before either is put in place; the configuration is replaced last.
    """
    with replace_whole_file(folder / CONFIG) as part:
        part.write_text(_format_json(config), encoding="utf-8")
        save_tensors(folder / MODEL, model.state_dict())


def load_state(folder: Path) -> ModelState:
    """Load what `save_state` wrote."""
    return ModelState(read_json(folder / CONFIG), load_tensors(folder / MODEL))


def check_tensors(own: Mapping[str, Tensor], tensors: Mapping[str, Tensor], source: Path | str) -> None:
    """Raise an error that names a tensor which is not among those of a model, is missing, or has another shape."""
    for name in sorted({*own, *tensors}):
        if name not in tensors:
            raise InputError(str(source), 0, f"holds no {name!r}, which the model has")
        if name not in own:
            raise InputError(str(source), 0, f"holds {name!r}, which the model has not")
        if own[name].shape != tensors[name].shape:
            here, there = tuple(tensors[name].shape), tuple(own[name].shape)
            raise InputError(str(source), 0, f"{name!r} is of shape {here} where the model has {there}")


def fill_model(model: nn.Module, tensors: Mapping[str, Tensor], source: Path | str) -> None:
    """Load tensors into a model with the same names and shapes; else an error names one that differs."""
    check_tensors(model.state_dict(), tensors, source)
    model.load_state_dict(dict(tensors))


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write an object as JSON, atomically."""
    with replace_whole_file(path) as part:
        part.write_text(_format_json(record), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object."""
    _check_readable(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(str(path), 0, f"is no JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(str(path), 0, f"holds a {type(record).__name__}; accepted: a JSON object")
    return record


def _format_json(record: Mapping[str, Any]) -> str:
    return f"{json.dumps(dict(record), indent=2, ensure_ascii=False, allow_nan=False)}\n"


def _check_readable(path: Path) -> None:
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror}") from error


def seed_all(seed: int) -> None:
    """Seed the generators of Python, numpy and torch. Call it before a model is built, so that its weights are
    reproducible.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def make_generator(seed: int, *parts: int) -> np.random.Generator:
    """Return an independent generator for a seed and its purpose, such as the epoch."""
    return np.random.default_rng([seed, *parts])


@dataclass(frozen=True, slots=True)
class RandomState:
    """The states of the generators of Python, numpy and torch: what JSON can hold (`record`), and `tensors`."""

    record: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    @classmethod
    def capture(cls) -> RandomState:
        """Capture the present states."""
        version, words, gauss = random.getstate()
        kind, keys, offset, has_gauss, cached = np.random.get_state(legacy=True)
        tensors = {
            "python": torch.tensor(words),
            "numpy": torch.from_numpy(np.asarray(keys).astype(np.int64)),
            "torch": torch.get_rng_state(),
        }
        if torch.cuda.is_initialized():
            tensors |= {f"cuda.{index}": state for index, state in enumerate(torch.cuda.get_rng_state_all())}
        record = {
            "python": [version, gauss],
            "numpy": [str(kind), int(offset), int(has_gauss), float(cached)],
        }
        return cls(record, tensors)

    def restore(self) -> None:
        """Restore the states; those of GPUs only where they are in use, and were."""
        version, gauss = self.record["python"]
        random.setstate((version, tuple(self.tensors["python"].tolist()), gauss))
        kind, offset, has_gauss, cached = self.record["numpy"]
        np.random.set_state((kind, self.tensors["numpy"].numpy().astype(np.uint32), offset, has_gauss, cached))
        torch.set_rng_state(self.tensors["torch"])
        for index in range(torch.cuda.device_count() if torch.cuda.is_initialized() else 0):
            if f"cuda.{index}" in self.tensors:
                torch.cuda.set_rng_state(self.tensors[f"cuda.{index}"], index)


@dataclass(slots=True)
class RunPosition:
    """The progress of a run: how far it is, how long it took, and the best evaluation so far.

    `batch` counts the batches used in the present epoch, `idle` the seconds spent on evaluations, `waited` the
    evaluations since the best one, `rows` the lines of the log.
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
class SavedRun:
    """The saved state of a run."""

    position: RunPosition
    model: dict[str, Tensor]
    optimiser: dict[str, Tensor]
    best: dict[str, Tensor]
    scaler: dict[str, Any]
    meters: dict[str, Any]
    random: RandomState

    def fill_optimiser(self, optimiser: torch.optim.Optimizer, source: Path) -> None:
        """Load the moments into an optimiser over the same parameters."""
        record = optimiser.state_dict()
        existing = {index for group in record["param_groups"] for index in group["params"]}
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in self.optimiser.items():
            index, _, moment = name.partition(".")
            if int(index) not in existing:
                raise InputError(str(source), 0, f"holds moments of parameter {index}; the model has {len(existing)}")
            moments.setdefault(int(index), {})[moment] = tensor
        optimiser.load_state_dict({**record, "state": moments})


def save_run(
    folder: Path,
    settings: TrainSettings,
    position: RunPosition,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    scaler: Mapping[str, Any],
    meters: Mapping[str, Any],
    random: RandomState,
) -> None:
    """Save the state of a run, and remove what the folder held before."""
    files = {"model": f"model-{position.step}.safetensors", "optimiser": f"optimiser-{position.step}.safetensors"}
    save_tensors(folder / files["model"], model.state_dict())
    moments = {
        f"optimiser.{index}.{name}": tensor
        for index, inside in optimiser.state_dict()["state"].items()
        for name, tensor in inside.items()
    }
    random_tensors = {f"random.{name}": tensor for name, tensor in random.tensors.items()}
    save_tensors(folder / files["optimiser"], {**moments, **random_tensors})
    record = {
        "files": files,
        "position": asdict(position),
        "settings": settings.to_dict(),
        "scaler": dict(scaler),
        "meters": dict(meters),
        "random": dict(random.record),
    }
    write_json(folder / _STATE, record)
    for path in folder.iterdir():  # files of the previous step, and incomplete ones of a killed run
        if path.name not in (*files.values(), _STATE):
            path.unlink()


def load_run(folder: Path, best: Path, settings: TrainSettings) -> SavedRun | None:
    """Load the state of a run with the same settings; None where nothing was saved."""
    if not (folder / _STATE).exists():
        return None
    record = read_json(folder / _STATE)
    try:
        _check_settings(folder, record["settings"], settings)
        position = RunPosition(**record["position"])
        files, random = record["files"], record["random"]
        scaler, meters = record["scaler"], record["meters"]
    except (KeyError, TypeError) as error:
        raise InputError(str(folder / _STATE), 0, f"is not what a run saves: {error}") from error
    tensors = load_tensors(folder / files["optimiser"])
    # best/ is written before last/, so it is never behind; if it is ahead, the run reaches that step again.
    best_tensors: dict[str, Tensor] = {}
    if position.best_step is not None:
        best_tensors = load_tensors(best / MODEL)
        metadata = read_metadata(best / MODEL)
        position.best_step = int(metadata["step"])
        position.best_value = float(metadata["value"])
        position.best = json.loads(metadata["metrics"])
    return SavedRun(
        position,
        load_tensors(folder / files["model"]),
        _select_prefix(tensors, "optimiser."),
        best_tensors,
        scaler,
        meters,
        RandomState(random, _select_prefix(tensors, "random.")),
    )


def describe_best(position: RunPosition) -> dict[str, str]:
    """Return the metadata of the file with the best parameters."""
    return {
        "step": str(position.best_step),
        "value": repr(position.best_value),
        "metrics": json.dumps(position.best),
    }


def _select_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _check_settings(folder: Path, saved: Mapping[str, Any], settings: TrainSettings) -> None:
    for name, value in settings.to_dict().items():
        if name not in _CHANGEABLE and saved.get(name) != value:
            raise EpochalError(
                f"{folder} was saved with {name} {saved.get(name)!r}, not {value!r}; "
                f"resume it with the same settings (but for {', '.join(_CHANGEABLE)}), or begin in another folder"
            )
