"""Reading the truth as it was at one moment."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.errors import StorageError
from epochal.index.packing import unpack_datings, unpack_span
from epochal.index.records import Document, Entry, Passage
from epochal.index.schema import ORDINAL_BITS, State, connect, reporting, state

__all__ = ["Snapshot", "chunks"]

_CHUNK: Final = 500  # below the least limit on parameters that SQLite was ever built with
_COLUMNS: Final = "id, text, title, published, valid, series, meta"


def chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Runs of a list that are short enough for one statement.

    >>> [len(run) for run in chunks(range(600))]
    [500, 100]
    """
    return (values[low : low + _CHUNK] for low in range(0, len(values), _CHUNK))


class Snapshot:
    """The truth as it was when the snapshot was taken, until it is closed. Any thread may read it.

    >>> import tempfile
    >>> from epochal.index.schema import create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     create(Path(folder), "", 0)
    ...     snapshot = Snapshot(Path(folder))
    ...     print(snapshot.state.generation, snapshot.seq_of("p1", 0))
    ...     snapshot.close()
    0 None
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._connection = connect(folder)
        with reporting(folder, "read"):
            self._connection.execute("BEGIN")
            self.state: State = state(self._connection)  # the first read is what pins the moment

    def close(self) -> None:
        """Let go of the moment, so that its log can be folded into the file.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     Snapshot(Path(folder)).close()
        """
        self._connection.close()

    def _all(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock, reporting(self._folder, "read"):
            return self._connection.execute(statement, values).fetchall()

    def _in(self, statement: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for run in chunks(values):
            yield from self._all(statement.format(",".join("?" * len(run))), run)

    def documents(self, seqs: Sequence[int]) -> list[Document]:
        """The documents of some numbers, in their order.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.documents([]))
        ...     snapshot.close()
        []
        """
        found = {
            row[0]: _document(row[1:])
            for row in self._in(f"SELECT seq, {_COLUMNS} FROM documents WHERE seq IN ({{}})", _distinct(seqs))
        }
        return [self._sure(found, seq) for seq in seqs]

    def texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """The texts of the documents of some numbers.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.texts([]))
        ...     snapshot.close()
        {}
        """
        return dict(self._in("SELECT seq, text FROM documents WHERE seq IN ({})", _distinct(seqs)))

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """The passages of some ids, in their order.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.passages([]))
        ...     snapshot.close()
        []
        """
        statement = "SELECT id, start_char, end_char, datings FROM passages WHERE id IN ({})"
        found = {
            id: Passage(start, end, unpack_datings(datings))
            for id, start, end, datings in self._in(statement, _distinct(ids))
        }
        return [self._sure(found, id) for id in ids]

    def titled_texts(self, ids: Sequence[int]) -> list[tuple[str, str, int]]:
        """Of the passages of some ids, in their order: the title of the document, the text, and where that starts.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.titled_texts([]))
        ...     snapshot.close()
        []
        """
        statement = (
            "SELECT passages.id, title, substr(text, start_char + 1, end_char - start_char), start_char, end_char FROM "
            f"passages JOIN documents ON documents.seq = passages.id >> {ORDINAL_BITS} WHERE passages.id IN ({{}})"
        )
        found = {}
        for id, title, part, start, end in self._in(statement, _distinct(ids)):
            # SQLite cuts a text no farther than a NUL in it.
            text = part if len(part) == end - start else self.texts([id >> ORDINAL_BITS])[id >> ORDINAL_BITS][start:end]
            found[id] = title, text, start
        return [self._sure(found, id) for id in ids]

    def entries(self, seqs: Sequence[int]) -> list[Entry]:
        """Everything that was stored with the documents of some numbers, in their order.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.entries([]))
        ...     snapshot.close()
        []
        """
        entries = []
        for seq, document in zip(seqs, self.documents(seqs), strict=True):
            bounds = (seq << ORDINAL_BITS, (seq + 1) << ORDINAL_BITS)
            passages = self._all(
                "SELECT start_char, end_char, datings FROM passages WHERE id >= ? AND id < ? ORDER BY id", bounds
            )
            stored = self._all("SELECT key, vector FROM vectors WHERE id >= ? AND id < ? ORDER BY id", bounds)
            vectors = keys = None
            if self.state.dim:
                packed = b"".join(vector for _, vector in stored)
                vectors = np.frombuffer(packed, dtype="<f4").reshape(-1, self.state.dim)
                keys = tuple(key for key, _ in stored)
            split = tuple(Passage(start, end, unpack_datings(datings)) for start, end, datings in passages)
            entries.append(Entry(document, split, vectors, keys))
        return entries

    def seq_of(self, id: str, generation: int) -> int | None:
        """The number of the document that had an id in a generation.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.seq_of("p1", 0))
        ...     snapshot.close()
        None
        """
        return self.seqs_of([id], generation).get(id)

    def seqs_of(self, ids: Sequence[str], generation: int) -> dict[str, int]:
        """The numbers of the documents that had the ids in a generation; unknown ids are left out.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.seqs_of(["p1"], 0))
        ...     snapshot.close()
        {}
        """
        storable = [id for id in dict.fromkeys(ids) if not any("\ud800" <= char <= "\udfff" for char in id)]
        statement = "SELECT id, seq, born, died FROM documents WHERE id IN ({})"
        return {id: seq for id, seq, born, died in self._in(statement, storable) if born <= generation < died}

    def counts(self, generation: int) -> tuple[int, int]:
        """How many documents and passages there were in a generation.

        >>> import tempfile
        >>> from epochal.index.schema import create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     snapshot = Snapshot(Path(folder))
        ...     print(snapshot.counts(0))
        ...     snapshot.close()
        (0, 0)
        """
        (documents,) = self._all("SELECT count(*) FROM documents WHERE born <= ?1 AND died > ?1", (generation,))
        (passages,) = self._all(
            "SELECT count(*) FROM documents d JOIN passages p ON p.id >= d.seq << ?2 AND p.id < (d.seq + 1) << ?2 "
            "WHERE d.born <= ?1 AND d.died > ?1",
            (generation, ORDINAL_BITS),
        )
        return documents[0], passages[0]

    def _sure(self, found: dict[int, Any], number: int) -> Any:
        if number not in found:
            raise StorageError(
                f"the index {str(self._folder)!r} has lost a row ({number}) that its derived files speak of; run "
                f"`epochal check`"
            )
        return found[number]


def _distinct(values: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(values))


def _document(row: Sequence[Any]) -> Document:
    id, text, title, published, valid, series, meta = row
    return Document(
        id,
        text,
        title,
        None if published is None else unpack_span(published),
        None if valid is None else unpack_span(valid),
        series,
        json.loads(meta),
    )
