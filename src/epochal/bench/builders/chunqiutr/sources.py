"""The files that the set is built from, read and vouched for: entries, splits, and the works of the later layers."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.bench.builders.chunqiutr.keys import DUKES, MonthKey, Timeline
from epochal.errors import EpochalError, InputError

__all__ = ["ENTRIES", "LAYERS", "SPLITS", "Entry", "read_entries", "read_layers", "read_timeline"]

ENTRIES: Final = "entries.jsonl"
SPLITS: Final = "time_splits_by_month_v1.json"
LAYERS: Final = "kanripo_layers.tar.xz"
_NEEDED: Final = ("src", "id", "gong", "year", "kind", "text")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the annals or of a commentary: its work, its year, and its month where a table has it.

    >>> Entry("經", "A1.1.1", 1, 1, "元年春王正月。", 1).work
    '經'
    """

    work: str
    id: str
    duke: int
    year: int
    text: str
    month: int | None = None


def read_entries(source: Path) -> list[Entry]:
    """The entries of a folder, in the order of the file.

    >>> read_entries(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: nowhere/entries.jsonl is missing; the set is built from it
    """
    path = _there(source, ENTRIES)
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(_entry(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            accepted = f"a JSON object with {', '.join(_NEEDED)} and, where known, month; gong one of {DUKES}"
            raise InputError(str(path), number, f"the row is no entry; accepted: {accepted}") from None
    return found


def _entry(row: Mapping[str, Any]) -> Entry:
    src, kind = str(row["src"]), str(row["kind"])
    work = {"左傳": "經" if kind == "經" else "左氏傳"}.get(src, src)
    month = row.get("month")
    return Entry(
        work, str(row["id"]), DUKES.index(row["gong"]) + 1, int(row["year"]), str(row["text"]), month and int(month)
    )


def read_timeline(source: Path) -> Timeline:
    """The months with their splits, from the official file.

    >>> read_timeline(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: nowhere/time_splits_by_month_v1.json is missing; the set is built from it
    """
    path = _there(source, SPLITS)
    try:
        splits = json.loads(path.read_text(encoding="utf-8"))["split_by_sort_key"]
        return Timeline({MonthKey.parse(key): str(split) for key, split in splits.items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, EpochalError) else "accepted: split_by_sort_key, a split by month key"
        raise InputError(str(path), 0, f"the splits cannot be read: {why}") from None


def read_layers(source: Path, works: Mapping[str, str]) -> dict[str, str]:
    """The texts of those works, by id, each with its parts joined in order; `works` says whose each is.

    >>> read_layers(Path("nowhere"), {"KR1e0002": "杜預"})
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: nowhere/kanripo_layers.tar.xz is missing; the set is built from it
    """
    path = _there(source, LAYERS)
    parts: dict[str, dict[str, str]] = {work: {} for work in works}
    try:
        with tarfile.open(path, "r:xz") as archive:
            for member in archive:
                work = member.name.lstrip("./").split("/")[0]
                file = archive.extractfile(member) if work in parts and member.isfile() else None
                if file is not None:
                    parts[work][member.name] = file.read().decode("utf-8")
    except (tarfile.TarError, OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"the archive cannot be read: {error}") from None
    for work, files in parts.items():
        if not files:
            raise InputError(str(path), 0, f"the work {work} ({works[work]}) is not in the archive")
    return {work: "\n".join(files[name] for name in sorted(files)) for work, files in parts.items()}


def _there(source: Path, name: str) -> Path:
    path = source / name
    if not path.is_file():
        raise EpochalError(f"{path} is missing; the set is built from it")
    return path
