"""Readings: what is believed of the passages of an index, read once for as long as it stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from epochal.index.backend import Rows, View
from epochal.ranking.dating.beliefs import Beliefs
from epochal.ranking.dating.dater import Dater

__all__ = ["Read", "Readings", "are_undated"]

_AT_ONCE: Final = 2_000

Mask = npt.NDArray[np.bool_]


def are_undated(view: View, rows: Rows) -> Mask:
    """Which passages have no time of their own: none that they state or inherit, and none known of the document.

    >>> from epochal.index.records import Document, Entry, Passage
    >>> from epochal.index.store import Store
    >>> from epochal.times import Span
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     known = Document("b", "Rain.", published=Span.year(1998))
    ...     _ = store.add([Entry(item, (Passage(0, 5),)) for item in (Document("a", "Rain."), known)])
    ...     are_undated(store.view(), np.array([0, 1])).tolist()
    [True, False]
    """
    documents = view.document_of(rows)
    dated = _are_in(rows, view.content.rows)
    for table in (view.published, view.valid):
        dated |= _are_in(documents, table.rows)
    return ~dated


def _are_in(rows: Rows, others: Rows) -> Mask:
    """Which rows are among others that ascend."""
    if not len(others):
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(others[np.minimum(others.searchsorted(rows), len(others) - 1)] == rows)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Passages, ascending, and what is believed of each.

    >>> Read.__slots__
    ('rows', 'beliefs')
    """

    rows: Rows
    beliefs: Beliefs

    def __len__(self) -> int:
        return len(self.rows)

    def has(self, rows: Rows) -> Mask:
        """Which of some passages are among them.

        >>> from epochal.ranking.dating.axis import MonthAxis
        >>> held = Beliefs(MonthAxis.gregorian(2000, 2000), np.ones((1, 1)), np.ones((1, 12)) / 12, np.zeros(1))
        >>> Read(np.array([7]), held).has(np.array([3, 7])).tolist()
        [False, True]
        """
        return _are_in(rows, self.rows)

    def among(self, rows: Rows) -> Read:
        """Those of them that are among some ascending passages.

        >>> from epochal.ranking.dating.axis import MonthAxis
        >>> held = Beliefs(MonthAxis.gregorian(2000, 2000), np.ones((2, 1)), np.ones((2, 12)) / 12, np.zeros(2))
        >>> Read(np.array([4, 7]), held).among(np.array([3, 7])).rows.tolist()
        [7]
        """
        kept = np.flatnonzero(np.isin(self.rows, rows, assume_unique=True))
        return Read(self.rows[kept], self.beliefs[kept])


class Readings:
    """Reads the passages of a view when they are first asked for, and keeps them until the index has changed.

    A passage takes 1 KB of memory for an axis of 255 years. Any number of threads may ask.

    >>> Readings.__name__
    'Readings'
    """

    def __init__(self, dater: Dater) -> None:
        self._dater = dater
        self._lock = Lock()
        self._state: ReferenceType[Rows] | None = None
        self._kept: dict[str, Read] = {}

    def undated(self, view: View) -> Read:
        """What is believed of all passages without a time of their own.

        >>> Readings.undated.__name__
        'undated'
        """
        return self._known(view, "undated", lambda found: found.alive[are_undated(found, found.alive)])

    def every(self, view: View) -> Read:
        """What is believed of all passages.

        >>> Readings.every.__name__
        'every'
        """
        return self._known(view, "every", lambda found: found.alive)

    def of(self, view: View, rows: Rows) -> Beliefs:
        """What is believed of some passages, in their order; those that are not kept are read now.

        >>> Readings.of.__name__
        'of'
        """
        with self._lock:
            kept = list(self._kept.values()) if self._is_of(view) else []
        found = Beliefs.unknown(self._dater.axis, len(rows))
        left = np.ones(len(rows), dtype=np.bool_)
        for read in kept:
            (here,) = np.nonzero(left & read.has(rows))
            found.put(here, read.beliefs[read.rows.searchsorted(rows[here])])
            left[here] = False
        (missing,) = np.nonzero(left)
        found.put(missing, self._beliefs(view, rows[missing]))
        return found

    def _known(self, view: View, name: str, choose: Callable[[View], Rows]) -> Read:
        with self._lock:
            if not self._is_of(view):
                self._state, self._kept = ref(view.content.rows), {}
            if name not in self._kept:
                rows = choose(view)
                self._kept[name] = Read(rows, self._beliefs(view, rows))
            return self._kept[name]

    def _is_of(self, view: View) -> bool:
        # The array is the same one for as long as a state is, also in views that compare vectors in another way.
        return self._state is not None and self._state() is view.content.rows

    def _beliefs(self, view: View, rows: Rows) -> Beliefs:
        found = Beliefs.unknown(self._dater.axis, len(rows))
        for low in range(0, len(rows), _AT_ONCE):
            places = np.arange(low, min(low + _AT_ONCE, len(rows)))
            found.put(places, self._read(view, rows[places]))
        return found

    def _read(self, view: View, rows: Rows) -> Beliefs:
        return self._dater.beliefs([f"{found.title} {found.text}" for found in view.texts(rows)])
