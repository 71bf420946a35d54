"""`dims` and `shortlist`: a search by part of the vectors is one of an index that stores no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epochal import Document, Index, Span
from epochal.encoders import encoder
from epochal.encoders.wrappers import PrefixEncoder
from epochal.errors import EpochalError, StorageError
from epochal.search import Request

GOODS = "steel copper wool wheat silk iron coal rice tea salt sugar timber cotton wine fish".split()
DOCUMENTS = [
    Document(
        f"{good}-{year}",
        f"The tariff on {good} was {'raised' if year % 2 else 'lowered'} in {year}, and {other} grew dear.",
        published=Span.year(year + position % 3),
    )
    for position, good in enumerate(GOODS)
    for year, other in zip((1990, 1995, 1999, 2004), GOODS[position:] + GOODS, strict=False)
]
ASKED = ("What became of the duty on metal?", "copper tariffs in 1995", "Who raised the tariff on wine before 2000?")


class Nested:
    """The static encoder under another name, which says that it may be cut."""

    name, dim, nested_dims = "nested-static", 256, (64, 128)

    def __init__(self) -> None:
        self._static = encoder("static")

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        return self._static.encode_documents(texts)

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        return self._static.encode_queries(texts)


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Index]]:
    """The same documents with all numbers of their vectors, and with the first 64 only."""
    folder = tmp_path_factory.mktemp("nested")
    with (
        Index.create(folder / "all", encoder=encoder("static")) as whole,  # given by name its vectors have 8 bits
        Index.create(folder / "64", encoder="static", dims=64) as short,
    ):
        whole.add(DOCUMENTS)
        short.add(DOCUMENTS)
        yield {256: whole, 64: short}


def told(response: Any) -> list[Any]:
    return [(hit.id, hit.score, dict(hit.parts)) for hit in response]


@pytest.mark.parametrize("scorer", [None, "dense", "rrf", "zscore", "tempralm", "tagged-dense", "tempretriever-ewi"])
@pytest.mark.parametrize("options", [{}, {"during": "1995", "strict": True}, {"as_of": "1997"}, {"time": False}])
def test_a_search_by_dims_is_one_of_an_index_that_stores_no_more(
    indexes: dict[int, Index], scorer: str | None, options: dict[str, Any]
) -> None:
    for question in ASKED:
        by_dims = indexes[256].search(question, dims=64, now="2005", scorer=scorer, **options)
        stored = indexes[64].search(question, now="2005", scorer=scorer, **options)
        assert told(by_dims) == told(stored)
        assert len(by_dims)


def test_part_of_the_vectors_is_not_all_of_them(indexes: dict[int, Index]) -> None:
    """Or the others prove nothing."""
    scores = {
        dims: [hit.score for hit in indexes[256].search(ASKED[0], dims=dims, scorer="dense")] for dims in (16, 64, 256)
    }
    assert len({tuple(match) for match in scores.values()}) == 3


@pytest.mark.parametrize("options", [{}, {"during": "1995", "strict": True}])
def test_a_shortlist_with_room_for_all_is_the_full_search(indexes: dict[int, Index], options: dict[str, Any]) -> None:
    for question in ASKED:
        full = indexes[256].search(question, **options)
        assert told(indexes[256].search(question, dims=8, shortlist=10_000, **options)) == told(full)
        assert told(indexes[256].search(question, dims=256, **options)) == told(full)


def test_a_shortlist_is_scored_by_whole_vectors(indexes: dict[int, Index]) -> None:
    index = indexes[256]
    found = index.search(
        ASKED[0], dims=8, shortlist=5, scorer="dense", collapse_versions=False, promote_current_version=False
    )
    full = {
        hit.id: hit.score
        for hit in index.search(ASKED[0], scorer="dense", k=100, collapse_versions=False, promote_current_version=False)
    }
    assert all(hit.score == full[hit.id] for hit in found)


def test_a_strict_window_is_kept(indexes: dict[int, Index]) -> None:
    for options in ({"dims": 16}, {"dims": 16, "shortlist": 3}):
        found = indexes[256].search("tariffs", during="1999", strict=True, k=100, collapse_versions=False, **options)
        ids = {hit.id for hit in found}
        assert ids == {
            hit.id for hit in indexes[256].search("tariffs", during="1999", strict=True, k=100, collapse_versions=False)
        }
        assert 0 < len(ids) < len(DOCUMENTS)


def test_what_was_compared_is_reported(indexes: dict[int, Index]) -> None:
    note = " (the encoder was not trained to be truncated there)"
    found = indexes[256].search(ASKED[0], dims=64).applied[-1]
    assert (found.name, found.strict, found.span) == ("dims", False, None)
    assert found.sentence == f"compares vectors by their first 64 of 256 dimensions{note}"
    found = indexes[256].search(ASKED[0], dims=64, shortlist=1500).applied[-1]
    assert found.sentence == f"finds 1,500 passages by the first 64 of 256 dimensions, reranks them by all{note}"
    for options in ({}, {"dims": 256}, {"dims": 256, "shortlist": 9}):
        assert "dims" not in [item.name for item in indexes[256].search(ASKED[0], **options).applied]


def test_an_encoder_that_may_be_cut_goes_without_the_note(tmp_path: Path) -> None:
    with Index.create(tmp_path / "mine", encoder=Nested()) as index:
        index.add(DOCUMENTS[:5])
        sentences = [index.search(ASKED[0], dims=dims).applied[-1].sentence for dims in (64, 65)]
    assert ["not trained" in sentence for sentence in sentences] == [False, True]


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dims": 0}, "dims must be a whole number from 1 or None, but is 0"),
        ({"dims": "64"}, "dims must be a whole number from 1 or None, but is '64'"),
        ({"dims": True}, "dims must be a whole number from 1 or None, but is True"),
        ({"dims": 64.0}, "dims must be a whole number from 1 or None, but is 64.0"),
        ({"dims": 64, "shortlist": 0}, "shortlist must be a whole number from 1 or None, but is 0"),
        ({"shortlist": 50}, "shortlist 50 reranks passages found by their first dimensions; give dims too"),
    ],
)
def test_wrong_wishes_are_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EpochalError) as caught:
        Request("tariffs", **options)
    assert str(caught.value) == message


def test_a_length_that_the_vectors_do_not_have(indexes: dict[int, Index], tmp_path: Path) -> None:
    with pytest.raises(
        EpochalError, match=r"^dims must be from 1 to 64, the length of the index's vectors, but is 65$"
    ):
        indexes[64].search("tariffs", dims=65)
    with Index.create(tmp_path / "words", encoder=None) as words:
        words.add(DOCUMENTS[:2])
        with pytest.raises(EpochalError, match=r"^dims is 64, but this index was made without an encoder; leave out"):
            words.search("tariffs", dims=64)


# ---------------------------------------------------------------- storing less


def test_an_index_stores_only_what_it_is_asked_to(indexes: dict[int, Index]) -> None:
    view = indexes[64].view()
    assert view.dim == 64
    assert np.array_equal(view.get_vectors(view.alive), indexes[256].view().with_dims(64).get_vectors(view.alive))


def test_a_cut_index_is_opened_with_its_encoder_by_name_or_given(tmp_path: Path) -> None:
    static = encoder("static")
    with Index.create(tmp_path / "named", encoder="static", dims=64) as index:
        index.add(DOCUMENTS[:5])
    with Index.open(tmp_path / "named") as index:
        assert (index.encoder_name, index.encoder and index.encoder.name) == ("static", f"{static.name}[:64]")
        index.add(DOCUMENTS[5:8])
        assert index.search("sugar", dims=32)[0].id
    Index.create(tmp_path / "given", encoder=Nested(), dims=64).close()
    for given in (Nested(), PrefixEncoder(Nested(), 64)):
        with Index.open(tmp_path / "given", given) as index:
            assert index.encoder is not None
            assert (index.encoder.name, index.encoder.dim) == ("nested-static[:64]", 64)
    with pytest.raises(StorageError, match=r"holds vectors of 'nested-static\[:64\]', but the encoder is 'static-"):
        Index.open(tmp_path / "given", static)


def test_all_numbers_are_no_cut(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder="static", dims=256) as index:
        assert index.encoder is not None
        assert index.encoder.name == encoder("static").name


@pytest.mark.parametrize(
    ("made", "dims", "message"),
    [
        ("static", 257, "dims must be from 1 to 256, the length of the vectors of 'static-"),
        ("static", 0, "but is 0"),
        (None, 64, "dims is 64, but without an encoder there are no vectors; leave out dims"),
    ],
)
def test_an_index_cannot_be_cut_where_there_is_nothing(
    tmp_path: Path, made: str | None, dims: int, message: str
) -> None:
    with pytest.raises(EpochalError, match=message):
        Index.create(tmp_path / "new", encoder=made, dims=dims)
    assert not (tmp_path / "new").exists()
