"""Eight bits next to float32."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("onnx")

from epochal.encoders.external import AnnalsEncoder
from epochal.errors import EpochalError, MissingExtraError
from epochal_lab.models.annals.export import encode_exactly, export_onnx, save_model
from epochal_lab.models.annals.tasks import build_model
from epochal_lab.models.annals.vocabulary import ModelShape, Vocabulary
from epochal_lab.models.bert_graph import build_bert_graph

SMALL = ModelShape(layers=3, width=64, heads=4, inner=256)


@pytest.fixture(scope="module")
def model(tmp_path_factory, passages):
    import torch

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("torch")
    words = Vocabulary.from_texts(passages, 1)
    result = build_model(len(words), SMALL).eval()
    # Fresh weights are so small that a text's vector is little more than its embeddings: layers must count here.
    with torch.no_grad():
        for parameter in result.bert.encoder.parameters():
            parameter.mul_(6 if parameter.ndim > 1 else 1)
    save_model(folder, result, words)
    return folder, result, words


def test_parity(tmp_path, model, passages):
    folder, result, words = model
    message = export_onnx(folder, tmp_path, texts=passages[:20])
    assert 0.98 <= message.least_cosine < 1
    assert message.size == (tmp_path / "model.int8.onnx").stat().st_size
    card = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    assert (card["dim"], card["max_tokens"], card["version"]) == (64, 256, message.version)
    texts = [passages[30], passages[31] * 9, "春"]
    expected = encode_exactly(result, words.tokenizer(256), texts)
    assert (expected @ expected.T).min() < 0.9
    assert ((expected * AnnalsEncoder(tmp_path).encode_documents(texts)).sum(axis=1) > 0.98).all()


def test_the_graph_in_float32_is_the_model(model, passages):
    from onnxruntime import InferenceSession

    _, built, words = model
    weights = {name: row.numpy() for name, row in built.bert.state_dict().items()}
    run = InferenceSession(build_bert_graph(weights, 4, int8=False), providers=["CPUExecutionProvider"])
    ids = np.array([words.tokenizer().encode(passages[0]).ids])
    result = run.run(["vectors"], {"input_ids": ids})[0]
    assert np.allclose(result, encode_exactly(built, words.tokenizer(), passages[:1]), atol=1e-5)


def test_a_model_that_bears_no_eight_bits_is_not_kept(tmp_path, model, passages):
    with pytest.raises(EpochalError, match=r"cosine of 0\.9\d+ to that of float32; accepted: at least 0\.9999"):
        export_onnx(model[0], tmp_path, texts=passages[:2], least=0.9999)
    assert not list(tmp_path.iterdir())


def test_without_onnx(monkeypatch, model):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtraError, match="onnx"):
        build_bert_graph({}, 2)
