"""Opening an index for a command, and putting documents into it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epochal.errors import EpochalError, StorageError

if TYPE_CHECKING:
    from epochal.backends.ray.loading import Loaded
    from epochal.engine.index import Index
    from epochal.engine.sequence import SequenceReader
    from epochal.index.inputs import Reading

__all__ = [
    "NO_ENCODER",
    "Ingested",
    "check_index",
    "check_new",
    "check_output",
    "counted",
    "encoder_of",
    "filled",
    "ingest",
    "ingested",
    "is_index",
    "opened",
]

#: What to ask for in place of an encoder, to search by words and times alone.
NO_ENCODER: Final = "none"


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether there is an index in a folder, or at an address.

    >>> is_index("no/such/folder")
    False
    """
    from epochal.index.addresses import provider_of

    return provider_of(path).exists(path)


def check_index(path: str | os.PathLike[str]) -> None:
    """Complain of a folder that holds no index.

    >>> check_index("no/index")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: no/index does not exist; make an index with: epochal index no/index --from FILE
    """
    from epochal.index.addresses import is_address, shown

    if not is_index(path):
        name = shown(path)
        if is_address(path):
            raise StorageError(f"{name} holds no index; make one with: epochal index {name} --from FILE")
        problem = "is not an index" if os.path.exists(name) else "does not exist"
        where = "DIR" if os.path.exists(name) else name
        raise StorageError(f"{name} {problem}; make an index with: epochal index {where} --from FILE")


def check_new(path: str | os.PathLike[str]) -> None:
    """Complain of a place where no index can be made: a file, or a folder that has other things in it.

    >>> check_new(__file__)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: ...opening.py is a file; name a new folder for the index
    """
    from epochal.index.addresses import is_address

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
    """An index that is there; what had to be mended on opening it is said on stderr.

    >>> with opened("no/index"):
    ...     pass
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: no/index does not exist; make an index with: epochal index no/index --from FILE
    """
    from epochal.engine.index import Index

    check_index(path)
    with Index.open(path, write=write) as index:
        for sentence in index.repairs:
            print(f"epochal: {sentence}", file=sys.stderr)
        yield index


@contextmanager
def filled(path: str | os.PathLike[str], encoder: str | None, dims: int | None = None) -> Iterator[Index]:
    """An index to add to: the one that is there, which must have that encoder and store as many numbers, or a new one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, filled(f"{folder}/news", "static") as index:
    ...     len(index)
    0
    """
    from epochal.encoders.registry import DEFAULT
    from epochal.engine.index import Index
    from epochal.index.addresses import shown

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
    from epochal.index.addresses import provider_of

    backend = provider_of(path).open(path)
    try:
        return backend.view().document_count > 0
    finally:
        backend.close()


def _unmake(path: str | os.PathLike[str], *, keep_folder: bool) -> None:
    """Take away an index that was made for documents of which none could be stored."""
    from epochal.index.addresses import provider_of

    provider_of(path).remove(path)
    if keep_folder:
        os.mkdir(path)


def encoder_of(index: Index) -> str:
    """The name by which the encoder of an index is asked for.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, filled(f"{folder}/news", "none") as index:
    ...     encoder_of(index)
    'none'
    """
    return index.encoder_name or NO_ENCODER


@dataclass(frozen=True, slots=True)
class Ingested:
    """What came of adding: documents that were new or changed, those that were there already, and bad rows.

    >>> print(Ingested(1200, 3, 1))
    1,200 documents added, 3 unchanged, 1 bad row passed over
    """

    added: int
    unchanged: int
    bad: int

    def __str__(self) -> str:
        words = f"{counted(self.added, 'document')} added"
        if self.unchanged:
            words += f", {self.unchanged:,} unchanged"
        return f"{words}, {counted(self.bad, 'bad row')} passed over" if self.bad else words


def ingest(index: Index, reading: Reading, label: str, reader: SequenceReader | None = None) -> Ingested:
    """Add what a source holds, with a bar; bad rows are named on stderr. A source of bad rows alone is an error.

    >>> import tempfile
    >>> from epochal.index.inputs import read
    >>> with tempfile.TemporaryDirectory() as folder, filled(f"{folder}/news", "none") as index:
    ...     _ = Path(folder, "rows.jsonl").write_text('{"id": "a", "text": "Rates rose."}')
    ...     print(ingest(index, read(f"{folder}/rows.jsonl"), "indexing"))
    1 document added
    """
    from epochal.cli.progress import progress_bar
    from epochal.engine.ingest import read_times

    done = 0
    with progress_bar(label, reading.bytes_total) as tell:

        def told(count: int) -> None:
            nonlocal done
            done += count
            tell(reading.bytes_read, f"{done:,} documents")

        added = index.add(reading, read=reader or read_times, progress=told)
    return ingested(reading, added)


def ingested(reading: Reading | Loaded, added: int) -> Ingested:
    """What came of a source that was read to its end; bad rows are named on stderr. Bad rows alone are an error.

    >>> from epochal.backends.ray.loading import Loaded
    >>> print(ingested(Loaded("news.jsonl", read=3), 2))
    2 documents added, 1 unchanged
    """
    for problem in reading.problems:
        print(f"epochal: {problem}", file=sys.stderr)
    if reading.bad > len(reading.problems):
        print(f"epochal: and {reading.bad - len(reading.problems):,} more bad rows", file=sys.stderr)
    if not reading.read:
        raise EpochalError(f"{reading.source} has no row that can be read, of {reading.bad:,}; nothing was added")
    return Ingested(added, reading.read - added, reading.bad)


def check_output(path: str) -> None:
    """Complain now of an output that cannot be written, rather than after the work.

    >>> check_output("no/such/folder/run.trec")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: cannot write no/such/folder/run.trec: the folder no/such/folder does not exist
    """
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
    """A count with its noun.

    >>> counted(1, "document"), counted(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
