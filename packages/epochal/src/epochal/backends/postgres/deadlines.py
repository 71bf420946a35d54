"""Connections that give up on a server that does not reply.

The server itself ends a statement that takes too long, but only a server that still runs and can be reached does so.
"""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg

__all__ = ["DeadlineConnection", "SilentServerError"]

Result = TypeVar("Result")


class SilentServerError(psycopg.OperationalError):
    """A server has not replied in time; the connection to it is closed."""


class DeadlineConnection(psycopg.Connection[Any]):
    """A connection whose server has `patience` seconds for each reply; None for as long as it likes."""

    patience: float | None = None

    def wait(self, gen: Generator[Any, Any, Result], *options: Any, **named: Any) -> Result:
        """Wait for a reply, and close the connection when none has come in time."""
        limited = gen if self.patience is None else _limit(gen, self.patience)
        try:
            result: Result = super().wait(limited, *options, **named)
            return result
        except SilentServerError:
            self.pgconn.finish()
            raise


def _limit(steps: Generator[Any, Any, Result], seconds: float) -> Generator[Any, Any, Result]:
    """The same steps, which psycopg resumes ten times a second or oftener, until the time is over."""
    end = monotonic() + seconds
    ready = None
    while True:
        try:
            wanted = steps.send(ready)
        except StopIteration as done:
            result: Result = done.value
            return result
        ready = yield wanted
        if monotonic() >= end:
            raise SilentServerError(f"the server has not replied within {seconds:g} seconds")
