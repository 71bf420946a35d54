"""The model of scale: lines through measured points, and a simulation that repeats with its seed."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paths import STUDIES

RESULT = STUDIES / "results" / "scale_model.json"


@pytest.fixture(scope="module")
def scale():
    """The study; what it imports is unloaded afterwards."""
    sys.path.insert(0, str(STUDIES))
    try:
        yield importlib.import_module("scale_model")
    finally:
        sys.path.remove(str(STUDIES))
        for path in STUDIES.glob("*.py"):
            sys.modules.pop(path.stem, None)


@pytest.fixture(scope="module")
def model(scale):
    return importlib.import_module("_scale_simulation")


@pytest.fixture(scope="module")
def points(model):
    """A store that slows down as it grows; what was last measured is another matter."""
    return [
        model.Point(10_000, 17.0, 34.0, 35.0, 30.0, 1_500),
        model.Point(100_000, 29.5, 60.0, 173.0, 293.0, 1_500),
        model.Point(1_000_000, 154.0, 400.0, 1_556.0, 2_920.0, 1_500),
    ]


@given(st.floats(0, 100), st.floats(1e-6, 1e-3))
def test_a_line_is_found_again(model, fixed, slope):
    sizes = [10_000, 100_000, 1_000_000]
    line = model.fit_line(sizes, [fixed + slope * size for size in sizes])
    assert line.fixed == pytest.approx(fixed, rel=1e-6, abs=1e-6)
    assert line.slope == pytest.approx(slope, rel=1e-6)
    assert line.worst < 1e-9


def test_no_coefficient_of_a_line_is_below_zero(model):
    assert model.fit_line([1, 2, 3], [1.0, 2.2, 3.6]).fixed == 0.0
    falling = model.fit_line([1, 2, 3], [3.0, 2.0, 1.5])
    assert falling.slope == 0.0
    assert falling.worst > 0.1


def test_deviations_are_measured_or_log_normal(model):
    measured = model.Point(10, 2.0, 4.0, 1, 1, 1, samples=(4.0, 1.0, 2.0))
    assert model.get_deviations(measured) == (0.5, 1.0, 2.0)
    ratios = model.get_deviations(replace(measured, samples=()))
    assert np.median(ratios) == pytest.approx(1, abs=0.03)
    assert np.quantile(ratios, 0.95) == pytest.approx(2, rel=0.05)


def test_shards_wait_for_the_slowest_and_replicas_help(model, points):
    curves, world = model.fit_curves(points), replace(model.World(), questions=2_000)

    def at(share: float, **changes: object) -> float:
        layout = model.Layout(10**6 * int(changes.get("shards", 1)), **{"shards": 1, **changes})
        return float(np.quantile(model.simulate(layout, curves, world), share))

    assert at(0.5) < at(0.5, shards=8) < at(0.5, shards=64) < at(0.5, shards=512)
    assert at(0.99, shards=64, replicas=2, hedge=2.0) < 0.6 * at(0.99, shards=64)
    assert at(0.5, shards=64, by_time=True) < at(0.5, shards=64)
    calm = replace(world, straggling=0.0)
    layout = model.Layout(64 * 10**6, 64)
    assert np.quantile(model.simulate(layout, curves, calm), 0.99) < at(0.99, shards=64)


def test_the_same_seed_gives_the_same_plan(model, points):
    curves, world = model.fit_curves(points), replace(model.World(), questions=500)
    first = model.make_plan(10**8, curves, world)
    assert first == model.make_plan(10**8, curves, world)
    assert first != model.make_plan(10**8, curves, replace(world, seed=8))
    assert first["p95 ms"] <= 550
    assert first["shards"] * first["documents a shard"] == pytest.approx(10**8, rel=1e-3)
    busy = model.make_plan(10**8, curves, replace(world, questions_per_s=200.0))
    assert busy["copies of a young shard"] > busy["copies of an old shard"] > first["copies of an old shard"]


@pytest.mark.slow
def test_a_quick_run_measures_and_writes_nothing(scale, capsys):
    before = {path: path.stat().st_mtime_ns for path in (RESULT, scale.PICTURE)}
    scale.main(["--quick", "--sizes", "40", "80"])
    rows = json.loads(capsys.readouterr().out)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert [row["of a store"] for row in rows[:3]] == ["ms of a question", "memory, MB", "disk, MB"]
    assert [row["documents"] for row in rows if "documents" in row] == [10_000, 100_000]
