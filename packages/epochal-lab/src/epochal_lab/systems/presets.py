"""The retrievers of the papers' tables as values: the model, what goes before texts, lengths, pooling.

Each is set up as the paper ran it, faults included, so that figures can be compared. Where its authors mean it to be
used otherwise, `corrected` says how: `bge(setup=corrected)`.

A preset with what a user chose: a folder in place of the hub, a setup, lengths, a number format, a device.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from epochal.encoders.base import EncoderError, required
from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.metrics.measure import Spec

__all__ = [
    "KINDS",
    "LOADERS",
    "POOLINGS",
    "SETTINGS",
    "SETUPS",
    "Chosen",
    "Preset",
    "dtype_of",
    "dtype_option",
    "model_print",
    "pick_device",
    "preset",
    "presets",
]


#: One vector a text; weights on words; one vector a token; vectors of questions that a language model asks of a text.
KINDS: Final = ("dense", "sparse", "late", "pqr")
#: With what a dense model is loaded: pooled here, by sentence-transformers, by gritlm, or with its own `encode`.
LOADERS: Final = ("transformers", "sentence-transformers", "gritlm", "own")
POOLINGS: Final = ("mean", "cls", "last")
SETUPS: Final = ("paper", "corrected")
_FILES: Final = ("tempo.json", "chunqiutr.json")


@dataclass(frozen=True, slots=True)
class Preset:
    """A retriever of a paper. `query` and `document` go before the texts; None reads as far as the model can."""

    name: str
    title: str
    paper: str
    model: str
    kind: str = "dense"
    loader: str = "transformers"
    query: str = ""
    document: str = ""
    pooling: str = "mean"
    normalise: bool = True
    query_tokens: int | None = None
    document_tokens: int | None = None
    document_characters: int | None = None
    eos: bool = False
    dtype: str = "float32"
    remote_code: bool = False
    prune: float = 0.0
    note: str = ""
    corrected: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what, value, known in (
            ("kind", self.kind, KINDS),
            ("loader", self.loader, LOADERS),
            ("pooling", self.pooling, POOLINGS),
        ):
            if value not in known:
                raise UnknownNameError(what, value, known)
        if unknown := set(self.corrected) - {column.name for column in fields(self)}:
            raise EpochalError(f"preset {self.name!r} corrects {sorted(unknown)[0]!r}, which is no part of a preset")

    def setup(self, name: str) -> Preset:
        """The preset as the `paper` ran it, or `corrected` as its authors mean it to be used."""
        known = SETUPS if self.corrected else SETUPS[:1]
        if name not in known:
            raise EpochalError(f"{self.name} has no setup {name!r}; accepted: {', '.join(known)}")
        return replace(self, **self.corrected) if name == "corrected" else self


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by name, those of TEMPO first."""
    found: dict[str, Preset] = {}
    for name in _FILES:
        data = json.loads(files("epochal_lab.systems").joinpath("named").joinpath(name).read_text(encoding="utf-8"))
        for row in data["presets"]:
            made = Preset(**{"paper": data["paper"], **data["defaults"], **row})
            found[made.name] = made
    return MappingProxyType(found)


def preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in presets():
        raise UnknownNameError("preset", name, presets())
    return presets()[name]


#: What every preset takes besides settings of its kind.
SETTINGS: Final = ("path", "setup", "dtype", "query_tokens", "document_tokens", "device", "batch")
#: Where and in what portions a model runs changes nothing that is measured, so it is no part of a name.
_UNNAMED: Final = ("device", "batch")
#: What a preset tells its reader, and no model.
_UNREAD: Final = ("name", "title", "paper", "note", "corrected")
_BATCH: Final = 32
_DTYPES: Final = ("float32", "float16", "bfloat16", "auto")
#: Files larger than this are told apart by their size, beginning and end: weights have gigabytes.
_SMALL: Final = 1 << 24
_PART: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """What to load, and where to run it."""

    name: str
    preset: Preset
    source: str
    device: str | None = None
    batch: int = _BATCH

    @classmethod
    def of(cls, spec: Spec, *more: str) -> Chosen:
        """What a spec asks for; `more` are the settings of its kind."""
        given = spec.only(*SETTINGS, *more)
        base = preset(spec.name).setup(given.get("setup", "paper"))
        changed: dict[str, Any] = {}
        for key in ("query_tokens", "document_tokens"):
            if key in given:
                changed[key] = _whole(spec, key)
        if "dtype" in given:
            if given["dtype"] not in _DTYPES:
                raise EpochalError(f"{spec}: dtype must be one of {', '.join(_DTYPES)}")
            changed["dtype"] = given["dtype"]
        name = str(Spec(spec.name, {key: value for key, value in spec.settings.items() if key not in _UNNAMED}))
        batch = _whole(spec, "batch") if "batch" in given else _BATCH
        source = given.get("path", base.model)
        return cls(name, replace(base, **changed), source, given.get("device"), batch)

    @property
    def who(self) -> str:
        """How errors call it."""
        return f"system {self.preset.name!r} ({self.source})"

    @property
    def store(self) -> str:
        """The folder that systems with the same name use again."""
        return f"{self.preset.kind}-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def failed(self, error: Exception) -> EncoderError:
        """What to raise where a model cannot be loaded."""
        reason = str(error).strip().partition("\n")[0]
        return EncoderError(f"{self.who} cannot be loaded from the hub or a folder: {reason}")

    def identity(self, model: Any, role: str) -> str:
        """A name that changes whenever what the model makes of a query, or of a document, would."""
        without = "document" if role == "query" else "query"
        kept = [column.name for column in fields(self.preset)]
        kept = [name for name in kept if name not in _UNREAD and not name.startswith(without)]
        told = [f"{name}={getattr(self.preset, name)}" for name in kept]
        told.append(model_print(self.source, model))
        return f"{self.preset.model}-{hashlib.sha256(chr(0).join(told).encode()).hexdigest()[:12]}"


def _whole(spec: Spec, key: str) -> int:
    text = spec.settings[key]
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise EpochalError(f"{spec}: {key} must be a whole number from 1")
    return int(text)


def model_print(source: str, model: Any) -> str:
    """Which weights these are: the contents of a folder, or the commit that the hub gave."""
    folder = Path(source)
    if not folder.is_dir():
        # Packages wrap the model of transformers, whose config has the commit, under names of their own.
        places = (model, getattr(model, "model", None), getattr(model, "transformers_model", None))
        commits = [getattr(getattr(place, "config", None), "_commit_hash", None) for place in places]
        return f"{source} {next((commit for commit in commits if commit), None)}"
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()} {size}\n".encode())
        with path.open("rb") as file:
            if size <= _SMALL:
                digest.update(file.read())
            else:
                digest.update(file.read(_PART))
                file.seek(-_PART, 2)
                digest.update(file.read())
    return digest.hexdigest()


def pick_device(who: str, wanted: str | None) -> str:
    """The device that was asked for, or else a GPU where there is one, or else the processor."""
    if wanted is not None:
        return wanted
    torch = required("torch", who, "train")
    return "cuda" if torch.cuda.is_available() else "cpu"


def dtype_of(who: str, name: str, device: str) -> Any:
    """The number format of a preset. Half the bits save nothing on a processor, where float32 stands for them."""
    if name == "auto":
        return name
    torch = required("torch", who, "train")
    return getattr(torch, "float32" if device == "cpu" else name)


def dtype_option(transformers: Any) -> str:
    """How `from_pretrained` calls the number format; the old name warns where both are there."""
    return "dtype" if int(transformers.__version__.partition(".")[0]) >= 5 else "torch_dtype"
