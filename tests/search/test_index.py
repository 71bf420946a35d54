"""Index: adding, replacing and deleting; opening with the right encoder; searching while another thread writes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epochal.api import Index
from epochal.encoders.base import unit_rows
from epochal.errors import EpochalError, StorageError, UnknownNameError
from epochal.storage.records import Document
from epochal.times import Span


class Lengths:
    name, dim = "lengths-1", 2

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        return unit_rows([[1.0 + len(text), text.count(" ")] for text in texts])

    encode_queries = encode_documents


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"during": "soonish"}, "during: 'soonish' is not a time in any calendar; accepted: EDTF"),
        ({"now": 5.5}, "now must be a Span, a date, a year or a text such as '1998-03', but is 5.5"),
        (
            {"colour": "red", "shade": 3},
            "search does not know colour, shade; accepted: k, offset, where, now, as_of",
        ),
        ({"scorer": "nope"}, "no scorer is called 'nope'; known: gate, bm25"),
        ({"scorer": 5}, "scorer must be a name or have a name and a method score, but is 5"),
        ({"k": 0}, "k must be from 1 to 10,000, but is 0"),
    ],
)
def test_wrong_wishes_are_named(tmp_path: Path, options: dict[str, Any], named: str) -> None:
    with Index.create(tmp_path, encoder=None) as index, pytest.raises(EpochalError) as caught:
        index.search("tariffs", **options)
    assert named in str(caught.value)


def test_wrong_encoders_and_ids_are_named(tmp_path: Path) -> None:
    with pytest.raises(EpochalError, match="encoder must be a name, an Encoder or None, but is 5"):
        Index.create(tmp_path / "a", encoder=5)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no encoder is called 'nope'; known: minilm"):
        Index.create(tmp_path / "b", encoder="nope")
    with Index.create(tmp_path / "c", encoder=None) as index:
        with pytest.raises(EpochalError, match="a document's id must be a text, but 5 was asked for"):
            index.get(5)  # type: ignore[arg-type]
        with pytest.raises(KeyError, match="no document has the id 'abc'"):
            index["abc"]
        assert index.delete("abc") == 0


def test_an_encoder_of_ones_own_must_be_given_again(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=Lengths()) as index:
        index.add([Document("a", "Wool is dear.")])
        assert index.encoder_name == "lengths-1"
    with pytest.raises(StorageError, match="was made with an encoder called 'lengths-1'; open it with that encoder"):
        Index.open(tmp_path)
    with Index.open(tmp_path, Lengths()) as index:
        assert index.search("wool")[0].id == "a"


@pytest.mark.parametrize("encoder", [None, "static"])
def test_deleted_documents_are_never_found_and_replaced_ones_only_as_new(tmp_path: Path, encoder: str | None) -> None:
    with Index.create(tmp_path, encoder=encoder) as index:
        index.add([Document("a", "Wool of 1998.", series="w"), Document("b", "Wool of 1999.", series="w")])
        assert index.add([Document("a", "Linen of 2003.")]) == 1
        assert index.delete(["b", "nobody"]) == 1
        assert len(index) == 1
        for options in (
            {},
            {"during": "1998", "strict": True},
            {"during": "2003", "strict": True},
            {"collapse_versions": False},
        ):
            assert {hit.id for hit in index.search("wool in 1999", **options)} <= {"a"}
            assert all("Linen" in hit.passage for hit in index.search("wool linen", **options))
        assert index.search("wool", during="1998", strict=True).hits == ()
        assert [item.text for item in index.documents()] == ["Linen of 2003."]
        index.delete(["a"])
        assert index.search("linen wool 1998").hits == ()
        index.add([Document("a", "Wool again, in 1998.")])
    with Index.open(tmp_path) as index:
        assert [hit.passage for hit in index.search("wool in 1998")] == ["Wool again, in 1998."]
        assert index.get("a") is not None
        assert index.get("b") is None


@pytest.mark.parametrize("encoder", [None, "static"])
def test_searches_go_on_while_another_thread_adds_and_deletes(tmp_path: Path, encoder: str | None) -> None:
    failures: list[BaseException] = []
    done = threading.Event()
    with Index.create(tmp_path, encoder=encoder) as index:
        index.add(
            Document(f"s{n}", f"Wool of {1900 + n}.", published=Span.year(1900 + n), series="w") for n in range(20)
        )

        def search(number: int) -> None:
            try:
                while not done.is_set():
                    for options in ({}, {"as_of": "1910"}, {"during": "1905", "strict": True}):
                        for hit in index.search(f"wool in {1900 + number}", **options):
                            assert "Wool" in hit.document.text
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test must tell of it
                failures.append(error)

        threads = [threading.Thread(target=search, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        try:
            for number in range(15):
                index.add([Document(f"x{number}", f"Wool of {1950 + number}, again and again.")])
                index.delete([f"x{number - 5}"])
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert failures == []
        assert len(index) == 25


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    index = Index.create(tmp_path, encoder=None)
    index.close()
    with pytest.raises(StorageError, match="is closed; open it again"):
        index.search("wool")
