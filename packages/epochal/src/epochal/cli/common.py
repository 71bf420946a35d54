"""Progress of long work: a bar on stderr, where that is a terminal, and nothing elsewhere.

Opening an index for a command, and putting documents into it.

What the commands that can run on a Ray cluster share: their options, and the cluster for as long as they run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError, StorageError

if TYPE_CHECKING:
    from epochal.api import Index
    from epochal.backends.ray.cluster import Workers
    from epochal.backends.ray.loading import Loaded
    from epochal.ingest import SequenceReader
    from epochal.storage.importers.read import Reading

__all__ = [
    "NO_ENCODER",
    "Ingested",
    "Tell",
    "add_ray_options",
    "check_index",
    "check_new",
    "check_output",
    "counted",
    "encoder_of",
    "filled",
    "ingest",
    "ingest_on_ray",
    "ingested",
    "is_index",
    "opened",
    "progress_bar",
    "ray_workers",
]


#: Told how much is done, and a note to show beside the bar.
Tell = Callable[[int, str], None]


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Tell]:
    """A bar for as long as the context lasts, and the function that moves it."""
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


#: What to ask for in place of an encoder, to search by words and times alone.
NO_ENCODER: Final = "none"


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether there is an index in a folder, or at an address."""
    from epochal.storage.addresses import provider_of

    return provider_of(path).exists(path)


def check_index(path: str | os.PathLike[str]) -> None:
    """Complain of a folder that holds no index."""
    from epochal.storage.addresses import is_address, shown

    if not is_index(path):
        name = shown(path)
        if is_address(path):
            raise StorageError(f"{name} holds no index; make one with: epochal index {name} --from FILE")
        problem = "is not an index" if os.path.exists(name) else "does not exist"
        where = "DIR" if os.path.exists(name) else name
        raise StorageError(f"{name} {problem}; make an index with: epochal index {where} --from FILE")


def check_new(path: str | os.PathLike[str]) -> None:
    """Complain of a place where no index can be made: a file, or a folder that has other things in it."""
    from epochal.storage.addresses import is_address

    if is_address(path):
        return
    name = os.fspath(path)
    if os.path.isdir(name):
        if os.listdir(name):
            raise StorageError(f"{name} is a folder with other things in it; name a new one for the index")
    elif os.path.exists(name):
        raise StorageError(f"{name} is a file; name a new folder for the index")


@contextmanager
def opened(path: str | os.PathLike[str], *, write: bool = False) -> Iterator[Index]:
    """An index that is there; what had to be mended on opening it is said on stderr."""
    from epochal.api import Index

    check_index(path)
    with Index.open(path, write=write) as index:
        for sentence in index.repairs:
            print(f"epochal: {sentence}", file=sys.stderr)
        yield index


@contextmanager
def filled(path: str | os.PathLike[str], encoder: str | None, dims: int | None = None) -> Iterator[Index]:
    """An index to add to: the one that is there, which must have that encoder and store as many numbers, or a new
    one.
    """
    from epochal.api import Index
    from epochal.encoders.registry import DEFAULT
    from epochal.storage.addresses import shown

    if not is_index(path):
        check_new(path)
        existed = os.path.isdir(path)
        try:
            with Index.create(path, None if encoder == NO_ENCODER else encoder or DEFAULT, dims=dims) as index:
                yield index
        except EpochalError:
            if is_index(path) and not _holds_any(path):
                _unmake(path, keep_folder=existed)
            raise
        return
    with opened(path, write=True) as index:
        if encoder is not None and encoder != encoder_of(index):
            raise EpochalError(
                f"{shown(path)} was made with the encoder {encoder_of(index)!r}, not {encoder!r}; leave out "
                f"--encoder to add to it, or name another folder"
            )
        stored = index.view().dim
        if dims not in (None, stored):
            raise EpochalError(
                f"{shown(path)} was made with {stored} numbers a vector, not {dims}; leave out --dims to add to "
                f"it, or name another folder"
            )
        yield index


def _holds_any(path: str | os.PathLike[str]) -> bool:
    from epochal.storage.addresses import provider_of

    backend = provider_of(path).open(path)
    try:
        return backend.view().document_count > 0
    finally:
        backend.close()


