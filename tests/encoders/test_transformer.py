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
        made = np.array([[len(prompt), len(text), 1][: self.dim] for text in texts], np.float32)
        return made if self.rows is None else self.rows


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
    told = TransformerEncoder("Qwen/Qwen3-Embedding-8B", instruction="Find laws")
    assert told.prefixes == Prefixes("Instruct: Find laws\nQuery:", "")


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of two small layers, made and saved here."""
    pytest.importorskip("sentence_transformers", reason="needs the extra train")
    import torch
    from sentence_transformers import SentenceTransformer, models
    from tokenizers import Tokenizer, pre_tokenizers, processors
    from tokenizers import models as parts
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    home = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "law", "rain", "king", "the"]
    tokens = Tokenizer(parts.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokens.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokens.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        home / "bert"
    )
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(words), **sizes)).save_pretrained(home / "bert")
    word = models.Transformer(str(home / "bert"), max_seq_length=16)
    SentenceTransformer(modules=[word, models.Pooling(16)], device="cpu").save(str(home / "e5-tiny"))
    return home / "e5-tiny"


real = pytest.mark.filterwarnings("ignore")


@real
def test_the_real_library_encodes(folder):
    made = encoder(f"st:{folder}", device="cpu")
    texts = ["the law", "rain", "", "king king king"]
    vectors = made.encode_documents(texts)
    assert (made.dim, made.prefixes) == (16, Prefixes("query: ", "passage: "))
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 1], atol=1e-5)
    assert np.allclose(np.concatenate([made.encode_documents([text]) for text in texts]), vectors, atol=1e-5)
    assert np.abs(made.encode_queries(texts[:2]) - vectors[:2]).max(axis=1).min() > 1e-3
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-3


@real
def test_the_real_library_puts_the_prefix_before_the_text(folder):
    bare = TransformerEncoder(str(folder), query_prefix="", document_prefix="", device="cpu")
    made = TransformerEncoder(str(folder), device="cpu")
    assert np.allclose(bare.encode_queries(["query: law"]), made.encode_queries(["law"]), atol=1e-5)
    assert np.allclose(bare.encode_queries(["passage: law"]), made.encode_documents(["law"]), atol=1e-5)
    assert np.abs(bare.encode_queries(["law"]) - made.encode_queries(["law"])).max() > 1e-3
    assert bare.name != made.name


@real
def test_half_precision_is_made_whole_on_a_cpu(folder, tmp_path):
    import torch
    from sentence_transformers import SentenceTransformer

    half = SentenceTransformer(str(folder), device="cpu").half()
    half.save(str(tmp_path / "e5-half"))
    assert next(SentenceTransformer(str(tmp_path / "e5-half"), device="cpu").parameters()).dtype == torch.float16
    made = TransformerEncoder(str(tmp_path / "e5-half"), device="cpu")
    assert next(made._model.parameters()).dtype == torch.float32
    whole = TransformerEncoder(str(folder), device="cpu")
    assert np.allclose(made.encode_queries(["law"]), whole.encode_queries(["law"]), atol=1e-2)


@real
def test_the_real_library_cuts_vectors_and_texts(folder):
    whole = TransformerEncoder(str(folder), device="cpu").encode_queries(["law rain king"])[0]
    cut = TransformerEncoder(str(folder), device="cpu", truncate_dim=4)
    assert cut.dim == 4
    assert np.allclose(cut.encode_queries(["law rain king"])[0], whole[:4] / np.linalg.norm(whole[:4]), atol=1e-5)
    short = TransformerEncoder(str(folder), device="cpu", max_tokens=5)
    first, second = short.encode_queries(["law rain", "law king"])
    assert np.allclose(first, second, atol=1e-5)


@real
def test_the_real_library_says_what_is_not_there(tmp_path):
    pytest.importorskip("sentence_transformers", reason="needs the extra train")
    (tmp_path / "empty").mkdir()
    with pytest.raises(EncoderError, match=r"^encoder .*empty' cannot be loaded from the hub or a folder: .+$"):
        TransformerEncoder(str(tmp_path / "empty"), device="cpu")
