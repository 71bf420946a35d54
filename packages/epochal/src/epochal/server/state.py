"""Service: everything that a process needs to answer requests. Index and writer, edits, a cache, and thread limits."""

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
from epochal.errors import EpochalError, IndexLockedError, UnknownNameError
from epochal.llm.chat import Chat
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import scorer as named_scorer
from epochal.ranking.registry import scorer_names
from epochal.reading.questions.question import Constraint, Understanding
from epochal.search.request import Request
from epochal.search.response import Response, over_parts
from epochal.search.search import run_search, understood
from epochal.server.problems import ProblemError
from epochal.server.settings import Settings
from epochal.server.telemetry import Metrics
from epochal.storage.protocol import View
from epochal.storage.records import Document
from epochal.times.span import Clock, Span

__all__ = ["Edits", "Reader", "ResultCache", "Service", "WorkQueue", "Writer", "apply_edits"]

T = TypeVar("T")

# ---------------------------------------------------------------- edits of what a question was understood to ask


@dataclass(frozen=True, slots=True)
class Edits:
    """What somebody has corrected in the reading of a question: constraints to drop, or periods in place of all."""

    drop: tuple[int, ...] = ()
    periods: tuple[Span, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.drop) or self.periods is not None


def apply_edits(asked: Understanding, drop: Sequence[int] = (), periods: Sequence[Span] | None = None) -> Understanding:
    """An understanding without some of its constraints, counted from 0, or with other periods in place of them all.

    A period goes with the constraint that it was read from. Periods that are given are times that the answer must
    have, each as a constraint of its own; with two or more of them the answer must cover them all.
    """
    count = len(asked.constraints)
    for place in drop:
        if not 0 <= place < count:
            accepted = f"0 to {count - 1}" if count else "none, for this question"
            raise EpochalError(f"drop has {place}, but the question has {count} constraints; accepted: {accepted}")
    if periods is not None:
        return _with_periods(asked, sorted(set(periods), key=lambda span: (span.start, span.end)))
    return _without(asked, frozenset(drop)) if drop else asked


def _with_periods(asked: Understanding, periods: Sequence[Span]) -> Understanding:
    return replace(
        asked,
        constraints=tuple(Constraint("during", span) for span in periods),
        periods=tuple(periods),
        cross_period=len(periods) > 1,
        plan=tuple(step for step in asked.plan if step.period is None or step.period in periods),
    )


def _without(asked: Understanding, drop: frozenset[int]) -> Understanding:
    gone = [item.span for place, item in enumerate(asked.constraints) if place in drop]
    kept = tuple(item for place, item in enumerate(asked.constraints) if place not in drop)

    def stays(period: Span) -> bool:
        return not any(period in span for span in gone) or any(period in item.span for item in kept)

    periods = tuple(period for period in asked.periods if stays(period))
    return replace(
        asked,
        constraints=kept,
        periods=periods,
        cross_period=asked.cross_period and len(periods) > 1,
        plan=tuple(step for step in asked.plan if step.period is None or stays(step.period)),
    )


# ---------------------------------------------------------------- reading


class Reader:
    """An index that is read by many threads. Each search sees what was written before it, by whichever process."""

    def __init__(self, folder: str) -> None:
        self._index = Index.open(folder)
        self._guard = threading.Lock()
        self._scorers: dict[str | None, Scorer] = {}
        #: Sentences on what had to be mended when the index was opened.
        self.repairs = self._index.repairs

    @property
    def encoder(self) -> Encoder | None:
        """What makes the vectors; None without."""
        return self._index.encoder

    @property
    def encoder_name(self) -> str:
        """The name of the encoder; empty without vectors."""
        return self._index.encoder_name

    def view(self) -> View:
        """The present state."""
        return self._index.view()

    def scorer(self, name: str | None) -> Scorer:
        """A scorer by its name. Only names of the list: those with a path in them would read the server's disk."""
        with self._guard:
            if name not in self._scorers:
                if name is not None and name not in (names := scorer_names()):
                    raise UnknownNameError("scorer", name, names)
                self._scorers[name] = named_scorer(name)
            return self._scorers[name]

    def search(
        self,
        request: Request,
        edits: Edits | None = None,
        stopwatch: Callable[[], float] | None = None,
    ) -> tuple[Response, View]:
        """The response to a request, and the state that it was found in."""
        given = request.scorer
        chosen = self.scorer(given) if given is None or isinstance(given, str) else given
        asked = apply_edits(understood(request), edits.drop, edits.periods) if edits else None
        return over_parts(
            self.view, lambda view: (run_search(view, self.encoder, request, chosen, stopwatch, asked), view)
        )

    def answer(self, question: str, **options: Any) -> dict[str, Any]:
        """The record of the answer to a question; the options are those of `Index.answer`."""
        return self._index.answer(question, **options).to_dict()

    def close(self) -> None:
        """Let go of the files."""
        self._index.close()


# ---------------------------------------------------------------- writing

#: How long one waits before asking again whether the other writer is done, and how often, which makes half a minute.
_PAUSE: Final = 0.05
_TRIES: Final = 600