def _unmake(path: str | os.PathLike[str], *, keep_folder: bool) -> None:
    """Take away an index that was made for documents of which none could be stored."""
    from epochal.storage.addresses import provider_of

    provider_of(path).remove(path)
    if keep_folder:
        os.mkdir(path)


def encoder_of(index: Index) -> str:
    """The name by which the encoder of an index is asked for."""
    return index.encoder_name or NO_ENCODER


@dataclass(frozen=True, slots=True)
class Ingested:
    """What came of adding: documents that were new or changed, those that were there already, and bad rows."""

    added: int
    unchanged: int
    bad: int

    def __str__(self) -> str:
        words = f"{counted(self.added, 'document')} added"
        if self.unchanged:
            words += f", {self.unchanged:,} unchanged"
        return f"{words}, {counted(self.bad, 'bad row')} passed over" if self.bad else words


def ingest(index: Index, reading: Reading, label: str, reader: SequenceReader | None = None) -> Ingested:
    """Add what a source holds, with a bar; bad rows are named on stderr. A source of bad rows alone is an error."""
    from epochal.ingest import read_times

    done = 0
    with progress_bar(label, reading.bytes_total) as tell:

        def told(count: int) -> None:
            nonlocal done
            done += count
            tell(reading.bytes_read, f"{done:,} documents")

        added = index.add(reading, read=reader or read_times, progress=told)
    return ingested(reading, added)


def ingested(reading: Reading | Loaded, added: int) -> Ingested:
    """What came of a source that was read to its end; bad rows are named on stderr. Bad rows alone are an error."""
    for problem in reading.problems:
        print(f"epochal: {problem}", file=sys.stderr)
    if reading.bad > len(reading.problems):
        print(f"epochal: and {reading.bad - len(reading.problems):,} more bad rows", file=sys.stderr)
    if not reading.read:
        raise EpochalError(f"{reading.source} has no row that can be read, of {reading.bad:,}; nothing was added")
    return Ingested(added, reading.read - added, reading.bad)


def check_output(path: str) -> None:
    """Complain now of an output that cannot be written, rather than after the work."""
    if path == "-":
        return
    place = Path(path)
    if place.is_dir():
        raise EpochalError(f"cannot write {path}: it is a folder; name a file in it")
    if not place.parent.is_dir():
        raise EpochalError(f"cannot write {path}: the folder {place.parent} does not exist")
    if not os.access(place if place.exists() and not place.is_file() else place.parent, os.W_OK):
        raise EpochalError(f"cannot write {path}: Permission denied")


def counted(count: int, thing: str) -> str:
    """A count with its noun."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


#: The length of the bar: how many bytes there are is known only when the work begins.
_BAR: Final = 1000


def add_ray_options(parser: Any) -> None:
    """Add the options to a command."""
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="share the work out with Ray: over the cores of this machine, or over the cluster at HOST:PORT",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="how many workers --ray has; one a core, or a GPU, unless given"
    )
    parser.add_argument("--gpus", type=float, metavar="G", help="GPUs that each worker of --ray needs to encode; 0")


@contextmanager
def ray_workers(arguments: argparse.Namespace) -> Iterator[Workers | None]:
    """The workers that were asked for, while the context lasts; None without --ray."""
    if arguments.ray is None:
        for name in ("workers", "gpus"):
            if getattr(arguments, name) is not None:
                raise EpochalError(f"--{name} goes with --ray, which was not given")
        yield None
        return
    from epochal.backends.ray.cluster import connected

    with connected(arguments.ray, arguments.workers, arguments.gpus or 0.0) as workers:
        yield workers


def ingest_on_ray(index: Index, arguments: argparse.Namespace, workers: Workers) -> Ingested:
    """Add what `epochal index` was told to, with a bar; the work is that of the workers."""
    from epochal.backends.ray.loading import load

    with progress_bar(f"indexing with {workers.count} workers", _BAR) as tell:

        def told(loaded: Loaded) -> None:
            tell(loaded.bytes_read * _BAR // max(loaded.bytes_total, 1), f"{loaded.read:,} documents")

        loaded = load(
            index,
            arguments.source,
            workers,
            format=arguments.format,
            strict=arguments.strict,
            make_ids=arguments.id_from_row,
            progress=told,
        )
    return ingested(loaded, loaded.added)
