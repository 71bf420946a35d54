"""The shipped MiniLM as a backbone, and an adapter of it in the encoder of searches."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch.nn import functional

from epochal.encoders.bundled import MiniLM, data_file
from epochal.encoders.onnx_weights import dequantise, read_constants
from epochal.encoders.registry import encoder
from epochal.encoders.tmrl import TMRLEncoder
from epochal_lab.models.bert_graph import build_bert_graph
from epochal_lab.models.tmrl.adapter import absorb, add_lora, find_lora_layers, save_adapter
from epochal_lab.models.tmrl.running import load_bundled_backbone
from epochal_lab.models.tmrl.settings import TMRLSettings

TEXTS = [
    "Heavy rain fell all night in May 1998.",
    "Who led the club from 1998 to 2001?",
    "The parliament passed the law on 3 June 2004, after years of debate.",
    "rain",
]


@torch.no_grad()
def vectors(backbone) -> np.ndarray:
    batch = backbone.eval().tokenize(TEXTS)
    return functional.normalize(backbone(batch.ids, batch.mask), dim=-1).numpy()


@pytest.fixture(scope="module")
def adapted(tmp_path_factory):
    """A backbone with an adapter that turns its vectors by a good deal, and the adapter's folder."""
    backbone = load_bundled_backbone()
    settings = TMRLSettings()
    add_lora(backbone.model, settings.rank, settings.lora_alpha)
    result = torch.Generator().manual_seed(1)
    for layer in find_lora_layers(backbone.model).values():
        layer.up.data = 0.15 * torch.randn(layer.up.shape, generator=result)
    folder = tmp_path_factory.mktemp("adapter")
    save_adapter(folder, backbone, settings, {})
    return backbone, folder


def test_the_backbone_has_the_weights_of_the_default_encoder():
    want = MiniLM(threads=1).encode_documents(TEXTS)
    cosines = (vectors(load_bundled_backbone()) * want).sum(axis=1)
    assert cosines.min() > 0.99


def test_an_adapter_is_about_half_a_megabyte(adapted):
    size = sum(path.stat().st_size for path in adapted[1].iterdir())
    assert 300_000 < size < 700_000


def test_an_adapter_merged_at_load_is_one_merged_before_export(adapted):
    pytest.importorskip("onnx")
    backbone, folder = adapted
    plain = deepcopy(backbone)
    absorb(plain.model)
    exported = build_bert_graph(
        {name: tensor.detach().numpy() for name, tensor in plain.model.state_dict().items()}, 12
    )
    want, result = read_constants(exported), read_constants(TMRLEncoder(folder)._get_model())
    assert list(want) == list(result)
    packaged = read_constants(data_file("minilm", "model.int8.onnx").read_bytes())
    adapted_ones = {name for name in result if name.endswith(".weight")}
    for name, constant in result.items():
        if name in adapted_ones:
            scale = f"{name.removesuffix('.weight')}.scale"
            here, there = (dequantise(held[name].array, held[scale].array) for held in (result, want))
            # Each is within a step or half a step of what it should be, the one up or down as keeps the sum.
            assert np.all(np.abs(here - there) <= 1.51 * np.maximum(result[scale].array, want[scale].array))
            assert np.mean(constant.array != packaged[name].array) > 0.5
        elif f"{name.removesuffix('.scale')}.weight" not in adapted_ones:
            assert np.allclose(constant.array, want[name].array, rtol=1e-6, atol=0)


def test_vectors_are_those_of_the_adapted_backbone_up_to_eight_bits(adapted):
    backbone, folder = adapted
    exact = vectors(backbone)
    result = encoder(f"tmrl:{folder}", threads=1).encode_documents(TEXTS)
    assert (exact * MiniLM(threads=1).encode_documents(TEXTS)).sum(axis=1).max() < 0.95  # the adapter does something
    assert (result * exact).sum(axis=1).min() > 0.985


def test_an_adapter_of_zeros_changes_nothing(tmp_path):
    backbone = load_bundled_backbone()
    add_lora(backbone.model, 4, 4.0)
    save_adapter(tmp_path, backbone, TMRLSettings(), {})
    result = encoder(f"tmrl:{tmp_path}", threads=1).encode_documents(TEXTS)
    assert np.array_equal(result, MiniLM(threads=1).encode_documents(TEXTS))
