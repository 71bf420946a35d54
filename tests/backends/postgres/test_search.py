"""Whole searches: what the engine answers over PostgreSQL is what it answers over the embedded store."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import epochal.cli
from epochal import Document, Index, Span
from epochal.encoders import encoder
from epochal.storage.importers import read
from epochal.storage.protocol import View

EVENTS = Path(epochal.cli.__file__).parent / "demo_data" / "events.jsonl"
QUESTIONS = [
    "Who won the Nobel Prize for Literature in 2002?",
    "What happened to the ozone hole over Antarctica last year?",
    "earthquake",
    "Which elections were held between 2004 and 2006?",
    "What is known of hurricanes before 2005?",
    "latest news of the space station",
    "Who was president in 1850?",
    "the of and in",
    "2003年的选举",
    "volcano eruption in May 2010",
]
WISHES: list[dict[str, object]] = [
    {},
    {"during": "2005", "strict": True},
    {"as_of": "2006-06-01"},
    {"before": "2004", "k": 25},
    {"after": "2008", "strict": True, "collapse_versions": False},
    {"now": "2007-03-01"},
]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory, postgres_server, namespaces) -> Iterator[tuple[Index, Index]]:
    documents = list(islice(read(EVENTS), 0, None, 4))
    changed = [
        Document(item.id, f"{item.text} It was reported in 2006.", "Changed", item.published) for item in documents[::9]
    ]
    versions = [
        Document(f"v{year}", f"The prime minister is {name}.", "Office", Span.year(year), series="office")
        for year, name in ((2003, "Ann Hay"), (2005, "Ben Roe"), (2007, "Cora Lee"))
    ]
    with (
        # A folder keeps the vectors of an encoder that is given as an object in single precision, as PostgreSQL does.
        Index.create(tmp_path_factory.mktemp("embedded"), encoder=encoder("static")) as embedded,
        Index.create(postgres_server.address(next(namespaces)), encoder=encoder("static")) as postgres,
    ):
        for index in (embedded, postgres):
            index.add(documents)
            index.add([*changed, *versions])
            index.delete([item.id for item in documents[5::50]])
        yield embedded, postgres


def is_alike(one: object, other: object) -> bool:
    """Compare apart from the last digits of scores, which depend on the machine and on batches of vectors."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-5, abs=1e-6)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_alike, one, other))
    return one == other


@pytest.mark.parametrize("options", WISHES, ids=str)
def test_the_same_hits_for_the_same_reasons(indexes: tuple[Index, Index], options: dict[str, object]) -> None:
    embedded, postgres = indexes
    for question in QUESTIONS:
        expected, result = (index.search(question, **options) for index in (embedded, postgres))
        assert is_alike(result.to_dict(), expected.to_dict()), question


def test_versions_nested_vectors_and_other_scorers(indexes: tuple[Index, Index]) -> None:
    embedded, postgres = indexes
    requests: list[tuple[str, dict[str, object]]] = [
        ("Who is the prime minister?", {"as_of": "2006"}),
        ("Who is prime minister?", {"valid_at": "2004"}),
        ("earthquake", {"scorer": "bm25"}),
        ("earthquake", {"scorer": "dense"}),
        ("earthquake in 2005", {"scorer": "rrf"}),
        ("earthquake", {"dims": 64}),
        ("earthquake", {"dims": 64, "shortlist": 20}),
    ]
    for question, options in requests:
        expected, result = (index.search(question, **options) for index in (embedded, postgres))
        assert is_alike(result.to_dict(), expected.to_dict()), (question, options)


def test_answers_and_coverage(indexes: tuple[Index, Index]) -> None:
    embedded, postgres = indexes
    for question in QUESTIONS[:3]:
        assert postgres.answer(question).text == embedded.answer(question).text
    assert postgres.coverage().to_dict() == embedded.coverage().to_dict()
    assert [document.id for document in postgres.documents()] == [document.id for document in embedded.documents()]


def test_views_are_the_same_all_over(indexes: tuple[Index, Index]) -> None:
    """Every column and every context, over thousands of times."""
    true, ours = (index.view() for index in indexes)
    for name in ("content", "published", "valid"):
        expected, result = getattr(true, name), getattr(ours, name)
        assert np.array_equal(result.rows, expected.rows)
        assert np.array_equal(result.start_chars, expected.start_chars)
        assert np.array_equal(result.end_chars, expected.end_chars)
        for column in ("starts", "ends", "grains", "end_grains", "certainties", "end_certainties", "weights"):
            assert np.array_equal(getattr(result.spans, column), getattr(expected.spans, column)), (name, column)
    documents = true.alive_documents
    for ask in (
        lambda view: view.alive,
        lambda view: view.alive_documents,
        lambda view: view.get_document_rows(view.alive),
        lambda view: view.get_passage_rows(documents[::-1]),
        lambda view: view.get_series_codes(documents),
        lambda view: view.get_vectors(view.alive[:50]),
    ):
        assert np.array_equal(ask(ours), ask(true))
    tokens = ["the", "president", "elect", "quak", "2006", "chang", "nobodi"]
    positions = np.arange(len(true.content))
    assert np.array_equal(_contexts(ours, positions, tokens), _contexts(true, positions, tokens))
    whole = np.full(len(true.alive), -1)
    assert np.array_equal(
        ours.match_contexts(true.alive, whole, tokens), true.match_contexts(true.alive, whole, tokens)
    )
    assert ours.get_passages(ours.alive[:40]) == true.get_passages(true.alive[:40])
    assert ours.get_texts(ours.alive[-40:]) == true.get_texts(true.alive[-40:])
    assert ours.get_documents(documents[5:9]) == true.get_documents(documents[5:9])


def _contexts(view: View, positions: np.ndarray, tokens: list[str]) -> np.ndarray:
    return view.match_contexts(view.content.rows[positions], positions, tokens)


def test_an_encoder_that_is_not_the_one_is_refused(postgres_server, namespaces) -> None:
    from epochal.encoders.wrappers import cut_encoder
    from epochal.errors import StorageError

    address = postgres_server.address(next(namespaces))
    Index.create(address, encoder="static").close()
    with pytest.raises(StorageError, match=r"the index 'postgresql://postgres:\*\*\*@.* holds vectors of 'static"):
        Index.open(address, encoder=cut_encoder(encoder("static"), 16))
    with Index.open(address) as index:
        assert index.encoder_name == "static"
