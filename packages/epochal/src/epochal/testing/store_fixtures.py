"""Made collections: documents with all kinds of times, words and vectors, the same for the same seed.

What the cases work with: empty backends of the kind that is tried, one that is filled, and a reference beside it.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.protocol import Backend, View
from epochal.storage.records import TITLE, Dating, Document, Entry, Passage
from epochal.storage.store import Store
from epochal.times.span import Span

#: The length of the vectors of made documents, of their prefixes, and what their encoder is called. All lengths are
#: multiples of 16: as some builds of pgvector have it, others end the server on processors that they were not made for.
DIM: Final = 48
DIMS: Final = 16
ENCODER: Final = "made"
#: Words of texts and of queries: stems that meet, accents, numbers, and scripts that do not part their words.
WORDS: Final = (
    "tariff tariffs ship ships king harvest flood floods treaty march comet plague bridge council harbour election "
    "winter tax the of in café naïve 1998 44 永樂元年 天津條約 ทดสอบ O'Brien x"
).split()
#: Times of every kind: before our era, deep time, open and unknown ends, uncertain ones, seconds and centuries.
SPANS: Final = tuple(
    Span.parse(text)
    for text in (
        "1998 1998-03 1998-03-05 2004-06-01T12:30:00Z -0043 -0043-03-15 -0899/-0500 0001 0000 9999-12-31 Y-66000000 "
        "1985/.. ../1066 1985/ /2001 ../.. 1984? 1984~ 2004-06%/2006 19XX 199X 2001-21 1939-09-01/1945-09-02 1914/1918"
    ).split()
)


def build_vector(text: str, dim: int = DIM) -> npt.NDArray[np.float32]:
    """A vector of length 1 that depends on a text alone."""
    sampled = np.random.default_rng(zlib.crc32(text.encode(errors="replace"))).standard_normal(dim)
    return np.asarray(sampled / np.linalg.norm(sampled), dtype=np.float32)


class SyntheticEncoder:
    """An encoder without a model: each word has a direction, and a text lies between those of its words."""

    name = ENCODER
    dim = DIM

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text."""
        vectors = np.zeros((len(texts), DIM), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            words = text.lower().split()
            if words:
                total = np.sum([build_vector(word).astype(np.float64) for word in words], axis=0)
                row[:] = total / max(float(np.linalg.norm(total)), 1e-9)
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As documents are."""
        return self.encode_documents(texts)


def build_entry(id: str, version: int = 1, dim: int = DIM) -> Entry:
    """An entry that depends on its id and version alone: some passages, with some times and a vector each."""
    rng = random.Random(f"{id}/{version}")
    count = rng.choice((0, 1, 1, 2, 2, 3, 5)) if version % 2 else rng.randint(1, 3)
    parts = [_make_sentence(rng) for _ in range(count)]
    title = rng.choice(("", f"{id} title", " ".join(rng.choices(WORDS, k=2))))
    text = "\n".join(parts)
    passages, start = [], 0
    for part in parts:
        passages.append(Passage(start, start + len(part), _make_datings(rng, len(part), bool(title))))
        start += len(part) + 1
    meta = {"version": version, "place": WORDS[len(text) % len(WORDS)], "nested": {"a": [1, 2.5, None, True, "永"]}}
    document = Document(
        id,
        text,
        title,
        rng.choice((None, *SPANS)) if rng.random() < 0.7 else None,
        rng.choice(SPANS) if rng.random() < 0.3 else None,
        rng.choice((None, None, "acts", "laws", f"series {id[-1]}")),
        meta if rng.random() < 0.8 else {},
    )
    # A vector of a few: equal vectors have equal products, and so there are ties.
    vectors = np.array([build_vector(f"{rng.randrange(40)}", dim) for _ in parts], np.float32).reshape(len(parts), dim)
    keys = tuple(zlib.crc32(vector.tobytes()).to_bytes(4, "big") for vector in vectors)
    return Entry(document, tuple(passages), vectors, keys) if dim else Entry(document, tuple(passages))


def _make_sentence(rng: random.Random) -> str:
    words = rng.choices(WORDS, k=rng.choice((1, 3, 6, 9, 20, 45, 90)))
    breaks = rng.sample(range(len(words)), k=len(words) // 8)
    return " ".join(f"{word}." if position in breaks else word for position, word in enumerate(words)) + "."


def _make_datings(rng: random.Random, size: int, has_title: bool) -> tuple[Dating, ...]:
    datings = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        start = rng.randrange(size)
        datings.append(
            Dating(rng.choice(SPANS), start, min(size, start + rng.randint(0, 6)), rng.choice((1.0, 0.5, 0.1)))
        )
    if has_title and rng.random() < 0.2:
        datings.append(Dating(rng.choice(SPANS), TITLE, TITLE))
    return tuple(datings)


def build_entries(count: int, seed: int = 0, dim: int = DIM) -> list[Entry]:
    """So many entries."""
    return [build_entry(f"{seed}-d{number}", dim=dim) for number in range(count)]


def spread_rows(rows: npt.NDArray[np.int64], share: float, seed: int) -> npt.NDArray[np.int64]:
    """About a share of the rows, ascending; at least one where there is any."""
    if not len(rows):
        return rows
    sampled = np.random.default_rng(seed).choice(rows, max(1, round(share * len(rows))), replace=False)
    return np.asarray(np.sort(sampled), dtype=np.int64)


#: Makes an empty backend, open for writing, from the name of an encoder and the length of its vectors.
Make = Callable[[str, int], Backend]
#: Opens a backup.
Open = Callable[[Path], Backend]
#: Opens once more what was closed.
Reopen = Callable[[Backend], Backend]


class Bench:
    """Backends for the cases of one run. Whatever was made is closed in the end."""

    def __init__(self, make: Make, folder: Path, open_backup: Open, reopen: Reopen | None = None) -> None:
        self._make = make
        self._reopen = reopen
        self.folder = folder
        self.open_backup = open_backup
        self._made: list[Backend] = []
        self._kept: list[Backend] = []

    def empty(self, dim: int = DIM, *, keep: bool = False) -> Backend:
        """A new backend with nothing in it; for one case, unless it is to be kept for others."""
        backend = self._make(ENCODER if dim else "", dim)
        (self._kept if keep else self._made).append(backend)
        return backend

    def reopened(self, backend: Backend) -> Backend | None:
        """A backend, closed and opened again; None where nobody has said how."""
        if self._reopen is None:
            return None
        backend.close()
        opened = self._reopen(backend)
        self._made.append(opened)
        return opened

    def store(self, name: str, dim: int = DIM) -> Store:
        """A new embedded store, to compare with."""
        opened = Store.create(self.folder / name, ENCODER if dim else "", dim)
        self._kept.append(opened)
        return opened

    @cached_property
    def filled(self) -> View:
        """Many documents of which some were replaced and some deleted; for cases that only read."""
        backend = self.empty(keep=True)
        fill(backend)
        return backend.view()

    @cached_property
    def expected(self) -> dict[str, Entry]:
        """What `filled` holds."""
        return filling()

    @cached_property
    def reference(self) -> View:
        """What `filled` holds, in the embedded store, written in the same steps."""
        store = self.store("reference")
        fill(store)
        return store.view()

    def end_case(self) -> None:
        """Close what was made for one case: a server has no connections to spare."""
        while self._made:
            self._made.pop().close()

    def close(self) -> None:
        """Close whatever was made."""
        self.end_case()
        while self._kept:
            self._kept.pop().close()


def fill(backend: Backend) -> None:
    """Write the documents of `Bench.filled`."""
    entries = build_entries(90)
    backend.add(entries[:40])
    with backend.bulk():
        backend.add(entries[40:70])
        backend.add(entries[70:])
    backend.delete([entry.document.id for entry in entries[::7]])
    backend.add([build_entry(entry.document.id, 2) for entry in entries[::5]])


def filling() -> dict[str, Entry]:
    """The entries that are there after `fill`."""
    entries = build_entries(90)
    held = {entry.document.id: entry for number, entry in enumerate(entries) if number % 7}
    return held | {entry.document.id: build_entry(entry.document.id, 2) for entry in entries[::5]}


def unlike(what: str, actual: Any, expected: Any) -> str:
    """What is wrong where something must be equal to something else."""
    return "" if actual == expected else f"{what} is {_format_value(actual)}, but must be {_format_value(expected)}"


def _format_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


def refused(what: str, call: Callable[[], object], words: str = "") -> str:
    """What is wrong where something must be refused with an EpochalError of one line that has some words in it."""
    try:
        call()
    except EpochalError as error:
        message = str(error)
        if words not in message or "\n" in message.strip() or not message:
            return f"{what} is refused with {_format_value(message)}, which must be one line that says {words!r}"
        return ""
    except Exception as error:  # noqa: BLE001  # whatever else it raises is what is wrong
        return f"{what} raises {type(error).__name__}: {_format_value(str(error))}, which is no EpochalError"
    return f"{what} is not refused"


def whole(view: View, expected: Mapping[str, Entry]) -> Iterator[str]:
    """Compare all that a view holds, and how its parts agree, with the entries that it must hold."""
    documents = view.alive_documents
    yield unlike("alive_documents in ascending order", documents.tolist(), sorted(set(documents.tolist())))
    yield unlike("document_count", view.document_count, len(expected))
    stored = view.get_entries(documents)
    yield unlike("the set of ids", {entry.document.id for entry in stored}, set(expected))
    yield unlike("get_documents(alive_documents)", view.get_documents(documents), [entry.document for entry in stored])
    for entry in stored:
        expected_entry = expected.get(entry.document.id)
        if expected_entry is not None:
            yield from _compare_entries(entry, expected_entry)
    rows = view.get_passage_rows(documents)
    yield unlike("alive", view.alive.tolist(), sorted(rows.tolist()))
    yield unlike("passage_count", view.passage_count, sum(len(entry.passages) for entry in stored))
    counts = [len(entry.passages) for entry in stored]
    yield unlike(
        "get_document_rows(get_passage_rows())",
        view.get_document_rows(rows).tolist(),
        np.repeat(documents, counts).tolist(),
    )
    yield from _compare_passages(view, rows, stored, documents.tolist())
    yield from _compare_times(view, stored, documents.tolist(), rows.tolist())


def _compare_entries(entry: Entry, expected: Entry) -> Iterator[str]:
    name = entry.document.id
    yield unlike(f"document {name!r}", entry.document, expected.document)
    yield unlike(f"the passages of {name!r}", entry.passages, expected.passages)
    if expected.keys:
        yield unlike(f"the keys of {name!r}", entry.keys, expected.keys)
    if expected.vectors is not None and len(expected.vectors):
        same = entry.vectors is not None and np.array_equal(entry.vectors, expected.vectors)
        yield "" if same else f"the vectors of {name!r} are not those that were stored, bit by bit"


def _compare_passages(view: View, rows: Any, stored: Sequence[Entry], documents: list[int]) -> Iterator[str]:
    passages, texts = view.get_passages(rows), view.get_texts(rows)
    expected = [
        (document, ordinal, passage, entry.document)
        for document, entry in zip(documents, stored, strict=True)
        for ordinal, passage in enumerate(entry.passages)
    ]
    yield unlike("the rows of passages()", [stored_passage.row for stored_passage in passages], rows.tolist())
    for stored_passage, text, (row, ordinal, passage, document) in zip(passages, texts, expected, strict=True):
        own = document.text[passage.start_char : passage.end_char]
        actual = (
            stored_passage.document_row,
            stored_passage.ordinal,
            stored_passage.text,
            stored_passage.start_char,
            stored_passage.datings,
        )
        position = f"passage {ordinal} of {document.id!r}"
        yield unlike(position, actual, (row, ordinal, own, passage.start_char, passage.datings))
        yield unlike(f"texts() of {position}", tuple(text), (document.title, own, passage.start_char))


def _compare_times(view: View, stored: Sequence[Entry], documents: list[int], rows: list[int]) -> Iterator[str]:
    positions = iter(rows)
    dated = [(next(positions), passage.datings) for entry in stored for passage in entry.passages]
    content = [(row, item) for row, datings in sorted(dated, key=lambda pair: pair[0]) for item in datings]
    table = view.content
    yield unlike("the rows of content", table.rows.tolist(), [row for row, _ in content])
    yield unlike("the spans of content", list(table.spans), [item.span for _, item in content])
    yield unlike("the start_chars of content", table.start_chars.tolist(), [item.start_char for _, item in content])
    yield unlike("the end_chars of content", table.end_chars.tolist(), [item.end_char for _, item in content])
    near = np.allclose(table.spans.weights, [item.confidence for _, item in content], rtol=0, atol=1e-6)
    yield "" if near else "the weights of content are not the confidences that were stored"
    for name, table in (("published", view.published), ("valid", view.valid)):
        present = _drop_missing((getattr(entry.document, name) for entry in stored), documents)
        yield unlike(f"the rows of {name}", table.rows.tolist(), [row for row, _ in present])
        yield unlike(f"the spans of {name}", list(table.spans), [span for _, span in present])
        yield unlike(f"the start_chars of {name}", set(table.start_chars.tolist()) - {-1}, set())


def _drop_missing(spans: Iterable[Any], rows: list[int]) -> list[tuple[int, Any]]:
    return [(row, span) for row, span in zip(rows, spans, strict=True) if span is not None]
