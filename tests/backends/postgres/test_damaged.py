"""Checksums of rows: whatever is altered on the server is named by `check` and by the service, and never adopted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epochal import Document, Span
from epochal.backends.postgres.provider import check
from epochal.backends.postgres.store import PostgresStore
from epochal.errors import StorageError
from epochal.server.scrub import Scrub
from epochal.storage.records import Dating, Entry, Passage
from epochal.storage.store import Store

DIM = 16
NAMES = [f"d{number}" for number in range(7)]


def make_entry(number: int, text: str = "Rain fell in 1998. Snow fell in 1999.") -> Entry:
    passages = (
        Passage(0, 18, (Dating(Span.parse("1998"), 13, 17),)),
        Passage(19, len(text), (Dating(Span.parse("1999"), 13, 17),)),
    )
    document = Document(f"d{number}", text, title="Weather", meta={"kind": "x"}, published=Span.parse("2001-05"))
    vectors = np.random.default_rng(number).standard_normal((2, DIM)).astype(np.float32)
    return Entry(document, passages, vectors, tuple(bytes([number, place]) for place in range(2)))


@pytest.fixture
def filled(address: str) -> Iterator[PostgresStore]:
    with PostgresStore.create(address, "made-up", DIM) as store:
        store.add([make_entry(number) for number in range(len(NAMES))])
        yield store


HARMS: dict[str, tuple[str, str]] = {
    "text": ("documents", "UPDATE epochal.documents SET text = replace(text, 'Rain', 'Hail') WHERE row = 3"),
    "title": ("documents", "UPDATE epochal.documents SET title = 'Whether' WHERE row = 3"),
    "meta": ("documents", "UPDATE epochal.documents SET meta = '[3]' WHERE row = 3"),
    "published": ("documents", "UPDATE epochal.documents SET published = 'x' WHERE row = 3"),
    "hash": ("documents", "UPDATE epochal.documents SET hash = 'x' WHERE row = 3"),
    "first": ("documents", "UPDATE epochal.documents SET first_passage = 8 WHERE row = 3"),
    "bounds": ("passages", "UPDATE epochal.passages SET end_char = end_char - 1 WHERE row = 6"),
    "no owner": ("passages", "UPDATE epochal.passages SET document = 1000000000 WHERE row = 6"),
    "owner": ("passages", "UPDATE epochal.passages SET document = 5 WHERE row = 6"),
    "missing": ("passages", "DELETE FROM epochal.passages WHERE row = 7"),
    "span": ("times", "UPDATE epochal.times SET dating = '\\xffffffffffffffffffff' WHERE row = 7"),
    "dating": ("times", "UPDATE epochal.times SET dating = set_byte(dating, 3, 77) WHERE row = 7"),
    "no dating": ("times", "DELETE FROM epochal.times WHERE row = 7"),
    "vector": ("vectors", "UPDATE epochal.vectors SET embedding = embedding + embedding WHERE row = 7"),
    "no vector": ("vectors", "DELETE FROM epochal.vectors WHERE row = 7"),
}


def harm(server: Any, store: PostgresStore, name: str) -> None:
    table, statement = HARMS[name]
    before = server.execute(f"SELECT count(*), xmin FROM epochal.{table} GROUP BY xmin")
    server.execute(f"{statement} AND space = %s", (store.view().space,))
    assert server.execute(f"SELECT count(*), xmin FROM epochal.{table} GROUP BY xmin") != before


def read_everything(address: str) -> None:
    with PostgresStore.open(address) as store:
        view = store.view()
        rows, documents = np.arange(2 * len(NAMES)), np.arange(len(NAMES))
        for read in (
            lambda: view.get_documents(documents),
            lambda: view.get_entries(documents),
            lambda: view.get_passages(rows),
            lambda: view.get_texts(rows),
            lambda: view.get_vectors(rows),
            lambda: list(view.content.spans),
            lambda: list(view.published.spans),
            lambda: view.search_words("rain", 5),
            lambda: view.get_field_column("kind"),
            lambda: view.alive,
            lambda: list(view.iterate()),
        ):
            with suppress(StorageError):
                read()


def look_through(scrub: Scrub, portion: int) -> list[str]:
    before = scrub.passes
    for _ in range(50):
        scrub.step(portion)
        if scrub.passes > before:
            return scrub.damaged
    raise AssertionError("the pass does not end")


def test_what_is_sound_is_sound(filled: PostgresStore, address: str) -> None:
    scrub = Scrub(address)
    for _ in range(2):
        assert check(address, repair=False).findings == ()
        assert [look_through(scrub, portion) for portion in (1, 3, 200)] == [[], [], []]
        filled.delete(["d1"])
        filled.add([make_entry(4, "Rain fell in 1997. Hail fell in 1999, then.")])
        filled.compact()


@pytest.mark.parametrize("name", HARMS)
def test_damage_is_named_and_not_adopted(filled: PostgresStore, address: str, postgres_server: Any, name: str) -> None:
    harm(postgres_server, filled, name)
    for repair in (False, True, True):
        report = check(address, repair=repair)
        assert not report.is_sound
        assert any("'d3'" in finding.what and finding.where == "truth" for finding in report.findings)
    read_everything(address)  # with no other error than one sentence
    named = look_through(Scrub(address), 2)
    assert set(named) - {"d5"} == {"d3"}  # the one whose passage is not its own any more, or the one that got it


@pytest.mark.parametrize("name", ["text", "bounds", "missing", "dating", "vector", "no vector"])
def test_damage_is_replaced_from_a_backup(
    filled: PostgresStore, address: str, postgres_server: Any, tmp_path: Path, name: str
) -> None:
    filled.backup(tmp_path / "backup")
    filled.close()
    expected = make_entry(3)
    with PostgresStore.open(address) as store:
        harm(postgres_server, store, name)
    report = check(address, repair=True, backup=tmp_path / "backup")
    assert "document 'd3' was damaged and was replaced from" in report.findings[0].what
    with PostgresStore.open(address) as store:
        view = store.view()
        (entry,) = view.get_entries(view.find_document_rows(["d3"]))
        assert (entry.document, entry.passages, entry.keys) == (expected.document, expected.passages, expected.keys)
        assert np.array_equal(entry.vectors, expected.vectors)
        assert view.document_count == len(NAMES)
        assert look_through(Scrub(address), 3) == []
    with PostgresStore.open(address, write=True) as store:
        store.compact()
    assert check(address, repair=True).is_sound


def test_another_document_of_that_name_is_not_taken(
    filled: PostgresStore, address: str, postgres_server: Any, tmp_path: Path
) -> None:
    with Store.create(tmp_path / "backup", "made-up", DIM) as other:
        other.add([make_entry(3, "Rain fell in 1998. Frost came in 1999.")])
    harm(postgres_server, filled, "vector")
    filled.close()
    report = check(address, repair=True, backup=tmp_path / "backup")
    assert not report.is_sound
    assert "does not hold what was stored" in report.findings[0].what


def test_documents_from_before_have_no_checksums_until_they_are_stored_again(
    filled: PostgresStore, address: str, postgres_server: Any
) -> None:
    space = filled.view().space
    postgres_server.execute("UPDATE epochal.documents SET sums = NULL WHERE space = %s", (space,))
    harm(postgres_server, filled, "vector")
    assert check(address, repair=False).is_sound
    filled.add([make_entry(3)])
    postgres_server.execute(
        "UPDATE epochal.vectors SET embedding = embedding + embedding WHERE space = %s AND row >= 14", (space,)
    )
    assert not check(address, repair=False).is_sound


def test_an_index_that_is_away_is_logged_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    scrub = Scrub(f"postgresql:///x?host={tmp_path}")
    for _ in range(3):
        scrub.step()
    assert [record.getMessage() for record in caplog.records] == ["unread"]
