"""BM25 over postings that lie on the server.

The blocks of a question's tokens are fetched, those alone that may have a row that is asked for, and added up here: a
row on the server for each posting would cost far more to read than to send. What was fetched is kept for a while, for
a question is usually asked more than once: of all passages, of those of its time, of the candidates.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.bm25 import Singles, asked_tokens, best, length_weights, steady, token_weight
from epochal.backends.postgres.columns import Columns
from epochal.backends.postgres.moment import Moment
from epochal.backends.postgres.postings import Block, unpacked
from epochal.errors import EpochalError
from epochal.index.analysis import analyse
from epochal.index.backend import Ranked, Rows, Statistics

__all__ = ["ServerWords"]

#: Postings of a state that are kept in memory.
_MOST_KEPT: Final = 8_000_000
#: Of a restriction that reaches over no more than this share of all rows, only the blocks about it are fetched.
_NARROW: Final = 0.25

#: The blocks of some tokens, segment by segment: a few looks into an index, whatever the server thinks of its tables.
_BLOCKS: Final = (
    "epochal.segments s CROSS JOIN LATERAL (SELECT * FROM epochal.postings WHERE space = s.space AND first = s.first "
    "AND token = ANY(%(tokens)s::text[]) OFFSET 0) p"
)


class ServerWords:
    """Searches the words of one state.

    >>> ServerWords.__name__
    'ServerWords'
    """

    def __init__(self, moment: Moment, columns: Columns) -> None:
        self._moment = moment
        self._state = moment.state
        self._columns = columns
        self._guard = threading.Lock()
        self._blocks: OrderedDict[str, Block] = OrderedDict()
        self._kept = 0
        self._frequencies: dict[str, int] = {}
        # A search asks for the best of all rows, and then for the scores of some: these need no adding up.
        self._last: tuple[object, Singles] | None = None

    def statistics(self, tokens: Iterable[str]) -> Statistics:
        """Those of this state; deleted passages count until the index is compacted.

        >>> ServerWords.statistics.__name__
        'statistics'
        """
        wanted = list(dict.fromkeys(tokens))
        unknown = [token for token in wanted if token not in self._frequencies]
        if unknown:
            counts = Counter(dict.fromkeys(unknown, 0))
            # Segments that were joined since reach beyond this state: of those the rows must be looked at.
            for token, first, count, rows in self._moment.fetch(
                f"SELECT p.token, p.first, p.count, CASE WHEN s.past > %(past)s THEN p.rows END FROM {_BLOCKS} "
                "WHERE s.space = %(space)s AND s.first < %(past)s",
                {"space": self._state.space, "past": self._state.seen_passages, "tokens": _storable(unknown)},
                "searched",
            ):
                if rows is None:
                    counts[token] += count
                else:
                    counts[token] += len(unpacked(0, [(first, rows, rows)], self._state.seen_passages)[0])
            self._frequencies.update(counts)
        frequencies = {token: self._frequencies[token] for token in wanted}
        return Statistics(self._state.seen_passages, self._state.seen_tokens, frequencies)

    def words(self, query: str, k: int, statistics: Statistics | None, rows: Rows | None) -> Ranked:
        """The k rows with the highest BM25 by some statistics, or by this state's own; see `View.words`.

        `rows`, ascending, are of living passages; None stands for all of those.

        >>> ServerWords.words.__name__
        'words'
        """
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        if rows is not None and not len(rows):
            return Ranked(np.empty(0, np.int64), np.empty(0))
        found, scores = self._scored(query, statistics, rows)
        if rows is None and self._state.seen_dead:
            alive = self._columns.is_alive[found]
            found, scores = found[alive], scores[alive]
        return best(found, scores, k)

    def word_scores(self, query: str, rows: Rows, statistics: Statistics | None) -> npt.NDArray[np.float64]:
        """The BM25 of the given rows, in their order; see `View.word_scores`.

        >>> ServerWords.word_scores.__name__
        'word_scores'
        """
        scores = np.zeros(len(rows))
        if not len(rows):
            return scores
        wanted, places = np.unique(rows, return_inverse=True)
        found, found_scores = self._scored(query, statistics, wanted)
        of_wanted = np.zeros(len(wanted))
        of_wanted[np.searchsorted(wanted, found)] = found_scores
        return of_wanted[places.reshape(-1)]

    def present(self, rows: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens the passages at some rows have, or the titles of their documents: a column a token.

        >>> ServerWords.present.__name__
        'present'
        """
        found = np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        if not len(rows) or not len(tokens):
            return found
        blocks = self._fetched(list(dict.fromkeys(tokens)), np.unique(rows))
        for column, token in enumerate(tokens):
            having = blocks[token][0]
            if len(having):
                at = np.minimum(np.searchsorted(having, rows), len(having) - 1)
                found[:, column] = having[at] == rows
        return found

    # ---------------------------------------------------------------- inside

    def _scored(
        self, query: str, statistics: Statistics | None, rows: Rows | None
    ) -> tuple[Rows, npt.NDArray[np.float64]]:
        """All rows that share a word with a query, among the given ones, and their scores."""
        counts = Counter(analyse(query))
        if statistics is None:
            statistics = self.statistics(counts)
        asked = asked_tokens(counts, statistics.frequencies)
        if not asked or not self._state.seen_passages:
            return np.empty(0, np.int64), np.empty(0)
        weights = {
            token: token_weight(statistics.frequencies[token], times, statistics.passages)
            for token, times in asked.items()
        }
        by_length = length_weights(statistics)
        key = (tuple(weights.items()), by_length.tobytes())
        low, sums = 0, self._last[1] if self._last is not None and self._last[0] == key else None
        if sums is None:
            past = self._state.seen_passages if rows is None else int(rows[-1]) + 1
            low = 0 if rows is None else int(rows[0])
            sums = self._summed(weights, by_length, self._fetched(list(asked), rows), low, past)
            if rows is None:
                self._last = key, sums
        found = np.flatnonzero(sums) if rows is None else rows[sums[rows - low] > 0]
        return found, steady(sums[found - low])

    def _summed(
        self, weights: dict[str, np.float32], by_length: Singles, blocks: dict[str, Block], low: int, past: int
    ) -> Singles:
        """The scores of all rows from one to before another."""
        lengths = self._columns.lengths
        sums = np.zeros(past - low, dtype=np.float32)
        for token, weight in weights.items():
            having, counted = blocks[token]
            begin, end = np.searchsorted(having, (low, past))
            having, tf = having[begin:end], counted[begin:end].astype(np.float32)
            sums[having - low] += weight * (tf / (tf + by_length[lengths[having]]))
        return sums

    def _fetched(self, tokens: list[str], rows: Rows | None) -> dict[str, Block]:
        """The postings of tokens, all of them or at least those within the bounds of some rows."""
        with self._guard:
            found = {token: self._blocks[token] for token in tokens if token in self._blocks}
            for token in found:
                self._blocks.move_to_end(token)
        missing = [token for token in tokens if token not in found]
        if not missing:
            return found
        low, high = (0, self._state.seen_passages) if rows is None else (int(rows[0]), int(rows[-1]) + 1)
        narrow = high - low <= _NARROW * self._state.seen_passages
        if not narrow:
            low, high = 0, self._state.seen_passages
        parts: dict[str, list[tuple[int, bytes, bytes]]] = {token: [] for token in missing}
        for token, first, places, counts in self._moment.fetch(
            f"SELECT p.token, p.first, p.rows, p.counts FROM {_BLOCKS} "
            "WHERE s.space = %(space)s AND s.first < %(high)s AND s.past > %(low)s ORDER BY p.first",
            {"space": self._state.space, "high": high, "low": low, "tokens": _storable(missing)},
            "searched",
        ):
            parts[token].append((first, places, counts))
        fresh = {token: unpacked(0, blocks, self._state.seen_passages) for token, blocks in parts.items()}
        if not narrow:
            self._keep(fresh)
        return found | fresh

    def _keep(self, fresh: dict[str, Block]) -> None:
        with self._guard:
            for token, block in fresh.items():
                if token not in self._blocks:
                    self._blocks[token] = block
                    self._kept += len(block[0])
            while self._kept > _MOST_KEPT and self._blocks:
                _, gone = self._blocks.popitem(last=False)
                self._kept -= len(gone[0])


def _storable(tokens: Iterable[str]) -> list[str]:
    """What can be a token at all: the server holds neither NUL nor half characters."""
    return [token for token in tokens if not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in token)]
