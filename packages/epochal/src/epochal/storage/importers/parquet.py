"""Rows of Parquet files, through pyarrow."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from epochal.errors import InputError, MissingExtraError
from epochal.storage.importers.rows import Meter, Row, measure_size, open_input

_BATCH = 256
_WRITTEN = 4096


def _load() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.parquet  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("reading and writing Parquet files", "pyarrow", "parquet") from None
    return pyarrow, pyarrow.parquet


def parquet_rows(path: Path, name: str, meter: Meter) -> Iterator[Row]:
    """The rows of a Parquet file, numbered from 1 where other formats have lines.

    Times become ISO 8601 text where they are no dates of the document, and numbers that are none become null.
    """
    open_input(path, name).close()
    size, counted = measure_size(path), 0

    def count_rows(done: int, count: int) -> None:
        nonlocal counted
        meter.add(size * done // max(count, 1) - counted)
        counted = size * done // max(count, 1)

    yield from stream_parquet(path, name, report_progress=count_rows)


def stream_parquet(
    source: Path | BinaryIO,
    name: str,
    groups: Sequence[int] | None = None,
    first: int = 0,
    report_progress: Callable[[int, int], None] | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file or of some of its row groups, numbered from `first`."""
    arrow, parquet = _load()
    try:
        file = parquet.ParquetFile(source)
    except (arrow.ArrowException, OSError) as error:
        raise InputError(name, 0, f"cannot be read as Parquet: {_get_first_line(error)}") from None
    with file:
        count, number = file.metadata.num_rows, first
        batches = file.iter_batches(batch_size=_BATCH, row_groups=None if groups is None else list(groups))
        while True:
            try:
                batch = next(batches, None)
            except (arrow.ArrowException, OSError) as error:
                raise InputError(
                    name, number + 1, f"the rows from here on are damaged: {_get_first_line(error)}"
                ) from None
            if batch is None:
                break
            columns = {column: _read_values(batch.column(column), arrow) for column in batch.schema.names}
            for place in range(batch.num_rows):
                number += 1
                yield _make_row(name, number, {column: values[place] for column, values in columns.items()})
            if report_progress is not None:
                report_progress(number - first, count)


def row_groups(source: BinaryIO, name: str) -> list[tuple[int, int]]:
    """How many rows and how many bytes each row group of an open file has."""
    arrow, parquet = _load()
    try:
        with parquet.ParquetFile(source) as file:
            groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    except (arrow.ArrowException, OSError) as error:
        raise InputError(name, 0, f"cannot be read as Parquet: {_get_first_line(error)}") from None
    return [(group.num_rows, group.total_byte_size) for group in groups]


def write_parquet(file: BinaryIO, columns: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> int:
    """Write rows of texts as Parquet, a batch at a time; how many there were."""
    arrow, parquet = _load()
    # Texts of documents may be long: the 64-bit kind has no limit on what a batch holds.
    schema = arrow.schema([(column, arrow.large_string()) for column in columns])
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        batch: list[tuple[str | None, ...]] = []
        for row in rows:
            batch.append(row)
            count += 1
            if len(batch) >= _WRITTEN:
                writer.write_table(_make_table(arrow, schema, batch))
                batch = []
        if batch or not count:
            writer.write_table(_make_table(arrow, schema, batch))
    return count


def _make_table(arrow: Any, schema: Any, batch: list[tuple[str | None, ...]]) -> Any:
    arrays = [arrow.array([row[place] for row in batch], type=field.type) for place, field in enumerate(schema)]
    return arrow.Table.from_arrays(arrays, schema=schema)


class _Unreadable:
    """Stands where a value cannot be held by Python, such as a day of the year 12,000."""

    def __init__(self, problem: str) -> None:
        self.problem = problem


def _read_values(column: Any, arrow: Any) -> list[Any]:
    if arrow.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(arrow.timestamp("us", column.type.tz), safe=False)
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return [_read_value(scalar) for scalar in column]


def _read_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError) as error:
        return _Unreadable(_get_first_line(error))


def _make_row(name: str, number: int, values: dict[str, Any]) -> Row:
    fields: dict[str, Any] = {}
    for column, value in values.items():
        plain = _to_plain(value)
        if isinstance(plain, _Unreadable):
            problem = f"the value of column {column!r} cannot be read: {plain.problem}"
            return Row(name, number, problem=problem, columns=list(values))
        if plain is not None:
            fields[column] = plain
    return Row(name, number, fields, columns=list(values))


def _to_plain(value: Any) -> Any:
    """A value as JSON has it; dates stay dates, since they may be those of the document."""
    if isinstance(value, float) and value != value:  # noqa: PLR0124  # what pandas writes for a missing number
        return None
    if isinstance(value, (bytes, dt.time, dt.timedelta)):
        return _Unreadable(f"values of type {type(value).__name__} have no place in a document")
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, list):
        return _find_unreadable([_to_plain_text(item) for item in value])
    if isinstance(value, dict):
        plain = {str(key): _to_plain_text(item) for key, item in value.items()}
        return next((item for item in plain.values() if isinstance(item, _Unreadable)), plain)
    return value


def _to_plain_text(value: Any) -> Any:
    plain = _to_plain(value)
    return plain.isoformat() if isinstance(plain, dt.date) else plain


def _find_unreadable(values: list[Any]) -> Any:
    return next((item for item in values if isinstance(item, _Unreadable)), values)


def _get_first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
