"""A slow look through the documents of an index while it is served: damaged ones are named before anybody needs them.

A portion of documents is compared with the hashes and checksums that were stored with them, then there is a pause. Each
portion has a connection of its own, so that nothing holds back SQLite's log, and another index that takes the place of
this one is looked through from its beginning. The nodes of a cluster are looked through one after another.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.errors import StorageError
from epochal.server.telemetry import log_event
from epochal.storage.addresses import get_provider
from epochal.storage.damaged_rows import Portion

#: Documents of a portion, and the seconds between two: a million documents take seven hours, and little of a core.
PORTION: Final = 200
_PAUSE: Final = 5.0


@dataclass
class _Part:
    """An index, or one of those that an index consists of, and how far it was looked through."""

    address: str
    list_portion: Callable[[str, int, int], Portion]
    identity: str = ""
    first: int = 0
    damaged: dict[int, str] = field(default_factory=dict)

    def step(self, count: int) -> bool:
        """Look through the next documents, and log what is newly found to be damaged; whether this is the end."""
        portion = self.list_portion(self.address, self.first, count)
        if portion.identity != self.identity:
            is_same_place = self.first == 0
            self.identity, self.first, self.damaged = portion.identity, 0, {}
            if not is_same_place:
                return False
        for row, id in portion.damaged.items():
            if row not in self.damaged:
                log_event("damaged", level=logging.ERROR, document=id)
        end = math.inf if portion.last is None else portion.last
        # What was purged or repaired since it was found is not damaged any more.
        others = {row: id for row, id in self.damaged.items() if not self.first <= row <= end}
        self.damaged = {**others, **portion.damaged}
        self.first = 0 if portion.last is None else portion.last + 1
        return portion.last is None


class Scrub:
    """The documents of an index that were found damaged."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._parts: list[_Part] | None = None
        self._number = 0
        self._is_readable = True
        #: How often all documents were looked through.
        self.passes = 0

    @property
    def damaged(self) -> list[str]:
        """The ids of damaged documents."""
        return sorted({id for part in self._parts or () for id in part.damaged.values()})

    async def run(self) -> None:
        """Look through the index again and again, until this is cancelled."""
        while self._parts != []:
            await asyncio.sleep(_PAUSE)
            await asyncio.to_thread(self.step)

    def step(self, portion: int = PORTION) -> None:
        """Look through the next documents; a problem is logged when it is found, and not again."""
        try:
            if self._parts is None:
                self._parts = _list_parts(self._folder)
            if self._parts and self._parts[self._number].step(portion):
                self._number = (self._number + 1) % len(self._parts)
                self.passes += self._number == 0
        except StorageError:  # the file itself is damaged, its folder is being swapped, or a server is away
            if self._is_readable:
                log_event("unread", level=logging.ERROR, trace=True)
            self._is_readable = False
            if self._parts:
                self._parts[self._number].first = 0
                self._number = (self._number + 1) % len(self._parts)
        else:
            self._is_readable = True


def _list_parts(address: str) -> list[_Part]:
    """The indexes that an index consists of; none where they cannot be looked through."""
    provider: Any = get_provider(address)
    if hasattr(provider, "list_parts"):
        return [part for url in provider.list_parts(address) for part in _list_parts(url)]
    return [_Part(address, provider.list_portion)] if hasattr(provider, "list_portion") else []
