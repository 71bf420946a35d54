"""Every way of writing a window names exactly that window: the tagger, which knows nothing of it, reads it back."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading import stated_ranges, tag
from epochal.times import Grain, Span
from epochal_lab.datasets.making.names import NameFinder, runs
from epochal_lab.datasets.making.wording import during, names

GRAINS = (Grain.DAY, Grain.MONTH, Grain.QUARTER, Grain.YEAR, Grain.DECADE)
days = st.dates(dt.date(1500, 1, 1), dt.date(2090, 1, 1))


def read(text: str) -> set[tuple[int, int]]:
    return {(item.span.start, item.span.end) for item in stated_ranges(text, tag(text))}


@given(days, st.sampled_from(GRAINS), st.sampled_from(["en", "zh"]))
def test_units_read_back(day, grain, language):
    unit = Span.unit(Span.of(day).start, grain)
    for name in names(unit, language):
        text = f"在{name}，下雨。" if language == "zh" else f"It rained in {name}."
        assert (unit.start, unit.end) in read(text), name


@given(days, st.integers(1, 20), st.sampled_from([Grain.DAY, Grain.MONTH, Grain.YEAR]), st.integers(0, 7))
def test_ranges_read_back(day, length, grain, choice):
    first = Span.unit(Span.of(day).start, grain)
    last = first.shift(length)
    text = f"It rained {during(first, last, choice)}."
    assert (first.start, last.end) in read(text), text


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        (Span.year(-721), "in 722 BCE"),
        (Span.day(2014, 3, 5), "on 5 March 2014"),
        (Span.unit(Span.year(1994).start, Grain.DECADE), "in the 1990s"),
    ],
)
def test_prepositions(unit, words):
    assert during(unit, unit, 0) == words


def finder(*texts: str) -> NameFinder:
    result = NameFinder()
    for text in texts:
        result.show(text)
    return result


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
    result = finder(*texts)
    assert result.names(3) == {("Ann", "Hay")}
    assert [words for words, _ in result.found_in("Police left.")] == [("Police",)]


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
    result = finder(*["He met the Vatican, and a man of the U.S. Navy."] * 3)
    assert result.shown(("Vatican",)) == "the Vatican"
    assert result.shown(("U", "S", "Navy")) == "the U.S. Navy"
