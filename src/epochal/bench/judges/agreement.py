"""How far two judges agree: Cohen's kappa, the area under the ROC curve, and the table of what each said.

Kappa and the table compare answers; the area compares the scores of one judge with the answers of the other, so it
does not depend on where a threshold lies. Only what both answered is compared; what either left open is counted.
Intervals are of bootstrap samples over questions, not over pairs, for the pairs of a question stand or fall together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.bench.judges.base import Judgement
from epochal.errors import EpochalError

__all__ = ["Agreement", "Interval", "agree", "auroc", "cohen_kappa", "interval"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_ROUNDS: Final = 1000
_LEVEL: Final = 0.95


class Interval(NamedTuple):
    """A bootstrap interval: 95 of 100 samples lie in it. Both ends are nan where too few samples had a value.

    >>> Interval(0.5, 0.7).low
    0.5
    """

    low: float
    high: float


_UNKNOWN: Final = Interval(math.nan, math.nan)


def cohen_kappa(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Cohen's kappa of two series of yes and no: 1 for full agreement, 0 for that of chance, nan where neither varies.

    >>> cohen_kappa([True, True, False, False], [True, True, False, True])
    0.5
    """
    one, other = _answers(first), _answers(second)
    if len(one) != len(other):
        raise EpochalError(f"{len(one)} answers cannot be compared with {len(other)}; give as many of both")
    if not len(one):
        return math.nan
    by_chance = one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean())
    if by_chance == 1:
        return math.nan
    return float(((one == other).mean() - by_chance) / (1 - by_chance))


