"""Where sets are read from: the data folder, the Hugging Face hub, and the rows of published files."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError, MissingExtraError, UnknownNameError
from epochal.storage.importers.parquet import parquet_rows
from epochal.storage.importers.rows import Meter, json_rows
from epochal_lab.datasets.records import BenchSet, SetCard, Switch

#: The variable that names the data folder where no option does.
VARIABLE = "EPOCHAL_DATA"
#: Brings a file that a set publishes, named as there (`documents/bitcoin.parquet`), and says where it lies now.
Fetch = Callable[[str], Path]


class MissingSetError(EpochalError):
    """The files of a set are not in the data folder; says where to get them, or what builds them."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where sets are looked for: a folder on disk, or something that fetches the files that a set publishes.

    >>> Source(Path("data")).require("scifact", "scifact", "get BEIR's scifact")
    Traceback (most recent call last):
    ...
    epochal_lab.datasets.sources.MissingSetError: the set 'scifact' is not in data (looked for scifact); get
    BEIR's scifact
    """

    data: Path | None = None
    fetch: Fetch | None = None

    def find(self, *names: str) -> Path | None:
        """The first of these folders or files that is there.

        >>> Source().find("scifact") is None
        True
        """
        if self.data is None:
            return None
        return next((self.data / name for name in names if (self.data / name).exists()), None)

    def require(self, id: str, name: str, remedy: str) -> Path:
        """The folder or file of that name; where it is not there, one sentence says how to come by it.

        >>> Source().require("scifact", "scifact", "get BEIR's scifact")
        Traceback (most recent call last):
        ...
        epochal_lab.datasets.sources.MissingSetError: the set 'scifact' needs a data folder, named by --data or
        EPOCHAL_DATA; get BEIR's scifact
        """
        if self.data is None:
            raise MissingSetError(f"the set {id!r} needs a data folder, named by --data or {VARIABLE}; {remedy}")
        path = self.find(name)
        if path is None:
            raise MissingSetError(f"the set {id!r} is not in {self.data} (looked for {name}); {remedy}")
        return path


@dataclass(frozen=True, slots=True)
class LoadedSet:
    """A set, the files that it was read from, and what came to light while reading (rows left out, and why).

    >>> LoadedSet(BenchSet("own", (), (), {})).facts
    {}
    """

    bench_set: BenchSet
    files: tuple[Path, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetEntry:
    """A row of the registry. Installed packages offer such rows as entry points of the group `epochal.datasets`.

    `load` is given the source and all switches. `sizes` are the documents and questions that the set is said to have,
    `folder` is where it lies in the data folder, and `pinned` the sha256 of its files, by their names within `folder`.

    >>> SetEntry("own", SetCard("Own"), lambda source, switches: LoadedSet(BenchSet("own", (), (), {}))).id
    'own'
    """

    id: str
    card: SetCard
    load: Callable[[Source, Mapping[str, Any]], LoadedSet]
    switches: tuple[Switch, ...] = ()
    sizes: tuple[int, int] | None = None
    folder: str = ""
    pinned: Mapping[str, str] = field(default_factory=dict)

    def settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """All switches with what was given for them, or their defaults; texts are read as the command line gives them.

        >>> entry = SetEntry("own", SetCard("Own"), lambda source, switches: LoadedSet(BenchSet("own", (), (), {})))
        >>> entry.settings({"split": "reteco"})
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no switch of 'own' is called 'split'; known: none
        """
        known = {switch.name: switch for switch in self.switches}
        for name in values:
            if name not in known:
                raise UnknownNameError(f"switch of {self.id!r}", name, known or ("none",))
        return {
            name: _parse_value(switch, values[name]) if name in values else switch.default
            for name, switch in known.items()
        }


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """The data folder: the one given, or the one that the variable EPOCHAL_DATA names; None where neither does."""
    name = os.environ.get(VARIABLE, "") if folder is None else os.fspath(folder)
    if not name:
        return None
    if not Path(name).is_dir():
        raise EpochalError(f"the data folder {name!r} is not there")
    return Path(name)


def _parse_value(switch: Switch, value: Any) -> Any:
    return switch.parse(value) if isinstance(value, str) else switch.validate(value)


def make_hub_fetch(repository: str, revisions: Mapping[str, str], cache: Path | None = None) -> Fetch:
    """Something that fetches the files of a data set, each folder at its own revision; "" is that of all others.

    Nothing is fetched before a file is asked for, and one that was fetched before is taken from the hub's own cache.
    """

    def fetch(name: str) -> Path:
        revision = revisions.get(name.partition("/")[0], revisions[""])
        return _download(repository, name, revision, cache)

    return fetch


def _download(repository: str, name: str, revision: str, cache: Path | None) -> Path:
    hub = _import_hub()
    try:
        path = hub.hf_hub_download(repository, name, repo_type="dataset", revision=revision, cache_dir=cache)
    except (OSError, ValueError, hub.errors.EntryNotFoundError) as error:
        # Most of the hub's own errors are OSErrors: no such repository, no such revision, no connection.
        why = str(error).strip().partition("\n")[0]
        raise EpochalError(f"{name} of {repository} at {revision[:8]} could not be fetched: {why}") from None
    return Path(path)


def _import_hub() -> Any:
    try:
        import huggingface_hub  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("loading from the hub", "huggingface_hub", "hub") from None
    return huggingface_hub


#: Longer texts are not read as lists: a parser may not be given anything of any size.
_LONGEST: Final = 1_000_000


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file with their numbers; a bad one is an error."""
    read = parquet_rows if path.suffix in (".parquet", ".pq") else json_rows
    for row in read(path, str(path), Meter(0)):
        if row.problem is not None:
            raise InputError(str(path), row.line, row.problem)
        yield row.line, row.values


def parse_literal(text: str) -> Any:
    """The value that a text writes as JSON or as Python does; None where it writes none. Nothing is ever run."""
    if len(text) > _LONGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # the files in question write Python's own notation more often
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def parse_list(value: Any) -> list[str] | None:
    """A list of ids, whether it is one or a text that writes one; None where the text writes none."""
    if isinstance(value, str):
        if not value.strip():
            return []
        value = parse_literal(value)
        if not isinstance(value, (list, tuple)):
            return None
    return get_texts(value)


def get_texts(value: Any) -> list[str]:
    """The texts of a list that are not empty; a text alone is a list of one, and anything else has none."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return []
    texts = (str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in value)
    return [item for item in texts if isinstance(item, str) and item.strip()]


def get_text(row: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that holds a text or a whole number; "" where none does."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""
