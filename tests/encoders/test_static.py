"""The table of static vectors."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from epochal.encoders import bundled as module
from epochal.encoders.bundled import StaticEncoder, data_file, load_tokenizer


@pytest.fixture(scope="module")
def static() -> StaticEncoder:
    return StaticEncoder()


def test_the_card_is_of_the_table():
    fields = json.loads(data_file("static", "card.json").read_text(encoding="utf-8"))
    data = data_file("static", "table.npz").read_bytes()
    assert hashlib.sha256(data).hexdigest() == fields["table.npz sha256"]
    tokens = data_file("minilm", "tokenizer.json").read_bytes()
    assert hashlib.sha256(data + tokens).hexdigest()[:8] == fields["version"]
    assert len(data) <= 8_000_000


def test_a_vector_is_the_sum_of_its_tokens_rows(static):
    with np.load(data_file("static", "table.npz")) as file:
        rows, scale = file["rows"], file["scale"]
    assert rows.dtype == np.int8
    ids = load_tokenizer().encode("The treaty of Vienna", add_special_tokens=False).ids
    total = sum(rows[token].astype(np.float64) * scale[token] for token in ids)
    result = static.encode_documents(["The treaty of Vienna"])[0]
    assert np.allclose(result, total / np.linalg.norm(total), atol=1e-6)


def test_common_words_count_for_little(static):
    plain, wordy, other = static.encode_documents(["treaty", "the treaty of the", "river"])
    assert plain @ wordy > 0.95
    assert plain @ other < 0.6


def test_order_is_not_seen(static):
    first, second = static.encode_documents(["dog bites man", "man bites dog"])
    assert np.allclose(first, second, atol=1e-6)


def test_long_texts_are_added_in_pieces(static, monkeypatch):
    text = " ".join(str(number) for number in range(500))
    whole = static.encode_documents([text])
    monkeypatch.setattr(module, "_ROWS", 64)
    assert np.allclose(static.encode_documents([text]), whole, atol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  The  U.S.-based firm\tpaid 3.5%\nin May;  it's done. ",
        "Ärzte façade e\u0301te\u0301 中文 句子 [MASK]d [CLS]",
        "a\x00b \x1cc\x85d\u3000e " + "x" * 120,
    ],
)
def test_texts_read_together_have_the_tokens_of_each(text):
    texts = ["", "May", text, "[", text, "it's Ünï [CLS]\u0301"]
    ids, ends = module._load_shared_reader().read(texts)
    found = [ids[low:high].tolist() for low, high in zip([0, *ends], ends, strict=False)]
    assert found == [load_tokenizer().encode(text, add_special_tokens=False).ids for text in texts]


@pytest.mark.parametrize("limit", ["_REMEMBERED", "_AT_ONCE", "_SHARED"])
def test_small_batches_make_no_difference(static, monkeypatch, limit):
    texts = [f"the {number} [MASK] ships; {'and sails ' * number}" for number in range(40)]
    whole = static.encode_documents(texts)
    monkeypatch.setattr(module, limit, 20)
    assert np.array_equal(static.encode_documents(texts), whole)
    assert np.array_equal(static.encode_documents(texts), np.concatenate([static.encode_documents([t]) for t in texts]))
