"""The bundled model against the float32 original."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from epochal.encoders import bundled as module
from epochal.encoders.base import EncoderError
from epochal.encoders.bundled import MAX_TOKENS, MiniLM, data_file, load_tokenizer, read_card

HERE = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return (HERE / "sentences.txt").read_text(encoding="utf-8").splitlines()


def test_vectors_are_close_to_the_original(minilm, sentences):
    with np.load(HERE / "minilm_fp32.npz") as file:
        reference = file["vectors"].astype(np.float32)
    cosines = (minilm.encode_documents(sentences) * reference).sum(axis=1) / np.linalg.norm(reference, axis=1)
    assert len(cosines) == 24
    assert cosines.mean() > 0.995
    assert cosines.min() > 0.975


def test_neighbours_are_those_of_the_original(minilm, sentences):
    with np.load(HERE / "minilm_fp32.npz") as file:
        reference = file["vectors"].astype(np.float32)
    vectors = minilm.encode_documents(sentences)
    assert np.abs(vectors @ vectors.T - reference @ reference.T).max() < 0.05


def test_the_card_is_of_the_files():
    fields = json.loads(data_file("minilm", "card.json").read_text(encoding="utf-8"))
    digests = {}
    for name in ("model.int8.onnx", "tokenizer.json"):
        data = data_file("minilm", name).read_bytes()
        digests[name] = data
        assert hashlib.sha256(data).hexdigest() == fields[f"{name} sha256"]
    assert (
        hashlib.sha256(b"".join(digests.values())).hexdigest()[:8] == fields["version"] == read_card("minilm").version
    )
    assert fields["weights sha256"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert len(digests["model.int8.onnx"]) < 24_000_000


def test_the_licence_ships():
    text = data_file("minilm", "LICENSE").read_text(encoding="utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in text
    assert "Apache License" in text


def test_only_the_first_tokens_are_read(minilm):
    words = ["law"] * (MAX_TOKENS - 2)
    whole, longer, shorter = minilm.encode_documents(
        [" ".join(words), " ".join([*words, "rain", "storm"]), " ".join(words[:-1])]
    )
    assert (whole == longer).all()
    assert (whole != shorter).any()


def test_a_shorter_reading_is_another_encoder(minilm):
    short = MiniLM(threads=1, max_tokens=8)
    assert short.name == f"{minilm.name}-8"
    first, second = short.encode_documents(["one two three four five six", "one two three four five six seven eight"])
    assert (first == second).all()


def test_more_texts_than_a_chunk_keep_their_rows(minilm, monkeypatch):
    texts = ["law " * (1 + number % 3) + str(number) for number in range(40)]
    expected = minilm.encode_documents(texts)
    monkeypatch.setattr(module, "_CHUNK", 7)
    monkeypatch.setattr(module, "_BATCH_TOKENS", 5)
    # Bit for bit on arm64; on x86-64 the last bit depends on the size of a batch.
    assert np.abs(minilm.encode_documents(texts) - expected).max() < 1e-6


def test_threads_make_no_difference(minilm, sentences):
    assert np.abs(MiniLM(threads=2).encode_documents(sentences) - minilm.encode_documents(sentences)).max() < 1e-6


@pytest.mark.parametrize("options", [{"threads": 0}, {"max_tokens": 2}, {"max_tokens": 257}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(EncoderError, match=f"{next(iter(options))} is {next(iter(options.values()))}; give"):
        MiniLM(**options)


def test_a_broken_model_is_seen(minilm, monkeypatch):
    class Session:
        def run(self, names, inputs):
            return [np.full((len(inputs["input_ids"]), 384), np.nan, np.float32)]

    broken = MiniLM()
    monkeypatch.setattr(broken, "_loaded", (Session(), load_tokenizer()))
    with pytest.raises(EncoderError, match=rf"encoder '{minilm.name}': row 1 of 2 holds nan"):
        broken.encode_documents(["", "law"])
