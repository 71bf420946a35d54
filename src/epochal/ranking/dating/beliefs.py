"""Beliefs: what is believed of the times of texts that do not state them, and how likely a window is by that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.dating.axis import MONTHS, MonthAxis, Months
from epochal.ranking.pool import Floats
from epochal.times import Certainty, Span

__all__ = ["LEAST", "Beliefs"]

#: No text rules a time out altogether.
LEAST: Final = 1e-6
_HALF: Final = 0.5
#: How many years a belief reaches beyond a year, and the share that all years have in common, when it is told.
_SPREAD: Final = 8.0
_ANY_YEAR: Final = 0.05

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """A line a text: how likely it is of each year of an axis, of each month of the year, and its worth as an answer.

    `worth` is the logarithm of how likely a text is to be a record at all rather than talk about one; 0 where nothing
    was learned of that.

    >>> axis = MonthAxis.gregorian(2000, 2001)
    >>> held = Beliefs(axis, np.array([[0.25, 0.75]], np.float32), np.full((1, 12), 1 / 12, np.float32), np.zeros(1))
    >>> len(held), round(float(held.likelihoods(Months(12, 17))[0]), 3)
    (1, 0.375)
    """

    axis: MonthAxis
    years: Matrix
    months: Matrix
    worth: Floats

    def __len__(self) -> int:
        return len(self.years)

    def __getitem__(self, places: npt.NDArray[np.int64] | slice) -> Beliefs:
        return Beliefs(self.axis, self.years[places], self.months[places], self.worth[places])

    @classmethod
    def unknown(cls, axis: MonthAxis, count: int) -> Beliefs:
        """Lines for so many texts of which nothing is known yet, to be filled by `put`.

        >>> Beliefs.unknown(MonthAxis.gregorian(2000, 2003), 2).years.tolist()[0]
        [0.25, 0.25, 0.25, 0.25]
        """
        years = np.full((count, axis.years), 1 / axis.years, dtype=np.float32)
        return cls(axis, years, np.full((count, MONTHS), 1 / MONTHS, dtype=np.float32), np.zeros(count))

    def put(self, places: npt.NDArray[np.int64], beliefs: Beliefs) -> None:
        """Write other beliefs, of as many texts, over those at some places.

        >>> held = Beliefs.unknown(MonthAxis.gregorian(2000, 2001), 2)
        >>> held.put(np.array([1]), Beliefs(held.axis, np.eye(1, 2), np.eye(1, 12), np.zeros(1)))
        >>> held.years.tolist()
        [[0.5, 0.5], [1.0, 0.0]]
        """
        self.years[places], self.months[places], self.worth[places] = beliefs.years, beliefs.months, beliefs.worth

    def likelihoods(self, asked: Months) -> Floats:
        """How likely each text is of some months: over their years, P(year) times the P(month) of those asked for.

        >>> axis = MonthAxis.gregorian(2000, 2001)
        >>> months = np.zeros((1, 12), np.float32)
        >>> months[0, [0, 11]] = 0.5
        >>> held = Beliefs(axis, np.array([[0.25, 0.75]], np.float32), months, np.zeros(1))
        >>> held.likelihoods(Months(11, 12)).tolist()  # December 2000 and January 2001
        [0.5]
        """
        low, high = asked.first // MONTHS, asked.last // MONTHS
        every = np.arange(low * MONTHS, (high + 1) * MONTHS).reshape(-1, MONTHS)
        within = ((every >= asked.first) & (every <= asked.last)).astype(np.float64)
        found: Floats = ((self.years[:, low : high + 1].astype(np.float64) @ within) * self.months).sum(axis=1)
        return found

    def log_likelihoods(self, asked: Months) -> Floats:
        """The logarithms of the same, none of which is less than that of a millionth.

        >>> axis = MonthAxis.gregorian(2000, 2000)
        >>> held = Beliefs(axis, np.ones((1, 1), np.float32), np.eye(1, 12, dtype=np.float32), np.zeros(1))
        >>> held.log_likelihoods(Months(0, 0)).round(3).tolist(), held.log_likelihoods(Months(1, 1)).round(1).tolist()
        ([0.0], [-13.8])
        """
        found: Floats = np.log(self.likelihoods(asked) + LEAST)
        return found

    def spread(self) -> Beliefs:
        """The same beliefs, less sure of the year: for telling people, not for ranking.

        A model that knows its training texts by heart is too sure of the years that they have, and believes in no
        other. How far beliefs are spread was chosen so that about half of the stretches hold the year, for texts of
        years that were held out.

        >>> axis = MonthAxis.gregorian(1900, 1999)
        >>> sure = Beliefs(axis, np.eye(1, 100, 50, np.float32), np.full((1, 12), 1 / 12, np.float32), np.zeros(1))
        >>> sure.stretch(0).edtf(), sure.spread().stretch(0).edtf()
        ('1950?', '1944?/1955?')
        """
        every = np.arange(self.years.shape[1])
        around = np.exp(-np.abs(every[:, None] - every) / _SPREAD)
        around /= around.sum(axis=1, keepdims=True)
        years = (1 - _ANY_YEAR) * (self.years @ around) + _ANY_YEAR / len(every)
        return Beliefs(self.axis, years.astype(np.float32), self.months, self.worth)

    def stretch(self, place: int) -> Span:
        """The shortest stretch of years that is as likely as not to hold the time of a text; of equals the likelier.

        >>> axis = MonthAxis.gregorian(2000, 2003)
        >>> years = np.array([[0.1, 0.3, 0.4, 0.2]], np.float32)
        >>> Beliefs(axis, years, np.full((1, 12), 1 / 12, np.float32), np.zeros(1)).stretch(0).edtf()
        '2001?/2002?'
        """
        whole = np.concatenate([[0.0], np.cumsum(self.years[place], dtype=np.float64)])
        # From each year on, the first one by whose end half is reached; rounding must not make its last bit be missing.
        ends = whole.searchsorted(whole[:-1] + _HALF * whole[-1] - 1e-9)
        (starts,) = np.nonzero(ends < len(whole))
        ends = np.maximum(ends[starts], starts + 1)
        best = np.lexsort((starts, whole[starts] - whole[ends], ends - starts))[0]
        first, last = (self.axis.first_year + int(year) for year in (starts[best], ends[best] - 1))
        return Span.between(Span.year(first), Span.year(last)).with_certainty(Certainty.UNCERTAIN)
