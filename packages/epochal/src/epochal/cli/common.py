"""What commands share: opening an index, adding documents with a progress bar, and running on Ray workers."""

from __future__ import annotations

import argparse
import json
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
    from epochal.backends.ray.cluster import RayWorkers
    from epochal.backends.ray.loading import LoadReport
    from epochal.ingest import SequenceReader
    from epochal.storage.importers.read import Reading


def add_index_argument(parser: argparse.ArgumentParser, note: str = "") -> None:
    """Add the folder of an index to a command."""
    parser.add_argument("index", metavar="DIR", help=f"the folder of the index{note}")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add --json to a command."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_fiscal_option(parser: argparse.ArgumentParser) -> None:
    """Add --fiscal-year-start to a command."""
    parser.add_argument(
        "--fiscal-year-start",
        metavar="MONTH",
        help="the month in which fiscal years begin (FY24), from 1 to 12, or us-federal, uk, india, japan, ...; "
        "EPOCHAL_FISCAL_YEAR_START sets it for all commands",
    )


def print_json(record: object) -> None:
    """Print a record for --json."""
    print(json.dumps(record, ensure_ascii=False, indent=2))


#: Called with the amount done, and a note to show next to the bar.
ProgressCallback = Callable[[int, str], None]


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[ProgressCallback]:
    """Show a bar on stderr while the context lasts, and yield the function that moves it.

    Without a terminal there is a plain line every few seconds instead.
    """
    if not sys.stderr.isatty():
        from epochal.times.span import stopwatch

        yield _ProgressLines(label, total, stopwatch)
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
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=max(total, 1), note="")
        yield lambda done, note: progress.update(task, completed=done, note=note)


class _ProgressLines:
    """Progress as lines on stderr, for logs and pipes: none in the first seconds, and then one every few."""

    def __init__(self, label: str, total: int, read_clock: Callable[[], float]) -> None:
        self._label, self._total, self._read_clock = label, max(total, 1), read_clock
        self._start = read_clock()
        self._last = self._start + _FIRST_LINE - _LINE_SECONDS

    def __call__(self, done: int, note: str) -> None:
        now = self._read_clock()
        if now - self._last < _LINE_SECONDS:
            return
        self._last = now
        share = min(done / self._total, 1.0)
        left = (now - self._start) * (1 - share) / share if share else 0.0
        ahead = f", about {_format_seconds(left)} left" if share else ""
        print(f"epochal: {self._label}: {share:.0%}, {note}{ahead}".replace("%", " %"), file=sys.stderr, flush=True)


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


