"""Dater: the reading of time that `epochal train ctd` has learned, from its folder, in numpy.

Only a model whose records are read by the table of runs alone can be read here: what is believed of a text is linear
in the runs of characters that it has. A transformer would have to be run for every record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError, TimeRangeError
from epochal.files import read_arrays
from epochal.ranking.dating.axis import MONTHS, MonthAxis, Months
from epochal.ranking.dating.basis import year_functions
from epochal.ranking.dating.beliefs import Beliefs
from epochal.ranking.dating.runs import LENGTH, Characters, run_keys
from epochal.times import Span

__all__ = ["Beside", "Dater"]

_ACCEPTED: Final = "a folder that `epochal train ctd --backbone runs --set deep_heads=false` wrote"
_CONFIG: Final = "config.json"
_NOTHING: Final = np.iinfo(np.int64).max
_TINY: Final = 1e-6

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Beside:
    """How much the learned part counts beside the gate's own: for passages without a time, and for those with one.

    `worth` is how much the worth of a text as an answer counts beside the likelihood of its time.

    >>> Beside(undated=-1.0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: a dater counts -1.0 for 'undated' beside the gate; accepted: a number from 0
    """

    undated: float = 4.5
    dated: float = 0.0
    worth: float = 1.0

    def __post_init__(self) -> None:
        for name in ("undated", "dated", "worth"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value) or value < 0:
                raise EpochalError(f"a dater counts {value!r} for {name!r} beside the gate; accepted: a number from 0")


@dataclass(frozen=True, slots=True, eq=False)
class Dater:
    """What runs of characters say of the time: rows of a table, by key, for reign, year in reign, year, month, worth.

    `common` is what all texts have in common, `functions` are those of the year, and `length` is how many characters of
    a text are read, with its beginning and its end. `tells_worth` says whether the worth was learned too.

    >>> Dater.read("no/such")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/config.json: cannot be read: No such file or directory; accepted: a folder that
    `epochal train ctd --backbone runs --set deep_heads=false` wrote
    """

    axis: MonthAxis
    characters: Characters
    keys: npt.NDArray[np.int64]
    rarity: npt.NDArray[np.float32]
    table: Matrix
    common: npt.NDArray[np.float32]
    functions: Matrix
    length: int
    beside: Beside = Beside()
    tells_worth: bool = True

    def __post_init__(self) -> None:
        known, width = len(self.keys), _width(self.axis, self.functions)
        for name, shape in (("rarity", (known,)), ("table", (known, width)), ("common", (width,))):
            found = getattr(self, name)
            if found.shape != shape:
                raise EpochalError(f"{name} of a dater has the shape {found.shape}; accepted with its axis: {shape}")
            if not np.isfinite(found).all():
                raise EpochalError(f"{name} of a dater holds numbers that are not finite")

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> Dater:
        """The dater of a folder; a model that needs more than its table, or a damaged one, is an error.

        >>> Dater.read.__name__
        'read'
        """
        place = Path(folder)
        config, backbone = _object(place / _CONFIG), _object(place / "backbone" / _CONFIG)
        if config.get("kind") != "ctd":
            raise InputError(
                fspath(place), 0, f"holds a model of kind {config.get('kind')!r}, not 'ctd'; accepted: {_ACCEPTED}"
            )
        settings = config.get("settings")
        if not isinstance(settings, dict):
            raise InputError(fspath(place / _CONFIG), 0, f"has no settings; accepted: {_ACCEPTED}")
        _check_alone(place, settings, backbone)
        tensors = read_arrays(place / "model.safetensors")
        try:
            axis = MonthAxis.from_dict(config["axis"])
            keys = tensors["wide.keys"]
            count = int((keys < _NOTHING).sum())
            heads = [tensors[f"heads.{name}.bias"] for name in ("reign", "year", "own", "month")]
            judges = bool(settings.get("worth"))
            worth = tensors["worth.bias"] if judges else np.zeros(1)
            return cls(
                axis,
                Characters(str(backbone["characters"])),
                keys[:count],
                tensors["wide.rarity"][:count],
                tensors["wide.table.weight"][:count],
                np.concatenate([*heads, worth]).astype(np.float32),
                year_functions(axis.years, float(settings.get("spread", 0.0))),
                min(int(settings["record_length"]), int(backbone["max_length"])),
                Beside(**config.get("beside_the_gate", {})),
                judges,
            )
        except (KeyError, TypeError, ValueError, EpochalError) as error:
            raise InputError(fspath(place), 0, f"holds no whole model ({error}); accepted: {_ACCEPTED}") from error

    def beliefs(self, texts: Sequence[str]) -> Beliefs:
        """What is believed of the times of texts.

        >>> Dater.beliefs.__name__
        'beliefs'
        """
        flat = np.tile(self.common, (len(texts), 1))
        for number, tokens in enumerate(self.characters.rows(texts, self.length)):
            keys = run_keys(np.array(tokens, dtype=np.int64))
            at = np.minimum(self.keys.searchsorted(keys), max(len(self.keys) - 1, 0))
            at = at[self.keys[at] == keys] if len(self.keys) else at[:0]
            rare = self.rarity[at]
            flat[number] += (LENGTH / max(float(np.linalg.norm(rare)), _TINY) * rare) @ self.table[at]
        reigns, longest, own = len(self.axis.lengths), max(self.axis.lengths), self.functions.shape[1]
        reign, year, free, month = np.split(flat[:, :-1], np.cumsum([reigns, longest, own]), axis=1)
        years = reign[:, self.axis.reign_of_year] + year[:, self.axis.year_in_reign] + free @ self.functions.T
        worth = -np.logaddexp(0.0, -flat[:, -1].astype(np.float64)) if self.tells_worth else np.zeros(len(texts))
        return Beliefs(self.axis, _softmax(years), _softmax(month), worth)

    def months_of(self, span: Span) -> Months | None:
        """The months of the axis that a span has; None where it lies outside.

        >>> Dater.months_of.__name__
        'months_of'
        """
        try:
            return self.axis.place([span])
        except TimeRangeError:
            return None


def _width(axis: MonthAxis, functions: Matrix) -> int:
    return len(axis.lengths) + max(axis.lengths) + int(functions.shape[1]) + MONTHS + 1


def _softmax(logits: Matrix) -> Matrix:
    shares: Matrix = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _check_alone(place: Path, settings: Mapping[str, Any], backbone: Mapping[str, Any]) -> None:
    """Complain of a model whose records are read by more than the table of runs of characters."""
    if settings.get("deep_heads", True):
        raise InputError(
            fspath(place),
            0,
            "reads the time of records with a transformer (deep_heads is true), which a search does not run; "
            f"accepted: {_ACCEPTED}",
        )
    if settings.get("heads") != "joint" or not settings.get("ngrams"):
        raise InputError(fspath(place), 0, f"has no table of runs that times are read of; accepted: {_ACCEPTED}")
    if backbone.get("kind") != "runs":
        tokens = f"has runs of the tokens of {backbone.get('kind')!r}, not of characters"
        raise InputError(fspath(place), 0, f"{tokens}; accepted: {_ACCEPTED}")


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}; accepted: {_ACCEPTED}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: {_ACCEPTED}") from error
    if not isinstance(found, dict):
        raise InputError(fspath(path), 0, f"holds no object; accepted: {_ACCEPTED}")
    return found
