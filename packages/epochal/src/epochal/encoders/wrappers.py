"""Encoders around another one: `CachedEncoder` stores vectors on disk, `PrefixEncoder` truncates them.

The cache is a SQLite file, one row per vector, keyed by a digest of the encoder's name, the role (document or
query) and the text. Its content can be computed again: a damaged file is moved aside and a new one begun.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import numpy as np

from epochal.encoders.base import Encoder, EncoderError, Vectors, check_texts, check_vectors
from epochal.storage.vectors import name_prefix_encoder, truncate

_Result = TypeVar("_Result")

#: Texts looked up, encoded and committed at a time: what a killed process loses, and what memory holds of their keys.
_CHUNK = 512
#: SQLite's mark of whose file it is; "epov" in ASCII.
_APPLICATION = 0x65706F76
#: How long to wait for another process that writes, in milliseconds.
_PATIENCE = 60_000
#: Times that a new file is asked to turn to a write-ahead log, each after waiting for those who hold it.
_TRIES = 100


class CachedEncoder:
    """An encoder that remembers. Returns the very same bytes as the encoder it wraps, under its name.

    Several threads and processes may use one file at a time. A chunk of 512 texts is committed when it is done, so a
    killed process loses no more than that. `hits` and `misses` count the texts of this object that were remembered
    and that were not.

    >>> import tempfile
    >>> from epochal.encoders import encoder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cached = CachedEncoder(encoder("static"), Path(folder) / "vectors.db")
    ...     first = cached.encode_documents(["The law was passed.", "It rained."])
    ...     again = cached.encode_documents(["It rained.", "It snowed."])
    >>> bool((first[1] == again[0]).all()), cached.hits, cached.misses
    (True, 1, 3)
    """

    def __init__(self, encoder: Encoder, path: str | os.PathLike[str]) -> None:
        self.encoder = encoder
        self.path = Path(path)
        self.hits = 0
        self.misses = 0

    @property
    def name(self) -> str:
        """The name of the encoder within.

        >>> from epochal.encoders import encoder
        >>> CachedEncoder(encoder("static"), "vectors.db").name == encoder("static").name
        True
        """
        return self.encoder.name

    @property
    def dim(self) -> int:
        """The dimension of the encoder within.

        >>> from epochal.encoders import encoder
        >>> CachedEncoder(encoder("static"), "vectors.db").dim
        256
        """
        return self.encoder.dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents, computed only where the file does not have them.

        >>> from epochal.encoders import encoder
        >>> CachedEncoder(encoder("static"), "vectors.db").encode_documents([]).shape
        (0, 256)
        """
        return self._encode("document", texts, self.encoder.encode_documents)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of queries, kept apart from those of documents.

        >>> from epochal.encoders import encoder
        >>> CachedEncoder(encoder("static"), "vectors.db").encode_queries([]).shape
        (0, 256)
        """
        return self._encode("query", texts, self.encoder.encode_queries)

    def _encode(self, role: str, texts: Sequence[str], compute: Callable[[Sequence[str]], Vectors]) -> Vectors:
        checked = check_texts(self.name, texts)
        vectors = np.empty((len(checked), self.dim), np.float32)
        for first in range(0, len(checked), _CHUNK):
            chunk = checked[first : first + _CHUNK]
            rows: dict[bytes, list[int]] = {}
            for position, text in enumerate(chunk):
                rows.setdefault(hash_parts(self.name, role, text), []).append(first + position)
            cached = self._read(list(rows))
            missing = [key for key in rows if key not in cached]
            for key, vector in cached.items():
                vectors[rows[key]] = vector
            if missing:
                new = compute([checked[rows[key][0]] for key in missing])
                new = check_vectors(self.name, self.dim, len(missing), new)
                self._write(missing, new)
                for key, vector in zip(missing, new, strict=True):
                    vectors[rows[key]] = vector
            self.misses += len(missing)
            self.hits += len(chunk) - len(missing)
        return vectors

    def _read(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        size = self.dim * 4
        question = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(keys))})"
        rows = self._use(lambda database: database.execute(question, keys).fetchall())
        # A vector of another length is no vector of this encoder: it is computed again and replaced.
        return {key: np.frombuffer(vector, "<f4") for key, vector in rows if len(vector) == size}

    def _write(self, keys: list[bytes], vectors: Vectors) -> None:
        rows = [(key, row.astype("<f4").tobytes()) for key, row in zip(keys, vectors, strict=True)]

        def insert(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            database.execute("COMMIT")

        self._use(insert)

    def _use(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Do something with the file, and with a new one where it is damaged."""
        file = _get_file_identity(self.path)
        try:
            return self._run_once(action)
        except sqlite3.DatabaseError as error:
            # Another process may have seen the damage too, and begun a new file already.
            if _get_file_identity(self.path) == file:
                _put_aside(self.path, error)
        return self._run_once(action)

    def _run_once(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Do something with the file, which is opened for it alone: an open connection would not survive a fork."""
        try:
            with closing(_open(self.path)) as database:
                return action(database)
        except sqlite3.OperationalError as error:
            # Locked, full or forbidden, which a new file would not cure; damage is another class of error.
            raise EncoderError(f"the cache of vectors {self.path} cannot be used: {error}") from error


def _get_file_identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to, or None where there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _put_aside(path: Path, error: sqlite3.DatabaseError) -> None:
    """Move a damaged file out of the way, with what SQLite keeps beside it."""
    aside = path.with_name(f"{path.name}.damaged")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(aside.with_name(aside.name + suffix))
    warnings.warn(f"the cache of vectors {path} is damaged ({error}) and was moved to {aside}", stacklevel=6)


def hash_parts(*parts: str) -> bytes:
    """Hash texts so that no two lists of texts are taken for one."""
    digest = blake2b(digest_size=24)
    for part in parts:
        data = part.encode(errors="replace")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _open(path: Path) -> sqlite3.Connection:
    """A connection to the file, made if it is not there; another program's database is refused."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, timeout=_PATIENCE / 1000, isolation_level=None)
    try:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:
            _begin(database, path)
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def _begin(database: sqlite3.Connection, path: Path) -> None:
    """Make the table in a new file. Several processes may come here at once; the first does it."""
    _refuse_others(database, path)
    _write_ahead(database)
    database.execute("BEGIN IMMEDIATE")
    _refuse_others(database, path)
    database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
    database.execute(f"PRAGMA application_id = {_APPLICATION}")
    database.execute("COMMIT")


def _write_ahead(database: sqlite3.Connection) -> None:
    """Turn to a write-ahead log. SQLite does not wait for a lock in this one statement, so wait for it before."""
    for _ in range(_TRIES):
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            database.execute("BEGIN EXCLUSIVE")
            database.execute("COMMIT")
        else:
            return
    raise sqlite3.OperationalError("database is locked")


def _refuse_others(database: sqlite3.Connection, path: Path) -> None:
    """Another program's database is neither written to nor put aside.

    The tables are counted first: another process may begin the cache between the two questions, and one that has
    made its table has written its mark in the same transaction.
    """
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = database.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION and (application or tables):
        raise EncoderError(f"{path} is a database but no cache of vectors; name another file for the cache")


class PrefixEncoder:
    """The first `dims` numbers of the vectors of another encoder. Any encoder can be cut; see `nested_dims`."""

    def __init__(self, encoder: Encoder, dims: int) -> None:
        if not isinstance(dims, int) or isinstance(dims, bool) or not 1 <= dims <= encoder.dim:
            raise EncoderError(
                f"dims must be from 1 to {encoder.dim}, the length of the vectors of {encoder.name!r}, but is {dims!r}"
            )
        self.encoder: Encoder = encoder.encoder if isinstance(encoder, PrefixEncoder) else encoder
        self.dim = dims

    @property
    def name(self) -> str:
        """The name of the encoder within, and the length: vectors of two lengths cannot be compared."""
        return name_prefix_encoder(self.encoder.name, self.dim)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found, cut."""
        return truncate(self.encoder.encode_documents(texts), self.dim)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions, cut."""
        return truncate(self.encoder.encode_queries(texts), self.dim)


def cut_encoder(encoder: Encoder, dims: int) -> Encoder:
    """An encoder of vectors of `dims` numbers: the given one where its vectors are as long, else a `PrefixEncoder`."""
    return encoder if dims == encoder.dim else PrefixEncoder(encoder, dims)


def nested_dims(encoder: Encoder) -> tuple[int, ...]:
    """The lengths at which an encoder was trained to be cut, as its attribute `nested_dims` has them; often none.

    An encoder that wraps another one, such as a `CachedEncoder`, has those of the other.
    """
    inner: object = encoder
    while not hasattr(inner, "nested_dims") and hasattr(inner, "encoder"):
        inner = inner.encoder
    return tuple(getattr(inner, "nested_dims", ()))
