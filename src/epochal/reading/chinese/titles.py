"""Titles in Chinese text, by their marks: 《1984》 is a novel, whatever its name looks like."""

from __future__ import annotations

import re

__all__ = ["TITLE", "outside_titles"]

#: Book title marks and what they hold; a number that fills quotation marks is taken for a title too.
TITLE = re.compile(r"《[^《》\n]{0,80}》|〈[^〈〉\n]{0,80}〉|「[0-9]{1,4}」|『[0-9]{1,4}』")


def outside_titles(text: str, places: list[tuple[int, int]]) -> list[bool]:
    """For each of the places of a text, given in order, whether no title touches it.

    >>> outside_titles("《1984》出版于1949年", [(1, 5), (9, 13)])
    [False, True]
    """
    titles = TITLE.finditer(text)
    title = next(titles, None)
    found = []
    for start, end in places:
        while title is not None and title.end() <= start:
            title = next(titles, None)
        found.append(title is None or end <= title.start())
    return found
