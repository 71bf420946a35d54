"""The sharded store: each document is written to its shard, and failures report what was stored."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from epochal.backends.sharded.acknowledged import NodeRecord
from epochal.backends.sharded.placing import get_shard, group_by_shard
from epochal.backends.sharded.servers import Node, Server, Way, ask
from epochal.backends.sharded.view import Limits, NodeView, ShardedView, chosen
from epochal.errors import EpochalError, IndexLockedError, StorageError, UnknownNameError
from epochal.storage.documents import check_entries, encode_document
from epochal.storage.protocol import Backend, ClosingStore, View, check_ids
from epochal.storage.records import Document, Entry
from epochal.storage.store import Store

_BATCH: Final = 500


def copy_to_folder(view: View, path: str | os.PathLike[str]) -> None:
    """Store everything of a view in a new embedded index; the folder appears when all of it is there."""
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise StorageError(f"{str(target)!r} is not a new folder; choose another one for the backup")
    unfinished = target.with_name(f"{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        with Store.create(unfinished, view.encoder_name, view.dim) as store, store.bulk():
            rows = view.alive_documents
            for low in range(0, len(rows), _BATCH):
                store.add(view.get_entries(rows[low : low + _BATCH]))
        os.replace(unfinished, target)
    except OSError as error:
        raise StorageError(f"the backup {str(target)!r} cannot be made: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


T = TypeVar("T")


def check_all(entries: Sequence[Entry], dim: int) -> None:
    """Refuse what any shard would refuse, before the others have stored their part."""
    check_entries(entries, dim)
    for entry in entries:
        _check_text(entry.document)


def _check_text(document: Document) -> None:
    encode_document(document)
    for name, text in (("id", document.id), ("series", document.series or "")):
        if "\0" in text:
            raise EpochalError(
                f"the {name} of document {document.id!r} has the character NUL, which few servers can hold"
            )


def check_all_ids(ids: Iterable[str]) -> list[str]:
    """The ids of documents to be deleted, each once, those left out that no document can have."""
    unique_ids = list(dict.fromkeys(check_ids(ids)))
    for id in unique_ids:
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was given to be deleted")
    return [id for id in unique_ids if not any("\ud800" <= char <= "\udfff" for char in id)]


def on_primaries(
    nodes: Sequence[Node],
    calls: Mapping[int, Callable[[Backend], T]],
    timeout: float,
    done: Callable[[set[int]], str],
    verb: str = "written",
) -> dict[int, T]:
    """Call something on the primaries of some nodes at once. Where one fails, all of them are waited for first.

    `done` says what was done on the nodes that did not fail, and what to do now.
    """
    pending: dict[int, Future[T]] = {shard: nodes[shard].primary.submit(call) for shard, call in calls.items()}
    wait(pending.values(), timeout)
    results: dict[int, T] = {}
    failed: dict[int, BaseException] = {}
    for shard, future in sorted(pending.items()):
        if not future.done():
            future.cancel()
            failed[shard] = StorageError(f"it was not done within {timeout:g} s")
        elif (error := future.exception()) is not None:
            failed[shard] = error
        else:
            results[shard] = future.result()
    if not failed:
        return results
    shard, error = next(iter(failed.items()))
    if not isinstance(error, EpochalError | OSError):
        raise error
    kind = IndexLockedError if isinstance(error, IndexLockedError) else StorageError
    names = ", ".join(repr(nodes[shard].name) for shard in failed)
    raise kind(f"the shard {names} cannot be {verb}: {error}; {done(set(results))}") from error


class Bulk:
    """The bulk writes of all shards: begun on each when it is first written to, and ended together."""

    def __init__(self) -> None:
        self.depth = 0
        self._contexts: dict[int, AbstractContextManager[None]] = {}

    def begun(self, shard: int, backend: Backend) -> Backend:
        """A shard's backend, inside its own bulk context where there is one of all shards."""
        if self.depth and shard not in self._contexts:
            context = backend.bulk()
            context.__enter__()
            self._contexts[shard] = context
        return backend

    def ended(self) -> dict[int, AbstractContextManager[None]]:
        """The contexts that are to be ended, by shard; none is left."""
        bulks, self._contexts = self._contexts, {}
        return bulks


