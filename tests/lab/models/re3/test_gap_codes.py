"""Gaps as vectors: the paper's numbers, and what the logarithmic waves do better."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.re3.settings import UNIT_DAYS, encode_base3, encode_log, encode_repeat

YEAR = 365.2425


def slow_base3(gap: float, width: int) -> list[float]:
    """Section 2.2 of the paper, one number at a time."""
    found = []
    for place in range(width // 2):
        scale = 3 ** (2 * place / width)
        found += [math.sin(gap / scale), math.cos(gap / scale)]
    return found


@given(st.floats(0, 3000), st.sampled_from([2, 4, 64]))
def test_base3_is_the_papers_formula(gap: float, width: int) -> None:
    assert encode_base3(np.array([gap]), width)[0] == pytest.approx(slow_base3(gap, width), abs=1e-5)


def test_the_papers_codebook() -> None:
    # d = 4: f_0 = 1, f_1 = 3^(1/2).
    found = encode_base3(np.array([0.0, 1.0, math.pi * math.sqrt(3)]), 4)
    assert found[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert found[1] == pytest.approx([0.841471, 0.540302, 0.545806, 0.837912], abs=1e-5)
    assert found[2][2:] == pytest.approx([0.0, -1.0], abs=1e-5)


def test_the_papers_waves_are_all_short() -> None:
    width = 64
    lengths = 2 * math.pi * 3.0 ** (2 * np.arange(width // 2) / width)
    assert lengths.min() == pytest.approx(6.283, abs=1e-3)
    assert lengths.max() < 18.85
    # With two waves a gap and one five of the first's lengths longer are hardly told apart by it.
    same = encode_base3(np.array([3.0, 3.0 + 10 * math.pi]), width)[:, :2]
    assert same[0] == pytest.approx(same[1], abs=1e-5)


def test_logarithmic_waves_end_at_two_days_and_four_hundred_years() -> None:
    whole = encode_log(np.array([2.0, 400 * YEAR]), 64)
    assert whole[0][:2] == pytest.approx([0, 1], abs=1e-5)
    assert whole[1][62:64] == pytest.approx([0, 1], abs=1e-4)
    half = encode_log(np.array([1.0, 200 * YEAR]), 64)
    assert half[0][1] == pytest.approx(-1, abs=1e-5)
    assert half[1][63] == pytest.approx(-1, abs=1e-4)


def test_size_and_side_stand_behind_the_waves() -> None:
    found = encode_log(np.array([0.0, math.e - 1, 1 - math.e]), 8)
    assert found.shape == (3, 10)
    assert found[:, 8] == pytest.approx([0, 1 / 16, 1 / 16])
    assert found[:, 9].tolist() == [0.0, 1.0, -1.0]


@given(st.floats(0, 400 * YEAR), st.floats(0, 400 * YEAR))
def test_logarithmic_codes_alias_no_gap(first: float, second: float) -> None:
    codes = encode_log(np.array([first, second]), 64).astype(np.float64)
    apart = abs(math.log1p(first) - math.log1p(second))
    if apart > 0.01:
        assert np.abs(codes[0] - codes[1]).max() > 1e-4
    assert (codes[0][64] < codes[1][64]) == (np.float32(math.log1p(first) / 16) < np.float32(math.log1p(second) / 16))


def test_the_gap_itself_repeated() -> None:
    assert encode_repeat(np.array([2.5, 7.0]), 4).tolist() == [[2.5] * 4, [7.0] * 4]


def test_units() -> None:
    assert pytest.approx({"days": 1, "months": 30.436875, "years": YEAR}) == UNIT_DAYS


@pytest.mark.parametrize("make", [encode_base3, encode_log, encode_repeat])
@pytest.mark.parametrize("width", [0, 3])
def test_an_odd_width_is_refused(make, width) -> None:
    with pytest.raises(EpochalError, match=f"is {width}; accepted: an even number from 2"):
        make(np.zeros(1), width)
