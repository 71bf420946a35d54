"""What every format gives: rows with their places, and the meter that says how far the reading has come."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from epochal.errors import InputError

__all__ = ["LONGEST", "Meter", "Row", "lines", "opened", "stream_lines"]

#: The longest row that is read unless more is asked for, in bytes.
LONGEST: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """A row of somebody's data and its place: its values, or the problem that it has.

    `given` stands in for values that are missing; `columns` are the names that the row's table has.

    >>> Row("news.jsonl", 7, {"id": "a", "text": "Rain."}).problem is None
    True
    """

    file: str
    line: int
    values: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] = ()


class Meter:
    """How many bytes of the files have been read, of how many; of compressed files, the bytes on disk.

    >>> meter = Meter(100)
    >>> meter.done, meter.total
    (0, 100)
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self._before = 0
        self._file: BinaryIO | None = None

    @property
    def done(self) -> int:
        """Bytes read so far.

        >>> Meter(100).done
        0
        """
        return self._before + (0 if self._file is None else self._file.tell())

    def watch(self, file: BinaryIO) -> None:
        """Count a file that is being read.

        >>> meter = Meter(3)
        >>> file = io.BytesIO(b"abc")
        >>> meter.watch(file)
        >>> _ = file.read()
        >>> meter.done
        3
        """
        self._file = file

    def add(self, count: int) -> None:
        """Count bytes of a file that is done with.

        >>> meter = Meter(3)
        >>> meter.add(3)
        >>> meter.done
        3
        """
        self._file = None
        self._before += count


def opened(path: Path, name: str) -> BinaryIO:
    """A file opened for reading.

    >>> opened(Path("no/such/file.jsonl"), "no/such/file.jsonl")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/file.jsonl: cannot be read: No such file or directory
    """
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise InputError(name, 0, f"cannot be read: {error.strerror}") from None


def lines(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file, numbered from 1, unpacked when it is compressed with gzip; None for one that is too long.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_bytes(gzip.compress(b"first\\nsecond"))
    >>> list(lines(path, "two.txt", Meter(0)))
    [(1, b'first\\n'), (2, b'second')]
    """
    with opened(path, name) as raw:
        meter.watch(raw)
        yield from stream_lines(raw, name, longest)
    meter.add(path.stat().st_size)


def stream_lines(
    raw: BinaryIO, name: str, longest: int = LONGEST, part: tuple[int, int] | None = None
) -> Iterator[tuple[int, bytes | None]]:
    """The lines of an open file as `lines` gives them; of a part, from one byte to another, those that begin in it.

    The parts of a file have each of its lines once. Lines of a part are numbered from 1 where it begins, and a
    compressed file has no parts.

    >>> file = io.BytesIO(b"first\\nsecond\\nthird")
    >>> [[line for _, line in stream_lines(file, "three.txt", part=part)] for part in ((0, 3), (3, 10), (10, 18))]
    [[b'first\\n'], [b'second\\n'], [b'third']]
    """
    start, end = part or (0, None)
    number = 0
    try:
        raw.seek(0)
        zipped = part is None and raw.read(2) == b"\x1f\x8b"
        # A line that begins before the part belongs to the one before it; the byte before tells whether one does.
        raw.seek(max(start - 1, 0))
        stream: Any = gzip.GzipFile(fileobj=raw, mode="rb") if zipped else raw
        buffered = io.BufferedReader(stream, 2**18)
        try:
            place, mark = (start + _skip_line(buffered) - 1, 0) if start else (0, _skip_mark(buffered, name))
            while (end is None or place < end) and (line := buffered.readline(longest + 1)):
                number += 1
                place, mark = place + len(line) + mark, 0
                if len(line) <= longest or line.endswith(b"\n"):
                    yield number, line
                else:
                    place += _skip_line(buffered)
                    yield number, None
        finally:
            if not raw.closed:
                buffered.detach()  # the file is closed by whoever opened it
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        # What lies between here and the damage was in the buffer: the line is the first that was not given.
        problem = f"the compressed data break off or are damaged at this line or soon after it ({error})"
        raise InputError(name, number + 1, problem) from None
    except OSError as error:
        raise InputError(name, number + 1, f"cannot be read on: {error.strerror}") from None


def _skip_line(buffered: io.BufferedReader) -> int:
    """Go on to where the next line begins; how many bytes that was."""
    count = 0
    while rest := buffered.readline(2**20):
        count += len(rest)
        if rest.endswith(b"\n"):
            break
    return count


def _skip_mark(buffered: io.BufferedReader, name: str) -> int:
    """Pass over the mark of UTF-8 that some files begin with; how many bytes that was."""
    head = buffered.peek(4)[:4]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(name, 0, "is written in UTF-16; accepted: UTF-8")
    return len(buffered.read(3)) if head.startswith(b"\xef\xbb\xbf") else 0
