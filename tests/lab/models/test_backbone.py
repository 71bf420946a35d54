from __future__ import annotations

import json

import pytest
import torch

from epochal.errors import EpochalError, InputError
from epochal_lab.models.backbone import POOLINGS, Backbone, Batch, load_backbone, move_padding_right, pool_states
from epochal_lab.models.training.checkpoint import load_tensors, save_tensors, seed_all

WORDS = "rain snow fell in the north 雨 雪".split()
TEXTS = ["rain fell", "snow fell in the north", "雨", ""]


@pytest.fixture(params=POOLINGS)
def tiny(request) -> Backbone:
    seed_all(1)
    return Backbone.tiny(WORDS, pooling=request.param).eval()


@pytest.fixture
def saved(tmp_path) -> Backbone:
    Backbone.tiny(WORDS, pooling="mean").save(tmp_path)
    return tmp_path


@torch.no_grad()
def test_padding_on_either_side_gives_the_same_vector(tiny):
    right = tiny.tokenize(TEXTS)
    tiny.tokenizer.padding_side = "left"
    left = tiny.tokenize(TEXTS)
    assert left.mask[0].tolist() == right.mask[0].tolist()[::-1] != right.mask[0].tolist()
    assert torch.equal(tiny(left.ids, left.mask), tiny(right.ids, right.mask))


@torch.no_grad()
def test_a_vector_does_not_depend_on_its_batch(tiny):
    together = tiny.tokenize(TEXTS)
    rows = tiny(together.ids, together.mask)
    for text, row in zip(TEXTS, rows, strict=True):
        alone = tiny.tokenize([text])
        torch.testing.assert_close(tiny(alone.ids, alone.mask)[0], row, rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_poolings_by_hand():
    seed_all(1)
    tiny = Backbone.tiny(WORDS).eval()
    batch = tiny.tokenize(["rain fell", "snow fell in the north"])
    hidden = tiny.model(input_ids=batch.ids, attention_mask=batch.mask).last_hidden_state
    assert batch.mask.sum(dim=1).tolist() == [4, 7]
    torch.testing.assert_close(pool_states(hidden, batch.mask, "cls"), hidden[:, 0])
    torch.testing.assert_close(pool_states(hidden, batch.mask, "mean")[0], hidden[0, :4].mean(dim=0))
    torch.testing.assert_close(pool_states(hidden, batch.mask, "last")[0], hidden[0, 3])
    torch.testing.assert_close(pool_states(hidden, batch.mask, "last")[1], hidden[1, 6])


@torch.no_grad()
def test_an_alien_row_of_padding_alone_has_finite_numbers(tiny):
    ids = torch.tensor([[2, 5, 3], [0, 0, 0]])
    assert torch.isfinite(tiny(ids, (ids > 0).long())).all()


def test_a_decoder_is_pooled_alike_on_either_side():
    """Of a causal model with rotary positions, as those are that pool the last token."""
    from transformers import Qwen2Config, Qwen2Model

    seed_all(1)
    words = Backbone.tiny(WORDS, pooling="last")
    config = Qwen2Config(
        vocab_size=len(WORDS) + 5,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        pad_token_id=0,
    )
    decoder = Backbone(Qwen2Model(config), words.tokenizer, "last", 64).eval()
    right = decoder.tokenize(TEXTS)
    decoder.tokenizer.padding_side = "left"
    left = decoder.tokenize(TEXTS)
    with torch.no_grad():
        assert torch.equal(decoder(left.ids, left.mask), decoder(right.ids, right.mask))


def test_right_padding_keeps_the_order():
    ids = torch.tensor([[0, 7, 8, 9, 0], [1, 2, 3, 4, 5]])
    moved, mask = move_padding_right(ids, (ids > 0).long())
    assert moved.tolist() == [[7, 8, 9, 0, 0], [1, 2, 3, 4, 5]]
    assert mask.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


def test_texts_are_cut_and_counted():
    tiny = Backbone.tiny(WORDS, max_length=6)
    batch = tiny.tokenize(["rain " * 50, "rain"])
    assert tuple(batch.ids.shape) == (2, 6)
    assert batch.tokens == 9
    assert tuple(tiny.tokenize(["rain " * 50], max_length=4).ids.shape) == (1, 4)
    assert tuple(tiny.tokenize(["rain " * 50], max_length=40).ids.shape) == (1, 6)


def test_a_batch_moves_whole():
    batch = Backbone.tiny(WORDS).tokenize(["rain"]).to("meta")
    assert isinstance(batch, Batch)
    assert (batch.ids.device.type, batch.mask.device.type, batch.tokens) == ("meta", "meta", 3)


@torch.no_grad()
def test_saved_and_loaded_it_is_the_same(tiny, tmp_path):
    tiny.save(tmp_path / "new" / "folder")
    again = load_backbone(tmp_path / "new" / "folder").eval()
    assert (again.pooling, again.max_length, again.width) == (tiny.pooling, 64, 32)
    batch = again.tokenize(TEXTS)
    assert torch.equal(batch.ids, tiny.tokenize(TEXTS).ids)
    assert torch.equal(again(batch.ids, batch.mask), tiny(batch.ids, batch.mask))
    assert not list(tmp_path.rglob("*.bin"))


def test_what_is_given_goes_before_what_the_folder_says(saved):
    again = load_backbone(saved, pooling="last", max_length=9)
    assert (again.pooling, again.max_length) == ("last", 9)


def test_a_folder_of_transformers_must_be_reported_its_pooling(saved):
    (saved / "backbone.json").unlink()
    with pytest.raises(EpochalError, match="does not say how it is pooled; give pooling: cls, mean, last"):
        load_backbone(saved)
    assert load_backbone(saved, pooling="cls").max_length == 64


def test_half_precision_on_disk_is_float32_here(saved):
    path = saved / "model.safetensors"
    save_tensors(path, {name: tensor.bfloat16() for name, tensor in load_tensors(path).items()}, {"format": "pt"})
    config = json.loads((saved / "config.json").read_text())
    (saved / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))
    assert {tensor.dtype for tensor in load_backbone(saved).state_dict().values() if tensor.is_floating_point()} == {
        torch.float32
    }


