"""BM25 over postings on the server, with the same scores as the embedded word index.

    idf * boost * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / average length))
    idf = ln(1 + (N - df + 0.5) / (df + 0.5))

Single precision; a length is one of 256 codes, exact up to 40 and then rounded down ever more coarsely.

Passages written together are a *segment*, rows from `first` to before `past`. For each token of a segment the table
has one row: the offsets of its passages and the counts, packed. Offsets count from the start of a *page* of 65,536
rows, and a segment lies in one page, so blocks of neighbouring segments are merged by concatenating their bytes.

The blocks of a query's tokens are fetched, only those that may have a requested row, and summed here: a row per
posting would cost far more. They are cached for a while, since a search scores one query several times.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.columns import Columns
from epochal.backends.postgres.rows import copy_in, int4, int8, record
from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.errors import EpochalError
from epochal.storage.protocol import Ranked, Rows, Statistics
from epochal.storage.text import analyse
from epochal.storage.words import MAX_TERMS

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

Singles = npt.NDArray[np.float32]

_K1: Final = np.float32(1.2)
_B: Final = np.float32(0.75)
_ONE: Final = np.float32(1)
_HALF: Final = np.float32(0.5)


def _decode_length(code: int) -> int:
    """Below 24 a length is its own code; from there on four bits say which of eight steps, and how often it doubles."""
    if code < 24:
        return code
    part, doubled = (code - 24) & 7, (code - 24) >> 3
    return 24 + (part if doubled == 0 else (part | 8) << (doubled - 1))


#: The length that each code represents.
LENGTHS: Final = np.array([_decode_length(code) for code in range(256)], dtype=np.uint64)


def length_code(length: int) -> int:
    """The code of a length: that of the greatest length that is no longer."""
    return int(np.searchsorted(LENGTHS, length, side="right")) - 1


def select_query_tokens(counts: Counter[str], frequencies: Mapping[str, int]) -> dict[str, int]:
    """Those of a query's tokens that occur at all, in their order, with how often they are asked for.

    Of more than `MAX_TERMS` the rarest are used.
    """
    by_frequency = [(frequencies[token], token) for token in counts if frequencies.get(token)]
    if len(by_frequency) > MAX_TERMS:
        by_frequency = sorted(by_frequency)[:MAX_TERMS]
    return {token: counts[token] for token in sorted(token for _, token in by_frequency)}


def token_weight(frequency: int, times: int, passages: int) -> np.float32:
    """What a token that occurs in so many of all passages is worth, asked for so many times."""
    rest = np.float32(max(passages - frequency, 0)) + _HALF
    idf: np.float32 = np.log(_ONE + rest / (np.float32(frequency) + _HALF))
    weight: np.float32 = idf * (_ONE + _K1) * np.float32(times)
    return weight


def length_weights(statistics: Statistics) -> Singles:
    """For each code of a length what is added to the count of a token below the line."""
    average = np.float32(statistics.tokens) / np.float32(max(statistics.passages, 1))
    if not average:
        average = _ONE
    return np.asarray(_K1 * (_ONE - _B + _B * LENGTHS.astype(np.float32) / average), dtype=np.float32)


def steady(scores: Singles) -> npt.NDArray[np.float64]:
    """Scores without their last bits, which depend on the order of adding up; see `epochal.storage.words`."""
    bits = scores.view(np.uint32)
    rounded = ((bits + np.uint32(8)) >> np.uint32(4)) << np.uint32(4)
    return np.asarray(rounded.view(np.float32), dtype=np.float64)


def best(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Ranked:
    """The k best, of equal ones the lower row first; only what may be among them is put in order."""
    if k < len(rows):
        (near,) = np.nonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
        rows, scores = rows[near], scores[near]
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])


#: Rows to a page.
PAGE: Final = 1 << 16
_FANOUT: Final = 8
_MAX_COUNT: Final = 2**16 - 1

#: The rows that have a token, ascending, and how often each has it.
Block = tuple[Rows, npt.NDArray[np.uint16]]


def pages(first: int, past: int) -> Iterator[tuple[int, int]]:
    """A run of rows, cut where a page ends."""
    while first < past:
        end = min(past, (first // PAGE + 1) * PAGE)
        yield first, end
        first = end


def collect_postings(first: int, counted: Sequence[Counter[str]]) -> dict[str, Block]:
    """The postings of some passages that follow one another, by what is counted in each."""
    paths: dict[str, list[int]] = {}
    times: dict[str, list[int]] = {}
    for row, counts in enumerate(counted, first):
        for token, count in counts.items():
            if token in paths:
                paths[token].append(row)
                times[token].append(count)
            else:
                paths[token], times[token] = [row], [count]
    return {
        token: (np.array(rows, dtype=np.int64), np.minimum(times[token], _MAX_COUNT).astype(np.uint16))
        for token, rows in paths.items()
    }


def write_segment(connection: Connection[Any], space: int, first: int, past: int, blocks: Mapping[str, Block]) -> None:
    """Write the postings of the rows from `first` to before `past`, all of them in one page."""
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
            for token, (rows, counts) in sorted(blocks.items())
        ),
    )


def unpack(first: int, blocks: Iterable[tuple[int, bytes, bytes]], past: int | None = None) -> Block:
    """One token's rows and counts in several segments, given in order as their first row, places and counts.

    Rows below `first`, and from `past` on, are left out.
    """
    parts = list(blocks)
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.uint16)
    rows = np.concatenate(
        [np.frombuffer(positions, "<u2").astype(np.int64) + begin // PAGE * PAGE for begin, positions, _ in parts]
    )
    counts = np.concatenate([np.frombuffer(times, "<u2") for _, _, times in parts])
    low, high = np.searchsorted(rows, [first, rows[-1] + 1 if past is None else past])
    return rows[low:high], counts[low:high]


def joinable(segments: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The segments at the end that should be one: all of a page that is full, or eight of which none is half of all."""
    page = (segments[-1][1] - 1) // PAGE if segments else 0
    own = [(first, past) for first, past in segments if first // PAGE == page]
    if own and own[-1][1] % PAGE == 0:
        return own if len(own) > 1 else []
    tail = own[-_FANOUT:]
    sizes = [past - first for first, past in tail]
    return tail if len(tail) == _FANOUT and 2 * max(sizes) <= sum(sizes) else []


def merge(connection: Connection[Any], space: int) -> None:
    """Join the segments at the end as long as there are too many. Readers see them before it or after it."""
    segments = connection.execute(
        "SELECT first, past FROM (SELECT first, past FROM epochal.segments WHERE space = %s ORDER BY first DESC "
        "LIMIT 64) AS last ORDER BY first",
        (space,),
    ).fetchall()
    while selected := joinable(segments):
        first, past = selected[0][0], selected[-1][1]
        join(connection, space, first, past)
        segments = [*segments[: -len(selected)], (first, past)]


def join(connection: Connection[Any], space: int, first: int, past: int) -> None:
    """Make one segment of those from a row to before another, which lie in one page."""
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


#: Postings of a state that are kept in memory.
_MAX_CACHED: Final = 8_000_000
#: Of a restriction that reaches over no more than this share of all rows, only the blocks about it are fetched.
_NARROW: Final = 0.25

#: The blocks of some tokens, segment by segment: a few looks into an index, whatever the server thinks of its tables.
_BLOCKS: Final = (
    "epochal.segments s CROSS JOIN LATERAL (SELECT * FROM epochal.postings WHERE space = s.space AND first = s.first "
    "AND token = ANY(%(tokens)s::text[]) OFFSET 0) p"
)


class ServerWords:
    """Searches the words of one state."""

    def __init__(self, moment: PostgresSnapshot, columns: Columns) -> None:
        self._moment = moment
        self._state = moment.state
        self._columns = columns
        self._guard = threading.Lock()
        self._blocks: OrderedDict[str, Block] = OrderedDict()
        self._kept = 0
        self._frequencies: dict[str, int] = {}
        # A search asks for the best of all rows, and then for the scores of some: these need no adding up.
        self._last: tuple[object, Singles] | None = None

    def get_statistics(self, tokens: Iterable[str]) -> Statistics:
        """Those of this state; deleted passages count until the index is compacted."""
        unique = list(dict.fromkeys(tokens))
        unknown = [token for token in unique if token not in self._frequencies]
        if unknown:
            counts = Counter(dict.fromkeys(unknown, 0))
            # Segments that were joined since reach beyond this state: of those the rows must be looked at.
            for token, first, count, rows in self._moment.fetch(
                f"SELECT p.token, p.first, p.count, CASE WHEN s.past > %(past)s THEN p.rows END FROM {_BLOCKS} "
                "WHERE s.space = %(space)s AND s.first < %(past)s",
                {"space": self._state.space, "past": self._state.seen_passages, "tokens": _drop_unstorable(unknown)},
                "searched",
            ):
                if rows is None:
                    counts[token] += count
                else:
                    counts[token] += len(unpack(0, [(first, rows, rows)], self._state.seen_passages)[0])
            self._frequencies.update(counts)
        frequencies = {token: self._frequencies[token] for token in unique}
        return Statistics(self._state.seen_passages, self._state.seen_tokens, frequencies)

    def search_words(self, query: str, k: int, statistics: Statistics | None, rows: Rows | None) -> Ranked:
        """The k rows with the highest BM25 by some statistics, or by this state's own; see `View.search_words`.

        `rows`, ascending, are of living passages; None represents all of those.
        """
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        if rows is not None and not len(rows):
            return Ranked(np.empty(0, np.int64), np.empty(0))
        matching, scores = self._score_rows(query, statistics, rows)
        if rows is None and self._state.seen_dead:
            alive = self._columns.is_alive[matching]
            matching, scores = matching[alive], scores[alive]
        return best(matching, scores, k)

    def score_words(self, query: str, rows: Rows, statistics: Statistics | None) -> npt.NDArray[np.float64]:
        """The BM25 of the given rows, in their order; see `View.score_words`."""
        scores = np.zeros(len(rows))
        if not len(rows):
            return scores
        unique_rows, positions = np.unique(rows, return_inverse=True)
        matching, found_scores = self._score_rows(query, statistics, unique_rows)
        of_wanted = np.zeros(len(unique_rows))
        of_wanted[np.searchsorted(unique_rows, matching)] = found_scores
        return of_wanted[positions.reshape(-1)]

    def present(self, rows: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens the passages at some rows have, or the titles of their documents: a column a token."""
        presence = np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        if not len(rows) or not len(tokens):
            return presence
        blocks = self._fetch_postings(list(dict.fromkeys(tokens)), np.unique(rows))
        for column, token in enumerate(tokens):
            having = blocks[token][0]
            if len(having):
                at = np.minimum(np.searchsorted(having, rows), len(having) - 1)
                presence[:, column] = having[at] == rows
        return presence

    # ---------------------------------------------------------------- inside

    def _score_rows(
        self, query: str, statistics: Statistics | None, rows: Rows | None
    ) -> tuple[Rows, npt.NDArray[np.float64]]:
        """All rows that share a word with a query, among the given ones, and their scores."""
        counts = Counter(analyse(query))
        if statistics is None:
            statistics = self.get_statistics(counts)
        query_tokens = select_query_tokens(counts, statistics.frequencies)
        if not query_tokens or not self._state.seen_passages:
            return np.empty(0, np.int64), np.empty(0)
        weights = {
            token: token_weight(statistics.frequencies[token], times, statistics.passages)
            for token, times in query_tokens.items()
        }
        by_length = length_weights(statistics)
        key = (tuple(weights.items()), by_length.tobytes())
        low, sums = 0, self._last[1] if self._last is not None and self._last[0] == key else None
        if sums is None:
            past = self._state.seen_passages if rows is None else int(rows[-1]) + 1
            low = 0 if rows is None else int(rows[0])
            sums = self._sum_scores(weights, by_length, self._fetch_postings(list(query_tokens), rows), low, past)
            if rows is None:
                self._last = key, sums
        matching = np.flatnonzero(sums) if rows is None else rows[sums[rows - low] > 0]
        return matching, steady(sums[matching - low])

    def _sum_scores(
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

    def _fetch_postings(self, tokens: list[str], rows: Rows | None) -> dict[str, Block]:
        """The postings of tokens, all of them or at least those within the bounds of some rows."""
        with self._guard:
            postings = {token: self._blocks[token] for token in tokens if token in self._blocks}
            for token in postings:
                self._blocks.move_to_end(token)
        missing = [token for token in tokens if token not in postings]
        if not missing:
            return postings
        low, high = (0, self._state.seen_passages) if rows is None else (int(rows[0]), int(rows[-1]) + 1)
        narrow = high - low <= _NARROW * self._state.seen_passages
        if not narrow:
            low, high = 0, self._state.seen_passages
        parts: dict[str, list[tuple[int, bytes, bytes]]] = {token: [] for token in missing}
        for token, first, positions, counts in self._moment.fetch(
            f"SELECT p.token, p.first, p.rows, p.counts FROM {_BLOCKS} "
            "WHERE s.space = %(space)s AND s.first < %(high)s AND s.past > %(low)s ORDER BY p.first",
            {"space": self._state.space, "high": high, "low": low, "tokens": _drop_unstorable(missing)},
            "searched",
        ):
            parts[token].append((first, positions, counts))
        fresh = {token: unpack(0, blocks, self._state.seen_passages) for token, blocks in parts.items()}
        if not narrow:
            self._keep(fresh)
        return postings | fresh

    def _keep(self, fresh: dict[str, Block]) -> None:
        with self._guard:
            for token, block in fresh.items():
                if token not in self._blocks:
                    self._blocks[token] = block
                    self._kept += len(block[0])
            while self._kept > _MAX_CACHED and self._blocks:
                _, gone = self._blocks.popitem(last=False)
                self._kept -= len(gone[0])


def _drop_unstorable(tokens: Iterable[str]) -> list[str]:
    """What can be a token at all: the server holds neither NUL nor half characters."""
    return [token for token in tokens if not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in token)]
