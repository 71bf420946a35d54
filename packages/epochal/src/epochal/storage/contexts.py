"""The words of passages as codes: which words are in a passage or around a time, and BM25 of given passages.

The tokens of a passage lie in one column of codes, run by run: the distinct tokens of its title, then those of each
unit (sentence or line) that has a date, then the rest of the passage. The context of a date is two runs, and a whole
passage is all of its runs. A code is a checksum of 32 bits; two tokens share one in one pair of four thousand million.

A column of the same length says how often the passage has a token, at the first of its places, and 0 at the others. So
the passages that a search has found are scored without asking the word index, by the same formula.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from threading import Thread
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.storage.postings import MAX_TOKENS, PassageScores, Postings
from epochal.storage.protocol import Rows, TokenCodes, expand_runs
from epochal.storage.records import TITLE
from epochal.storage.text import units

#: A first unit that is no longer than this, and states no time, may be the heading of what follows.
_HEADING: Final = 60
#: Counts from here on are written as this one; passages that have it are scored by the word index.
MOST: Final = 255
#: Rows in a run, on average, from which runs are copied rather than codes collected one by one.
_RUN: Final = 4
#: So many tokens are looked for one by one.
_FEW_TOKENS: Final = 16
#: Passages from which on those of each token, once they are in memory, are faster than the tokens of each passage.
_MANY_PASSAGES: Final = 1000


def find_contexts(text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    """For each time of a text, by its position, the range that is its context; all of the text if no unit is.

    A short first unit without a time is a heading, and belongs to the unit after it.
    """
    bounds = units(text) if any(at != TITLE for at in starts) else []
    numbers = [bisect_right(bounds, (at, len(text))) - 1 if at != TITLE else -1 for at in starts]
    has_heading = 0 not in numbers and bool(bounds) and bounds[0][1] - bounds[0][0] <= _HEADING
    contexts = []
    for number in numbers:
        low, high = bounds[number] if number >= 0 else (0, len(text))
        contexts.append((bounds[0][0] if number == 1 and has_heading else low, high))
    return contexts


def encode_token(token: str) -> int:
    """The code of a token."""
    return zlib.crc32(token.encode())


class Passages(NamedTuple):
    """The codes of some passages, one after another, where each passage ends, and how far before the column it is."""

    codes: npt.NDArray[np.uint32]
    ends: Rows
    shifts: Rows

    def find(self, token: str) -> tuple[Rows, Rows]:
        """The passages that have a token, as often as their runs have it, and its places in the column."""
        (found,) = (self.codes == np.uint32(encode_token(token))).nonzero()
        passages = self.ends.searchsorted(found, side="right")
        return passages, found + self.shifts[passages]


class PassageReader:
    """Reads the codes of passages."""

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self.tokens = columns["tokens"]
        self.begins = columns["passages.token"]
        # One search asks several things of the same passages.
        self._last: tuple[bytes, Passages] | None = None
        #: The passages of each token, once there are.
        self.postings: Postings | None = None

    def read(self, rows: Rows) -> Passages:
        """The codes of some passages."""
        key, last = rows.tobytes(), self._last
        if last is not None and last[0] == key:
            return last[1]
        begins, sizes = self.begins[rows], self.get_sizes(rows)
        ends = sizes.cumsum()
        passages = Passages(self._read_runs(rows, begins, sizes), ends, begins - (ends - sizes))
        self._last = key, passages
        return passages

    def _read_runs(self, rows: Rows, begins: Rows, sizes: Rows) -> npt.NDArray[np.uint32]:
        """The codes of passages. Those of one time were often stored one after another, and are copied run by run."""
        (breaks,) = (rows[1:] != rows[:-1] + 1).nonzero()
        if _RUN * len(breaks) >= len(rows):
            return np.asarray(self.tokens[expand_runs(begins, sizes)])
        lows = [0, *(breaks + 1).tolist()]
        highs = [*breaks.tolist(), len(rows) - 1]
        stops = begins[highs] + sizes[highs]
        runs = zip(begins[lows].tolist(), stops.tolist(), strict=True)
        return np.concatenate([self.tokens[start:stop] for start, stop in runs])

    def get_sizes(self, rows: Rows) -> Rows:
        """How many codes each of some passages has."""
        return np.asarray(self._bounds[rows + 1] - self._bounds[rows])

    @cached_property
    def _bounds(self) -> Rows:
        """Where each passage begins, and where the last one ends."""
        return np.append(self.begins, len(self.tokens))


class ContextSearcher:
    """Looks for tokens in contexts; `token` and `tokens` are the columns of the times that can be asked for."""

    def __init__(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        token: npt.NDArray[np.int32],
        tokens: npt.NDArray[np.int32],
        reader: PassageReader | None = None,
    ) -> None:
        self._reader = reader or PassageReader(columns)
        self._titled = columns["passages.title_tokens"]
        self._of_content = token, tokens

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens are in which context; see `View.match_contexts`."""
        present = np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        if not present.size:
            return present
        (read,) = np.nonzero(places >= 0)
        if not len(read):
            if len(rows) > _MANY_PASSAGES and len(tokens) <= _FEW_TOKENS and self._reader.postings is not None:
                return self._reader.postings.match(rows, [encode_token(token) for token in tokens])
            passages = self._reader.read(rows)
            _mark_tokens(present, passages.codes, passages.ends, tokens)
            return present
        begins, title_tokens = self._reader.begins[rows], self._titled[rows].astype(np.int64)
        offsets, sizes = np.zeros(len(rows), dtype=np.int64), self._reader.get_sizes(rows)
        offsets[read], sizes[read] = (column[places[read]] for column in self._of_content)
        counts = np.concatenate([title_tokens, sizes])
        codes = self._reader.tokens[expand_runs(np.concatenate([begins, begins + offsets]), counts)]
        _mark_tokens(present, codes, np.cumsum(counts), tokens)
        return present

    def get_token_codes(self, rows: Rows) -> TokenCodes:
        """The codes of passages; see `SupportsTokenCodes.get_token_codes`."""
        passages = self._reader.read(rows)
        return TokenCodes(passages.codes, self._reader.get_sizes(rows), self._titled[rows].astype(np.int64))


