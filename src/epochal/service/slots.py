"""Slots: numbers that several processes count side by side, each in a file of its own that the others can read."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["Slot"]

Numbers = npt.NDArray[np.float64]

_MOST: Final = 1_000


class Slot:
    """So many numbers of one process. Without a folder they are kept in memory, and it is alone.

    In a folder a process takes the first slot that no living one has: the operating system lets go of the lock of one
    that dies, and whoever comes next counts on from where it stopped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = Slot(2, folder), Slot(2, folder)
    ...     first.numbers[:] = 1, 2
    ...     second.numbers[:] = 10, 20
    ...     print(first.sums().tolist())
    ...     first.close()
    ...     second.close()
    [11.0, 22.0]
    """

    def __init__(self, size: int, folder: str | None = None) -> None:
        self._size = size
        self._folder = None if folder is None else Path(folder)
        self._lock: sqlite3.Connection | None = None
        self.numbers: Numbers = np.zeros(size) if self._folder is None else self._claimed(self._folder)

    def sums(self) -> Numbers:
        """The numbers of all processes, added up.

        >>> Slot(2).sums().tolist()
        [0.0, 0.0]
        """
        if self._folder is None:
            return np.array(self.numbers)
        sums = np.zeros(self._size)
        for path in self._folder.glob("*.f8"):
            numbers = np.fromfile(path)
            if len(numbers) == self._size:
                sums += numbers
        return sums

    def close(self) -> None:
        """Let go of the slot; what was counted stays.

        >>> Slot(2).close()
        """
        if self._lock is not None:
            self.numbers = self.numbers.copy()  # the file may be gone soon
            self._lock.close()
            self._lock = None

    def _claimed(self, folder: Path) -> Numbers:
        for number in range(_MOST):
            # As the writer's lock of an index is: an empty database, which locks alike on every system.
            lock = sqlite3.connect(folder / f"{number}.lock", isolation_level=None, timeout=0, check_same_thread=False)
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                lock.close()
                continue
            self._lock = lock
            path = folder / f"{number}.f8"
            fresh = not path.exists() or path.stat().st_size != 8 * self._size
            return np.memmap(path, np.float64, "w+" if fresh else "r+", shape=(self._size,))
        raise EpochalError(f"all {_MOST:,} slots in {folder} are taken; accepted: a folder of this service's own")
