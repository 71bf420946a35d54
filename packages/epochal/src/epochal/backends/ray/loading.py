"""Filling an index with a Ray cluster: workers read, split, date and encode; this process stores.

Parts come back in their order, so the index is equal, to the row, to one that was filled without Ray. Ray's object
store bounds what is in flight. What workers do needs no Ray and is tested without it.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from epochal.api import Index
from epochal.backends.ray.cluster import RayWorkers, load_ray, plain_data
from epochal.backends.ray.sources import (
    PART_BYTES,
    Failure,
    Package,
    PreparedRow,
    SourcePart,
    StoredIds,
    list_parts,
    open_part,
)
from epochal.encoders.base import Encoder, EncoderError
from epochal.encoders.registry import encoder as named_encoder
from epochal.encoders.wrappers import cut_encoder
from epochal.errors import EpochalError, InputError, StorageError
from epochal.ingest import hash_document, make_entries, read_passages
from epochal.storage.importers.fields import DateReader, Fields, row_document
from epochal.storage.importers.parquet import stream_parquet
from epochal.storage.importers.read import SHOWN, IdSet, build_repeat_error, check_columns
from epochal.storage.importers.rows import LONGEST, Row, rows_of_lines, stream_lines
from epochal.storage.records import Entry
from epochal.version import __version__


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What makes an encoder: its name, or else its copy; and what must come of it."""

    name: str
    copy: bytes
    identity: str
    dim: int

    def made(self) -> Encoder:
        """The encoder, made once in a process."""
        return _make_encoder(self)


@lru_cache(maxsize=1)  # a model is large, and a worker serves one index at a time
def _make_encoder(recipe: EncoderSpec) -> Encoder:
    encoder: Encoder = _load_encoder(recipe.name) if recipe.name else pickle.loads(recipe.copy)
    if encoder.dim > recipe.dim:
        encoder = cut_encoder(encoder, recipe.dim)
    if recipe.identity and encoder.name != recipe.identity:
        raise EpochalError(
            f"the index holds vectors of {recipe.identity!r}, but a worker's encoder is {encoder.name!r}; install the "
            f"same version of Epochal and the same models on all nodes"
        )
    return encoder


def _load_encoder(name: str) -> Encoder:
    """The encoder on one core, where that can be set: there is a worker for every other."""
    try:
        return named_encoder(name, threads=1)
    except EncoderError:
        return named_encoder(name)


def describe_encoder(index: Index) -> EncoderSpec | None:
    """How the encoder of an index is made elsewhere; None for an index without vectors."""
    if index.encoder is None:
        return None
    name, _, identity = index.view().encoder_name.partition("@")
    if name:
        return EncoderSpec(name, b"", identity, index.encoder.dim)
    try:
        # Also of a class that a notebook or a script defines, which plain pickle would only name.
        copy: bytes = load_ray().cloudpickle.dumps(index.encoder)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise EpochalError(
            f"the encoder {index.encoder.name!r} cannot be sent to workers ({error}); accepted: encoders with a name, "
            f"and objects that can be pickled"
        ) from error
    return EncoderSpec("", copy, identity, index.encoder.dim)


