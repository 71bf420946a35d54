"""Who asks how things stand now gets the last word on it, also where all of it was written long ago."""

from __future__ import annotations

import pytest

from epochal.api import Index
from epochal.reading.questions.states import asks_current
from epochal.storage.records import Document
from epochal.times import Span

OLD_AND_NEW = [
    ("Anna Berg is chief executive of Halden Steel.", "Halden Steel names Ole Lund chief executive after Berg."),
    ("The ferry ticket to Skarvoy costs 80 kroner.", "The ferry ticket to Skarvoy goes up to 120 kroner."),
    ("The speed limit on Mill Road is 40 mph.", "The speed limit on Mill Road is cut to 20 mph."),
    ("The library in Eastbrook opens at 9 am.", "The library in Eastbrook opens at 10 am from now on."),
    ("Der Eintritt im Museum Lauda kostet 4 Euro.", "Der Eintritt im Museum Lauda kostet nun 7 Euro."),
]
QUESTIONS = [
    "Who is the current chief executive of Halden Steel?",
    "What does a ferry ticket to Skarvoy cost now?",
    "speed limit on Mill Road these days",
    "When does the library in Eastbrook open at the moment?",
    "Was kostet derzeit der Eintritt im Museum Lauda?",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("current") / "index", encoder="static") as made:
        for number, (old, new) in enumerate(OLD_AND_NEW):
            made.add([Document(f"old{number}", old, published=Span.parse(f"201{number}-03-02"))])
            made.add([Document(f"new{number}", new, published=Span.parse(f"201{number + 4}-08-15"))])
            made.add(
                [Document(f"later{number}", f"A fair was held in town {number}.", published=Span.parse("2025-01-05"))]
            )
        yield made


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_newest_on_the_topic_comes_first(index, number):
    response = index.search(QUESTIONS[number], now="2026-11-18")
    assert [hit.id for hit in response.hits][:2] == [f"new{number}", f"old{number}"]


def test_what_comes_after_the_reference_time_does_not_count(index):
    assert index.search(QUESTIONS[0], now="2012-05-01")[0].id == "old0"


def test_other_questions_keep_the_order_of_relevance(index):
    plain = index.search("speed limit on Mill Road", now="2026-11-18", time=False)
    assert index.search("speed limit on Mill Road", now="2026-11-18")[0].id == plain[0].id == "old2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the current fee", True),
        ("Who owns it now?", True),
        ("What was known until now?", False),
        ("Which library is up to date?", True),
        ("an up-to-date price list", True),
        ("How do I keep a mirror up to date?", False),
        ("Who runs the shop at this moment?", True),
        ("a now disestablished county", True),
        ("Which version is current now?", True),
        ("What did it cost in 2010?", False),
        ("Qui est le maire actuel ?", True),
        ("现任市长是谁", True),
        ("actual", True),
        ("the alternating currents of 1893", False),
        ("current in the valve controller", False),
        ("When was the current bridge built?", False),
        ("How many people does the present chapel hold?", False),
    ],
)
def test_which_questions_are_for_how_things_stand(text, expected):
    assert asks_current(text) is expected


def test_the_newest_counts_also_where_other_texts_have_more_of_the_words(tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("many") / "index", encoder=None) as made:
        made.add(
            Document(
                f"d{number}",
                f"Current version {number} of Mastodon: the current version.",
                published=Span.day(2015, 1 + number // 28, 1 + number % 28),
            )
            for number in range(150)
        )
        made.add([Document("new", "Mastodon: one bug less.", published=Span.parse("2016-01-01"))])
        assert made.search("Which Mastodon is current now?", now="2026-11-18")[0].id == "new"
