"""Ingest: what is refused and how, what is stored, and that each time stands where its passage says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ingest import BATCH, add_documents, get_passage_text, read_times
from epochal.reading.expression import StatedRange, stated_ranges
from epochal.reading.tagger import tag
from epochal.storage.records import TITLE, Document, Passage
from epochal.times import Span


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with Index.create(tmp_path, encoder=None) as result:
        yield result


@pytest.mark.parametrize(
    ("given_", "named"),
    [
        (None, "add takes a path, a Document, a dict"),
        ("abc", "abc: there is no such file or folder"),
        ("A text of its own.", "write [...] around it"),
        ([42], "only documents can be added, but a int was given: 42"),
        ([Document("a", "x", series=5)], "the series of document 'a' must be a text or None, but is 5"),  # type: ignore[arg-type]
        ([Document("a", "x", meta={"a": object()})], "the meta of document 'a' must be what JSON can hold"),
        ([Document("a", "x\ud800y")], "the text of document 'a' has half of a letter at 1"),
        ([Document("a", "x", "\udfff")], "the title of document 'a' has half of a letter at 0"),
        ([Document("\ud800", "x")], "the id of document '\\ud800' has half of a letter"),
        ([Document("a", "x", series="\ud800")], "the series of document 'a' has half of a letter"),
    ],
)
def test_what_cannot_be_stored_is_named_and_stores_nothing(index: Index, given_: Any, named: str) -> None:
    documents = [Document("good", "Rye."), *given_] if isinstance(given_, list) else given_
    with pytest.raises(EpochalError) as caught:
        index.add(documents)
    assert named in str(caught.value)
    assert len(index) == 0


def test_of_two_documents_with_one_id_the_second_wins(index: Index) -> None:
    assert index.add([Document("a", "Rye."), Document("b", "Oats."), Document("a", "Wheat.")]) == 3
    assert {item.id: item.text for item in index.documents()} == {"a": "Wheat.", "b": "Oats."}
    assert index.search("rye").hits == ()


def test_what_is_stored_already_is_not_counted(index: Index) -> None:
    documents = [Document("a", "Rye."), Document("b", "Oats.")]
    messages: list[int] = []
    assert index.add(documents, progress=messages.append) == 2
    assert index.add(documents, progress=messages.append) == 0
    assert index.add([documents[0], Document("b", "Oats.", published=Span.year(1998))], progress=messages.append) == 1
    assert messages == [2, 2, 2]
    generation = index.generation
    index.add(documents[:1])
    assert index.generation == generation


def test_many_documents_come_in_batches_from_a_generator(index: Index) -> None:
    messages: list[int] = []
    count = BATCH + 5
    assert index.add((Document(f"d{n}", f"Rye {n}.") for n in range(count)), progress=messages.append) == count
    assert messages == [BATCH, 5]
    assert len(index) == count


def test_titles_alone_are_documents(index: Index) -> None:
    index.add([Document("a", "", "Rye in 1998")])
    hit = index.search("rye in 1998")[0]
    assert (hit.id, hit.passage, hit.evidence[0].span.edtf()) == ("a", "", "1998")


def test_a_reader_of_ones_own_is_used(index: Index) -> None:
    index.add([Document("a", "Rye in 1998.")], read=lambda _: ([], []))
    assert index.search("rye", during="1998", strict=True).hits == ()


def test_what_is_encoded_has_the_title() -> None:
    document = Document("a", "Rye. Oats.", "Grain")
    assert get_passage_text(document, Passage(5, 10)) == "Grain\nOats."
    assert get_passage_text(Document("a", "Rye."), Passage(0, 4)) == "Rye."


def test_relative_times_count_from_the_date_of_publication() -> None:
    _, text = read_times(Document("a", "Sold last year.", published=Span.parse("1998-06-02")))
    assert [item.span.edtf() for item in text] == ["1997"]
    _, text = read_times(Document("a", "Sold last year."))
    assert text == []


WORDS = st.sampled_from(
    ["Rye", "1998", "in May 2003.", "\n\n", "关税。", "1998年5月", "from 1916 to 1920", "🦓", "x" * 300, "last week"]
)


@given(st.lists(WORDS, max_size=60), st.sampled_from(["", "Report of 2001"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_time_is_in_its_passage(index: Index, words: list[str], title: str) -> None:
    document = Document("a", " ".join(words), title, Span.parse("2010-03-05"))
    index.add([document])
    view = index.view()
    entry = view.get_entries(view.find_document_rows(["a"]))[0]
    title_times, text_times = read_times(document)
    assert entry.document == document
    matches = []
    for passage in entry.passages:
        assert sum(dating.start_char == TITLE for dating in passage.datings) == len(title_times)
        for dating in passage.datings:
            if dating.start_char != TITLE:
                matches.append((passage.start_char + dating.start_char, dating.span))
    assert matches == [(item.start_char, item.span) for item in text_times]


def test_a_document_of_two_megabytes_is_stored_and_found(index: Index) -> None:
    filler = "Grass grew on the plain and nothing was written of it. " * 20
    text = "\n\n".join([filler] * 1900 + ["The zebra escaped on 2 May 1998."])
    assert len(text) > 2_000_000
    assert index.add([Document("long", text), Document("short", "A zebra.")], read=read_tail) == 2
    found = index.search("When did the zebra escape in 1998?")
    assert found[0].id == "long"
    evidence = found[0].evidence[0]
    assert text[evidence.start_char : evidence.end_char] == evidence.text == "2 May 1998"


def read_tail(document: Document) -> tuple[list[StatedRange], list[StatedRange]]:
    """The times of the end of a text: the whole reading is tested elsewhere, and takes seconds."""
    offset = max(0, len(document.text) - 200)
    result = stated_ranges(document.text[offset:], tag(document.text[offset:]))
    return [], [replace(item, start_char=item.start_char + offset, end_char=item.end_char + offset) for item in result]


def test_vectors_are_asked_for_once(tmp_path: Path) -> None:
    requests: list[str] = []

    class Counting:
        name, dim = "counting-1", 2

        def encode_documents(self, texts: list[str]) -> np.ndarray:
            requests.extend(texts)
            return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

        encode_queries = encode_documents

    with Index.create(tmp_path, encoder=Counting()) as index:
        index.add([Document("a", "Rye."), Document("b", "Rye."), Document("c", "Oats.")])
        assert requests == ["Rye.", "Oats."]
        index.add([Document("d", "Oats."), Document("a", "Rye.", published=Span.year(1998))])
        assert requests == ["Rye.", "Oats."]


def test_documents_can_be_added_to_a_backend_without_an_index(tmp_path: Path) -> None:
    from epochal.storage.store import Store

    with Store.create(tmp_path) as store:
        assert add_documents(store, iter([Document("a", "Rye.")]), None) == 1
