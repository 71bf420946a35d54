"""Other search engines that run in a process, as `speed.py` compares them: words, and a filter by date where they can.

tantivy with a fast field of days and a range query; SQLite's FTS5 with an indexed column of days; bm25s, which has no
filter; LanceDB's hybrid of words and the vectors that Epochal has, too, with a condition on days. The last two only if
they are installed. They read no question: they are given its words, and the days that it asks for. Nothing of Epochal
is imported here but the encoder that LanceDB is given, so that a cold search costs what the engine costs.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from epochal.storage.records import Document
    from epochal.times import Span

#: The days that a question asks for, the first and the last.
Days = tuple[int, int]
DEPTH = 10
DAY = 86_400


class Peer(Protocol):
    """A search engine over an index that it has built."""

    def __init__(self, folder: Path) -> None:
        """Open what `build` has written."""
        ...

    @staticmethod
    def build(folder: Path, documents: Sequence[Document]) -> None: ...

    def search(self, words: str, days: Sequence[Days]) -> int:
        """Search the words once for each range of days, or once for all; the number of hits."""
        ...


def to_days(span: Span) -> Days:
    return span.start // DAY, (span.end - 1) // DAY


class Tantivy:
    """tantivy, with a fast field of days."""

    @staticmethod
    def build(folder: Path, documents: Sequence[Document]) -> None:
        import tantivy

        folder.mkdir()
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
        builder.add_integer_field("day", stored=False, indexed=True, fast=True)
        schema = builder.build()
        writer = tantivy.Index(schema, str(folder)).writer(128_000_000, num_threads=1)
        for document in documents:
            day = 0 if document.published is None else document.published.start // DAY
            fields = {"id": document.id, "body": f"{document.title} {document.text}", "day": day}
            writer.add_document(tantivy.Document.from_dict(fields, schema))
        writer.commit()
        writer.wait_merging_threads()

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._index = tantivy.Index.open(str(folder))
        self._schema = self._index.schema
        self._searcher = self._index.searcher()

    def search(self, words: str, days: Sequence[Days]) -> int:
        import tantivy

        query, _ = self._index.parse_query_lenient(words, ["body"])
        found = 0
        for low, high in days or [(None, None)]:
            within = query
            if low is not None:
                among = tantivy.Query.range_query(self._schema, "day", tantivy.FieldType.Integer, low, high)
                filtered = tantivy.Query.const_score_query(among, 0.0)
                within = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, filtered)])
            hits = self._searcher.search(within, DEPTH).hits
            found += len([self._searcher.doc(address)["id"] for _, address in hits])
        return found


class Fts5:
    """SQLite's FTS5, with an indexed column of days beside it."""

    @staticmethod
    def build(folder: Path, documents: Sequence[Document]) -> None:
        folder.mkdir()
        connection = sqlite3.connect(folder / "words.db")
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='porter unicode61')")
        connection.execute("CREATE TABLE days (number INTEGER PRIMARY KEY, id TEXT, day INTEGER)")
        connection.executemany(
            "INSERT INTO words(rowid, body) VALUES (?, ?)",
            ((number, f"{item.title} {item.text}") for number, item in enumerate(documents)),
        )
        connection.executemany("INSERT INTO days VALUES (?, ?, ?)", _list_days(documents))
        connection.execute("CREATE INDEX by_day ON days(day)")
        connection.commit()
        connection.close()

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "words.db")

    def search(self, words: str, days: Sequence[Days]) -> int:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", words))
        statement = (
            "SELECT id FROM words JOIN days ON number = words.rowid WHERE words MATCH ? {} ORDER BY rank LIMIT ?"
        )
        if not days:
            return len(self._connection.execute(statement.format(""), (match, DEPTH)).fetchall())
        limited = statement.format("AND day BETWEEN ? AND ?")
        return sum(len(self._connection.execute(limited, (match, *pair, DEPTH)).fetchall()) for pair in days)


def _list_days(documents: Sequence[Document]) -> Iterator[tuple[int, str, int]]:
    for number, item in enumerate(documents):
        yield number, item.id, 0 if item.published is None else item.published.start // DAY


class Bm25s:
    """bm25s, with its own tokeniser; days are not looked at."""

    @staticmethod
    def build(folder: Path, documents: Sequence[Document]) -> None:
        import bm25s

        tokens = bm25s.tokenize([f"{item.title} {item.text}" for item in documents], show_progress=False)
        index = bm25s.BM25()
        index.index(tokens, show_progress=False)
        index.save(str(folder))

    def __init__(self, folder: Path) -> None:
        import bm25s

        self._bm25s = bm25s
        self._index = bm25s.BM25.load(str(folder))

    def search(self, words: str, days: Sequence[Days]) -> int:
        tokens = self._bm25s.tokenize([words], show_progress=False)
        found, _ = self._index.retrieve(tokens, k=DEPTH, show_progress=False, n_threads=1)
        return len(found[0])


class Lance:
    """LanceDB: words and vectors, merged by its own rank fusion; the vectors are searched without an index."""

    @staticmethod
    def build(folder: Path, documents: Sequence[Document]) -> None:
        import lancedb
        import pyarrow

        from epochal.encoders import encoder

        texts = [f"{item.title} {item.text}" for item in documents]
        vectors = encoder("static").encode_documents(texts)
        listed = list(_list_days(documents))
        flat = pyarrow.array(vectors.reshape(-1))
        rows = pyarrow.table(
            {
                "id": [item for _, item, _ in listed],
                "body": texts,
                "day": [day for _, _, day in listed],
                "vector": pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            }
        )
        table = lancedb.connect(str(folder)).create_table("documents", data=rows)
        table.create_fts_index("body", stem=True)
        table.create_scalar_index("day")

    def __init__(self, folder: Path) -> None:
        import lancedb

        from epochal.encoders import encoder

        self._encoder = encoder("static")
        self._table = lancedb.connect(str(folder)).open_table("documents")

    def search(self, words: str, days: Sequence[Days]) -> int:
        vector = self._encoder.encode_queries([words])[0]
        found = 0
        for pair in days or [None]:
            query = self._table.search(query_type="hybrid").vector(vector).text(words)
            if pair is not None:
                query = query.where(f"day >= {pair[0]} AND day <= {pair[1]}", prefilter=True)
            found += len(query.limit(DEPTH).to_arrow())
        return found


#: Peers by name, and what each needs besides Epochal.
PEERS: dict[str, tuple[type[Peer], str]] = {
    "tantivy, words and days": (Tantivy, "tantivy"),
    "SQLite FTS5, words and days": (Fts5, "sqlite3"),
    "bm25s, words": (Bm25s, "bm25s"),
    "LanceDB, words, vectors and days": (Lance, "lancedb"),
}
