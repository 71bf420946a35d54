"""Writer: changes to the index, one after another, by one of several processes at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from epochal.encoders.base import Encoder
from epochal.engine.index import Index
from epochal.errors import IndexLockedError
from epochal.index.records import Document

__all__ = ["Writer"]

#: How long one waits before asking again whether the other writer is done, and how often, which makes half a minute.
_PAUSE: Final = 0.05
_TRIES: Final = 600


class Writer:
    """Adds and deletes. The only process of a service keeps the index open for it; several take turns.

    Not for several threads at once. When a call returns, what it did is safe on the disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Index.create(folder, encoder=None).close()
    ...     writer = Writer(folder, None, alone=True, wait=lambda seconds: None)
    ...     print(writer.add([Document("p1", "Rain.")]), writer.delete(["p1", "p2"]))
    ...     writer.close()
    (1, 1) (1, 2)
    """

    def __init__(self, folder: str, encoder: Encoder | None, *, alone: bool, wait: Callable[[float], object]) -> None:
        self._folder = folder
        self._encoder = encoder
        self._wait = wait
        self._kept = self._open() if alone else None

    def add(self, documents: Iterable[Document]) -> tuple[int, int]:
        """Store documents; how many were new or changed, and the generation after it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Writer(folder, None, alone=False, wait=lambda seconds: None).add([Document("p1", "Rain.")])
        (1, 1)
        """
        with self._opened() as index:
            return index.add(documents), index.generation

    def delete(self, ids: Sequence[str]) -> tuple[int, int]:
        """Delete documents; how many there were, and the generation after it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Writer(folder, None, alone=False, wait=lambda seconds: None).delete(["p1"])
        (0, 0)
        """
        with self._opened() as index:
            return index.delete(ids), index.generation

    def close(self) -> None:
        """Let go of the files and of the lock.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Writer(folder, None, alone=True, wait=lambda seconds: None).close()
        """
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _open(self) -> Index:
        return Index.open(self._folder, self._encoder, write=True)

    @contextmanager
    def _opened(self) -> Iterator[Index]:
        if self._kept is not None:
            yield self._kept
            return
        for _ in range(_TRIES):
            try:
                index = self._open()
            except IndexLockedError:
                self._wait(_PAUSE)  # another process writes, and will soon be done
                continue
            with index:
                yield index
            return
        raise IndexLockedError("another process has been writing to the index for half a minute")
