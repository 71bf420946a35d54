"""A slow look through the documents of an index while it is served: damaged ones are named before anybody needs them.

A portion of documents is compared with the hashes and checksums that were stored with them, then there is a pause. Each
portion has a connection of its own, so that nothing holds back SQLite's log, and another index that takes the place of
this one is looked through from its beginning.
"""

from __future__ import annotations

import asyncio
import logging
import math
from pathlib import Path
from typing import Final

from epochal.errors import StorageError
from epochal.server.telemetry import log_event
from epochal.storage.addresses import is_address
from epochal.storage.damaged_rows import list_damaged_documents
from epochal.storage.identity import connect_known
from epochal.storage.schema import read_state, wrap_errors

#: Documents of a portion, and the seconds between two: a million documents take seven hours, and little of a core.
PORTION: Final = 200
_PAUSE: Final = 5.0


class Scrub:
    """The documents of an index in a folder that were found damaged; an index elsewhere is not looked through."""

    def __init__(self, folder: str) -> None:
        self._folder = None if is_address(folder) else Path(folder)
        self._identity = ""
        self._first = 0
        self._is_readable = True
        self._damaged: dict[int, str] = {}
        #: How often all documents were looked through.
        self.passes = 0

    @property
    def damaged(self) -> list[str]:
        """The ids of damaged documents."""
        return sorted(set(self._damaged.values()))

    async def run(self) -> None:
        """Look through the index again and again, until this is cancelled."""
        while self._folder is not None:
            await asyncio.sleep(_PAUSE)
            await asyncio.to_thread(self.step)

    def step(self, portion: int = PORTION) -> None:
        """Look through the next documents; a problem is logged when it is found, and not again."""
        if self._folder is None:
            return
        try:
            self._step(self._folder, portion)
        except StorageError:  # the file itself is damaged, or its folder is being swapped
            if self._is_readable:
                log_event("unread", level=logging.ERROR, trace=True)
            self._is_readable, self._first = False, 0
        else:
            self._is_readable = True

    def _step(self, folder: Path, portion: int) -> None:
        connection, _ = connect_known(folder)
        try:
            with wrap_errors(folder, "read"):
                identity = read_state(connection).identity
                if identity != self._identity:
                    self._identity, self._first, self._damaged = identity, 0, {}
                rows = connection.execute(
                    "SELECT seq FROM documents WHERE seq >= ? ORDER BY seq LIMIT ?", (self._first, portion)
                ).fetchall()
                last = rows[-1][0] if len(rows) == portion else None
                found = dict(list_damaged_documents(connection, self._first, last))
        finally:
            connection.close()
        for seq, id in found.items():
            if seq not in self._damaged:
                log_event("damaged", level=logging.ERROR, document=id)
        end = math.inf if last is None else last
        # What was purged or repaired since it was found is not damaged any more.
        others = {seq: id for seq, id in self._damaged.items() if not self._first <= seq <= end}
        self._damaged = {**others, **found}
        self._first = 0 if last is None else last + 1
        self.passes += last is None
