"""Allen's thirteen relations between spans, and the sets of them that people ask for.

J. F. Allen, "Maintaining Knowledge about Temporal Intervals" (1983). An open end compares as the farthest point of
the axis, so two spans without a start begin together, and the thirteen stay complete and exclusive.
"""

from __future__ import annotations

from enum import IntEnum

from epochal.times.interval import Interval

__all__ = ["Allen", "relation"]


class Allen(IntEnum):
    """How one span lies to another, in the order of Allen's paper.

    The value of the inverse relation is 12 minus the value.

    >>> Allen.BEFORE.inverse
    Allen.AFTER
    """

    BEFORE = 0
    MEETS = 1
    OVERLAPS = 2
    STARTS = 3
    DURING = 4
    FINISHED_BY = 5
    EQUALS = 6
    FINISHES = 7
    CONTAINS = 8
    STARTED_BY = 9
    OVERLAPPED_BY = 10
    MET_BY = 11
    AFTER = 12

    def __repr__(self) -> str:
        return f"Allen.{self.name}"

    __str__ = __repr__

    @property
    def inverse(self) -> Allen:
        """The relation seen from the other span.

        >>> Allen.STARTS.inverse, Allen.EQUALS.inverse
        (Allen.STARTED_BY, Allen.EQUALS)
        """
        return Allen(12 - self)

    @property
    def label(self) -> str:
        """The name as JSON and the command line write it.

        >>> Allen.MET_BY.label
        'met_by'
        """
        return self.name.lower()


# How two spans lie to each other is settled by four comparisons. Where they share time, the signs of
# (start against start) and (end against end) name the relation.
_SHARING = {
    (-1, -1): Allen.OVERLAPS,
    (-1, 0): Allen.FINISHED_BY,
    (-1, 1): Allen.CONTAINS,
    (0, -1): Allen.STARTS,
    (0, 0): Allen.EQUALS,
    (0, 1): Allen.STARTED_BY,
    (1, -1): Allen.DURING,
    (1, 0): Allen.FINISHES,
    (1, 1): Allen.OVERLAPPED_BY,
}


def relation(first: Interval, second: Interval) -> Allen:
    """The relation of the first span to the second.

    >>> relation(Interval.month(2004, 2), Interval.year(2004))
    Allen.DURING
    """
    if first.end <= second.start:
        return Allen.MEETS if first.end == second.start else Allen.BEFORE
    if second.end <= first.start:
        return Allen.MET_BY if second.end == first.start else Allen.AFTER
    return _SHARING[_sign(first.start, second.start), _sign(first.end, second.end)]


def _sign(left: int, right: int) -> int:
    return (left > right) - (left < right)
