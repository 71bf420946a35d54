"""A pool as the network sees it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal_lab.models.re3.features import TimeDifferences, TimeGaps, build_inputs, get_code_width, select_unit
from epochal_lab.models.re3.settings import Re3Settings, encode_base3, encode_log, encode_repeat

GAPS = TimeGaps(np.array([-730.485, 0.0, np.nan]), np.array([0.0, 0.5, 0.0]), np.array([np.nan, 30.0, -2.0]), True)
VECTORS = np.eye(3, dtype=np.float32)


def made(settings: Re3Settings, gaps: TimeGaps = GAPS, differences: TimeDifferences | None = None):
    return build_inputs(
        settings, VECTORS[0], VECTORS, np.array([1.0, 0.0, 0.0]), np.array([4.0, 2.0, 0.0]), gaps, differences
    )


def test_parity_sees_absolute_gaps_in_days_where_both_times_are_known() -> None:
    found = made(Re3Settings.parity())
    assert found.rel[0] == pytest.approx(encode_base3(np.array([730.485]), 64)[0], abs=1e-4)
    assert found.rec[1] == pytest.approx(encode_base3(np.array([30.0]), 64)[0], abs=1e-5)
    assert found.rec[2] == pytest.approx(encode_base3(np.array([2.0]), 64)[0], abs=1e-5)


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
    found = made(Re3Settings.improved())
    assert found.unknown.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert not found.rel[2].any()
    assert not found.rec[0].any()
    assert found.question[3:] == pytest.approx([1 / 3, 1 / 3])


def test_without_missing_flags_an_unknown_gap_counts_as_none() -> None:
    found = made(Re3Settings.parity(missing=False))
    assert not found.unknown.any()
    assert found.rel[2] == pytest.approx(encode_base3(np.zeros(1), 64)[0])


def test_sides_and_overlap() -> None:
    found = made(Re3Settings.improved(width=4))
    assert found.rel[0][:6] == pytest.approx(encode_log(np.array([-730.485]), 4)[0], abs=1e-6)
    assert found.rel[:, 6].tolist() == [0.0, 0.5, 0.0]
    assert made(Re3Settings.improved(width=4, signed=False)).rel[0][5] == 1.0


def test_repeat_is_the_gap_in_its_unit() -> None:
    found = made(Re3Settings.parity(encoding="repeat", width=2, unit="years"))
    assert found.rel[0] == pytest.approx(encode_repeat(np.array([2.0]), 2)[0])


def test_words_are_a_share_of_the_best() -> None:
    assert made(Re3Settings.improved()).lexical.tolist() == [1.0, 0.5, 0.0]


def test_differences_are_given_or_it_is_said() -> None:
    settings = Re3Settings.parity(encoding="difference")
    with pytest.raises(EpochalError, match="needs the vectors of times in words"):
        made(settings)
    given = TimeDifferences(np.full((3, 3), 2.0, np.float32), np.full((3, 3), 3.0, np.float32))
    found = made(settings, differences=given)
    assert found.rel.shape == (3, get_code_width(settings, 3)) == (3, 3)
    assert found.rel[:, 0].tolist() == [2.0, 2.0, 0.0]
    assert found.rec[:, 0].tolist() == [0.0, 3.0, 3.0]
    assert given.rel[2].tolist() == [2.0, 2.0, 2.0]


def test_some_of_the_candidates() -> None:
    found = made(Re3Settings.improved())
    part = found.at(np.array([2]))
    assert len(part) == 1
    assert part.question.tolist() == found.question.tolist()
    assert part.rec.tolist() == found.rec[[2]].tolist()


def test_some_places_see_the_whole_pool() -> None:
    places = np.array([0, 2])
    for settings in (Re3Settings.improved(), Re3Settings.parity(unit="kind")):
        whole = made(settings).at(places)
        part = build_inputs(
            settings,
            VECTORS[0],
            VECTORS,
            np.array([1.0, 0.0, 0.0]),
            np.array([4.0, 2.0, 0.0]),
            GAPS,
            places=places,
        )
        for name in part.__slots__:
            assert getattr(part, name) == pytest.approx(getattr(whole, name), abs=1e-6)
