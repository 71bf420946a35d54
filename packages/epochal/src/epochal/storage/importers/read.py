"""Reading a file or a folder of data as documents; invalid rows are skipped, reported and counted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from epochal.errors import InputError, UnknownNameError
from epochal.storage.importers.fields import DateReader, Fields, row_document
from epochal.storage.importers.git_history import GitHistory
from epochal.storage.importers.messages import feed_rows, mail_rows, mbox_rows
from epochal.storage.importers.pages import PAGE_ENDINGS, note_files, note_rows
from epochal.storage.importers.parquet import parquet_rows
from epochal.storage.importers.pdf import load_pypdf, pdf_rows
from epochal.storage.importers.rows import (
    LONGEST,
    Meter,
    Row,
    UnreadableFileError,
    csv_rows,
    json_file_rows,
    json_rows,
    measure_size,
    tsv_rows,
)
from epochal.storage.records import Document
from epochal.times.span import Span

_RECENT = 100_000


class IdSet:
    """A set of texts, added one at a time, that reports which are new. Keeps 64 bits of each text's BLAKE2 hash.

    Among ten million texts, the chance that any new one is taken for an old one is three in a million.
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        # Sorted, and each at least twice as long as the next: so there are few of them, and little is sorted twice.
        self._older: list[npt.NDArray[np.uint64]] = []

    def add(self, text: str) -> bool:
        """Add a text; whether it was not there yet."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        if number in self._recent or any(_contains(array, number) for array in self._older):
            return False
        self._recent.add(number)
        if len(self._recent) >= _RECENT:
            self._merge_recent()
        return True

    def _merge_recent(self) -> None:
        array = np.fromiter(self._recent, np.uint64, len(self._recent))
        self._recent.clear()
        while self._older and len(self._older[-1]) < 2 * len(array):
            array = np.concatenate([self._older.pop(), array])
        array.sort()
        self._older.append(array)


def _contains(array: npt.NDArray[np.uint64], number: int) -> bool:
    place = int(np.searchsorted(array, np.uint64(number)))
    return place < len(array) and int(array[place]) == number


FORMATS: Final = ("jsonl", "json", "csv", "tsv", "parquet", "beir", "text", "mail", "mbox", "feed", "pdf", "git")
ACCEPTED: Final = (
    "a file that ends in .jsonl, .ndjson, .json, .csv, .tsv (each also with .gz), .parquet, .md, .rst, .txt, .html, "
    ".eml, .mbox, .rss, .atom or .pdf, a BEIR folder with corpus.jsonl, a folder of such files, or any of these with "
    "its format named"
)
DatesFrom = Literal["text", "none"]
#: Whether files of text are dated by what they state themselves.
DATES_FROM: Final[tuple[DatesFrom, ...]] = get_args(DatesFrom)
#: The format that the ending of a name tells.
ENDINGS: Final = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys(PAGE_ENDINGS, "text"),
    ".eml": "mail",
    ".pdf": "pdf",
    ".mbox": "mbox",
    **dict.fromkeys((".rss", ".atom", ".xml"), "feed"),
}
#: How many problems are kept to be shown; all are counted.
SHOWN: Final = 20
#: Rows in which the order of day and month is looked for.
_LOOKED_AT: Final = 200
#: Formats of files with one document each, which may lie in one folder.
_SINGLE: Final = ("text", "mail", "pdf")
#: How much more text than bytes a compressed file has, at least.
_PACKED: Final = 2
#: How many documents that were dated by their text are kept as examples.
_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of a source: where it is, how it is called in messages, and what it is called within the source."""

    path: Path
    name: str
    own: str
    format: str
    history: GitHistory | None = None

    def count_bytes(self) -> int:
        return measure_size(self.path) if self.history is None else self.history.count_bytes()


