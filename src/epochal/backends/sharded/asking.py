"""Asking many at once: all questions go out together, and none is waited for longer than the time-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from epochal.backends.sharded.servers import Server
from epochal.errors import EpochalError, StorageError

__all__ = ["Answers", "Way", "ask"]

T = TypeVar("T")

#: A way to get an answer: the server that is asked, and what starts the question.
Way = tuple[Server, Callable[[], "Future[T]"]]


class Answers(Generic[T]):
    """What came back, by shard: the answers, and for those that gave none a sentence that says why.

    >>> answers = Answers()
    >>> answers.found, answers.lost
    ({}, {})
    """

    def __init__(self) -> None:
        self.found: dict[int, T] = {}
        self.lost: dict[int, str] = {}


def ask(questions: Mapping[int, Sequence[Way[T]]], timeout: float) -> Answers[T]:
    """Ask each shard in the first of its ways, and where that fails or takes too long, in the next.

    So no longer is waited than the time-out for each way. A server that fails is marked as suspect, and one that is
    late as down. Bad input, which any server would refuse, is raised as it is.

    >>> server = Server("north", lambda: None)
    >>> ask({0: [(server, lambda: server.run(lambda: 42))]}, 10.0).found
    {0: 42}
    """
    answers: Answers[T] = Answers()
    left = {shard: list(ways) for shard, ways in questions.items()}
    why: dict[int, str] = {}
    while left:
        asked: dict[int, tuple[Server, Future[T]]] = {}
        for shard, ways in left.items():
            server, start = ways.pop(0)
            asked[shard] = server, start()
        wait([future for _, future in asked.values()], timeout)
        for shard, (server, future) in asked.items():
            try:
                answers.found[shard] = _answer(server, future, timeout)
            except StorageError as error:
                server.health = "down" if not future.done() or future.cancelled() else "suspect"
                why[shard] = str(error)
        left = {shard: ways for shard, ways in left.items() if shard not in answers.found and ways}
    answers.lost = {shard: why[shard] for shard in questions if shard not in answers.found}
    return answers


def _answer(server: Server, future: Future[T], timeout: float) -> T:
    if not future.done():
        future.cancel()
        raise StorageError(f"{server.name} did not answer within {timeout:g} s")
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, EpochalError):
        raise error
    if isinstance(error, OSError):
        raise StorageError(f"{server.name} cannot be asked: {error}") from error
    raise error
