from __future__ import annotations

from pathlib import Path

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import System
from epochal_lab.systems.engine import EngineSystem, make_engine_system
from epochal_lab.systems.registry import list_system_names, make_system

DOCUMENTS = (
    Document("a", "Tariffs on steel were raised in May 1998."),
    Document("b", "Tariffs on steel were lowered in 2003."),
    Document("c", "A flood in the north."),
)
ASKED = BenchQuery("q", "What happened to steel tariffs in 2003?")


def first(system: System, folder: Path, query: BenchQuery = ASKED, documents: tuple[Document, ...] = DOCUMENTS) -> str:
    with system.open(documents, folder) as ranker:
        (answer,) = ranker.answer([query], 5)
        return answer.hits[0][0]


def test_epochal_heeds_time_and_plain_does_not(tmp_path: Path) -> None:
    words = BenchQuery("q", "steel tariffs raised or lowered, 1998 or later: 2003")
    assert first(make_system("epochal(encoder=none)"), tmp_path) == "b"
    with make_system("plain(encoder=none)").open(DOCUMENTS, tmp_path) as ranker:
        (answer,) = ranker.answer([words], 5)
        assert answer.facts["outcome"] == "no_window"


def test_systems_of_one_store_share_the_index(tmp_path: Path) -> None:
    assert first(make_system("bm25"), tmp_path) == "b"
    stamp = (tmp_path / "complete").stat().st_mtime_ns

    def refuse() -> Document:
        raise AssertionError("documents are gone through although the index is complete")

    with make_system("epochal(encoder=none)").open((refuse() for _ in range(1)), tmp_path) as ranker:
        assert next(ranker.answer([ASKED], 1)).hits[0][0] == "b"
    assert (tmp_path / "complete").stat().st_mtime_ns == stamp


def test_an_index_that_was_not_finished_is_filled(tmp_path: Path) -> None:
    system = make_system("epochal(encoder=none)")
    first(system, tmp_path, documents=DOCUMENTS[:1])
    (tmp_path / "complete").unlink()
    assert first(system, tmp_path) == "b"


def test_vectors_are_kept_beside_the_folder(tmp_path: Path) -> None:
    first(make_system("dense(encoder=static)"), tmp_path / "one")
    assert (tmp_path / "vectors.db").exists()


def test_words_alone_encode_nothing(tmp_path: Path) -> None:
    assert make_system("bm25").name == make_system("bm25(encoder=none)").name == "bm25"
    assert make_system("bm25(encoder=static)").name == "bm25(encoder=static)"
    first(make_system("bm25"), tmp_path / "one")
    assert not (tmp_path / "vectors.db").exists()


def test_now_reaches_the_engine(tmp_path: Path) -> None:
    query = BenchQuery("q", "steel tariffs five years ago", now=Span.year(2003))
    assert first(make_system("epochal(encoder=none)"), tmp_path, query) == "a"


def test_documents_are_read_in_sequence(tmp_path: Path) -> None:
    log = (Document("1", "12 May 1843. Rain."), Document("2", "13. The mast broke."), Document("3", "14. Repairs."))
    query = BenchQuery("q", "What broke on 13 May 1843?")
    system = make_system("epochal(encoder=none, sequence=gregorian)")
    assert system.store != make_system("epochal(encoder=none)").store
    assert first(system, tmp_path, query, log) == "2"


@pytest.mark.parametrize(
    "text",
    [
        *("epochal", "plain", "bm25", "dense(encoder=static)", "epochal(time=off)", "tempralm"),
        *("plain(dims=64)", "epochal(encoder=static, dims=64, shortlist=500)"),
    ],
)
def test_names_read_back(text: str) -> None:
    system = make_system(text)
    assert system.name == text
    assert make_system(system.name) == system


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match="no system is called 'oracle'"):
        make_system("oracle")
    with pytest.raises(EpochalError, match="time must be on or off"):
        make_system("epochal(time=maybe)")
    with pytest.raises(EpochalError, match="epochal has no setting 'k'"):
        make_system("epochal(k=5)")
    with pytest.raises(UnknownNameError):
        make_engine_system(Spec.parse("no-scorer"))


def test_parts_of_vectors_are_searched_in_one_index(tmp_path: Path) -> None:
    metal = BenchQuery("q", "What became of duties on metal?")
    scores = {}
    for settings in ("", ", dims=8", ", dims=8, shortlist=50"):
        system = make_system(f"dense(encoder=static{settings})")
        assert system.store == make_system("plain(encoder=static)").store
        with system.open(DOCUMENTS, tmp_path) as ranker:
            (answer,) = ranker.answer([metal], 5)
        scores[settings] = answer.hits
    assert scores[""] == scores[", dims=8, shortlist=50"] != scores[", dims=8"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("dims=0", "dims must be a whole number from 1"),
        ("dims=half", "dims must be a whole number from 1"),
        ("dims=64, shortlist=-1", "shortlist must be a whole number from 1"),
        ("shortlist=9", "shortlist goes with dims"),
    ],
)
def test_wrong_parts_of_vectors_are_named(settings: str, message: str) -> None:
    with pytest.raises(EpochalError, match=message):
        make_system(f"plain({settings})")


def test_a_part_longer_than_a_vector_is_refused_before_documents_are_read(tmp_path: Path) -> None:
    documents = iter(DOCUMENTS)
    system = make_system("plain(encoder=static, dims=257)")
    with pytest.raises(EpochalError, match="dims must be from 1 to 256"), system.open(documents, tmp_path):
        pass
    assert len(list(documents)) == len(DOCUMENTS)


def test_every_scorer_is_a_system() -> None:
    assert {"epochal", "plain", "bm25", "symbolic", "tempralm"} <= set(list_system_names())
    assert "gate" not in list_system_names()
    assert isinstance(EngineSystem("epochal"), System)


def test_notes_between_the_lines_of_a_log_are_read_alone(tmp_path: Path) -> None:
    log = (
        Document("1", "12 May 1843. Rain.", meta={"type": "log"}),
        Document("n", "13 is an unlucky day on 2 June 1901.", meta={"type": "note"}),
        Document("2", "13. The mast broke.", meta={"type": "log"}),
    )
    system = make_system("epochal(encoder=none, sequence=gregorian, only=type:log)")
    assert first(system, tmp_path / "a", BenchQuery("q", "What broke on 13 May 1843?"), log) == "2"
    with pytest.raises(EpochalError, match="accepted: only=KEY:VALUE"):
        first(make_system("epochal(encoder=none, sequence=gregorian, only=type)"), tmp_path / "b", ASKED, log)
