"""Labelled sentences as JSON lines: what training reads, and what the commands that make them write."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from epochal.errors import EpochalError, InputError
from epochal.models.re3.times.label import Label

__all__ = ["Row", "read_rows", "split", "write_rows"]

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence and the date that it states. Rows of one `group` are alike, and go into the same split.

    >>> Row("It opened in 1998.", Label(1998), "t3").to_json()
    '{"text": "It opened in 1998.", "time": "1998", "group": "t3"}'
    """

    text: str
    label: Label
    group: str = ""

    def to_json(self) -> str:
        """One line, without its end.

        >>> Row("It is closed.", Label()).to_json()
        '{"text": "It is closed.", "time": "", "group": ""}'
        """
        return json.dumps({"text": self.text, "time": str(self.label), "group": self.group}, ensure_ascii=False)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file, plain or gzipped.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = path.write_text('{"text": "In June.", "time": "XXXX-06"}\\n')
    >>> [row.label for row in read_rows(path)]
    [Label(year=None, month=6, day=None)]
    """
    try:
        with path.open("rb") as start:
            packed = start.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    yield _row(str(path), number, line)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EpochalError(f"cannot read the labelled sentences of {path}: {reason}") from error


def _row(name: str, number: int, line: bytes) -> Row:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise InputError(name, number, f"the row is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(name, number, f"the row is a {type(values).__name__}; accepted: an object with text and time")
    text, time, group = values.get("text"), values.get("time"), values.get("group", "")
    if not (isinstance(text, str) and isinstance(time, str) and isinstance(group, str)):
        raise InputError(name, number, 'the row needs texts; accepted: {"text": "It is June.", "time": "XXXX-06"}')
    try:
        return Row(text, Label.parse(time), group)
    except EpochalError as error:
        raise InputError(name, number, str(error)) from error


def write_rows(rows: Iterable[Row], file: BinaryIO, *, packed: bool = False) -> int:
    """Write rows to an open file, gzipped where asked for, and tell how many; the same rows give the same bytes.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_rows([Row("In 1998.", Label(1998))], file), file.getvalue()[:20]
    (1, b'{"text": "In 1998.",')
    """
    # Neither a time nor a name goes into the file, or no two would be the same.
    target: BinaryIO = gzip.GzipFile("", "wb", 9, file, mtime=0) if packed else file  # type: ignore[assignment]
    count = 0
    for row in rows:
        target.write(f"{row.to_json()}\n".encode())
        count += 1
    if packed:
        target.close()
    return count


def split(rows: Iterable[Row], share: float = 0.05, most: int = 4000) -> tuple[list[Row], list[Row]]:
    """The rows to train on, and those to measure on: whole groups, by the digits of their names' checksums.

    `share` is the share of groups to measure on; beyond `most` rows, every so many of them are measured on.

    >>> rows = [Row("In 1998.", Label(1998), f"group {number}") for number in range(100)]
    >>> [len(part) for part in split(rows, 0.1)]
    [89, 11]
    """
    if not 0 < share < 1:
        raise EpochalError(f"the share to measure on is {share:g}; accepted: above 0 and below 1")
    train: list[Row] = []
    held: list[Row] = []
    for row in rows:
        (held if zlib.crc32(row.group.encode()) / 2**32 < share else train).append(row)
    if not train or not held:
        raise EpochalError(
            f"of {len(train) + len(held):,} rows, {len(held):,} are left to measure on; accepted: some to train on and "
            "some to measure on, in several groups"
        )
    every = -(-len(held) // most)
    return train, held[::every]
