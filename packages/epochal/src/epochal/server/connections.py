"""Connections with limits: on how many there are, and on how long and how large the head of a request may be."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds that a client has for the head of a request, from the connection or the first byte on.
HEAD_SECONDS: float = 15.0
#: Connections of a process; more are closed at once, so that descriptors are left for the index.
MAX_CONNECTIONS: int = 512
#: So many bytes are parsed at a time; h11 checks the size of a head only where it is not whole yet.
_STEP: Final = 4 << 10


class LimitedProtocol(H11Protocol):
    """The HTTP protocol of uvicorn, which by itself waits for the head of a request without end."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Count the connection, and begin to wait for the head of its first request."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Parse what came, and wait for the rest of a head that is not whole."""
        for low in range(0, len(data), _STEP):
            super().data_received(data[low : low + _STEP])
            if self.transport.is_closing():
                return
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._head_timer is None and not self.transport.is_closing():
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._close_unless_begun)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_unless_begun(self) -> None:
        self._head_timer = None
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.conn.their_state is h11.IDLE and not is_answering:
            self.transport.close()