#: Seconds before the first line of progress, and between two lines.
_FIRST_LINE: Final = 10.0
_LINE_SECONDS: Final = 5.0
#: Dates that cannot be read which are named; all are counted.
_NOTES: Final = 3
#: The name of no encoder: searches then use words and times alone.
NO_ENCODER: Final = "none"


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether a folder or an address holds an index."""
    from epochal.storage.addresses import get_provider

    return get_provider(path).exists(path)


def check_index(path: str | os.PathLike[str]) -> None:
    """Raise an error unless there is an index."""
    from epochal.storage.addresses import is_address, shown

    if not is_index(path):
        name = shown(path)
        if is_address(path):
            raise StorageError(f"{name} holds no index; make one with: epochal index {name} --from FILE")
        problem = "is not an index" if os.path.exists(name) else "does not exist"
        where = "DIR" if os.path.exists(name) else name
        raise StorageError(f"{name} {problem}; make an index with: epochal index {where} --from FILE")


def check_new(path: str | os.PathLike[str]) -> None:
    """Raise an error where no index can be created: at a file, or in a folder with other files."""
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
def open_index(path: str | os.PathLike[str], *, write: bool = False) -> Iterator[Index]:
    """Open an existing index; repairs that opening made are reported on stderr."""
    from epochal.api import Index

    check_index(path)
    with Index.open(path, write=write) as index:
        for sentence in index.repairs:
            print(f"epochal: {sentence}", file=sys.stderr)
        yield index


@contextmanager
def open_for_adding(path: str | os.PathLike[str], encoder: str | None, dims: int | None = None) -> Iterator[Index]:
    """Open an index to add to, or create it; an existing one must have this encoder and as many dimensions."""
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
            if is_index(path) and not _has_documents(path):
                _remove_index(path, keep_folder=existed)
            raise
        return
    with open_index(path, write=True) as index:
        if encoder is not None and encoder != get_encoder_name(index):
            raise EpochalError(
                f"{shown(path)} was made with the encoder {get_encoder_name(index)!r}, not {encoder!r}; leave out "
                f"--encoder to add to it, or name another folder"
            )
        stored = index.view().dim
        if dims not in (None, stored):
            raise EpochalError(
                f"{shown(path)} was made with {stored} dimensions per vector, not {dims}; leave out --dims to add "
                f"to it, or name another folder"
            )
        yield index


def _has_documents(path: str | os.PathLike[str]) -> bool:
    from epochal.storage.addresses import get_provider

    backend = get_provider(path).open(path)
    try:
        return backend.view().document_count > 0
    finally:
        backend.close()


def _remove_index(path: str | os.PathLike[str], *, keep_folder: bool) -> None:
    """Remove an index that was created for documents of which none could be stored."""
    from epochal.storage.addresses import get_provider

    get_provider(path).remove(path)
    if keep_folder:
        os.mkdir(path)


def get_encoder_name(index: Index) -> str:
    """The encoder of an index as `--encoder` names it."""
    return index.encoder_name or NO_ENCODER


@dataclass(frozen=True, slots=True)
class IngestResult:
    """Counts of new and replaced documents, of unchanged ones, of bad rows, and of dates that could not be read."""

    added: int
    unchanged: int
    bad: int
    unreadable: int = 0
    replaced: int = 0

    def __str__(self) -> str:
        words = f"{format_count(self.added, 'document')} added"
        if self.replaced:
            words += f", {self.replaced:,} replaced"
        if self.unchanged:
            words += f", {self.unchanged:,} unchanged"
        if self.bad:
            words += f", {format_count(self.bad, 'bad row')} passed over"
        return f"{words}, {format_count(self.unreadable, 'date')} not read" if self.unreadable else words


def ingest(
    index: Index, reading: Reading, label: str, reader: SequenceReader | None = None, *, fast: bool = False
) -> IngestResult:
    """Add the documents of a source, with a progress bar; bad rows are named on stderr."""
    from epochal.ingest import read_times

    done = 0
    with progress_bar(label, reading.bytes_total) as report_progress:

        def count_documents(count: int) -> None:
            nonlocal done
            done += count
            report_progress(reading.bytes_read, f"{done:,} documents")

        added = index.add(reading, read=reader or read_times, progress=count_documents, fast=fast)
    return finish_ingest(reading, added, in_sequence=reader is not None)


def finish_ingest(reading: Reading | LoadReport, added: int, *, in_sequence: bool = False) -> IngestResult:
    """Name the bad rows of a source on stderr, and count the rest; a source with bad rows only is an error."""
    for problem in reading.problems:
        print(f"epochal: {problem}", file=sys.stderr)
    if reading.bad > len(reading.problems):
        print(f"epochal: and {reading.bad - len(reading.problems):,} more bad rows", file=sys.stderr)
    _report_dates(reading, in_sequence=in_sequence)
    for note in reading.notes[:_NOTES]:
        print(f"epochal: {note}", file=sys.stderr)
    if reading.unreadable > _NOTES:
        print(f"epochal: and {reading.unreadable - _NOTES:,} more dates that cannot be read", file=sys.stderr)
    notes = set(map(str, reading.notes))
    for warning in getattr(added, "warnings", ()):
        if warning not in notes:
            print(f"epochal: {warning}", file=sys.stderr)
    if not reading.read:
        raise EpochalError(f"{reading.source} has no row that can be read, of {reading.bad:,}; nothing was added")
    replaced = getattr(added, "replaced", 0)  # Ray's workers do not count them
    return IngestResult(added - replaced, reading.read - added, reading.bad, reading.unreadable, replaced)


def _report_dates(reading: Reading | LoadReport, *, in_sequence: bool) -> None:
    """Report how many documents were dated by their own text, with examples, and how many have no date."""
    dated = getattr(reading, "dated_by_text", 0)
    if dated:
        print(f"epochal: {format_count(dated, 'document')} dated by text, file name or path, such as", file=sys.stderr)
        for id, span, words in getattr(reading, "dated_examples", ()):
            print(f"epochal:   {id}: {span.edtf()} from “{words}”", file=sys.stderr)
    undated = getattr(reading, "undated", 0)
    if undated > reading.read / 2:
        # Entries of a sequence are dated by their text, in its calendar.
        advice = "" if in_sequence else "; name their field with --map published=NAME"
        have = "has" if undated == 1 else "have"
        print(
            f"epochal: {undated:,} of {format_count(reading.read, 'document')} {have} no date of publication: as-of "
            f"search does not find them{advice}",
            file=sys.stderr,
        )


def check_output(path: str) -> None:
    """Raise an error for an output that cannot be written, before the long work starts."""
    if path == "-":
        return
    target = Path(path)
    if target.is_dir():
        raise EpochalError(f"cannot write {path}: it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise EpochalError(f"cannot write {path}: the folder {target.parent} does not exist")
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise EpochalError(f"cannot write {path}: Permission denied")


def format_count(count: int, thing: str) -> str:
    """Format a count with its noun, in the plural where needed."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


#: The length of the bar of Ray workers: the bytes to read are known only after they start.
_BAR: Final = 1000


def add_ray_options(parser: Any) -> None:
    """Add --ray and its options to a command."""
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="run on Ray workers: on the cores of this machine, or on the cluster at HOST:PORT",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="number of Ray workers; one per core, or per GPU, unless given"
    )
    parser.add_argument("--gpus", type=float, metavar="G", help="GPUs per Ray worker; 0 unless given")


@contextmanager
def connect_workers(arguments: argparse.Namespace) -> Iterator[RayWorkers | None]:
    """Yield the Ray workers that the command line asks for; None without --ray."""
    if arguments.ray is None:
        for name in ("workers", "gpus"):
            if getattr(arguments, name) is not None:
                raise EpochalError(f"--{name} goes with --ray, which was not given")
        yield None
        return
    from epochal.backends.ray.cluster import connected

    with connected(arguments.ray, arguments.workers, arguments.gpus or 0.0) as workers:
        yield workers


def ingest_on_ray(index: Index, arguments: argparse.Namespace, workers: RayWorkers) -> IngestResult:
    """Add the documents of the source of `epochal index` on Ray workers, with a progress bar."""
    from epochal.backends.ray.loading import load

    with progress_bar(f"indexing with {workers.count} workers", _BAR) as report_progress:

        def report_loaded(loaded: LoadReport) -> None:
            report_progress(loaded.bytes_read * _BAR // max(loaded.bytes_total, 1), f"{loaded.read:,} documents")

        loaded = load(
            index,
            arguments.source,
            workers,
            format=arguments.format,
            strict=arguments.strict,
            make_ids=arguments.id_from_row,
            progress=report_loaded,
        )
    return finish_ingest(loaded, loaded.added)
