"""Words that documents spell otherwise are found, names that differ are not, and the response says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from epochal import Document, Index

TEXTS = (
    "The panic-prone state of rats was induced by orexin.",
    "miR-7a represses target genes in ovaries.",
    "Leukoreduced blood in transfusion.",
    "Green fluorescent protein in mice.",
    "The colour of the harbour theatre was restored.",
    "Anaemia in children was treated with iron.",
    "The organization canceled its program.",
    "openssl 3.0 fixes a bug.",
    "celery 5 was released.",
    "A fast API for reading.",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("spelling")
    with Index.create(folder, encoder=None) as made:
        made.add([Document(f"d{number}", text) for number, text in enumerate(TEXTS)])
        yield made


@pytest.mark.parametrize(
    ("question", "read", "as_written", "found"),
    [
        ("panicprone rats", "panicprone", "panic-prone", "d0"),
        ("miR7a in ovaries", "miR7a", "miR-7a", "d1"),
        ("Leuko-reduced blood", "Leuko-reduced", "Leukoreduced", "d2"),
        ("green florescent protein", "florescent", "fluorescent", "d3"),
        ("a flourescent protein of mice", "flourescent", "fluorescent", "d3"),
        ("the color of the hall", "color", "colour", "d4"),
        ("a harbor of old", "harbor", "harbour", "d4"),
        ("anemia in children", "anemia", "anaemia", "d5"),
        ("Which programme was planned?", "programme", "program", "d6"),
    ],
)
def test_another_spelling_is_found_and_reported(
    index: Index, question: str, read: str, as_written: str, found: str
) -> None:
    response = index.search(question, now="2026-11-16")
    assert response[0].id == found
    sentences = [item.sentence for item in response.applied]
    assert f"reads “{read}” as “{as_written}”, as the documents write it" in sentences


@pytest.mark.parametrize("name", ["openssh", "celeryd", "fastapi", "Openssk", "opensll"])
def test_a_name_that_differs_by_a_letter_is_another(index: Index, name: str) -> None:
    response = index.search(f"latest {name} release", now="2026-11-16")
    assert response.outcome == "topic_unknown"
    assert response.unknown_words == (name,)


@pytest.mark.parametrize(
    ("texts", "question", "word"),
    [
        (("Each pet must be registered.",), "Who is the poet of the town?", "poet"),
        (("For the record.",), "Which four were chosen?", "four"),
        (("Write to Michel about the hall.",), "Michael of the hall", "Michael"),
        (("A pedantic mode was added.",), "pydantic settings", "pydantic"),
        (("Postmen on strike.",), "hotels in portman", "portman"),
        (("He resigned in May.",), "Was the treaty re-signed?", "re-signed"),
        (("The XR-500 pump holds 50 litres.",), "the XR50 pump", "XR50"),
        (("Over-seasoned soup was served.",), "overseas trade", "overseas"),
    ],
)
def test_another_word_is_no_other_spelling(tmp_path: Path, texts: tuple[str, ...], question: str, word: str) -> None:
    with Index.create(tmp_path, encoder=None) as made:
        made.add([Document(f"d{number}", text) for number, text in enumerate((*texts, "The bridge was closed."))])
        response = made.search(question, now="2026-11-16")
    assert not [item.sentence for item in response.applied if f"“{word}”" in item.sentence]


def test_where_nothing_has_any_word_the_topic_is_unknown(index: Index) -> None:
    assert index.search("jupyter notebook", now="2026-11-16").outcome == "topic_unknown"
