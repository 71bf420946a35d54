"""Whatever happens to a derived file, it is noticed on opening, built anew, and the answers are the same."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epochal.errors import IndexLockedError, StorageError
from epochal.storage.columns import DerivedManifest, read_manifest, write_manifest
from epochal.storage.records import Document, Entry, Passage
from epochal.storage.store import Store
from storage.whole import DIM, WORDS, check_whole, entry, vector_of


def made(folder: Path) -> Path:
    with Store.create(folder, "test", DIM) as store:
        for low in range(0, 40, 8):
            store.add([entry(f"d{number}", low) for number in range(low, low + 12)])
        store.delete(["d3", "d41"])
    return folder


def answers(folder: Path) -> tuple[list[object], list[str]]:
    with Store.open(folder) as store:
        view = store.view()
        found: list[object] = [view.generation]
        for word in WORDS:
            for ranked in (view.search_words(f"{word} winter", 7), view.search_vectors(vector_of(word), 7)):
                found += [ranked.rows.tolist(), ranked.scores.tolist()]
        return found, store.repairs


def check_whole_folder(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(check_whole(store.view())) == store.view().document_count > 30


def derived_files(folder: Path) -> list[Path]:
    return sorted(file for file in (folder / "derived").rglob("*") if file.is_file() and file.suffix != ".lock")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = made(tmp_path_factory.mktemp("original") / "index")
    # Only the files that the manifest names matter; older words are kept for readers that are about to open them.
    listed = read_manifest(folder).decode()
    files = [file for file in derived_files(folder) if file.parent.name in listed or file.name == "current.json"]
    return folder, answers(folder), files


def remove(file: Path, _: random.Random) -> None:
    file.unlink()


def truncate(file: Path, rng: random.Random) -> None:
    written = file.read_bytes()
    file.write_bytes(written[: rng.randrange(len(written))] if written else b"")


def flip(file: Path, rng: random.Random) -> None:
    written = bytearray(file.read_bytes())
    if written:
        written[rng.randrange(len(written))] ^= 1 << rng.randrange(8)
    file.write_bytes(written)


def empty(file: Path, _: random.Random) -> None:
    file.write_bytes(b"")


HARMS = [remove, truncate, flip, empty]


def check_harms(original, tmp_path, rng, chosen, every=1):
    folder, (expected, unharmed), files = original
    assert unharmed == []
    assert len(files) > 30
    check_whole_folder(folder)
    for number, file in enumerate(files[::every]):
        harm = chosen(number)
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        victim = copy / file.relative_to(folder)
        before = victim.read_bytes()
        harm(victim, rng)
        is_harmed = not victim.exists() or victim.read_bytes() != before
        found, repairs = answers(copy)
        assert found == expected, file
        assert len(repairs) == is_harmed, file
        if is_harmed:
            assert file.name in repairs[0]
            assert answers(copy)[1] == [], "what was mended stays mended"
        shutil.rmtree(copy)


def test_harm_to_a_file_is_noticed_and_mended(original, tmp_path):
    check_harms(original, tmp_path, random.Random(1), lambda number: HARMS[number % len(HARMS)], every=3)


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS)
def test_any_harm_to_any_file_is_noticed_and_mended(original, tmp_path, harm):
    check_harms(original, tmp_path, random.Random(2), lambda _: harm)


def test_a_folder_without_derived_files_is_filled(original, tmp_path):
    folder, (expected, _), _ = original
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(folder / "epochal.db", copy)
    assert answers(copy) == (expected, [])


def test_bytes_beyond_the_listed_ones_are_cut_off(original, tmp_path):
    folder, (expected, _), files = original
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    columns = [copy / file.relative_to(folder) for file in files if file.parent.name.startswith("set-")]
    columns = [column for column in columns if column.name != "dead.i4"]  # nobody dies here
    for column in columns:
        with column.open("ab") as file:
            file.write(b"half a row that a killed writer left")
    assert answers(copy) == (expected, [])
    with Store.open(copy) as store:
        store.add([entry("new", 1)])
        assert check_whole(store.view())["new"] == 1
    assert b"killed writer" not in b"".join(column.read_bytes() for column in columns)


def test_derived_files_behind_the_truth_catch_up(tmp_path):
    folder = made(tmp_path / "index")
    shutil.copytree(folder / "derived", tmp_path / "older")
    with Store.open(folder) as store:
        store.add([entry("late", 1)])
        store.delete(["d20"])
    shutil.rmtree(folder / "derived")
    shutil.copytree(tmp_path / "older", folder / "derived")
    with Store.open(folder) as store:
        assert store.repairs == ["the derived files were behind the document database and were updated"]
        seen = check_whole(store.view())
        assert "late" in seen
        assert "d20" not in seen


def test_damage_while_another_writes_is_reported(original, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(original[0], folder)
    with Store.open(folder, write=True):
        victim = next((folder / "derived").glob("set-*/documents.seq.i8"))
        victim.write_bytes(b"")
        with pytest.raises(IndexLockedError, match=r"must be rebuilt \(documents.seq.i8 is cut short\)"):
            Store.open(folder)


def test_old_sets_and_words_are_swept(tmp_path):
    folder = made(tmp_path / "index")
    with Store.open(folder) as store:
        store.compact()
    assert len(list((folder / "derived").glob("set-*"))) == 1
    with Store.open(folder) as store:
        for number in range(8):
            store.add([entry("again", number)])
    assert len(list((folder / "derived").glob("set-*/words-*"))) <= 3


def test_a_step_on_the_way_is_as_good_as_the_whole_way(tmp_path, monkeypatch):
    monkeypatch.setattr("epochal.storage.building._STEP", 5)
    monkeypatch.setattr("epochal.storage.building._BATCH", 3)
    with Store.create(tmp_path / "stepped", "test", DIM) as store, store.bulk():
        for number in range(23):
            store.add([entry(f"d{number}", 1)])
    with Store.create(tmp_path / "whole", "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(23)])
    stepped, whole = answers(tmp_path / "stepped")[0], answers(tmp_path / "whole")[0]
    assert stepped[1:] == whole[1:]


def test_a_truth_without_its_vectors_is_reported(tmp_path):
    import sqlite3

    folder = made(tmp_path / "index")
    shutil.rmtree(folder / "derived")
    connection = sqlite3.connect(folder / "epochal.db")
    connection.execute("DELETE FROM vectors WHERE id = (SELECT min(id) FROM vectors)")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="the vectors of document 'd0' are not what was stored"):
        Store.open(folder)


def test_searches_do_not_depend_on_how_documents_were_added(tmp_path):
    for name, size in (("one", 1), ("many", 30)):
        with Store.create(tmp_path / name, "test", DIM) as store:
            for low in range(0, 30, size):
                store.add([entry(f"d{number}", 1) for number in range(low, low + size)])
    one, many = answers(tmp_path / "one")[0], answers(tmp_path / "many")[0]
    assert one[1:] == many[1:]
    assert np.isfinite(many[2]).all()


def _list_headings(store: Store) -> list[tuple[str, str | None, dict[str, object]]]:
    view = store.view()
    return [(item.title, item.series, dict(item.meta)) for item in view.get_headings(view.alive_documents)]


def test_headings_are_the_same_with_and_without_the_column_of_who_has_any(tmp_path):
    documents = [
        Document("titled", "Rain fell.", "Weather"),
        Document("bare", "Rain fell. It fell all day."),
        Document("lined", "curl (8.4) unstable\n\n  * Fixes."),
        Document("series", "Rain.", series="log"),
        Document("meta", "Rain.", meta={"place": "Ghent"}),
    ]
    entries = [Entry(item, (Passage(0, len(item.text), ()),)) for item in documents]
    wanted = [
        ("Weather", None, {}),
        ("", None, {}),
        ("curl (8.4) unstable", None, {}),
        ("", "log", {}),
        ("", None, {"place": "Ghent"}),
    ]
    with Store.create(tmp_path, "", 0) as store:
        store.add(entries)
        assert _list_headings(store) == wanted
    manifest = DerivedManifest.from_bytes(read_manifest(tmp_path))
    assert manifest is not None
    columns = {name: extent for name, extent in manifest.columns.items() if name != "documents.headed"}
    write_manifest(tmp_path, replace(manifest, columns=columns))
    with Store.open(tmp_path) as store:  # files of an earlier version
        assert store.repairs == []
        assert _list_headings(store) == wanted
        store.add([Entry(Document("later", "Snow.", "Snow"), (Passage(0, 5, ()),))])
        assert _list_headings(store) == [*wanted, ("Snow", None, {})]
