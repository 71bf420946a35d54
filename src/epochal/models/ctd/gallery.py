"""Gallery: records to be searched by inner product and a bias looked up by distance in time, exactly and in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["Found", "Gallery"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Found(NamedTuple):
    """The best records of each question, best first: which rows, and their scores.

    >>> Found(np.array([[3, 1]]), np.array([[0.9, 0.5]], dtype=np.float32)).rows.tolist()
    [[3, 1]]
    """

    rows: Ints
    scores: Floats


@dataclass(frozen=True)
class Gallery:
    """Records as vectors and, where there is a bias, as places on the axis (0 to 1).

    `scale` multiplies the inner product (1 / temperature), and `table` holds the bias at even distances from -1 to 1.
    Scores are the same as those of the model but for the rounding of the distance to the table's.

    >>> records = np.eye(3, dtype=np.float32)
    >>> table = np.array([0, 0, 0, 9, 0], dtype=np.float32)  # half the axis later is best
    >>> gallery = Gallery(records, np.array([0, 0.5, 1], dtype=np.float32), table, scale=1.0)
    >>> gallery.search(records[:1], np.array([0], dtype=np.float32), 2).rows.tolist()
    [[1, 0]]
    """

    records: Floats
    places: Floats | None = None
    table: Floats | None = None
    scale: float = 1.0
    block: int = 1 << 15
    _cells: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.records.ndim != 2:
            raise EpochalError(f"the records are an array of shape {self.records.shape}; accepted: one row a record")
        if (self.places is None) != (self.table is None):
            raise EpochalError("a bias needs the places of the records and a table; one of them is missing")
        cells = np.zeros(0, np.int32)
        if self.places is not None and self.table is not None:
            if self.places.shape != self.records.shape[:1]:
                raise EpochalError(f"{len(self.records)} records have {self.places.shape} places; accepted: one each")
            if len(self.table) % 2 == 0 or self.table.ndim != 1:
                raise EpochalError(f"the table has the shape {self.table.shape}; accepted: an odd number of values")
            cells = np.rint(np.clip(self.places, 0, 1) * self.resolution).astype(np.int32)
        object.__setattr__(self, "_cells", cells)

    @property
    def resolution(self) -> int:
        """How many cells of the table the axis has.

        >>> Gallery(np.eye(2, dtype=np.float32)).resolution
        0
        """
        return 0 if self.table is None else len(self.table) // 2

    def scores(
        self, questions: Floats, places: Floats | None = None, start: int = 0, stop: int | None = None
    ) -> Floats:
        """The scores of questions with the records from `start` to `stop`: one row a question.

        >>> Gallery(np.eye(2, dtype=np.float32), scale=20.0).scores(np.eye(2, dtype=np.float32)[:1]).tolist()
        [[20.0, 0.0]]
        """
        # The few questions are scaled, not their many scores.
        scored: Floats = (questions * np.float32(self.scale)) @ self.records[start:stop].T
        if self.table is None:
            return scored
        if places is None or places.shape != questions.shape[:1]:
            raise EpochalError(f"{len(questions)} questions need a place on the axis each for the bias to be looked up")
        middle = self.resolution
        asked = np.rint(np.clip(places, 0, 1) * middle).astype(np.int64)
        cells = self._cells[start:stop]
        for row, cell in enumerate(asked.tolist()):
            # One question sees a table shifted to its own place: a lookup by the records' cells, and no subtraction.
            scored[row] += self.table[middle - cell : 2 * middle - cell + 1].take(cells)
        return scored

    def search(self, questions: Floats, places: Floats | None, k: int) -> Found:
        """The k best records of each question, exactly; of equal scores the earlier record.

        >>> Gallery(np.eye(3, dtype=np.float32)).search(np.eye(3, dtype=np.float32)[1:2], None, 1).rows.tolist()
        [[1]]
        """
        if k < 1:
            raise EpochalError(f"k is {k}; accepted: a whole number from 1")
        if questions.ndim != 2 or questions.shape[1] != self.records.shape[1]:
            raise EpochalError(
                f"questions of shape {questions.shape} do not fit records of {self.records.shape[1]} numbers"
            )
        rows: list[Ints] = []
        found: list[Floats] = []
        for start in range(0, len(self.records), self.block):
            scored = self.scores(questions, places, start, start + self.block)
            kept = _best(scored, k)
            rows.append(kept + start)
            found.append(np.take_along_axis(scored, kept, axis=1))
        if not rows:
            return Found(np.zeros((len(questions), 0), np.int64), np.zeros((len(questions), 0), np.float32))
        every, scored = np.concatenate(rows, axis=1), np.concatenate(found, axis=1)
        # By score, then by row: what `_best` gives need not be in the order of rows.
        order = np.lexsort((every, -scored), axis=1)[:, :k]
        return Found(np.take_along_axis(every, order, axis=1), np.take_along_axis(scored, order, axis=1))

    def kept(self, rows: Sequence[int] | Ints) -> Gallery:
        """The gallery of some of the records only.

        >>> len(Gallery(np.eye(3, dtype=np.float32)).kept([0, 2]).records)
        2
        """
        chosen = np.asarray(rows, dtype=np.int64)
        places = None if self.places is None else self.places[chosen]
        return Gallery(self.records[chosen], places, self.table, self.scale, self.block)


def _best(scored: Floats, k: int) -> Ints:
    """The k best columns of each row, and of those equal to the last of them the first; in no order."""
    if scored.shape[1] <= k:
        return np.tile(np.arange(scored.shape[1]), (len(scored), 1))
    kept = np.argpartition(scored, scored.shape[1] - k, axis=1)[:, -k:].astype(np.int64)
    least = np.take_along_axis(scored, kept, axis=1).min(axis=1)
    tied = (scored >= least[:, None]).sum(axis=1) > k
    for row in np.flatnonzero(tied):
        above = np.flatnonzero(scored[row] > least[row])
        equal = np.flatnonzero(scored[row] == least[row])
        kept[row] = np.concatenate([above, equal])[:k]
    return kept
