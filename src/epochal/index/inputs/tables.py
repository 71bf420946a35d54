"""Rows of CSV and TSV, whose first line names the columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from epochal.errors import InputError
from epochal.index.inputs.rows import LONGEST, Meter, Row, lines

__all__ = ["csv_rows", "tsv_rows"]


def csv_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a CSV file, plain or gzipped; columns are parted by commas, or by the semicolons of its first line.

    Fields in quotes may run over several lines. Empty fields are missing values.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text('id,text,date\\na,"Rain, again.",1998-03\\n')
    >>> [row.values for row in csv_rows(path, "a.csv", Meter(0))]
    [{'id': 'a', 'text': 'Rain, again.', 'date': '1998-03'}]
    """
    feed = _Feed(path, name, meter, longest)
    head = next(feed, "")
    if not head.strip():
        return
    mark = ";" if head.count(";") > head.count(",") else ","
    columns = _columns(next(csv.reader([head], delimiter=mark)), name)
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
            yield _row(name, line, columns, fields, problem)


def tsv_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a TSV file, plain or gzipped: one a line. A field that is wholly within quotes loses them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.tsv"
    >>> _ = path.write_text('id\\ttext\\na\\tSay "rain".\\nb\\t"Say ""rain""."\\n')
    >>> [row.values["text"] for row in tsv_rows(path, "a.tsv", Meter(0))]
    ['Say "rain".', 'Say "rain".']
    """
    feed = _Feed(path, name, meter, longest)
    head = next(feed, "").rstrip("\r\n")
    if not head:
        return
    columns = _columns(head.split("\t"), name)
    for text in feed:
        problem, feed.problem = feed.problem, None
        stripped = text.rstrip("\r\n")
        if stripped or problem:
            yield _row(name, feed.number, columns, [_unquoted(field) for field in stripped.split("\t")], problem)


class _Feed:
    """The lines of a file as text. Remembers what was wrong with one, since a reader of CSV cannot be told."""

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


def _columns(names: list[str], file: str) -> list[str]:
    columns = [name.strip() for name in names]
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise InputError(file, 1, f"the column {twice[0]!r} occurs twice; accepted: a first line of different names")
    return columns


def _row(file: str, line: int, columns: list[str], fields: list[str], problem: str | None) -> Row:
    if problem is None and len(fields) != len(columns):
        problem = f"the row has {len(fields)} fields, but the first line names {len(columns)} columns"
    if problem is not None:
        return Row(file, line, problem=problem, columns=columns)
    values = {name: value for name, value in zip(columns, fields, strict=True) if value}
    return Row(file, line, values, columns=columns)


def _unquoted(field: str) -> str:
    if len(field) >= 2 and field[0] == field[-1] == '"':
        inner = field[1:-1].replace('""', "\0")
        if '"' not in inner:
            return inner.replace("\0", '"')
    return field
