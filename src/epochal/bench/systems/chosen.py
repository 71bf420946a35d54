"""A preset with what a user chose: a folder in place of the hub, a setup, lengths, a number format, a device."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from epochal.bench.specs import Spec
from epochal.bench.systems.presets import Preset, preset
from epochal.encoders.base import EncoderError, required
from epochal.errors import EpochalError

__all__ = ["SETTINGS", "Chosen", "dtype_of", "dtype_option", "model_print", "pick_device"]

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
    """What to load, and where to run it.

    >>> Chosen.of(Spec.parse("bge(path=./my-bge, setup=corrected, device=cpu)")).name
    'bge(path=./my-bge, setup=corrected)'
    """

    name: str
    preset: Preset
    source: str
    device: str | None = None
    batch: int = _BATCH

    @classmethod
    def of(cls, spec: Spec, *more: str) -> Chosen:
        """What a spec asks for; `more` are the settings of its kind.

        >>> Chosen.of(Spec.parse("bge(batch=none)"))
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: bge(batch=none): batch must be a whole number from 1
        """
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
        """How errors call it.

        >>> Chosen.of(Spec.parse("bge")).who
        "system 'bge' (BAAI/bge-large-en-v1.5)"
        """
        return f"system {self.preset.name!r} ({self.source})"

    @property
    def store(self) -> str:
        """The folder that systems with the same name use again.

        >>> Chosen.of(Spec.parse("bge")).store == Chosen.of(Spec.parse("bge(device=cpu)")).store
        True
        """
        return f"{self.preset.kind}-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def failed(self, error: Exception) -> EncoderError:
        """What to raise where a model cannot be loaded.

        >>> print(Chosen.of(Spec.parse("bge")).failed(OSError("no such file")))
        system 'bge' (BAAI/bge-large-en-v1.5) cannot be loaded from the hub or a folder: no such file
        """
        reason = str(error).strip().partition("\n")[0]
        return EncoderError(f"{self.who} cannot be loaded from the hub or a folder: {reason}")

    def identity(self, model: Any, role: str) -> str:
        """A name that changes whenever what the model makes of a query, or of a document, would.

        >>> paper, corrected = (Chosen.of(Spec.parse(f"bge(setup={setup})")) for setup in ("paper", "corrected"))
        >>> [paper.identity(None, role) == corrected.identity(None, role) for role in ("query", "document")]
        [False, True]
        """
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
    """Which weights these are: the contents of a folder, or the commit that the hub gave.

    >>> model_print("BAAI/bge-m3", None)
    'BAAI/bge-m3 None'
    """
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
    """The device that was asked for, or else a GPU where there is one, or else the processor.

    >>> pick_device("system 'bge'", "cpu")
    'cpu'
    """
    if wanted is not None:
        return wanted
    torch = required("torch", who, "train")
    return "cuda" if torch.cuda.is_available() else "cpu"


def dtype_of(who: str, name: str, device: str) -> Any:
    """The number format of a preset. Half the bits save nothing on a processor, where float32 stands for them.

    >>> dtype_of("system 'gritlm'", "auto", "cuda")
    'auto'
    """
    if name == "auto":
        return name
    torch = required("torch", who, "train")
    return getattr(torch, "float32" if device == "cpu" else name)


def dtype_option(transformers: Any) -> str:
    """How `from_pretrained` calls the number format; the old name warns where both are there.

    >>> from types import SimpleNamespace
    >>> dtype_option(SimpleNamespace(__version__="4.48.2"))
    'torch_dtype'
    """
    return "dtype" if int(transformers.__version__.partition(".")[0]) >= 5 else "torch_dtype"
