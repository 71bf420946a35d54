"""Sources on any file system of fsspec, cut into parts for workers, and what workers send back."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import import_extra
from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal.storage.importers.parquet import row_groups
from epochal.storage.importers.read import ENDINGS
from epochal.storage.importers.rows import LONGEST
from epochal.storage.records import Document, Entry

_BATCH = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class StoredIds:
    """Ids and contents of documents, 64 bits of the hash of each.

    Whoever stores asks the index itself once more; this only spares workers what would be thrown away.
    """

    ids: npt.NDArray[np.uint64]
    contents: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> StoredIds:
        """What is known of documents, which are gone through once."""
        source = iter(documents)
        ids, contents = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
        while batch := list(islice(source, _BATCH)):
            ids.append(np.array([_hash_id(document.id) for document in batch], np.uint64))
            contents.append(np.array([_start(document.content_hash()) for document in batch], np.uint64))
        every = np.concatenate(ids)
        order = np.argsort(every, kind="stable")
        return cls(every[order], np.concatenate(contents)[order])

    def has(self, id: str, content_hash: bytes) -> bool:
        """Whether a document of that id is stored with that content."""
        number = np.uint64(_hash_id(id))
        first = int(np.searchsorted(self.ids, number, "left"))
        last = int(np.searchsorted(self.ids, number, "right"))
        return bool((self.contents[first:last] == np.uint64(_start(content_hash))).any())


def _hash_id(id: str) -> int:
    return _start(hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _start(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A piece of a source that one worker reads: bytes `start` to `end` of a file of lines, or row groups of a table.

    `url` is what opens the file and `name` what messages call it; `end` is 0 for a file that is read whole. `first` is
    the number of the last row before a part of a table.
    """

    number: int
    url: str
    name: str
    format: str
    size: int
    start: int = 0
    end: int = 0
    groups: tuple[int, ...] = ()
    first: int = 0
    longest: int = LONGEST


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """What came of a row: an entry that is ready to be stored, a problem, or, with neither, what is stored already.

    `line` counts from where the part begins in a file of lines, and from the first row in a table.
    """

    line: int
    id: str = ""
    entry: Entry | None = None
    problem: str = ""
    #: Why a date of it could not be read.
    note: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error on its way from one process to another: errors with arguments of their own do not travel by
    themselves.
    """

    kind: type[EpochalError]
    message: str
    attributes: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, error: EpochalError) -> Failure:
        """The failure that an error is."""
        return cls(type(error), str(error), tuple(vars(error).items()))

    def error(self) -> EpochalError:
        """The error again."""
        restored = self.kind.__new__(self.kind, self.message)
        vars(restored).update(self.attributes)
        return restored


@dataclass(frozen=True, slots=True)
class Package:
    """What a worker hands over: the rows of a part in their order, some hundred at a time.

    The `last` one of a part says how many `lines` it had. After a failure nothing more comes of the part.
    """

    part: int
    items: tuple[PreparedRow, ...]
    last: bool = False
    lines: int = 0
    failure: Failure | None = None


FORMATS: Final = ("jsonl", "parquet", "beir")
#: The bytes of a part: little enough that what a lost worker had begun is soon done again.
PART_BYTES: Final = 4 * 2**20
#: Of less, a part is not worth a task of its own.
_MIN_BYTES: Final = 2**17
#: A source has no more parts than about so many: each is a task to keep account of.
_MAX_PARTS: Final = 50_000
_ACCEPTED: Final = (
    "JSON Lines (.jsonl, .ndjson, each also with .gz) or Parquet, a folder of one of them, a pattern such as "
    "s3://news/*.parquet, or a BEIR folder with corpus.jsonl; other formats are indexed without Ray"
)
_CORPORA: Final = ("corpus.jsonl", "corpus.jsonl.gz")


def list_parts(
    source: str | os.PathLike[str],
    format: str | None = None,
    *,
    part_bytes: int = PART_BYTES,
    count: int = 1,
    whole: bool = False,
    longest: int = LONGEST,
) -> list[SourcePart]:
    """The parts of a file, a folder or a pattern, in their order; `whole` keeps every file in one part.

    Parts have `part_bytes` or less: of a small source as many are made as are `count`, so that all have work.
    """
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format for Ray", format, FORMATS)
    name = os.fspath(source)
    files = list(_list_files(name, format))
    total = sum(size for _, _, size, _ in files)
    if not total:
        raise InputError(name, 0, "is empty; accepted: at least one document")
    most = max(min(part_bytes, max(total // count, _MIN_BYTES)), total // _MAX_PARTS)
    parts: list[SourcePart] = []
    for url, label, size, kind in files:
        part = SourcePart(0, url, label, kind, size, longest=longest)
        cut = _split_tables if kind == "parquet" else _split_lines
        for piece in [part] if whole or size <= most else cut(part, most):
            parts.append(replace(piece, number=len(parts)))
    return parts


@contextmanager
def open_part(part: SourcePart) -> Iterator[Any]:
    """The file of a part, opened; one that cannot be is an `InputError`."""
    system, path = _open_filesystem(part.url, part.name)
    try:
        file = system.open(path, "rb")
    except OSError as error:
        raise InputError(part.name, 0, f"cannot be read: {error.strerror or error}") from None
    with file:
        yield file


def _open_filesystem(url: str, name: str) -> tuple[Any, str]:
    fsspec = import_extra("fsspec", "reading on Ray", "ray")
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        accepted = "a path, or an address that fsspec knows and whose package is installed"
        raise InputError(name, 0, f"cannot be opened: {error}; accepted: {accepted}") from None
    return system, str(path)


def _list_files(name: str, format: str | None) -> Iterator[tuple[str, str, int, str]]:
    """Of each file how it is opened, how it is called, its size and its format."""
    system, path = _open_filesystem(name, name)
    try:
        if any(mark in path for mark in "*?["):
            paths = sorted(system.glob(path))
            if not paths:
                raise InputError(name, 0, "no file has such a name")
        elif not system.exists(path):
            raise InputError(name, 0, "there is no such file or folder")
        elif system.isdir(path):
            paths = _list_folder(system, path, name, format)
        elif format == "beir":
            raise InputError(name, 0, "is a file; accepted as BEIR: a folder with corpus.jsonl or corpus.jsonl.gz")
        else:
            paths = [path]
        sizes = [int(system.size(file) or 0) for file in paths]
    except OSError as error:
        raise InputError(name, 0, f"cannot be read: {error.strerror or error}") from None
    kind = None if format == "beir" else format
    for file, size in zip(paths, sizes, strict=True):
        url = system.unstrip_protocol(file)
        label = _format_name(file, path, name, url)
        format_name = kind or _detect_kind(file)
        if format_name not in ("jsonl", "parquet"):
            raise InputError(label, 0, f"is not of a format that Ray's workers read; accepted: {_ACCEPTED}")
        yield url, label, size, format_name


def _list_folder(system: Any, path: str, name: str, format: str | None) -> list[str]:
    inside = {file["name"].rstrip("/"): file for file in system.ls(path, detail=True)}
    files = sorted(file for file, info in inside.items() if info["type"] == "file")
    if format in (None, "beir"):
        for corpus in files:
            if corpus.rpartition("/")[2] in _CORPORA:
                return [corpus]
        if format == "beir":
            raise InputError(name, 0, "is no BEIR folder; accepted: a folder with corpus.jsonl or corpus.jsonl.gz")
    kinds = {kind for file in files if (kind := _detect_kind(file)) is not None}
    if format is None and len(kinds) > 1:
        kind_names = ", ".join(sorted(kinds))
        raise InputError(
            name, 0, f"holds files of several formats ({kind_names}); accepted: one of them named as the format"
        )
    selected = [
        file for file in files if _detect_kind(file) in ("jsonl", "parquet") and format in (None, _detect_kind(file))
    ]
    if not selected:
        raise InputError(name, 0, f"holds nothing that Ray's workers read; accepted: {_ACCEPTED}")
    return selected


def _format_name(file: str, path: str, name: str, url: str) -> str:
    """A file as whoever named the source would call it: also what ids are made of must be the same with and without."""
    if file == path:
        return name
    if "://" in name:
        return url
    return os.path.join(name, file[len(path) + 1 :]) if file.startswith(f"{path}/") else file


def _detect_kind(file: str) -> str | None:
    name = file.lower()
    kind = next((kind for ending, kind in ENDINGS.items() if name.removesuffix(".gz").endswith(ending)), None)
    return None if name.endswith(".gz") and kind in ("text", "parquet") else kind


def _split_lines(part: SourcePart, most: int) -> Iterator[SourcePart]:
    with open_part(part) as file:
        zipped = file.read(2) == b"\x1f\x8b"
    if zipped:
        yield part
        return
    for start in range(0, part.size, most):
        end = min(start + most, part.size)
        yield replace(part, start=start, end=end, size=end - start)


def _split_tables(part: SourcePart, most: int) -> Iterator[SourcePart]:
    with open_part(part) as file:
        groups = row_groups(file, part.name)
    first = position = 0
    while position < len(groups):
        group = [position]
        rows, size = groups[position]
        position += 1
        while position < len(groups) and size + groups[position][1] <= most:
            group.append(position)
            rows, size = rows + groups[position][0], size + groups[position][1]
            position += 1
        share = part.size * len(group) // len(groups)
        yield replace(part, groups=tuple(group), first=first, size=share)
        first += rows
