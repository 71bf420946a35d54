"""Documents that are stored before their vectors are made: which vectors may still be stored, and who makes them.

Their words and times are found at once. A passage without a vector has a zero vector and the key `PENDING`; when its
vector is made, the document is replaced by itself, with vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from epochal.storage.documents import Snapshot
from epochal.storage.records import PENDING, Entry
from epochal.storage.schema import lock_file

#: Locked by the process that makes vectors, and by the one that goes on after it.
_MAKER: Final = "vectors.lock"
_NEXT: Final = "next-vectors.lock"
#: How long the latter waits: the vectors of a large index take days.
_DAYS: Final = 14 * 86_400.0


def select_unchanged(folder: Path, entries: Sequence[Entry]) -> list[Entry]:
    """The documents of entries as they are stored now, with the vectors of the entries.

    Left out are those that have no pending vectors now, and those whose texts or passages are others.
    """
    snapshot = Snapshot(folder)
    try:
        seqs = snapshot.find_seqs([entry.document.id for entry in entries], snapshot.state.generation)
        stored = {entry.document.id: entry for entry in snapshot.get_entries(list(seqs.values()))}
    finally:
        snapshot.close()
    selected = []
    for entry in entries:
        current = stored.get(entry.document.id)
        if current is not None and PENDING in (current.keys or ()) and _has_same_texts(current, entry):
            selected.append(replace(current, vectors=entry.vectors, keys=entry.keys))
    return selected


def _has_same_texts(entry: Entry, other: Entry) -> bool:
    """Whether vectors are those of both: the titles and texts of their passages are the same."""
    return (entry.document.title, entry.document.text) == (other.document.title, other.document.text) and [
        (passage.start_char, passage.end_char) for passage in entry.passages
    ] == [(passage.start_char, passage.end_char) for passage in other.passages]


@contextmanager
def wait_for_maker(folder: Path, report_waiting: Callable[[], None] = lambda: None) -> Iterator[bool]:
    """Wait until no other process makes vectors of an index, and be the one that does; False where another waits.

    `report_waiting` is called before a wait. Whoever waits starts after the last write of whoever comes later, and so
    makes the vectors of that, too.
    """
    turn, maker = lock_file(folder, _NEXT, 0), None
    try:
        if turn is not None:
            maker = lock_file(folder, _MAKER, 0)
            if maker is None:
                report_waiting()
                maker = lock_file(folder, _MAKER, _DAYS)
            turn.close()
        yield maker is not None
    finally:
        for held in (turn, maker):
            if held is not None:
                held.close()
