"""Two copies of a text set side by side, where one has more in it and its characters vary: which place is which."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from epochal.reading.folding import fold_in_place

__all__ = ["Sides", "plain"]

#: The lengths of the stretches that are looked for, one after the other, in the gaps that the longer ones leave.
_SIZES: Final = (8, 5, 3)
_OTHER: Final = re.compile("[^\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")


def plain(text: str) -> str:
    """The characters of a text without marks, traditional and simplified alike.

    >>> plain("夏五月，鄭伯克段于鄢。")
    '夏五月郑伯克段于鄢'
    """
    return _OTHER.sub("", fold_in_place(text))


class Sides:
    """A text and a copy of it that has other things in between.

    Stretches that occur once on either side are matched, as many as can stand in one order; in the gaps between them
    shorter ones are looked for.

    >>> sides = Sides("夏五月鄭伯克段于鄢秋七月天王使宰咺來", "夏五月注也鄭伯克段于鄢注也秋七月天王使宰咺來")
    >>> sides.place(11), sides.place(13)
    (9, 9)
    """

    def __init__(self, text: str, copy: str) -> None:
        self.text, self.copy = text, copy
        pairs: list[tuple[int, int]] = []
        for size in _SIZES:
            found = [pair for gap in self._gaps(pairs) for pair in _matches(text, copy, gap, size)]
            pairs += [(at + step, its + step) for at, its in found for step in range(size)]
            pairs = _in_step(sorted(set(pairs)))
        self._texts = [pair[0] for pair in pairs]
        self._copies = [pair[1] for pair in pairs]

    @property
    def share(self) -> float:
        """How much of the text was found in the copy.

        >>> Sides("夏五月鄭伯克段于鄢", "夏五月鄭伯克段于鄢").share
        1.0
        """
        return len(set(self._texts)) / len(self.text) if self.text else 0.0

    def place(self, at: int, reach: int = 40) -> int | None:
        """The place in the text up to which the copy has got before one of its places.

        None where what was matched last lies further back than `reach`.

        >>> Sides("夏五月鄭伯克段于鄢", "夏五月鄭伯克段于鄢" + "注" * 50).place(59) is None
        True
        """
        last = bisect_left(self._copies, at) - 1
        if last < 0 or at - self._copies[last] > reach:
            return None
        return self._texts[last] + 1

    def _gaps(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
        before = (-1, -1)
        for pair in (*pairs, (len(self.text), len(self.copy))):
            if pair[0] - before[0] > 1 and pair[1] - before[1] > 1:
                yield before[0] + 1, pair[0], before[1] + 1, pair[1]
            before = pair


def _in_step(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted pairs without those that fall back on either side, as stretches that overlap may."""
    found: list[tuple[int, int]] = []
    last = (-1, -1)
    for pair in pairs:
        if pair[0] > last[0] and pair[1] > last[1]:
            found.append(pair)
            last = pair
    return found


def _matches(text: str, copy: str, gap: tuple[int, int, int, int], size: int) -> list[tuple[int, int]]:
    """The stretches that occur once on either side of a gap, as many as stand in one order."""
    ours, theirs = _once(text, gap[0], gap[1], size), _once(copy, gap[2], gap[3], size)
    return _rising([(at, theirs[gram]) for gram, at in ours.items() if gram in theirs])


def _once(text: str, start: int, end: int, size: int) -> dict[str, int]:
    places: dict[str, int] = {}
    again = set()
    for at in range(start, end - size + 1):
        gram = text[at : at + size]
        if gram in places:
            again.add(gram)
        places[gram] = at
    return {gram: at for gram, at in places.items() if gram not in again}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, given by their first numbers, in which the second numbers rise too."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        place = bisect_right(ends, second)
        before.append(tops[place - 1] if place else -1)
        if place == len(ends):
            ends.append(second)
            tops.append(number)
        else:
            ends[place], tops[place] = second, number
    found, number = [], tops[-1] if tops else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
