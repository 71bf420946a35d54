"""The last acknowledged write, recorded beside the document database: writes that the database has lost are noticed.

SQLite reads a damaged log up to the first damaged page, and is silent about the writes behind it. The record says which
generation was acknowledged last, and which mark it left. A loss stays in the record, whatever is written later, until
it is accepted. The record is written after each write and not synced to disk: one that is behind the database claims
nothing. A backup has an identity of its own, so the record of another index says nothing about it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epochal.files import pack_checked, unpack_checked
from epochal.storage.columns import DerivedManifest, read_manifest
from epochal.storage.identity import read_mark
from epochal.storage.schema import read_next, read_state

__all__ = ["RECORD", "Loss", "accept_losses", "describe_loss", "find_losses", "is_record_damaged", "record_writes"]

#: The name of the record inside the folder of an index.
RECORD: Final = "acknowledged.json"


@dataclass(frozen=True, slots=True)
class Loss:
    """Acknowledged writes that are gone: those after one generation up to another, and how many documents they added.

    Where the number of documents is not known, it is -1.
    """

    after: int
    last: int
    documents: int = -1


@dataclass(frozen=True, slots=True)
class _Record:
    """The last acknowledged generation, its mark, the number of the next document, and losses not accepted yet."""

    identity: str
    generation: int
    mark: str
    next: int
    losses: tuple[Loss, ...] = ()

    def to_bytes(self) -> bytes:
        fields = {
            "identity": self.identity,
            "generation": self.generation,
            "mark": self.mark,
            "next": self.next,
            "losses": [[loss.after, loss.last, loss.documents] for loss in self.losses],
        }
        return pack_checked(fields)

    @classmethod
    def from_bytes(cls, data: bytes) -> _Record | None:
        fields = unpack_checked(data)
        if fields is None:
            return None
        losses = tuple(Loss(*numbers) for numbers in fields.pop("losses"))
        return cls(**fields, losses=losses)


def find_losses(folder: Path, connection: sqlite3.Connection) -> tuple[Loss, ...]:
    """The acknowledged writes that a document database has lost, without those that were accepted."""
    # What was acknowledged is read first: the database, read after it, is never behind it unless writes are missing.
    record = _read_record(folder)
    manifest = DerivedManifest.from_bytes(read_manifest(folder))
    state = read_state(connection)
    found: dict[int, Loss] = {}
    if record is not None and record.identity == state.identity:
        found = {loss.after: loss for loss in record.losses}
        if record.generation > state.generation:
            documents = max(record.next - read_next(connection), 0)
            found[state.generation] = Loss(state.generation, record.generation, documents)
        elif read_mark(connection, record.generation) not in (record.mark, ""):
            found[record.generation - 1] = Loss(record.generation - 1, record.generation)
    is_known = manifest is not None and manifest.identity == state.identity != ""
    if manifest is not None and is_known and manifest.generation > state.generation:
        found.setdefault(state.generation, Loss(state.generation, manifest.generation))
    return tuple(found.values())


def record_writes(folder: Path, connection: sqlite3.Connection) -> None:
    """Record the last write, and what was lost before; for the writer only, when it begins and after each write.

    Where the record cannot be written, it stays behind the database, and the write is as durable as any.
    """
    with suppress(OSError):
        _write_record(folder, replace(_describe_database(connection), losses=find_losses(folder, connection)))


def accept_losses(folder: Path, connection: sqlite3.Connection) -> None:
    """Report losses no more; for the writer only."""
    _write_record(folder, _describe_database(connection))


def describe_loss(loss: Loss) -> str:
    """A loss in one sentence."""
    count = loss.last - loss.after
    generations = f"generation {loss.last}" if count == 1 else f"generations {loss.after + 1} to {loss.last}"
    documents = f", {loss.documents:,} documents added" if loss.documents >= 0 else ""
    return (
        f"{count:,} writes are missing that were acknowledged ({generations}{documents}): an older document database "
        f"was restored, or its log was damaged; add those documents again or restore a backup, and accept the loss "
        f"with `epochal check INDEX --repair`"
    )


def is_record_damaged(folder: Path) -> bool:
    """Whether there is a record that cannot be read."""
    return _read_bytes(folder) is not None and _read_record(folder) is None


def _describe_database(connection: sqlite3.Connection) -> _Record:
    state = read_state(connection)
    return _Record(state.identity, state.generation, read_mark(connection, state.generation), read_next(connection))


def _read_bytes(folder: Path) -> bytes | None:
    try:
        return (folder / RECORD).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # whatever it is, it is no record
        return b""


def _read_record(folder: Path) -> _Record | None:
    data = _read_bytes(folder)
    return None if data is None else _Record.from_bytes(data)


def _write_record(folder: Path, record: _Record) -> None:
    """Replace the record, unless it says the same already."""
    data = record.to_bytes()
    if data == _read_bytes(folder):
        return
    part = folder / f"{RECORD}.new"
    part.write_bytes(data)
    if (folder / RECORD).is_dir():
        (folder / RECORD).rmdir()
    os.replace(part, folder / RECORD)
