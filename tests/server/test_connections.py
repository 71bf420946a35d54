"""Connections that send nothing, or little by little, or too much, are closed; the service goes on."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress

import pytest

from epochal.server import connections
from server.real import InThread, ask, raw

pytestmark = pytest.mark.xdist_group("real servers")


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=120)


def test_a_client_that_sends_no_head_is_disconnected(never_changed, monkeypatch):
    with InThread(never_changed) as running:
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
        monkeypatch.setattr(running.server.config, "timeout_keep_alive", 0.05)
        for begun in (b"", b"GET /health HTTP/1.1\r\nHost: local"):
            with connect(running.port) as line, suppress(ConnectionError):  # closed before the bytes were read
                line.sendall(begun)
                assert line.recv(100) == b""
        with connect(running.port) as line, suppress(ConnectionError):  # the second head of a connection, too
            line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
            while line.recv(65_536):
                pass
        monkeypatch.undo()
        assert ask(running.port, "GET", "/health").status == 200


def test_a_head_that_is_too_large_is_refused(never_changed):
    with InThread(never_changed) as running:
        reply = raw(running.port, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n")
        assert reply.split(b"\r\n")[0].split()[1][:1] == b"4"
        assert ask(running.port, "GET", "/health").status == 200


def test_connections_beyond_the_most_are_closed_at_once(never_changed, monkeypatch):
    with InThread(never_changed) as running, ExitStack() as stack:
        monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
        lines = [stack.enter_context(connect(running.port)) for _ in range(8)]
        lines[-1].sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with suppress(ConnectionResetError):
            assert lines[-1].recv(100) == b""
        for line in lines:
            line.close()
        monkeypatch.setattr(connections, "MAX_CONNECTIONS", 512)
        assert ask(running.port, "GET", "/health").status == 200
