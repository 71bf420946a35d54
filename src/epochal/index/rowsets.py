"""Sets of rows: joined and intersected by marking places, which for many rows is far cheaper than sorting them."""

from __future__ import annotations

import numpy as np

from epochal.index.backend import Rows

__all__ = ["joined", "runs", "shared", "without"]


def joined(*parts: Rows) -> Rows:
    """The rows that are in any of the parts, ascending, each once.

    >>> joined(np.array([4, 2, 2]), np.array([0]))
    array([0, 2, 4])
    """
    size = max((int(part.max()) + 1 for part in parts if len(part)), default=0)
    marks = np.zeros(size, dtype=np.bool_)
    for part in parts:
        marks[part] = True
    return np.flatnonzero(marks).astype(np.int64)


def shared(rows: Rows, others: Rows) -> Rows:
    """Those of the rows that are among the others, in their order.

    >>> shared(np.array([4, 2, 9]), np.array([2, 4, 5]))
    array([4, 2])
    """
    return rows[_among(rows, others)]


def without(rows: Rows, others: Rows) -> Rows:
    """Those of the rows that are not among the others, in their order.

    >>> without(np.array([4, 2, 9]), np.array([2, 4, 5]))
    array([9])
    """
    return rows[~_among(rows, others)]


def runs(starts: Rows, sizes: Rows) -> Rows:
    """Rows that lie in runs: from each start as many as its size, run by run.

    >>> runs(np.array([7, 2]), np.array([3, 2]))
    array([7, 8, 9, 2, 3])
    """
    # Each run counts up from its start: a count over all of them, less where the run begins in that count.
    begins = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(starts - begins, sizes), dtype=np.int64)


def _among(rows: Rows, others: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    size = max((int(part.max()) + 1 for part in (rows, others) if len(part)), default=0)
    marks = np.zeros(size, dtype=np.bool_)
    marks[others] = True
    return np.asarray(marks[rows])
