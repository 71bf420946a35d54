"""Shortcuts that read no time, the audit of a set by them, and sets whose times are taken out."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.datasets.undated import remove_document_times, remove_times
from epochal_lab.runs.shortcuts import audit_shortcuts, drop_solved, format_audit_table
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.shortcuts import rank_by_shortcut

#: The fees of a library, one text a year; the longest is that of 2003, the newest that of 2004.
DOCUMENTS = tuple(
    Document(
        f"d{year}",
        f"In {year} the fee of the library was {year - 1990} euros{' for everybody in town' * (year == 2003)}.",
        published=Span.year(year),
    )
    for year in (2004, 2001, 2002, 2003)
)


def make_set(questions: dict[str, tuple[str, str]]) -> BenchSet:
    queries = tuple(BenchQuery(id, text) for id, (text, _) in questions.items())
    return BenchSet("fees", DOCUMENTS, queries, {id: {gold: 1} for id, (_, gold) in questions.items()})


STATED = make_set({f"q{year}": (f"What was the fee of the library in {year}?", f"d{year}") for year in (2001, 2002)})
RELATIVE = make_set({"q": ("What was the fee of the library the year after 2001?", "d2002")})


@pytest.mark.parametrize(
    ("name", "first"),
    [("year", "d2002"), ("newest", "d2004"), ("longest", "d2003"), ("first", "d2004")],
)
def test_each_shortcut_has_its_own_first(name, first):
    query = BenchQuery("q", "What was the fee of the library in 2002?")
    assert DOCUMENTS[rank_by_shortcut(f"shortcut-{name}", query, DOCUMENTS)[0]].id == first


def test_undated_documents_are_newest_by_the_years_they_state():
    texts = [Document("a", "In 1990 it rained."), Document("b", "In 1998 it rained."), Document("c", "It rained.")]
    assert rank_by_shortcut("shortcut-newest", BenchQuery("q", "Rain?"), texts) == [1, 0, 2]


def test_a_set_with_literal_years_is_found_out_and_one_that_counts_is_not():
    stated, relative = audit_shortcuts(STATED), audit_shortcuts(RELATIVE)
    assert stated.hits["shortcut-year"] == stated.hits["bm25-plain"] == 1.0
    assert stated.hits["chance"] == 0.25
    assert stated.warnings == ("shortcut-year finds 100% of the answers",)
    assert relative.hits["shortcut-year"] == 0.0
    assert relative.warnings == ()
    assert "| fees | 2 | 1.000 | 0.000 | 0.000 | 0.000 | 0.250 | 1.000 |" in format_audit_table([stated])


def test_questions_that_a_shortcut_answers_can_be_left_out(tmp_path):
    both = BenchSet("fees", DOCUMENTS, STATED.queries + RELATIVE.queries, {**STATED.qrels, **RELATIVE.qrels})
    assert [query.id for query in drop_solved(both).queries] == ["q"]
    assert drop_solved(RELATIVE).queries == RELATIVE.queries
    write_folder(tmp_path / "fees", both, Manifest("fees"))
    asked = SetLoader().load(Task(str(tmp_path / "fees"), "none", protocol="unaided"))
    assert [query.id for query in asked.queries] == ["q"]


def test_a_set_without_answers_cannot_be_audited():
    with pytest.raises(EpochalError, match="no question of 'fees' has an answer"):
        audit_shortcuts(BenchSet("fees", DOCUMENTS, STATED.queries, {}))


def test_times_are_taken_out_of_text_title_and_metadata():
    document = Document(
        "a",
        "Built in May 1906 and again in 1911.",
        "The hall of 1906",
        Span.year(1906),
        meta={"times": ["1906"], "x": 1},
    )
    bare = remove_document_times(document)
    assert (bare.text, bare.title) == ("Built and again .", "The hall of")
    assert (bare.published, dict(bare.meta)) == (None, {"x": 1})


def test_without_times_in_the_text_no_word_finds_the_year():
    bare = remove_times(STATED, 1.0)
    assert audit_shortcuts(bare).hits["bm25-plain"] <= 0.5
    assert [document.published for document in bare.documents] == [None] * 4
    assert [document.id for document in bare.documents] == [document.id for document in DOCUMENTS]


def test_a_larger_share_takes_more_of_the_same():
    def list_undated(share: float) -> set[str]:
        return {document.id for document in remove_times(STATED, share).documents if document.published is None}

    assert list_undated(0.0) == set()
    assert list_undated(0.3) <= list_undated(0.6) <= list_undated(1.0)
    with pytest.raises(EpochalError, match=r"share is 1\.5; accepted: 0 to 1"):
        remove_times(STATED, 1.5)


def test_a_protocol_takes_times_out(tmp_path):
    from epochal_lab.datasets.folder import Manifest, write_folder

    write_folder(tmp_path / "fees", STATED, Manifest("fees"))
    loaded = SetLoader().load(Task(str(tmp_path / "fees"), "none", protocol="undated100"))
    assert all("200" not in document.text for document in loaded.documents)
