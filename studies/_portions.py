"""Long studies in portions: done side by side in several processes, and kept, so that a run can be resumed.

The portions that are done are lines of STUDY.jsonl in the folder of caches. Lines of several machines may be put into
one file: a run with `resume` takes all those of the same code and seed, and does only what is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from _record import CACHE_FOLDER, Row, describe_machine

Portion = tuple[str, Callable[[], list[Row]]]

#: What workers run, by number: they are forked after it is filled.
_PORTIONS: list[Portion] = []


class Done(NamedTuple):
    """The rows of all portions, and the machines that made them."""

    rows: list[Row]
    machine: str


class _Known(NamedTuple):
    rows: list[Row]
    machine: str


def add_portion_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a study whose work is done in portions."""
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument("--minutes", type=float, default=0, help="with --resume: stop after so many minutes")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")


def run_portions(
    study: str, run: str, portions: Iterable[Portion], *, resume: bool = False, minutes: float = 0, jobs: int = 1
) -> Done | None:
    """The rows of all portions; None where the minutes are over before all are done.

    With `resume`, portions that an earlier call for the same `run` has done are not done again. With several `jobs`,
    the portions are done by as many forked processes; no thread may have been started before.
    """
    portions = list(portions)
    state = CACHE_FOLDER / f"{study}.jsonl"
    state.parent.mkdir(parents=True, exist_ok=True)
    known = _read_done(state, run) if resume else {}
    state.write_text("".join(_write_line(run, name, item) for name, item in known.items()), encoding="utf-8")
    left = [portion for portion in portions if portion[0] not in known]
    end = time.monotonic() + 60 * minutes if minutes else float("inf")
    for name, rows in _run_side_by_side(left, jobs, end) if jobs > 1 else _run_in_turn(left, end):
        known[name] = _Known(rows, describe_machine())
        with state.open("a", encoding="utf-8") as file:
            file.write(_write_line(run, name, known[name]))
    if missing := [name for name, _ in portions if name not in known]:
        print(f"the minutes are over before {missing[0]!r} and {len(missing) - 1} more; go on with --resume")
        return None
    done = [known[name] for name, _ in portions]
    machines = dict.fromkeys(item.machine for item in done if item.rows)
    return Done([row for item in done for row in item.rows], "; ".join(machines))


def describe_code(files: Iterable[Path]) -> str:
    """A short name for what some files hold."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


def split(total: int, size: int) -> list[int]:
    """A number as a sum of numbers that are not greater than `size`."""
    return [min(size, total - done) for done in range(0, total, size)]


def _run_in_turn(portions: Sequence[Portion], end: float) -> Iterator[tuple[str, list[Row]]]:
    for name, work in portions:
        if time.monotonic() > end:
            return
        yield name, work()


def _run_side_by_side(portions: Sequence[Portion], jobs: int, end: float) -> Iterator[tuple[str, list[Row]]]:
    _PORTIONS[:] = portions
    waiting = iter(range(len(portions)))
    running: dict[Future[list[Row]], str] = {}
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        while True:
            while len(running) < jobs and time.monotonic() <= end and (number := next(waiting, None)) is not None:
                running[pool.submit(_run_one, number)] = portions[number][0]
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def _run_one(number: int) -> list[Row]:
    return _PORTIONS[number][1]()


def _write_line(run: str, name: str, item: _Known) -> str:
    return f"{json.dumps([run, name, *item])}\n"


def _read_done(state: Path, run: str) -> dict[str, _Known]:
    """The portions of a run that made rows: those that made none, for lack of rights, say, are tried again."""
    if not state.exists():
        return {}
    lines = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    return {name: _Known(*rest) for described, name, *rest in lines if described == run and rest[0]}
