"""BM25 as the embedded word index computes it, number by number: single precision, and lengths in one byte.

    idf * boost * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / average length))
    idf = ln(1 + (N - df + 0.5) / (df + 0.5))

A length is stored as one of 256 codes: exactly up to 40, and then ever more coarsely, rounded down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.index.backend import Ranked, Rows, Statistics
from epochal.index.words import MOST_TERMS

__all__ = ["LENGTHS", "Singles", "asked_tokens", "best", "length_code", "length_weights", "steady", "token_weight"]

Singles = npt.NDArray[np.float32]

_K1: Final = np.float32(1.2)
_B: Final = np.float32(0.75)
_ONE: Final = np.float32(1)
_HALF: Final = np.float32(0.5)


def _length(code: int) -> int:
    """Below 24 a length is its own code; from there on four bits say which of eight steps, and how often it doubles."""
    if code < 24:
        return code
    part, doubled = (code - 24) & 7, (code - 24) >> 3
    return 24 + (part if doubled == 0 else (part | 8) << (doubled - 1))


#: The length that each code stands for.
LENGTHS: Final = np.array([_length(code) for code in range(256)], dtype=np.uint64)


def length_code(length: int) -> int:
    """The code of a length: that of the greatest length that is no longer.

    >>> [int(LENGTHS[length_code(length)]) for length in (7, 40, 41, 1000)]
    [7, 40, 40, 984]
    """
    return int(np.searchsorted(LENGTHS, length, side="right")) - 1


def asked_tokens(counts: Counter[str], frequencies: Mapping[str, int]) -> dict[str, int]:
    """Those of a query's tokens that occur at all, in their order, with how often they are asked for.

    Of more than `MOST_TERMS` the rarest are used.

    >>> asked_tokens(Counter(["the", "tariff", "the"]), {"the": 9, "tariff": 0})
    {'the': 2}
    """
    known = [(frequencies[token], token) for token in counts if frequencies.get(token)]
    if len(known) > MOST_TERMS:
        known = sorted(known)[:MOST_TERMS]
    return {token: counts[token] for token in sorted(token for _, token in known)}


def token_weight(frequency: int, times: int, passages: int) -> np.float32:
    """What a token that occurs in so many of all passages is worth, asked for so many times.

    >>> round(float(token_weight(1, 1, 2)), 4)
    1.5249
    """
    rest = np.float32(max(passages - frequency, 0)) + _HALF
    idf: np.float32 = np.log(_ONE + rest / (np.float32(frequency) + _HALF))
    weight: np.float32 = idf * (_ONE + _K1) * np.float32(times)
    return weight


def length_weights(statistics: Statistics) -> Singles:
    """For each code of a length what is added to the count of a token below the line.

    >>> length_weights(Statistics(2, 7, {}))[[1, 7]].round(3).tolist()
    [0.5569999814033508, 2.0999999046325684]
    """
    average = np.float32(statistics.tokens) / np.float32(max(statistics.passages, 1))
    if not average:
        average = _ONE
    return np.asarray(_K1 * (_ONE - _B + _B * LENGTHS.astype(np.float32) / average), dtype=np.float32)


def steady(scores: Singles) -> npt.NDArray[np.float64]:
    """Scores without their last bits, which depend on the order of adding up; see `epochal.index.words`.

    >>> float(steady(np.array([1.0000001], dtype=np.float32))[0])
    1.0
    """
    bits = scores.view(np.uint32)
    kept = ((bits + np.uint32(8)) >> np.uint32(4)) << np.uint32(4)
    return np.asarray(kept.view(np.float32), dtype=np.float64)


def best(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Ranked:
    """The k best, of equal ones the lower row first; only what may be among them is put in order.

    >>> best(np.array([4, 2, 9]), np.array([0.5, 0.5, 0.1]), 2).rows
    array([2, 4])
    """
    if k < len(rows):
        (near,) = np.nonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
        rows, scores = rows[near], scores[near]
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])
