from __future__ import annotations

import json

import numpy as np
import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.judges.evidence import FEATURES
from epochal_lab.judges.spans import Calibration, Sample, default_calibration, fit, read_calibration

WIDTH = len(FEATURES)


def sample(seed: int, size: int = 400, telling: int = 2) -> Sample:
    """Examples in which one feature tells yes from no and the others are noise."""
    rng = np.random.default_rng(seed)
    rows = rng.random((size, WIDTH))
    return Sample(f"own {seed}", rows, rows[:, telling] + 0.1 * rng.standard_normal(size) > 0.7)


def test_the_feature_that_tells_gets_the_weight():
    found = fit([sample(1)])
    assert max(range(WIDTH), key=lambda at: found.weights[at]) == 2
    assert found.weights[2] > 5 * max(found.weights[at] for at in range(WIDTH) if at != 2)
    other = sample(2)
    assert ((found.chances(other.features) >= found.threshold) == other.labels).mean() > 0.9


def test_a_feature_that_speaks_against_gets_nothing():
    good = sample(1)
    turned = Sample("turned", good.features, ~good.labels)
    assert fit([turned]).weights[2] == 0.0


def test_fitting_is_the_same_again_and_blind_to_copies():
    one = fit([sample(1), sample(2)])
    assert fit([sample(1), sample(2)]) == one
    many = Sample("own 1", np.repeat(sample(1).features, 5, axis=0), np.repeat(sample(1).labels, 5))
    assert fit([many, sample(2)]).weights == pytest.approx(one.weights, abs=0.01)


def test_nothing_to_learn_from():
    with pytest.raises(EpochalError, match="there are no examples"):
        fit([])
    with pytest.raises(EpochalError, match="the 2 examples of own are all alike"):
        fit([Sample("own", np.zeros((2, WIDTH)), np.array([True, True]))])


def test_one_row_gets_the_chance_that_it_gets_among_many():
    rows = np.random.default_rng(3).random((50, WIDTH))
    made = default_calibration()
    assert [made.chance(row) for row in rows] == made.chances(rows).tolist()


def test_chances_stay_within_their_bounds_far_out():
    made = Calibration((1e6,) * WIDTH, -3e6, 0.5)
    assert made.chances(np.array([[0.0] * WIDTH, [1.0] * WIDTH])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "bias", "threshold"),
    [((1.0,), 0.0, 0.5), ((np.nan,) * WIDTH, 0.0, 0.5), ((1.0,) * WIDTH, np.inf, 0.5), ((1.0,) * WIDTH, 0.0, 1.5)],
)
def test_numbers_that_are_no_calibration(weights, bias, threshold):
    with pytest.raises(EpochalError, match="accepted: a finite weight for each of match"):
        Calibration(weights, bias, threshold)


def test_a_file_and_back(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(default_calibration().to_dict()))
    assert read_calibration(path) == default_calibration()
    for text, problem in (("{", "is not JSON"), ("[]", "holds no calibration")):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_calibration(path)
    path.write_text('{"weights": {}, "bias": 0, "threshold": 1}')
    with pytest.raises(EpochalError, match="a calibration lacks 'match'"):
        read_calibration(path)
