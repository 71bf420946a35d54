"""The table across the papers: what each row is said to have known, and whether it is stale."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.runs.submissions import INFORMATION


@pytest.fixture
def study(load_study) -> ModuleType:
    return load_study("across_papers")


WITH_TYPES = "epochal(encoder=none, sequence=lu, start=魯隱公元年, by=work, only=type:event)"
DATED = (Document("d1", "Rain.", published=Span.year(1998)),)
QUERIES = tuple(BenchQuery(f"q{number}", "Rain?", now=Span.year(1999)) for number in range(10))
SET = BenchSet("own", DATED, QUERIES, {query.id: {"d1": 1} for query in QUERIES[1:]})


def test_what_a_row_knew_is_said(study: ModuleType):
    assert study.list_information("bm25-okapi-zh", "own", SET) == ["text"]
    assert study.list_information("shortcut-newest", "own", SET) == ["text", "publication date"]
    assert study.list_information(WITH_TYPES, "own", SET)[-2:] == ["order of records", "record type"]
    assert set(study.list_information(WITH_TYPES, "own", SET)) <= set(INFORMATION)


def test_weights_that_were_fitted_to_a_set_are_said(study: ModuleType):
    """By the file beside the weights, which the training command writes."""
    trained = "trained on this set"
    assert trained in study.list_information("epochal", "tnp", SET)
    assert trained in study.list_information("epochal", "chunqiutr/traditional(headings=true)", SET)
    assert trained in study.list_information("dense(encoder=epochal-tmrl)", "tnp", SET)
    assert trained not in study.list_information("plain", "tnp", SET)
    assert trained not in study.list_information("epochal", "zztj/tag", SET)


def test_questions_are_spread_and_have_answers(study: ModuleType):
    assert [query.id for query in study.take_questions(SET, 3).queries] == ["q1", "q4", "q7"]
    assert study.take_questions(SET, 3, frozenset(["Rain?"])).queries == ()


def test_rows_of_other_studies_follow_their_set(study: ModuleType):
    rows = [{"set": "a(size=1000)", "mode": "–"}, {"set": "b", "mode": "x"}, {"set": "b", "mode": "y"}]
    recorded = [{"set": "b", "mode": "x", "system": "CTD"}, {"set": "a", "mode": "–", "system": "Re3"}]
    placed = study.place_recorded(rows, recorded)
    assert [row.get("system") for row in placed] == [None, "Re3", None, "CTD", None]


@pytest.mark.parametrize(
    ("system", "family"),
    [
        ("bm25-okapi-zh", "BM25"),
        ("epochal(encoder=none)", "engine"),
        (WITH_TYPES, "engine, in sequence, types known"),
        (WITH_TYPES.replace(", only=type:event", ""), "engine, in sequence"),
        ("Re3 improved, trained here (re3_retrieval.json)", None),
    ],
)
def test_each_row_has_its_column_of_the_overview(study: ModuleType, system: str, family: str | None):
    assert study.add_family({"system": system}).get("family") == family
    assert "family" not in study.add_family({"system": system, "published": True})


def test_models_of_all_three_papers_are_in_the_table(study: ModuleType):
    rows = study.read_recorded()
    assert {row["set"] for row in rows} >= {"chunqiutr/traditional", "re2bench/rec", "re2bench/hyb", "tnp"}
    assert all(set(row["used"]) <= set(INFORMATION) and ("hit@1" in row or "nDCG@10" in row) for row in rows)


@pytest.mark.slow
def test_the_committed_table_is_as_new_as_the_code(study: ModuleType):
    """Not in the usual lanes: it would fail on every change of reading until the sets are measured again."""
    assert not study.list_stale(), "run python studies/across_papers.py and tools/make_results.py"


def test_a_change_of_the_code_makes_the_table_stale(study: ModuleType, monkeypatch, tmp_path):
    rows = [{"set": "tnp", "mode": "–", "code": study.hash_code()}, {"set": "rec", "mode": "–", "code": "0"}]
    (tmp_path / "across_papers.json").write_text(json.dumps({"shortcuts": rows}), encoding="utf-8")
    monkeypatch.setattr(study, "RESULTS", tmp_path)
    assert study.list_stale() == ["rec –"]
    monkeypatch.setattr(study, "CODE", study.CODE[:-1])
    assert study.list_stale() == ["tnp –", "rec –"]


def test_parts_of_other_code_are_taken_where_asked(study: ModuleType, monkeypatch, tmp_path):
    measured = []
    monkeypatch.setattr(study, "measure_part", lambda part, *rest: measured.append(part) or ({"set": part.set}, []))
    parts = study.PLAN[:1]
    for code, older, times in (("one", False, 1), ("two", True, 1), ("two", False, 2)):
        audits, _ = study.measure_all(parts, 5, tmp_path / code, tmp_path, older=older)
        assert len(measured) == times
    assert [row["code"] for row in audits] == ["two"]
