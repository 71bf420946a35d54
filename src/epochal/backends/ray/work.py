"""What workers do: read a part, split its documents, find their times and encode them. Nothing here needs Ray."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from epochal.backends.ray.known import Known
from epochal.backends.ray.recipes import Recipe
from epochal.backends.ray.records import Failure, Item, Package, Part
from epochal.backends.ray.sources import opened_part
from epochal.encoders.base import Encoder
from epochal.engine.ingest import checked_hash, dated, encoded
from epochal.errors import EpochalError, InputError
from epochal.index.inputs.dates import DateReader
from epochal.index.inputs.fields import Fields, row_document
from epochal.index.inputs.jsonl import rows_of_lines
from epochal.index.inputs.parquet import stream_parquet
from epochal.index.inputs.reading import checked_columns
from epochal.index.inputs.rows import Row, stream_lines
from epochal.index.records import Entry
from epochal.version import __version__

__all__ = ["Work", "packages_of", "with_vectors"]

#: A package is full with so many rows, or with so many characters of text, whichever comes first.
_ROWS: Final = 256
_CHARACTERS: Final = 2**20


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done with every part; `recipe` is None where nothing is encoded, or where others do it.

    >>> Work().make_ids
    False
    """

    fields: Fields = Fields()  # noqa: RUF009
    make_ids: bool = False
    recipe: Recipe | None = None
    version: str = __version__


def packages_of(part: Part, work: Work, known: Known | None = None) -> Iterator[Package]:
    """What a part holds, in packages; rows of documents that are `known` are named and no more.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> size = path.write_text('{"id": "a", "text": "Rain in 1998."}\\n{"id": "b"}\\n')
    >>> [package] = packages_of(Part(0, str(path), "a.jsonl", "jsonl", size), Work())
    >>> package.items[0].entry.passages[0].datings[0].span.edtf(), package.items[1].problem, package.lines
    ('1998', "the row has no text; accepted: a text that is not empty under 'text', 'body' or 'content'", 2)
    """
    if work.version != __version__:
        told = f"a worker has Epochal {__version__}, but the work is for {work.version}; install the same on all nodes"
        yield Package(part.number, (), last=True, failure=Failure.of(EpochalError(told)))
        return
    count, dates = _Count(), DateReader()
    rows = _rows(part, work, count)
    items: list[Item] = []
    characters, failure, more = 0, None, True
    while more:
        try:
            more = (row := next(rows, None)) is not None
            if row is not None:
                items.append(item := _item(row, work, dates, known))
                characters += 0 if item.entry is None else len(item.entry.document.text)
        except EpochalError as error:
            more, failure = False, Failure.of(error)
        if not more or len(items) >= _ROWS or characters >= _CHARACTERS:
            lines = 0 if more else count.lines
            package = _ready(Package(part.number, tuple(items), not more, lines, failure), work)
            yield package
            more = more and package.failure is None
            items, characters = [], 0


def with_vectors(package: Package, encoder: Encoder) -> Package:
    """A package whose entries have their vectors.

    >>> from epochal.encoders import encoder
    >>> from epochal.index.records import Document
    >>> rain = Document("a", "Rain.")
    >>> package = Package(0, (Item(1, "a", Entry(rain, dated(rain))), Item(2, problem="the row has no id")))
    >>> [item.entry and item.entry.vectors.shape for item in with_vectors(package, encoder("static")).items]
    [(1, 256), None]
    """
    plain = [item.entry for item in package.items if item.entry is not None]
    ready = iter(encoded([(entry.document, entry.passages) for entry in plain], encoder))
    items = tuple(item if item.entry is None else replace(item, entry=next(ready)) for item in package.items)
    return replace(package, items=items)


def _ready(package: Package, work: Work) -> Package:
    """What was read before a failure is stored all the same, as without Ray; what cannot be encoded is not."""
    try:
        return package if work.recipe is None else with_vectors(package, work.recipe.made())
    except EpochalError as error:
        return Package(package.part, (), last=True, failure=Failure.of(error))


class _Count:
    """How many lines a part has had so far."""

    lines = 0

    def counted(self, numbered: Iterator[tuple[int, bytes | None]]) -> Iterator[tuple[int, bytes | None]]:
        for number, line in numbered:
            self.lines = number
            yield number, line


def _rows(part: Part, work: Work, count: _Count) -> Iterator[Row]:
    with opened_part(part) as file:
        if part.format == "parquet":
            table = stream_parquet(file, part.name, part.groups or None, part.first)
            yield from checked_columns(table, part.name, work.fields, make_ids=work.make_ids)
            return
        place = (part.start, part.end) if part.end else None
        lines = count.counted(stream_lines(file, part.name, part.longest, place))
        yield from rows_of_lines(lines, part.name, part.longest)


def _item(row: Row, work: Work, dates: DateReader, known: Known | None) -> Item:
    try:
        document = row_document(row, work.fields, dates, make_id=work.make_ids)
    except InputError as problem:
        return Item(row.line, problem=problem.problem)
    content = checked_hash(document)
    if known is not None and known.has(document.id, content):
        return Item(row.line, document.id)
    return Item(row.line, document.id, Entry(document, dated(document)))
