"""The date estimator over tables that are made by hand; those of trained models are in tests/lab/models/ctd."""

from __future__ import annotations

import numpy as np
import pytest

from dating_world import AXIS, dater_of
from epochal.errors import EpochalError
from epochal.ranking.dating.dater import DateEstimator
from epochal.ranking.dating.months import Months
from epochal.times import Span


def test_a_character_points_to_its_year() -> None:
    found = dater_of({"安": 1993, "伯": 1997}, {"夏": 5}, talk="注").estimate(["安", "伯夏", "注", "無"])
    assert found.years.argmax(axis=1)[:2].tolist() == [3, 7]
    assert found.months[1].argmax() == 4
    assert found.years[3].tolist() == pytest.approx([0.1] * 10)
    assert found.worth[2] < -10 < found.worth[0]


def test_a_time_outside_the_axis_has_no_months() -> None:
    dater = dater_of({"安": 1993})
    assert dater.months_of(Span.year(1993)) == Months(36, 47)
    assert dater.months_of(Span.parse("1980/1990")) == Months(0, 11)
    assert dater.months_of(Span.year(2004)) is None
    assert dater.months_of(Span.parse("1998/..")) == Months(96, AXIS.months - 1)


def test_numbers_that_are_not_finite_are_refused() -> None:
    dater = dater_of({"安": 1993})
    broken = {name: getattr(dater, name) for name in DateEstimator.__dataclass_fields__}
    broken["table"] = np.full_like(dater.table, np.nan)
    with pytest.raises(EpochalError, match="table of a date estimator has values that are not finite"):
        DateEstimator(**broken)
