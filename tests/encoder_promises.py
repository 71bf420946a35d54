"""What every encoder promises; a class of tests inherits it and names its encoder by the fixture `one`."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epochal.encoders.base import Encoder, EncoderError

WORDS = "the war treaty of 1815 rain storm bank law king river 春秋 café ! , x".split()


def some_texts(count: int) -> list[str]:
    chance = random.Random(1)
    return [" ".join(chance.choices(WORDS, k=chance.randrange(1, 30))) for _ in range(count)]


class EncoderPromises:
    def test_it_is_an_encoder(self, one):
        assert isinstance(one, Encoder)
        assert one.name.isascii()
        assert one.name == type(one)().name

    def test_rows_are_float32_of_length_one(self, one):
        for encode in (one.encode_documents, one.encode_queries):
            vectors = encode(some_texts(5))
            assert vectors.shape == (5, one.dim)
            assert vectors.dtype == np.float32
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_no_texts_no_rows(self, one):
        assert one.encode_documents([]).shape == (0, one.dim)

    @pytest.mark.parametrize("blank", ["", " ", "\n\t  ", "\u3000"])
    def test_nothing_to_read_is_the_zero_vector(self, one, blank):
        vectors = one.encode_documents(["a law", blank, "a king"])
        assert vectors.any(axis=1).tolist() == [True, False, True]

    def test_companions_and_order_change_nothing(self, one):
        texts = some_texts(24)
        together = one.encode_documents(texts)
        alone = np.concatenate([one.encode_documents([text]) for text in texts])
        turned = one.encode_documents(texts[::-1])[::-1]
        halves = np.concatenate([one.encode_documents(texts[:7]), one.encode_documents(texts[7:])])
        for other in (alone, turned, halves):
            # The table adds the same rows in the same order; the models' last bits may depend on the size of a batch.
            assert np.abs(other - together).max() < (1e-9 if one.name.startswith("static") else 1e-6)

    def test_meaning_is_in_the_vectors(self, one):
        about = one.encode_queries(["a new law was adopted"])[0]
        law, rain = one.encode_documents(["The parliament passed new legislation.", "It will rain tomorrow."]) @ about
        assert law > rain + 0.2

    @pytest.mark.parametrize(
        "odd",
        [
            "\x00\x01\x02",
            "a\ud800b",
            "\U0001f600\U0001f1e9\U0001f1ea",
            "e\u0301" * 50,
            "א שלום",
            "x" * 5000,
            "\ufeff\u200b\u202e",
            "<s> [CLS] [SEP] [PAD] [MASK]",
        ],
    )
    def test_odd_texts_have_finite_vectors(self, one, odd):
        vectors = one.encode_documents([odd, odd + " law"])
        lengths = np.linalg.norm(vectors, axis=1)
        assert np.isfinite(vectors).all()
        assert lengths[0] < 1 + 1e-5
        assert lengths[1] == pytest.approx(1, abs=1e-5)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors])
    @given(st.lists(st.text(st.characters(codec=None, categories=None), max_size=60), max_size=4))
    def test_any_text_has_a_vector(self, one, texts):
        lengths = np.linalg.norm(one.encode_documents(texts), axis=1)
        assert all(length == 0 or abs(length - 1) < 1e-5 for length in lengths)

    def test_a_book_is_read_in_good_time(self, one):
        book = "the king crossed the river and the law was passed in 1815. " * 5_000
        vectors = one.encode_documents([book, book[:400]])
        assert vectors[0] @ vectors[1] > 0.9

    def test_one_text_is_not_a_list(self, one):
        with pytest.raises(EncoderError, match="give a list of texts"):
            one.encode_documents("law")

    def test_a_pickled_one_is_the_same(self, one):
        copy = pickle.loads(pickle.dumps(one))
        assert copy.name == one.name
        assert (copy.encode_documents(["law"]) == one.encode_documents(["law"])).all()

    def test_threads_share_one(self, one):
        texts = some_texts(24)
        expected = one.encode_documents(texts)
        fresh = pickle.loads(pickle.dumps(one))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda text: fresh.encode_documents([text])[0], texts))
        assert np.allclose(found, expected, atol=1e-6)