class Reading:
    """The documents of a source, read while one iterates, and what has come of it so far. Made by `read`.

    Iterating again starts over, with all counts at zero. Bad rows are passed over and counted in `bad`, and the first
    of them are kept in `problems`; when `strict`, the first one is raised.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "news.jsonl"
    >>> _ = path.write_text('{"id": "a", "text": "Rain."}\\n{"id": "a", "text": "Sun."}\\n')
    >>> reading = read(path)
    >>> [document.id for document in reading], reading.read, reading.bad, reading.problems[0].line
    (['a'], 1, 1, 2)
    """

    def __init__(
        self,
        parts: Callable[[], Iterator[_Part]],
        source: str,
        *,
        strict: bool,
        start: int,
        fields: Fields,
        make_ids: bool,
        longest: int,
        day_first: bool | None = None,
        dates_from_text: bool = True,
    ) -> None:
        self.source = source
        self.strict = strict
        self._parts = parts
        self._start = start
        self._fields = fields
        self._make_ids = make_ids
        self._longest = longest
        self._day_first = day_first
        self._dates_from_text = dates_from_text
        self._total: int | None = None
        self._reset()

    def _reset(self) -> None:
        #: Documents given out.
        self.read = 0
        #: Rows passed over.
        self.bad = 0
        #: Rows seen, good and bad: give it to `read` as `start`, to go on from here another time.
        self.position = 0
        self.problems: list[InputError] = []
        #: Dates that could not be read, in documents that were given out all the same; the first of them are kept.
        self.unreadable = 0
        self.notes: list[InputError] = []
        #: Documents without a date of publication.
        self.undated = 0
        #: Documents that were dated by their text, name or path, and the first of them: id, date and words.
        self.dated_by_text = 0
        self.dated_examples: list[tuple[str, Span, str]] = []
        self._meter = Meter(0)

    @property
    def bytes_read(self) -> int:
        """Bytes of the source read so far; of compressed files, those on disk.

        >>> read(__file__, format="text").bytes_read
        0
        """
        return self._meter.done

    @property
    def bytes_total(self) -> int:
        """Bytes that the source has.

        >>> read(__file__, format="text").bytes_total == Path(__file__).stat().st_size
        True
        """
        if self._total is None:
            self._total = sum(part.count_bytes() for part in self._parts())
        return self._total

    def estimate_text(self) -> int:
        """About how many bytes of text the source has, at least: compressed files hold several times their size."""
        return sum(
            part.count_bytes() * (_PACKED if part.name.endswith((".gz", ".parquet", ".pq")) else 1)
            for part in self._parts()
            if part.format != "pdf"
        )

    def __iter__(self) -> Iterator[Document]:
        self._reset()
        seen, dates = IdSet(), DateReader(self._day_first)
        for part in self._parts():
            for row in self._learn_order(self._read_rows(part), dates):
                self.position += 1
                notes: list[str] | None = None if self.strict else []
                try:
                    document = row_document(row, self._fields, dates, make_id=self._make_ids, notes=notes)
                    if not seen.add(document.id):
                        raise build_repeat_error(row.file, row.line, document.id)
                except InputError as problem:
                    if self.strict:
                        raise
                    self.bad += 1
                    if len(self.problems) < SHOWN:
                        self.problems.append(problem)
                    continue
                # Rows before the start are read all the same: a later row may repeat an id of theirs.
                if self.position > self._start:
                    self.read += 1
                    self._count_dates(document, row)
                    for note in notes or ():
                        self.unreadable += 1
                        if len(self.notes) < SHOWN:
                            self.notes.append(InputError(row.file, row.line, note))
                    yield document
        if not self.position:
            raise InputError(self.source, 0, "holds no rows; accepted: at least one document")

    def _count_dates(self, document: Document, row: Row) -> None:
        self.undated += document.published is None and document.valid is None
        found = row.given.get("found")
        if found is not None and document.published == found.span:
            self.dated_by_text += 1
            if len(self.dated_examples) < _EXAMPLES:
                self.dated_examples.append((document.id, found.span, found.words))

    def _learn_order(self, rows: Iterator[Row], dates: DateReader) -> Iterator[Row]:
        """The rows; the first of them are looked at before, for the order in which dates have day and month."""
        first = list(islice(rows, _LOOKED_AT))
        dates.learn_order(row.values.get(key) for row in first for key in row.values)
        yield from first
        yield from rows

    def _read_rows(self, part: _Part) -> Iterator[Row]:
        """The rows of a part; one of many that cannot be opened is a bad row, and does not end the import."""
        try:
            yield from self._open_rows(part)
        except UnreadableFileError as error:
            if part.name == self.source:
                raise
            yield Row(part.name, 0, problem=error.problem)

    def _open_rows(self, part: _Part) -> Iterator[Row]:
        path, name, meter, longest = part.path, part.name, self._meter, self._longest
        if part.history is not None:
            return part.history.read_rows(meter, longest)
        if part.format == "text":
            return note_rows(path, name, part.own, meter, longest, dates_from_text=self._dates_from_text)
        if part.format == "pdf":
            return pdf_rows(path, name, part.own, meter, longest, dates_from_text=self._dates_from_text)
        if part.format == "mail":
            return mail_rows(path, name, part.own, meter, longest)
        if part.format == "mbox":
            return mbox_rows(path, name, part.own, meter)
        if part.format == "feed":
            return feed_rows(path, name, meter, longest)
        if part.format == "json":
            return json_file_rows(path, name, meter, longest)
        if part.format == "parquet":
            return self._check_rows(parquet_rows(path, name, meter), name)
        if part.format == "csv":
            return self._check_rows(csv_rows(path, name, meter, longest), name)
        if part.format == "tsv":
            return self._check_rows(tsv_rows(path, name, meter, longest), name)
        return json_rows(path, name, meter, longest)

    def _check_rows(self, rows: Iterator[Row], name: str) -> Iterator[Row]:
        return check_columns(rows, name, self._fields, make_ids=self._make_ids)


