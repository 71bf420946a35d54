"""Adapters and merged models on disk, read by us, by sentence-transformers, and by the encoder of searches."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from torch.nn import functional

from epochal.errors import EpochalError, InputError
from epochal.files import read_tensors
from epochal_lab.models.backbone import Backbone, load_backbone
from epochal_lab.models.tmrl.adapter import (
    export_model,
    find_lora_layers,
    get_lora_state,
    load_adapter,
    merge_adapters,
    save_adapter,
)
from epochal_lab.models.tmrl.network import MAdaptor, SingleEncoder, build_network
from tmrl_world import small, tiny

TEXTS = ["ann played for leeds in 1998 .", "who ?"]


def adapted(pooling: str = "mean", **changes) -> SingleEncoder:
    network = SingleEncoder(tiny(pooling), small("lora-mrl", **changes))
    result = torch.Generator().manual_seed(1)
    for layer in find_lora_layers(network.backbone).values():
        layer.up.data = 0.3 * torch.randn(layer.up.shape, generator=result)
    return network.eval()


@torch.no_grad()
def vectors(backbone: Backbone) -> torch.Tensor:
    batch = backbone.eval().tokenize(TEXTS)
    return backbone(batch.ids, batch.mask)


@pytest.mark.parametrize("half", [False, True])
def test_an_adapter_there_and_back(tmp_path, half):
    network = adapted(rank=2, question_prefix="who ")
    save_adapter(tmp_path, network.backbone, network.settings, {"data": "teams"}, half=half)
    record = json.loads((tmp_path / "adapter.json").read_text())
    assert (record["kind"], record["rank"], record["question_prefix"], record["data"]) == ("lora", 2, "who ", "teams")
    assert record["nested_dims"] == [4, 8, 16]
    fresh = tiny()
    assert load_adapter(tmp_path, fresh) == network.settings
    torch.testing.assert_close(vectors(fresh), vectors(network.backbone), atol=3e-3 if half else 1e-6, rtol=0)
    here = read_tensors(tmp_path / "adapter.safetensors")
    for name, tensor in get_lora_state(fresh.model).items():
        assert np.array_equal(here[name], tensor.numpy())


def test_adapters_that_do_not_fit(tmp_path):
    network = adapted()
    with pytest.raises(EpochalError, match="has no LoRA to save"):
        save_adapter(tmp_path, tiny(), network.settings, {})
    save_adapter(tmp_path, network.backbone, network.settings, {})
    with pytest.raises(InputError, match="which the model has not"):
        load_adapter(tmp_path, _shallow())
    (tmp_path / "adapter.json").write_text('{"kind": "lora"}')
    with pytest.raises(InputError, match="has no settings that can be used"):
        load_adapter(tmp_path, tiny())
    (tmp_path / "adapter.json").write_text('{"kind": "prefix"}')
    with pytest.raises(InputError, match="is of kind 'prefix'"):
        load_adapter(tmp_path, tiny())


def _shallow() -> Backbone:
    result = tiny()
    result.model.encoder.layer[0].intermediate.dense = torch.nn.Identity()
    return result


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_merged_model_is_read_by_us_and_by_sentence_transformers(tmp_path, pooling):
    from sentence_transformers import SentenceTransformer

    network = adapted(pooling, question_prefix="who ")
    network.save(tmp_path, {}, merged=True)
    assert find_lora_layers(network.backbone)  # what was exported was a copy
    want = vectors(network.backbone)
    result = vectors(load_backbone(tmp_path / "model"))
    assert (result - want).abs().max() < 1e-5
    theirs = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    assert np.allclose(theirs.encode(TEXTS), functional.normalize(want, dim=-1).numpy(), atol=1e-5)
    assert theirs.prompts["query"] == "who "


def test_m_adaptor_is_one_layer_more(tmp_path):
    from sentence_transformers import SentenceTransformer

    network = MAdaptor(tiny(), small("m-adaptor")).eval()
    torch.nn.init.normal_(network.adaptor.weight, std=0.2)
    torch.nn.init.normal_(network.adaptor.bias, std=0.2)
    network.save(tmp_path, {})
    before = vectors(network.backbone)
    want = functional.normalize(before + network.adaptor(before), dim=-1).detach().numpy()
    assert np.allclose(SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(TEXTS), want, atol=1e-5)


@pytest.mark.parametrize("method", ["ts-retriever", "tempretriever-ewi"])
def test_networks_that_were_trained_whole_are_written_whole(tmp_path, method):
    network = build_network(tiny(), small(method))
    network.save(tmp_path, {"rows": 3}, merged=False)
    parts = {"ts-retriever": ["model"], "tempretriever-ewi": ["text", "time"]}[method]
    for name in parts:
        assert torch.equal(vectors(load_backbone(tmp_path / name)), vectors(network.reader))


def test_exporting_names_the_pooling(tmp_path):
    export_model(tmp_path, tiny("last"), small())
    record = json.loads((tmp_path / "1_Pooling" / "config.json").read_text())
    assert [name for name, value in record.items() if value is True] == ["pooling_mode_lasttoken"]


@pytest.fixture
def two(tmp_path) -> list:
    """Two adapters of other ranks, scales and prefixes to be cut at, on disk; and what each adds, layer by layer."""
    matches = []
    for number, (rank, dims) in enumerate(((2, (4, 8)), (3, (8,)))):
        network = adapted(rank=rank, lora_alpha=2.0 * rank, dims=dims)
        result = torch.Generator().manual_seed(number)
        for layer in find_lora_layers(network.backbone).values():
            for matrix in (layer.down, layer.up):
                matrix.data = torch.randn(matrix.shape, generator=result)
        save_adapter(tmp_path / str(number), network.backbone, network.settings, {"seed": number})
        deltas = {name: layer.delta() for name, layer in find_lora_layers(network.backbone.model).items()}
        matches.append((tmp_path / str(number), deltas))
    return matches


def added(folder) -> dict[str, torch.Tensor]:
    fresh = tiny()
    load_adapter(folder, fresh)
    return {name: layer.delta() for name, layer in find_lora_layers(fresh.model).items()}


@pytest.mark.parametrize("shares", [None, [0.25, 1.5]])
def test_merged_adapters_add_what_each_adds(two, tmp_path, shares):
    (one, here), (other, there) = two
    merge_adapters(tmp_path / "both", [one, other], shares, facts={"licence": "Apache-2.0"})
    result = added(tmp_path / "both")
    low, high = shares or (0.5, 0.5)
    for name, delta in result.items():
        torch.testing.assert_close(delta, low * here[name] + high * there[name], atol=1e-5, rtol=1e-4)
    record = json.loads((tmp_path / "both" / "adapter.json").read_text())
    assert (record["rank"], record["alpha"], record["nested_dims"]) == (5, 5.0, [8, 16])
    assert [(one["share"], one["seed"]) for one in record["merged"]] == [(low, 0), (high, 1)]
    assert record["licence"] == "Apache-2.0"


def test_a_smaller_rank_keeps_the_most_of_it(two, tmp_path):
    merge_adapters(tmp_path / "both", [folder for folder, _ in two], rank=3, half=True)
    result = added(tmp_path / "both")
    for name, delta in result.items():
        whole = sum(deltas[name] for _, deltas in two) / 2
        lost = torch.linalg.svdvals(whole)[3:].square().sum().sqrt()
        assert torch.linalg.matrix_rank(delta, rtol=1e-3) == 3
        assert (delta - whole).norm() == pytest.approx(float(lost), rel=0.02)


def test_an_adapter_merged_with_itself_is_itself(two, tmp_path):
    folder, deltas = two[0]
    merge_adapters(tmp_path / "same", [folder, folder], rank=2)
    for name, delta in added(tmp_path / "same").items():
        torch.testing.assert_close(delta, deltas[name], atol=1e-5, rtol=1e-4)


def test_what_cannot_be_merged_is_reported(two, tmp_path):
    (one, _), (other, _) = two
    with pytest.raises(EpochalError, match="no adapters to merge"):
        merge_adapters(tmp_path / "none", [])
    with pytest.raises(EpochalError, match="2 adapters have 1 shares; accepted: one share for each"):
        merge_adapters(tmp_path / "few", [one, other], [1.0])
    with pytest.raises(EpochalError, match="rank is 0; accepted: a whole number from 1"):
        merge_adapters(tmp_path / "flat", [one, other], rank=0)
    card = json.loads((other / "adapter.json").read_text())
    (other / "adapter.json").write_text(json.dumps({**card, "pooling": "cls"}))
    with pytest.raises(InputError, match=r"1.adapter.json: has 'cls' for 'pooling' where .*0 has 'mean'"):
        merge_adapters(tmp_path / "other", [one, other])
    assert not any((tmp_path / name).exists() for name in ("none", "few", "flat", "other"))
