"""Arrays kept on disk by the content of their texts: weights on words, or a vector for each token."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import StorageError

__all__ = ["Arrays", "KeptRows"]

Arrays = tuple[npt.NDArray[Any], ...]
#: Texts that are computed and committed at a time: what a killed process loses.
_CHUNK: Final = 128
_PATIENCE: Final = 60.0


class KeptRows:
    """What a model makes of texts, computed once for each text. `name` says all that it depends on besides the text.

    >>> import tempfile
    >>> rows = KeptRows(Path(tempfile.mkdtemp()) / "rows.db")
    >>> lengths = lambda texts: [(np.array([len(text)]),) for text in texts]
    >>> [row[0].tolist() for row in rows.of("lengths", ["a b", "a", "a b"], lengths)], len(rows)
    ([[3], [1], [3]], 2)
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        with self._opened() as database:
            return int(database.execute("SELECT count(*) FROM rows").fetchone()[0])

    def of(self, name: str, texts: Sequence[str], compute: Callable[[list[str]], list[Arrays]]) -> list[Arrays]:
        """The arrays of the texts, in their order; `compute` gets those that are not kept, each once.

        >>> import tempfile
        >>> KeptRows(Path(tempfile.mkdtemp()) / "rows.db").of("lengths", [], lambda texts: [])
        []
        """
        keys = [_key(name, text) for text in texts]
        first = dict(zip(keys, texts, strict=True))
        found: dict[bytes, Arrays] = {}
        unique = list(first)
        with self._opened() as database:
            for start in range(0, len(unique), _CHUNK):
                part = unique[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                known = database.execute(f"SELECT key, arrays FROM rows WHERE key IN ({marks})", part).fetchall()
                found.update((key, _unpacked(data)) for key, data in known)
                missing = [key for key in part if key not in found]
                if not missing:
                    continue
                made = dict(zip(missing, compute([first[key] for key in missing]), strict=True))
                rows = [(key, _packed(arrays)) for key, arrays in made.items()]
                with database:
                    database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", rows)
                found.update(made)
        return [found[key] for key in keys]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write {self.path.parent}: {error.strerror or error}") from error
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database:
                database.execute("CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, arrays BLOB NOT NULL)")
                yield database
        except sqlite3.Error as error:
            raise StorageError(
                f"the file {self.path} cannot be used: {error}; delete it, and it is made again"
            ) from error


def _key(name: str, text: str) -> bytes:
    digest = blake2b(digest_size=24)
    for part in (name, text):
        data = part.encode(errors="replace")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _packed(arrays: Arrays) -> bytes:
    file = BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _unpacked(data: bytes) -> Arrays:
    file = BytesIO(data)
    found = []
    while file.tell() < len(data):
        found.append(np.load(file, allow_pickle=False))
    return tuple(found)