def _mark_tokens(
    present: npt.NDArray[np.bool_], codes: npt.NDArray[np.uint32], ends: Rows, tokens: Sequence[str]
) -> None:
    """Mark which tokens are in which run of codes; the runs are those of all rows, once or several times."""
    wanted = np.array([encode_token(token) for token in tokens], dtype=np.uint32)
    if len(tokens) <= _FEW_TOKENS:
        for column, code in enumerate(wanted):
            (found,) = np.nonzero(codes == code)
            present[ends.searchsorted(found, side="right") % len(present), column] = True
        return
    unique, columns = np.unique(wanted, return_inverse=True)
    at = np.minimum(unique.searchsorted(codes), len(unique) - 1)
    (found,) = np.nonzero(unique[at] == codes)
    marks = np.zeros((len(present), len(unique)), dtype=np.bool_)
    marks[ends.searchsorted(found, side="right") % len(present), at[found]] = True
    present[:] = marks[:, columns.reshape(-1)]


#: The constants of BM25 in the word index.
_K1: Final = np.float32(1.2)
_B: Final = np.float32(0.75)
_ONE: Final = np.float32(1)
_HALF: Final = np.float32(0.5)
#: So many searches take about as long as turning the columns round.
_SEARCHES: Final = 100
#: Columns with more tokens than this are turned round by another thread, while the word index is searched.
_AT_ONCE: Final = 4_000_000
#: Codes that are compared with tokens in about the time of a search in the word index.
_COMPARED: Final = 4_000_000


