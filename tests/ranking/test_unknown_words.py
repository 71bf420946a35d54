"""An ordinary word that no document has does not hide what is known of a question's rare names; a name does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from epochal import Document, Index
from epochal.times import Span

NOW = "2024-01-01"
LIVES = {
    "Paolo Verreschi": "raced for a Scottish team in Formula Three",
    "Ottilie Brandmeyer": "led the Kestrel Institute in Lund",
    "Hannes Quistorp": "kept the lighthouse at Skagen",
    "Imre Vadaszi": "taught the cello at Szeged",
    "Maud Okonkwo-Reyes": "built organs in Enugu",
    "Tadeusz Wrobelski": "mapped the glaciers of Svalbard",
}


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    documents = [
        Document(f"{name.split()[0]}-{year}", f"In {year} {name} {did}.", published=Span.day(year, 5, 2))
        for name, did in LIVES.items()
        for year in (2007, 2009)
    ]
    filler = [
        Document(f"m{n}", f"Markets were calm, number {n}.", published=Span.day(2007, 1, n)) for n in range(1, 29)
    ]
    with Index.create(tmp_path_factory.mktemp("lives") / "index", encoder=None) as index:
        index.add([*documents, *filler])
        yield index


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("In what athletic pasttime did the Scottish team of Paolo Verreschi race in 2007?", "Paolo-2007"),
        ("Which stakeholder of the Kestrel Institute was Ottilie Brandmeyer in 2009?", "Ottilie-2009"),
        ("What did Tadeusz Wrobelski do on the glasiers of Svalbard in 2007?", "Tadeusz-2007"),
    ],
)
def test_a_word_that_is_misspelt_or_said_otherwise_is_forgiven(lives: Index, question: str, first: str) -> None:
    response = lives.search(question, now=NOW)
    assert (response[0].id, response.outcome, response.unknown_words) == (first, "recorded", ())


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        # A name, and a number, are required beside whatever else is known.
        ("Did Paolo Verreschi race for Tyrrell in 2007?", ("Tyrrell",)),
        ("Was Ottilie Brandmeyer of the Kestrel Institute in Uppsala in 2009?", ("Uppsala",)),
        ("Article 4711 of Ottilie Brandmeyer and Hannes Quistorp in 2009", ("4711",)),
        # Typed in small letters, an unlisted word may be a name.
        ("paolo verreschi of the scottish team tyrrell in 2007", ("tyrrell",)),
        # Too little else is known.
        ("bagpipes in 2007", ("bagpipes",)),
        ("bagpipes at Skagen in 2007", ("bagpipes",)),
        ("calm walnuts in 2007", ("walnuts",)),
    ],
)
def test_what_else_is_unknown_makes_the_topic_unknown(lives: Index, question: str, unknown: tuple[str, ...]) -> None:
    response = lives.search(question, now=NOW)
    assert (response.outcome, response.unknown_words) == ("topic_unknown", unknown)


def test_the_time_of_what_is_forgiven_still_counts(lives: Index) -> None:
    response = lives.search(
        "In what athletic pasttime did the Scottish team of Paolo Verreschi race in May 2008?", now=NOW
    )
    assert response.outcome == "not_covered"


def test_german_kinds_of_texts_and_verbs_are_no_topic(tmp_path):
    with Index.create(tmp_path / "de", encoder=None) as index:
        index.add(
            [
                Document(
                    "a",
                    "Bekanntmachung. Hundesteuer in Lindenau: 40 Euro ab 5. Mai 2010.",
                    published=Span.parse("2010-05-01"),
                )
            ]
        )
        index.add(
            [
                Document(
                    "b",
                    "Bekanntmachung. Hundesteuer in Kirchlohe: 30 Euro ab 5. Mai 2011.",
                    published=Span.parse("2011-05-01"),
                )
            ]
        )
        response = index.search(
            "Welche Fassung zur Hundesteuer in Lindenau war am 26. Juli 2010 gültig?", now="2026-11-18"
        )
    assert response.unknown_words == ()