#: A package is full with so many rows, or with so many characters of text, whichever comes first.
_ROWS: Final = 256
_CHARACTERS: Final = 2**20


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done with every part; `recipe` is None where nothing is encoded, or where others do it."""

    fields: Fields = Fields()  # noqa: RUF009
    make_ids: bool = False
    recipe: EncoderSpec | None = None
    version: str = __version__
    strict: bool = False


def read_packages(part: SourcePart, work: Work, stored_ids: StoredIds | None = None) -> Iterator[Package]:
    """What a part holds, in packages; rows of documents that are `stored_ids` are named and no more."""
    if work.version != __version__:
        message = (
            f"a worker has Epochal {__version__}, but the work is for {work.version}; install the same on all nodes"
        )
        yield Package(part.number, (), last=True, failure=Failure.of(EpochalError(message)))
        return
    count, dates = _Count(), DateReader()
    rows = _read_rows(part, work, count)
    items: list[PreparedRow] = []
    characters, failure, more = 0, None, True
    while more:
        try:
            more = (row := next(rows, None)) is not None
            if row is not None:
                items.append(item := _prepare_row(row, work, dates, stored_ids))
                characters += 0 if item.entry is None else len(item.entry.document.text)
        except EpochalError as error:
            more, failure = False, Failure.of(error)
        if not more or len(items) >= _ROWS or characters >= _CHARACTERS:
            lines = 0 if more else count.lines
            package = _encode_package(Package(part.number, tuple(items), not more, lines, failure), work)
            yield package
            more = more and package.failure is None
            items, characters = [], 0


def with_vectors(package: Package, encoder: Encoder) -> Package:
    """A package whose entries have their vectors."""
    plain = [item.entry for item in package.items if item.entry is not None]
    ready = iter(make_entries([(entry.document, entry.passages) for entry in plain], encoder))
    items = tuple(item if item.entry is None else replace(item, entry=next(ready)) for item in package.items)
    return replace(package, items=items)


def _encode_package(package: Package, work: Work) -> Package:
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


def _read_rows(part: SourcePart, work: Work, count: _Count) -> Iterator[Row]:
    with open_part(part) as file:
        if part.format == "parquet":
            table = stream_parquet(file, part.name, part.groups or None, part.first)
            yield from check_columns(table, part.name, work.fields, make_ids=work.make_ids)
            return
        position = (part.start, part.end) if part.end else None
        lines = count.counted(stream_lines(file, part.name, part.longest, position))
        yield from rows_of_lines(lines, part.name, part.longest)


def _prepare_row(row: Row, work: Work, dates: DateReader, stored_ids: StoredIds | None) -> PreparedRow:
    notes: list[str] | None = None if work.strict else []
    try:
        document = row_document(row, work.fields, dates, make_id=work.make_ids, notes=notes)
    except InputError as problem:
        return PreparedRow(row.line, problem=problem.problem)
    content = hash_document(document)
    if stored_ids is not None and stored_ids.has(document.id, content):
        return PreparedRow(row.line, document.id, note=" ".join(notes or ()))
    entry = Entry(document, read_passages(document))
    return PreparedRow(row.line, document.id, entry, note=" ".join(notes or ()))


#: What Ray Data hands on at a time: about one package.
_BLOCK: Final = 2**20
_COLUMN: Final = "package"
#: Parts that a worker should have at least: so none is left long with nothing to do.
_PARTS_A_WORKER: Final = 8


@dataclass(slots=True)
class LoadReport:
    """What has come of a load: documents read, those of them that were new or changed, and bad rows.

    `bytes_read` counts the parts that are done, of `bytes_total`; `problems` are the first of the bad rows.

    >>> LoadReport("news.jsonl", read=3, added=2).unchanged
    1
    """

    source: str
    bytes_total: int = 0
    bytes_read: int = 0
    read: int = 0
    added: int = 0
    bad: int = 0
    problems: list[InputError] = field(default_factory=list)
    unreadable: int = 0
    notes: list[InputError] = field(default_factory=list)

    @property
    def unchanged(self) -> int:
        """Documents that were stored already.

        >>> LoadReport("news.jsonl").unchanged
        0
        """
        return self.read - self.added


def load(
    index: Index,
    source: str | os.PathLike[str],
    workers: RayWorkers,
    *,
    format: str | None = None,
    strict: bool = False,
    fields: Mapping[str, str] | None = None,
    make_ids: bool = False,
    longest: int = LONGEST,
    part_bytes: int = PART_BYTES,
    progress: Callable[[LoadReport], None] | None = None,
) -> LoadReport:
    """Put the documents of a source into an index, as `Index.add` with `epochal.storage.importers.read` would.

    Ray must be connected; see `connected`. The source is a path or an address that fsspec knows, and every worker must
    be able to open it. Run again, what is stored already is passed over. `progress` is called now and then.

    >>> load(None, "no/such/file.jsonl", RayWorkers(1))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/file.jsonl: there is no such file or folder
    """
    # An id made of a line needs the number of the line in its file, which only who reads the file whole knows.
    part_count = workers.count * _PARTS_A_WORKER
    parts = list_parts(source, format, part_bytes=part_bytes, count=part_count, whole=make_ids, longest=longest)
    recipe = describe_encoder(index)
    apart = recipe if workers.gpus else None
    work = Work(Fields.named(fields), make_ids, None if apart is not None else recipe, strict=strict)
    loaded = LoadReport(os.fspath(source), bytes_total=sum(part.size for part in parts))
    stored = index.generation > 0 and len(index) > 0
    packages = _run_workers(parts, work, StoredIds.of(index.documents()) if stored else None, apart, workers)
    report = None if progress is None else lambda _: progress(loaded)
    with closing(packages):
        loaded.added = index.add_entries(_collect_entries(packages, parts, loaded, strict=strict), progress=report)
    if progress is not None:
        progress(loaded)
    return loaded


def _run_workers(
    parts: Sequence[SourcePart],
    work: Work,
    stored_ids: StoredIds | None,
    apart: EncoderSpec | None,
    workers: RayWorkers,
) -> Generator[Package, None, None]:
    """What the workers make of the parts, in the order of the parts."""
    ray = load_ray()
    table = None if stored_ids is None else ray.put(stored_ids)
    size = min(workers.count, len(parts))

    def prepared(row: dict[str, Any]) -> Iterator[dict[str, bytes]]:
        stored_table = None if table is None else load_ray().get(table)
        for package in read_packages(row["item"], work, stored_table):
            yield {_COLUMN: pickle.dumps(package)}

    with plain_data(ray, _BLOCK):
        data = ray.data.from_items(list(parts), override_num_blocks=len(parts))
        if apart is None:
            data = data.flat_map(prepared, num_cpus=1, compute=ray.data.TaskPoolStrategy(size=size))
        else:
            data = data.flat_map(prepared, num_cpus=1).map(
                _Encoding,
                fn_constructor_args=(apart,),
                num_cpus=0,  # so that those who read cannot be left without a core
                num_gpus=workers.gpus,
                compute=ray.data.ActorPoolStrategy(size=size),
            )
        done = 0
        try:
            for batch in data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=1):
                for packed in batch.column(_COLUMN):
                    package: Package = pickle.loads(packed.as_py())
                    done += package.last
                    yield package
        except ray.exceptions.RayError as error:
            message = str(error).strip().rpartition("\n")[2]
            raise StorageError(
                f"the work on Ray broke off after {done:,} of {len(parts):,} parts ({message}); what came before is "
                f"stored, and the same command goes on from there"
            ) from error
    if done != len(parts):
        raise StorageError(f"of {len(parts):,} parts of the source {done:,} came back from Ray; run the command again")


class _Encoding:
    """What encodes, where that has machines of its own: one for each GPU, kept for all of the work."""

    def __init__(self, recipe: EncoderSpec) -> None:
        self._encoder = recipe.made()

    def __call__(self, row: dict[str, bytes]) -> dict[str, bytes]:
        package: Package = pickle.loads(row[_COLUMN])
        try:
            package = with_vectors(package, self._encoder)
        except EpochalError as error:
            package = Package(package.part, (), package.last, package.lines, Failure.of(error))
        return {_COLUMN: pickle.dumps(package)}


def _collect_entries(
    packages: Iterator[Package], parts: Sequence[SourcePart], loaded: LoadReport, *, strict: bool
) -> Iterator[Entry]:
    """The entries to be stored, with every row counted; bad rows and repeated ids are treated as `Reading` does."""
    seen = IdSet()
    url, before, rows = "", 0, 0
    for package in packages:
        part = parts[package.part]
        if part.url != url:
            url, before = part.url, 0
        for item in package.items:
            rows += 1
            line = before + item.line
            problem = InputError(part.name, line, item.problem) if item.problem else None
            if problem is None and not seen.add(item.id):
                problem = build_repeat_error(part.name, line, item.id)
            if problem is None:
                if item.note:
                    loaded.unreadable += 1
                    loaded.notes += [InputError(part.name, line, item.note)][: SHOWN - len(loaded.notes)]
                loaded.read += 1
                if item.entry is not None:
                    yield item.entry
                continue
            if strict:
                raise problem
            loaded.bad += 1
            if len(loaded.problems) < SHOWN:
                loaded.problems.append(problem)
        if package.failure is not None:
            raise _locate_failure(package.failure, before)
        if package.last:
            before += package.lines
            loaded.bytes_read += part.size
    if not rows:
        raise InputError(loaded.source, 0, "holds no rows; accepted: at least one document")


def _locate_failure(failure: Failure, before: int) -> EpochalError:
    """The error of a part, with the line as it is in the file."""
    error = failure.error()
    if isinstance(error, InputError) and error.line and before:
        return InputError(error.file, before + error.line, error.problem)
    return error
