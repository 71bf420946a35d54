"""Vectors made from the texts of an index: not stored with the documents, made again with the derived files."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import epochal
from epochal.api import Index
from epochal.encoders.bundled import StaticEncoder
from epochal.errors import StorageError
from epochal.storage import making
from epochal.storage.check import check
from epochal.storage.coded import CodedVectors, code_vectors
from epochal.storage.making import find_maker, is_made
from epochal.storage.records import Document
from epochal.storage.schema import FORMAT, MADE_FORMAT
from epochal.storage.store import Store

DOCUMENTS = [
    Document("rain", "It rained frogs on 4 May 1901.", title="Weather"),
    Document("empty", "", title=""),
    Document("tariffs", "Tariffs rose in May 1998. " * 90),
]


@pytest.fixture
def folder(tmp_path):
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(DOCUMENTS)
    return tmp_path / "index"


def count_stored(folder):
    connection = sqlite3.connect(folder / "epochal.db")
    (count,), (version,) = (
        connection.execute(statement).fetchone()
        for statement in ("SELECT count(*) FROM vectors", "PRAGMA user_version")
    )
    connection.close()
    return count, version


def read_vectors(folder):
    with Store.open(folder) as store:
        view = store.view()
        return view.get_vectors(view.alive)


def test_vectors_are_not_stored_with_the_documents(folder):
    assert count_stored(folder) == (0, MADE_FORMAT)
    with Store.open(folder) as store:
        assert store.makes_vectors
        view = store.view()
        passages = view.get_passages(view.alive)
        titles = {row: document.title for row, document in enumerate(view.get_documents(view.alive_documents))}
        texts = [making.join_title(titles[passage.document_row], passage.text) for passage in passages]
        np.testing.assert_allclose(view.get_vectors(view.alive), StaticEncoder().encode_documents(texts), atol=0.003)
        entries = view.get_entries(view.alive_documents)
        assert [len(entry.vectors) for entry in entries] == [len(entry.passages) for entry in entries]
    with Index.open(folder) as index:
        assert index.search("frogs")[0].id == "rain"


def test_other_encoders_have_their_vectors_stored(tmp_path):
    with Index.create(tmp_path / "cut", encoder="static", dims=32) as index:
        index.add(DOCUMENTS)
    assert count_stored(tmp_path / "cut")[0] > 0
    assert count_stored(tmp_path / "cut")[1] == FORMAT
    with Index.create(tmp_path / "own", encoder=StaticEncoder()) as index:
        index.add(DOCUMENTS)
    assert count_stored(tmp_path / "own")[1] == FORMAT
    with Store.create(tmp_path / "other", "test", 4) as store:
        assert not store.makes_vectors


def test_vectors_are_made_again_with_the_derived_files(folder):
    before = read_vectors(folder)
    shutil.rmtree(folder / "derived")
    assert (read_vectors(folder) == before).all()
    codes = next((folder / "derived").glob("set-*/vectors.code.i1"))
    codes.write_bytes(b"\1" * codes.stat().st_size)
    (folder / "derived" / "verified.json").unlink(missing_ok=True)
    report = check(folder)
    assert report.is_sound
    assert report.findings
    assert (read_vectors(folder) == before).all()


def test_writes_extend_and_compaction_makes_them_again(folder):
    with Index.open(folder, write=True) as index:
        index.add([Document("snow", "Snow fell in June 1816."), Document("rain", "It rained fish in 1902.")])
        index.delete("tariffs")
        assert index.search("snow")[0].id == "snow"
        index.compact()
        assert index.search("fish")[0].id == "rain"
        assert len(index) == 3
    assert check(folder).findings == ()
    assert len(read_vectors(folder)) == 3


def test_wrong_vectors_are_found_and_made_again(folder, monkeypatch):
    with monkeypatch.context() as context:
        load = making._MAKERS["static@static-"]
        context.setitem(making._MAKERS, "static@static-", lambda: (load()[0], lambda texts: -load()[1](texts)))
        shutil.rmtree(folder / "derived")
        Store.open(folder).close()
    (finding, *_) = [item for item in check(folder).findings if "vectors" in item.what]
    assert finding.mended
    assert check(folder).findings == ()


def test_a_backup_has_them(folder, tmp_path):
    with Index.open(folder) as index:
        index.backup(tmp_path / "copy")
    assert (read_vectors(tmp_path / "copy") == read_vectors(folder)).all()
    assert count_stored(tmp_path / "copy") == (0, MADE_FORMAT)


def test_vectors_of_entries_are_left_aside(folder, tmp_path):
    with Store.open(folder) as store, Store.create(tmp_path / "copy", store.encoder_name, store.dim) as copy:
        copy.add(store.view().get_entries(store.view().alive_documents))
        assert (copy.view().get_vectors(copy.view().alive) == store.view().get_vectors(store.view().alive)).all()
    assert count_stored(tmp_path / "copy")[0] == 0


def test_vectors_of_another_version_are_not_made(folder):
    assert is_made("static@static-1")
    assert not is_made("static@static-1[:64]")
    assert not is_made("mine@static-1")
    with pytest.raises(StorageError, match="index its documents anew"):
        find_maker("static@static-1")
    with pytest.raises(StorageError, match="not at hand"):
        find_maker("mine@mine-1")


def test_an_index_of_an_earlier_version_keeps_its_vectors(tmp_path, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(making, "_MAKERS", {})
        with Index.create(tmp_path / "index", encoder="static") as index:
            index.add(DOCUMENTS[:2])
    with epochal.open(tmp_path / "index") as index:
        index.add(DOCUMENTS[2:])
        assert index.search("frogs")[0].id == "rain"
    assert count_stored(tmp_path / "index")[0] > 0
    assert check(tmp_path / "index").findings == ()


VECTORS = arrays.arrays(np.float32, (5, 6), elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False))


@settings(max_examples=60, deadline=None)
@given(VECTORS)
def test_coded_vectors_are_near(vectors):
    coded = CodedVectors(*code_vectors(vectors))
    assert (len(coded), coded.shape) == (5, (5, 6))
    allowed = np.abs(vectors).max(axis=1) / 127 * 0.51
    assert (np.abs(coded[:] - vectors).max(axis=1) <= allowed + 1e-30).all()
    rows, query = np.array([0, 3]), np.arange(6, dtype=np.float32)
    assert (coded[rows] == coded[:][rows]).all()
    np.testing.assert_allclose(coded.multiply(rows, query), coded[rows] @ query, rtol=1e-3, atol=1e3)
    np.testing.assert_allclose(coded @ query, coded[:] @ query, rtol=1e-3, atol=1e3)
