"""A limit on the memory that the bodies of all running requests take together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from epochal.server.problems import ProblemError

#: Bytes of all bodies that a process holds at a time.
MAX_BODIES: Final = 128 << 20
#: So much of each body is not counted, so that many large ones never keep out small ones.
FREE: Final = 1 << 16


class BodyMemory:
    """Counts the bytes of bodies from their arrival until their requests are answered.

    It is used in the thread of the event loop only.
    """

    def __init__(self, most: int = MAX_BODIES) -> None:
        self._most = most
        self.used = 0

    @contextmanager
    def hold(self) -> Iterator[HeldBody]:
        """Count one body for as long as the context lasts."""
        held = HeldBody(self)
        try:
            yield held
        finally:
            self.used -= held.counted

    def take(self, size: int) -> None:
        """Count more bytes; a `ProblemError` if they are too many."""
        if self.used + size > self._most:
            raise ProblemError(
                "too-busy",
                "the requests that are being read take all the memory that they may; try again in 5 s",
                headers={"Retry-After": "5", "Connection": "close"},
            )
        self.used += size


class HeldBody:
    """The bytes of one body that are counted."""

    def __init__(self, memory: BodyMemory) -> None:
        self._memory = memory
        self.counted = 0

    def grow(self, size: int) -> None:
        """The body has so many bytes now."""
        more = max(size - FREE, 0) - self.counted
        if more > 0:
            self._memory.take(more)
            self.counted += more
