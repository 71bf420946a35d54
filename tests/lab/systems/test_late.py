"""Late interaction: with PyLate and with sentence-transformers where they are installed, and with a stand-in."""

from __future__ import annotations

import importlib.util
import sys
import types

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.errors import MissingExtraError
from epochal.storage.records import Document
from epochal_lab.systems.registry import make_system
from epochal_lab.systems.token_level import score_max_similarity
from tiny_models import DOCUMENTS, WORDS, ranked

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_sum_of_the_best(monkeypatch):
    generator = np.random.default_rng(0)
    rows = [generator.normal(size=(size, 4)).astype(np.float32) for size in (3, 1, 7, 2, 5)]
    question = generator.normal(size=(3, 4)).astype(np.float32)
    expected = [(question @ row.T).max(1).sum() for row in rows]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    for tokens in (1, 4, 8, 1000):
        monkeypatch.setattr("epochal_lab.systems.token_level._TOKENS", tokens)
        np.testing.assert_allclose(score_max_similarity(question, np.concatenate(rows), starts), expected, rtol=1e-5)


class ColBERT:
    """Stands in for PyLate's class, with the part of its constructor and of its `encode` that is used."""

    made: list[dict] = []  # noqa: RUF012

    def __init__(self, model_name_or_path, *, device, trust_remote_code, query_length=32, document_length=180):
        if model_name_or_path == "missing":
            raise OSError("not found")
        self.made.append({"query_length": query_length, "document_length": document_length})
        self.tokenizer = types.SimpleNamespace(pad_token=None, eos_token="[EOS]")

    def encode(self, sentences, *, batch_size, is_query, show_progress_bar, convert_to_numpy):
        assert (show_progress_bar, convert_to_numpy) == (False, True)
        numbers = {word: number for number, word in enumerate(WORDS)}
        return [np.eye(len(WORDS), dtype=np.float32)[[numbers[word] for word in text.split()]] for text in sentences]


@pytest.fixture
def pylate(monkeypatch):
    ColBERT.made.clear()
    monkeypatch.setitem(sys.modules, "pylate", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pylate.models", types.SimpleNamespace(ColBERT=ColBERT))


def test_a_fake_pylate(pylate, tmp_path):
    system = make_system("colbert-jina(path=any, through=pylate, query_tokens=16, device=cpu)")
    blank = Document("d5", " ")
    answer = ranked(system, tmp_path, "tariffs in june", documents=(*DOCUMENTS, blank))
    assert answer.hits == (("d1", 2.0), ("d2", 2.0), ("d4", 2.0), ("d3", 1.0))
    assert ColBERT.made == [{"query_length": 16, "document_length": 180}]
    assert ranked(system, tmp_path / "none", "rain", documents=()).hits == ()


def test_a_model_that_is_not_there_is_named(pylate, tmp_path):
    with pytest.raises(EncoderError, match=r"^system 'colbert-jina' \(missing\) cannot be loaded .*: not found$"):
        ranked(make_system("colbert-jina(path=missing, through=pylate, device=cpu)"), tmp_path, "rain")


@pytest.mark.skipif(importlib.util.find_spec("pylate") is not None, reason="pylate is installed")
def test_a_package_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingExtraError, match=r"epochal\[late\]"):
        ranked(make_system("colbert-jina(through=pylate, device=cpu)"), tmp_path, "rain")


def check(folder: str, through: str, model, tmp_path) -> None:
    """The system scores as the library's vectors say."""
    answer = ranked(
        make_system(f"colbert-lfm2(path={folder}, through={through}, device=cpu)"), tmp_path, "tariffs in june"
    )
    question, documents = model
    expected = {
        document.id: float((question @ row.T).max(1).sum()) for document, row in zip(DOCUMENTS, documents, strict=True)
    }
    assert dict(answer.hits) == pytest.approx(expected, rel=5e-3)
    assert len(set(expected.values())) == 3


def test_the_real_pylate(library, bert, tmp_path):
    models = pytest.importorskip("pylate.models")
    result = models.ColBERT(bert, device="cpu", embedding_size=4, query_prefix="[Q]", document_prefix="[D]")
    result.save(str(tmp_path / "colbert"))
    result = models.ColBERT(str(tmp_path / "colbert"), device="cpu")
    (question,) = result.encode(["tariffs in june"], is_query=True, show_progress_bar=False)
    documents = result.encode([item.text for item in DOCUMENTS], is_query=False, show_progress_bar=False)
    check(str(tmp_path / "colbert"), "pylate", (question, documents), tmp_path)


def test_the_real_sentence_transformers(library, bert, tmp_path):
    st = pytest.importorskip("sentence_transformers")
    if not hasattr(st, "MultiVectorEncoder"):
        pytest.skip("needs sentence-transformers 6")
    st.MultiVectorEncoder(bert, device="cpu").save(str(tmp_path / "late"))
    result = st.MultiVectorEncoder(str(tmp_path / "late"), device="cpu")
    (question,) = result.encode_query(["tariffs in june"], convert_to_numpy=True)
    documents = result.encode_document([item.text for item in DOCUMENTS], convert_to_numpy=True)
    check(str(tmp_path / "late"), "sentence-transformers", (question, documents), tmp_path)