def auroc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The chance that a yes has the higher score than a no, ties counting half; nan where all labels are alike.

    >>> auroc([0.9, 0.8, 0.3, 0.8], [True, True, False, False])
    0.875
    """
    values, answers = np.asarray(scores, dtype=np.float64), _answers(labels)
    if len(values) != len(answers):
        raise EpochalError(f"{len(values)} scores cannot be compared with {len(answers)} answers; give as many of both")
    if np.isnan(values).any():
        raise EpochalError("a score is nan; leave out what has no score")
    yes = int(answers.sum())
    if yes in (0, len(answers)):
        return math.nan
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((ranks[answers].sum() - yes * (yes + 1) / 2) / (yes * (len(answers) - yes)))


def interval(
    value: Any, columns: Sequence[npt.ArrayLike], groups: Sequence[str], *, rounds: int = _ROUNDS, seed: int = 0
) -> Interval:
    """The interval of a measure of two columns, of samples of groups drawn with replacement.

    >>> answers, scores = [True, False] * 20, [0.9, 0.2] * 19 + [0.1, 0.2]
    >>> found = interval(auroc, (scores, answers), [str(number // 2) for number in range(40)])
    >>> found.low < auroc(scores, answers) <= found.high
    True
    """
    arrays = [np.asarray(column) for column in columns]
    _, group = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))]) if len(group) else np.zeros(1, dtype=np.int64)
    members = [order[low:high] for low, high in pairwise(starts.tolist())]
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(rounds if members else 0):
        drawn = np.concatenate([members[at] for at in generator.integers(len(members), size=len(members))])
        told = value(*(array[drawn] for array in arrays))
        if not math.isnan(told):
            found.append(told)
    if len(found) < rounds / 2 or not found:
        return _UNKNOWN
    low, high = np.quantile(found, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far one judge agrees with another on one sort of answer.

    `both`, `first`, `second` and `neither` count what was answered yes by whom; `open` what either left open, `apart`
    what only one of the two judged. `area` is that of the first judge's scores, nan where it gives none.

    >>> Agreement(3, 1, 0, 4, 0.75, Interval(0.2, 1.0)).compared
    8
    """

    both: int
    first: int
    second: int
    neither: int
    kappa: float
    kappa_interval: Interval
    area: float = math.nan
    area_interval: Interval = _UNKNOWN
    open: int = 0
    apart: int = 0

    @property
    def compared(self) -> int:
        """How many answers were compared.

        >>> Agreement(1, 0, 0, 1, 1.0, Interval(1.0, 1.0)).compared
        2
        """
        return self.both + self.first + self.second + self.neither

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; what is nan is null there.

        >>> Agreement(1, 0, 0, 1, 1.0, Interval(1.0, 1.0)).to_dict()["auroc"] is None
        True
        """
        return {
            "compared": self.compared,
            "both yes": self.both,
            "first alone": self.first,
            "second alone": self.second,
            "both no": self.neither,
            "left open": self.open,
            "judged by one alone": self.apart,
            "kappa": _number(self.kappa),
            "kappa interval": [_number(end) for end in self.kappa_interval],
            "auroc": _number(self.area),
            "auroc interval": [_number(end) for end in self.area_interval],
        }


def agree(
    first: Sequence[Judgement], second: Sequence[Judgement], *, rounds: int = _ROUNDS, seed: int = 0
) -> dict[str, Agreement]:
    """How far two judges agree on `relevant` and on `covers`; what neither was asked is left out.

    >>> from epochal.bench.metrics.base import Verdict
    >>> one = [Judgement("q1", str(n), Verdict(n > 1), "a") for n in range(4)]
    >>> other = [Judgement("q1", str(n), Verdict(n > 2), "b") for n in range(4)]
    >>> agree(one, other)["relevant"].kappa
    0.5
    """
    ours, theirs = _by_pair(first), _by_pair(second)
    apart = len(ours.keys() ^ theirs.keys())
    rows: dict[str, list[tuple[str, bool | None, bool | None, float | None]]] = {"relevant": [], "covers": []}
    for pair, one in ours.items():
        if (other := theirs.get(pair)) is None:
            continue
        if len(one.verdict.covers) != len(other.verdict.covers):
            told = f"{len(one.verdict.covers)} and {len(other.verdict.covers)} periods"
            raise EpochalError(f"the judgements of question {pair[0]!r} and document {pair[1]!r} are of {told}")
        scores: tuple[float | None, ...] = one.scores or (None,) * (1 + len(one.verdict.covers))
        rows["relevant"].append((pair[0], one.verdict.relevant, other.verdict.relevant, scores[0]))
        rows["covers"] += [
            (pair[0], *answers) for answers in zip(one.verdict.covers, other.verdict.covers, scores[1:], strict=True)
        ]
    return {name: _agreement(found, apart, rounds, seed) for name, found in rows.items() if found}


def _agreement(
    rows: list[tuple[str, bool | None, bool | None, float | None]], apart: int, rounds: int, seed: int
) -> Agreement:
    told = [row for row in rows if row[1] is not None and row[2] is not None]
    groups = [row[0] for row in told]
    one, other = (np.array([row[at] for row in told], dtype=np.bool_) for at in (1, 2))
    area, area_interval = math.nan, _UNKNOWN
    scored = [row for row in rows if row[2] is not None and row[3] is not None]
    if scored:
        columns = (np.array([row[3] for row in scored]), np.array([row[2] for row in scored], dtype=np.bool_))
        area = auroc(*columns)
        area_interval = interval(auroc, columns, [row[0] for row in scored], rounds=rounds, seed=seed)
    return Agreement(
        int((one & other).sum()),
        int((one & ~other).sum()),
        int((~one & other).sum()),
        int((~one & ~other).sum()),
        cohen_kappa(one, other),
        interval(cohen_kappa, (one, other), groups, rounds=rounds, seed=seed),
        area,
        area_interval,
        len(rows) - len(told),
        apart,
    )


def _by_pair(judgements: Sequence[Judgement]) -> Mapping[tuple[str, str], Judgement]:
    found: dict[tuple[str, str], Judgement] = {}
    for item in judgements:
        pair = item.query, item.document
        if pair in found:
            raise EpochalError(f"question {pair[0]!r} and document {pair[1]!r} are judged twice; keep one judgement")
        found[pair] = item
    return found


def _answers(values: npt.ArrayLike) -> Bools:
    return np.asarray(values).astype(np.bool_)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