def check_columns(rows: Iterable[Row], name: str, fields: Fields, *, make_ids: bool = False) -> Iterator[Row]:
    """The rows of a table, whose columns are those of its rows: a table without ids is one problem, not many."""
    for number, row in enumerate(rows):
        if not number and row.columns:
            problem = fields.missing(row.columns, id_needed=not make_ids)
            if problem is not None:
                raise InputError(name, 0, problem)
        yield row


def build_repeat_error(file: str, line: int, id: str) -> InputError:
    """What is wrong with a row whose id another has had."""
    return InputError(file, line, f"the id {id!r} occurs a second time; accepted: ids of one row")


def _explain_missing(name: str) -> str:
    if "://" in name:
        return "; nothing is downloaded: save it as a file first"
    return "; give a folder, or a list of paths" if "*" in name or "?" in name else ""


def read(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    strict: bool = False,
    start: int = 0,
    fields: Mapping[str, str] | None = None,
    make_ids: bool = False,
    longest: int = LONGEST,
    day_first: bool | None = None,
    dates_from: DatesFrom = "text",
) -> Reading:
    """The documents of a file or a folder, in the format named, or in the one that its name tells.

    Rows hold the id under 'id', '_id' or 'doc_id', the text under 'text', 'body' or 'content', and may hold 'title',
    'published' (or 'date', 'timestamp', 'created'), 'valid' (or 'valid_from' and 'valid_to') and 'series'; `fields`
    gives other names, such as {"series": "doc"}. All else goes to `meta`. Files of text have their path as id; other
    rows without an id are bad, unless `make_ids` gives them one made of the file and the line. `start` passes over as
    many rows as an earlier reading's `position` tells. No row may be longer than `longest` bytes. A date that cannot be
    read leaves its document undated, and is counted; `day_first` says how 05/04/2020 is read where no date shows it.
    Files of text without front matter are dated by their first lines, their names and their paths, unless `dates_from`
    is "none". With the format "git" the rows are the committed versions of the text files at a path of a repository:
    each is dated by its commit and belongs to the series of its file.

    >>> read("no/such/file.jsonl")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/file.jsonl: there is no such file or folder
    """
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if dates_from not in DATES_FROM:
        raise UnknownNameError("source of dates", dates_from, DATES_FROM)
    path, name = Path(source), os.fspath(source)
    if not path.exists():
        raise InputError(name, 0, f"there is no such file or folder{_explain_missing(name)}")
    if format == "git":
        parts = _open_history(path, name)
    else:
        parts = _open_folder(path, name, format) if path.is_dir() else _open_file(path, name, format)
    return Reading(
        parts,
        name,
        strict=strict,
        start=start,
        fields=Fields.named(fields),
        make_ids=make_ids,
        longest=longest,
        day_first=day_first,
        dates_from_text=dates_from == "text",
    )


