"""LoRA: what it begins as, that merging changes nothing, and that only its own matrices are trained and saved."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from epochal.errors import EpochalError, InputError
from epochal_lab.models.tmrl.adapter import (
    LoRALinear,
    absorb,
    add_lora,
    find_lora_layers,
    get_lora_state,
    load_lora_state,
    merge,
)
from tmrl_world import tiny


def shaken(model: nn.Module, seed: int = 1) -> nn.Module:
    """The matrices at random, so that they matter."""
    result = torch.Generator().manual_seed(seed)
    for layer in find_lora_layers(model).values():
        layer.up.data = 0.3 * torch.randn(layer.up.shape, generator=result)
    return model


def vectors(backbone) -> torch.Tensor:
    batch = backbone.tokenize(["ann played for leeds in 1998 .", "who ?"])
    with torch.no_grad():
        return backbone(batch.ids, batch.mask)


def test_every_linear_layer_is_adapted_and_nothing_else():
    backbone = tiny()
    linear = [name for name, module in backbone.model.named_modules() if isinstance(module, nn.Linear)]
    assert add_lora(backbone.model, 2, 2.0) == linear
    assert len(linear) == 6  # query, key, value, mixed, inner, outer
    trained = {name for name, one in backbone.model.named_parameters() if one.requires_grad}
    assert trained == {f"{name}.{part}" for name in linear for part in ("down", "up")}


def test_it_begins_as_the_model_was():
    backbone = tiny().eval()
    before = vectors(backbone)
    add_lora(backbone.model, 4, 4.0)
    assert torch.equal(vectors(backbone.eval()), before)


def test_the_output_is_that_of_the_formula():
    layer = LoRALinear(nn.Linear(5, 3), rank=2, alpha=6.0)
    layer.up.data = torch.randn(3, 2)
    x = torch.randn(7, 5)
    weight = layer.base.weight + 3.0 * layer.up @ layer.down
    torch.testing.assert_close(layer(x), x @ weight.T + layer.base.bias, atol=1e-6, rtol=1e-6)


def test_merging_is_exact():
    backbone = tiny().eval()
    add_lora(backbone.model, 4, 8.0, dropout=0.1)
    shaken(backbone.model.eval())
    weights = {name: layer.base.weight.clone() for name, layer in find_lora_layers(backbone.model).items()}
    before = vectors(backbone)
    merge(backbone.model)
    merge(backbone.model)  # a second time adds nothing
    merged = vectors(backbone)
    assert (merged - before).abs().max() < 1e-5
    assert any(
        not torch.equal(weights[name], layer.base.weight) for name, layer in find_lora_layers(backbone.model).items()
    )


def test_absorbing_leaves_a_plain_model():
    backbone = tiny().eval()
    names = [name for name, _ in backbone.model.named_parameters()]
    add_lora(backbone.model, 4, 4.0)
    shaken(backbone.model.eval())
    before = vectors(backbone)
    absorb(backbone.model)
    assert not find_lora_layers(backbone.model)
    assert [name for name, _ in backbone.model.named_parameters()] == names
    assert (vectors(backbone) - before).abs().max() < 1e-5


def test_dropout_is_on_the_adapted_way_only():
    layer = LoRALinear(nn.Linear(50, 3), rank=2, alpha=2.0, dropout=0.5)
    x = torch.randn(4, 50)
    assert torch.equal(layer.train()(x), layer.base(x))  # up is zero: whatever is dropped adds nothing
    layer.up.data.fill_(1.0)
    assert not torch.equal(layer.train()(x), layer.train()(x))
    assert torch.equal(layer.eval()(x), layer.eval()(x))


def test_the_state_is_the_matrices_and_goes_back_in():
    one, other = tiny(), tiny()
    add_lora(one.model, 2, 2.0)
    add_lora(other.model, 2, 2.0)
    shaken(one.model)
    state = get_lora_state(one.model)
    assert sum(tensor.numel() for tensor in state.values()) == 2 * (4 * 32 + 2 * 48)
    load_lora_state(other.model, state, "one")
    assert torch.equal(vectors(one.eval()), vectors(other.eval()))


def test_states_that_do_not_fit():
    backbone = tiny()
    add_lora(backbone.model, 2, 2.0)
    state = get_lora_state(backbone.model)
    first = next(iter(state))
    with pytest.raises(InputError, match="holds 'speed', which the model has not"):
        load_lora_state(backbone.model, {**state, "speed": torch.ones(1)}, "file")
    with pytest.raises(InputError, match=r"is of shape \(1,\) where the model has \(2, 16\)"):
        load_lora_state(backbone.model, {**state, first: torch.ones(1)}, "file")
    merge(backbone.model)
    with pytest.raises(EpochalError, match="is merged with other matrices"):
        load_lora_state(backbone.model, state, "file")
    with pytest.raises(EpochalError, match="has LoRA already"):
        add_lora(backbone.model, 2, 2.0)
