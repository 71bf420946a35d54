"""The state of a service process: the index and its writer, a result cache, and work queues with limits."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.errors import EpochalError, IndexLockedError, IndexReplacedError, StorageError, UnknownNameError
from epochal.llm.chat import Chat
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import list_scorers
from epochal.ranking.registry import load_scorer as named_scorer
from epochal.reading.questions.question import Constraint, Understanding
from epochal.search.request import Request
from epochal.search.response import Response, read_with_retry
from epochal.search.search import run_search
from epochal.server.bodies import BodyMemory
from epochal.server.problems import ProblemError
from epochal.server.scrub import Scrub
from epochal.server.settings import Settings
from epochal.server.telemetry import Metrics
from epochal.storage.protocol import View
from epochal.storage.records import Document
from epochal.times.span import Clock, Span

T = TypeVar("T")

# ---------------------------------------------------------------- edits of what a question was understood to ask


@dataclass(frozen=True, slots=True)
class Edits:
    """A user's corrections of an understanding: constraints to drop, or periods that replace all."""

    drop: tuple[int, ...] = ()
    periods: tuple[Span, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.drop) or self.periods is not None


def apply_edits(
    understanding: Understanding, drop: Sequence[int] = (), periods: Sequence[Span] | None = None
) -> Understanding:
    """Drop constraints of an understanding by index, or replace all of them by periods.

    Dropping a constraint drops the period that it states. Each given period becomes a constraint; the answer must cover
    all of them.
    """
    count = len(understanding.constraints)
    for index in drop:
        if not 0 <= index < count:
            accepted = f"0 to {count - 1}" if count else "none, for this question"
            raise EpochalError(f"drop has {index}, but the question has {count} constraints; accepted: {accepted}")
    if periods is not None:
        return _replace_periods(understanding, sorted(set(periods), key=lambda span: (span.start, span.end)))
    return _drop_constraints(understanding, frozenset(drop)) if drop else understanding


def _replace_periods(understanding: Understanding, periods: Sequence[Span]) -> Understanding:
    return replace(
        understanding,
        constraints=tuple(Constraint("during", span) for span in periods),
        periods=tuple(periods),
        cross_period=len(periods) > 1,
        plan=tuple(step for step in understanding.plan if step.period is None or step.period in periods),
    )


def _drop_constraints(understanding: Understanding, drop: frozenset[int]) -> Understanding:
    dropped = [item.span for index, item in enumerate(understanding.constraints) if index in drop]
    retained = tuple(item for index, item in enumerate(understanding.constraints) if index not in drop)

    def is_retained(period: Span) -> bool:
        return not any(period in span for span in dropped) or any(period in item.span for item in retained)

    periods = tuple(period for period in understanding.periods if is_retained(period))
    return replace(
        understanding,
        constraints=retained,
        periods=periods,
        cross_period=understanding.cross_period and len(periods) > 1,
        plan=tuple(step for step in understanding.plan if step.period is None or is_retained(step.period)),
    )


# ---------------------------------------------------------------- reading


