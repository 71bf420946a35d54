"""The command with one process and with several: one index, one socket, no loss when one of them is killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

import pytest

from epochal import Document, Index
from server.conftest import TOKEN
from server.real import InProcess, ask, command, run_service

#: It changes the service, so it is not imported here.
STUCK = Path(__file__).with_name("stuck_service.py")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="sends signals as other systems have them")


def added(port: int, name: str) -> int:
    record = {"documents": [{"id": name, "text": f"Hail {name} fell."}]}
    return ask(port, "POST", "/api/v1/documents", record=record, token=TOKEN).status


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_one_process_stops_when_reported(folder, how):
    with command(folder, "--writable") as running:
        assert (
            running.first_line
            == f"{folder}: http://127.0.0.1:{running.port}/ (documents can be changed with the token)\n"
        )
        assert added(running.port, "n1") == 200
        assert running.stop(how) == 0
        events = running.wait_for_the_end()
        assert [event["route"] for event in events if event["event"] == "request"] == ["add_documents"]
        assert running.other == []
    with Index.open(folder, write=True) as index:
        assert index.get("n1") is not None


def test_several_processes_share_an_index(folder):
    with command(folder, "--workers", "2", "--writable") as running, ThreadPoolExecutor(8) as pool:
        first = {running.wait_for("ready")["process"] for _ in range(2)}
        assert len(first) == 2
        if sys.platform == "linux":  # their memory does not grow with their threads, see test_allocation.py
            assert all(b"\0MALLOC_ARENA_MAX=" in Path(f"/proc/{pid}/environ").read_bytes() for pid in first)
        names = [f"n{position}" for position in range(12)]
        assert list(pool.map(lambda name: added(running.port, name), names)) == [200] * 12
        counts = pool.map(lambda _: ask(running.port, "GET", "/health").json()["documents"], range(8))
        assert set(counts) == {9 + 12}
        text = ask(running.port, "GET", "/metrics").body.decode()
        assert "epochal_documents_added_total 12" in text
        assert 'epochal_requests_total{route="add_documents",status="200"} 12' in text

        victim = sorted(first)[0]
        os.kill(victim, signal.SIGKILL)
        newcomer = running.wait_for("ready")["process"]
        assert newcomer not in first
        replies = pool.map(lambda _: ask(running.port, "GET", "/api/v1/search", query={"q": "hail n3"}), range(16))
        assert {(reply.status, reply.json()["hits"][0]["id"]) for reply in replies} == {(200, "n3")}
        assert added(running.port, "after") == 200
        text = ask(running.port, "GET", "/metrics").body.decode()
        assert "epochal_documents_added_total 13" in text  # what the dead one had counted is not lost

        assert running.stop() == 0
        assert running.other == []
    with Index.open(folder, write=True) as index:
        assert len(index) == 9 + 13


def test_what_a_killed_process_had_acknowledged_is_stored(folder):
    with command(folder, "--writable") as running:
        stored = []
        with ThreadPoolExecutor(1) as pool:

            def write() -> None:
                for position in range(1000):
                    try:
                        if added(running.port, f"n{position}") == 200:
                            stored.append(f"n{position}")
                    except (OSError, HTTPException):
                        return
                    if position == 5:
                        running.process.kill()

            pool.submit(write).result(120)
    assert len(stored) >= 6
    with Index.open(folder, write=True) as index:
        assert all(index.get(name) is not None for name in stored)


def test_processes_do_not_outlive_the_one_that_looks_after_them(folder):
    with command(folder, "--workers", "2") as running:
        for _ in range(2):
            running.wait_for("ready")
        running.process.kill()
        running.wait_for_the_end()  # all that have the log open are gone


def test_a_process_that_cannot_start_ends_them_all(folder, tmp_path):
    """What is wrong in the processes alone is not tried for ever."""
    record = tmp_path / "none.jsonl"
    with command(folder, "--workers", "2", "--llm", f"replay:{record}") as running:
        assert running.process.wait(120) == 2
        running.wait_for_the_end()
        assert running.other[-1] == "epochal: a process of the service could not start; its log says why\n"


def test_requests_that_run_are_answered_before_the_processes_stop(folder):
    with command(folder, "--workers", "2", "--seconds", "120") as running, ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            running.wait_for("ready")
        text = "in May 1998, " * 6_000
        requests = [pool.submit(ask, running.port, "POST", "/api/v1/tag", record={"text": text}) for _ in range(4)]
        while not any(item.done() for item in requests):
            if "epochal_requests_in_flight 0" not in ask(running.port, "GET", "/metrics").body.decode():
                break
        assert running.stop() == 0
        assert {item.result(120).status for item in requests} == {200}


def test_a_writer_of_another_program_is_waited_for(folder):
    with command(folder, "--workers", "2", "--writable") as running, ThreadPoolExecutor(1) as pool:
        with Index.open(folder, write=True) as index:
            index.add([Document("other", "Rain.")])
            query = pool.submit(added, running.port, "n1")
            assert ask(running.port, "GET", "/health").json()["documents"] == 10
            assert not query.done()
        assert query.result(120) == 200
        assert ask(running.port, "GET", "/health").json()["documents"] == 11
        assert running.stop() == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_cannot_be_served_is_one_line(folder, workers):
    with Index.open(folder, write=True), command(folder, "--workers", "1", "--writable") as running:
        assert running.process.wait(120) == 2
        running.wait_for_the_end()
        assert len(running.other) == 1
        assert "another writer has the index" in running.other[0]
    with command(folder, "--workers", workers, "--host", "no.such.host.invalid") as running:
        assert running.process.wait(120) == 2
        running.wait_for_the_end()
        assert running.other[0].startswith("epochal: cannot listen on no.such.host.invalid:0: ")


def search(running: InProcess, question: str) -> int:
    """The status of a search; 0 if the connection broke."""
    try:
        return ask(running.port, "GET", "/api/v1/search", query={"q": question}).status
    except (OSError, HTTPException):
        return 0


@pytest.mark.parametrize(("question", "event", "where"), [("freeze", "frozen", "fullmatch"), ("spin", "stuck", "spin")])
def test_a_process_with_a_call_that_never_returns_is_replaced(folder, question, event, where):
    with run_service(sys.executable, str(STUCK), str(folder)) as running, ThreadPoolExecutor(1) as pool:
        first = {running.wait_for("ready")["process"] for _ in range(2)}
        bad = pool.submit(search, running, question)
        assert where in running.wait_for(event)["where"]
        assert running.wait_for("ready")["process"] not in first
        assert bad.result(120) in (0, 503)
        while search(running, "hail in 1998") != 200:  # a second is short on a busy machine
            pass
        assert running.stop() == 0


class Worker:
    """A process as the supervisor sees it: it has ended, or it is alive and too busy with its start to reply."""

    def __init__(self, *_: object, is_alive: bool = True) -> None:
        self.process = types.SimpleNamespace(is_alive=lambda: is_alive, join=lambda: None, exitcode=-9)
        self.parent_conn = self.child_conn = types.SimpleNamespace(close=lambda: None)
        self.pid, self.is_started = 1, False

    def start(self) -> None:
        self.is_started = True

    def is_alive(self, timeout: float = 5) -> bool:
        return False  # it does not reply in time

    def kill(self) -> None:
        raise AssertionError("a worker that starts slowly is killed")


def test_a_worker_that_starts_slowly_is_not_killed_when_another_is_replaced(tmp_path, monkeypatch):
    from epochal.server import app

    monkeypatch.setattr(app, "Process", Worker)
    workers = app.Workers.__new__(app.Workers)
    workers.config, workers.sockets, workers._folder = types.SimpleNamespace(), [], str(tmp_path)
    workers.should_exit = threading.Event()
    slow, dead = Worker(), Worker(is_alive=False)
    workers.processes = [slow, dead]
    workers.keep_subprocess_alive()
    assert workers.processes[0] is slow
    assert workers.processes[1] is not dead
    assert workers.processes[1].is_started
