"""Work in processes of its own, which may be killed at any moment: by time, or before a certain call to the system.

A child is forked, so it starts within milliseconds; the parent must not have opened an index before. What a child
reports passes through a pipe, line by line, and is what it had reported when it died.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.errors import EpochalError

Report = Callable[[Any], None]
Work = Callable[[Report], None]

#: Calls that change files, or ask SQLite and tantivy to; a child can be killed before and after each.
STEPS: Final = frozenset(
    "execute executemany executescript backup connect close commit wait_merging_threads write truncate replace rename "
    "link unlink mkdir rmdir open symlink remove".split()
)


@dataclass
class Ended:
    """How a child ended: "done", "refused" (an error of Epochal), "raw" (any other), "killed", "hung" or "signal N"."""

    how: str
    reports: list[Any] = field(default_factory=list)
    message: str = ""
    seconds: float = 0.0
    steps: int = 0


def preload() -> None:
    """Import what children need, so that none of them has to; nothing is opened, and no thread is started.

    What is in memory then is kept out of the collection of garbage: a child would copy every page that it visits.
    """
    import tantivy  # noqa: F401

    import epochal
    import epochal.ingest
    import epochal.search.search
    import epochal.storage.check

    epochal.tag("In May 1998 the bridge was opened.")
    epochal.understand("bridge in 1998")
    gc.collect()
    gc.freeze()


class Child:
    """Some work in a process of its own."""

    def __init__(self, work: Work, *, kill_at_step: int | None = None, count_steps: bool = False) -> None:
        self._start = time.monotonic()
        self._reader, writer = os.pipe()
        self._id = os.fork()
        if not self._id:
            os.close(self._reader)
            _run_and_exit(work, writer, kill_at_step, count_steps)
        os.close(writer)

    def wait(self, *, kill_after: float | None = None, limit: float = 120.0) -> Ended:
        """Wait for the end; with `kill_after`, the child is killed so many seconds after it started."""
        data, is_late = _read_until(self._reader, self._start + (limit if kill_after is None else kill_after))
        if is_late:
            os.kill(self._id, signal.SIGKILL)
            data += _read_until(self._reader, time.monotonic() + 60)[0]
        os.close(self._reader)
        _, status = os.waitpid(self._id, 0)
        return _describe(data, status, is_late, kill_after is not None, time.monotonic() - self._start)


def run_child(
    work: Work,
    *,
    kill_after: float | None = None,
    kill_at_step: int | None = None,
    count_steps: bool = False,
    limit: float = 120.0,
) -> Ended:
    """Run some work in a child; kill it some seconds after it started, or at a step, if that is asked for.

    The steps of a child that runs to its end are counted where `count_steps` asks for it: that takes time.
    """
    child = Child(work, kill_at_step=kill_at_step, count_steps=count_steps)
    return child.wait(kill_after=kill_after, limit=limit)


def _run_and_exit(work: Work, writer: int, kill_at_step: int | None, count_steps: bool) -> None:
    def send(kind: str, value: Any) -> None:
        os.write(writer, f"{json.dumps([kind, value])}\n".encode())

    steps = [0]
    if count_steps or kill_at_step is not None:
        sys.setprofile(_count_steps(steps, kill_at_step))
    try:
        work(lambda value: send("report", value))
        sys.setprofile(None)
        send("done", steps[0])
    except EpochalError as error:
        sys.setprofile(None)
        send("refused", str(error))
    except BaseException:  # noqa: BLE001 - this is what is looked for
        sys.setprofile(None)
        send("raw", traceback.format_exc())
    finally:
        os._exit(0)


def _count_steps(steps: list[int], last: int | None) -> Callable[[Any, str, Any], None]:
    def count(frame: Any, event: str, called: Any) -> None:
        if event.startswith("c_") and getattr(called, "__name__", "") in STEPS:
            steps[0] += 1
            if steps[0] == last:
                os.kill(os.getpid(), signal.SIGKILL)

    return count


def _read_until(reader: int, end: float) -> tuple[bytes, bool]:
    """What comes until the pipe is closed; and whether the time was over before."""
    data = b""
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return data, True
        part = os.read(reader, 1 << 16)
        if not part:
            return data, False
        data += part


def _describe(data: bytes, status: int, is_late: bool, was_planned: bool, seconds: float) -> Ended:
    lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
    ended = Ended("", [value for kind, value in lines if kind == "report"], seconds=seconds)
    last = lines[-1] if lines else ["", ""]
    if last[0] == "done":
        ended.how, ended.steps = "done", int(last[1])
    elif last[0] in ("refused", "raw"):
        ended.how, ended.message = last
    elif is_late:
        ended.how = "killed" if was_planned else "hung"
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        ended.how = "killed" if number == signal.SIGKILL else f"signal {number}"
    else:
        ended.how, ended.message = "raw", f"the child ended with status {status}"
    return ended
