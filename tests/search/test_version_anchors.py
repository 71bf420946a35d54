"""A version that a question counts from is the day on which the index has it published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from epochal import Document, Index
from epochal.ranking.scorer import WeightedScorer
from epochal.reading.questions.question import Understanding
from epochal.search.request import Request
from epochal.search.search import run_search
from epochal.times import Span

Filler = Callable[[list[Document]], Index]
NOW = "2026-06-01"
DATES = {
    "2.2": "2019-04-01",
    "2.2.10": "2020-02-03",
    "3.0": "2019-12-02",
    "3.1": "2020-08-04",
    "3.1.4": "2020-12-01",
    "3.2": "2021-04-06",
    "4.0": "2021-12-07",
    "4.1": "2022-08-03",
}
BODY = "Several bugs of the ORM were fixed, an option was added and the admin got faster."


def note(name: str, version: str, day: str | None) -> Document:
    published = None if day is None else Span.parse(day)
    return Document(
        f"{name}-{version}", f"Welcome to {name} {version}! {BODY}", f"{name} {version} release notes", published
    )


NOTES = [note("Django", version, day) for version, day in DATES.items()]
OTHERS = [note("Flask", version, day) for version, day in {"1.0": "2018-04-26", "2.0": "2021-05-11"}.items()]


def list_ids(index: Index, question: str, k: int = 20) -> list[str]:
    return [hit.id.removeprefix("Django-") for hit in index.search(question, now=NOW, k=k, collapse_versions=False)]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("first release after Django 3.1", "3.1.4"),
        ("last release before Django 4.0", "3.2"),
        ("What was the last Django release before version 3.1?", "2.2.10"),
        ("the first Django release since 3.1", "3.1"),
        ("first Flask release after 1.0", "Flask-2.0"),
        ("first release after django-3.1", "3.1.4"),
        ("erste Version nach Django 3.1", "3.1.4"),
        ("Django 4.0之前的最后一个版本", "3.2"),
        ("最后一个早于Django 4.0的版本", "3.2"),
    ],
)
def test_an_order_counts_from_its_day(filled: Filler, question: str, first: str) -> None:
    assert list_ids(filled(NOTES + OTHERS), question)[0] == first


@pytest.mark.parametrize(
    ("question", "inside"),
    [
        ("Django releases before 3.1", {"2.2", "2.2.10", "3.0"}),
        ("Django releases after 3.1", {"3.1.4", "3.2", "4.0", "4.1"}),
        ("what changed in Django between 3.1 and 4.0", {"3.1", "3.1.4", "3.2", "4.0"}),
        ("changes since Django 3.2", {"3.2", "4.0", "4.1"}),
        ("cambios desde Django 3.2", {"3.2", "4.0", "4.1"}),
    ],
)
def test_a_relation_bounds_by_its_day(filled: Filler, question: str, inside: set[str]) -> None:
    assert set(list_ids(filled(NOTES), question)[: len(inside)]) == inside


def test_the_response_says_so_and_has_the_question_as_it_was(filled: Filler) -> None:
    question = "security fixes since the release of Django 3.1 in the ORM"
    response = filled(NOTES).search(question, now=NOW)
    assert response.question == question
    (step,) = (step for step in response.applied if step.name == "version")
    assert step.sentence == "takes 4 August 2020 for Django 3.1: the publication date of “Django 3.1 release notes”"
    (constraint,) = response.understanding.constraints
    assert (constraint.relation, constraint.axis, constraint.span.edtf()) == ("since", "publication", "2020-08-04/..")
    assert constraint.evidence is not None
    assert constraint.evidence.text == "the release of Django 3.1"
    assert question[constraint.evidence.start_char : constraint.evidence.end_char] == constraint.evidence.text


@pytest.mark.parametrize(
    "question",
    [
        "changes since Django 9.9",  # no document bears it
        "changes since Flask 3.1",  # that of another name does
        "What changed in Flask between 1.0 and 3.1?",
        "How was Django used before Debian 3.1?",
        "Django changes after 2.5 hours",
        "security fixes in Django 3.1",
        "Django 3.1 released before 2021",
        "Is Python 3.8 supported since Django 3.0?",
        "errors before login in 2.0",
        "Django releases before 2020",
    ],
)
def test_without_a_document_that_bears_it_nothing_changes(filled: Filler, question: str) -> None:
    response = filled(NOTES + OTHERS).search(question, now=NOW)
    assert all(step.name != "version" for step in response.applied)
    assert all(item.axis == "content" or "released" in question for item in response.understanding.constraints)


def test_a_version_is_not_a_later_one_nor_one_that_is_not_out(filled: Filler) -> None:
    index = filled(
        [
            note("Django", "3.1.4", "2020-12-01"),
            note("Django", "3.1 beta 1", "2020-06-15"),
            note("Django", "3.1.0", "2020-08-04"),
            note("Django", "3.2", "2021-04-06"),
        ]
    )
    response = index.search("first release after Django 3.1", now=NOW)
    assert response[0].id == "Django-3.1.4"
    assert any("4 August 2020" in step.sentence for step in response.applied)


def test_a_version_of_something_with_a_longer_name_is_another(filled: Filler) -> None:
    longer = [note("Django REST framework", version, "2014-12-01") for version in ("3.0", "3.1", "9.9")]
    index = filled([*longer, *NOTES])
    assert list_ids(index, "first release after Django 3.1")[0] == "3.1.4"
    assert all(step.name != "version" for step in index.search("changes since Django 9.9", now=NOW).applied)


@pytest.mark.parametrize(
    ("title", "bears"),
    [
        ("Django 3.1", True),
        ("Release notes for Django v3.1.0", True),
        ("What's new in Django 3.1", True),
        ("Announcing Django 3.1: async views", True),
        ("Django 3.1 bugfix release", True),
        ("Apache Django 3.1 released", True),
        ("django-3.1", True),
        ("Review of Django 3.1", False),
        ("Upgrading Django 3.1", False),
        ("How we moved from Django 3.0 to 3.1", False),
        ("Django 3.1 upgrade guide", False),
        ("Security fixes: Django 3.1, 3.0.9 and 2.2.15", False),
    ],
)
def test_a_title_is_that_of_the_version_or_of_something_about_it(filled: Filler, title: str, bears: bool) -> None:
    documents = [Document("it", BODY, title, Span.parse("2020-08-04")), note("Django", "3.2", "2021-04-06")]
    response = filled(documents).search("Django releases after 3.1", now=NOW)
    assert any(step.name == "version" for step in response.applied) == bears


def test_a_question_without_a_name_is_about_what_the_whole_index_is_about(filled: Filler) -> None:
    assert list_ids(filled(NOTES), "first release after 3.1")[0] == "3.1.4"
    for index, question in (
        (filled([*NOTES, note("Flask", "3.1", "2024-11-13")]), "first release after 3.1"),
        (filled(NOTES), "first Kubernetes release after 3.1"),
    ):
        assert all(step.name != "version" for step in index.search(question, now=NOW).applied)


def test_a_validity_begins_on_its_day(filled: Filler) -> None:
    terms = [
        Document(f"terms-{version}", BODY, f"Terms of use {version}", valid=Span.parse(f"{day}/.."))
        for version, day in {"1.0": "2018-05-01", "1.1": "2020-03-01", "2.0": "2023-07-01"}.items()
    ]
    assert filled(terms).search("first terms of use after version 1.1", now=NOW)[0].id == "terms-2.0"


def test_what_is_read_can_be_edited(filled: Filler) -> None:
    def drop(understanding: Understanding) -> Understanding:
        (constraint,) = understanding.constraints
        assert constraint.span.edtf() == "../2020-08-03"
        return replace(understanding, constraints=())

    with filled(NOTES) as index:
        request = Request.parse({"question": "Django releases before 3.1", "now": NOW})
        response = run_search(index.view(), None, request, WeightedScorer(), edit=drop)
    assert not response.understanding.constraints


def test_where_no_document_bears_it_the_first_that_begins_with_it_does(filled: Filler) -> None:
    days = {
        "3.1.2": "2020-10-01",
        "3.1.1": "2020-09-01",
        "3.2": "2021-04-06",
        "2.2": "2019-04-01",
        "3.14": "2020-01-01",
    }
    index = filled([Document(v, BODY, f"nginx-{v}", Span.parse(day)) for v, day in days.items()])
    response = index.search("last release before nginx 3.1", now=NOW)
    assert response[0].id == "3.14"
    assert any("1 September 2020" in step.sentence for step in response.applied)


def test_metadata_bear_a_version_too(filled: Filler) -> None:
    days = {"8.0": "2023-03-20", "8.4": "2023-10-11", "8.6": "2024-01-31"}
    index = filled(
        [
            Document(f"curl-{version}", f"The parser was fixed. {BODY}", "", Span.parse(day), meta=meta)
            for version, day in days.items()
            for meta in ({"package": "curl", "version": version, "requires": "8.4"},)
        ]
    )
    assert index.search("first curl release after 8.0", now=NOW)[0].id == "curl-8.4"
    assert index.search("last curl release before v8.6", now=NOW)[0].id == "curl-8.4"


def test_texts_without_metadata_have_the_date_that_they_open_with(filled: Filler) -> None:
    index = filled(
        [Document(version, f"Django {version} release notes\n\n*{day}*\n\n{BODY}") for version, day in DATES.items()]
    )
    response = index.search("first release after Django 3.1", now=NOW)
    assert response[0].id == "3.1.4"
    (step,) = (step for step in response.applied if step.name == "version")
    assert "the date of “Django 3.1 release notes”" in step.sentence
