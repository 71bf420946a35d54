"""The columns that every search needs, in memory: which passage belongs to which document, and all times.

They are read from the server on first use, and after that only what is new. A passage takes about 20 bytes, a time 100
and a document 60.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.storage.protocol import Rows, SpanTable
from epochal.storage.records import DATING, SPAN
from epochal.times.spanset import SpanSet

Table = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_BLOB: Final = "V"
#: Rows that travel as one value.
_TOGETHER: Final = 4096


@dataclass(frozen=True, slots=True)
class _Kind:
    """Where the columns of one kind come from: the bytes of a row's fields, in the order of the fields."""

    table: str
    packed: str
    fields: tuple[tuple[str, str], ...]
    order: str = "row"
    where: str = ""
    of_documents: bool = True

    @property
    def select(self) -> str:
        # A message a row would take longer to receive than to read: thousands of rows travel as one value.
        return (
            f"SELECT string_agg({self.packed}, ''::bytea ORDER BY {self.order}) FROM epochal.{self.table} "
            f"WHERE space = %s AND row >= %s AND row < %s{self.where} GROUP BY row / {_TOGETHER} "
            f"ORDER BY row / {_TOGETHER}"
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(list(self.fields))


_KINDS: Final = {
    "documents": _Kind(
        "documents",
        "int8send(first_passage) || int4send(passages) || int8send(series_code) || int8send(died)",
        (("first", ">i8"), ("passages", ">i4"), ("series", ">i8"), ("died", ">i8")),
    ),
    "passages": _Kind(
        "passages",
        "int8send(document) || int2send(length_code)",
        (("document", ">i8"), ("length", ">i2")),
        of_documents=False,
    ),
    "content": _Kind(
        "times",
        "int8send(row) || dating || int4send(token) || int4send(tokens)",
        (("row", ">i8"), ("span", f"{_BLOB}{DATING.itemsize}"), ("token", ">i4"), ("tokens", ">i4")),
        order="row, place",
        of_documents=False,
    ),
    **{
        name: _Kind(
            "documents",
            f"int8send(row) || {name}",
            (("row", ">i8"), ("span", f"{_BLOB}{SPAN.itemsize}")),
            where=f" AND {name} IS NOT NULL",
        )
        for name in ("published", "valid")
    },
}


class Columns:
    """The columns of one state. Those that `before`, an earlier state of the same space, has read are taken over."""

    def __init__(self, moment: PostgresSnapshot, before: Columns | None) -> None:
        self._moment = moment
        self._state = moment.state
        self._known: dict[str, tuple[int, Table]] = {}
        #: When documents died, as it was known in a generation, for those there were then.
        self._deaths: tuple[int, Rows] | None = None
        if before is not None:
            self._known = dict(before._known)
            self._deaths = before._deaths

    def _load_table(self, name: str) -> Table:
        kind = _KINDS[name]
        past = self._state.seen_documents if kind.of_documents else self._state.seen_passages
        done, table = self._known.get(name, (0, None))
        if done < past:
            fetched = self._moment.fetch(kind.select, (self._state.space, done, past))
            with self._moment.reading():
                fresh = np.frombuffer(b"".join(part for (part,) in fetched), dtype=kind.dtype)
            native = np.empty(len(fresh), dtype=[(field, _get_native_dtype(what)) for field, what in kind.fields])
            for field, _ in kind.fields:
                native[field] = fresh[field]
            if name in ("documents", "passages") and len(native) != past - done:
                raise self._moment.lost(f"{name}: of {past - done:,} from {done:,} on there are {len(native):,}")
            table = native if table is None else np.concatenate([table, native])
            self._known[name] = past, table
        if table is None:
            table = np.empty(0, dtype=[(field, _get_native_dtype(what)) for field, what in kind.fields])
        return table

    # ---------------------------------------------------------------- rows

    @cached_property
    def _documents(self) -> Table:
        table = self._load_table("documents")
        if self._deaths is None:
            self._deaths = self._state.seen_generation, table["died"]
        return table

    @cached_property
    def _passages(self) -> Table:
        return self._load_table("passages")

    @cached_property
    def firsts(self) -> Rows:
        """The first passage of each document."""
        return np.ascontiguousarray(self._documents["first"])

    @cached_property
    def sizes(self) -> Rows:
        """How many passages each document has."""
        return self._documents["passages"].astype(np.int64)

    @cached_property
    def series(self) -> Rows:
        """The code of each document's series."""
        return np.ascontiguousarray(self._documents["series"])

    @cached_property
    def owners(self) -> Rows:
        """The document of each passage."""
        return np.ascontiguousarray(self._passages["document"])

    @cached_property
    def lengths(self) -> npt.NDArray[np.int16]:
        """The code of each passage's length."""
        return np.ascontiguousarray(self._passages["length"])

    @cached_property
    def died(self) -> Rows:
        """The generation in which each document died; what died after this state may or may not be included."""
        died = np.array(self._documents["died"])
        if self._deaths is not None:
            since, deaths = self._deaths
            died[: len(deaths)] = deaths
            for row, generation in self._moment.fetch(
                "SELECT row, died FROM epochal.documents WHERE space = %s AND died > %s AND died <= %s AND row < %s",
                (self._state.space, since, self._state.seen_generation, self._state.seen_documents),
            ):
                died[row] = generation
        self._deaths = self._state.seen_generation, died
        return died

    @cached_property
    def is_alive_document(self) -> Mask:
        """Which documents are there."""
        return np.asarray(self.died > self._state.seen_generation)

    @cached_property
    def is_alive(self) -> Mask:
        """Which passages are there."""
        with self._moment.reading():
            return np.asarray(self.is_alive_document[self.owners])

    # ---------------------------------------------------------------- times

    @cached_property
    def content(self) -> SpanTable:
        """The times that passages mention."""
        return self._make_span_table("content", DATING)

    @cached_property
    def published(self) -> SpanTable:
        """When documents were published."""
        return self._make_span_table("published", SPAN)

    @cached_property
    def valid(self) -> SpanTable:
        """The interval for which documents are valid."""
        return self._make_span_table("valid", SPAN)

    @cached_property
    def contexts(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Where in the codes of its passage the context of each time in `content` begins, and how long it is."""
        table = self._select_alive_rows("content")
        return table["token"], table["tokens"]

    def _select_alive_rows(self, name: str) -> Table:
        table = self._load_table(name)
        if not self._state.seen_dead_documents:
            return table
        alive = self.is_alive if name == "content" else self.is_alive_document
        return np.asarray(table[alive[table["row"]]])

    def _make_span_table(self, name: str, packed: np.dtype[Any]) -> SpanTable:
        with self._moment.reading():
            return _build_span_table(self._select_alive_rows(name), packed)


def _build_span_table(table: Table, packed: np.dtype[Any]) -> SpanTable:
    spans = np.ascontiguousarray(table["span"]).view(packed)
    nowhere = np.full(len(table), -1, dtype=np.int32)
    has_positions = "start_char" in (packed.names or ())
    return SpanTable(
        SpanSet(
            np.ascontiguousarray(spans["start"]),
            np.ascontiguousarray(spans["end"]),
            grains=np.ascontiguousarray(spans["grain"]),
            end_grains=np.ascontiguousarray(spans["end_grain"]),
            certainties=np.ascontiguousarray(spans["certainty"]),
            end_certainties=np.ascontiguousarray(spans["end_certainty"]),
            weights=np.ascontiguousarray(spans["confidence"]) if "confidence" in (packed.names or ()) else 1.0,
        ),
        np.ascontiguousarray(table["row"]),
        np.ascontiguousarray(spans["start_char"]) if has_positions else nowhere,
        np.ascontiguousarray(spans["end_char"]) if has_positions else nowhere,
    )


def _get_native_dtype(kind: str) -> str:
    return kind.replace(">", "=")