def test_weights_of_another_model_are_refused(saved):
    save_tensors(saved / "model.safetensors", {"other": torch.ones(1)}, {"format": "pt"})
    with pytest.raises(InputError, match=r"lacks \d+ tensors of the model, such as 'embeddings"):
        load_backbone(saved)


def test_a_damaged_file_is_refused(saved):
    path = saved / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"model\.safetensors: is no whole safetensors file"):
        load_backbone(saved)


def test_a_folder_without_weights_is_refused(saved):
    (saved / "model.safetensors").unlink()
    with pytest.raises(InputError, match="cannot be loaded by transformers"):
        load_backbone(saved)


@pytest.mark.parametrize(
    ("given", "message"), [({"pooling": "max"}, "pooling is 'max'"), ({"max_length": -1}, "max_length is -1")]
)
def test_bad_values_are_named(saved, given, message):
    with pytest.raises(EpochalError, match=message):
        load_backbone(saved, **given)


def mpnet() -> Backbone:
    from transformers import MPNetConfig, MPNetModel

    words = Backbone.tiny(WORDS, pooling="mean")
    config = MPNetConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=64,
        pad_token_id=0,
    )
    return Backbone(MPNetModel(config, add_pooling_layer=False), words.tokenizer, "mean", 64)


def learnt(network: Backbone) -> tuple[list[torch.Tensor], int]:
    """The gradients of a step with dropout, and how many numbers were kept for them."""
    retained = []
    batch = network.tokenize(TEXTS)
    seed_all(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: retained.append(x.numel()) or x, lambda x: x):
        loss = network(batch.ids, batch.mask).square().sum()
    loss.backward()
    return [parameter.grad for parameter in network.parameters()], sum(retained)


@pytest.mark.parametrize("make", [lambda: Backbone.tiny(WORDS, layers=4, pooling="mean"), mpnet])
def test_layers_computed_again_learn_the_same_and_keep_less(make):
    seed_all(1)
    built = make()
    want, all_of_it = learnt(built)
    built.zero_grad()
    built.enable_recompute()
    built.enable_recompute()
    result, retained = learnt(built)
    assert retained < all_of_it / 2
    for here, there in zip(result, want, strict=True):
        if here is not None or there is not None:
            torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-5)


def test_a_model_without_layers_cannot_compute_them_again():
    result = Backbone.tiny(WORDS)
    result.model = torch.nn.Linear(2, 2)
    with pytest.raises(EpochalError, match="the model Linear has no list of layers"):
        result.enable_recompute()
