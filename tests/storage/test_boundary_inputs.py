"""Each call to csv, YAML, ONNX Runtime and tokenizers fails once: a bad row, or one sentence, and all works again."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnxruntime
import pytest
import yaml

from epochal import Index
from epochal.encoders import bundled
from epochal.encoders.base import EncoderError
from epochal.encoders.bundled import MiniLM, StaticEncoder
from epochal.encoders.cross import CrossEncoder
from epochal.storage import products
from epochal.storage.importers import read
from epochal.storage.quantised import QuantisedVectors


class Failing:
    """A call that raises an error when it is made for the given time, and counts how often it is made."""

    def __init__(self, call: Callable[..., Any], error: Exception, number: int) -> None:
        self._call = call
        self._error = error
        self._number = number
        self.count = 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.count += 1
        if self.count == self._number:
            raise self._error
        return self._call(*arguments, **options)


class FailingRows:
    """A reader of csv whose row of a number cannot be read."""

    def __init__(self, rows: Iterator[list[str]], failing: Failing) -> None:
        self._rows = rows
        self._failing = failing

    def __iter__(self) -> FailingRows:
        return self

    def __next__(self) -> list[str]:
        row = next(self._rows)
        self._failing()
        return row


@pytest.mark.parametrize("number", range(1, 6))
def test_a_row_that_csv_refuses_is_a_bad_row(tmp_path, monkeypatch, number):
    path = tmp_path / "rows.csv"
    path.write_text("id,text\n" + "".join(f"d{row},rain in {1990 + row}\n" for row in range(4)))
    failing = Failing(lambda: None, csv.Error("unexpected end of data"), number)
    reader = csv.reader
    monkeypatch.setattr(csv, "reader", lambda *given, **more: FailingRows(reader(*given, **more), failing))
    if number == 1:  # the names of the columns
        with pytest.raises(Exception, match="the first line is not CSV: unexpected end of data"):
            list(read(path))
        return
    reading = read(path)
    found = [document.id for document in reading]
    assert len(found) == 3
    assert f"d{number - 2}" not in found
    assert (reading.bad, [problem.line for problem in reading.problems]) == (1, [number])


@pytest.mark.parametrize("error", [yaml.YAMLError("no such thing"), yaml.reader.ReaderError("", 0, 0, "utf-8", "bad")])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_front_matter_that_yaml_refuses_is_a_bad_row(tmp_path, monkeypatch, error, number):
    for row in range(3):
        (tmp_path / f"{row}.md").write_text(f"---\ntitle: Note {row}\n---\nRain in {1990 + row}.\n")
    parse = yaml.parse

    def fail(block: str, *more: Any) -> Any:
        if f"Note {number - 1}" in block:  # with a value in quotes it is tried again
            raise error
        return parse(block, *more)

    monkeypatch.setattr(yaml, "parse", fail)
    reading = read(tmp_path)
    assert [document.id for document in reading] == [f"{row}.md" for row in range(3) if row != number - 1]
    assert reading.bad == 1


#: What ONNX Runtime and tokenizers raise: some have classes of their own, some are plain exceptions.
ERRORS = [
    RuntimeError("[ONNXRuntimeError] : 1 : FAIL\nsecond line"),
    MemoryError(),
    Exception("No such file"),
    OSError(5, "I/O"),
]


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are loaded anew."""
    for name in ("_load_shared_tokenizer", "_open_shared_model", "_load_shared_table", "_load_shared_reader"):
        monkeypatch.setattr(bundled, name, getattr(bundled, name).__wrapped__)


def call_minilm() -> object:
    return MiniLM(threads=1).encode_queries(["rain in 1998"])


def call_static() -> object:
    return StaticEncoder().encode_queries(["rain in 1998"])


def call_cross() -> object:
    return CrossEncoder().score("rain", ["rain in 1998"])


@pytest.mark.parametrize("error", ERRORS[:2], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("call", "place", "name"),
    [
        (call_minilm, onnxruntime, "InferenceSession"),
        (call_minilm, bundled, "load_tokenizer"),
        (call_static, bundled, "load_tokenizer"),
        (call_static, np, "load"),
        (call_cross, onnxruntime, "InferenceSession"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_one_sentence(unloaded, monkeypatch, call, place, name, error):
    with monkeypatch.context() as patched:
        patched.setattr(place, name, Failing(getattr(place, name), error, 1))
        with pytest.raises(EncoderError, match="cannot be loaded") as refused:
            call()
    assert "\n" not in str(refused.value)
    assert np.isfinite(call()).all()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_model_that_cannot_be_run_is_one_sentence(monkeypatch, tmp_path, error):
    class Session:
        def run(self, *_: object) -> object:
            raise error

    encoder = MiniLM(threads=1)
    session, tokens = encoder._load()
    with Index.create(tmp_path / "index", encoder=encoder) as index:
        index.add([{"id": "a", "text": "Rain fell in 1998."}])
        monkeypatch.setattr(encoder, "_loaded", (Session(), tokens))
        for call in (lambda: index.search("rain"), lambda: index.add([{"id": "b", "text": "Snow fell in 1999."}])):
            with pytest.raises(EncoderError, match="cannot be run") as refused:
                call()
            assert "\n" not in str(refused.value)
        monkeypatch.setattr(encoder, "_loaded", (session, tokens))
        assert index.search("rain").ids == ["a"]


@pytest.mark.parametrize("place", ["load", "run"])
def test_vectors_are_compared_without_onnx_runtime_where_it_fails(monkeypatch, place):
    rng = np.random.default_rng(1)
    vectors, query = rng.standard_normal((300, 16)).astype(np.float32), rng.standard_normal(16).astype(np.float32)
    expected = QuantisedVectors(vectors).bound(query).estimates

    class Session:
        def run(self, *_: object) -> object:
            raise RuntimeError("FAIL")

    def load() -> Session:
        if place == "load":
            raise RuntimeError("FAIL")
        return Session()

    monkeypatch.setattr(products, "_load_product", load)
    found = QuantisedVectors(vectors).bound(query).estimates
    assert np.array_equal(found.values, expected.values)
    assert found.scale == expected.scale
