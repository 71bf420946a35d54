"""The functions over plain lists agree with the measure classes, with their definitions, and with ranx."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.metrics import (
    Judgements,
    average_precision,
    evaluate,
    hit,
    measure_ranking,
    measure_rankings,
    ndcg,
    parse_measures,
    precision,
    recall,
    reciprocal_rank,
)

FUNCTIONS = {
    "nDCG": (ndcg, "ndcg"),
    "R": (recall, "recall"),
    "hit": (hit, "hit_rate"),
    "MRR": (reciprocal_rank, "mrr"),
    "AP": (average_precision, "map"),
    "P": (precision, "precision"),
}
CUTOFFS = (1, 3, 10, 100)
rankings = st.lists(st.integers(0, 40), unique=True, max_size=30)
grades = st.dictionaries(st.integers(0, 60), st.integers(0, 3), max_size=20)


def test_by_hand():
    ranked, graded = [7, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11], {1: 1, 3: 2, 11: 1, 99: 1}
    gained = 1 / math.log2(3) + 2 / math.log2(5)
    ideal = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert ndcg(ranked, graded, 10) == pytest.approx(gained / ideal)
    assert ndcg(["x", "a"], {"a", "b"}, 10) == pytest.approx(0.6309 / 1.6309, abs=1e-4)
    assert (recall(ranked, graded, 10), recall(ranked, graded, 100), hit(ranked, graded, 1)) == (0.5, 0.75, 0.0)
    assert reciprocal_rank(ranked, graded) == 0.5
    assert average_precision(ranked, graded, 10) == pytest.approx((1 / 2 + 2 / 4) / 4)
    assert precision(ranked, graded, 10) == 0.2
    assert ndcg([2, 1], {1: 2, 2: 1}, gain="exp") == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))


@given(rankings, grades, st.sampled_from([*CUTOFFS, None]))
def test_the_functions_are_the_measures(ranked, graded, k):
    at = "" if k is None else f"@{k}"
    run = {"q": {str(name): -position for position, name in enumerate(ranked)}}
    judged = Judgements({"q": {str(name): grade for name, grade in graded.items()}})
    message = evaluate(run, judged, parse_measures(" ".join(f"{name}{at}" for name in FUNCTIONS)))
    for name, (function, _) in FUNCTIONS.items():
        expected = pytest.approx(message[f"{name}{at}"].values["q"], nan_ok=True)
        assert function(ranked, graded, k) == expected
        assert function(np.array(ranked, dtype=np.int64), graded, k) == expected


@given(st.lists(st.tuples(rankings, grades), max_size=6))
def test_many_at_once_are_each_alone(rows):
    names = "nDCG@10 hit@1 R@10 MRR@10"
    result = measure_rankings([row[0] for row in rows], [row[1] for row in rows], names)
    assert list(result) == names.split()
    for position, (ranked, graded) in enumerate(rows):
        alone = measure_ranking(ranked, graded, parse_measures(names))
        assert {name: values[position] for name, values in result.items()} == pytest.approx(alone, nan_ok=True)


@given(rankings, st.sets(st.integers(0, 60), min_size=1))
def test_ids_alone_are_of_grade_one(ranked, relevant):
    for function, _ in FUNCTIONS.values():
        assert function(ranked, relevant, 10) == function(ranked, dict.fromkeys(relevant, 1), 10)


def test_nothing_relevant_and_nothing_found():
    for function, _ in FUNCTIONS.values():
        assert math.isnan(function([1, 2], {}, 10))
        assert math.isnan(function([1, 2], {1: 0}, 10))
        assert function([], {1}, 10) == 0.0


def test_what_is_no_ranking():
    with pytest.raises(EpochalError, match="ranking 0 has 'a' twice; accepted: each document once"):
        ndcg(["a", "b", "a"], {"a"}, 10)
    with pytest.raises(EpochalError, match="2 rankings and 1 sets of relevant ids; accepted: one set for each ranking"):
        measure_rankings([[1], [2]], [{1}], "hit@1")


@pytest.mark.slow  # ranx compiles itself on first use
@pytest.mark.filterwarnings("ignore")  # which it does not do quietly
def test_ranx_on_random_runs_with_ties_and_grades():
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    rng = np.random.default_rng(5)
    judged, run = {}, {}
    for query in range(300):
        names = [f"d{position}" for position in rng.permutation(150)]
        count = int(rng.integers(1, 40))
        judged[f"q{query}"] = dict(zip(names[:count], rng.integers(0, 4, count).tolist(), strict=True)) | {names[0]: 1}
        # Few different scores, so that many are equal; some runs are short, and some find nothing that is relevant.
        result = rng.choice(names, int(rng.integers(1, 120)), replace=False).tolist()
        run[f"q{query}"] = {name: float(rng.integers(0, 8)) for name in result}
    theirs = ranx.Run(run)
    names = [f"{own}@{k}" for _, own in FUNCTIONS.values() for k in CUTOFFS]
    message = ranx.evaluate(ranx.Qrels(judged), theirs, names, return_mean=False)
    ordered = {query: list(theirs.run[query]) for query in theirs.run}  # its own order of equal scores
    for function, own in FUNCTIONS.values():
        for k in CUTOFFS:
            # It sorts the queries by name.
            ours = [function(ordered[query], judged[query], k) for query in sorted(judged)]
            assert ours == pytest.approx(message[f"{own}@{k}"].tolist(), abs=1e-9), (own, k)
