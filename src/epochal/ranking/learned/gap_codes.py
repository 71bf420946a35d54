"""Gaps in time as vectors: the waves of the Re3 paper, waves that tell all gaps apart, and what the paper compares.

The paper's waves have the frequencies f_i = 3^(2i/d), so that all lengths lie between 6.3 and 18.8 units: a gap and one
three weeks longer look alike. The logarithmic ones run from two days to four hundred years, and beside them stands the
logarithm of the gap itself, which no wave can fold.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["UNIT_DAYS", "base3_codes", "log_codes", "repeat_codes"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.float32]

_YEAR: Final = 365.2425
#: Days of each unit; years and months are the mean ones of the Gregorian calendar.
UNIT_DAYS: Final = {"days": 1.0, "months": _YEAR / 12, "years": _YEAR}
_SHORTEST: Final = 2.0
_LONGEST: Final = 400 * _YEAR
#: The logarithm of the longest gap that is told from longer ones: about 27,000 years.
_LOG_SCALE: Final = 16.0


def base3_codes(gaps: Floats, width: int) -> Codes:
    """The paper's encoding: e[2i] = sin(gap / f_i), e[2i + 1] = cos(gap / f_i) with f_i = 3^(2i/width).

    >>> base3_codes(np.array([0.0, np.pi]), 2).round(6).tolist()
    [[0.0, 1.0], [0.0, -1.0]]
    """
    _check(width)
    scale = 3.0 ** (2 * np.arange(width // 2) / width)
    angles = np.asarray(gaps, dtype=np.float64)[:, None] / scale
    return _interleaved(np.sin(angles), np.cos(angles))


def log_codes(days: Floats, width: int) -> Codes:
    """Waves whose lengths run evenly, as logarithms, from two days to four hundred years; then the size and the side.

    A wave of length w has the angle 2 pi gap / w. The last two columns are log(1 + |gap|), as a share of 16, and the
    sign of the gap: -1 before, 1 after, 0 for none. The width counts the waves alone.

    >>> log_codes(np.array([0.5, -0.5]), 2).astype(np.float64).round(3).tolist()
    [[1.0, 0.0, 0.025, 1.0], [-1.0, 0.0, 0.025, -1.0]]
    """
    _check(width)
    gaps = np.asarray(days, dtype=np.float64)
    lengths = np.geomspace(_SHORTEST, _LONGEST, width // 2)
    angles = 2 * np.pi * gaps[:, None] / lengths
    size = np.log1p(np.abs(gaps)) / _LOG_SCALE
    return np.column_stack([_interleaved(np.sin(angles), np.cos(angles)), size, np.sign(gaps)]).astype(np.float32)


def repeat_codes(gaps: Floats, width: int) -> Codes:
    """The gap itself, so many times.

    >>> repeat_codes(np.array([3.5]), 2).tolist()
    [[3.5, 3.5]]
    """
    _check(width)
    return np.repeat(np.asarray(gaps, dtype=np.float32)[:, None], width, axis=1)


def _interleaved(sines: Floats, cosines: Floats) -> Codes:
    both = np.stack([sines, cosines], axis=2)
    return both.reshape(len(both), -1).astype(np.float32)


def _check(width: int) -> None:
    if width < 2 or width % 2:
        raise EpochalError(f"the width of an encoding is {width}; accepted: an even number from 2")
