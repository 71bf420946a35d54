"""How certain a figure is: bootstrap intervals, the paired randomisation test, Holm's correction, kappa and AUROC.

Runs are compared by query: only the queries count for which both have a value. The same seed gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

#: How many numbers are drawn at once; it bounds the memory, and nothing else.
_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A mean or another statistic, and the bounds of its bootstrap interval; nan where they are unknown."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a run differs from another: the difference of their means with its bounds, and how easily chance brings it.

    `queries` says how many questions were compared. `adjusted` is `p` corrected for the number of runs compared, where
    there were several; with one it is `p`.
    """

    difference: ConfidenceInterval
    p: float
    queries: int
    adjusted: float


def bootstrap_mean(
    values: Iterable[float], *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> ConfidenceInterval:
    """The mean of values that are defined, with the bounds of the percentile bootstrap; nan where there are none."""
    sample = np.asarray(list(values), dtype=np.float64)
    return _bootstrap_interval(sample[~np.isnan(sample)], level, resamples, seed)


def bootstrap_statistic(
    statistic: Callable[..., float],
    columns: Sequence[npt.ArrayLike],
    groups: Sequence[str],
    *,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: int = 0,
) -> ConfidenceInterval:
    """A statistic of columns of equal length, with its percentile bootstrap interval over groups of rows.

    Groups are resampled, not rows, where the rows of a group depend on each other, as the documents of a query do.
    Resamples without a value are left out; the bounds are nan where more than half of them have none.
    """
    _check(level, resamples)
    arrays = [np.asarray(column) for column in columns]
    _, group = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))]) if len(group) else np.zeros(1, dtype=np.int64)
    members = [order[low:high] for low, high in pairwise(starts.tolist())]
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(resamples if members else 0):
        rows = np.concatenate([members[at] for at in rng.integers(len(members), size=len(members))])
        value = statistic(*(array[rows] for array in arrays))
        if not math.isnan(value):
            samples.append(value)
    enough = samples and len(samples) >= resamples / 2
    return ConfidenceInterval(
        statistic(*arrays), *(_get_percentiles(np.asarray(samples), level) if enough else (math.nan, math.nan))
    )


def randomisation_test(differences: Iterable[float], *, resamples: int = 10_000, seed: int = 0) -> float:
    """The two-sided p of a mean difference, were the two runs alike: each difference might then have either sign.

    All signs are tried where there are few enough, else as many draws as asked for, and the observed one counts too, so
    that p is never 0. Without any difference it is 1.
    """
    _check(0.95, resamples)
    sample = np.asarray(list(differences), dtype=np.float64)
    moved = sample[~np.isnan(sample) & (sample != 0)]  # a difference of 0 has the same sum whatever its sign
    if not len(moved):
        return 1.0
    # Sums of the same numbers in another order may differ in the last place, and are still as large.
    minimum = abs(float(moved.sum())) - 1e-12 * float(np.abs(moved).sum())
    if len(moved) < 63 and 1 << len(moved) <= resamples:
        positions = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float((np.abs((1.0 - 2.0 * positions) @ moved) >= minimum).mean())
    rng = np.random.default_rng(seed)
    beyond = 0
    for count in _split_resamples(resamples, len(moved)):
        signs = rng.integers(0, 2, (count, len(moved)), dtype=np.int8)
        beyond += int((np.abs(moved.sum() - 2.0 * (signs @ moved)) >= minimum).sum())
    return (1 + beyond) / (1 + resamples)


def compare(
    values: Mapping[str, float],
    baseline: Mapping[str, float],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """How the values of a run, by question, differ from those of another; positive where they are higher."""
    shared = [query for query in values if query in baseline]
    apart = np.asarray([values[query] - baseline[query] for query in shared], dtype=np.float64)
    apart = apart[~np.isnan(apart)]
    p = randomisation_test(apart.tolist(), resamples=resamples, seed=seed)
    return Comparison(_bootstrap_interval(apart, level, resamples, seed), p, len(apart), p)


def compare_all(
    runs: Mapping[str, Mapping[str, float]],
    baseline: Mapping[str, float],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Comparison]:
    """Several runs, each against the same other one, with p corrected by Holm's method for how many there are."""
    comparisons = {
        name: compare(values, baseline, level=level, resamples=resamples, seed=seed) for name, values in runs.items()
    }
    adjusted = holm({name: comparison.p for name, comparison in comparisons.items()})
    return {
        name: Comparison(comparison.difference, comparison.p, comparison.queries, adjusted[name])
        for name, comparison in comparisons.items()
    }


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Holm's corrected p of each of several tests: below alpha, they are all sound together at that level."""
    adjusted: dict[str, float] = {}
    minimum = 0.0
    for position, (name, value) in enumerate(sorted(p.items(), key=lambda item: item[1])):
        minimum = min(1.0, max(minimum, (len(p) - position) * value))
        adjusted[name] = minimum
    return {name: adjusted[name] for name in p}


def cohen_kappa(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Cohen's kappa of two series of yes and no: 1 for full agreement, 0 for that of chance, nan where neither
    varies.
    """
    one, other = _to_bools(first), _to_bools(second)
    if len(one) != len(other):
        raise EpochalError(f"{len(one)} answers cannot be compared with {len(other)}; give as many of both")
    if not len(one):
        return math.nan
    by_chance = one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean())
    if by_chance == 1:
        return math.nan
    return float(((one == other).mean() - by_chance) / (1 - by_chance))


def auroc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The chance that a yes has the higher score than a no, ties counting half; nan where all labels are alike."""
    values, answers = np.asarray(scores, dtype=np.float64), _to_bools(labels)
    if len(values) != len(answers):
        raise EpochalError(f"{len(values)} scores cannot be compared with {len(answers)} answers; give as many of both")
    if np.isnan(values).any():
        raise EpochalError("a score is nan; leave out what has no score")
    yes = int(answers.sum())
    if yes in (0, len(answers)):
        return math.nan
    _, position, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[position]
    return float((ranks[answers].sum() - yes * (yes + 1) / 2) / (yes * (len(answers) - yes)))


def _bootstrap_interval(values: Floats, level: float, resamples: int, seed: int) -> ConfidenceInterval:
    _check(level, resamples)
    if not len(values):
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(seed)
    size = len(values)
    means = [
        values[rng.integers(0, size, (count, size), dtype=np.int32)].mean(axis=1)
        for count in _split_resamples(resamples, size)
    ]
    return ConfidenceInterval(float(values.mean()), *_get_percentiles(np.concatenate(means), level))


def _get_percentiles(samples: Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(samples, ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def _to_bools(values: npt.ArrayLike) -> Bools:
    return np.asarray(values).astype(np.bool_)


def _split_resamples(resamples: int, size: int) -> list[int]:
    most = max(1, _AT_ONCE // size)
    return [min(most, resamples - start) for start in range(0, resamples, most)]


def _check(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise EpochalError(f"the level of confidence is {level}; accepted: a number between 0 and 1, such as 0.95")
    if resamples < 1:
        raise EpochalError(f"the number of resamples is {resamples}; accepted: 1 or more, such as 10,000")
