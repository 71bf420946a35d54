"""The network in torch: it agrees with the one in numpy, and all of it learns."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from epochal_lab.models.re3.features import (  # noqa: E402
    NetworkInputs,
    TimeDifferences,
    TimeGaps,
    build_inputs,
)
from epochal_lab.models.re3.model import get_shapes  # noqa: E402
from epochal_lab.models.re3.settings import Re3Settings  # noqa: E402
from epochal_lab.models.re3.task import PoolBatch, Re3Network  # noqa: E402

DIM = 12
SHAPES = [
    Re3Settings.parity(hidden=8),
    Re3Settings.parity(hidden=8, gate="off"),
    Re3Settings.parity(hidden=8, gate="query", norm=True, missing=False),
    Re3Settings.parity(hidden=8, encoding="repeat", unit="years"),
    Re3Settings.parity(hidden=8, encoding="difference"),
    Re3Settings.improved(hidden=8),
    Re3Settings.improved(hidden=8, words=False, standing=False, head=0, norm=True),
]


def example(settings: Re3Settings, count: int, seed: int) -> tuple[NetworkInputs, np.ndarray]:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count + 1, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rel, rec = random.normal(size=count) * 400, random.normal(size=count) * 30
    rel[random.random(count) < 0.3], rec[random.random(count) < 0.3] = np.nan, np.nan
    differences = TimeDifferences(*(random.normal(size=(count, DIM)).astype(np.float32) for _ in range(2)))
    gaps = TimeGaps(rel, random.random(count), rec, True)
    result = build_inputs(
        settings, vectors[0], vectors[1:], vectors[1:] @ vectors[0], random.random(count) * 9, gaps, differences
    )
    return result, np.arange(count) == seed % count


def network(settings: Re3Settings) -> Re3Network:
    """One whose parameters are all away from where they begin."""
    torch.manual_seed(4)
    result = Re3Network(settings, DIM)
    with torch.no_grad():
        for value in result.parameters():
            value.add_(0.3 * torch.randn_like(value))
    return result


@pytest.mark.parametrize("settings", SHAPES)
def test_numpy_and_torch_agree(settings: Re3Settings) -> None:
    result = network(settings)
    items = [example(settings, count, seed) for seed, count in enumerate((50, 1, 17))]
    with torch.no_grad():
        scores = result(PoolBatch.of(items)).numpy()
    other = result.numpy()
    for line, (inputs, _) in zip(scores, items, strict=True):
        assert np.abs(other.forward(inputs).scores - line[: len(inputs)]).max() < 1e-5


@pytest.mark.parametrize("settings", SHAPES)
def test_the_loss_is_the_cross_entropy_of_the_softmax(settings: Re3Settings) -> None:
    result = network(settings)
    items = [example(settings, count, seed) for seed, count in enumerate((9, 4))]
    expected = []
    for inputs, answers in items:
        scores = result.numpy().forward(inputs).scores / settings.temperature
        expected.append(np.log(np.exp(scores - scores.max()).sum()) + scores.max() - scores[answers].mean())
    assert result.loss(PoolBatch.of(items)).item() == pytest.approx(np.mean(expected), abs=1e-3)


def test_several_answers_share_the_target() -> None:
    inputs, _ = example(SHAPES[0], 4, 0)
    batch = PoolBatch.of([(inputs, np.array([True, False, True, False])), (inputs.at(np.array([0])), np.array([True]))])
    assert batch.target.tolist() == [[0.5, 0.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]]
    assert batch.present.tolist() == [[1.0] * 4, [1.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("settings", SHAPES)
def test_gradients_reach_every_parameter(settings: Re3Settings) -> None:
    result = network(settings)
    result.loss(PoolBatch.of([example(settings, 20, seed) for seed in range(8)])).backward()
    for name, value in result.named_parameters():
        assert value.grad is not None, name
        assert float(value.grad.abs().sum()) > 0, name


@pytest.mark.parametrize("settings", SHAPES)
def test_parameters_have_the_names_and_shapes_of_the_folder(settings: Re3Settings) -> None:
    result = {name: tuple(value.shape) for name, value in Re3Network(settings, DIM).state_dict().items()}
    assert result == get_shapes(settings, DIM)


def test_a_residual_projection_begins_as_the_text() -> None:
    settings = Re3Settings.improved(hidden=8, words=False)
    torch.manual_seed(1)
    inputs, _ = example(settings, 5, 2)
    assert Re3Network(settings, DIM).numpy().forward(inputs).scores == pytest.approx(inputs.semantic, abs=1e-5)
