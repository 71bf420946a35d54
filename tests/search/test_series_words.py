"""A document is found by the words of its series, which neither its title nor its text may have."""

from __future__ import annotations

import pytest

from epochal.api import Document, Index

RULES = {
    "club statutes": "Members pay {} euros a year. The board has {} members.",
    "harbour-rules": "Boats may be moored for {} weeks, and {} of them at the pier.",
    "library_hours": "It opens at {} and closes at {} on Fridays.",
}


@pytest.fixture(scope="module", params=[None, "static"])
def rules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Five versions of each of three texts, among 400 notes that are about other things."""
    index = Index.create(tmp_path_factory.mktemp("rules") / "index", encoder=request.param)
    index.add(
        Document(f"{series} {year}", text.format(year - 2010, year - 2012), published=f"{year}-03-01", series=series)
        for series, text in RULES.items()
        for year in range(2015, 2020)
    )
    index.add(
        Document(
            f"note {n}", f"Note {n}: the pump of hall {n % 17} was oiled by shift {n % 5}.", published="2018-06-01"
        )
        for n in range(400)
    )
    return index


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("latest club statutes", "club statutes 2019"),
        ("first harbour rules", "harbour-rules 2015"),
        ("Which harbour rules were in force in June 2017?", "harbour-rules 2017"),
        ("What do the club statutes say about the board in July 2016?", "club statutes 2016"),
        ("What did the club statutes say about the board in July 2016?", "club statutes 2016"),
    ],
)
def test_by_series_and_time(rules: Index, question: str, first: str) -> None:
    response = rules.search(question, now="2020-01-01")
    assert (response[0].id, response.outcome) == (first, "recorded")


def test_a_series_that_nobody_has_is_unknown(rules: Index) -> None:
    response = rules.search("latest tennis statutes", now="2020-01-01")
    assert (response.outcome, response.unknown_words) == ("topic_unknown", ("tennis",))


def test_words_alone_find_it(rules: Index) -> None:
    hits = rules.search("library hours", now="2020-01-01", scorer="bm25", time=False)
    assert hits[0].document.series == "library_hours"
