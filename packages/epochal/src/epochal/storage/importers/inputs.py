"""What `Index.add` takes: documents, rows, data frames, files and any iterable of these; and what it reports.

An input that lacks an id gets one made of its content, so that adding it again changes nothing. A row that cannot be a
document is refused and counted, and the others are added; a date that cannot be read leaves its document undated.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.storage.importers.fields import DateReader, Fields, row_document
from epochal.storage.importers.read import SHOWN, DatesFrom, Reading, read
from epochal.storage.importers.rows import Row
from epochal.storage.records import Document


class AddReport(int):
    """How many documents were new or changed, as a number; and what became of the others.

    `added` were new and `replaced` had another content before; `unchanged` were there already. `undated` documents have
    neither a date of publication nor a validity. `refused` rows were left out, for the reasons in `problems`;
    `warnings` name dates that could not be read, and documents with more times than are kept. Of each kind the first
    twenty are kept.

    >>> AddReport(added=2, undated=1)
    AddReport(2 added, 1 undated)
    """

    added: int
    replaced: int
    unchanged: int
    undated: int
    refused: int
    problems: tuple[str, ...]
    warnings: tuple[str, ...]

    def __new__(
        cls,
        *,
        added: int = 0,
        replaced: int = 0,
        unchanged: int = 0,
        undated: int = 0,
        refused: int = 0,
        problems: Iterable[str] = (),
        warnings: Iterable[str] = (),
    ) -> AddReport:
        report = super().__new__(cls, added + replaced)
        report.added, report.replaced, report.unchanged = added, replaced, unchanged
        report.undated, report.refused = undated, refused
        report.problems, report.warnings = tuple(problems), tuple(warnings)
        return report

    def __repr__(self) -> str:
        return f"AddReport({self})"

    def __str__(self) -> str:
        counts = [(name, getattr(self, name)) for name in _COUNTED]
        said = [f"{count:,} {name}" for name, count in counts if count or name == "added"]
        if self.problems:
            more = f", and {self.refused - 1:,} more" if self.refused > 1 else ""
            said[-1] += f" ({self.problems[0]}{more})"
        return ", ".join(said)

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), {name: getattr(self, name) for name in (*_COUNTED, "problems", "warnings")}


_COUNTED: Final = ("added", "replaced", "unchanged", "undated", "refused")
#: How the objects of LangChain, Haystack and LlamaIndex call the text, the id and the metadata of a document.
_TEXTS: Final = ("page_content", "content", "text")
_IDS: Final = ("id", "id_", "doc_id", "node_id")
_METAS: Final = ("metadata", "meta")
_ACCEPTED: Final = (
    "a path, a Document, a dict with 'text', a data frame, or any iterable of these; a text of its own in a list"
)


class Inputs:
    """The documents of whatever `Index.add` was given, read while one iterates, and what was wrong with the others."""

    def __init__(
        self,
        source: Any,
        *,
        fields: Mapping[str, str] | None = None,
        strict: bool = False,
        day_first: bool | None = None,
        format: str | None = None,
        dates_from: DatesFrom = "text",
    ) -> None:
        self._source, self._names, self._strict, self._day_first, self._format = (
            source,
            fields,
            strict,
            day_first,
            format,
        )
        self._dates_from = dates_from
        self._fields = Fields.named(fields)
        self._dates = DateReader(day_first)
        self._number = 0
        self.refused = 0
        self.problems: list[str] = []
        self.warnings: list[str] = []
        # What can never be read is an error at once, not at the first document.
        is_one = _convert_object(source) is not None
        if not isinstance(source, str | os.PathLike | Mapping | Document | Iterable) and not (
            _is_frame(source) or is_one
        ):
            raise EpochalError(f"add takes {_ACCEPTED}, but was given {_show(source)}")
        if isinstance(source, bytes | bytearray | io.IOBase):
            raise EpochalError(f"add takes {_ACCEPTED}, but was given {_show(source)}; give the path of a file")
        if isinstance(source, str | os.PathLike):
            self._source = self._open(source)

    def __iter__(self) -> Iterator[Document]:
        source = self._source
        if isinstance(source, Reading):
            yield from self._read_files(source)
        elif isinstance(source, Mapping | Document) or _convert_object(source) is not None:
            yield from self._read_item(source)
        elif _is_frame(source):
            yield from self._read_frame(source)
        else:
            for item in source:
                yield from self._read_item(item)

    def estimate_text(self) -> int:
        """About how many bytes of text there are, at least; 0 where only reading would tell."""
        return self._source.estimate_text() if isinstance(self._source, Reading) else 0

    def _open(self, path: str | os.PathLike[str]) -> Reading:
        if isinstance(path, str) and not os.path.exists(path) and ("\n" in path or len(path.split()) > 2):
            raise EpochalError(f"add takes {_ACCEPTED}, but was given the text {_show(path)}; write [...] around it")
        return read(
            path,
            fields=self._names,
            strict=self._strict,
            make_ids=True,
            day_first=self._day_first,
            format=self._format,
            dates_from=self._dates_from,
        )

    def _read_item(self, item: Any) -> Iterator[Document]:
        self._number += 1
        if isinstance(item, Document):
            yield item
        elif isinstance(item, Mapping):
            yield from self._read_row(item)
        elif isinstance(item, os.PathLike) or (isinstance(item, str) and _is_file(item)):
            yield from self._read_files(self._open(item))
        elif isinstance(item, str):
            yield from self._read_row({"text": item})
        elif _is_frame(item):
            yield from self._read_frame(item)
        elif (row := _convert_object(item)) is not None:
            yield from self._read_row(row)
        else:
            raise EpochalError(f"only documents can be added, but a {type(item).__name__} was given: {_show(item)}")

    def _read_files(self, reading: Reading) -> Iterator[Document]:
        yield from reading
        self.refused += reading.bad
        self.problems += map(str, reading.problems)
        self.warnings += map(str, reading.notes)

    def _read_frame(self, frame: Any) -> Iterator[Document]:
        for row in _iterate_rows(frame):
            self._number += 1
            yield from self._read_row({str(key): value for key, value in row.items() if not _is_missing(value)})

    def _read_row(self, row: Mapping[str, Any]) -> Iterator[Document]:
        # Rows of a data frame as dicts have NaN for what is missing.
        values = {str(key): _make_plain(value) for key, value in row.items() if value is None or not _is_missing(value)}
        notes: list[str] | None = None if self._strict else []
        made = {"id": _make_id(values)}
        try:
            document = row_document(
                Row("input", self._number, values, given=made), self._fields, self._dates, notes=notes
            )
        except InputError as error:
            if self._strict:
                raise
            self.refused += 1
            self.problems += [str(error)][: SHOWN - len(self.problems)]
            return
        for note in notes or ():
            self.warnings += [f"document {document.id!r}: {note}"][: SHOWN - len(self.warnings)]
        yield document


def _is_file(text: str) -> bool:
    return "\n" not in text and len(text) < 1024 and Path(text).is_file()


def _is_frame(value: object) -> bool:
    """Whether a value is a table of pandas, polars or pyarrow: something with named columns."""
    return hasattr(value, "columns") or hasattr(value, "column_names")


def _iterate_rows(frame: Any) -> Iterator[Mapping[str, Any]]:
    if hasattr(frame, "iter_rows"):  # polars
        yield from frame.iter_rows(named=True)
    elif hasattr(frame, "to_pylist"):  # pyarrow
        for batch in frame.to_batches() if hasattr(frame, "to_batches") else [frame]:
            yield from batch.to_pylist()
    else:  # pandas
        names = [str(name) for name in frame.columns]
        columns = [_narrow_days(frame[name]) for name in frame.columns]
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


def _narrow_days(column: Any) -> Any:
    """A column of pandas; where each of its times is midnight, as days, for which pandas has no type of its own."""
    if getattr(column.dtype, "kind", "") == "M" and column.dt.tz is None:
        times = column.dropna()
        if len(times) and bool((times == times.dt.normalize()).all()):
            return column.astype(object).where(column.isna(), column.dt.date)
    return column


def _is_missing(value: Any) -> bool:
    """Whether a value is what a data frame has for none: None, NaN or NaT."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _make_plain(value: Any) -> Any:
    """A value without numpy's types, which JSON does not know."""
    if type(value).__module__ != "numpy":
        return value
    return str(value) if type(value).__name__ == "datetime64" else value.tolist()


def _convert_object(item: Any) -> dict[str, Any] | None:
    """The row of an object that has a text and metadata, as those of frameworks do; None for any other."""
    text = next((value for name in _TEXTS if isinstance(value := getattr(item, name, None), str)), None)
    meta = next((value for name in _METAS if isinstance(value := getattr(item, name, None), Mapping)), None)
    if text is None or meta is None:
        return None
    id = next((value for name in _IDS if isinstance(value := getattr(item, name, None), str)), None)
    return {**meta, "text": text, **({} if id is None else {"id": id})}


def _make_id(values: Mapping[str, Any]) -> str:
    """An id from the content of a row that has none."""
    content = repr(sorted((key, str(value)) for key, value in values.items()))
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
