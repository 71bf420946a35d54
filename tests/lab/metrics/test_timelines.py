"""Timelines against references: dates, and words by date."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal_lab.metrics.timelines import (
    Overlap,
    average_overlaps,
    compare_dates,
    measure_agree_rouge,
    measure_concat_rouge,
)

REFERENCE = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}


def test_dates_are_compared_as_sets():
    assert compare_dates(["2011-01-25", "2011-01-25", "2011-01-26"], REFERENCE) == Overlap(0.5, 0.5)
    assert compare_dates([], REFERENCE).f1 == 0.0


def test_a_right_sentence_under_a_wrong_date_counts_only_in_concatenation():
    found = {"2011-01-26": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
    assert measure_concat_rouge(found, REFERENCE) == Overlap(1.0, 1.0)
    assert measure_agree_rouge(found, REFERENCE) == Overlap(2 / 6, 2 / 6)


def test_pairs_of_words_do_not_cross_dates():
    # Three pairs of the first date and one of the second, of which the second is found.
    assert measure_concat_rouge({"2011-02-11": ["Mubarak resigns"]}, REFERENCE, 2) == Overlap(1.0, 0.25)


def test_a_word_counts_as_often_as_both_have_it():
    found = {"2011-02-11": ["Mubarak Mubarak Mubarak resigns"]}
    assert measure_agree_rouge(found, {"2011-02-11": ["Mubarak resigns"]}) == Overlap(0.5, 1.0)


def test_averages_and_mistakes():
    assert average_overlaps([Overlap(1.0, 0.0), Overlap(0.0, 1.0)]).f1 == 0.5
    with pytest.raises(EpochalError, match="nothing to average"):
        average_overlaps([])
    with pytest.raises(EpochalError, match="n is 0; accepted: 1 or more"):
        measure_concat_rouge(REFERENCE, REFERENCE, 0)
