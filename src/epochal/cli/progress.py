"""Progress of long work: a bar on stderr, where that is a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Tell", "progress_bar"]

#: Told how much is done, and a note to show beside the bar.
Tell = Callable[[int, str], None]


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Tell]:
    """A bar for as long as the context lasts, and the function that moves it.

    >>> with progress_bar("indexing", 2) as tell:
    ...     tell(1, "1 document")
    """
    if not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}", style="dim"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=max(total, 1), note="")
        yield lambda done, note: shown.update(task, completed=done, note=note)


def _nothing(_: int, __: str) -> None:
    """Where nobody looks, nothing is shown."""
