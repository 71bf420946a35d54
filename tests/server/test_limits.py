"""Bounds of time and of numbers: who waits too long is told so, who comes too many is told to come again."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from epochal.encoders.base import EncoderError
from epochal.search.search import run_search
from epochal.server import bodies, settings, state
from epochal.server.bodies import FREE, BodyMemory
from epochal.server.problems import ProblemError
from epochal.server.state import WorkQueue
from epochal.times.span import stopwatch
from server.conftest import TOKEN


class Held:
    """A search that waits until it is let go, and says how many have come."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.come = threading.Semaphore(0)
        self.most = self.now = 0
        self._guard = threading.Lock()

    def __call__(self, *given, **options):
        with self._guard:
            self.now += 1
            self.most = max(self.most, self.now)
        self.come.release()
        assert self.go.wait(60)
        with self._guard:
            self.now -= 1
        return run_search(*given, **options)

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self.come.acquire(timeout=60)


@pytest.fixture
def held(monkeypatch):
    result = Held()
    yield result
    result.go.set()


def test_searches_at_once_then_a_queue_then_429(opened, held, monkeypatch):
    monkeypatch.setattr(settings, "QUEUE", 4)
    client = opened(searches=2)
    monkeypatch.setattr(state, "run_search", held)
    begun = [client.begin("GET", "/api/v1/search", query={"q": f"steel {position}"}) for position in range(10)]
    held.wait_for(2)
    while "epochal_work_waiting 8" not in client.get("/metrics").body.decode():
        pass
    refused = client.get("/api/v1/search", q="one too many")
    assert (refused.status, refused.kind) == (429, "too-busy")
    assert int(refused.headers["retry-after"]) >= 1
    text = client.get("/metrics").body.decode()
    assert "epochal_work_running 2" in text
    assert client.get("/health").status == 200  # a busy service is well
    held.go.set()
    assert [item.result(60).status for item in begun] == [200] * 10
    assert held.most == 2
    assert client.get("/api/v1/search", q="steel").status == 200


def test_what_takes_too_long_is_a_problem(opened, held, monkeypatch):
    client = opened(searches=1, seconds=0.05)
    monkeypatch.setattr(state, "run_search", held)
    reply = client.get("/api/v1/search", q="steel")
    assert (reply.status, reply.kind) == (503, "too-slow")
    assert reply.headers["retry-after"]
    assert "0.05 s" in reply.json()["detail"]


def test_what_nobody_waits_for_keeps_its_place_until_it_is_done(opened, held, monkeypatch):
    client = opened(searches=1, seconds=0.05)
    monkeypatch.setattr(state, "run_search", held)
    assert client.get("/api/v1/search", q="steel").status == 503
    # It still runs: those who come now wait in the queue, and are let go from it when their time is up.
    assert [client.get("/api/v1/search", q="steel").status for _ in range(6)] == [503] * 6
    held.wait_for(1)
    assert held.most == 1


def test_a_request_that_waits_in_the_queue_for_too_long_never_runs(opened, held, monkeypatch):
    client = opened(searches=1, seconds=0.5)
    monkeypatch.setattr(state, "run_search", held)
    assert client.get("/api/v1/search", q="first").status == 503
    assert client.get("/api/v1/search", q="second").status == 503
    held.wait_for(1)
    held.go.set()
    monkeypatch.undo()
    while client.get("/api/v1/understand", q="third").status == 503:  # behind the first one, within the same short time
        pass
    assert not held.come.acquire(blocking=False)


def test_a_change_that_takes_too_long_says_that_it_may_still_be_made(opened, bearer, monkeypatch):
    client = opened(writable=True, token=TOKEN, write_seconds=0.5)
    go = threading.Event()
    from epochal.server.state import IndexWriter

    real = IndexWriter.add

    def add(self, documents):
        assert go.wait(60)
        return real(self, documents)

    monkeypatch.setattr(IndexWriter, "add", add)
    rows = [{"id": "slow", "text": "Rain."}]
    reply = client.post("/api/v1/documents", {"documents": rows}, bearer)
    assert (reply.status, reply.kind) == (503, "too-slow")
    assert "may still be made" in reply.json()["detail"]
    go.set()
    again = client.post("/api/v1/documents", {"documents": rows}, bearer)
    while again.status == 503:  # behind the first one, within the same short time
        again = client.post("/api/v1/documents", {"documents": rows}, bearer)
    assert again.json()["added"] == 0


# ---------------------------------------------------------------- work


