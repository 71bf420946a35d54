"""Freshness: newer is fresher, at the pace of the question, and only where news is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.features import get_publication_ends, measure_freshness, needs_freshness
from epochal.ranking.pool import Pool
from epochal.reading.questions import understand
from epochal.storage.records import Document
from epochal.times import Span

NOW = Span.parse("2026-11-15")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    dates = ("2026-11-14", "2026-10-01", "2020-01-01", None, "2027-01-01")
    with Index.create(tmp_path, encoder=None) as made:
        made.add(
            Document(f"d{number}", f"Launch of rocket {number}.", published=None if date is None else Span.parse(date))
            for number, date in enumerate(dates)
        )
        yield made


def pool_of(index: Index, question: str, now: Span | None = NOW) -> Pool:
    view = index.view()
    rows = view.alive
    zeros = np.zeros(len(rows))
    return Pool(question, understand(question, now), now, view, (), rows, view.get_document_rows(rows), zeros, zeros)


def test_newer_is_fresher_and_undated_is_in_the_middle(index: Index) -> None:
    scores = measure_freshness(pool_of(index, "What is the latest rocket launch?"))
    assert 1 >= scores[0] > scores[1] > scores[2] >= 0
    assert scores[3] == np.median(scores[[0, 1, 2, 4]])


@pytest.mark.parametrize(
    ("question", "now", "wanted"),
    [
        ("What is the latest rocket launch?", NOW, True),
        ("What is the latest rocket launch?", None, False),
        ("What is the latest rocket launch?", Span.parse("2026/.."), False),
        ("What is a rocket?", NOW, False),
        ("Which rocket was launched in 1969?", NOW, False),
        ("What's new in rocketry?", NOW, True),
        ("Has the rocket been launched recently?", NOW, True),
        ("Are there any updates on the rocket?", NOW, True),
        ("Quoi de neuf chez les constructeurs de fusées ?", NOW, True),
        ("Was gibt es Neues von der Rakete?", NOW, True),
        ("火箭有什么新进展？", NOW, True),
        ("最近のロケット打ち上げ", NOW, True),
        ("What is New Glenn?", NOW, False),
        ("recent history of rocketry as a discipline", NOW, False),
        ("Which rocket is more powerful than the new one?", NOW, False),
    ],
)
def test_news_is_wanted_where_it_is_asked_for_and_the_present_is_known(
    index: Index, question: str, now: Span | None, wanted: bool
) -> None:
    assert needs_freshness(pool_of(index, question, now)) is wanted


def test_without_a_present_nothing_is_fresh(index: Index) -> None:
    with pytest.raises(EpochalError, match="freshness needs the reference time; give now"):
        measure_freshness(pool_of(index, "What is the latest rocket launch?", None))


def test_the_newest_comes_first_when_news_is_asked_for(index: Index) -> None:
    asked = index.search("What is the latest rocket launch?", now=NOW)
    assert asked[0].id in ("d0", "d4")
    assert asked[0].parts["freshness"] > 0
    assert "freshness" in [item.name for item in asked.applied]
    assert "freshness" not in index.search("What is a rocket launch?", now=NOW)[0].parts


def test_documents_without_a_date_are_older_than_all(index: Index) -> None:
    view = index.view()
    ends = get_publication_ends(view, view.alive_documents)
    assert ends.argmin() == 3
    assert ends[0] == Span.parse("2026-11-14").end


def test_of_old_documents_the_newest_is_what_is_new(tmp_path: Path) -> None:
    """The last word on something may be years old, and newer documents about something else do not change that."""
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document(f"{name}-{year}", f"Changes to the {name} timetable: {words}.", published=Span.year(year))
                for name, first in (("ferry", 1990), ("tram", 2015))
                for year, words in enumerate(("winter sailings", "a later departure", "no stop at the mill"), first)
            ]
        )
        for question in ("recent changes to the ferry timetable", "What's new in the ferry timetable?"):
            found = [hit.id for hit in index.search(question, now=NOW)]
            assert found[:3] == ["ferry-1992", "ferry-1991", "ferry-1990"], question


def test_what_begins_with_the_name_of_another_is_news_of_it(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document("old", "It has forty coins.", "Egypt gallery", Span.year(2006)),
                Document("new", "It stays shut until spring.", "Egypt gallery closed", Span.year(2019)),
                *(
                    Document(f"other{year}", "A lamp was lent.", f"Loan {year}", Span.year(year))
                    for year in range(2000, 2020)
                ),
            ]
        )
        for question in ("What's new in the Egypt gallery?", "latest news about the Egypt gallery"):
            assert index.search(question, now=NOW)[0].id == "new", question


def test_words_of_news_are_not_read_in_another_form(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document("open", "Бассейн открылся.", published=Span.year(2010)),
                Document("closed", "Бассейн закрыт.", published=Span.year(2015)),
                Document("bridge", "На новой улице построили мост.", published=Span.year(2012)),
            ]
        )
        assert index.search("Что нового в бассейне?", now=NOW)[0].id == "closed"