def _open_file(path: Path, name: str, format: str | None) -> Callable[[], Iterator[_Part]]:
    if format == "beir":
        raise InputError(name, 0, "is a file; accepted as BEIR: a folder with corpus.jsonl or corpus.jsonl.gz")
    kind = format or _detect_kind(path)
    if kind is None:
        raise InputError(name, 0, f"is in no format that its name tells; accepted: {ACCEPTED}")
    if path.is_file() and not path.stat().st_size:
        raise InputError(name, 0, "is empty; accepted: at least one document")
    if kind == "pdf":
        load_pypdf()  # said before the work
    part = _Part(path, name, path.name, kind)
    return lambda: iter((part,))


def _open_history(path: Path, name: str) -> Callable[[], Iterator[_Part]]:
    part = _Part(path, name, path.name, "git", GitHistory(path, name))
    return lambda: iter((part,))


def _open_folder(path: Path, name: str, format: str | None) -> Callable[[], Iterator[_Part]]:
    if format in (None, "beir"):
        for corpus in (path / "corpus.jsonl", path / "corpus.jsonl.gz"):
            if corpus.is_file():
                return _open_file(corpus, os.path.join(name, corpus.name), "jsonl")
        if format == "beir":
            raise InputError(name, 0, "is no BEIR folder; accepted: a folder with corpus.jsonl or corpus.jsonl.gz")
    has_notes = next(note_files(path), None) is not None
    # Beside notes, .json and .xml files are settings far oftener than documents.
    passed = (None, *_SINGLE, *(("json", "feed") if has_notes and format is None else ()))
    rows = [file for file in sorted(path.iterdir()) if file.is_file() and _detect_kind(file) not in passed]
    selected = [file for file in rows if format in (None, _detect_kind(file))]
    if format in _SINGLE or (format is None and not rows):
        if not has_notes:
            raise InputError(name, 0, f"holds nothing that can be read; accepted: {ACCEPTED}")
        if format == "pdf" or all(_detect_kind(file) == "pdf" for file in note_files(path)):
            load_pypdf()  # beside other files each PDF is a bad row where it is not installed
        return lambda: (
            _Part(file, os.fspath(file), file.relative_to(path).as_posix(), _detect_kind(file) or "text")
            for file in note_files(path)
            if format in (None, _detect_kind(file))
        )
    if not selected:
        raise InputError(name, 0, f"holds no file of the format {format}; accepted: {ACCEPTED}")
    kinds = sorted({_detect_kind(file) or "" for file in selected})
    if format is None and (has_notes or len(kinds) > 1):
        kind_names = ", ".join([*kinds, *(["text"] if has_notes else [])])
        raise InputError(
            name, 0, f"holds files of several formats ({kind_names}); accepted: one of them named as the format"
        )
    return lambda: (_Part(file, os.fspath(file), file.name, _detect_kind(file) or "") for file in selected)


def _detect_kind(path: Path) -> str | None:
    name = path.name.lower()
    kind = next((kind for ending, kind in ENDINGS.items() if name.removesuffix(".gz").endswith(ending)), None)
    return None if name.endswith(".gz") and kind not in ("jsonl", "csv", "tsv") else kind
