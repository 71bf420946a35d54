"""The adapter of sentence-transformers: its own work with a stand-in, and the real library where it is installed."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from epochal.encoders.base import Encoder, EncoderError
from epochal.encoders.external import Prefixes, TransformerEncoder
from epochal.encoders.registry import encoder
from epochal.errors import MissingExtraError


class Model:
    """Stands in for SentenceTransformer: a vector holds the lengths of prompt and text."""

    own_prompts: dict[str, str] = {}  # noqa: RUF012
    rows = None
    device = types.SimpleNamespace(type="cpu")

    def __init__(self, name, *, device, revision, truncate_dim, trust_remote_code):
        if name == "missing/model":
            raise OSError("not found")
        self.prompts = self.own_prompts
        self.max_seq_length = 128
        self.dim = truncate_dim or 3
        self.calls: list[tuple[list[str], str, int]] = []

    def __getitem__(self, place):
        return None

    def float(self):
        return self

    def get_embedding_dimension(self):
        return self.dim

    def encode(self, texts, *, prompt, batch_size, show_progress_bar, convert_to_numpy):
        assert show_progress_bar is False
        self.calls.append((texts, prompt, batch_size))
        result = np.array([[len(prompt), len(text), 1][: self.dim] for text in texts], np.float32)
        return result if self.rows is None else self.rows


@pytest.fixture
def library(monkeypatch):
    class Fresh(Model):
        pass

    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=Fresh))
    return Fresh


def test_without_the_library_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"^encoder 'st:any' needs .*; .*pip install 'epochal\[train\]'$"):
        encoder("st:any")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"truncate_dim": -1}, "truncate_dim is -1"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"query_prefix": "q", "instruction": "i"}, "give one"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(EncoderError, match=words):
        TransformerEncoder("any", **options)


@pytest.mark.usefixtures("library")
def test_a_model_that_is_not_there():
    with pytest.raises(
        EncoderError, match="encoder 'st:missing/model' cannot be loaded from the hub or a folder: not found"
    ):
        TransformerEncoder("missing/model")


@pytest.mark.usefixtures("library")
def test_prefixes_go_before_queries_and_documents():
    e5 = encoder("st:intfloat/e5-small", batch_size=7)
    assert isinstance(e5, Encoder)
    e5.encode_queries(["who"])
    e5.encode_documents(["he", " ", "she"])
    assert e5._model.calls == [(["who"], "query: ", 7), (["he", "she"], "passage: ", 7)]


@pytest.mark.usefixtures("library")
def test_what_is_given_comes_first():
    given = TransformerEncoder("intfloat/e5-small", query_prefix="", document_prefix="d: ")
    assert given.prefixes == Prefixes("", "d: ")
    message = TransformerEncoder("Qwen/Qwen3-Embedding-8B", instruction="Find laws")
    assert message.prefixes == Prefixes("Instruct: Find laws\nQuery:", "")


def test_the_prompts_of_the_model_come_before_the_known_ones(library):
    library.own_prompts = {"query": "Q> ", "passage": "P> ", "document": ""}
    assert TransformerEncoder("intfloat/e5-small").prefixes == Prefixes("Q> ", "P> ")
    assert TransformerEncoder("x", instruction="Find laws").prefixes.query == "Instruct: Find laws\nQuery: "
    library.own_prompts = {"query": "", "document": ""}
    assert TransformerEncoder("intfloat/e5-small").prefixes == Prefixes("query: ", "passage: ")


@pytest.mark.usefixtures("library")
def test_rows_are_of_length_one_and_blanks_zero():
    vectors = TransformerEncoder("any", truncate_dim=2).encode_documents(["abc", "", "  "])
    assert vectors.tolist() == [[0, 1], [0, 0], [0, 0]]


def test_numbers_that_are_not_finite_are_refused(library):
    library.rows = np.array([[1, 2, 3], [1, np.nan, 3]], np.float32)
    with pytest.raises(EncoderError, match=r"encoder 'st:any-.*': row 1 of 2 holds nan"):
        TransformerEncoder("any").encode_documents(["a", "b"])


@pytest.mark.usefixtures("library")
def test_whatever_shapes_vectors_shapes_the_name(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "weights").write_text("one")
    names = [
        TransformerEncoder(model, **options).name
        for model, options in [
            ("any", {}),
            ("other", {}),
            ("any", {"query_prefix": "q"}),
            ("any", {"document_prefix": "q"}),
            ("any", {"max_tokens": 9}),
            ("any", {"truncate_dim": 2}),
            ("any", {"revision": "abc"}),
            (str(folder), {}),
        ]
    ]
    (folder / "weights").write_text("two")
    names.append(TransformerEncoder(str(folder)).name)
    assert len(set(names)) == len(names)
    assert names[0] == TransformerEncoder("any", batch_size=5, device="cpu").name
    assert all(str(tmp_path) not in name for name in names)