class IndexReader:
    """An index read by many threads. Each search sees all writes before it, of any process.

    Where another index takes the place of the one that was opened, that one is read from then on.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._index = Index.open(folder)
        self._guard = threading.Lock()
        self._scorers: dict[str | None, Scorer] = {}
        #: Sentences on what was repaired when the index was opened.
        self.repairs = self._index.repairs

    @property
    def encoder(self) -> Encoder | None:
        """The encoder; None without vectors."""
        return self._index.encoder

    @property
    def encoder_name(self) -> str:
        """The name of the encoder; empty without vectors."""
        return self._index.encoder_name

    def view(self) -> View:
        """The current state."""
        return self._read(lambda index: index.view())

    def load_encoder(self) -> Encoder | None:
        """The encoder of the index that is there now."""
        self.view()
        return self.encoder

    def scorer(self, name: str | None) -> Scorer:
        """Get a scorer by name. Names with an argument are refused: they would read the server's disk."""
        with self._guard:
            if name not in self._scorers:
                if name is not None and name not in (names := list_scorers()):
                    raise UnknownNameError("scorer", name, names)
                self._scorers[name] = named_scorer(name)
            return self._scorers[name]

    def search(
        self,
        request: Request,
        edits: Edits | None = None,
        stopwatch: Callable[[], float] | None = None,
        *,
        counts_all: bool = False,
    ) -> tuple[Response, View]:
        """Run a request; return the response and the state that was searched."""
        requested = request.scorer
        scorer = self.scorer(requested) if requested is None or isinstance(requested, str) else requested

        def edit(understanding: Understanding) -> Understanding:
            return understanding if edits is None else apply_edits(understanding, edits.drop, edits.periods)

        def search(index: Index, view: View) -> tuple[Response, View]:
            encoder = index.encoder
            given = edit if edits else None
            return run_search(view, encoder, request, scorer, stopwatch, counts_all=counts_all, edit=given), view

        return self._read(lambda index: read_with_retry(index.view, lambda view: search(index, view)))

    def answer(self, question: str, **options: Any) -> dict[str, Any]:
        """Answer a question, as a record; the options are those of `Index.answer`."""
        return self._read(lambda index: index.answer(question, **options).to_dict())

    def _read(self, call: Callable[[Index], T]) -> T:
        index = self._index
        try:
            return call(index)
        except StorageError as error:
            if not isinstance(error, IndexReplacedError) and self._index is index:
                raise
            return call(self._reopen(index))

    def _reopen(self, replaced: Index) -> Index:
        """Open the index that took the place of one whose encoder it does not share."""
        with self._guard:
            if self._index is replaced:
                self._index = Index.open(self._folder)
                replaced.close()
            return self._index

    def close(self) -> None:
        """Close the files."""
        self._index.close()


# ---------------------------------------------------------------- writing

#: Seconds between tries to get the writer's lock, and the number of tries: half a minute in all.
_PAUSE: Final = 0.05
_TRIES: Final = 600