class Writer:
    """Adds and deletes. The only process of a service keeps the index open for it; several take turns.

    Not for several threads at once. When a call returns, what it did is safe on the disk.
    """

    def __init__(self, folder: str, encoder: Encoder | None, *, alone: bool, wait: Callable[[float], object]) -> None:
        self._folder = folder
        self._encoder = encoder
        self._wait = wait
        self._kept = self._open() if alone else None

    def add(self, documents: Iterable[Document]) -> tuple[int, int]:
        """Store documents; how many were new or changed, and the generation after it."""
        with self._opened() as index:
            return index.add(documents), index.generation

    def delete(self, ids: Sequence[str]) -> tuple[int, int]:
        """Delete documents; how many there were, and the generation after it."""
        with self._opened() as index:
            return index.delete(ids), index.generation

    def close(self) -> None:
        """Let go of the files and of the lock."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _open(self) -> Index:
        return Index.open(self._folder, self._encoder, write=True)

    @contextmanager
    def _opened(self) -> Iterator[Index]:
        if self._kept is not None:
            yield self._kept
            return
        for _ in range(_TRIES):
            try:
                index = self._open()
            except IndexLockedError:
                self._wait(_PAUSE)  # another process writes, and will soon be done
                continue
            with index:
                yield index
            return
        raise IndexLockedError("another process has been writing to the index for half a minute")


# ---------------------------------------------------------------- a cache


class ResultCache:
    """The values of the keys that were asked for last, for any number of threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made where it is not cache. Two threads that ask at once may both make it."""
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

#: The share of the newest duration in the running mean, from which it is told when to come again.
_NEWEST: Final = 0.2
_LONGEST_WAIT: Final = 60


class WorkQueue:
    """So many calls run at once, so many wait, and the next is told to come again later.

    A call that has begun runs to its end, and keeps its place until then, also when nobody waits for it any longer.
    """

    def __init__(self, threads: int, queue: int, stopwatch: Callable[[], float], name: str = "search") -> None:
        self._threads = threads
        self._queue = queue
        self._stopwatch = stopwatch
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"epochal-{name}")
        self._guard = threading.Lock()
        self._admitted = 0
        self._running = 0
        self._mean = 0.0

    @property
    def running(self) -> int:
        """How many calls run."""
        return self._running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        with self._guard:
            return self._admitted - self._running

    async def run(self, call: Callable[[], T]) -> T:
        """What a call returns or raises; a `ProblemError` where too many wait already."""
        with self._guard:
            if self._admitted >= self._threads + self._queue:
                raise self._too_busy()
            self._admitted += 1
        try:
            future = self._pool.submit(self._timed, call)
        except RuntimeError:  # the service is shutting down
            self._leave()
            raise ProblemError("unavailable", "the service is about to stop", headers={"Retry-After": "5"}) from None
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Wait for what runs and what waits; nothing new is taken."""
        self._pool.shutdown(wait=True)

    def _leave(self, _: Future[Any] | None = None) -> None:
        with self._guard:
            self._admitted -= 1

    def _timed(self, call: Callable[[], T]) -> T:
        with self._guard:
            self._running += 1
        start = self._stopwatch()
        try:
            return call()
        finally:
            took = self._stopwatch() - start
            with self._guard:
                self._running -= 1
                self._mean = took if self._mean == 0 else (1 - _NEWEST) * self._mean + _NEWEST * took

    def _too_busy(self) -> ProblemError:
        waiting = self._admitted - self._running
        seconds = min(_LONGEST_WAIT, max(1, math.ceil(waiting * self._mean / self._threads)))
        return ProblemError(
            "too-busy",
            f"{waiting} requests wait already; try again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )


# ---------------------------------------------------------------- all together

_CACHED: Final = 64
#: Changes that may wait for the one that is being made.
_WRITES: Final = 32
#: Answers that may be written at once: a language model takes long, and must not keep searches waiting.
_ANSWERS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """What handlers are given."""

    settings: Settings
    reader: Reader
    work: WorkQueue
    answers: WorkQueue
    metrics: Metrics
    clock: Clock
    stopwatch: Callable[[], float]
    chat: Chat | None = None
    has_results: bool = False
    writer: Writer | None = None
    writes: WorkQueue | None = None
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
        reader = Reader(settings.folder)
        writer = None
        if settings.writable:
            try:
                writer = Writer(settings.folder, reader.encoder, alone=settings.workers == 1, wait=time.sleep)
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
            chat=chat,
            has_results=has_results,
            writer=writer,
            writes=None if writer is None else WorkQueue(1, _WRITES, stopwatch, "write"),
        )

    def warm(self) -> None:
        """Load what the first question would wait for."""
        self.reader.search(Request("what happened in 1998", now=self.clock.now()))

    def watch(self) -> None:
        """Note how much work there is."""
        self.metrics.gauge("work_running", self.work.running)
        self.metrics.gauge("work_waiting", self.work.waiting)

    def close(self) -> None:
        """Finish what has begun, changes above all, and let go of the files."""
        if self.writes is not None and self.writer is not None:
            self.writes.close()
            self.writer.close()
        self.answers.close()
        self.work.close()
        self.reader.close()
        self.metrics.close()
