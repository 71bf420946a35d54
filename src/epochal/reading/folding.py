"""Traditional characters made simplified, one for one, so that places in the text stay true."""

from __future__ import annotations

from functools import cache

from epochal.times.calendars.han_text import fold

__all__ = ["Folding", "fold_in_place"]


class Folding(dict[int, str]):
    """A table for `str.translate`: traditional to simplified, one character for one, learned as characters come.

    >>> "永樂".translate(Folding())
    '永乐'
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = fold(char)
        self[code] = folded if len(folded) == 1 else char
        return self[code]


@cache
def _folding() -> Folding:
    # Characters of dates that the era tables have no need of.
    return Folding({ord(old): new for old, new in zip("閏後臘於歲嵗號貳參", "闰后腊于岁岁号贰参", strict=True)})


def fold_in_place(text: str) -> str:
    """The text in simplified characters, as long as before, so that places in it stay true.

    >>> fold_in_place("閏 月")
    '闰 月'
    """
    return text.translate(_folding())
