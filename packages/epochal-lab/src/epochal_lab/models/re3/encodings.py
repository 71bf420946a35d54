"""Encodings of time gaps for Re3.

The paper's waves have frequencies f_i = 3^(2i/d), so that all wavelengths lie between 6.3 and 18.8 units: a gap and one
three weeks longer look alike. The logarithmic ones run from two days to four hundred years, together with the logarithm
of the gap itself, which is not periodic.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.float32]

_YEAR: Final = 365.2425
#: Days of each unit, with mean Gregorian years and months.
UNIT_DAYS: Final = {"days": 1.0, "months": _YEAR / 12, "years": _YEAR}
_MIN_WAVE: Final = 2.0
_MAX_WAVE: Final = 400 * _YEAR
#: The logarithm of the longest gap that is distinguished: about 27,000 years.
_LOG_SCALE: Final = 16.0


def encode_base3(gaps: Floats, width: int) -> Codes:
    """The paper's encoding: e[2i] = sin(gap / f_i), e[2i + 1] = cos(gap / f_i) with f_i = 3^(2i/width)."""
    _check_width(width)
    scale = 3.0 ** (2 * np.arange(width // 2) / width)
    angles = np.asarray(gaps, dtype=np.float64)[:, None] / scale
    return _interleave(np.sin(angles), np.cos(angles))


def encode_log(days: Floats, width: int) -> Codes:
    """Encode gaps by waves with log-spaced lengths from two days to four hundred years, then by size and sign.

    A wave of length w has the angle 2 pi gap / w. The last two columns are log(1 + |gap|) / 16 and the sign of the gap.
    The width counts the waves alone.
    """
    _check_width(width)
    gaps = np.asarray(days, dtype=np.float64)
    lengths = np.geomspace(_MIN_WAVE, _MAX_WAVE, width // 2)
    angles = 2 * np.pi * gaps[:, None] / lengths
    size = np.log1p(np.abs(gaps)) / _LOG_SCALE
    return np.column_stack([_interleave(np.sin(angles), np.cos(angles)), size, np.sign(gaps)]).astype(np.float32)


def encode_repeat(gaps: Floats, width: int) -> Codes:
    """Repeat the gap itself `width` times."""
    _check_width(width)
    return np.repeat(np.asarray(gaps, dtype=np.float32)[:, None], width, axis=1)


def _interleave(sines: Floats, cosines: Floats) -> Codes:
    both = np.stack([sines, cosines], axis=2)
    return both.reshape(len(both), -1).astype(np.float32)


def _check_width(width: int) -> None:
    if width < 2 or width % 2:
        raise EpochalError(f"the width of an encoding is {width}; accepted: an even number from 2")
