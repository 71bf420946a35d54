"""Where the studies find public data: below the folder that EPOCHAL_DATA names."""

from __future__ import annotations

from pathlib import Path

from _record import skip

from epochal.errors import EpochalError
from epochal_lab.datasets.sources import data_folder


def find_data_folder(name: str) -> Path:
    """The data folder; a study that needs the set `name` ends where EPOCHAL_DATA is unset."""
    try:
        folder = data_folder()
    except EpochalError as error:
        skip(str(error))
    if folder is None:
        skip(f"no data folder: set EPOCHAL_DATA or run epochal bench fetch {name} --data DIR")
    return folder


def find_data(path: str) -> Path:
    """A file or folder of a public set (`tnp/corpus.jsonl`); a study ends where it is missing."""
    name = path.partition("/")[0]
    result = find_data_folder(name) / path
    if not result.exists():
        skip(f"{result} is missing: set EPOCHAL_DATA or run epochal bench fetch {name}")
    return result
