"""The agreement of two judges: Cohen's kappa, the area under the ROC curve, and the contingency table.

Kappa and the table compare verdicts; the area compares the scores of one judge with the verdicts of the other, so it
does not depend on a threshold. Only answers that both judges gave are compared; undecided ones are counted. Intervals
are bootstrapped over questions, not over pairs, because the pairs of a question are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from epochal.errors import EpochalError
from epochal_lab.judges.base import Judgement
from epochal_lab.metrics.significance import ConfidenceInterval, auroc, bootstrap_statistic, cohen_kappa

_ROUNDS: Final = 1000
_UNKNOWN: Final = ConfidenceInterval(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two judges on one kind of answer.

    `both`, `first`, `second` and `neither` count who answered yes; `undecided` where either gave no answer, `unpaired`
    what only one of them judged. `area` is that of the first judge's scores, nan where it gives none.
    """

    both: int
    first: int
    second: int
    neither: int
    kappa: float
    kappa_interval: ConfidenceInterval
    area: float = math.nan
    area_interval: ConfidenceInterval = _UNKNOWN
    undecided: int = 0
    unpaired: int = 0

    @property
    def compared(self) -> int:
        """How many answers were compared."""
        return self.both + self.first + self.second + self.neither

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; nan becomes null."""
        return {
            "compared": self.compared,
            "both yes": self.both,
            "first alone": self.first,
            "second alone": self.second,
            "both no": self.neither,
            "left open": self.undecided,
            "judged by one alone": self.unpaired,
            "kappa": _round(self.kappa),
            "kappa interval": _round_bounds(self.kappa_interval),
            "auroc": _round(self.area),
            "auroc interval": _round_bounds(self.area_interval),
        }


def measure_agreement(
    first: Sequence[Judgement], second: Sequence[Judgement], *, rounds: int = _ROUNDS, seed: int = 0
) -> dict[str, Agreement]:
    """The agreement of two judges on `relevant` and on `covers`; a kind that neither judged is left out.

    >>> from epochal_lab.metrics.runs import Verdict
    >>> one = [Judgement("q1", str(n), Verdict(n > 1), "a") for n in range(4)]
    >>> other = [Judgement("q1", str(n), Verdict(n > 2), "b") for n in range(4)]
    >>> measure_agreement(one, other)["relevant"].kappa
    0.5
    """
    ours, theirs = _index_by_pair(first), _index_by_pair(second)
    unpaired = len(ours.keys() ^ theirs.keys())
    rows: dict[str, list[tuple[str, bool | None, bool | None, float | None]]] = {"relevant": [], "covers": []}
    for pair, one in ours.items():
        if (other := theirs.get(pair)) is None:
            continue
        if len(one.verdict.covers) != len(other.verdict.covers):
            counts = f"{len(one.verdict.covers)} and {len(other.verdict.covers)} periods"
            raise EpochalError(f"the judgements of question {pair[0]!r} and document {pair[1]!r} are of {counts}")
        scores: tuple[float | None, ...] = one.scores or (None,) * (1 + len(one.verdict.covers))
        rows["relevant"].append((pair[0], one.verdict.relevant, other.verdict.relevant, scores[0]))
        rows["covers"] += [
            (pair[0], *answers) for answers in zip(one.verdict.covers, other.verdict.covers, scores[1:], strict=True)
        ]
    return {name: _compare_rows(answers, unpaired, rounds, seed) for name, answers in rows.items() if answers}


def _compare_rows(
    rows: list[tuple[str, bool | None, bool | None, float | None]], unpaired: int, rounds: int, seed: int
) -> Agreement:
    decided = [row for row in rows if row[1] is not None and row[2] is not None]
    groups = [row[0] for row in decided]
    one, other = (np.array([row[at] for row in decided], dtype=np.bool_) for at in (1, 2))
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
        len(rows) - len(decided),
        unpaired,
    )


def _index_by_pair(judgements: Sequence[Judgement]) -> Mapping[tuple[str, str], Judgement]:
    by_pair: dict[tuple[str, str], Judgement] = {}
    for item in judgements:
        pair = item.query, item.document
        if pair in by_pair:
            raise EpochalError(f"question {pair[0]!r} and document {pair[1]!r} are judged twice; keep one judgement")
        by_pair[pair] = item
    return by_pair


def _round(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _round_bounds(interval: ConfidenceInterval) -> list[float | None]:
    return [_round(interval.low), _round(interval.high)]
