"""Names are told from sentence openings, adjectives, sources and pieces of longer names."""

from __future__ import annotations

import pytest

from epochal_lab.datasets.making.names import NameFinder, runs


def finder(*texts: str) -> NameFinder:
    made = NameFinder()
    for text in texts:
        made.show(text)
    return made


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He met George W. Bush.", ("George", "W", "Bush")),
        ("He left the Bank of England.", ("Bank", "of", "England")),
        ("They met Rio de Janeiro's mayor.", ("Rio", "de", "Janeiro")),
    ],
)
def test_runs(text, words):
    assert words in [run.words for run in runs(text)]


def test_adjectives_are_no_names():
    texts = [f"A Russian {thing} fell near Kursk." for thing in ("plane", "satellite", "tower", "wall")]
    assert finder(*texts).names(3) == {("Kursk",)}


def test_sources_in_brackets_are_no_names():
    texts = [f"{number} people left. (Al Jazeera)" for number in range(5)]
    assert finder(*texts).names(3) == set()


def test_words_that_open_sentences_are_no_names():
    texts = ["Police met Ann Hay, the police say.", "Police saw Ann Hay. Then police left.", "The police and Ann Hay."]
    found = finder(*texts)
    assert found.names(3) == {("Ann", "Hay")}
    assert [words for words, _ in found.found_in("Police left.")] == [("Police",)]


@pytest.mark.parametrize(
    ("texts", "piece"),
    [
        (["They joined the Tigray People's Liberation Front."] * 4, ("Tigray", "People")),
        (["It backs the Commission against Impunity."] * 4, ("Impunity",)),
        (["He went to Washington, D.C., again."] * 4, ("D", "C")),
        (["He saw the Al-Aqsa Martyrs' Brigades."] * 4, ("Al-Aqsa", "Martyrs")),
        (["They won Euro 2008, again."] * 4, ("Euro",)),
        (["It set up Freedom and Direct Democracy."] * 4, ("Direct", "Democracy")),
    ],
)
def test_pieces_of_names_are_no_names(texts, piece):
    assert piece not in finder(*texts).names(3)


def test_articles_and_initials_are_shown():
    found = finder(*["He met the Vatican, and a man of the U.S. Navy."] * 3)
    assert found.shown(("Vatican",)) == "the Vatican"
    assert found.shown(("U", "S", "Navy")) == "the U.S. Navy"
