"""Networks: equations 1 and 2, what of them is trained and saved, and the whole loss (15) with its gradients."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.backbone import NgramBackbone, pool_states
from epochal_lab.models.tmrl.batches import build_examples, tokenize_timed
from epochal_lab.models.tmrl.network import SingleEncoder, build_network
from epochal_lab.models.tmrl.objectives import (
    cka_loss,
    distillation_loss,
    matryoshka_loss,
    project_times,
    take_prefixes,
    temporal_contrast,
)
from epochal_lab.models.tmrl.settings import METHODS
from epochal_lab.models.tmrl.task import compute_losses
from tmrl_world import make_rows, small, tiny

TRAINED = [method for method in METHODS if method != "zero-shot"]


def prepared(settings, pooling: str = "mean"):
    """A network, without dropout, and a batch for it."""
    backbone = tiny(pooling)
    for module in backbone.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    network = build_network(backbone, settings)
    examples = build_examples(backbone, make_rows(), settings, seed=1)
    return network.train(), next(examples.batches(0, 6, settings.negatives, seed=1))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_states_of_tokens_and_their_pooling(pooling):
    network = SingleEncoder(tiny(pooling).eval(), small("zero-shot"))
    batch = tokenize_timed(network.reader, ["ann played for leeds in 1998 .", "who ?"]).batch([0, 1])
    hidden, mask = network.backbone.encode_tokens(batch.texts.ids, batch.texts.mask)
    assert hidden.shape == (2, batch.texts.ids.shape[1], 16)
    result = network.encode(batch, "passage").vectors
    for text in (0, 1):
        length = int(mask[text].sum())
        want = hidden[text, 0] if pooling == "cls" else sum(hidden[text, n] for n in range(length)) / length
        torch.testing.assert_close(result[text], want, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(result, pool_states(hidden, mask, pooling))


@pytest.mark.parametrize("method", TRAINED)
def test_a_state_is_what_is_trained_and_goes_back(method):
    network, batch = prepared(small(method))
    optimiser = torch.optim.SGD([one for one in network.parameters() if one.requires_grad], lr=0.5)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    frozen = {name: value.clone() for name, value in network.named_parameters() if not value.requires_grad}
    compute_losses(network, batch)["loss"].backward()
    optimiser.step()
    after = network.state_dict()
    assert set(after) == set(network.list_trained())
    assert any(not torch.equal(before[name], after[name]) for name in after)
    assert all(torch.equal(value, dict(network.named_parameters())[name]) for name, value in frozen.items())
    network.load_state_dict(before)
    assert all(torch.equal(before[name], value) for name, value in network.state_dict().items())
    with pytest.raises(EpochalError, match="such as 'speed'"):
        network.load_state_dict({**before, "speed": torch.ones(1)})
    with pytest.raises(EpochalError, match="other parameters than those that are trained"):
        network.load_state_dict({})


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("spans", ["first", "all", "attended", "anchored"])
def test_equation_15(pooling, spans):
    settings = small(alpha=0.3, beta=0.2, gamma=0.7, spans=spans)
    network, batch = prepared(settings, pooling)
    message = compute_losses(network, batch)
    sides = {
        "passage": network.encode(batch.passages, "passage"),
        "question": network.encode(batch.questions, "question"),
    }
    cut = {name: take_prefixes(side.vectors, (4, 8, 16)) for name, side in sides.items()}
    contrast = matryoshka_loss(*cut.values(), batch.groups, 0.05, false_negatives=0.95)
    times = []
    for side, texts in zip(sides.values(), (batch.passages, batch.questions), strict=True):
        first = side.vectors if pooling == "cls" else None
        result = project_times(network.projector, side.hidden, texts.spans, first)
        times.append(result.average() if spans == "all" else result)
    both = temporal_contrast(
        sides["passage"].vectors[:, :4], sides["question"].vectors[:, :4], *times, batch.groups, 0.05
    )
    near = sum(distillation_loss(part, 2) for part in cut.values())
    geometry = sum(cka_loss(part) for part in cut.values())
    want = contrast + 0.3 * sum(both) + 0.2 * near + 0.7 * geometry
    torch.testing.assert_close(message["loss"], want)
    assert all(message[name].item() > 0 for name in ("temporal question", "temporal passage", "distillation", "cka"))


def test_weights_of_zero_leave_parts_out():
    network, batch = prepared(small(alpha=0, beta=0, gamma=0))
    assert set(compute_losses(network, batch)) == {"loss", "contrast"}
    assert network.projector is None


def test_the_sum_over_prefixes_and_the_mean():
    mean, summed = (
        compute_losses(*prepared(small("lora-mrl", mean_over_dims=one)))["contrast"].item() for one in (True, False)
    )
    assert summed == pytest.approx(3 * mean, rel=1e-5)


def test_lora_alone_looks_at_whole_vectors_only():
    network, batch = prepared(small("lora"))
    anchors, questions = (network.encode(part, "passage").vectors for part in (batch.passages, batch.questions))
    want = matryoshka_loss(
        take_prefixes(anchors, [16]), take_prefixes(questions, [16]), batch.groups, 0.05, false_negatives=0.95
    )
    torch.testing.assert_close(compute_losses(network, batch)["loss"], want)


@pytest.mark.parametrize("detach", [True, False])
def test_the_temporal_contrast_alone_moves_the_projector_and_lora(detach):
    network, batch = prepared(small(detach=detach))
    # Matrices that begin at zero give their partners no gradient.
    for name, parameter in network.named_parameters():
        if name.endswith(".up"):
            parameter.data.normal_(std=0.1)
    message = compute_losses(network, batch)
    (message["temporal question"] + message["temporal passage"]).backward()
    assert network.projector.out.weight.grad.abs().sum() > 0
    trained = [one for name, one in network.named_parameters() if name.endswith((".up", ".down"))]
    assert all(one.grad is not None and one.grad.abs().sum() > 0 for one in trained)
    assert all(one.grad is None for name, one in network.named_parameters() if not one.requires_grad)


def test_without_detaching_gradients_differ():
    matches = []
    for detach in (True, False):
        network, batch = prepared(small(detach=detach))
        message = compute_losses(network, batch)
        (message["temporal question"] + message["temporal passage"]).backward()
        matches.append(network.backbone.model.encoder.layer[0].output.dense.up.grad.clone())
    assert not torch.allclose(matches[0], matches[1])


@pytest.mark.parametrize("method", ["lora", "m-adaptor", "tempretriever-ewi"])
def test_a_backbone_without_a_transformer_is_refused(method):
    with pytest.raises(EpochalError, match="the backbone is NgramBackbone; accepted: a transformer"):
        build_network(NgramBackbone("春秋"), small(method))
