"""The planner: how a search for vectors is best put to the server. It knows counts, and decides; it asks nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from epochal.backends.postgres.address import PostgresAddress
from epochal.index.backend import Rows

__all__ = ["NARROW", "Plan", "Restriction", "choose", "may_index", "restriction"]

#: What keeps no more than this share of all passages is searched one by one, as the embedded store does.
NARROW: Final = 0.1
#: So many passages, or fewer, are compared faster than a walk through an index goes.
_FEW: Final = 10_000
#: How many times as long as what is wanted the list is, and its least length.
_WIDER: Final = 3
_SHORTEST_LIST: Final = 200
#: pgvector keeps no longer a list than this while it walks through its index.
_LONGEST_LIST: Final = 1000
#: pgvector indexes no longer vectors than this.
_MOST_NUMBERS: Final = 2000
#: What is fetched beyond what is wanted, to be compared once more in double precision.
SPARE: Final = 32


@dataclass(frozen=True, slots=True)
class Plan:
    """Compare `exact`ly, or walk through the HNSW index with a list of `breadth` candidates; fetch `limit` rows.

    >>> Plan(exact=True, limit=132).breadth
    0
    """

    exact: bool
    limit: int
    breadth: int = 0


def may_index(passages: int, dim: int, address: PostgresAddress) -> bool:
    """Whether vectors should have an HNSW index.

    >>> address = PostgresAddress.parse("postgresql:///news?hnsw_from=1000")
    >>> may_index(999, 384, address), may_index(1000, 384, address), may_index(10**6, 4096, address)
    (False, True, False)
    """
    return address.search == "auto" and 0 < dim <= _MOST_NUMBERS and passages >= address.hnsw_from


def choose(passages: int, kept: int | None, k: int, *, has_index: bool) -> Plan:
    """How to find the k best of the `kept` passages of all; None for all of them.

    >>> choose(100_000, None, 100, has_index=True)
    Plan(exact=False, limit=132, breadth=396)
    >>> choose(100_000, 9_000, 100, has_index=True).exact, choose(100_000, None, 100, has_index=False).exact
    (True, True)
    """
    limit = k + SPARE
    left = passages if kept is None else kept
    # The list must be long enough to hold what is wanted although much that is near is left out by the restriction.
    breadth = max(_SHORTEST_LIST, -(-_WIDER * limit * passages // max(left, 1)))
    if not has_index or left <= max(_FEW, NARROW * passages) or breadth > _LONGEST_LIST:
        return Plan(exact=True, limit=limit)
    return Plan(exact=False, limit=limit, breadth=breadth)


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """Rows as the server is told them: runs without a gap, from `lows` to `highs`, or one by one where there are many.

    >>> Restriction(np.array([3]), np.array([9]), None).rows is None
    True
    """

    lows: Rows
    highs: Rows
    rows: Rows | None


def restriction(rows: Rows) -> Restriction:
    """Some rows, which ascend, in the form that costs least: a run is one look into an index, however long it is.

    >>> found = restriction(np.array([3, 4, 5, 6, 7, 8, 20, 21, 22]))
    >>> found.lows, found.highs
    (array([ 3, 20]), array([ 8, 22]))
    >>> restriction(np.array([3, 5, 9])).rows
    array([3, 5, 9])
    """
    (breaks,) = np.nonzero(np.diff(rows) > 1)
    lows, highs = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return Restriction(lows, highs, rows if 3 * len(lows) > len(rows) else None)
