"""Service: everything that a process needs to answer requests, opened together and closed together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from epochal.engine.request import Request
from epochal.llm import Chat
from epochal.service.kept import Kept
from epochal.service.metrics import Metrics
from epochal.service.reader import Reader
from epochal.service.reports import Reports
from epochal.service.settings import Settings
from epochal.service.work import Work
from epochal.service.writer import Writer
from epochal.times import Clock

__all__ = ["Service"]

_KEPT: Final = 64
#: Changes that may wait for the one that is being made.
_WRITES: Final = 32
#: Answers that may be written at once: a language model takes long, and must not keep searches waiting.
_ANSWERS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """What handlers are given.

    >>> import tempfile
    >>> from epochal.engine.index import Index
    >>> from epochal.times import SystemClock
    >>> from epochal.times.clock import stopwatch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Index.create(folder, encoder=None).close()
    ...     service = Service.open(Settings(folder), ["search"], SystemClock(), stopwatch)
    ...     print(service.reader.view().document_count, service.writer)
    ...     service.close()
    0 None
    """

    settings: Settings
    reader: Reader
    work: Work
    answers: Work
    metrics: Metrics
    clock: Clock
    stopwatch: Callable[[], float]
    chat: Chat | None = None
    reports: Reports | None = None
    writer: Writer | None = None
    writes: Work | None = None
    spreads: Kept = field(default_factory=lambda: Kept(_KEPT))

    @classmethod
    def open(cls, settings: Settings, routes: Iterable[str], clock: Clock, stopwatch: Callable[[], float]) -> Service:
        """Open the index and start the threads.

        >>> from epochal.times import SystemClock
        >>> from epochal.times.clock import stopwatch
        >>> Service.open(Settings("no/such/folder"), [], SystemClock(), stopwatch)
        Traceback (most recent call last):
        ...
        epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
        """
        chat = None if settings.model is None else settings.model.open()
        reports = None if settings.reports is None else Reports(settings.reports, settings.data)
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
            work=Work(settings.searches, settings.queue, stopwatch),
            answers=Work(_ANSWERS, 4 * _ANSWERS, stopwatch, "answer"),
            metrics=Metrics(routes, settings.metrics),
            clock=clock,
            stopwatch=stopwatch,
            chat=chat,
            reports=reports,
            writer=writer,
            writes=None if writer is None else Work(1, _WRITES, stopwatch, "write"),
        )

    def warm(self) -> None:
        """Load what the first question would wait for.

        >>> Service.warm.__name__
        'warm'
        """
        self.reader.search(Request("what happened in 1998", now=self.clock.now()))

    def watch(self) -> None:
        """Note how much work there is.

        >>> Service.watch.__name__
        'watch'
        """
        self.metrics.gauge("work_running", self.work.running)
        self.metrics.gauge("work_waiting", self.work.waiting)

    def close(self) -> None:
        """Finish what has begun, changes above all, and let go of the files.

        >>> Service.close.__name__
        'close'
        """
        if self.writes is not None and self.writer is not None:
            self.writes.close()
            self.writer.close()
        self.answers.close()
        self.work.close()
        self.reader.close()
        self.metrics.close()
