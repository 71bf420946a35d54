"""The retrievers of the papers' tables as presets: the model, prefixes, lengths, pooling; and a user's options for one.

Each is set up as the paper ran it, faults included, so that figures can be compared. Where its authors mean it to be
used otherwise, `corrected` says how: `bge(setup=corrected)`. Options replace the hub by a folder, the setup, lengths,
the number format and the device.
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

from epochal.encoders.base import EncoderError, import_extra
from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.metrics.measure import Spec

#: One vector per text; weights on words; one vector per token; vectors of questions generated from a text.
KINDS: Final = ("dense", "sparse", "late", "pqr")
#: What loads a dense model: pooled here, sentence-transformers, gritlm, or the model's own `encode`.
LOADERS: Final = ("transformers", "sentence-transformers", "gritlm", "own")
POOLINGS: Final = ("mean", "cls", "last")
SETUPS: Final = ("paper", "corrected")
_FILES: Final = ("tempo.json", "chunqiutr.json", "tmrl.json")


@dataclass(frozen=True, slots=True)
class Preset:
    """A retriever of a paper. `query` and `document` are prefixes; a length of None is what the model can read."""

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
        for what, value, accepted in (
            ("kind", self.kind, KINDS),
            ("loader", self.loader, LOADERS),
            ("pooling", self.pooling, POOLINGS),
        ):
            if value not in accepted:
                raise UnknownNameError(what, value, accepted)
        if unknown := set(self.corrected) - {column.name for column in fields(self)}:
            raise EpochalError(f"preset {self.name!r} corrects {sorted(unknown)[0]!r}, which is no field of a preset")

    def get_setup(self, name: str) -> Preset:
        """The preset as the `paper` ran it, or `corrected` as its authors mean it to be used."""
        setups = SETUPS if self.corrected else SETUPS[:1]
        if name not in setups:
            raise EpochalError(f"{self.name} has no setup {name!r}; accepted: {', '.join(setups)}")
        return replace(self, **self.corrected) if name == "corrected" else self


@cache
def load_presets() -> Mapping[str, Preset]:
    """All presets by name, those of TEMPO first."""
    loaded: dict[str, Preset] = {}
    for name in _FILES:
        data = json.loads(files("epochal_lab.systems").joinpath("named").joinpath(name).read_text(encoding="utf-8"))
        for row in data["presets"]:
            preset = Preset(**{"paper": data["paper"], **data["defaults"], **row})
            loaded[preset.name] = preset
    return MappingProxyType(loaded)


def get_preset(name: str) -> Preset:
    if name not in load_presets():
        raise UnknownNameError("preset", name, load_presets())
    return load_presets()[name]


#: What every preset accepts, besides the settings of its kind.
SETTINGS: Final = ("path", "setup", "dtype", "query_tokens", "document_tokens", "device", "batch")
#: Device and batch size change no result, so they are no part of a name.
_RUN_SETTINGS: Final = ("device", "batch")
#: Fields that describe a preset and change no vector.
_DESCRIPTIVE: Final = ("name", "title", "paper", "note", "corrected")
_BATCH: Final = 32
_DTYPES: Final = ("float32", "float16", "bfloat16", "auto")
#: Of larger files only the size, the beginning and the end are hashed: weights have gigabytes.
_SMALL: Final = 1 << 24
_PART: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PresetOptions:
    """A preset with a user's options: what to load, and where to run it."""

    name: str
    preset: Preset
    source: str
    device: str | None = None
    batch: int = _BATCH

    @classmethod
    def from_spec(cls, spec: Spec, *more: str) -> PresetOptions:
        """The options of a spec; `more` are the settings of its kind."""
        settings = spec.only(*SETTINGS, *more)
        base = get_preset(spec.name).get_setup(settings.get("setup", "paper"))
        overrides: dict[str, Any] = {}
        for key in ("query_tokens", "document_tokens"):
            if key in settings:
                overrides[key] = _parse_count(spec, key)
        if "dtype" in settings:
            if settings["dtype"] not in _DTYPES:
                raise EpochalError(f"{spec}: dtype must be one of {', '.join(_DTYPES)}")
            overrides["dtype"] = settings["dtype"]
        name = str(Spec(spec.name, {key: value for key, value in spec.settings.items() if key not in _RUN_SETTINGS}))
        batch = _parse_count(spec, "batch") if "batch" in settings else _BATCH
        source = settings.get("path", base.model)
        return cls(name, replace(base, **overrides), source, settings.get("device"), batch)

    @property
    def who(self) -> str:
        """Its name in errors."""
        return f"system {self.preset.name!r} ({self.source})"

    @property
    def store(self) -> str:
        """The folder that systems with the same name share."""
        return f"{self.preset.kind}-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def make_load_error(self, error: Exception) -> EncoderError:
        return _make_load_error(self.who, error)

    def make_identity(self, model: Any, role: str) -> str:
        """A name that changes whenever the vectors of queries, or of documents, would."""
        other = "document" if role == "query" else "query"
        names = [column.name for column in fields(self.preset)]
        names = [name for name in names if name not in _DESCRIPTIVE and not name.startswith(other)]
        values = [f"{name}={getattr(self.preset, name)}" for name in names]
        values.append(fingerprint_model(self.source, model))
        return f"{self.preset.model}-{hashlib.sha256(chr(0).join(values).encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class PresetSystem:
    """The base of systems that run a preset."""

    options: PresetOptions

    @property
    def name(self) -> str:
        """The preset and the settings that change answers."""
        return self.options.name

    @property
    def store(self) -> str:
        """One per name."""
        return self.options.store


