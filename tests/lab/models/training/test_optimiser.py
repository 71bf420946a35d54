from __future__ import annotations

import pytest
import torch
from torch import nn

from epochal.errors import EpochalError
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.task import build_optimiser, build_parameter_groups


def test_biases_norms_and_single_numbers_do_not_decay():
    model = nn.ModuleDict({"linear": nn.Linear(2, 2), "norm": nn.LayerNorm(2), "words": nn.Embedding(3, 2)})
    model.register_parameter("scale", nn.Parameter(torch.tensor(1.0)))
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    decaying, others = build_parameter_groups(model, 0.1)
    assert {names[id(parameter)] for parameter in decaying["params"]} == {"linear.weight", "words.weight"}
    assert {names[id(p)] for p in others["params"]} == {"linear.bias", "norm.weight", "norm.bias", "scale"}
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.1, 0.0)


def test_what_is_frozen_is_left_out():
    model = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1, bias=False))
    (group,) = build_parameter_groups(model, 0.1)
    assert group["params"] == [model[1].weight]


def test_one_step_by_hand(regression):
    """AdamW's first step: the decay of the parameter, and then the rate against the sign of the gradient."""
    task = regression()
    task.model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(task.model.weight, 2.0)
    optimiser = build_optimiser(task, TrainSettings(rate=0.1, decay=0.5), torch.device("cpu"))
    task.model.weight.grad = torch.tensor([[3.0]])
    optimiser.step()
    torch.testing.assert_close(task.model.weight.detach(), torch.tensor([[2.0 * (1 - 0.1 * 0.5) - 0.1]]))


def test_a_model_without_anything_to_train_is_refused():
    class Frozen:
        model = nn.Linear(1, 1).requires_grad_(False)

    with pytest.raises(EpochalError, match="the model Linear has no parameter to train"):
        build_optimiser(Frozen(), TrainSettings(), torch.device("cpu"))
