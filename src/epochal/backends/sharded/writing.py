"""Writing to shards: each document to the one it belongs to, and an account of what was stored where one failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from typing import TypeVar

from epochal.backends.sharded.servers import Node
from epochal.errors import EpochalError, IndexLockedError, StorageError
from epochal.index.backend import Backend
from epochal.index.records import Document, Entry
from epochal.index.writer import check_entries

__all__ = ["Bulk", "check_all", "check_ids", "on_primaries"]

T = TypeVar("T")


def check_all(entries: Sequence[Entry], dim: int) -> None:
    """Refuse what any shard would refuse, before the others have stored their part.

    >>> check_all([Entry(Document("p1", "Rain.", meta={"a": {1, 2}}), ())], 0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the meta of document 'p1' is nothing that JSON can hold: Object of type set is not JSON
    serializable
    """
    check_entries(entries, dim)
    for entry in entries:
        _check_text(entry.document)


def _check_text(document: Document) -> None:
    try:
        meta = json.dumps(dict(document.meta), allow_nan=False, ensure_ascii=False)
        for text in (document.id, document.series or "", meta, document.title, document.text):
            text.encode()
    except UnicodeEncodeError as error:
        raise EpochalError(
            f"document {document.id!r} holds half a character ({error.object[error.start]!r}), which no text file can "
            f"hold; decode its source with errors='replace'"
        ) from error
    except (TypeError, ValueError) as error:
        raise EpochalError(f"the meta of document {document.id!r} is nothing that JSON can hold: {error}") from error
    for name, text in (("id", document.id), ("series", document.series or "")):
        if "\0" in text:
            raise EpochalError(
                f"the {name} of document {document.id!r} has the character NUL, which few servers can hold"
            )


def check_ids(ids: Iterable[str]) -> list[str]:
    """The ids of documents to be deleted, each once, those left out that no document can have.

    >>> check_ids(["p1", "p1"])
    ['p1']
    >>> check_ids("p1")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: delete takes a list of ids, but 'p1' is a single text; write ['p1']
    """
    if isinstance(ids, str):
        raise EpochalError(f"delete takes a list of ids, but {ids!r} is a single text; write [{ids!r}]")
    found = list(dict.fromkeys(ids))
    for id in found:
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was given to be deleted")
    return [id for id in found if not any("\ud800" <= char <= "\udfff" for char in id)]


def on_primaries(
    nodes: Sequence[Node],
    calls: Mapping[int, Callable[[Backend], T]],
    timeout: float,
    done: Callable[[set[int]], str],
    verb: str = "written",
) -> dict[int, T]:
    """Call something on the primaries of some nodes at once. Where one fails, all of them are waited for first.

    `done` says what was done on the nodes that did not fail, and what to do now.

    >>> from epochal.backends.sharded.servers import Server
    >>> def failing() -> Backend:
    ...     raise StorageError("no route to host")
    >>> on_primaries([Node("north", [Server("a", failing)])], {0: len}, 10.0, lambda good: "nothing is stored")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the shard 'north' cannot be written: no route to host; nothing is stored
    """
    asked: dict[int, Future[T]] = {shard: nodes[shard].primary.submit(call) for shard, call in calls.items()}
    wait(asked.values(), timeout)
    found: dict[int, T] = {}
    failed: dict[int, BaseException] = {}
    for shard, future in sorted(asked.items()):
        if not future.done():
            future.cancel()
            failed[shard] = StorageError(f"it was not done within {timeout:g} s")
        elif (error := future.exception()) is not None:
            failed[shard] = error
        else:
            found[shard] = future.result()
    if not failed:
        return found
    shard, error = next(iter(failed.items()))
    if not isinstance(error, EpochalError | OSError):
        raise error
    kind = IndexLockedError if isinstance(error, IndexLockedError) else StorageError
    names = ", ".join(repr(nodes[shard].name) for shard in failed)
    raise kind(f"the shard {names} cannot be {verb}: {error}; {done(set(found))}") from error


class Bulk:
    """The bulk writes of all shards: begun on each when it is first written to, and ended together.

    >>> Bulk().depth
    0
    """

    def __init__(self) -> None:
        self.depth = 0
        self._begun: dict[int, AbstractContextManager[None]] = {}

    def begun(self, shard: int, backend: Backend) -> Backend:
        """A shard's backend, inside its own bulk context where there is one of all shards.

        >>> Bulk().begun(0, None)
        """
        if self.depth and shard not in self._begun:
            context = backend.bulk()
            context.__enter__()
            self._begun[shard] = context
        return backend

    def ended(self) -> dict[int, AbstractContextManager[None]]:
        """The contexts that are to be ended, by shard; none is left.

        >>> Bulk().ended()
        {}
        """
        found, self._begun = self._begun, {}
        return found
