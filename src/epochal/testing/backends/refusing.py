"""Cases of input: odd documents come back equal, and one wrong entry stores nothing of its call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from epochal.errors import EpochalError
from epochal.index.backend import View
from epochal.index.records import Dating, Document, Entry, Passage
from epochal.testing.backends.bench import Bench, refused, unlike, whole
from epochal.testing.backends.made import DIM, SPANS, made_entry, vector_of
from epochal.times import Span

__all__ = ["INPUT"]


def _plain(id: str, text: str = "Tariffs rise.", **fields: Any) -> Entry:
    return Entry(Document(id, text, **fields), (Passage(0, len(text)),), vector_of(text)[None])


def _dated(span: Any, end: int = 1, confidence: float = 1.0) -> Entry:
    passage = Passage(0, 1, (Dating(span, 0, end, confidence),))
    return Entry(Document("x", "t"), (passage,), np.ones((1, DIM), np.float32))


def _vectors(vectors: Any, keys: Any = None) -> Entry:
    return Entry(Document("x", "t"), (Passage(0, 1),), vectors, keys)


_ONES = np.ones((1, DIM), np.float32)
#: What must be refused, by the words that the sentence must have.
WRONG: dict[str, Sequence[Entry]] = {
    "document 'x' is given twice": [_plain("x"), _plain("x", "Other text.")],
    "document 'x' hold a number that is not finite": [_plain("ok"), _vectors(np.full((1, DIM), np.nan, np.float32))],
    "document 'x' hold a number": [_vectors(np.full((1, DIM), 1e300))],
    "document 'x' have the shape (1, 3)": [_vectors(np.ones((1, 3)))],
    f"document 'x' have the shape (2, {DIM})": [_vectors(np.ones((2, DIM)))],
    "document 'x' comes without vectors": [_vectors(None)],
    "passage 0 of document 'x' runs from 0 to 2": [Entry(Document("x", "t"), (Passage(0, 2),), _ONES)],
    "passage 0 of document 'x' runs from 1 to 0": [Entry(Document("x", "t"), (Passage(1, 0),), _ONES)],
    "a dating of passage 0 of document 'x' runs from 0 to 5": [_dated(Span.year(1), 5)],
    "confidence nan": [_dated(Span.year(1), 1, float("nan"))],
    "must have a Span, but has 1998": [_dated(1998)],
    "document 'x' has 1 passages, but 2 keys": [_vectors(_ONES, (b"1", b"2"))],
    "keys of document 'x' must be bytes": [_vectors(_ONES, ("k",))],
    "series of document 'x' must be a text": [_plain("ok"), _plain("x", series=7)],
    "published of document 'x' must be a Span": [_plain("ok"), _plain("x", published="1998")],
    "meta of document 'x' must be a mapping": [_plain("ok"), _plain("x", meta=["a"])],
    "document 'x' holds half a character": [_plain("ok"), _plain("x", "half \udfff")],
    "the meta of document 'x' is nothing that JSON can hold": [_plain("ok"), _plain("x", meta={"a": {1, 2}})],
    "of document 'x' is nothing that JSON can hold": [_plain("ok"), _plain("x", meta={"a": float("nan")})],
}


def one_wrong_entry_stores_nothing(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([made_entry("a")])
    generation = backend.view().generation
    # Other entries go with the wrong one, so that each part of a backend in parts has some.
    others = [_plain(f"other {number}") for number in range(8)]
    for words, entries in WRONG.items():
        yield refused(f"an entry of which must be said that {words}", partial(backend.add, [*others, *entries]), words)
    yield unlike("the generation after refusals", backend.view().generation, generation)
    yield from whole(backend.view(), {"a": made_entry("a")})
    backend.add([made_entry("b")])
    yield from whole(backend.view(), {"a": made_entry("a"), "b": made_entry("b")})


def ids_to_delete_must_be_texts(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([made_entry("a")])
    yield refused("deleting by a number", lambda: backend.delete(["a", 7]), "must be a text, but 7")  # type: ignore[list-item]
    yield refused("deleting by a single text", lambda: backend.delete("a"), "write ['a']")
    yield unlike("what deleting half a character returns", backend.delete(["\ud800"]), 0)
    yield from whole(backend.view(), {"a": made_entry("a")})


def odd_texts_come_back_equal(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    odd = (
        "\x00 a NUL \x00",
        "",
        " \t\r\n\u3000",
        "👩‍👩‍👧 𠮷 \U0010ffff \ufeff \u202e",
        "'; DROP TABLE documents; --",
        "{} {0} %s %(x)s $1 :x ?",
        "back\\slash \\N \\x00 \\.",
        "tab\tand\nline\r\nand\x0b\x0c\x1c\x85\u2028 breaks",
        '"quoted", and, comma',
        "a" * 70_000,
    )
    entries = [_odd(number, text) for number, text in enumerate(odd)]
    backend.add(entries)
    view = backend.view()
    yield from whole(view, {entry.document.id: entry for entry in entries})
    for entry in entries:
        yield unlike(f"document({entry.document.id[:20]!r})", view.document(entry.document.id), entry.document)
        members = view.series_members(view.series_code(entry.document.series or ""))
        yield unlike("the documents of an odd series", entry.document in view.documents(members), True)
    ids = [entry.document.id for entry in entries]
    yield unlike("content_hashes of odd ids", set(backend.content_hashes(ids)), set(ids))
    yield unlike("how many odd ids are deleted", backend.delete(ids), len(ids))
    yield from whole(backend.view(), {})


def _odd(number: int, text: str) -> Entry:
    # What names things, and is looked up by, need not hold a NUL: see the next case.
    name = text.replace("\0", " ")[:200]
    document = Document(f"{number} {name}", text, text[:500], None, None, name, {text[:50]: [text[:50], number]})
    return Entry(document, (Passage(0, len(text)), Passage(0, 0)), np.array([vector_of(text), vector_of("other")]))


def names_with_nul_are_held_or_refused(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    others = {f"other {number}": _plain(f"other {number}") for number in range(8)}
    for wrong in (_plain("nul \0"), _plain("nul", series="nul \0")):
        id = wrong.document.id
        try:
            backend.add([*others.values(), wrong])
        except EpochalError:
            yield from whole(backend.view(), {})
        else:
            yield from whole(backend.view(), {**others, id: wrong})
            backend.delete([*others, id])
    yield unlike("document() of an id with a NUL", backend.view().document("nul \0"), None)
    yield unlike("document_rows() of an id with a NUL", backend.view().document_rows(["nul \0"]).tolist(), [-1])
    yield unlike("content_hashes of an id with a NUL", dict(backend.content_hashes(["nul \0"])), {})
    yield unlike("what deleting an id with a NUL returns", backend.delete(["nul \0"]), 0)
    yield unlike("the code of a series with a NUL", backend.view().series_members(_code(backend.view())).tolist(), [])


def _code(view: View) -> int:
    return view.series_code("nul \0")


def every_span_comes_back_equal(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = [
        Entry(
            Document(f"s{number}", "At that time.", published=span, valid=span),
            (Passage(0, 13, (Dating(span, 3, 12, 0.1), Dating(span, -1, -1))),),
            vector_of(str(number))[None],
        )
        for number, span in enumerate(SPANS)
    ]
    backend.add(entries)
    yield from whole(backend.view(), {entry.document.id: entry for entry in entries})


INPUT = (
    one_wrong_entry_stores_nothing,
    ids_to_delete_must_be_texts,
    odd_texts_come_back_equal,
    names_with_nul_are_held_or_refused,
    every_span_comes_back_equal,
)
