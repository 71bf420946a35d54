"""Through the whole engine, "bm25" ranks like the index of words, and "dense" like the index of vectors."""

from __future__ import annotations

import random

import numpy as np
import pytest

from epochal.api import Index
from epochal.encoders import encoder
from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal_lab.systems.scorers import Dense
from lab.systems.test_scorers_pool import PRIZES, Counting, pool_of

QUESTIONS = ["Which steel tariffs did the senate raise?", "Which steel tariffs did the senate raise in 1998?"]
WORDS = "steel tariffs senate raised lowered copper board vote bill trade port wheat rail price union strike".split()


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    rng = random.Random(3)
    documents = [
        Document(f"d{number:03}", f"{' '.join(rng.choices(WORDS, k=9))} in {rng.randint(1990, 2005)}.")
        for number in range(400)
    ]
    with Index.create(tmp_path_factory.mktemp("index") / "news", encoder="static") as made:
        made.add(documents)
        yield made


def ids_of(index, rows) -> list[str]:
    view = index._backend.view()
    return [document.id for document in view.get_documents(view.get_document_rows(rows))]


@pytest.mark.parametrize("question", QUESTIONS)
def test_bm25_ranks_like_the_words_of_the_index(index, question):
    found = index.search(question, k=10, scorer="bm25", collapse_versions=False)
    ranked = index._backend.view().search_words(question, 10)
    assert [hit.id for hit in found] == ids_of(index, ranked.rows)
    assert [hit.score for hit in found] == pytest.approx(ranked.scores)


@pytest.mark.parametrize("question", QUESTIONS)
def test_dense_ranks_like_the_vectors_of_the_index(index, question):
    found = index.search(question, k=10, scorer="dense", collapse_versions=False)
    vector = encoder("static").encode_queries([question])[0]
    ranked = index._backend.view().search_vectors(vector, 10)
    assert [hit.score for hit in found] == pytest.approx(ranked.scores, abs=1e-5)
    assert {hit.id for hit in found} == set(ids_of(index, ranked.rows))


def test_dense_is_not_the_topic_of_a_question_with_a_time(index):
    """What would go unseen if the cosine of the pool were taken."""
    question = QUESTIONS[1]
    found = index.search(question, k=10, scorer="dense", collapse_versions=False)
    topic = encoder("static").encode_queries(["Which steel tariffs did the senate raise"])[0]
    assert not np.allclose(
        [hit.score for hit in found], index._backend.view().search_vectors(topic, 10).scores, atol=1e-3
    )


def test_without_time_the_pool_already_has_the_cosine():
    with pool_of(PRIZES, "prize", encoder=Counting()) as pool:
        # The encoder has no name that the registry knows, and none is needed.
        assert Dense().score(pool).scores == pytest.approx(pool.semantic)


def test_an_encoder_without_a_name_must_be_given():
    with pool_of(PRIZES, "prize in 1901", encoder=Counting()) as pool:
        with pytest.raises(EpochalError, match="whose vectors have 32 dimensions"):
            Dense().score(pool)
        given = Dense(Counting()).score(pool).scores
        assert given == pytest.approx(pool.view.score_vectors(Counting().encode_queries([pool.question])[0], pool.rows))


def test_another_encoder_of_the_same_length_is_refused():
    class Backwards(Counting):
        name = "backwards-1"

        def encode_documents(self, texts):
            return super().encode_documents(texts)[:, ::-1]

        encode_queries = encode_documents

    with (
        pool_of(PRIZES, "prize in 1901", encoder=Counting()) as pool,
        pytest.raises(EpochalError, match="'backwards-1', which did not make the vectors"),
    ):
        Dense(Backwards()).score(pool)
