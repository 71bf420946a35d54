"""A pool as the network sees it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.re3.encodings import UNIT_DAYS, encode_base3, encode_log, encode_repeat
from epochal_lab.models.re3.features import (
    STANDING,
    TimeDifferences,
    TimeGaps,
    build_inputs,
    compute_standing,
    get_code_width,
    select_unit,
)
from epochal_lab.models.re3.settings import Re3Settings

GAPS = TimeGaps(np.array([-730.485, 0.0, np.nan]), np.array([0.0, 0.5, 0.0]), np.array([np.nan, 30.0, -2.0]), True)
VECTORS = np.eye(3, dtype=np.float32)


def made(settings: Re3Settings, gaps: TimeGaps = GAPS, differences: TimeDifferences | None = None):
    return build_inputs(
        settings, VECTORS[0], VECTORS, np.array([1.0, 0.0, 0.0]), np.array([4.0, 2.0, 0.0]), gaps, differences
    )


def test_parity_sees_absolute_gaps_in_days_where_both_times_are_known() -> None:
    result = made(Re3Settings.parity())
    assert result.rel[0] == pytest.approx(encode_base3(np.array([730.485]), 64)[0], abs=1e-4)
    assert result.rec[1] == pytest.approx(encode_base3(np.array([30.0]), 64)[0], abs=1e-5)
    assert result.rec[2] == pytest.approx(encode_base3(np.array([2.0]), 64)[0], abs=1e-5)


def test_units_by_what_is_known() -> None:
    parity = Re3Settings.parity()
    undated = replace(GAPS, rec=np.full(3, np.nan))
    assert select_unit(parity, undated) == "years"
    assert made(parity, undated).rel[0] == pytest.approx(encode_base3(np.array([2.0]), 64)[0], abs=1e-5)
    timeless = TimeGaps(np.full(3, np.nan), np.zeros(3), np.array([30.436875, np.nan, 60.87375]), False)
    assert select_unit(parity, timeless) == "months"
    assert made(parity, timeless).rec[2] == pytest.approx(encode_base3(np.array([2.0]), 64)[0], abs=1e-5)
    assert select_unit(Re3Settings.parity(unit="years"), timeless) == "years"


def test_missing_gaps_are_flagged_and_blank() -> None:
    result = made(Re3Settings.improved())
    assert result.unknown.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert not result.rel[2].any()
    assert not result.rec[0].any()
    assert result.question[3:] == pytest.approx([1 / 3, 1 / 3])


def test_without_missing_flags_an_unknown_gap_counts_as_none() -> None:
    result = made(Re3Settings.parity(missing=False))
    assert not result.unknown.any()
    assert result.rel[2] == pytest.approx(encode_base3(np.zeros(1), 64)[0])


def test_sides_and_overlap() -> None:
    result = made(Re3Settings.improved(width=4))
    assert result.rel[0][:6] == pytest.approx(encode_log(np.array([-730.485]), 4)[0], abs=1e-6)
    assert result.rel[:, 6].tolist() == [0.0, 0.5, 0.0]
    assert made(Re3Settings.improved(width=4, signed=False)).rel[0][5] == 1.0


def test_repeat_is_the_gap_in_its_unit() -> None:
    result = made(Re3Settings.parity(encoding="repeat", width=2, unit="years"))
    assert result.rel[0] == pytest.approx(encode_repeat(np.array([2.0]), 2)[0])


def test_words_are_a_share_of_the_best() -> None:
    assert made(Re3Settings.improved()).lexical.tolist() == [1.0, 0.5, 0.0]


def test_differences_are_given_or_it_is_said() -> None:
    settings = Re3Settings.parity(encoding="difference")
    with pytest.raises(EpochalError, match="needs the vectors of times in words"):
        made(settings)
    given = TimeDifferences(np.full((3, 3), 2.0, np.float32), np.full((3, 3), 3.0, np.float32))
    result = made(settings, differences=given)
    assert result.rel.shape == (3, get_code_width(settings, 3)) == (3, 3)
    assert result.rel[:, 0].tolist() == [2.0, 2.0, 0.0]
    assert result.rec[:, 0].tolist() == [0.0, 3.0, 3.0]
    assert given.rel[2].tolist() == [2.0, 2.0, 2.0]


def test_some_of_the_candidates() -> None:
    result = made(Re3Settings.improved())
    part = result.at(np.array([2]))
    assert len(part) == 1
    assert part.question.tolist() == result.question.tolist()
    assert part.rec.tolist() == result.rec[[2]].tolist()


def test_some_places_see_the_whole_pool() -> None:
    positions = np.array([0, 2])
    for settings in (Re3Settings.improved(), Re3Settings.parity(unit="kind")):
        whole = made(settings).at(positions)
        part = build_inputs(
            settings,
            VECTORS[0],
            VECTORS,
            np.array([1.0, 0.0, 0.0]),
            np.array([4.0, 2.0, 0.0]),
            GAPS,
            places=positions,
        )
        for name in part.__slots__:
            assert getattr(part, name) == pytest.approx(getattr(whole, name), abs=1e-6)


YEAR = 365.2425


def slow_base3(gap: float, width: int) -> list[float]:
    """Section 2.2 of the paper, one number at a time."""
    matches = []
    for position in range(width // 2):
        scale = 3 ** (2 * position / width)
        matches += [math.sin(gap / scale), math.cos(gap / scale)]
    return matches


@given(st.floats(0, 3000), st.sampled_from([2, 4, 64]))
def test_base3_is_the_papers_formula(gap: float, width: int) -> None:
    assert encode_base3(np.array([gap]), width)[0] == pytest.approx(slow_base3(gap, width), abs=1e-5)


def test_the_papers_codebook() -> None:
    # d = 4: f_0 = 1, f_1 = 3^(1/2).
    result = encode_base3(np.array([0.0, 1.0, math.pi * math.sqrt(3)]), 4)
    assert result[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert result[1] == pytest.approx([0.841471, 0.540302, 0.545806, 0.837912], abs=1e-5)
    assert result[2][2:] == pytest.approx([0.0, -1.0], abs=1e-5)


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


def test_size_and_side_follow_the_waves() -> None:
    result = encode_log(np.array([0.0, math.e - 1, 1 - math.e]), 8)
    assert result.shape == (3, 10)
    assert result[:, 8] == pytest.approx([0, 1 / 16, 1 / 16])
    assert result[:, 9].tolist() == [0.0, 1.0, -1.0]


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


def slow_standing(gaps: TimeGaps, vectors: np.ndarray, semantic: np.ndarray, lexical: np.ndarray) -> list[list[float]]:
    rows = []
    for one in range(len(semantic)):
        followers = []
        for other in range(len(semantic)):
            if math.isnan(gaps.rec[one]) or math.isnan(gaps.rec[other]) or gaps.rec[other] >= gaps.rec[one]:
                continue
            mine = math.inf if math.isnan(gaps.rel[one]) else abs(gaps.rel[one])
            theirs = math.inf if math.isnan(gaps.rel[other]) else abs(gaps.rel[other])
            if theirs <= mine:
                followers.append(other)
        if not followers:
            rows.append([0.0, -1.0, -1.0, float(not math.isnan(gaps.rec[one])), 0.0, -1.0, -1.0])
            continue
        alike = {other: float(vectors[one].astype(float) @ vectors[other].astype(float)) for other in followers}
        rows.append(
            [
                max(alike.values()),
                max(semantic[other] for other in followers) - semantic[one],
                max(lexical[other] for other in followers) - lexical[one],
                0.0,
                math.log1p(gaps.rec[one] - min(gaps.rec[other] for other in followers)) / 16,
                max(alike[other] + min(0.0, semantic[other] - semantic[one]) for other in followers),
                max(alike[other] + min(0.0, lexical[other] - lexical[one]) for other in followers),
            ]
        )
    return rows


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_status_is_what_a_loop_finds(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    known = [0.0, 1.0, -1.0, 30.0, np.nan]
    gaps = TimeGaps(
        random.choice(known, count), np.zeros(count), random.choice([1.0, 5.0, -2.0, 400.0, np.nan], count), True
    )
    vectors = random.normal(size=(count, 3)).astype(np.float32)
    semantic, lexical = random.random(count), random.random(count)
    result = compute_standing(gaps, vectors, semantic, lexical)
    assert result == pytest.approx(np.array(slow_standing(gaps, vectors, semantic, lexical)), abs=1e-6)


def test_a_newer_one_about_another_time_follows_nobody() -> None:
    vectors = np.ones((2, 1), dtype=np.float32)
    gaps = TimeGaps(np.array([0.0, 365.0]), np.zeros(2), np.array([10.0, 1.0]), True)
    result = compute_standing(gaps, vectors, np.zeros(2), np.zeros(2))
    assert result[:, STANDING.index("unfollowed")].tolist() == [1.0, 1.0]


def test_without_dates_nothing_is_said() -> None:
    gaps = TimeGaps(np.zeros(2), np.zeros(2), np.full(2, np.nan), True)
    result = compute_standing(gaps, np.ones((2, 1), dtype=np.float32), np.zeros(2), np.zeros(2))
    assert result.tolist() == [[0.0, -1.0, -1.0, 0.0, 0.0, -1.0, -1.0]] * 2


def test_an_empty_pool() -> None:
    empty = np.empty(0)
    assert compute_standing(TimeGaps(empty, empty, empty, True), np.empty((0, 2), np.float32), empty, empty).shape == (
        0,
        7,
    )


def test_parity_is_what_the_paper_tells() -> None:
    result = Re3Settings.parity()
    assert (result.encoding, result.gate, result.depth, result.temperature) == ("base3", "scalar", 50, 0.05)
    assert not any((result.signed, result.overlap, result.standing, result.words, result.head, result.residual))
    assert result.missing


def test_improved_tells_sides_and_gates_by_question() -> None:
    result = Re3Settings.improved()
    assert (result.encoding, result.gate, result.depth) == ("log", "query", None)
    assert all(
        (result.signed, result.overlap, result.standing, result.words, result.head, result.residual, result.missing)
    )


@pytest.mark.parametrize("made", [Re3Settings.parity(), Re3Settings.improved(), Re3Settings.parity(gate="off")])
def test_settings_survive_json(made: Re3Settings) -> None:
    assert Re3Settings.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoding", "base4", "accepted: base3, log, difference, repeat"),
        ("gate", "open", "accepted: off, scalar, query"),
        ("unit", "weeks", "accepted: kind, days, months, years"),
        ("signed", 1, "accepted: true or false"),
        ("width", 3, "accepted: an even number"),
        ("width", 0, "accepted: a whole number from 2"),
        ("hidden", True, "accepted: a whole number from 1"),
        ("head", -1, "accepted: a whole number from 0"),
        ("depth", 0, "accepted: a whole number from 1, or null"),
        ("temperature", 0, "accepted: a number above 0"),
    ],
)
def test_bad_settings_are_named(name: str, value: object, message: str) -> None:
    with pytest.raises(EpochalError, match=message) as caught:
        Re3Settings(**{name: value})  # type: ignore[arg-type]
    assert f"setting {name} of Re3 is {value}" in str(caught.value).replace("'", "")
