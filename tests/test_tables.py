"""Derived tables: equal to what they are derived from, kept for the next process, and made again when damaged."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from epochal import tables
from epochal.reading import events
from epochal.reading.english import patterns
from epochal.reading.grammar import Grammar
from epochal.reading.shared import vocabulary
from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language, load_tokeniser
from epochal.times.calendars.arithmetic_tables import ROWS, compute_equinox_new_year
from epochal.times.calendars.regnal import BUNDLED, RegnalCalendar


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of derived tables, and none in the package."""
    monkeypatch.setenv("EPOCHAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tables, "DERIVED", tmp_path / "nowhere")
    return tmp_path / "cache"


def counted(value):
    """A function that gives a value, and the calls of it."""
    calls = []

    def build():
        calls.append(value)
        return value

    return build, calls


def test_a_table_is_made_once_and_kept(folder):
    build, calls = counted({"names": [1, 2]})
    assert [tables.derive("one", [b"source"], build) for _ in range(3)] == [{"names": [1, 2]}] * 3
    assert len(calls) == 1


def test_another_source_makes_another_table(folder):
    assert tables.derive("one", [b"a", b"bc"], lambda: 1) == 1
    assert tables.derive("one", [b"ab", b"c"], lambda: 2) == 2
    assert tables.derive("one", [b"a", b"bc"], lambda: 3) == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"0011223344556677\n[9]", b"\xff\xfe"])
def test_a_damaged_table_is_made_again(folder, damage):
    tables.derive("one", [b"source"], lambda: [1, 2])
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage or whole[:-3] + b"9]]")
    assert tables.derive("one", [b"source"], lambda: [1, 2]) == [1, 2]
    assert file.read_bytes() == whole


def test_no_more_than_a_few_tables_of_a_name_are_kept(folder):
    for number in range(9):
        tables.derive("one", [bytes([number])], lambda: 1)
    tables.derive("one-more", [b""], lambda: 1)
    assert len(list(folder.glob("one-????????????????.json"))) == 4
    assert len(list(folder.glob("one-more-*.json"))) == 1


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("EPOCHAL_CACHE", str(tmp_path / "file" / "below"))
    build, calls = counted(1)
    assert [tables.derive("one", [b""], build) for _ in range(2)] == [1, 1]
    assert len(calls) == 2


def test_no_table_is_kept_without_a_folder(folder, monkeypatch):
    monkeypatch.setenv("EPOCHAL_CACHE", "")
    assert tables.derive("one", [b""], lambda: 1) == 1
    assert not folder.exists()


def test_a_bundled_table_comes_first(folder, monkeypatch, tmp_path):
    tables.derive("one", [b""], lambda: 1)
    monkeypatch.setattr(tables, "DERIVED", folder)
    monkeypatch.setenv("EPOCHAL_CACHE", "")
    assert tables.derive("one", [b""], lambda: 2) == 1


# ---------------------------------------------------------------- equal to their sources


def test_the_events_are_those_of_the_table():
    path = events._TABLE
    assert events.load_events() == events.read_events(path)
    names = {first: events._read_row(rows) for first, rows in events._load_bundled()[1].items()}
    assert names == json.loads(json.dumps(events._index_names(events.read_events(path))))
    assert "\x7f" not in path.read_text(encoding="utf-8")  # it stands for quotation marks


def test_the_grammar_of_english_is_that_of_its_rules():
    classes, macros, trigger, words = patterns.GRAMMAR._sources
    fresh = Grammar(classes, macros, patterns.GRAMMAR.table, trigger, words)
    assert fresh._written == patterns.GRAMMAR._written


@pytest.mark.parametrize("code", ["de", "fr", "es", "it", "pt", "nl"])
def test_a_vocabulary_knows_what_the_tokeniser_knows(code):
    kept, tokeniser, language = vocabulary.load_vocabulary(code), load_tokeniser(code), load_language(code)
    words = [word for other in SHARED_LANGUAGES for word in islice(load_language(other).class_of, 0, None, 7)]
    words += ["freitagabend", "vrijdagavond", "zweiundzwanzig", "ventidue", "eenentwintig", "understand", "evening"]
    words = [word for word in words if word.isalpha()]
    assert [word for word in words if kept.is_known(word)] == [word for word in words if tokeniser.is_known(word)]
    assert {word for word in language.class_of if word.isalpha() and len(word) > 1} <= kept.pieces


@pytest.mark.parametrize("name", BUNDLED)
def test_a_regnal_table_is_that_of_its_file(name, monkeypatch):
    kept = RegnalCalendar.load(name)
    monkeypatch.setenv("EPOCHAL_CACHE", "")
    fresh = RegnalCalendar.load(name)
    assert kept.table == fresh.table
    assert kept.names.han == fresh.names.han
    assert kept._all_bounds == fresh._all_bounds


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in ("persian", "french_republican", "bahai")])
def test_years_start_on_the_equinoxes_that_are_computed(row):
    years = {1, 2, 3, *range(5, row.last_year, row.last_year // 8), row.last_year + 1}
    assert {year: row.new_year(year) for year in years} == {
        year: compute_equinox_new_year(row.name, year) // 1 + 0.5 for year in years
    }
