"""Rank fusion and z-score fusion by hand, and by ranx where that is installed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epochal.errors import EpochalError
from epochal.ranking.pool import Pool
from epochal.reading.questions import understand
from epochal_lab.systems.scorers import ReciprocalRank, ZScore, ZScoreTime, get_reciprocal_ranks, standardise
from lab.systems.test_scorers_pool import PRIZES, Counting, pool_of

SCORES = arrays(np.float64, st.integers(1, 20), elements=st.floats(-100, 100))


def plain_pool(words, meaning) -> Pool:
    rows = np.arange(len(words))
    vector = np.ones(1, dtype=np.float32)
    return Pool(
        "rates", understand("rates"), None, None, (), rows, rows, np.array(words, float), np.array(meaning), vector
    )


def test_rrf_by_hand():
    pool = plain_pool([3.0, 2.0, 0.0, 1.0], [0.2, 0.9, 0.8, 0.1])
    scored = ReciprocalRank().score(pool)
    assert scored.parts["lexical"] == pytest.approx([1 / 61, 1 / 62, 0, 1 / 63])
    assert scored.parts["semantic"] == pytest.approx([1 / 63, 1 / 61, 1 / 62, 1 / 64])
    assert np.argsort(-scored.scores).tolist() == [1, 0, 3, 2]


def test_k_of_rrf_weighs_the_first_ranks():
    pool = plain_pool([3.0, 2.0, 1.0], [0.1, 0.8, 0.9])
    assert ReciprocalRank(k=0).score(pool).scores == pytest.approx([1 + 1 / 3, 1 / 2 + 1 / 2, 1 / 3 + 1])
    with pytest.raises(EpochalError, match="k of scorer 'rrf' must be a number from 0, but is -1"):
        ReciprocalRank(k=-1)


def test_zscore_by_hand():
    # Means 4 and 0.5, deviations sqrt(8/3) and sqrt(0.06/3).
    scored = ZScore().score(plain_pool([2.0, 4.0, 6.0], [0.6, 0.6, 0.3]))
    words, meaning = np.sqrt(8 / 3), np.sqrt(0.06 / 3)
    assert scored.parts["lexical"] == pytest.approx([-2 / words, 0, 2 / words])
    assert scored.parts["semantic"] == pytest.approx([0.1 / meaning, 0.1 / meaning, -0.2 / meaning])
    assert scored.scores == pytest.approx(scored.parts["lexical"] + scored.parts["semantic"])


@pytest.mark.slow  # ranx compiles for minutes; the tests by hand above protect the same values
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_fusions_are_those_of_ranx():
    ranx = pytest.importorskip("ranx")
    words, meaning = [3.0, 2.5, 0.5, 1.0], [0.2, 0.9, 0.8, 0.1]
    runs = [
        ranx.Run({"q": {str(place): value for place, value in enumerate(values)}}, name=name)
        for name, values in (("words", words), ("meaning", meaning))
    ]
    pool = plain_pool(words, meaning)
    theirs = ranx.fuse(runs, norm=None, method="rrf", params={"k": 60}).run["q"]
    assert ReciprocalRank().score(pool).scores == pytest.approx([theirs[str(place)] for place in range(4)])
    theirs = ranx.fuse(runs, norm="zmuv", method="sum").run["q"]
    assert ZScore().score(pool).scores == pytest.approx([theirs[str(place)] for place in range(4)])


@given(SCORES)
def test_reciprocal_ranks_are_a_permutation_in_the_order_of_scores(scores):
    found = get_reciprocal_ranks(scores, 60)
    assert sorted(found, reverse=True) == pytest.approx([1 / (61 + rank) for rank in range(len(scores))])
    assert np.argsort(-found, kind="stable").tolist() == np.argsort(-scores, kind="stable").tolist()


@given(SCORES, st.floats(0.1, 10), st.floats(-5, 5))
def test_standardised_knows_no_scale(scores, factor, shift):
    scores = scores.round(3)
    found = standardise(scores)
    assert found.mean() == pytest.approx(0, abs=1e-6)
    assert found.std() == pytest.approx(1 if len(np.unique(scores)) > 1 else 0)
    assert standardise(factor * scores + shift) == pytest.approx(found, abs=1e-5)


def test_zscore_of_time_by_hand():
    encoder = Counting()
    with pool_of(PRIZES, "Who got the prize in 1903?", encoder=encoder) as pool:
        scored = ZScoreTime(encoder=encoder).score(pool)
        asked = encoder.encode_queries(["1903"])[0]
        like = encoder.encode_documents(["1901, 1850", "1903", "2 May 1905"]) @ asked
        assert scored.parts["temporal"] == pytest.approx(standardise(np.append(like, 0.0)), abs=1e-5)
        assert int(scored.parts["temporal"].argmax()) == 1
        question = pool.view.score_vectors(encoder.encode_queries([pool.question])[0], pool.rows)
        assert scored.parts["semantic"] == pytest.approx(standardise(question), abs=1e-5)
        untimed = replace(pool, windows=(), question="prize", semantic=pool.lexical)
        assert not ZScoreTime(encoder=encoder).score(untimed).parts["temporal"].any()
