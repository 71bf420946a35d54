from __future__ import annotations

import json

import numpy as np
import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.judges.evidence import FEATURES
from epochal_lab.judges.spans import (
    Calibration,
    CalibrationSample,
    fit_calibration,
    load_default_calibration,
    read_calibration,
)

WIDTH = len(FEATURES)


def sample(seed: int, size: int = 400, telling: int = 2) -> CalibrationSample:
    """Examples in which one feature tells yes from no and the others are noise."""
    rng = np.random.default_rng(seed)
    rows = rng.random((size, WIDTH))
    return CalibrationSample(f"own {seed}", rows, rows[:, telling] + 0.1 * rng.standard_normal(size) > 0.7)


def test_the_feature_that_tells_gets_the_weight():
    found = fit_calibration([sample(1)])
    assert max(range(WIDTH), key=lambda at: found.weights[at]) == 2
    assert found.weights[2] > 5 * max(found.weights[at] for at in range(WIDTH) if at != 2)
    other = sample(2)
    assert ((found.predict_rows(other.features) >= found.threshold) == other.labels).mean() > 0.9


def test_a_feature_that_speaks_against_gets_nothing():
    good = sample(1)
    turned = CalibrationSample("turned", good.features, ~good.labels)
    assert fit_calibration([turned]).weights[2] == 0.0


def test_fitting_is_the_same_again_and_blind_to_copies():
    one = fit_calibration([sample(1), sample(2)])
    assert fit_calibration([sample(1), sample(2)]) == one
    many = CalibrationSample("own 1", np.repeat(sample(1).features, 5, axis=0), np.repeat(sample(1).labels, 5))
    assert fit_calibration([many, sample(2)]).weights == pytest.approx(one.weights, abs=0.01)


def test_nothing_to_learn_from():
    with pytest.raises(EpochalError, match="there are no examples"):
        fit_calibration([])
    with pytest.raises(EpochalError, match="the 2 examples of own are all alike"):
        fit_calibration([CalibrationSample("own", np.zeros((2, WIDTH)), np.array([True, True]))])


def test_one_row_gets_the_chance_that_it_gets_among_many():
    rows = np.random.default_rng(3).random((50, WIDTH))
    made = load_default_calibration()
    assert [made.predict(row) for row in rows] == made.predict_rows(rows).tolist()


def test_chances_stay_within_their_bounds_far_out():
    made = Calibration((1e6,) * WIDTH, -3e6, 0.5)
    assert made.predict_rows(np.array([[0.0] * WIDTH, [1.0] * WIDTH])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "bias", "threshold"),
    [((1.0,), 0.0, 0.5), ((np.nan,) * WIDTH, 0.0, 0.5), ((1.0,) * WIDTH, np.inf, 0.5), ((1.0,) * WIDTH, 0.0, 1.5)],
)
def test_numbers_that_are_no_calibration(weights, bias, threshold):
    with pytest.raises(EpochalError, match="accepted: a finite weight for each of match"):
        Calibration(weights, bias, threshold)


def test_a_file_and_back(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(load_default_calibration().to_dict()))
    assert read_calibration(path) == load_default_calibration()
    for text, problem in (("{", "is not JSON"), ("[]", "holds no calibration")):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_calibration(path)
    path.write_text('{"weights": {}, "bias": 0, "threshold": 1}')
    with pytest.raises(EpochalError, match="a calibration lacks 'match'"):
        read_calibration(path)