class Bm25Scorer:
    """BM25 of given passages from the codes of their tokens, as the word index computes it: in single precision."""

    def __init__(self, reader: PassageReader, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self._reader = reader
        self._counts = columns["tokens.count"]
        self._lengths = columns["passages.length"]
        self._searches = 0
        self._turning: Thread | None = None

    @cached_property
    def _mean(self) -> np.float32:
        # Both are rounded before they are divided, as the word index does it.
        total = np.float32(max(int(self._lengths.sum(dtype=np.int64)), 1))
        mean: np.float32 = total / np.float32(len(self._lengths))
        return mean

    def can_score(self, rows: Rows, tokens: int) -> bool:
        """Whether rows are scored by so many tokens in less time than the word index needs."""
        return len(rows) * tokens <= _COMPARED and int(self._reader.get_sizes(rows).sum()) * tokens <= _COMPARED

    def score(self, rows: Rows, terms: Mapping[str, tuple[int, int]]) -> npt.NDArray[np.float32] | None:
        """The scores of rows for tokens, of each of which the document frequency and the weight are given.

        None where a count is too high to be known.
        """
        passages = self._reader.read(rows)
        norms = self._measure_norms(self._lengths[rows])
        scores = np.zeros(len(rows), dtype=np.float32)
        for token, (frequency, weight) in terms.items():
            found, places = passages.find(token)
            counts = self._counts[places]
            (first,) = counts.nonzero()
            found, counts = found[first], counts[first].astype(np.float32)
            if counts.max(initial=0) >= MOST:
                return None
            scores[found] += self._weigh(frequency, weight) * (counts / (counts + norms[found]))
        return scores

    def score_all(self, terms: Mapping[str, tuple[int, int]]) -> PassageScores | None:
        """The scores of all rows; None before there have been many searches, or where the word index is faster."""
        self._searches += 1
        if self._reader.postings is None and self._searches >= _SEARCHES and len(self._counts) <= MAX_TOKENS:
            self._start_turning()
        if self._reader.postings is None:
            return None
        return self._reader.postings.score({encode_token(name): self._weigh(*terms[name]) for name in terms})

    def _start_turning(self) -> None:
        if len(self._counts) <= _AT_ONCE:
            self._turn_round()
        elif self._turning is None:
            self._turning = Thread(target=self._turn_round, daemon=True)
            self._turning.start()

    def _turn_round(self) -> None:
        """Make the passages of each token."""
        norms = self._measure_norms(np.asarray(self._lengths))
        sizes = self._reader.get_sizes(np.arange(len(self._lengths)))
        self._reader.postings = Postings(self._reader.tokens, self._counts, sizes, norms, MOST)

    def _measure_norms(self, lengths: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(_K1 * (_ONE - _B + _B * _round_lengths(lengths) / self._mean))

    def _weigh(self, frequency: int, weight: int) -> np.float32:
        """The factor of a token of so many passages, and of so much weight."""
        return _compute_factor(len(self._lengths), frequency, weight)


@lru_cache(maxsize=1 << 12)
def _compute_factor(passages: int, frequency: int, weight: int) -> np.float32:
    rarity = np.log(_ONE + (np.float32(passages - frequency) + _HALF) / (np.float32(frequency) + _HALF))
    factor: np.float32 = rarity * (_ONE + _K1) * np.float32(weight)
    return factor


def _list_lengths() -> Rows:
    """The lengths that the word index tells apart, which it keeps in a byte: exact ones up to 40, then fewer."""
    lengths = list(range(24))
    for number in range(232):
        shift, bits = number >> 3, number & 7
        lengths.append(24 + (bits if shift == 0 else (bits | 8) << (shift - 1)))
    return np.array(lengths, dtype=np.int64)


_LENGTHS: Final = _list_lengths()
#: The same for every length below this many, to be looked up.
_SHORT: Final = 2048
_SHORT_LENGTHS: Final = _LENGTHS[_LENGTHS.searchsorted(np.arange(_SHORT), side="right") - 1].astype(np.float32)


def _round_lengths(lengths: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """Lengths as the word index tells them apart."""
    if lengths.max(initial=0) < _SHORT:
        return np.asarray(_SHORT_LENGTHS[lengths])
    return _LENGTHS[_LENGTHS.searchsorted(lengths, side="right") - 1].astype(np.float32)
