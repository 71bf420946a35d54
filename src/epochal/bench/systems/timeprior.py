"""ChunQiuTR's TimeKDE: where in time the records lie that BM25 finds first, as a prior over all records.

Around the month of each of the `top` records goes a bell of `sigma` months, cut off at three sigma and at the ends of
the time line, whatever the record's score. The density at a record's month, as a logarithm times `weight`, is added to
its score. The months are those of the records' own metadata (`time_id`); the time in the question is not read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epochal.bench.specs import Spec
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["TimePrior"]

Floats = npt.NDArray[np.float64]
_LEAST = 1e-8


@dataclass(frozen=True, slots=True)
class TimePrior:
    """A prior over numbered months.

    >>> TimePrior(top=1).applied(np.array([2.0, 0.0, 0.0]), np.array([5, 6, 40])).round(2).tolist()
    [0.02, -2.04, -18.42]
    """

    top: int = 200
    sigma: float = 3.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.top < 1 or not self.sigma > 0:
            raise EpochalError(f"{self} cannot be computed; accepted: top of 1 or more, sigma above 0")

    @classmethod
    def from_settings(cls, spec: Spec) -> TimePrior:
        """The prior with the settings of a spec.

        >>> TimePrior.from_settings(Spec.parse("bm25-okapi-zh-timekde(top=many)"))
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: bm25-okapi-zh-timekde(top=many): top, sigma and weight must be numbers
        """
        given = spec.only("top", "sigma", "weight")
        try:
            top, sigma, weight = int(given.get("top", 200)), float(given.get("sigma", 3)), float(given.get("weight", 1))
        except ValueError:
            raise EpochalError(f"{spec}: top, sigma and weight must be numbers") from None
        return cls(top, sigma, weight)

    def place_of(self, document: Document) -> int:
        """The number of a document's month.

        >>> TimePrior().place_of(Document("d", "雨。", meta={"time_id": 7}))
        7
        """
        place = document.meta.get("time_id")
        if not isinstance(place, int) or isinstance(place, bool) or place < 0:
            raise EpochalError(f"the document {document.id!r} has the time_id {place!r}; accepted: a number from 0")
        return place

    def applied(self, scores: Floats, places: npt.NDArray[np.int64]) -> Floats:
        """The scores with the prior. Where no document has a score, nothing is known, and they stay alike.

        >>> TimePrior().applied(np.zeros(2), np.array([0, 1])).round(3).tolist()
        [-0.693, -0.693]
        """
        if not len(scores):
            return scores
        if not scores.any():
            return scores + self.weight * np.log(np.full(len(scores), 1 / len(scores)) + _LEAST)
        top = _first(scores, self.top)
        bins = int(places.max()) + 1
        width = max(1, int(3 * self.sigma))
        bell = np.exp(-(np.arange(-width, width + 1) ** 2) / (2 * self.sigma**2))
        density = np.convolve(np.bincount(places[top], minlength=bins), bell)[width : width + bins]
        return np.asarray(scores + self.weight * np.log(density[places] / density.sum() + _LEAST))


def _first(scores: Floats, count: int) -> npt.NDArray[np.int64]:
    """The rows of the highest scores, of equal ones those that come first, in no order."""
    if count >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    return np.concatenate((above, np.flatnonzero(scores == least)[: count - len(above)]))
