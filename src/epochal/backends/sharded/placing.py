"""Where documents lie: the shard of an id, and rows that say which shard they belong to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from epochal.errors import EpochalError
from epochal.index.backend import Ranked, Rows

__all__ = ["by_shard", "checked_rows", "global_rows", "joined_ranks", "parts_of", "shard_of"]

T = TypeVar("T")


def shard_of(id: str, count: int) -> int:
    """Which of so many shards a document belongs to, by its id alone.

    >>> [shard_of(name, 3) for name in ("p1", "p2", "p3")]
    [2, 1, 1]
    """
    # Half a character, which no stored id has, must not stop a question for one.
    digest = hashlib.blake2b(id.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count


def by_shard(items: Iterable[T], count: int, id_of: Callable[[T], str]) -> dict[int, list[T]]:
    """The items of each shard that has any, in their order.

    >>> by_shard(["p1", "p2", "p3"], 3, str)
    {2: ['p1'], 1: ['p2', 'p3']}
    """
    found: dict[int, list[T]] = {}
    for item in items:
        found.setdefault(shard_of(id_of(item), count), []).append(item)
    return found


def global_rows(rows: Rows, shard: int, count: int) -> Rows:
    """Rows of a shard as rows of the whole: those of the shards alternate, so that arrays over them stay dense.

    >>> global_rows(np.array([0, 1, 2]), 1, 3)
    array([1, 4, 7])
    """
    return np.asarray(rows, dtype=np.int64) * count + shard


def parts_of(rows: Rows, count: int) -> Iterator[tuple[int, Rows, Rows]]:
    """For each shard that has any of the rows: its number, the places of its rows, and these as it knows them.

    >>> [(shard, places.tolist(), own.tolist()) for shard, places, own in parts_of(np.array([7, 0, 4]), 3)]
    [(0, [1], [0]), (1, [0, 2], [2, 1])]
    """
    rows = np.asarray(rows, dtype=np.int64)
    shards = rows % count
    for shard in np.unique(shards).tolist():
        places = np.flatnonzero(shards == shard)
        yield shard, places, rows[places] // count


def checked_rows(rows: Rows | None) -> Rows | None:
    """Rows to search among, if they ascend as they must.

    >>> checked_rows(np.array([3, 1]))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: rows must ascend and be those of a view, but 1 comes after 3
    """
    if rows is None:
        return None
    rows = np.asarray(rows, dtype=np.int64)
    (wrong,) = np.nonzero(rows[1:] <= rows[:-1])
    if len(wrong):
        place = int(wrong[0])
        raise EpochalError(f"rows must ascend and be those of a view, but {rows[place + 1]} comes after {rows[place]}")
    if len(rows) and rows[0] < 0:
        raise EpochalError(f"rows must ascend and be those of a view, but the first is {rows[0]}")
    return rows


def joined_ranks(parts: Sequence[Ranked], k: int) -> Ranked:
    """The best k of several rankings, whose rows are those of the whole.

    >>> one, two = Ranked(np.array([0, 3]), np.array([2.0, 1.0])), Ranked(np.array([1]), np.array([2.0]))
    >>> joined_ranks([one, two], 2).rows
    array([0, 1])
    """
    rows = np.concatenate([part.rows for part in parts]) if parts else np.empty(0, np.int64)
    scores = np.concatenate([part.scores for part in parts]) if parts else np.empty(0)
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])
