from __future__ import annotations

import numpy as np
import pytest

from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.presets import PresetOptions
from epochal_lab.systems.registry import make_system
from epochal_lab.systems.token_level import SparseModel, prune
from tiny_models import DOCUMENTS, WORDS, ranked

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def splade(library, tokenizer, tmp_path):
    """The folder of a tiny SPLADE."""
    st = pytest.importorskip("sentence_transformers")
    if not hasattr(st, "SparseEncoder"):
        pytest.skip("needs sentence-transformers 5")
    import torch
    from sentence_transformers.sparse_encoder.models import MLMTransformer, SpladePooling

    torch.manual_seed(0)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 64}
    config = library.BertConfig(vocab_size=len(WORDS), hidden_size=8, initializer_range=1.0, **sizes)
    library.BertForMaskedLM(config).eval().save_pretrained(tmp_path / "mlm")
    tokenizer().save_pretrained(tmp_path / "mlm")
    result = st.SparseEncoder(modules=[MLMTransformer(str(tmp_path / "mlm")), SpladePooling("max")], device="cpu")
    result.save(str(tmp_path / "splade"))
    return str(tmp_path / "splade")


def dense(rows: list[tuple[np.ndarray, ...]]) -> np.ndarray:
    result = np.zeros((len(rows), len(WORDS)))
    for row, (terms, weights) in zip(result, rows, strict=True):
        row[terms] = weights
    return result


def test_weights_are_those_of_the_library(splade):
    from sentence_transformers import SparseEncoder

    texts = [document.text for document in DOCUMENTS]
    result = SparseModel(PresetOptions.from_spec(Spec.parse(f"splade(path={splade}, device=cpu)")))
    expected = SparseEncoder(splade, device="cpu").encode_document(texts).to_dense().numpy()
    assert (expected > 0).any(1).all()
    np.testing.assert_allclose(dense(result.encode_documents(texts)), expected, atol=1e-5)


def test_texts_are_read_as_far_as_each_side_is(splade):
    result = SparseModel(
        PresetOptions.from_spec(Spec.parse(f"splade(path={splade}, device=cpu, query_tokens=4, document_tokens=8)"))
    )
    np.testing.assert_allclose(
        *(dense(result.encode_queries([text])) for text in ("rain fell in june", "rain fell")), atol=1e-5
    )
    one, two = (dense(result.encode_documents([text])) for text in ("rain fell in june", "rain fell"))
    assert np.abs(one - two).max() > 1e-3


def test_small_weights_are_pruned(splade):
    whole, cut = (
        SparseModel(PresetOptions.from_spec(Spec.parse(f"{name}(path={splade}, device=cpu)"))).encode_documents(
            ["rain fell in june"]
        )[0]
        for name in ("splade", "opensearch-sparse")
    )
    assert cut[1].min() > 0.1 * whole[1].max()
    assert len(cut[0]) == int((whole[1] > 0.1 * whole[1].max()).sum())
    assert [part.tolist() for part in prune((np.zeros(0, int), np.zeros(0)), 0.1)] == [[], []]


def test_scores_are_inner_products_and_rows_are_kept(splade, tmp_path, monkeypatch):
    from sentence_transformers import SparseEncoder

    system = make_system(f"splade(path={splade}, device=cpu)")
    answer = ranked(system, tmp_path / "store", "tariffs in june")
    library = SparseEncoder(splade, device="cpu")
    documents = library.encode_document([document.text for document in DOCUMENTS]).to_dense().numpy()
    expected = documents @ library.encode_query(["tariffs in june"]).to_dense().numpy()[0]
    assert dict(answer.hits) == pytest.approx({f"d{row + 1}": value for row, value in enumerate(expected)}, rel=1e-4)
    monkeypatch.setattr(SparseModel, "encode_documents", lambda self, texts: pytest.fail("encoded again"))
    assert ranked(system, tmp_path / "store", "tariffs in june") == answer
