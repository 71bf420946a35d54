"""What goes before queries and documents."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.encoders.base import EncoderError
from epochal.encoders.external import Prefixes, get_prefixes
from epochal.encoders.wrappers import PrefixEncoder, cut_encoder, nested_dims
from epochal_lab.systems.scorer_inputs import MemoisedEncoder

SEARCHING = "Represent this sentence for searching relevant passages: "
TASK = "Given a web search query, retrieve relevant passages that answer the query"


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("intfloat/e5-mistral-7b-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("BAAI/bge-small-en-v1.5", SEARCHING, ""),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("Alibaba-NLP/gte-Qwen2-1.5B-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m", SEARCHING, ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("mixedbread-ai/mxbai-embed-large-v1", SEARCHING, ""),
        ("Qwen/Qwen3-Embedding-0.6B", f"Instruct: {TASK}\nQuery:", ""),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("somebody/base5-model", "", ""),
        ("./models/e5-base-v2/", "query: ", "passage: "),
        (r"C:\models\e5-base-v2", "query: ", "passage: "),
    ],
)
def test_known_models(model, query, document):
    assert get_prefixes(model) == Prefixes(query, document)


def test_an_instruction_takes_the_place_of_the_general_one():
    assert get_prefixes("Qwen/Qwen3-Embedding-8B", "Find laws").query == "Instruct: Find laws\nQuery:"
    assert get_prefixes("somebody/model", "Find laws") == Prefixes("Instruct: Find laws\nQuery: ")
    assert get_prefixes("intfloat/e5-base", "Find laws").document == "passage: "


TEXTS = ["The law was passed in 1998.", "", "It rained all night."]


class Nested:
    """Vectors of four numbers; questions have theirs backwards."""

    name, dim, nested_dims = "nested", 4, (2, 4)

    def encode_documents(self, texts):
        return np.array([[3, 4, len(text), 1] for text in texts], np.float32).reshape(-1, 4)

    def encode_queries(self, texts):
        return self.encode_documents(texts)[:, ::-1]


def test_vectors_are_cut_and_of_length_1_again():
    whole = encoder("static").encode_documents(TEXTS).astype(np.float64)
    short = PrefixEncoder(encoder("static"), 64)
    result = short.encode_documents(TEXTS)
    assert isinstance(short, Encoder)
    assert (result.dtype, result.shape, short.dim) == (np.float32, (3, 64), 64)
    assert not result[1].any()
    for row in (0, 2):
        expected = whole[row, :64] / np.linalg.norm(whole[row, :64])
        np.testing.assert_allclose(result[row], expected, atol=1e-7)


def test_questions_are_encoded_as_questions():
    short = PrefixEncoder(Nested(), 2)
    assert short.encode_documents(["a"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert short.encode_queries(["a"])[0].tolist() == pytest.approx([0.5**0.5, 0.5**0.5])


def test_the_name_tells_the_length():
    names = {cut_encoder(Nested(), dims).name for dims in (1, 2, 3, 4)}
    assert names == {"nested[:1]", "nested[:2]", "nested[:3]", "nested"}


def test_what_is_cut_twice_is_cut_once():
    twice = PrefixEncoder(PrefixEncoder(Nested(), 3), 2)
    assert twice.name == "nested[:2]"
    assert np.array_equal(twice.encode_queries(["abc"]), PrefixEncoder(Nested(), 2).encode_queries(["abc"]))
    with pytest.raises(EncoderError, match=r"dims must be from 1 to 2, .* of 'nested\[:2\]', but is 3"):
        PrefixEncoder(twice, 3)


@pytest.mark.parametrize("dims", [0, -3, 5, 2.0, "2", True, None])
def test_a_length_that_there_is_not_is_refused(dims):
    with pytest.raises(EncoderError) as caught:
        PrefixEncoder(Nested(), dims)
    assert str(caught.value) == f"dims must be from 1 to 4, the length of the vectors of 'nested', but is {dims!r}"


def test_the_lengths_that_an_encoder_was_trained_for(tmp_path):
    result = Nested()
    wrapped = (PrefixEncoder(result, 2), CachedEncoder(result, tmp_path / "v.db"), MemoisedEncoder(result))
    assert {nested_dims(one) for one in (result, *wrapped)} == {(2, 4)}
    assert nested_dims(CachedEncoder(encoder("static"), tmp_path / "v.db")) == ()