Policy = Literal["fail", "degrade"]
#: What becomes of a search while a shard does not answer: it fails, or does without the shard and says so.
POLICIES: tuple[Policy, ...] = get_args(Policy)
#: So many documents of a node are looked at, to see that they belong to it.
_LOOKED_AT: Final = 5
_ALL: Final = "what is stored must be known before documents are added"
_AGAIN: Final = "add all of them again: what is stored is not stored twice"


class ShardedBackend(ClosingStore):
    """A `Backend` over nodes, in their order: a document lies on the node that its id falls to, and on no other.

    All nodes are opened at once. With the policy "degrade" those that do not answer may come later.

    >>> ShardedBackend([])
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: a sharded index needs at least one node, but none is given
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        policy: Policy = "fail",
        limits: Limits | None = None,
        record: NodeRecord | None = None,
    ) -> None:
        if not nodes:
            raise StorageError("a sharded index needs at least one node, but none is given")
        if policy not in POLICIES:
            raise UnknownNameError("policy", policy, POLICIES)
        names = [node.name for node in nodes]
        if len(set(names)) < len(names):
            raise StorageError(f"each node must have a name of its own, but they are called {', '.join(names)}")
        self._nodes = tuple(nodes)
        self.policy = policy
        self.limits = limits or Limits()
        self._guard = threading.RLock()
        self._bulk = Bulk()
        self._view: ShardedView | None = None
        self._identity: tuple[str, int] | None = None
        self._record = record
        #: Acknowledged writes that nodes have lost, a sentence each.
        self.repairs: list[str] = []
        for shard, node in enumerate(self._nodes):
            for server in node.servers:
                server.check = partial(self._check_member, shard, server is node.primary)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @classmethod
    def of(cls, backends: Sequence[Backend], policy: Policy = "fail", limits: Limits | None = None) -> ShardedBackend:
        """One over backends that are open already, called "node 1", "node 2" and so on.

        >>> ShardedBackend.of([], "fail")
        Traceback (most recent call last):
        ...
        epochal.errors.StorageError: a sharded index needs at least one node, but none is given
        """
        nodes = [
            Node(f"node {number}", [Server(f"node {number}", partial(_get_backend, backend))])
            for number, backend in enumerate(backends, 1)
        ]
        return cls(nodes, policy, limits)

    # ---------------------------------------------------------------- opening and closing

    def _open(self) -> None:
        ways: dict[int, list[Way[Backend]]] = {
            shard: [(server, partial(server.submit, _get_backend)) for server in node.servers]
            for shard, node in enumerate(self._nodes)
        }
        lost = ask(ways, self.limits.load_timeout).lost
        if lost and (self.policy == "fail" or len(lost) == len(self._nodes)):
            raise StorageError(self._describe_lost(lost))

    def _check_member(self, shard: int, is_primary: bool, backend: Backend) -> None:
        """Refuse a backend whose vectors are another encoder's, or whose documents belong to another node.

        A node that has lost writes is read all the same. A copy of a node may be behind it.
        """
        own = backend.encoder_name, backend.dim
        with self._guard:
            self._identity = self._identity or own
            if own != self._identity:
                raise EpochalError(
                    f"node {self._nodes[shard].name!r} has vectors of {_name_encoder(own)}, but others have those of "
                    f"{_name_encoder(self._identity)}; all nodes of an index must have been made together"
                )
        count = len(self._nodes)
        first = next(backend.view().iterate(_LOOKED_AT), [])
        for document in islice(first, _LOOKED_AT):
            position = get_shard(document.id, count)
            if position != shard:
                raise EpochalError(
                    f"node {self._nodes[shard].name!r}, the {shard + 1}. of {count}, holds document {document.id!r}, "
                    f"which belongs to the {position + 1}.; list all nodes in the order in which the index was made"
                )
        if is_primary and self._record is not None:
            losses = self._record.find_losses(self._nodes[shard].name, lambda: backend.view().generation)
            with self._guard:
                self.repairs += [loss for loss in losses if loss not in self.repairs]

    def close(self) -> None:
        with self._guard:
            self._view = None
        for node in self._nodes:
            for server in node.servers:
                server.close()

    def __repr__(self) -> str:
        return f"<ShardedBackend of {', '.join(node.name for node in self._nodes)}>"

    @property
    def encoder_name(self) -> str:
        return self._identity[0] if self._identity else ""

    @property
    def dim(self) -> int:
        return self._identity[1] if self._identity else 0

    # ---------------------------------------------------------------- writing

    def add(self, entries: Sequence[Entry]) -> int:
        entries = list(entries)
        check_all(entries, self.dim)
        parts = group_by_shard(entries, len(self._nodes), lambda entry: entry.document.id)

        def done(good: set[int]) -> str:
            stored = sum(len(parts[shard]) for shard in good)
            return f"{stored:,} of {len(entries):,} documents are stored; {_AGAIN}"

        calls = {shard: partial(self._add_part, shard, part) for shard, part in parts.items()}
        on_primaries(self._nodes, calls, self.limits.write_timeout, done)
        return len(entries)

    def _add_part(self, shard: int, part: Sequence[Entry], backend: Backend) -> int:
        count = self._begin_bulk(shard, backend).add(part)
        self._note(shard, backend)
        return count

    def _note(self, shard: int, backend: Backend) -> None:
        """Record how far a node is, unless its bulk write ends later."""
        if self._record is not None and not self._bulk.depth:
            self._record.note(self._nodes[shard].name, backend.view().generation)

    def delete(self, ids: Iterable[str]) -> int:
        parts = group_by_shard(check_all_ids(ids), len(self._nodes), str)
        calls = {shard: partial(self._delete_part, shard, part) for shard, part in parts.items()}
        again = "documents of other shards may be deleted; delete all of them again"
        return sum(on_primaries(self._nodes, calls, self.limits.write_timeout, lambda good: again).values())

    def _delete_part(self, shard: int, part: Sequence[str], backend: Backend) -> int:
        count = self._begin_bulk(shard, backend).delete(part)
        self._note(shard, backend)
        return count

    def _begin_bulk(self, shard: int, backend: Backend) -> Backend:
        with self._guard:
            return self._bulk.begun(shard, backend)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        with self._guard:
            self._bulk.depth += 1
        failed = True
        try:
            yield
            failed = False
        finally:
            with self._guard:
                self._bulk.depth -= 1
                contexts = {} if self._bulk.depth else self._bulk.ended()
            calls = {shard: partial(self._end_part, shard, context) for shard, context in contexts.items()}
            try:
                again = "documents that were stored are found after the next write"
                on_primaries(self._nodes, calls, self.limits.write_timeout, lambda good: again)
            except StorageError:
                # The error from inside is the one to report.
                if not failed:
                    raise

    def _end_part(self, shard: int, context: AbstractContextManager[None], backend: Backend) -> None:
        context.__exit__(None, None, None)
        self._note(shard, backend)

    def compact(self, *, erase: bool = False) -> None:
        calls = dict.fromkeys(range(len(self._nodes)), partial(_compact, erase))
        on_primaries(self._nodes, calls, self.limits.write_timeout, lambda good: "compact the index again")

    def backup(self, path: str | os.PathLike[str]) -> None:
        view = self.view()
        if view.missing:
            raise StorageError(f"a backup needs all shards, but {', '.join(view.missing)} did not answer; try again")
        copy_to_folder(view, path)

    # ---------------------------------------------------------------- reading

    def view(self) -> ShardedView:
        states, lost = self._collect_states()
        if lost and (self.policy == "fail" or not states):
            raise StorageError(self._describe_lost(lost))
        missing = tuple(node.name for shard, node in enumerate(self._nodes) if shard in lost)
        with self._guard:
            old = self._view.shards if self._view is not None else (None,) * len(self._nodes)
            shards = [_keep_same_view(old[shard], states.get(shard)) for shard in range(len(self._nodes))]
            if self._view is None or any(new is not before for new, before in zip(shards, old, strict=True)):
                self._view = ShardedView(shards, missing, self.limits, degrade=self.policy == "degrade")
            return self._view

    def recheck(self) -> tuple[str, ...]:
        """Ask the shards that are missing once more, wait for them, and name those that still are."""
        suspects = {
            number: [(server, server.probe)]
            for number, server in enumerate(server for node in self._nodes for server in node.servers)
            if server.health != "sound"
        }
        ask(suspects, self.limits.load_timeout)
        return tuple(node.name for node in self._nodes if all(server.health != "sound" for server in node.servers))

    def _collect_states(self) -> tuple[dict[int, NodeView], dict[int, str]]:
        waits = self.policy == "fail"
        questions: dict[int, list[Way[Any]]] = {}
        pending: dict[int, tuple[int, Server]] = {}
        lost: dict[int, str] = {}
        for shard, node in enumerate(self._nodes):
            # A node with another server that answers need not wait for one that may not.
            others = any(server.health != "down" for server in node.servers)
            for server in node.servers:
                if server.health == "down" and (others or not waits):
                    server.probe()
                    continue
                number = len(questions)
                pending[number] = shard, server
                start = partial(server.submit, _view) if server.health == "sound" else server.probe
                questions[number] = [(server, start)]
            if not others and not waits:
                lost[shard] = "it did not answer before, and is asked again"
        answers = ask(questions, self.limits.timeout)
        for number, (_, server) in pending.items():
            if number in answers.lost:
                server.health = "down"  # who cannot say its state is not worth another wait
        views: dict[int, list[tuple[Server, View]]] = {}
        for number, (shard, server) in pending.items():
            if number in answers.found:
                views.setdefault(shard, []).append((server, answers.found[number]))
            else:
                lost.setdefault(shard, answers.lost[number])
        states = {shard: chosen(self._nodes[shard], own) for shard, own in views.items()}
        return states, {shard: why for shard, why in lost.items() if shard not in states}

    def _describe_lost(self, lost: Mapping[int, str]) -> str:
        reasons = "; ".join(f"{self._nodes[shard].name!r}: {why}" for shard, why in lost.items())
        policy = "" if self.policy == "degrade" else '; with the policy "degrade" searches do without such shards'
        return f"{len(lost)} of {len(self._nodes)} shards cannot be read: {reasons}{policy}"

    def get_stored_vectors(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        calls = dict.fromkeys(range(len(self._nodes)), partial(_get_known_vectors, list(keys)))
        stored_vectors: dict[bytes, npt.NDArray[np.float32]] = {}
        for part in on_primaries(self._nodes, calls, self.limits.load_timeout, lambda good: _ALL, "read").values():
            stored_vectors |= part
        return stored_vectors

    def get_content_hashes(self, ids: Sequence[str]) -> dict[str, bytes]:
        parts = group_by_shard(ids, len(self._nodes), str)
        calls = {shard: partial(_get_content_hashes, part) for shard, part in parts.items()}
        content_hashes: dict[str, bytes] = {}
        for hashes in on_primaries(self._nodes, calls, self.limits.load_timeout, lambda good: _ALL, "read").values():
            content_hashes |= hashes
        return content_hashes


def _keep_same_view(old: NodeView | None, new: NodeView | None) -> NodeView | None:
    """The old state of a node where it is the same as the new one."""
    if old is None or new is None or len(old.members) != len(new.members):
        return new
    same = all(a[0] is b[0] and a[1] is b[1] for a, b in zip(old.members, new.members, strict=True))
    return old if same else new


def _name_encoder(identity: tuple[str, int]) -> str:
    return f"{identity[0]!r} with {identity[1]} numbers" if identity[1] else "no encoder"


def _get_backend(backend: Backend) -> Backend:
    return backend


def _view(backend: Backend) -> View:
    return backend.view()


def _compact(erase: bool, backend: Backend) -> None:
    backend.compact(erase=erase)


def _get_known_vectors(keys: list[bytes], backend: Backend) -> dict[bytes, npt.NDArray[np.float32]]:
    return dict(backend.get_stored_vectors(keys))


def _get_content_hashes(ids: list[str], backend: Backend) -> dict[str, bytes]:
    return dict(backend.get_content_hashes(ids))
