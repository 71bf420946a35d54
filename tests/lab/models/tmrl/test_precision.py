"""What lowers the precision of the encoder leaves losses and measures in float32."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from epochal_lab.models.tmrl.network import build_network
from epochal_lab.models.tmrl.running import adapt
from epochal_lab.models.tmrl.settings import METHODS, get_training_settings
from epochal_lab.models.tmrl.task import TMRLTask, compute_losses
from epochal_lab.models.training.device import autocast
from tmrl_world import small, tiny

# Said once by processors that have no bf16 of their own, and then compute in it all the same.
pytestmark = pytest.mark.filterwarnings("ignore:mkldnn_matmul")


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("method", [method for method in METHODS if method != "zero-shot"])
def test_losses_in_bf16_are_near_those_in_float32(method, pooling, rows):
    network = build_network(tiny(pooling), small(method)).eval()
    if method == "tmrl":
        network.train()
        for module in network.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    task = TMRLTask(network, rows, seed=1)
    batch = next(task.batches(0, get_training_settings(method)))
    exact = compute_losses(network, batch)
    with autocast("bf16", torch.device("cpu")):
        near = compute_losses(network, batch)
    assert all(value.dtype == torch.float32 for value in near.values())
    assert near["loss"].item() == pytest.approx(exact["loss"].item(), rel=0.1)


def test_a_run_in_bf16(rows):
    training = replace(get_training_settings("tmrl"), epochs=1, batch_size=6, precision="bf16", device="cpu")
    run = adapt(tiny, rows, rows, small(), training).runs["tmrl"]
    assert 0 <= run.best["hit@1"] <= 1
