"""What training leaves behind is read by transformers and by the backbone."""

from __future__ import annotations

import json

import pytest
import torch

from epochal.errors import InputError
from epochal_lab.models.annals.export import load_model, save_model
from epochal_lab.models.annals.tasks import build_model
from epochal_lab.models.annals.vocabulary import ModelShape, Vocabulary
from epochal_lab.models.backbone import load_backbone

TINY = ModelShape(layers=2, width=32, heads=2, inner=64)


@pytest.mark.parametrize("half", [False, True])
def test_in_shards_and_back(tmp_path, passages, half):
    words = Vocabulary.from_texts(passages, 1)
    model = build_model(len(words), TINY).eval()
    save_model(tmp_path, model, words, half=half, shard="20KB")
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text(encoding="utf-8"))
    assert len(set(index["weight_map"].values())) > 2
    assert "cls.predictions.decoder.weight" not in index["weight_map"]
    loaded, known = load_model(tmp_path)
    assert known == words
    ids = torch.tensor([words.tokenizer().encode(passages[0]).ids])
    with torch.no_grad():
        expected, result = (one.eval()(input_ids=ids).logits for one in (model, loaded))
    assert torch.allclose(expected, result, atol=5e-3 if half else 1e-6)
    assert loaded.cls.predictions.decoder.weight is loaded.bert.embeddings.word_embeddings.weight


def test_the_backbone_reads_it(tmp_path, passages):
    words = Vocabulary.from_texts(passages, 1)
    model = build_model(len(words), TINY).eval()
    save_model(tmp_path, model, words)
    backbone = load_backbone(tmp_path).eval()
    assert (backbone.pooling, backbone.max_length, backbone.width) == ("mean", 256, 32)
    batch = backbone.tokenize(passages[:2])
    with torch.no_grad():
        result = backbone(batch.ids, batch.mask)
        expected = model.bert(input_ids=batch.ids[:1], attention_mask=batch.mask[:1]).last_hidden_state
    lengths = int(batch.mask[0].sum())
    assert torch.allclose(result[0], expected[0, :lengths].mean(dim=0), atol=1e-5)


def test_a_vocabulary_of_another_model(tmp_path, passages):
    words = Vocabulary.from_texts(passages, 1)
    save_model(tmp_path, build_model(len(words), TINY), words)
    Vocabulary(words.characters[:-1]).save(tmp_path)
    with pytest.raises(InputError, match=f"knows {len(words)} tokens and vocab.txt lists {len(words) - 1}"):
        load_model(tmp_path)
