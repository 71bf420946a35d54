"""Long studies in portions: what is done is kept, so that an interrupted run can be resumed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from _record import CACHE_FOLDER, Row

Portion = tuple[str, Callable[[], list[Row]]]


def run_portions(
    study: str, run: str, portions: Iterable[Portion], *, resume: bool = False, minutes: float = 0
) -> list[Row] | None:
    """The rows of all portions, by their names; None where the minutes are over before all are done.

    With `resume`, portions that an earlier call for the same `run` has done are not done again.
    """
    state = CACHE_FOLDER / f"{study}.jsonl"
    state.parent.mkdir(parents=True, exist_ok=True)
    known = _read_done(state, run) if resume else {}
    state.write_text("".join(f"{json.dumps([run, *item])}\n" for item in known.items()), encoding="utf-8")
    start = time.monotonic()
    rows: list[Row] = []
    for name, work in portions:
        if name not in known:
            if minutes and time.monotonic() - start > 60 * minutes:
                print(f"the minutes are over before {name!r}; go on with --resume")
                return None
            known[name] = work()
            with state.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps([run, name, known[name]])}\n")
        rows += known[name]
    return rows


def describe_code(files: Iterable[Path]) -> str:
    """A short name for what some files hold."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


def _read_done(state: Path, run: str) -> dict[str, list[Row]]:
    if not state.exists():
        return {}
    lines = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    return {name: rows for described, name, rows in lines if described == run}
