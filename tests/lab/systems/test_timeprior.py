from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.systems.bm25 import TimePrior

records = st.lists(st.tuples(st.sampled_from((0.0, 0.5, 1.0, 2.5)), st.integers(0, 60)), min_size=1, max_size=40)


def word_by_word(scores, places, prior):
    """The prior as the spec words it, bin by bin."""
    size, bins = len(scores), max(places) + 1
    if not any(scores):
        return [score + prior.weight * np.log(1 / size + 1e-8) for score in scores]
    width = max(1, int(3 * prior.sigma))
    density = [0.0] * bins
    for row in sorted(range(size), key=lambda row: -scores[row])[: prior.top]:
        for place in range(max(0, places[row] - width), min(bins - 1, places[row] + width) + 1):
            density[place] += np.exp(-((place - places[row]) ** 2) / (2 * prior.sigma**2))
    total = sum(density)
    return [
        score + prior.weight * np.log(density[place] / total + 1e-8)
        for score, place in zip(scores, places, strict=True)
    ]


@given(records, st.integers(1, 8), st.sampled_from((0.2, 1.0, 3.0)), st.sampled_from((0.5, 1.0)))
def test_it_is_the_formula_of_the_paper(rows, top, sigma, weight):
    scores, places = (list(column) for column in zip(*rows, strict=True))
    prior = TimePrior(top, sigma, weight)
    found = prior.apply(np.array(scores), np.array(places))
    assert found == pytest.approx(word_by_word(scores, places, prior), abs=1e-9)


def test_no_documents():
    assert TimePrior().apply(np.zeros(0), np.zeros(0, np.int64)).tolist() == []
