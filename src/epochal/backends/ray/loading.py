"""Filling an index with the work of a cluster: workers read, split, date and encode, and this process stores.

Parts come back in their order, so that the index is the same, to the row, as one that was filled without Ray. What is
on its way is bounded by Ray's object store, which holds workers back when this process falls behind.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.backends.ray.cluster import Workers, load_ray, plain_data
from epochal.backends.ray.known import Known
from epochal.backends.ray.recipes import Recipe, recipe_of
from epochal.backends.ray.records import Failure, Package, Part
from epochal.backends.ray.sources import PART_BYTES, parts_of
from epochal.backends.ray.work import Work, packages_of, with_vectors
from epochal.engine.index import Index
from epochal.errors import EpochalError, InputError, StorageError
from epochal.index.inputs.fields import Fields
from epochal.index.inputs.reading import SHOWN, repeated
from epochal.index.inputs.rows import LONGEST
from epochal.index.inputs.seen import Seen
from epochal.index.records import Entry

__all__ = ["Loaded", "load"]

#: What Ray Data hands on at a time: about one package.
_BLOCK: Final = 2**20
_COLUMN: Final = "package"
#: Parts that a worker should have at least: so none is left long with nothing to do.
_PARTS_A_WORKER: Final = 8


@dataclass(slots=True)
class Loaded:
    """What has come of a load: documents read, those of them that were new or changed, and bad rows.

    `bytes_read` counts the parts that are done, of `bytes_total`; `problems` are the first of the bad rows.

    >>> Loaded("news.jsonl", read=3, added=2).unchanged
    1
    """

    source: str
    bytes_total: int = 0
    bytes_read: int = 0
    read: int = 0
    added: int = 0
    bad: int = 0
    problems: list[InputError] = field(default_factory=list)

    @property
    def unchanged(self) -> int:
        """Documents that were stored already.

        >>> Loaded("news.jsonl").unchanged
        0
        """
        return self.read - self.added


def load(
    index: Index,
    source: str | os.PathLike[str],
    workers: Workers,
    *,
    format: str | None = None,
    strict: bool = False,
    fields: Mapping[str, str] | None = None,
    make_ids: bool = False,
    longest: int = LONGEST,
    part_bytes: int = PART_BYTES,
    progress: Callable[[Loaded], None] | None = None,
) -> Loaded:
    """Put the documents of a source into an index, as `Index.add` with `epochal.index.inputs.read` would.

    Ray must be connected; see `connected`. The source is a path or an address that fsspec knows, and every worker must
    be able to open it. Run again, what is stored already is passed over. `progress` is told now and then how far it is.

    >>> load(None, "no/such/file.jsonl", Workers(1))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/file.jsonl: there is no such file or folder
    """
    # An id made of a line needs the number of the line in its file, which only who reads the file whole knows.
    wanted = workers.count * _PARTS_A_WORKER
    parts = parts_of(source, format, part_bytes=part_bytes, wanted=wanted, whole=make_ids, longest=longest)
    recipe = recipe_of(index)
    apart = recipe if workers.gpus else None
    work = Work(Fields.named(fields), make_ids, None if apart is not None else recipe)
    loaded = Loaded(os.fspath(source), bytes_total=sum(part.size for part in parts))
    stored = index.generation > 0 and len(index) > 0
    packages = _packages(parts, work, Known.of(index.documents()) if stored else None, apart, workers)
    told = None if progress is None else lambda _: progress(loaded)
    with closing(packages):
        loaded.added = index.add_entries(_entries(packages, parts, loaded, strict=strict), progress=told)
    if progress is not None:
        progress(loaded)
    return loaded


def _packages(
    parts: Sequence[Part], work: Work, known: Known | None, apart: Recipe | None, workers: Workers
) -> Generator[Package, None, None]:
    """What the workers make of the parts, in the order of the parts."""
    ray = load_ray()
    table = None if known is None else ray.put(known)
    size = min(workers.count, len(parts))

    def prepared(row: dict[str, Any]) -> Iterator[dict[str, bytes]]:
        found = None if table is None else load_ray().get(table)
        for package in packages_of(row["item"], work, found):
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
            told = str(error).strip().rpartition("\n")[2]
            raise StorageError(
                f"the work on Ray broke off after {done:,} of {len(parts):,} parts ({told}); what came before is "
                f"stored, and the same command goes on from there"
            ) from error
    if done != len(parts):
        raise StorageError(f"of {len(parts):,} parts of the source {done:,} came back from Ray; run the command again")


class _Encoding:
    """What encodes, where that has machines of its own: one for each GPU, kept for all of the work."""

    def __init__(self, recipe: Recipe) -> None:
        self._encoder = recipe.made()

    def __call__(self, row: dict[str, bytes]) -> dict[str, bytes]:
        package: Package = pickle.loads(row[_COLUMN])
        try:
            package = with_vectors(package, self._encoder)
        except EpochalError as error:
            package = Package(package.part, (), package.last, package.lines, Failure.of(error))
        return {_COLUMN: pickle.dumps(package)}


def _entries(packages: Iterator[Package], parts: Sequence[Part], loaded: Loaded, *, strict: bool) -> Iterator[Entry]:
    """The entries to be stored, with every row counted; bad rows and repeated ids are treated as `Reading` does."""
    seen = Seen()
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
                problem = repeated(part.name, line, item.id)
            if problem is None:
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
            raise _placed(package.failure, before)
        if package.last:
            before += package.lines
            loaded.bytes_read += part.size
    if not rows:
        raise InputError(loaded.source, 0, "holds no rows; accepted: at least one document")


def _placed(failure: Failure, before: int) -> EpochalError:
    """The error of a part, with the line as it is in the file."""
    error = failure.error()
    if isinstance(error, InputError) and error.line and before:
        return InputError(error.file, before + error.line, error.problem)
    return error
