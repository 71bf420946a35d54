"""A dater made by hand: which characters speak for which years of the 1990s, and which of talk about records."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from epochal.ranking.dating.dater import Characters, DateEstimator, MixingWeights, run_keys
from epochal.ranking.dating.months import MonthAxis, make_year_functions

AXIS = MonthAxis.gregorian(1990, 1999)
#: Reigns (here the one decade), years of a reign, years themselves, months, worth.
_OWN, _MONTH, _WORTH = 1 + 10, 1 + 10 + 10, 1 + 10 + 10 + 12
SAYS = 2.0


def dater_of(
    years: Mapping[str, int],
    months: Mapping[str, int] | None = None,
    talk: str = "",
    beside: MixingWeights | None = None,
) -> DateEstimator:
    """One in which a character speaks for a year or for a month (1 to 12) by e^(10 SAYS) to one, alone in its text."""
    signs = "".join(sorted({*years, *(months or {}), *talk}))
    known = Characters(signs)
    keys = [int(run_keys(np.array(row))[0]) for row in known.rows(signs)]
    table = np.zeros((len(keys), _WORTH + 1), np.float32)
    for place, sign in enumerate(signs):
        if sign in years:
            table[place, _OWN + years[sign] - AXIS.first_year] = SAYS
        if sign in (months or {}):
            table[place, _MONTH + (months or {})[sign] - 1] = SAYS
        if sign in talk:
            table[place, _WORTH] = -SAYS
    order = np.argsort(keys)
    return DateEstimator(
        AXIS,
        known,
        np.array(keys, dtype=np.int64)[order],
        np.ones(len(keys), np.float32),
        table[order],
        np.zeros(_WORTH + 1, np.float32),
        make_year_functions(AXIS.years, 0.0),
        64,
        beside or MixingWeights(),
    )
