"""Lanes and questions: nobody waits for a server longer than the time-out, and nobody waits for another's server."""

from __future__ import annotations

import threading

import pytest

from epochal.backends.sharded.servers import Server, ServerThreads, ask
from epochal.errors import EpochalError, StorageError


def test_a_lane_runs_as_many_calls_at_once_as_it_may_and_no_more():
    lane, inside, leave = ServerThreads("x", 3), threading.Semaphore(0), threading.Event()
    most, now, guard = [0], [0], threading.Lock()

    def work():
        with guard:
            now[0] += 1
            most[0] = max(most[0], now[0])
        inside.release()
        leave.wait(120)
        with guard:
            now[0] -= 1

    futures = [lane.submit(work) for _ in range(10)]
    for _ in range(3):
        assert inside.acquire(timeout=120)
    assert sum(future.running() for future in futures) == 3
    leave.set()
    for future in futures:
        future.result(timeout=120)
    assert most == [3]
    lane.close()


def test_what_was_given_up_before_its_turn_is_not_begun():
    lane, leave = ServerThreads("x", 1), threading.Event()
    first = lane.submit(lambda: leave.wait(120))
    begun = []
    second, third = lane.submit(lambda: begun.append(2)), lane.submit(lambda: begun.append(3))
    assert second.cancel()
    leave.set()
    first.result(timeout=120)
    third.result(timeout=120)
    assert begun == [3]
    lane.close()


def test_a_call_that_fails_is_reported_to_whoever_asked():
    lane = ServerThreads("x", 1)

    def fail():
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        lane.submit(fail).result(timeout=120)
    assert lane.submit(lambda: 5).result(timeout=120) == 5
    lane.close()


def failing(error: BaseException):
    def call():
        raise error

    return call


def way(server: Server, call):
    return server, lambda: server.run(call)


def test_the_next_way_is_taken_where_one_fails_or_is_late(late_servers):
    held = threading.Event()
    late_servers.add("late")
    broken, late, good = (Server(name, lambda: None) for name in ("broken", "late", "good"))
    answers = ask(
        {
            7: [
                way(broken, failing(StorageError("gone"))),
                way(late, lambda: held.wait(120)),
                way(good, lambda: "found"),
            ],
            8: [way(good, lambda: "at once")],
            9: [way(broken, failing(ConnectionResetError("reset"))), way(late, lambda: held.wait(120))],
        },
        0.2,
    )
    held.set()
    assert answers.found == {7: "found", 8: "at once"}
    assert answers.lost == {9: "late did not answer within 0.2 s"}
    assert (broken.health, late.health, good.health) == ("suspect", "down", "sound")
    for server in (broken, late, good):
        server.close()


@pytest.mark.parametrize("error", [EpochalError("k must be at least 1"), ZeroDivisionError("a mistake of ours")])
def test_what_is_no_failure_of_a_server_is_raised_as_it_is(error):
    server = Server("x", lambda: None)
    with pytest.raises(type(error), match=str(error)):
        ask({0: [way(server, failing(error)), way(server, lambda: "never asked")]}, 30.0)
    assert server.health == "sound"
    server.close()


def test_nothing_is_asked_of_nobody():
    assert ask({}, 1.0).found == {}


def test_a_server_is_opened_once_for_any_caller_first():
    opened = []

    class Backend:
        def close(self):
            opened.append("closed")

    def make():
        opened.append("opened")
        return Backend()

    server = Server("x", make)
    futures = [server.submit(lambda backend: backend) for _ in range(20)]
    assert len({future.result(timeout=120) for future in futures}) == 1
    server.close()
    assert opened == ["opened", "closed"]
    with pytest.raises(StorageError, match="the connection to 'x' is closed"):
        server.submit(lambda backend: backend)


def test_what_does_not_belong_is_closed_again():
    closed = []

    class Backend:
        def close(self):
            closed.append(1)

    server = Server("x", Backend)

    def refuse(backend):
        raise EpochalError("another encoder")

    server.check = refuse
    with pytest.raises(EpochalError, match="another encoder"):
        server.submit(lambda backend: backend).result(timeout=120)
    assert closed == [1]
    server.close()
