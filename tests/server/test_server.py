"""A real server: what it does with requests that run when it is told to stop, and with bytes that are no request."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from http.client import HTTPConnection
from itertools import islice

import pytest

from epochal import Document, Index
from epochal.errors import EpochalError
from epochal.server import settings, state
from epochal.server.app import bind_socket, show_address
from epochal.server.state import IndexWriter
from server.conftest import TOKEN
from server.real import InThread, ask, is_listening, raw
from server.test_limits import Held


@pytest.fixture
def held(monkeypatch):
    result = Held()
    yield result
    result.go.set()


def wait_until_closed(port: int) -> None:
    while is_listening(port):
        pass


# ---------------------------------------------------------------- stopping


def test_requests_that_run_are_answered_before_it_stops(folder, held, monkeypatch):
    with ThreadPoolExecutor() as pool, InThread(folder, searches=3) as running:
        monkeypatch.setattr(state, "run_search", held)
        requests = [pool.submit(ask, running.port, "GET", "/api/v1/search", query={"q": "steel"}) for _ in range(3)]
        held.wait_for(3)
        running.stop()
        wait_until_closed(running.port)
        assert not any(item.done() for item in requests)
        held.go.set()
        assert [item.result(60).status for item in requests] == [200] * 3


@pytest.fixture
def held_writes(monkeypatch):
    """Writes wait until the second event is set; the first says that one has begun."""
    begun, go = threading.Event(), threading.Event()
    real = IndexWriter.add

    def add(self, documents):
        begun.set()
        assert go.wait(60)
        return real(self, documents)

    monkeypatch.setattr(IndexWriter, "add", add)
    return begun, go


def test_a_change_that_runs_is_made_before_it_stops(folder, held_writes):
    begun, go = held_writes
    with ThreadPoolExecutor() as pool, InThread(folder, writable=True, token=TOKEN) as running:
        record = {"documents": [{"id": "late", "text": "Rain."}]}
        query = pool.submit(ask, running.port, "POST", "/api/v1/documents", record=record, token=TOKEN)
        assert begun.wait(60)
        running.stop()
        wait_until_closed(running.port)
        go.set()
        assert query.result(60).json()["added"] == 1
    with Index.open(folder, write=True) as index:  # and the lock is free again
        assert index.get("late") is not None


def test_a_change_that_nobody_waits_for_is_made_before_it_stops(folder, held_writes):
    begun, go = held_writes
    with InThread(folder, writable=True, token=TOKEN, write_seconds=0.05) as running:
        record = {"documents": [{"id": "late", "text": "Rain."}]}
        assert ask(running.port, "POST", "/api/v1/documents", record=record, token=TOKEN).status == 503
        assert begun.wait(60)
        running.stop()
        wait_until_closed(running.port)
        go.set()
    with Index.open(folder) as index:
        assert index.get("late") is not None


# ---------------------------------------------------------------- many at once


def test_more_connections_than_places_are_reported_to_come_again(folder, held, monkeypatch):
    monkeypatch.setattr(settings, "QUEUE", 4)
    with ThreadPoolExecutor(16) as pool, InThread(folder, searches=1) as running:
        monkeypatch.setattr(state, "run_search", held)
        first = pool.submit(ask, running.port, "GET", "/api/v1/search", query={"q": "steel"})
        held.wait_for(1)
        others = [pool.submit(ask, running.port, "GET", "/api/v1/search", query={"q": "steel"}) for _ in range(12)]
        # One runs and four wait; the others come back while these are held.
        refused = [item.result() for item in islice(as_completed(others, timeout=60), 8)]
        assert [reply.status for reply in refused] == [429] * 8
        assert all(reply.headers["retry-after"] for reply in refused)
        held.go.set()
        assert sorted(item.result(60).status for item in (first, *others)) == [200] * 5 + [429] * 8


def test_readers_are_not_disturbed_by_a_writer_beside_them(folder):
    count = 20
    with ThreadPoolExecutor(4) as pool, InThread(folder) as running, Index.open(folder, write=True) as index:
        done = threading.Event()

        def read() -> list[tuple[int, int]]:
            seen = []
            while not done.is_set() or not seen:
                reply = ask(running.port, "GET", "/api/v1/search", query={"q": "hail", "k": 1})
                seen.append((reply.status, reply.json().get("generation", -1)))
            return seen

        readers = [pool.submit(read) for _ in range(4)]
        for position in range(count):
            index.add([Document(f"new-{position}", f"Hail number {position} fell in {1900 + position}.")])
            if position % 7 == 0:
                index.delete([f"new-{position}"])
            if position % 10 == 0:
                index.compact()
        done.set()
        for item in readers:
            seen = item.result(60)
            assert {status for status, _ in seen} == {200}
            assert [generation for _, generation in seen] == sorted(generation for _, generation in seen)
        matches = ask(running.port, "GET", "/api/v1/search", query={"q": f"hail number {count - 1}"}).json()
        assert matches["hits"][0]["id"] == f"new-{count - 1}"
        assert matches["generation"] == index.generation


# ---------------------------------------------------------------- bytes


@pytest.fixture(scope="module")
def running(never_changed):
    with InThread(never_changed) as result:
        yield result


@pytest.mark.parametrize(
    "path",
    [
        "/static/%2e%2e/settings.py",
        "/static/..%2fsettings.py",
        "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static/..%5csettings.py",
        "/static/%00",
        "/static/%c0%ae%c0%ae/settings.py",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
    ],
)
def test_packed_paths_lead_nowhere_either(running, path):
    message = raw(running.port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert message.startswith(b"HTTP/1.1 404")
    assert b"root:" not in message


def test_a_packed_id_is_unpacked_once(running):
    assert ask(running.port, "GET", "/api/v1/documents/a%2Fb%20c%3F").json()["document"]["id"] == "a/b c?"
    assert ask(running.port, "GET", "/api/v1/documents/a%252Fb%2520c%253F").status == 404


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX Y: a\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    ],
    ids=range(11),
)
def test_what_is_no_request_is_refused_and_the_server_lives_on(running, sent):
    message = raw(running.port, sent)
    assert message == b"" or message.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421", b"HTTP/1.1 4"))
    assert b"Traceback" not in message
    assert ask(running.port, "GET", "/health").status == 200


def test_lengths_that_contradict_each_other_smuggle_nothing(running):
    inner = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    record = raw(
        running.port,
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
    )
    assert b"epochal_requests_total" not in record


def test_a_body_in_chunks_without_end_is_cut(running):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    sent = (
        b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 40 + b"0\r\n\r\n"
    )
    with suppress(OSError):  # the connection may be closed while the rest is still being sent
        assert raw(running.port, sent).startswith(b"HTTP/1.1 413")
    text = ask(running.port, "GET", "/metrics").body.decode()
    assert 'epochal_requests_total{route="search_edited",status="413"} 1' in text


def test_the_head_of_an_answer_tells_nothing_of_the_server(running):
    reply = ask(running.port, "GET", "/health")
    assert "server" not in reply.headers
    assert reply.headers["content-type"] == "application/json"
    assert ask(running.port, "HEAD", "/health").body == b""


def test_a_long_answer_comes_whole(running):
    reply = ask(running.port, "POST", "/api/v1/tag", record={"text": "in May 1998, " * 2_000})
    assert len(reply.json()["expressions"]) >= 2_000
    assert int(reply.headers["content-length"]) == len(reply.body)


def test_a_connection_is_used_again(running):
    connection = HTTPConnection("127.0.0.1", running.port, timeout=60)
    connection.connect()
    line = connection.sock
    for path in ("/health", "/nowhere", "/api/v1/search?k=0", "/health"):
        connection.request("GET", path)
        connection.getresponse().read()
        assert connection.sock is line
    connection.close()


# ---------------------------------------------------------------- listening


def test_a_port_that_is_taken_is_named():
    with bind_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert show_address(first) == f"http://127.0.0.1:{port}/"
        with pytest.raises(EpochalError, match=rf"cannot listen on 127.0.0.1:{port}: .*; name another --port"):
            bind_socket("127.0.0.1", port)


def test_the_description_of_a_real_server_is_json(running):
    assert json.loads(ask(running.port, "GET", "/openapi.json").body)["openapi"] == "3.1.0"
