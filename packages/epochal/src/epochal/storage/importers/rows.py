"""Rows of JSON Lines, CSV and TSV files with their line numbers, and the meter of the bytes read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from epochal.errors import InputError

#: The longest row that is read by default, in bytes.
LONGEST: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """A row of somebody's data and its place: its values, or the problem that it has.

    `given` replaces values that are missing; `columns` are the names that the row's table has.
    """

    file: str
    line: int
    values: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] = ()


class Meter:
    """How many bytes of the files have been read, of how many; of compressed files, the bytes on disk."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._before = 0
        self._file: BinaryIO | None = None

    @property
    def done(self) -> int:
        """Bytes read so far."""
        return self._before + (0 if self._file is None else self._file.tell())

    def watch(self, file: BinaryIO) -> None:
        """Count a file that is being read."""
        self._file = file

    def add(self, count: int) -> None:
        """Count bytes of a file that is done with."""
        self._file = None
        self._before += count


class UnreadableFileError(InputError):
    """A file that cannot be opened."""


def measure_size(path: Path) -> int:
    """The bytes of a file; 0 for one that is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def open_input(path: Path, name: str) -> BinaryIO:
    """A file opened for reading."""
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise UnreadableFileError(name, 0, f"cannot be read: {error.strerror}") from None


def lines(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file, numbered from 1, unpacked when it is compressed with gzip; None for one that is too long."""
    with open_input(path, name) as raw:
        meter.watch(raw)
        yield from stream_lines(raw, name, longest)
    meter.add(measure_size(path))


def stream_lines(
    raw: BinaryIO, name: str, longest: int = LONGEST, part: tuple[int, int] | None = None
) -> Iterator[tuple[int, bytes | None]]:
    """The lines of an open file as `lines` gives them; of a part, from one byte to another, those that begin in it.

    The parts of a file have each of its lines once. Lines of a part are numbered from 1 where it begins, and a
    compressed file has no parts.
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


class _NotANumberError(ValueError):
    """JSON has no NaN and no Infinity, though Python would read them."""


def _refuse(name: str) -> Any:
    raise _NotANumberError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def json_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a file of JSON Lines, plain or gzipped; blank lines are passed over."""
    return rows_of_lines(lines(path, name, meter, longest), name, longest)


def json_file_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a .json file: a list of objects, an object with one such list, one object, or JSON Lines."""
    content = b"".join(line for _, line in lines(path, name, meter, longest) if line is not None)
    try:
        values = _DECODER.decode(content.decode("utf-8"))
    except (ValueError, RecursionError):
        yield from rows_of_lines(enumerate(content.splitlines(keepends=True), 1), name, longest)
        return
    if isinstance(values, dict):
        lists = [item for item in values.values() if isinstance(item, list) and item and isinstance(item[0], dict)]
        values = lists[0] if len(lists) == 1 else [values]
    for number, item in enumerate(values if isinstance(values, list) else [values], 1):
        if isinstance(item, dict):
            yield Row(name, number, item)
        else:
            yield Row(name, number, problem=f"item {number} of the list is no object; accepted: objects with 'text'")


def rows_of_lines(numbered: Iterable[tuple[int, bytes | None]], name: str, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of lines with their numbers; None represents a line that is too long."""
    for number, line in numbered:
        if line is None:
            yield Row(name, number, problem=f"the line is longer than the {longest:,} bytes that are read")
        elif not line.isspace():
            values = _parse_object(line)
            if isinstance(values, str):
                yield Row(name, number, problem=values)
            else:
                yield Row(name, number, values)


