"""The tokens around each dated mention, as codes, so that a search need not read the texts.

The tokens of a passage lie in one column of codes, run by run: the distinct tokens of its title, then those of each
unit (sentence or line) that has a date, then the rest of the passage. The context of a date is two runs, and a
whole passage is all of its runs. A code is a checksum of 32 bits; two tokens share one in one pair of four thousand
million.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows, expand_runs
from epochal.storage.records import TITLE
from epochal.storage.text import analyse, units

#: A first unit that is no longer than this, and states no time, may be the heading of what follows.
_HEADING = 60


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


class _Codes(dict[str, int]):
    """The codes of tokens; each is computed once."""

    def __missing__(self, token: str) -> int:
        code = self[token] = zlib.crc32(token.encode())
        return code

    def of(self, text: str) -> list[int]:
        return [self[token] for token in dict.fromkeys(analyse(text))]


def build_context_columns(
    texts: Sequence[tuple[str, str]], sizes: Sequence[int], starts: Sequence[int], first: int
) -> dict[str, npt.NDArray[Any]]:
    """The columns of some passages, whose first token is the `first` of all.

    Of each passage there are the title and the text; `sizes` says how many times each has, and `starts` the
    position of each in its passage, passage by passage.
    """
    codes = _Codes()
    tokens: list[int] = []
    begins: list[int] = []
    title_tokens: list[int] = []
    places: list[tuple[int, int]] = []
    left = iter(starts)
    for (title, text), size in zip(texts, sizes, strict=True):
        begins.append(first + len(tokens))
        own = codes.of(title) if title else []
        title_tokens.append(len(own))
        places += _add_runs(own, codes, text, list(islice(left, size)))
        tokens += own
    return {
        "tokens": np.array(tokens, dtype=np.uint32),
        "passages.token": np.array(begins, dtype=np.int64),
        "passages.title_tokens": np.array(title_tokens, dtype=np.int32),
        "content.token": np.array([place for place, _ in places], dtype=np.int32),
        "content.tokens": np.array([count for _, count in places], dtype=np.int32),
    }


def _add_runs(own: list[int], codes: _Codes, text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    """Put the runs of a text behind those of its title; for each time where its run begins, and how long it is."""
    around = find_contexts(text, starts)
    runs: dict[tuple[int, int], tuple[int, int]] = {}
    rest, done = [], 0
    for low, high in sorted(set(around) - {(0, len(text))}):
        run = codes.of(text[low:high])
        runs[low, high] = len(own), len(run)
        own += run
        # No token lies across the bounds of a unit, so what is left of the text has its own tokens whole.
        rest.append(text[done:low])
        done = high
    rest.append(text[done:])
    seen = set(own) if done else set()
    own += [code for code in codes.of("\n".join(rest)) if code not in seen]
    whole = 0, len(own)
    return [runs.get(unit, whole) for unit in around]


class ContextSearcher:
    """Looks for tokens in contexts; `content` has the columns `token` and `tokens` of the times that can be asked
    for.
    """

    def __init__(
        self, columns: Mapping[str, npt.NDArray[Any]], token: npt.NDArray[np.int32], tokens: npt.NDArray[np.int32]
    ) -> None:
        self._tokens = columns["tokens"]
        self._begins = columns["passages.token"]
        self._titled = columns["passages.title_tokens"]
        self._of_content = token, tokens

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens are in which context; see `View.match_contexts`."""
        unique, columns = np.unique(
            np.array([zlib.crc32(token.encode()) for token in tokens], dtype=np.uint32), return_inverse=True
        )
        present = np.zeros((len(rows), len(unique)), dtype=np.bool_)
        if not present.size:
            return np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        begins, title_tokens = self._begins[rows], self._titled[rows].astype(np.int64)
        offsets, sizes = np.zeros(len(rows), dtype=np.int64), self._get_ends(rows) - begins
        (read,) = np.nonzero(places >= 0)
        offsets[read], sizes[read] = (column[places[read]] for column in self._of_content)
        counts = np.concatenate([title_tokens, sizes])
        codes = self._tokens[expand_runs(np.concatenate([begins, begins + offsets]), counts)]
        at = np.minimum(unique.searchsorted(codes), len(unique) - 1)
        (hits,) = np.nonzero(unique[at] == codes)
        owners = np.repeat(np.tile(np.arange(len(rows)), 2), counts)
        present[owners[hits], at[hits]] = True
        return np.asarray(present[:, columns.reshape(-1)])

    def _get_ends(self, rows: Rows) -> Rows:
        last = len(self._begins) - 1
        return np.where(rows < last, self._begins[np.minimum(rows + 1, last)], len(self._tokens))
