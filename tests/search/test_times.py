"""Every hit has its times, also where the question has none: with their words and where they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal import Document, Index
from epochal.ingest import SequenceReader
from epochal.times import Span


@pytest.fixture
def index(tmp_path: Path) -> Index:
    result = Index.create(tmp_path / "index", encoder=None)
    result.add(
        [
            Document("c", "Rome had kings until 509 BC. Caesar was killed in 44 BC.", published=1999),
            Document("f", "The fee is 4 euros.", published="2019-03-01", valid="2019/2021"),
            Document("n", "The harbour is deep."),
            Document("t", "He sailed.", title="A voyage in 1843"),
        ]
    )
    return result


def list_times(index: Index, question: str) -> list[tuple[str, str, str]]:
    return [(time.span.edtf(), time.provenance, time.text) for time in index.search(question, now=None)[0].times]


def test_the_time_beside_the_words_comes_first(index: Index) -> None:
    assert list_times(index, "killed Caesar")[0] == ("-0043", "stated", "44 BC")
    assert list_times(index, "kings of Rome")[0] == ("../-0508", "stated", "until 509 BC")
    assert ("1999", "published", "") in list_times(index, "killed Caesar")


def test_evidence_of_a_window_comes_first(index: Index) -> None:
    hit = index.search("Caesar in 44 BC", now=None)[0]
    assert (hit.times[0].span, hit.times[0].match) == (hit.evidence[0].span, hit.evidence[0].match)
    assert hit.times[0].context == "Caesar was killed in 44 BC."
    assert hit.document.text[hit.times[0].start_char : hit.times[0].end_char] == "44 BC"


def test_dates_of_the_document_titles_and_none(index: Index) -> None:
    assert list_times(index, "fee") == [("2019-03-01", "published", ""), ("2019/2021", "valid", "")]
    assert list_times(index, "harbour") == []
    assert index.search("harbour")[0].date is None
    assert list_times(index, "voyage")[0] == ("1843", "stated", "A voyage in 1843")


def test_a_time_that_was_carried_over_names_its_source(tmp_path: Path) -> None:
    texts = ("12 May 1843. Rain.", "13. The mast broke.", "All was repaired by night.")
    with Index.create(tmp_path / "log", encoder=None) as log:
        log.add([Document(f"line {n}", text) for n, text in enumerate(texts, 1)], read=SequenceReader())
        hit = log.search("mast repaired", now=None)
        times = {item.id: item.times[0] for item in hit}
    carried = times["line 3"]
    assert (carried.span, carried.provenance) == (Span.day(1843, 5, 13), "carried")
    assert (carried.source, carried.text) == ("line 2", "13")
    assert "carried over from “13” in line 2" in next(item for item in hit if item.id == "line 3").explain()


def test_highlights_are_places_of_words_and_times(index: Index) -> None:
    hit = index.search("Who killed Caesar?")[0]
    assert [hit.text[start:end] for start, end in hit.highlights] == ["until 509 BC", "Caesar", "killed", "44 BC"]


def test_times_in_json_and_in_a_row(index: Index) -> None:
    hit = index.search("killed Caesar")[0]
    assert hit.to_dict()["times"][0]["provenance"] == "stated"
    assert hit.to_row()["times"][0] == "-0043"
