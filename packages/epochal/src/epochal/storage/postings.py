"""The passages of each token, in memory: BM25 of all passages at once, and which of many passages have which tokens.

The columns of codes say which tokens a passage has (`epochal.storage.contexts`). An index that is searched often turns
them round once, and then the words of a question are searched among all passages, and among those of any time, by the
same few additions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows

__all__ = ["MAX_TOKENS", "Postings"]

#: Columns with more tokens than this are not turned round: that would take seconds, and much memory.
MAX_TOKENS: Final = 8_000_000
#: The passages of all tokens of a question that are added up in less time than a search in the word index takes.
_ADDED: Final = 250_000
_BITS: Final = np.uint64(32)
_PLACE: Final = np.uint64((1 << 32) - 1)


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
        norms: npt.NDArray[np.float32],
        most: int,
    ) -> None:
        (first,) = counts.nonzero()
        # Numbers of 64 bits are sorted several times as fast as places by their codes.
        ordered = np.sort((tokens[first].astype(np.uint64) << _BITS) | np.arange(len(first), dtype=np.uint64))
        codes = (ordered >> _BITS).astype(np.uint32)
        places = first[(ordered & _PLACE).astype(np.int64)]
        begins = np.flatnonzero(np.diff(codes, prepend=codes[:1] + np.uint32(1)))
        self._codes, self._begins = codes[begins], np.append(begins, len(codes))
        self._rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[places]
        known = counts[places].astype(np.float32)
        self._shares = known / (known + norms[self._rows])
        self._uncounted = frozenset(codes[known >= most].tolist())
        self._count = len(sizes)

    def _find(self, code: int) -> slice:
        at = int(self._codes.searchsorted(np.uint32(code)))
        if at == len(self._codes) or self._codes[at] != code:
            return slice(0, 0)
        return slice(int(self._begins[at]), int(self._begins[at + 1]))

    def score(self, factors: Mapping[int, np.float32]) -> npt.NDArray[np.float32] | None:
        """BM25 of all passages, given the factor of the code of each token.

        None where the passages are so many that the word index is faster, or where a count is not known.
        """
        found = {code: self._find(code) for code in factors}
        if sum(part.stop - part.start for part in found.values()) > _ADDED or not self._uncounted.isdisjoint(found):
            return None
        scores = np.zeros(self._count, dtype=np.float32)
        for code, part in found.items():
            np.add.at(scores, self._rows[part].astype(np.int64), factors[code] * self._shares[part])
        return scores

    def match(self, rows: Rows, codes: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which of some passages have which tokens."""
        present = np.zeros((len(rows), len(codes)), dtype=np.bool_)
        for column, code in enumerate(codes):
            has = np.zeros(self._count, dtype=np.bool_)
            has[self._rows[self._find(code)].astype(np.int64)] = True
            present[:, column] = has[rows]
        return present
