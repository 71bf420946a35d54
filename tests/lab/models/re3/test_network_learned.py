"""The network in numpy, against the formulas of the paper, one candidate and one number at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal_lab.models.re3.features import TimeGaps, build_inputs
from epochal_lab.models.re3.model import NumpyNetwork, get_shapes
from epochal_lab.models.re3.settings import Re3Settings

DIM = 5


def tensors(settings: Re3Settings, seed: int = 3) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.normal(size=shape).astype(np.float32) / 2 for name, shape in get_shapes(settings, DIM).items()}


def inputs(settings: Re3Settings, count: int = 6):
    random = np.random.default_rng(5)
    vectors = random.normal(size=(count + 1, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rel, rec = random.normal(size=count) * 400, random.normal(size=count) * 30
    rel[[0, 3]], rec[[1, 3]] = np.nan, np.nan
    gaps = TimeGaps(rel, random.random(count), rec, True)
    return build_inputs(settings, vectors[0], vectors[1:], vectors[1:] @ vectors[0], random.random(count), gaps)


def slow_score(settings: Re3Settings, of: dict[str, np.ndarray], given, position: int) -> float:
    """Equations 3 to 8 for one candidate."""
    missing = given.unknown[position]
    rel = of["missing.rel"] if settings.missing and missing[0] else given.rel[position]
    rec = of["missing.rec"] if settings.missing and missing[1] else given.rec[position]
    times = [*rel, *rec, *missing, *(given.standing[position] if settings.standing else ())]
    row = [*given.vectors[position], *times]
    hidden = [
        max(0.0, sum(weight * value for weight, value in zip(line, row, strict=True)) + bias)
        for line, bias in zip(of["first.weight"], of["first.bias"], strict=True)
    ]
    results = [
        sum(weight * value for weight, value in zip(line, hidden, strict=True)) + bias
        for line, bias in zip(of["second.weight"], of["second.bias"], strict=True)
    ]
    if settings.residual:
        results = [mine + text for mine, text in zip(results, given.vectors[position], strict=True)]
    if settings.norm:
        mean = sum(results) / DIM
        spread = math.sqrt(sum((value - mean) ** 2 for value in results) / DIM + 1e-5)
        results = [
            (value - mean) / spread * weight + bias
            for value, weight, bias in zip(results, of["norm.weight"], of["norm.bias"], strict=True)
        ]
    question = given.question[:DIM]
    dot = sum(mine * query for mine, query in zip(results, question, strict=True))
    time = dot / math.sqrt(sum(value**2 for value in results)) / math.sqrt(sum(value**2 for value in question))
    if settings.head:
        inner = [
            max(0.0, sum(weight * value for weight, value in zip(line, times, strict=True)) + bias)
            for line, bias in zip(of["head.first.weight"], of["head.first.bias"], strict=True)
        ]
        time += sum(weight * value for weight, value in zip(of["head.second.weight"][0], inner, strict=True))
        time += of["head.second.bias"][0]
    text = given.semantic[position]
    if settings.words:
        text += math.log1p(math.exp(of["words"][0])) * given.lexical[position]
    if settings.gate == "off":
        return float(text + time)
    opened = of["gate.bias"][0]
    if settings.gate == "query":
        opened += sum(weight * value for weight, value in zip(of["gate.weight"][0], given.question, strict=True))
    share = 1 / (1 + math.exp(-opened))
    return float(share * text + (1 - share) * time)


@pytest.mark.parametrize(
    "settings",
    [
        Re3Settings.parity(hidden=4, width=4),
        Re3Settings.parity(hidden=4, width=4, gate="off"),
        Re3Settings.parity(hidden=4, width=4, missing=False, residual=True, norm=True),
        Re3Settings.parity(hidden=4, width=4, encoding="repeat", gate="query"),
        Re3Settings.improved(hidden=4, width=4, head=3),
        Re3Settings.improved(hidden=4, width=4, head=0, words=False, standing=False, norm=True),
    ],
)
def test_scores_are_those_of_the_formulas(settings: Re3Settings) -> None:
    of, given = tensors(settings), inputs(settings)
    result = NumpyNetwork(settings, DIM, of).forward(given)
    expected = [slow_score(settings, of, given, position) for position in range(len(given))]
    assert result.scores == pytest.approx(expected, abs=1e-5)
    assert result.text + result.time == pytest.approx(result.scores)


def test_a_scalar_gate_by_hand() -> None:
    settings = Re3Settings.parity(hidden=1, width=2, residual=True)
    of = {name: np.zeros(shape, np.float32) for name, shape in get_shapes(settings, DIM).items()}
    of["gate.bias"][:] = math.log(3)  # sigmoid(log 3) = 3/4
    given = inputs(settings)
    result = NumpyNetwork(settings, DIM, of).forward(given)
    # A projection of zeros with the text added to it is the text: both cosines are the same.
    assert result.text == pytest.approx(0.75 * given.semantic, abs=1e-6)
    assert result.time == pytest.approx(0.25 * given.semantic, abs=1e-6)


def test_the_scores_of_a_candidate_do_not_depend_on_the_order() -> None:
    settings = Re3Settings.improved(hidden=4, width=4)
    network, given = NumpyNetwork(settings, DIM, tensors(settings)), inputs(settings)
    turned = np.array([3, 1, 5, 0, 2, 4])
    assert network.forward(given.at(turned)).scores == pytest.approx(network.forward(given).scores[turned], abs=1e-6)


def test_parameters_are_checked() -> None:
    settings = Re3Settings.parity(hidden=2, width=2)
    good = tensors(settings)
    with pytest.raises(EpochalError, match=r"'first.bias' .* have the shape \(3,\); accepted .*\(2,\)"):
        NumpyNetwork(settings, DIM, {**good, "first.bias": np.zeros(3, np.float32)})
    with pytest.raises(EpochalError, match=r"'gate.bias' .* have the shape none"):
        NumpyNetwork(settings, DIM, {name: value for name, value in good.items() if name != "gate.bias"})
    with pytest.raises(EpochalError, match=r"'words' .* none of that name"):
        NumpyNetwork(settings, DIM, {**good, "words": np.zeros(1, np.float32)})
    with pytest.raises(EpochalError, match=r"'second.bias' .* not finite"):
        NumpyNetwork(settings, DIM, {**good, "second.bias": np.full(DIM, np.nan, np.float32)})