class IndexWriter:
    """Adds and deletes documents. A single process keeps the index open for writing; several take turns.

    Not thread-safe. When a call returns, its changes are on disk.
    """

    def __init__(
        self,
        folder: str,
        load_encoder: Callable[[], Encoder | None],
        *,
        alone: bool,
        wait: Callable[[float], object],
    ) -> None:
        self._folder = folder
        self._load_encoder = load_encoder
        self._wait = wait
        self._index = self._open() if alone else None

    def add(self, documents: Sequence[Document]) -> tuple[int, int]:
        """Store documents; return how many were new or changed, and the new generation."""
        return self._write(lambda index: (index.add(documents), index.generation))

    def delete(self, ids: Sequence[str]) -> tuple[int, int]:
        """Delete documents; return how many existed, and the new generation."""
        return self._write(lambda index: (index.delete(ids), index.generation))

    def close(self) -> None:
        """Close the files and release the lock."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _write(self, call: Callable[[Index], T]) -> T:
        try:
            with self._open_index() as index:
                return call(index)
        except IndexReplacedError:
            if self._index is None:
                raise
            self._index.close()
            self._index = self._open()
            return call(self._index)

    def _open(self) -> Index:
        return Index.open(self._folder, self._load_encoder(), write=True)

    @contextmanager
    def _open_index(self) -> Iterator[Index]:
        if self._index is not None:
            yield self._index
            return
        for _ in range(_TRIES):
            try:
                index = self._open()
            except IndexLockedError:
                self._wait(_PAUSE)  # another process is writing
                continue
            with index:
                yield index
            return
        raise IndexLockedError("another process has been writing to the index for half a minute")


# ---------------------------------------------------------------- a cache


class ResultCache:
    """A thread-safe cache of the values of the keys that were used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Get the value of a key, made if it is not cached. Two threads may both make it."""
        with self._guard:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._guard:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value


# ---------------------------------------------------------------- threads

#: The weight of the newest duration in the running mean, which gives the Retry-After of refused calls.
_NEWEST: Final = 0.2
_MAX_WAIT: Final = 60


class WorkQueue:
    """Runs calls in threads, with a limit on those that run and those that wait; more are refused.

    A call that has started runs to its end, and occupies its thread until then, even if its request is gone.
    """

    def __init__(self, threads: int, queue: int, stopwatch: Callable[[], float], name: str = "search") -> None:
        self._threads = threads
        self._queue = queue
        self._stopwatch = stopwatch
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"epochal-{name}")
        self._guard = threading.Lock()
        self._admitted = 0
        #: When the call of each thread began.
        self._starts: dict[int, float] = {}
        self._mean = 0.0

    @property
    def running(self) -> int:
        """The number of running calls."""
        return len(self._starts)

    def list_running(self) -> list[tuple[int, float, float]]:
        """The threads of running calls, when each call began, and how many seconds it has run."""
        now = self._stopwatch()
        with self._guard:
            return [(thread, start, now - start) for thread, start in self._starts.items()]

    @property
    def waiting(self) -> int:
        """The number of calls that wait for a thread."""
        with self._guard:
            return self._admitted - len(self._starts)

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call and return its result; a `ProblemError` if too many wait already."""
        with self._guard:
            if self._admitted >= self._threads + self._queue:
                raise self._make_busy_problem()
            self._admitted += 1
        try:
            future = self._pool.submit(self._measure, call)
        except RuntimeError:  # the service is shutting down
            self._release_slot()
            raise ProblemError("unavailable", "the service is about to stop", headers={"Retry-After": "5"}) from None
        future.add_done_callback(self._release_slot)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Wait for all running and waiting calls; no more are accepted."""
        self._pool.shutdown(wait=True)

    def _release_slot(self, _: Future[Any] | None = None) -> None:
        with self._guard:
            self._admitted -= 1

    def _measure(self, call: Callable[[], T]) -> T:
        thread, start = threading.get_ident(), self._stopwatch()
        with self._guard:
            self._starts[thread] = start
        try:
            return call()
        finally:
            took = self._stopwatch() - start
            with self._guard:
                del self._starts[thread]
                self._mean = took if self._mean == 0 else (1 - _NEWEST) * self._mean + _NEWEST * took

    def _make_busy_problem(self) -> ProblemError:
        waiting = self._admitted - len(self._starts)
        seconds = min(_MAX_WAIT, max(1, math.ceil(waiting * self._mean / self._threads)))
        return ProblemError(
            "too-busy",
            f"{waiting} requests wait already; try again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )


# ---------------------------------------------------------------- all together

_CACHED: Final = 64
#: Changes that may wait for the running one.
_WRITES: Final = 32
#: Answers at once: a language model is slow, and must not block searches.
_ANSWERS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """Everything that a handler needs."""

    settings: Settings
    reader: IndexReader
    work: WorkQueue
    answers: WorkQueue
    metrics: Metrics
    clock: Clock
    stopwatch: Callable[[], float]
    scrub: Scrub
    chat: Chat | None = None
    has_results: bool = False
    writer: IndexWriter | None = None
    writes: WorkQueue | None = None
    bodies: BodyMemory = field(default_factory=BodyMemory)
    histograms: ResultCache = field(default_factory=lambda: ResultCache(_CACHED))

    @classmethod
    def open(
        cls,
        settings: Settings,
        routes: Iterable[str],
        clock: Clock,
        stopwatch: Callable[[], float],
        *,
        has_results: bool = False,
    ) -> Service:
        """Open the index and start the threads."""
        chat = None if settings.model is None else settings.model.open()
        reader = IndexReader(settings.folder)
        writer = None
        if settings.writable:
            try:
                alone = settings.workers == 1
                writer = IndexWriter(settings.folder, reader.load_encoder, alone=alone, wait=time.sleep)
            except BaseException:
                reader.close()
                raise
        return cls(
            settings=settings,
            reader=reader,
            work=WorkQueue(settings.searches, settings.queue, stopwatch),
            answers=WorkQueue(_ANSWERS, 4 * _ANSWERS, stopwatch, "answer"),
            metrics=Metrics(routes, settings.metrics),
            clock=clock,
            stopwatch=stopwatch,
            scrub=Scrub(settings.folder),
            chat=chat,
            has_results=has_results,
            writer=writer,
            writes=None if writer is None else WorkQueue(1, _WRITES, stopwatch, "write"),
        )

    def warm(self) -> None:
        """Run one search, so that the first request does not wait for loading."""
        self.reader.search(Request("what happened in 1998", now=self.clock.now()))

    def watch(self) -> None:
        """Update the gauges of running and waiting calls."""
        self.metrics.gauge("work_running", self.work.running)
        self.metrics.gauge("work_waiting", self.work.waiting)

    def close(self) -> None:
        """Finish running calls, changes first, and close the files."""
        if self.writes is not None and self.writer is not None:
            self.writes.close()
            self.writer.close()
        self.answers.close()
        self.work.close()
        self.reader.close()
        self.metrics.close()
