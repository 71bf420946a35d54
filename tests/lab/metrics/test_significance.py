from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.metrics.significance import (
    auroc,
    bootstrap_mean,
    bootstrap_statistic,
    cohen_kappa,
    compare,
    compare_all,
    holm,
    randomisation_test,
)

NAN = float("nan")
SHARES = st.floats(0, 1).map(lambda value: round(value, 2))


def test_the_interval_is_that_of_the_normal_law_where_there_are_many():
    values = np.random.default_rng(3).normal(0.4, 0.2, 3000)
    result = bootstrap_mean(values.tolist())
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert result.mean == pytest.approx(values.mean())
    assert result.low == pytest.approx(values.mean() - half, abs=half * 0.05)
    assert result.high == pytest.approx(values.mean() + half, abs=half * 0.05)


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(11)
    covered = 0
    for trial in range(200):
        result = bootstrap_mean(rng.random(80).tolist(), level=0.9, resamples=400, seed=trial)
        covered += result.low <= 0.5 <= result.high
    assert 0.82 <= covered / 200 <= 0.97


def test_a_wider_level_is_a_wider_interval():
    values = [0.0, 1.0, 0.5, 0.25, 0.75] * 10
    narrow, wide = (bootstrap_mean(values, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_undefined_values_do_not_count():
    assert bootstrap_mean([0.5, NAN, 1.0]) == bootstrap_mean([0.5, 1.0])
    assert math.isnan(bootstrap_mean([NAN]).mean)
    assert math.isnan(bootstrap_mean([]).low)


def exact(differences: list[float]) -> float:
    """The p of the test, over all signs."""
    minimum = abs(sum(differences)) - 1e-9
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    return sum(value >= minimum for value in sums) / len(sums)


@given(st.lists(st.integers(-5, 5).map(lambda value: value / 10), min_size=1, max_size=8))
def test_few_differences_are_tested_exactly(differences):
    assert randomisation_test(differences) == pytest.approx(exact(differences))


def test_many_differences_are_drawn_close_to_the_exact_p():
    differences = [0.1, -0.2, 0.3, 0.1, 0.4, -0.1, 0.2, 0.3, -0.3, 0.2]
    sample = randomisation_test(differences, resamples=1000)  # fewer than the 1,024 signs there are
    assert sample == pytest.approx(exact(differences), abs=0.04)


def test_p_is_never_0_and_is_1_without_a_difference():
    assert randomisation_test([1.0] * 100, resamples=999) == pytest.approx(1 / 1000)
    assert randomisation_test([0.0, NAN, 0.0]) == 1.0
    assert randomisation_test([]) == 1.0


def test_p_is_as_small_by_chance_as_it_says():
    rng = np.random.default_rng(5)
    small = sum(randomisation_test(rng.normal(0, 1, 40).tolist(), resamples=300, seed=n) <= 0.1 for n in range(300))
    assert 0.05 <= small / 300 <= 0.16


def test_pairs_are_of_questions_that_both_have():
    message = compare({"q1": 1.0, "q2": NAN, "q3": 0.5, "q5": 1.0}, {"q1": 0.0, "q2": 1.0, "q3": 0.5, "q4": 1.0})
    assert message.queries == 2
    assert message.difference.mean == 0.5
    assert message.adjusted == message.p


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30), st.integers(0, 3))
def test_the_other_way_round_is_the_opposite(pairs, seed):
    ours = {str(number): pair[0] for number, pair in enumerate(pairs)}
    theirs = {str(number): pair[1] for number, pair in enumerate(pairs)}
    there, back = compare(ours, theirs, seed=seed, resamples=200), compare(theirs, ours, seed=seed, resamples=200)
    assert there.p == back.p
    assert there.difference.mean == pytest.approx(-back.difference.mean)
    assert there.difference.low == pytest.approx(-back.difference.high)
    assert compare(ours, ours).p == 1.0


def test_the_same_seed_gives_the_same_numbers():
    rng = np.random.default_rng(0)
    ours, theirs = ({str(n): value for n, value in enumerate(rng.random(50))} for _ in range(2))
    assert compare(ours, theirs, seed=4) == compare(ours, theirs, seed=4)
    assert compare(ours, theirs, seed=4) != compare(ours, theirs, seed=5)


def test_drawing_in_parts_gives_much_the_same(monkeypatch):
    values = np.random.default_rng(1).random(100).tolist()
    whole = bootstrap_mean(values, resamples=500), randomisation_test(values, resamples=500)
    monkeypatch.setattr("epochal_lab.metrics.significance._AT_ONCE", 1 << 10)
    parts = bootstrap_mean(values, resamples=500), randomisation_test(values, resamples=500)
    assert parts[0].low == pytest.approx(whole[0].low, abs=0.02)
    assert parts[1] == pytest.approx(whole[1], abs=0.02)


