"""Cases of input: odd documents come back equal, and one wrong entry stores nothing of its call.

Cases of writing: what is added, replaced and deleted, when it is seen, and what is left when it is tidied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from epochal.errors import EpochalError
from epochal.storage.protocol import Backend
from epochal.storage.records import Dating, Document, Entry, Passage
from epochal.testing.store_fixtures import (
    DIM,
    ENCODER,
    SPANS,
    Bench,
    build_entries,
    build_entry,
    build_vector,
    refused,
    unlike,
    whole,
)
from epochal.times.span import Span


def _make_entry(id: str, text: str = "Tariffs rise.", **fields: Any) -> Entry:
    return Entry(Document(id, text, **fields), (Passage(0, len(text)),), build_vector(text)[None])


def _make_dated_entry(span: Any, end: int = 1, confidence: float = 1.0) -> Entry:
    passage = Passage(0, 1, (Dating(span, 0, end, confidence),))
    return Entry(Document("x", "t"), (passage,), np.ones((1, DIM), np.float32))


def _make_vector_entry(vectors: Any, keys: Any = None) -> Entry:
    return Entry(Document("x", "t"), (Passage(0, 1),), vectors, keys)


_ONES = np.ones((1, DIM), np.float32)
#: What must be refused, by the words that the sentence must have.
WRONG: dict[str, Sequence[Entry]] = {
    "document 'x' is given twice": [_make_entry("x"), _make_entry("x", "Other text.")],
    "document 'x' hold a number that is not finite": [
        _make_entry("ok"),
        _make_vector_entry(np.full((1, DIM), np.nan, np.float32)),
    ],
    "document 'x' hold a number": [_make_vector_entry(np.full((1, DIM), 1e300))],
    "document 'x' have the shape (1, 3)": [_make_vector_entry(np.ones((1, 3)))],
    f"document 'x' have the shape (2, {DIM})": [_make_vector_entry(np.ones((2, DIM)))],
    "document 'x' comes without vectors": [_make_vector_entry(None)],
    "passage 0 of document 'x' runs from 0 to 2": [Entry(Document("x", "t"), (Passage(0, 2),), _ONES)],
    "passage 0 of document 'x' runs from 1 to 0": [Entry(Document("x", "t"), (Passage(1, 0),), _ONES)],
    "a dating of passage 0 of document 'x' runs from 0 to 5": [_make_dated_entry(Span.year(1), 5)],
    "confidence nan": [_make_dated_entry(Span.year(1), 1, float("nan"))],
    "must have a Span, but has 1998": [_make_dated_entry(1998)],
    "document 'x' has 1 passages, but 2 keys": [_make_vector_entry(_ONES, (b"1", b"2"))],
    "keys of document 'x' must be bytes": [_make_vector_entry(_ONES, ("k",))],
    "series of document 'x' must be a text": [_make_entry("ok"), _make_entry("x", series=7)],
    "meta of document 'x' must be a mapping": [_make_entry("ok"), _make_entry("x", meta=["a"])],
    "document 'x' holds half a character": [_make_entry("ok"), _make_entry("x", "half \udfff")],
    "the meta of document 'x' is nothing that JSON can hold": [_make_entry("ok"), _make_entry("x", meta={"a": {1, 2}})],
    "of document 'x' is nothing that JSON can hold": [_make_entry("ok"), _make_entry("x", meta={"a": float("nan")})],
}


def one_wrong_entry_stores_nothing(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a")])
    generation = backend.view().generation
    # Other entries go with the wrong one, so that each part of a backend in parts has some.
    others = [_make_entry(f"other {number}") for number in range(8)]
    for words, entries in WRONG.items():
        yield refused(f"an entry of which must be said that {words}", partial(backend.add, [*others, *entries]), words)
    yield unlike("the generation after refusals", backend.view().generation, generation)
    yield from whole(backend.view(), {"a": build_entry("a")})
    backend.add([build_entry("b")])
    yield from whole(backend.view(), {"a": build_entry("a"), "b": build_entry("b")})


def ids_to_delete_must_be_texts(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a")])
    yield refused("deleting by a number", lambda: backend.delete(["a", 7]), "must be a text, but 7")  # type: ignore[list-item]
    yield refused("deleting by a single text", lambda: backend.delete("a"), "write ['a']")
    yield unlike("what deleting half a character returns", backend.delete(["\ud800"]), 0)
    yield from whole(backend.view(), {"a": build_entry("a")})


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
    entries = [_make_odd_entry(number, text) for number, text in enumerate(odd)]
    backend.add(entries)
    view = backend.view()
    yield from whole(view, {entry.document.id: entry for entry in entries})
    for entry in entries:
        yield unlike(f"get_document({entry.document.id[:20]!r})", view.get_document(entry.document.id), entry.document)
        members = view.get_series_rows(view.get_series_code(entry.document.series or ""))
        yield unlike("the documents of an odd series", entry.document in view.get_documents(members), True)
    ids = [entry.document.id for entry in entries]
    yield unlike("get_content_hashes of odd ids", set(backend.get_content_hashes(ids)), set(ids))
    yield unlike("how many odd ids are deleted", backend.delete(ids), len(ids))
    yield from whole(backend.view(), {})


def _make_odd_entry(number: int, text: str) -> Entry:
    # What names things, and is looked up by, need not hold a NUL: see the next case.
    name = text.replace("\0", " ")[:200]
    document = Document(f"{number} {name}", text, text[:500], None, None, name, {text[:50]: [text[:50], number]})
    return Entry(
        document, (Passage(0, len(text)), Passage(0, 0)), np.array([build_vector(text), build_vector("other")])
    )


def names_with_nul_are_held_or_refused(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    others = {f"other {number}": _make_entry(f"other {number}") for number in range(8)}
    for wrong in (_make_entry("nul \0"), _make_entry("nul", series="nul \0")):
        id = wrong.document.id
        try:
            backend.add([*others.values(), wrong])
        except EpochalError:
            yield from whole(backend.view(), {})
        else:
            yield from whole(backend.view(), {**others, id: wrong})
            backend.delete([*others, id])
    yield unlike("get_document() of an id with a NUL", backend.view().get_document("nul \0"), None)
    yield unlike("document_rows() of an id with a NUL", backend.view().find_document_rows(["nul \0"]).tolist(), [-1])
    yield unlike("get_content_hashes of an id with a NUL", dict(backend.get_content_hashes(["nul \0"])), {})
    yield unlike("what deleting an id with a NUL returns", backend.delete(["nul \0"]), 0)
    yield unlike(
        "the code of a series with a NUL",
        backend.view().get_series_rows(backend.view().get_series_code("nul \0")).tolist(),
        [],
    )


def every_span_comes_back_equal(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = [
        Entry(
            Document(f"s{number}", "At that time.", published=span, valid=span),
            (Passage(0, 13, (Dating(span, 3, 12, 0.1), Dating(span, -1, -1))),),
            build_vector(str(number))[None],
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


def an_empty_backend_has_nothing(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    view = backend.view()
    yield unlike("encoder_name and dim", (backend.encoder_name, backend.dim), (ENCODER, DIM))
    yield unlike("the view's encoder_name and dim", (view.encoder_name, view.dim), (ENCODER, DIM))
    yield from whole(view, {})
    yield unlike("search_words() of nothing", view.search_words("tariff", 5).rows.tolist(), [])
    yield unlike("search_vectors() of nothing", view.search_vectors(build_vector("x"), 5).rows.tolist(), [])
    yield unlike("get_document_frequencies of nothing", view.get_document_frequencies(["tariff"]), {"tariff": 0})
    yield unlike("get_document() of nothing", view.get_document("d1"), None)
    yield unlike("document_rows() of nothing", view.find_document_rows(["d1"]).tolist(), [-1])
    yield unlike("iterate() of nothing", [len(batch) for batch in view.iterate()], [])


def what_is_added_is_there(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = build_entries(30, 1)
    yield unlike("what add returns", backend.add(entries), 30)
    yield from whole(backend.view(), {entry.document.id: entry for entry in entries})
    yield unlike("what an empty add returns", backend.add([]), 0)


def an_id_names_one_document(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a"), build_entry("b")])
    yield unlike("what add returns for one that replaces", backend.add([build_entry("a", 2), build_entry("c")]), 2)
    held = {"a": build_entry("a", 2), "b": build_entry("b"), "c": build_entry("c")}
    yield from whole(backend.view(), held)
    backend.add([build_entry("a", 2)])
    yield from whole(backend.view(), held)


def what_is_deleted_is_gone(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a"), build_entry("b")])
    yield unlike("what delete returns", backend.delete(["b", "nobody", "b"]), 1)
    yield unlike("what deleting once more returns", backend.delete(["b"]), 0)
    yield unlike("what deleting nothing returns", backend.delete([]), 0)
    yield from whole(backend.view(), {"a": build_entry("a")})
    backend.add([build_entry("b", 2)])
    yield from whole(backend.view(), {"a": build_entry("a"), "b": build_entry("b", 2)})


def documents_without_passages_are_documents(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    also = Entry(Document("also", "text"), (), np.empty((0, DIM), np.float32))
    held = {"bare": Entry(Document("bare", ""), ()), "also": also, "a": build_entry("a", 2)}
    backend.add(list(held.values()))
    view = backend.view()
    yield unlike("document_count", view.document_count, 3)
    yield unlike("their passages", view.get_passage_rows(view.find_document_rows(["bare", "also"])).tolist(), [])
    yield unlike("the document", view.get_document("bare"), held["bare"].document)


def an_index_without_vectors(bench: Bench) -> Iterator[str]:
    backend = bench.empty(0)
    backend.add([Entry(Document("a", "Tariffs rise."), (Passage(0, 13),))])
    view = backend.view()
    yield unlike("encoder_name and dim", (view.encoder_name, view.dim), ("", 0))
    yield unlike("search_words()", len(view.search_words("tariff", 3)), 1)
    query = build_vector("x")
    yield refused("search_vectors() without an encoder", lambda: view.search_vectors(query, 3), "without an encoder")
    yield refused("similarities() without an encoder", lambda: view.score_vectors(query, view.alive))
    yield refused("get_vectors() without an encoder", lambda: view.get_vectors(view.alive))
    yield refused("nested() without an encoder", lambda: view.with_dims(2), "without an encoder")
    wrong = Entry(Document("b", "text"), (Passage(0, 4),), query[None])
    yield refused("a vector", lambda: backend.add([wrong]), "document 'b' comes with vectors")


def a_view_does_not_change(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a", 2), build_entry("b", 2)])
    old = backend.view()
    scores = old.search_words("tariff king the", 50).scores.tolist()
    backend.add([build_entry("a", 4), build_entry("c", 2)])
    backend.delete(["b"])
    new = backend.view()
    yield from whole(old, {"a": build_entry("a", 2), "b": build_entry("b", 2)})
    yield unlike("get_document() of what came later", old.get_document("c"), None)
    yield unlike("document_rows() of what came later", old.find_document_rows(["c"]).tolist(), [-1])
    yield unlike("the document that was replaced", old.get_document("a"), build_entry("a", 2).document)
    yield unlike("the scores of before", old.search_words("tariff king the", 50).scores.tolist(), scores)
    yield unlike("search_vectors() of before", len(old.search_vectors(build_vector("x"), 50)), old.passage_count)
    yield from whole(new, {"a": build_entry("a", 4), "c": build_entry("c", 2)})


def a_view_is_kept_while_nothing_changes(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a")])
    first = backend.view()
    yield "" if backend.view() is first else "view() gives another view while nothing has changed"
    backend.delete(["nobody"])
    before = first.generation
    backend.add([build_entry("b")])
    yield "" if backend.view() is not first else "view() gives the old view after a write"
    grown = backend.view().generation > before
    yield "" if grown else f"the generation is {backend.view().generation} after a write, and was {before} before it"


def bulk_writes_are_seen_in_the_end(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("old", 2)])
    with backend.bulk():
        backend.add([build_entry("a", 2)])
        yield unlike("the ids seen inside bulk", _list_ids(backend), {"old"})
        with backend.bulk():
            backend.add([build_entry("b", 2), build_entry("old", 4)])
            backend.delete(["a"])
        yield unlike("the ids seen inside bulk, after one inside it", _list_ids(backend), {"old"})
        yield unlike("the hash of what is stored", list(backend.get_content_hashes(["b", "a"])), ["b"])
    yield from whole(backend.view(), {"b": build_entry("b", 2), "old": build_entry("old", 4)})


def what_was_added_before_a_failure_inside_bulk_is_there(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    try:
        with backend.bulk():
            backend.add([build_entry("a")])
            backend.add([build_entry("b"), build_entry("b")])
    except EpochalError:
        yield from whole(backend.view(), {"a": build_entry("a")})
    else:
        yield "one id twice in a call is not refused"


def a_closed_backend_leaves_its_views(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a", 2)])
    view = backend.view()
    rows = view.alive.tolist()
    backend.close()
    backend.close()
    yield unlike("the rows of a view whose backend is closed", view.alive.tolist(), rows)
    yield refused("view() of a closed backend", backend.view)
    yield refused("add() to a closed backend", lambda: backend.add([build_entry("b")]))


def compact_keeps_what_is_alive(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = build_entries(40, 2)
    backend.add(entries)
    backend.delete([entry.document.id for entry in entries[:25]])
    backend.add([build_entry(entry.document.id, 2) for entry in entries[30:]])
    backend.compact()
    held = {entry.document.id: entry for entry in entries[25:30]}
    held |= {entry.document.id: build_entry(entry.document.id, 2) for entry in entries[30:]}
    yield from whole(backend.view(), held)
    frequency = backend.view().get_document_frequencies(["tariff"])["tariff"]
    yield unlike(
        "the frequency of a word once the dead are removed", frequency, len(backend.view().search_words("tariff", 1000))
    )
    backend.compact()
    backend.add([build_entry("new")])
    yield from whole(backend.view(), held | {"new": build_entry("new")})


def compact_forgets_vectors(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entry = Entry(Document("a", "text"), (Passage(0, 4),), build_vector("one")[None], (b"k1",))
    backend.add([entry])
    stored = backend.get_stored_vectors([b"k1", b"k2", b"k1"])
    yield unlike("the known keys", list(stored), [b"k1"])
    yield unlike("the known vector", stored[b"k1"].tolist(), build_vector("one").tolist())
    yield unlike("the keys known of none asked for", dict(backend.get_stored_vectors([])), {})
    backend.delete(["a"])
    yield unlike("the keys known of what is deleted", list(backend.get_stored_vectors([b"k1"])), [b"k1"])
    backend.compact()
    yield unlike("the keys known once it is removed", list(backend.get_stored_vectors([b"k1"])), [])


def content_hashes_tell_what_is_stored(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = build_entries(20, 3)
    backend.add(entries)
    ids = [entry.document.id for entry in entries]
    hashes = {entry.document.id: entry.document.content_hash() for entry in entries}
    yield unlike("get_content_hashes", dict(backend.get_content_hashes([*ids, "nobody", ids[0]])), hashes)
    changed = build_entry(ids[0], 2)
    backend.add([changed])
    backend.delete([ids[1]])
    expected = {ids[0]: changed.document.content_hash()}
    yield unlike("get_content_hashes after writes", dict(backend.get_content_hashes(ids[:2])), expected)
    yield unlike("get_content_hashes of none", dict(backend.get_content_hashes([])), {})


def a_backup_is_the_present_state(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a", 2), build_entry("b", 2)])
    backend.delete(["b"])
    target = bench.folder / "backup"
    backend.backup(target)
    backend.add([build_entry("c", 2)])
    copy = bench.open_backup(target)
    try:
        yield unlike("encoder_name and dim of a backup", (copy.encoder_name, copy.dim), (ENCODER, DIM))
        yield from whole(copy.view(), {"a": build_entry("a", 2)})
    finally:
        copy.close()
    yield refused("a backup over a backup", lambda: backend.backup(target))
    yield from whole(backend.view(), {"a": build_entry("a", 2), "c": build_entry("c", 2)})


def what_is_closed_is_kept(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    backend.add([build_entry("a", 2), build_entry("b", 2)])
    with backend.bulk():
        backend.delete(["b"])
        backend.add([build_entry("c", 2)])
    again = bench.reopened(backend)
    if again is None:
        return
    yield unlike("encoder_name and dim once it is opened again", (again.encoder_name, again.dim), (ENCODER, DIM))
    yield from whole(again.view(), {"a": build_entry("a", 2), "c": build_entry("c", 2)})
    again.add([build_entry("b", 4)])
    yield from whole(again.view(), {"a": build_entry("a", 2), "b": build_entry("b", 4), "c": build_entry("c", 2)})


def a_view_is_read_by_many_threads(bench: Bench) -> Iterator[str]:
    backend = bench.empty()
    entries = build_entries(20, 4)
    backend.add(entries)
    view = backend.view()
    query = build_vector("7")

    def read(_: int) -> tuple[object, ...]:
        words, near = view.search_words("the king of tariffs", 9), view.search_vectors(query, 9)
        ids = [document.id for document in view.get_documents(view.get_document_rows(words.rows))]
        return ids, words.scores.tolist(), near.rows.tolist(), len(view.content), len(view.get_texts(view.alive))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(read, range(24)))
    yield unlike("the count of different answers to one question", len({repr(answer) for answer in answers}), 1)
    yield from whole(view, {entry.document.id: entry for entry in entries})


def _list_ids(backend: Backend) -> set[str]:
    return {document.id for batch in backend.view().iterate() for document in batch}


WRITING = (
    an_empty_backend_has_nothing,
    what_is_added_is_there,
    an_id_names_one_document,
    what_is_deleted_is_gone,
    documents_without_passages_are_documents,
    an_index_without_vectors,
    content_hashes_tell_what_is_stored,
)
VISIBILITY = (
    a_view_does_not_change,
    a_view_is_kept_while_nothing_changes,
    bulk_writes_are_seen_in_the_end,
    what_was_added_before_a_failure_inside_bulk_is_there,
    a_closed_backend_leaves_its_views,
    a_view_is_read_by_many_threads,
)
UPKEEP = (
    compact_keeps_what_is_alive,
    compact_forgets_vectors,
    a_backup_is_the_present_state,
    what_is_closed_is_kept,
)
