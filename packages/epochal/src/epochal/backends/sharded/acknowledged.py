"""The last acknowledged write of each node, recorded beside the cluster file: a node that is older is named.

Each node has generations of its own, so no node can tell that it alone was restored to an older state. Whoever writes
through the cluster file notes there how far each node was. A node that is behind has lost writes; the loss stays in the
record, whatever is written later, until `check` accepts it. Another copy of the cluster file has another record, which
claims nothing about writes that were made through this one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from epochal.files import pack_checked, unpack_checked

_SUFFIX: Final = ".acknowledged.json"

#: The last acknowledged generation of a node, and the losses not accepted yet: after a generation up to another.
_Entry = tuple[int, list[list[int]]]


class NodeRecord:
    """The record of a cluster file. Any thread may use it; where it cannot be written, it stays behind the nodes."""

    def __init__(self, cluster: str | os.PathLike[str]) -> None:
        self._path = Path(f"{os.fspath(cluster)}{_SUFFIX}")
        self._guard = threading.Lock()

    def find_losses(self, node: str, read_generation: Callable[[], int]) -> list[str]:
        """What a node has lost, a sentence for each loss."""
        with self._guard:
            # The node is asked after the record was read, so it is never behind unless writes are missing.
            entries = self._read()
            generation = read_generation()
            known, losses = entries.get(node, (generation, []))
            if known > generation:
                losses = [*losses, [generation, known]]
                with suppress(OSError):
                    self._write({**entries, node: (generation, losses)})
        return [_describe(node, after, last) for after, last in losses]

    def note(self, node: str, generation: int) -> None:
        """Record how far a node is after a write."""
        with self._guard, suppress(OSError):
            entries = self._read()
            known, losses = entries.get(node, (generation, []))
            if known > generation:  # it was restored while it was open
                losses = [*losses, [generation - 1, known]]
            self._write({**entries, node: (generation, losses)})

    def accept(self, node: str, generation: int) -> None:
        """Report the losses of a node no more."""
        with self._guard:
            self._write({**self._read(), node: (generation, [])})

    def remove(self) -> None:
        """Forget all nodes: their index is gone."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, _Entry]:
        """What is recorded; nothing where the record is missing or damaged."""
        try:
            entries = unpack_checked(self._path.read_bytes()) or {}
        except OSError:
            return {}
        return {node: (generation, losses) for node, (generation, losses) in entries.items()}

    def _write(self, entries: dict[str, _Entry]) -> None:
        part = Path(f"{self._path}.{os.getpid()}.part")
        part.write_bytes(pack_checked(entries))
        os.replace(part, self._path)


def _describe(node: str, after: int, last: int) -> str:
    return (
        f"{last - after:,} writes are missing from node {node!r} that were acknowledged (generations {after + 1} to "
        f"{last}): an older state of it was restored, without the other nodes; restore all nodes to one state or add "
        f"the documents again, and accept the loss with `epochal check CLUSTER --repair`"
    )