def _parse_count(spec: Spec, key: str) -> int:
    text = spec.settings[key]
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise EpochalError(f"{spec}: {key} must be a whole number from 1")
    return int(text)


def _make_load_error(who: str, error: Exception) -> EncoderError:
    reason = str(error).strip().partition("\n")[0]
    return EncoderError(f"{who} cannot be loaded from the hub or a folder: {reason}")


def load_transformers_model(
    who: str, source: str, model_class: str, device: str, dtype: str, *, remote_code: bool = False, **tokenizer: str
) -> tuple[Any, Any]:
    """The tokenizer, which can pad, and the model of a class of transformers, on a device and ready to run."""
    transformers = import_extra("transformers", who, "train")
    number_format = {get_dtype_option(transformers): get_dtype(who, dtype, device)}
    try:
        tokens = transformers.AutoTokenizer.from_pretrained(source, trust_remote_code=remote_code, **tokenizer)
        model = getattr(transformers, model_class).from_pretrained(
            source, trust_remote_code=remote_code, **number_format
        )
    except (OSError, ValueError) as error:
        raise _make_load_error(who, error) from error
    if tokens.pad_token_id is None:
        tokens.pad_token = tokens.eos_token
    return tokens, model.to(device).eval()


def fingerprint_model(source: str, model: Any) -> str:
    """Identify the weights: by the contents of a folder, or the commit of the hub."""
    folder = Path(source)
    if not folder.is_dir():
        # Packages wrap the model of transformers, whose config has the commit, under various names.
        models = (model, getattr(model, "model", None), getattr(model, "transformers_model", None))
        commits = [getattr(getattr(item, "config", None), "_commit_hash", None) for item in models]
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


def pick_device(who: str, device: str | None) -> str:
    """The given device, else a GPU if there is one, else the CPU."""
    if device is not None:
        return device
    torch = import_extra("torch", who, "train")
    return "cuda" if torch.cuda.is_available() else "cpu"


def get_dtype(who: str, name: str, device: str) -> Any:
    """The number format of a preset; on a CPU always float32, where half precision saves nothing."""
    if name == "auto":
        return name
    torch = import_extra("torch", who, "train")
    return getattr(torch, "float32" if device == "cpu" else name)


def get_dtype_option(transformers: Any) -> str:
    """The name of the number format in `from_pretrained`; the old name warns in newer versions."""
    return "dtype" if int(transformers.__version__.partition(".")[0]) >= 5 else "torch_dtype"
