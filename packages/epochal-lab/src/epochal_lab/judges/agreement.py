"""How far two judges agree: Cohen's kappa, the area under the ROC curve, and the table of what each said.

Kappa and the table compare answers; the area compares the scores of one judge with the answers of the other, so it
does not depend on where a threshold lies. Only what both answered is compared; what either left open is counted.
Intervals are of bootstrap samples over questions, not over pairs, for the pairs of a question stand or fall together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from epochal.errors import EpochalError
from epochal_lab.judges.base import Judgement
from epochal_lab.metrics.significance import Interval, auroc, bootstrap_statistic, cohen_kappa

__all__ = ["Agreement", "agree"]

_ROUNDS: Final = 1000
_UNKNOWN: Final = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far one judge agrees with another on one sort of answer.

    `both`, `first`, `second` and `neither` count what was answered yes by whom; `open` what either left open, `apart`
    what only one of the two judged. `area` is that of the first judge's scores, nan where it gives none.
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
        """How many answers were compared."""
        return self.both + self.first + self.second + self.neither

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; what is nan is null there."""
        return {
            "compared": self.compared,
            "both yes": self.both,
            "first alone": self.first,
            "second alone": self.second,
            "both no": self.neither,
            "left open": self.open,
            "judged by one alone": self.apart,
            "kappa": _number(self.kappa),
            "kappa interval": _bounds(self.kappa_interval),
            "auroc": _number(self.area),
            "auroc interval": _bounds(self.area_interval),
        }


def agree(
    first: Sequence[Judgement], second: Sequence[Judgement], *, rounds: int = _ROUNDS, seed: int = 0
) -> dict[str, Agreement]:
    """How far two judges agree on `relevant` and on `covers`; what neither was asked is left out.

    >>> from epochal_lab.metrics.runs import Verdict
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
    area_interval = _UNKNOWN
    scored = [row for row in rows if row[2] is not None and row[3] is not None]
    if scored:
        columns = (np.array([row[3] for row in scored]), np.array([row[2] for row in scored], dtype=np.bool_))
        area_interval = bootstrap_statistic(auroc, columns, [row[0] for row in scored], resamples=rounds, seed=seed)
    kappa = bootstrap_statistic(cohen_kappa, (one, other), groups, resamples=rounds, seed=seed)
    return Agreement(
        int((one & other).sum()),
        int((one & ~other).sum()),
        int((~one & other).sum()),
        int((~one & ~other).sum()),
        kappa.mean,
        kappa,
        area_interval.mean,
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


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _bounds(interval: Interval) -> list[float | None]:
    return [_number(interval.low), _number(interval.high)]
