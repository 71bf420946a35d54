"""Runs of one to three tokens as numbers, and characters as tokens: what a table of runs is looked up by.

Whoever fits such a table and whoever reads times with it must number alike, so both take it from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["BASE", "BEGIN", "END", "LENGTH", "LONGEST", "PAD", "UNKNOWN", "Characters", "run_keys"]

#: The longest run.
LONGEST: Final = 3
#: Runs are read as numbers with this base, tokens as their digits; a token is below it, and three fit into 63 bits.
BASE: Final = 1 << 20
#: The length of a text's vector before it meets the table: with it, a rate of a few hundredths learns in a few epochs.
LENGTH: Final = 10.0
#: The numbers of padding, of characters that are not known, of the beginning and of the end; then come characters.
PAD, UNKNOWN, BEGIN, END, _FIRST = range(5)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters that have numbers of their own; all others share one.

    >>> Characters("春秋").rows(["春 秋秋", "夏"])
    [[2, 4, 5, 5, 3], [2, 1, 3]]
    """

    known: str
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {sign: number for number, sign in enumerate(self.known, _FIRST)})

    def rows(self, texts: Iterable[str], max_length: int | None = None) -> list[list[int]]:
        """Texts as numbers, between one for the beginning and one for the end; blanks are left out, the rest is cut.

        >>> Characters("春秋").rows(["春秋秋"], max_length=4)
        [[2, 4, 5, 3]]
        """
        most = None if max_length is None else max_length - 2
        number = self._numbers.get
        return [[BEGIN, *(number(sign, UNKNOWN) for sign in "".join(text.split())[:most]), END] for text in texts]


def run_keys(tokens: npt.NDArray[np.integer]) -> Ints:
    """The runs of 1, 2 and 3 tokens of one text, as numbers.

    The first and the last token, which stand for the beginning and the end, are in no run of one.

    >>> len(run_keys(np.array([2, 7, 8, 3])))  # 7, 8; 2-7, 7-8, 8-3; 2-7-8, 7-8-3
    7
    """
    digits = np.asarray(tokens, dtype=np.int64) + 1
    if len(digits) and int(digits.max()) >= BASE:
        raise EpochalError(f"a token has the number {int(digits.max()) - 1}; accepted: below {BASE - 1:,}")
    total, found = digits, [digits[1:-1]]
    for size in range(2, LONGEST + 1):
        total = total[:-1] * BASE + digits[size - 1 :]
        found.append(total)
    return np.concatenate(found)
