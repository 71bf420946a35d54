from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.importers import read
from epochal.storage.importers.export import build_row, export
from epochal.storage.records import Document
from epochal.times import Grain, Span
from spans_strategy import spans

#: What UTF-8 can hold: anything but halves of surrogate pairs.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
full_words = words.filter(lambda text: bool(text.strip()))
json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)
bodies = st.builds(
    Document,
    id=full_words,
    text=full_words,
    title=words,
    published=st.none() | spans(),
    valid=st.none() | spans(),
    series=st.none() | words,
    meta=st.dictionaries(words | st.sampled_from(["id", "text", "meta", "date", "valid"]), json_values, max_size=3),
)
collections = st.lists(bodies, min_size=1, max_size=5, unique_by=lambda document: document.id)


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz", "all.parquet"])
@given(collections)
def test_documents_come_back_exactly(name: str, documents: list[Document]) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        assert export(documents, path) == len(documents)
        back = list(read(path, strict=True))
        assert back == documents
        assert [json.dumps(document.meta) for document in back] == [json.dumps(document.meta) for document in documents]
        content = path.read_bytes()
        export(back, path)
        assert path.read_bytes() == content


def test_what_edtf_cannot_say_is_written_in_numbers() -> None:
    document = Document("a", "x", published=Span.year(-721), valid=Span(0, 100_000, Grain.MONTH))
    row = build_row(document)
    assert row["published"] == "-0721"
    assert row["valid"]["start"] == 0
    assert row["valid"]["end"] == 100_000
    assert row["valid"]["grain"] == "month"


def failing() -> Iterator[Document]:
    yield Document("a", "x")
    raise RuntimeError("the source broke")


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz", "all.parquet"])
def test_a_failure_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    export([Document("old", "x")], path)
    with pytest.raises(RuntimeError, match="the source broke"):
        export(failing(), path)
    assert [document.id for document in read(path)] == ["old"]
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (Document("a", "x", meta={"n": float("nan")}), "'a' cannot be written as JSON"),
        (Document("a", "x", meta={"n": object()}), "'a' cannot be written as JSON"),
        (Document("a", "x", meta={"n": (1, 2)}), "the meta of document 'a' is not plain JSON"),
        (Document("a", "x", meta={1: 2}), "the meta of document 'a' is not plain JSON"),  # type: ignore[dict-item]
        (Document("a", "x\ud800"), "'a' cannot be written as JSON"),
    ],
)
@pytest.mark.parametrize("name", ["all.jsonl", "all.parquet"])
def test_what_would_not_come_back_is_refused(tmp_path: Path, name: str, document: Document, problem: str) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    with pytest.raises(EpochalError, match=problem):
        export([document], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    documents = [Document("a", "x")]
    with pytest.raises(EpochalError, match=r"cannot be exported to .*a\.xml'; accepted: a name that ends in \.jsonl"):
        export(documents, tmp_path / "a.xml")
    with pytest.raises(EpochalError, match=r"cannot write .*: No such file or directory"):
        export(documents, tmp_path / "no" / "a.jsonl")
    (tmp_path / "a.jsonl").mkdir()
    with pytest.raises(EpochalError, match="it is a folder"):
        export(documents, tmp_path / "a.jsonl")


def test_to_the_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    export([Document("a", "漢")], "-")
    assert capfdbinary.readouterr().out.decode() == '{"id":"a","text":"漢"}\n'


def test_the_same_documents_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        export([Document("a", "x")], tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b'{"id":"a","text":"x"}\n'