def test_work_counts_what_runs_and_waits():
    async def steps() -> None:
        work = WorkQueue(1, 1, stopwatch)
        go, begun = threading.Event(), threading.Event()

        def first() -> str:
            begun.set()
            assert go.wait(60)
            return "first"

        one = asyncio.ensure_future(work.run(first))
        await asyncio.to_thread(begun.wait, 60)
        two = asyncio.ensure_future(work.run(lambda: "second"))
        await asyncio.sleep(0)
        assert (work.running, work.waiting) == (1, 1)
        with pytest.raises(ProblemError, match="1 requests wait already"):
            await work.run(lambda: "third")
        two.cancel()  # whoever asked has gone
        await asyncio.gather(two, return_exceptions=True)
        assert (work.running, work.waiting) == (1, 0)
        go.set()
        assert await one == "first"
        await asyncio.to_thread(work.close)
        assert (work.running, work.waiting) == (0, 0)
        with pytest.raises(ProblemError, match="about to stop"):
            await work.run(lambda: "late")

    asyncio.run(steps())


def test_an_error_of_a_call_is_the_caller_s_and_frees_its_place():
    def fail() -> None:
        raise KeyError("x")

    async def steps() -> None:
        work = WorkQueue(1, 0, stopwatch)
        for _ in range(3):
            with pytest.raises(KeyError):
                await work.run(fail)
        assert (work.running, work.waiting) == (0, 0)
        await asyncio.to_thread(work.close)

    asyncio.run(steps())


def test_how_long_to_wait_is_reported_by_how_long_others_took():
    ticks = iter(range(0, 10_000, 4))

    async def steps() -> None:
        work = WorkQueue(1, 3, lambda: next(ticks))
        await work.run(lambda: None)  # which took 4 seconds, by that watch
        go, begun = threading.Event(), threading.Event()

        def first() -> None:
            begun.set()
            assert go.wait(60)

        tasks = [asyncio.ensure_future(work.run(first)) for _ in range(4)]
        await asyncio.to_thread(begun.wait, 60)
        with pytest.raises(ProblemError) as refused:
            await work.run(lambda: None)
        assert refused.value.headers == {"Retry-After": "12"}
        go.set()
        await asyncio.gather(*tasks)
        await asyncio.to_thread(work.close)

    asyncio.run(steps())


def test_many_threads_ask_at_once(client):
    with ThreadPoolExecutor(16) as pool:
        matches = list(
            pool.map(lambda position: client.get("/api/v1/search", q=f"steel {position % 3}", k=2), range(32))
        )
    assert [reply.status for reply in matches] == [200] * 32


# ---------------------------------------------------------------- bodies


def test_bodies_take_a_limited_amount_of_memory_together():
    memory = BodyMemory(1_000)
    with memory.hold() as first, memory.hold() as second:
        first.grow(FREE + 600)
        with pytest.raises(ProblemError) as refused:
            second.grow(FREE + 401)
        assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "5")
        second.grow(FREE + 400)
        with memory.hold() as small:
            small.grow(FREE)
    assert memory.used == 0


def test_a_large_body_waits_until_others_are_answered(opened, held, monkeypatch):
    monkeypatch.setattr(bodies.BodyMemory.__init__, "__defaults__", (150_000,))
    client = opened(searches=2)
    monkeypatch.setattr(state, "run_search", held)
    json, large = {"content-type": "application/json"}, b'{"question": "steel"}' + b" " * 200_000
    begun = client.begin("POST", "/api/v1/search", headers=json, body=large)
    held.wait_for(1)
    refused = client.call("POST", "/api/v1/search", headers=json, body=large)
    assert (refused.status, refused.kind) == (429, "too-busy")
    held.go.set()
    assert client.call("POST", "/api/v1/search", headers=json, body=b'{"question": "steel"}').status == 200
    assert begun.result().status == 200
    assert client.call("POST", "/api/v1/search", headers=json, body=large).status == 200


def test_an_encoder_that_fails_is_no_fault_of_the_request(opened, monkeypatch, caplog):
    def fail(*given, **options):
        raise EncoderError("encoder 'mine' at /srv/models/mine: row 3 holds nan")

    client = opened()
    monkeypatch.setattr(state, "run_search", fail)
    reply = client.get("/api/v1/search", q="steel")
    assert (reply.status, reply.kind, reply.headers["retry-after"]) == (503, "unavailable", "10")
    assert b"/srv" not in reply.body
