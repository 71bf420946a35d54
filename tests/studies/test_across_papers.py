"""The table across the papers: what each row is said to have known, and whether it is stale."""

from __future__ import annotations

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
    assert study.list_information("bm25-okapi-zh", SET) == ["text"]
    assert study.list_information("shortcut-newest", SET) == ["text", "publication date"]
    assert study.list_information(WITH_TYPES, SET)[-2:] == ["order of records", "record type"]
    assert set(study.list_information(WITH_TYPES, SET)) <= set(INFORMATION)


def test_questions_are_spread_and_have_answers(study: ModuleType):
    assert [query.id for query in study.take_questions(SET, 3).queries] == ["q1", "q4", "q7"]


def test_a_change_of_the_code_makes_the_table_stale(study: ModuleType, monkeypatch, tmp_path):
    (tmp_path / "across_papers.json").write_text(f'{{"fingerprint": "{study.hash_code()}"}}', encoding="utf-8")
    monkeypatch.setattr(study, "RESULTS", tmp_path)
    assert not study.is_stale()
    monkeypatch.setattr(study, "CODE", study.CODE[:-1])
    assert study.is_stale()
