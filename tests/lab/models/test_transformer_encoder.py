"""The encoder over sentence-transformers, with the real library; its own work is tested in tests/encoders."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.encoders.external import Prefixes, TransformerEncoder
from epochal.encoders.registry import encoder

pytest.importorskip("sentence_transformers", reason="needs the extra train")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of two small layers, made and saved here."""
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


def test_the_real_library_encodes(folder):
    result = encoder(f"st:{folder}", device="cpu")
    texts = ["the law", "rain", "", "king king king"]
    vectors = result.encode_documents(texts)
    assert (result.dim, result.prefixes) == (16, Prefixes("query: ", "passage: "))
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 1], atol=1e-5)
    assert np.allclose(np.concatenate([result.encode_documents([text]) for text in texts]), vectors, atol=1e-5)
    assert np.abs(result.encode_queries(texts[:2]) - vectors[:2]).max(axis=1).min() > 1e-3
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-3


def test_the_real_library_puts_the_prefix_before_the_text(folder):
    bare = TransformerEncoder(str(folder), query_prefix="", document_prefix="", device="cpu")
    result = TransformerEncoder(str(folder), device="cpu")
    assert np.allclose(bare.encode_queries(["query: law"]), result.encode_queries(["law"]), atol=1e-5)
    assert np.allclose(bare.encode_queries(["passage: law"]), result.encode_documents(["law"]), atol=1e-5)
    assert np.abs(bare.encode_queries(["law"]) - result.encode_queries(["law"])).max() > 1e-3
    assert bare.name != result.name


def test_half_precision_is_made_whole_on_a_cpu(folder, tmp_path):
    import torch
    from sentence_transformers import SentenceTransformer

    half = SentenceTransformer(str(folder), device="cpu").half()
    half.save(str(tmp_path / "e5-half"))
    assert next(SentenceTransformer(str(tmp_path / "e5-half"), device="cpu").parameters()).dtype == torch.float16
    result = TransformerEncoder(str(tmp_path / "e5-half"), device="cpu")
    assert next(result._model.parameters()).dtype == torch.float32
    whole = TransformerEncoder(str(folder), device="cpu")
    assert np.allclose(result.encode_queries(["law"]), whole.encode_queries(["law"]), atol=1e-2)


def test_the_real_library_cuts_vectors_and_texts(folder):
    whole = TransformerEncoder(str(folder), device="cpu").encode_queries(["law rain king"])[0]
    cut = TransformerEncoder(str(folder), device="cpu", truncate_dim=4)
    assert cut.dim == 4
    assert np.allclose(cut.encode_queries(["law rain king"])[0], whole[:4] / np.linalg.norm(whole[:4]), atol=1e-5)
    short = TransformerEncoder(str(folder), device="cpu", max_tokens=5)
    first, second = short.encode_queries(["law rain", "law king"])
    assert np.allclose(first, second, atol=1e-5)


def test_the_real_library_says_what_is_not_there(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(EncoderError, match=r"^encoder .*empty' cannot be loaded from the hub or a folder: .+$"):
        TransformerEncoder(str(tmp_path / "empty"), device="cpu")
