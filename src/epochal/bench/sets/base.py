"""What a registered set is made of: where it is looked for, what it is called, and what was read for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epochal.bench.records import BenchSet, Card, Switch
from epochal.errors import EpochalError, UnknownNameError

__all__ = ["VARIABLE", "Fetch", "Loaded", "SetEntry", "SetNotThereError", "Source", "data_folder"]

#: The variable that names the data folder where no option does.
VARIABLE = "EPOCHAL_DATA"
#: Brings a file that a set publishes, named as there (`documents/bitcoin.parquet`), and says where it lies now.
Fetch = Callable[[str], Path]


class SetNotThereError(EpochalError):
    """The files of a set are not in the data folder; says where to get them, or what builds them.

    >>> issubclass(SetNotThereError, EpochalError)
    True
    """


@dataclass(frozen=True, slots=True)
class Source:
    """Where sets are looked for: a folder on disk, or something that fetches the files that a set publishes.

    >>> Source(Path("data")).need("scifact", "scifact", "get BEIR's scifact")
    Traceback (most recent call last):
    ...
    epochal.bench.sets.base.SetNotThereError: the set 'scifact' is not in data (looked for scifact); get BEIR's scifact
    """

    data: Path | None = None
    fetch: Fetch | None = None

    def place(self, *names: str) -> Path | None:
        """The first of these folders or files that is there.

        >>> Source().place("scifact") is None
        True
        """
        if self.data is None:
            return None
        return next((self.data / name for name in names if (self.data / name).exists()), None)

    def need(self, id: str, name: str, remedy: str) -> Path:
        """The folder or file of that name; where it is not there, one sentence says how to come by it.

        >>> Source().need("scifact", "scifact", "get BEIR's scifact")
        Traceback (most recent call last):
        ...
        epochal.bench.sets.base.SetNotThereError: the set 'scifact' needs a data folder, named by --data or
        EPOCHAL_DATA; get BEIR's scifact
        """
        if self.data is None:
            raise SetNotThereError(f"the set {id!r} needs a data folder, named by --data or {VARIABLE}; {remedy}")
        found = self.place(name)
        if found is None:
            raise SetNotThereError(f"the set {id!r} is not in {self.data} (looked for {name}); {remedy}")
        return found


@dataclass(frozen=True, slots=True)
class Loaded:
    """A set, the files that it was read from, and what came to light while reading (rows left out, and why).

    >>> Loaded(BenchSet("own", (), (), {})).facts
    {}
    """

    made: BenchSet
    files: tuple[Path, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetEntry:
    """A row of the registry. Installed packages offer such rows as entry points of the group `epochal.datasets`.

    `load` is given the source and all switches. `sizes` are the documents and questions that the set is said to have,
    `folder` is where it lies in the data folder, and `pinned` the sha256 of its files, by their names within `folder`.

    >>> SetEntry("own", Card("Own"), lambda source, switches: Loaded(BenchSet("own", (), (), {}))).id
    'own'
    """

    id: str
    card: Card
    load: Callable[[Source, Mapping[str, Any]], Loaded]
    switches: tuple[Switch, ...] = ()
    sizes: tuple[int, int] | None = None
    folder: str = ""
    pinned: Mapping[str, str] = field(default_factory=dict)

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All switches with what was given for them, or their defaults; texts are read as the command line gives them.

        >>> entry = SetEntry("own", Card("Own"), lambda source, switches: Loaded(BenchSet("own", (), (), {})))
        >>> entry.settings({"split": "reteco"})
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no switch of 'own' is called 'split'; known: none
        """
        known = {switch.name: switch for switch in self.switches}
        for name in given:
            if name not in known:
                raise UnknownNameError(f"switch of {self.id!r}", name, known or ("none",))
        return {
            name: _value(switch, given[name]) if name in given else switch.default for name, switch in known.items()
        }


def data_folder(given: str | os.PathLike[str] | None = None) -> Path | None:
    """The data folder: the one given, or the one that the variable EPOCHAL_DATA names; None where neither does.

    >>> data_folder("nowhere/at/all")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the data folder 'nowhere/at/all' is not there
    """
    name = os.environ.get(VARIABLE, "") if given is None else os.fspath(given)
    if not name:
        return None
    if not Path(name).is_dir():
        raise EpochalError(f"the data folder {name!r} is not there")
    return Path(name)


def _value(switch: Switch, value: Any) -> Any:
    return switch.read(value) if isinstance(value, str) else switch.checked(value)
