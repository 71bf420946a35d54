"""What kind of thing all documents are, they need not say: no forecast says "weather"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from epochal import Document, Index
from epochal.ranking.kinds import _compare_to_all
from epochal.times import Span

NOW = "2022-01-01"
PLACES = ("Riverton", "Lakeside", "Miami", "Denver", "Boston")
SKIES = ("Sunny", "Mostly cloudy", "Rain likely", "Partly sunny", "A chance of thunderstorms")
NOTES = {
    "1987-05-12": "Holm beat Sand in 34 moves with the Sicilian. Draw on board two.",
    "1988-11-02": "Match against Odense: 5 to 3. Queen's gambit declined on every board.",
    "1989-06-04": "Simultaneous display by the grandmaster. He won 19 games and lost one.",
    "1992-10-10": "Team tournament in Aarhus, third place. Rook endings were our weakness.",
    "1994-01-20": "The committee buys six new clocks and boards.",
}
DISHES = {
    "leeks": "Slice two leeks, sweat them in butter, add stock and simmer for twenty minutes.",
    "lamb": "Rub the lamb with garlic and roast it for an hour at 200 degrees.",
    "sponge": "Whisk eggs with sugar, fold in flour, bake until golden.",
    "beans": "Boil the beans, dress with oil, lemon and parsley.",
}


def make_forecasts() -> list[Document]:
    return [
        Document(f"{place}-{day}", f"{place}: {sky}, with a high near {50 + day}. West wind around {day + 3} mph.",
                 published=Span.day(2021, 3, day))
        for place in PLACES for day, sky in enumerate(SKIES, 1)
    ]  # fmt: skip


def make_notes() -> list[Document]:
    return [Document(day[:4], text, published=Span.parse(day)) for day, text in NOTES.items()]


def make_dishes() -> list[Document]:
    return [Document(id, text, published=Span.day(2015, 4, day)) for day, (id, text) in enumerate(DISHES.items(), 1)]


def make_news() -> list[Document]:
    calm = [Document(f"n{day}", "Markets were calm.", published=Span.day(1998, 3, day)) for day in range(1, 20)]
    return [*calm, Document("quake", "An earthquake shook the coast.", published=Span.day(1998, 3, 25))]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Index]]:
    home = tmp_path_factory.mktemp("kinds")
    made = {"forecasts": make_forecasts, "notes": make_notes, "dishes": make_dishes, "news": make_news}
    opened = {}
    for name, make in made.items():
        opened[name] = Index.create(home / name, encoder="static")
        opened[name].add(make())
    yield opened
    for index in opened.values():
        index.close()


@pytest.mark.parametrize(
    ("name", "question", "first"),
    [
        ("forecasts", "Miami weather in March 2021", "Miami"),
        ("forecasts", "weather in Denver before 3 March 2021", "Denver"),
        ("forecasts", "the latest weather for Boston", "Boston-5"),
        ("forecasts", "weather on 3 March 2021", ""),
        ("notes", "chess matches before 1990", "1988"),
        ("notes", "chess in 1989", "1989"),
        ("notes", "chess clocks in 1994", "1994"),
        ("dishes", "recipes with leeks since 2015", "leeks"),
        ("dishes", "the first recipe for lamb", "lamb"),
    ],
)
def test_the_kind_of_all_documents_is_no_topic(indexes: dict[str, Index], name: str, question: str, first: str) -> None:
    response = indexes[name].search(question, now=NOW)
    assert (response.outcome, response.unknown_words) == ("recorded", ())
    assert response[0].id.startswith(first)


def test_a_kind_is_not_missing_where_no_time_is_asked_for(indexes: dict[str, Index]) -> None:
    response = indexes["forecasts"].search("Miami weather", now=NOW)
    assert (response.outcome, response.unknown_words) == ("no_window", ())
    assert response[0].id.startswith("Miami")


@pytest.mark.parametrize(
    ("name", "question", "word"),
    [
        ("forecasts", "Miami murders in March 2021", "murders"),
        ("forecasts", "weather in Paris in March 2021", "Paris"),
        ("forecasts", "cathedrals in March 2021", "cathedrals"),
        ("forecasts", "Kubernetes in March 2021", "Kubernetes"),
        ("notes", "violin matches before 1990", "violin"),
        ("notes", "walnuts in 1989", "walnuts"),
        ("dishes", "weddings in April 2015", "weddings"),
        # What some documents are about is no kind of all of them.
        ("news", "tsunami in March 1998", "tsunami"),
        ("news", "weather in March 1998", "weather"),
    ],
)
def test_what_is_not_the_kind_is_an_unknown_topic(
    indexes: dict[str, Index], name: str, question: str, word: str
) -> None:
    response = indexes[name].search(question, now=NOW)
    assert (response.outcome, response.unknown_words) == ("topic_unknown", (word,))


def test_without_vectors_a_kind_is_a_word_like_others(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(make_notes())
        response = index.search("chess matches before 1990", now=NOW)
    assert response.unknown_words == ("chess",)


def test_a_kind_that_some_document_names_is_a_word_like_others(tmp_path: Path) -> None:
    named = Document("named", "The chess club was founded.", published=Span.parse("1980-01-01"))
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add([*make_notes(), named])
        response = index.search("chess club in 1980", now=NOW)
    assert (response[0].id, response.outcome) == ("named", "recorded")


def test_passages_without_a_vector_say_nothing_of_the_kind(tmp_path: Path) -> None:
    forecasts = make_forecasts()
    with Index.create(tmp_path / "index", encoder="minilm") as index:
        index.add(forecasts[:10], fast=True)
        assert compare_to_all(index) == [0.0]  # nobody knows
        index.make_vectors()
        known = compare_to_all(index)
        assert known[0] > 0.5
        index.add(forecasts[10:], fast=True)
        assert compare_to_all(index) == pytest.approx(known)


def compare_to_all(index: Index) -> list[float]:
    """How surely "weather" is the kind of all documents of an index."""
    return _compare_to_all(SimpleNamespace(view=index.view(), encoder=index.encoder), ["weather"])
