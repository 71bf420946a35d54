"""The passages of each token, in memory: BM25 of all passages at once, and which of many passages have which tokens.

The columns of codes say which tokens a passage has (`epochal.storage.contexts`). An index that is searched often turns
them round once, and then the words of a question are searched among all passages, and among those of any time, by the
same few additions. A token of many passages adds little to a score: its part is added up only for the passages that
the other tokens leave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows, drop_repeated, union_rows
from epochal.storage.quantised import find_high

__all__ = ["MAX_TOKENS", "PassageScores", "Postings"]

Floats = npt.NDArray[np.float32]

#: Columns with more tokens than this are not turned round: that would take much memory.
MAX_TOKENS: Final = 100_000_000
#: A token of more than this share of all passages is a common one.
_COMMON: Final = 1 / 16
#: The parts of so many common tokens are kept for all passages, and the best passages by so many sets of them.
_KEPT: Final = 16
#: The passages of all other tokens of a question that are added up in less time than a search in the word index takes.
_ADDED: Final = 2_000_000
#: So many scores are parted at once, without a sample.
_FEW: Final = 1 << 14
#: More than the share of a score that rounding can change, and the least score of a match.
_ROUNDED: Final = 1e-5
_TINY: Final = np.finfo(np.float32).tiny
_BITS: Final = np.uint64(32)
_PLACE: Final = np.uint64((1 << 32) - 1)


class PassageScores:
    """BM25 of all passages for a query: what rare tokens add up to, and the factors and shares of the common ones.

    `rows` are the passages of each rare token: all others have none. `find_common` gives those that can be among the
    best so many by the common tokens alone.
    """

    def __init__(
        self,
        sums: Floats,
        rows: Sequence[Rows],
        common: Sequence[tuple[np.float32, Floats]],
        find_common: Callable[[int], Rows],
    ) -> None:
        self._sums = sums
        self._rows = rows
        self._common = common
        self._find_common = find_common

    def get(self, rows: Rows) -> Floats:
        """The scores of some passages."""
        scores = self._sums[rows]
        for factor, shares in self._common:
            scores += factor * shares[rows]
        return scores

    def find_possible(self, k: int) -> tuple[Rows, Floats]:
        """All passages that can be among the best k, however scores are rounded, ascending; and their scores."""
        rows = np.concatenate(self._rows) if self._rows else np.empty(0, dtype=np.int64)
        count = k * len(self._rows)  # a passage comes once for each rare token that it has
        if len(rows) <= _FEW:
            rows, count = drop_repeated(rows), k
        sums = self._sums[rows]
        least = _find_reached(self.get(drop_repeated(rows[sums >= _find_reached(sums, count)])), k)
        # No share is more than 1, so this is more than the common tokens can add.
        most = sum((factor for factor, _ in self._common), np.float32(0))
        among = drop_repeated(rows[sums >= least - most])
        if least <= most:
            # What has no rare token has the score of its common ones, and what has one has more than that.
            among = union_rows(among, self._find_common(k))
        scores = self.get(among)
        (found,) = (scores >= max(_find_reached(scores, k), _TINY)).nonzero()
        return among[found], scores[found]


def _find_reached(scores: Floats, k: int) -> np.float32:
    """A score that at least k reach, however they are rounded: of a few scores the k-th. 0 where there are fewer."""
    high: np.float32 = np.float32(0)
    if k > len(scores):
        return high
    if len(scores) <= _FEW:
        high = np.partition(scores, len(scores) - k)[len(scores) - k]
    elif np.count_nonzero(scores >= (sampled := find_high(scores, k))) >= k:
        high = sampled
    reached: np.float32 = high * np.float32(1 - _ROUNDED)
    return reached


class Postings:
    """The passages of each token, and what BM25 adds to their scores but for the factor of the token.

    `tokens` are the codes of all passages, `sizes` says how many each passage has, and `counts` how often it has each,
    at the first of its places. `norms` are those of the lengths of passages. Counts from `most` on are not known.
    """

    def __init__(
        self,
        tokens: npt.NDArray[np.uint32],
        counts: npt.NDArray[Any],
        sizes: Rows,
        norms: Floats,
        most: int,
    ) -> None:
        first = np.flatnonzero(counts).astype(np.uint32)
        # Numbers of 64 bits are sorted several times as fast as places by their codes.
        ordered = tokens[first].astype(np.uint64)
        ordered <<= _BITS
        ordered |= np.arange(len(first), dtype=np.uint64)
        ordered.sort()
        codes = (ordered >> _BITS).astype(np.uint32)
        ordered &= _PLACE
        places = first[ordered.view(np.int64)]
        del ordered, first
        begins = np.flatnonzero(np.diff(codes, prepend=codes[:1] + np.uint32(1)))
        self._codes, self._begins = codes[begins], np.append(begins, len(codes))
        self._rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[places]
        known = counts[places].astype(np.float32)
        self._uncounted = frozenset(codes[known >= most].tolist())
        self._shares = known / (known + norms[self._rows])
        self._count = len(sizes)
        self._kept: dict[int, Floats] = {}
        self._best: dict[tuple[tuple[int, ...], tuple[float, ...], int], Rows] = {}

    def _find(self, code: int) -> slice:
        at = int(self._codes.searchsorted(np.uint32(code)))
        if at == len(self._codes) or self._codes[at] != code:
            return slice(0, 0)
        return slice(int(self._begins[at]), int(self._begins[at + 1]))

    def score(self, factors: Mapping[int, np.float32]) -> PassageScores | None:
        """BM25 of all passages, given the factor of the code of each token.

        None where the passages are so many that the word index is faster, or where a count is not known.
        """
        found = {code: self._find(code) for code in factors}
        common = [code for code, part in found.items() if self._is_common(part)]
        rare = [(part, factors[code]) for code, part in found.items() if not self._is_common(part)]
        if sum(part.stop - part.start for part, _ in rare) > _ADDED or not self._uncounted.isdisjoint(found):
            return None
        sums = np.zeros(self._count, dtype=np.float32)
        rows = [self._rows[part].astype(np.int64) for part, _ in rare]
        for having, (part, factor) in zip(rows, rare, strict=True):
            np.add.at(sums, having, factor * self._shares[part])
        shares = [(factors[code], self._spread(code, found[code])) for code in common]
        return PassageScores(sums, rows, shares, partial(self._find_common, tuple(common), shares))

    def _find_common(self, codes: tuple[int, ...], shares: Sequence[tuple[np.float32, Floats]], k: int) -> Rows:
        """The passages that can be among the best k by some common tokens; questions have the same few of these."""
        key, kept = (codes, tuple(float(factor) for factor, _ in shares), k), self._best
        if key not in kept:
            scores = np.zeros(self._count, dtype=np.float32)
            for factor, of_all in shares:
                scores += factor * of_all
            (rows,) = (scores >= max(_find_reached(scores, k), _TINY)).nonzero()
            kept = self._best = {**dict(list(kept.items())[1 - _KEPT :]), key: rows}
        return kept[key]

    def _is_common(self, part: slice) -> bool:
        return bool(part.stop - part.start > _COMMON * self._count)

    def _spread(self, code: int, part: slice) -> Floats:
        """The shares of a common token for all passages, 0 where they lack it."""
        kept = self._kept
        if code not in kept:
            shares = np.zeros(self._count, dtype=np.float32)
            shares[self._rows[part]] = self._shares[part]
            kept = self._kept = {**dict(list(kept.items())[1 - _KEPT :]), code: shares}
        return kept[code]

    def match(self, rows: Rows, codes: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which of some passages have which tokens."""
        present = np.zeros((len(rows), len(codes)), dtype=np.bool_)
        for column, code in enumerate(codes):
            part = self._find(code)
            if self._is_common(part):
                present[:, column] = self._spread(code, part)[rows] > 0
                continue
            has = np.zeros(self._count, dtype=np.bool_)
            has[self._rows[part].astype(np.int64)] = True
            present[:, column] = has[rows]
        return present
