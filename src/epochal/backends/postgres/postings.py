"""Postings: which passages have a token, and how often; many passages in one row of the table.

Passages that were written together are a *segment*: rows from `first` to before `past`. For each token of a segment
the table has one row, with the places of its passages and the counts there as packed numbers. Places count from the
beginning of a *page* of 65,536 rows, and a segment lies in one page, so that the blocks of neighbouring segments can be
joined by putting their bytes together. That is done as they become many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.copying import copy_in, int4, int8, record
from epochal.index.backend import Rows

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["PAGE", "Block", "gathered", "join", "joinable", "merge", "pages", "unpacked", "write_segment"]

#: Rows to a page.
PAGE: Final = 1 << 16
_FANOUT: Final = 8
_MOST: Final = 2**16 - 1

#: The rows that have a token, ascending, and how often each has it.
Block = tuple[Rows, npt.NDArray[np.uint16]]


def pages(first: int, past: int) -> Iterator[tuple[int, int]]:
    """A run of rows, cut where a page ends.

    >>> list(pages(65530, 65540))
    [(65530, 65536), (65536, 65540)]
    """
    while first < past:
        end = min(past, (first // PAGE + 1) * PAGE)
        yield first, end
        first = end


def gathered(first: int, counted: Sequence[Counter[str]]) -> dict[str, Block]:
    """The postings of some passages that follow one another, by what is counted in each.

    >>> found = gathered(7, [Counter(["rise", "rise"]), Counter(["rise", "fall"])])
    >>> found["rise"]
    (array([7, 8]), array([2, 1], dtype=uint16))
    """
    places: dict[str, list[int]] = {}
    times: dict[str, list[int]] = {}
    for row, counts in enumerate(counted, first):
        for token, count in counts.items():
            if token in places:
                places[token].append(row)
                times[token].append(count)
            else:
                places[token], times[token] = [row], [count]
    return {
        token: (np.array(rows, dtype=np.int64), np.minimum(times[token], _MOST).astype(np.uint16))
        for token, rows in places.items()
    }


def write_segment(connection: Connection[Any], space: int, first: int, past: int, found: Mapping[str, Block]) -> None:
    """Write the postings of the rows from `first` to before `past`, all of them in one page.

    >>> write_segment.__name__
    'write_segment'
    """
    base = first // PAGE * PAGE
    connection.execute("INSERT INTO epochal.segments VALUES (%s, %s, %s)", (space, first, past))
    owner = (int8(space), int8(first))
    copy_in(
        connection,
        "postings",
        ("space", "first", "token", "count", "rows", "counts"),
        (
            record(
                *owner,
                token.encode(),
                int4(len(rows)),
                (rows - base).astype("<u2").tobytes(),
                counts.astype("<u2").tobytes(),
            )
            for token, (rows, counts) in sorted(found.items())
        ),
    )


def unpacked(first: int, blocks: Iterable[tuple[int, bytes, bytes]], past: int | None = None) -> Block:
    """One token's rows and counts in several segments, given in order as their first row, places and counts.

    Rows below `first`, and from `past` on, are left out.

    >>> places, counts = np.array([7, 9], dtype="<u2").tobytes(), np.array([1, 2], dtype="<u2").tobytes()
    >>> unpacked(8, [(65536, places, counts)])[0]
    array([65543, 65545])
    """
    parts = list(blocks)
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.uint16)
    rows = np.concatenate(
        [np.frombuffer(places, "<u2").astype(np.int64) + begin // PAGE * PAGE for begin, places, _ in parts]
    )
    counts = np.concatenate([np.frombuffer(times, "<u2") for _, _, times in parts])
    low, high = np.searchsorted(rows, [first, rows[-1] + 1 if past is None else past])
    return rows[low:high], counts[low:high]


def joinable(segments: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The segments at the end that should be one: all of a page that is full, or eight of which none is half of all.

    >>> len(joinable([(0, 1000), *((row, row + 1) for row in range(1000, 1008))]))
    8
    >>> joinable([(0, 1000), (1000, 1001)])
    []
    """
    page = (segments[-1][1] - 1) // PAGE if segments else 0
    own = [(first, past) for first, past in segments if first // PAGE == page]
    if own and own[-1][1] % PAGE == 0:
        return own if len(own) > 1 else []
    tail = own[-_FANOUT:]
    sizes = [past - first for first, past in tail]
    return tail if len(tail) == _FANOUT and 2 * max(sizes) <= sum(sizes) else []


def merge(connection: Connection[Any], space: int) -> None:
    """Join the segments at the end as long as there are too many. Readers see them before it or after it.

    >>> merge.__name__
    'merge'
    """
    segments = connection.execute(
        "SELECT first, past FROM (SELECT first, past FROM epochal.segments WHERE space = %s ORDER BY first DESC "
        "LIMIT 64) AS last ORDER BY first",
        (space,),
    ).fetchall()
    while chosen := joinable(segments):
        first, past = chosen[0][0], chosen[-1][1]
        join(connection, space, first, past)
        segments = [*segments[: -len(chosen)], (first, past)]


def join(connection: Connection[Any], space: int, first: int, past: int) -> None:
    """Make one segment of those from a row to before another, which lie in one page.

    >>> join.__name__
    'join'
    """
    connection.execute(
        "WITH gone AS (DELETE FROM epochal.postings WHERE space = %(space)s AND first >= %(first)s AND "
        "first < %(past)s RETURNING token, first, count, rows, counts) "
        "INSERT INTO epochal.postings SELECT %(space)s, %(first)s, token, sum(count), "
        "string_agg(rows, ''::bytea ORDER BY first), string_agg(counts, ''::bytea ORDER BY first) "
        "FROM gone GROUP BY token",
        {"space": space, "first": first, "past": past},
    )
    connection.execute(
        "DELETE FROM epochal.segments WHERE space = %s AND first > %s AND first < %s", (space, first, past)
    )
    connection.execute("UPDATE epochal.segments SET past = %s WHERE space = %s AND first = %s", (past, space, first))
