"""The log of a run: a JSON object a line, so that it can be read while the run goes on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from epochal.errors import InputError, StorageError
from epochal.models.training.checkpoint import whole_file

__all__ = ["Journal", "Row", "read_journal"]

#: A line: step, epoch, rate, losses, seconds and tokens; metrics and best where it is of an evaluation.
Row = dict[str, Any]


class Journal:
    """The lines of a run, in `rows` and, where a path is given, in its file.

    A new journal empties the file, but for its first `keep` lines: those that a resumed run had when it was saved.
    Numbers that JSON has not (nan, inf) are written as null.
    """

    def __init__(self, path: Path | None, keep: int = 0) -> None:
        self.path = path
        self.rows: list[Row] = []
        if path is None:
            return
        if keep and path.exists():
            self.rows = read_journal(path)[:keep]
        with whole_file(path) as part:
            part.write_text("".join(map(_line, self.rows)), encoding="utf-8")

    def write(self, row: Row) -> None:
        """Add a line."""
        told: Row = _told(row)
        self.rows.append(told)
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(told))
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from error


def read_journal(path: Path) -> list[Row]:
    """The lines of a log. A last line that breaks off, as a killed run leaves it, is passed over."""
    rows: list[Row] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            if number == len(lines) and not line.endswith("\n"):
                break
            raise InputError(str(path), number, f"is no JSON: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("step"), int):
            raise InputError(str(path), number, "is no line of a log of training; accepted: an object with a step")
        rows.append(row)
    return rows


def _line(row: Row) -> str:
    return f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n"


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _told(inside) for name, inside in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