def _parse_object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or what is wrong with it."""
    try:
        values = _DECODER.decode(line.decode("utf-8"))
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8(error)
    except UnicodeEncodeError as error:
        return f"the row holds half a character, \\u{ord(error.object[error.start]):04x} without its partner"
    except _NotANumberError as error:
        return f"the row holds {error}, which JSON does not have; accepted: a number, or null"
    except json.JSONDecodeError as error:
        return f"the row is not JSON: {error.msg} at character {error.pos + 1}; accepted: one object a line"
    except RecursionError:
        return "the row is nested too deeply"
    except ValueError as error:  # a number of thousands of digits
        return f"the row holds a number that cannot be read: {error}"
    if not isinstance(values, dict):
        kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        kind = kinds.get(type(values), "a number")
        return f"the row is {kind}; accepted: an object such as {{'id': 'a', 'text': 'Rain.'}}"
    return values


def not_utf8(error: UnicodeDecodeError) -> str:
    """What to say of bytes that are not UTF-8."""
    return f"byte {error.start + 1} (0x{error.object[error.start]:02x}) is not UTF-8; accepted: text in UTF-8"


def csv_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a CSV file, plain or gzipped; columns are parted by commas, or by the semicolons of its first line.

    Fields in quotes may run over several lines. Empty fields are missing values.
    """
    feed = _Feed(path, name, meter, longest)
    head = next(feed, "")
    if not head.strip():
        return
    mark = ";" if head.count(";") > head.count(",") else ","
    try:
        columns = _check_columns(next(csv.reader([head], delimiter=mark)), name)
    except csv.Error as error:
        why = "its lines end with CR alone" if "\r" in head.rstrip("\r\n") else f"the first line is not CSV: {error}"
        raise InputError(name, 1, f"{why}; accepted: lines that end with LF or CRLF, the first with names") from error
    reader = csv.reader(feed, delimiter=mark, strict=True)
    while True:
        line = feed.number + 1
        # The limit belongs to the module, not to the reader: it is raised for the one row, and put back.
        before = csv.field_size_limit(longest)
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            feed.problem = None
            wrong = f"the row is not CSV: {error}; accepted: fields whose quotes are closed, and doubled within"
            yield Row(name, line, problem=wrong, columns=columns)
            continue
        finally:
            csv.field_size_limit(before)
        problem, feed.problem = feed.problem, None
        if fields or problem:
            yield _make_row(name, line, columns, fields, problem)


def tsv_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a TSV file, plain or gzipped: one a line. A field that is wholly within quotes loses them."""
    feed = _Feed(path, name, meter, longest)
    head = next(feed, "").rstrip("\r\n")
    if not head:
        return
    columns = _check_columns(head.split("\t"), name)
    for text in feed:
        problem, feed.problem = feed.problem, None
        stripped = text.rstrip("\r\n")
        if stripped or problem:
            yield _make_row(name, feed.number, columns, [_unquote(field) for field in stripped.split("\t")], problem)


class _Feed:
    """The lines of a file as text. Remembers what was wrong with one, since the CSV reader has no way to report it."""

    def __init__(self, path: Path, name: str, meter: Meter, longest: int) -> None:
        self.number = 0
        self.problem: str | None = None
        self._longest = longest
        self._lines = lines(path, name, meter, longest)

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if line is None:
            self.problem = f"line {self.number} is longer than the {self._longest:,} bytes that are read"
            return "\n"
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = f"byte {error.start + 1} (0x{line[error.start]:02x}) of line {self.number}"
            self.problem = f"{byte} is not UTF-8; accepted: text in UTF-8"
            return line.decode("utf-8", "replace")


def _check_columns(names: list[str], file: str) -> list[str]:
    columns = [name.strip() for name in names]
    twice = sorted(name for name, count in Counter(columns).items() if count > 1)
    if twice:
        raise InputError(file, 1, f"the column {twice[0]!r} occurs twice; accepted: a first line of different names")
    return columns


def _make_row(file: str, line: int, columns: list[str], fields: list[str], problem: str | None) -> Row:
    if problem is None and len(fields) != len(columns):
        problem = f"the row has {len(fields)} fields, but the first line names {len(columns)} columns"
    if problem is not None:
        return Row(file, line, problem=problem, columns=columns)
    values = {name: value for name, value in zip(columns, fields, strict=True) if value}
    return Row(file, line, values, columns=columns)


def _unquote(field: str) -> str:
    if len(field) >= 2 and field[0] == field[-1] == '"':
        inner = field[1:-1].replace('""', "\0")
        if '"' not in inner:
            return inner.replace("\0", '"')
    return field