def test_holm():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=2), st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_never_lowers(p):
    adjusted = holm(p)
    assert list(adjusted) == list(p)
    ordered = sorted(p, key=lambda name: p[name])
    assert [adjusted[name] for name in ordered] == sorted(adjusted.values())
    assert all(p[name] <= adjusted[name] <= min(1.0, len(p) * p[name]) for name in p)


def test_several_runs_are_corrected_together():
    rng = np.random.default_rng(2)
    base = {str(number): float(value) for number, value in enumerate(rng.random(60))}
    better = {query: value + 0.05 + 0.1 * rng.standard_normal() for query, value in base.items()}
    message = compare_all({"better": better, "same": base}, base, resamples=500)
    alone = compare(better, base, resamples=500)
    assert message["better"].p == alone.p
    assert message["better"].adjusted == pytest.approx(2 * alone.p)
    assert message["better"].adjusted < 0.05 < message["same"].adjusted


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"level": 1.0}, "the level of confidence is 1.0"), ({"resamples": 0}, "the number of resamples is 0")],
)
def test_mistakes_are_named(settings, message):
    with pytest.raises(EpochalError, match=message):
        bootstrap_mean([1.0], **settings)


answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def table(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    rows = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return [row[0] for row in rows], [row[1] for row in rows]


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        ((20, 5, 10, 15), 0.4),  # the worked example of most textbooks
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((5, 0, 0, 5), 1.0),
        ((0, 5, 5, 0), -1.0),
    ],
)
def test_kappa_of_published_tables(counts, kappa):
    assert cohen_kappa(*table(*counts)) == pytest.approx(kappa, abs=5e-5)


@given(answers)
def test_kappa_is_even_handed(rows):
    one, other = zip(*rows, strict=True)
    kappa = cohen_kappa(one, other)
    assert kappa == cohen_kappa(other, one) or math.isnan(kappa)
    flipped = cohen_kappa([not value for value in one], [not value for value in other])
    assert flipped == pytest.approx(kappa, nan_ok=True)
    assert math.isnan(kappa) or -1 <= kappa <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_the_area_is_the_share_of_pairs_in_order(rows):
    scores, labels = zip(*rows, strict=True)
    yes = [score for score, label in rows if label]
    no = [score for score, label in rows if not label]
    pairs = [(1.0 if high > low else 0.5 if high == low else 0.0) for high in yes for low in no]
    expected = sum(pairs) / len(pairs) if pairs else math.nan
    assert auroc(scores, labels) == pytest.approx(expected, nan_ok=True)


def test_nothing_varies():
    assert math.isnan(cohen_kappa([True, True], [True, True]))
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(auroc([0.1, 0.2], [True, True]))


def test_columns_of_different_lengths():
    with pytest.raises(EpochalError, match="2 answers cannot be compared with 1"):
        cohen_kappa([True, False], [True])
    with pytest.raises(EpochalError, match="1 scores cannot be compared with 2"):
        auroc([0.5], [True, False])
    with pytest.raises(EpochalError, match="a score is nan"):
        auroc([math.nan, 0.5], [True, False])


def test_an_interval_is_of_questions_not_of_pairs():
    rng = np.random.default_rng(1)
    labels = np.repeat(rng.random(40) > 0.5, 25)
    noisy = np.repeat(rng.random(40), 25) + labels  # all pairs of a question share their luck
    questions, pairs = [str(at // 25) for at in range(1000)], [str(at) for at in range(1000)]
    grouped = bootstrap_statistic(auroc, (noisy, labels), questions, resamples=200)
    alone = bootstrap_statistic(auroc, (noisy, labels), pairs, resamples=200)
    assert grouped == bootstrap_statistic(auroc, (noisy, labels), questions, resamples=200)
    half = np.repeat(rng.random(40), 25)
    wide = bootstrap_statistic(auroc, (half, labels), questions, resamples=200)
    slim = bootstrap_statistic(auroc, (half, labels), pairs, resamples=200)
    assert wide.high - wide.low > 2 * (slim.high - slim.low)
    assert alone.low >= grouped.low


def test_an_interval_of_what_never_varies_is_unknown():
    for columns, groups in ((([0.1, 0.2], [True, True]), ["a", "b"]), (([], []), [])):
        result = bootstrap_statistic(auroc, columns, groups)
        assert all(math.isnan(value) for value in (result.mean, result.low, result.high))
