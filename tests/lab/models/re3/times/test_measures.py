"""How often the parts of dates are right."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.models.re3.times.labels import NONE, Label, label_accuracy, select_most_similar, span_accuracy


def spans(*texts: str | None) -> list[Span | None]:
    return [None if text is None else Span.parse(text) for text in texts]


def test_parts_of_days():
    gold = spans("2014-07-04", "2014-07-04", "2014-07-04", "2014-07-04")
    found = span_accuracy(spans("2014-07-04", "2014-07-05", "2013-07-04", None), gold)
    assert (found.year, found.month, found.day, found.exact, found.missing) == (0.5, 0.75, 0.5, 0.25, 0.25)


def test_years_have_no_months():
    found = span_accuracy(spans("1998", "1998-03", "199X"), spans("1998", "1998", "1998"))
    assert (found.year, found.month, found.day, found.exact) == (pytest.approx(2 / 3), None, None, pytest.approx(1 / 3))
    assert found.missing == 0


def test_labels_may_state_nothing():
    assert label_accuracy([NONE, Label(1998)], [NONE, NONE]).exact == 0.5


def test_the_likest_of_several():
    gold = Span.parse("2014-07-04")
    assert select_most_similar(spans("1998", "2014-07-05", "2014-07"), gold) == Span.parse("2014-07-05")
    assert select_most_similar(spans("2014-07-05", "2014-07-04"), gold) == gold
    assert select_most_similar([], gold) is None


def test_what_cannot_be_measured():
    with pytest.raises(EpochalError, match="0 dates were found for 1"):
        label_accuracy([], [NONE])
    with pytest.raises(EpochalError, match="199X cannot be measured"):
        span_accuracy([None], spans("199X"))
