"""The part of a passage that is worth showing: around the times that speak for it, with these marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from epochal.cli.rendering.columns import clean, wide
from epochal.cli.rendering.page import Piece

__all__ = ["marked_pieces", "snippet"]

#: How a time is shown that speaks for a hit.
MARK = "bold yellow"


def snippet(text: str, marks: Iterable[tuple[int, int]], room: int) -> list[tuple[str, bool]]:
    """A stretch of a text that takes at most so many columns, as pieces that are marked or not.

    It starts with the text where the first mark is near its start, and else a little before the mark. Line breaks
    and runs of spaces become one space.

    >>> snippet("The Nobel Prize in Literature 1933.", [(30, 34)], 60)
    [('The Nobel Prize in Literature ', False), ('1933', True), ('.', False)]
    >>> snippet("It began long ago, and after many years of work it was done in 1933.", [(63, 67)], 30)
    [('… work it was done in ', False), ('1933', True), ('.', False)]
    """
    places = sorted(marks)
    flagged = _characters(text, places)
    widths = [wide(character) for character, _ in flagged]
    if sum(widths) <= room:
        return _joined(flagged)
    first = next((place for place, (_, marked) in enumerate(flagged) if marked), 0)
    last = next((place for place in range(first, len(flagged)) if not flagged[place][1]), len(flagged))
    start = 0
    if sum(widths[:last]) > room - 1:
        start = first
        before = max(room // 3, room - 2 - sum(widths[first:]))  # near the end of the text there is more room
        while start and widths[start - 1] <= before:
            start -= 1
            before -= widths[start]
        # Begin with a whole word, where there is one between here and the mark.
        start = next((place for place in range(start, first) if flagged[place][0] == " "), start)
    left = room - 1 - (1 if start else 0)  # what is left out is marked
    end = start
    while end < len(flagged) and widths[end] <= left:
        left -= widths[end]
        end += 1
    shown = flagged[start:end]
    if end < len(flagged):
        shown = [*_without_part_of_word(shown, flagged[end][0]), ("…", False)]
    if start:
        shown = [("…", False), *shown]
    return _joined(shown)


def marked_pieces(pieces: Sequence[tuple[str, bool]], *, brackets: bool) -> list[Piece]:
    """Pieces with the marked ones styled; in brackets too, where there are no colours to tell them by.

    >>> marked_pieces([("in ", False), ("1933", True)], brackets=True)
    [('in ', ''), ('[1933]', 'bold yellow')]
    """
    return [(f"[{text}]" if marked and brackets else text, MARK if marked else "") for text, marked in pieces]


def _characters(text: str, marks: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The characters that are shown, each with whether it is within a mark."""
    found: list[tuple[str, bool]] = []
    pending = iter(marks)
    mark = next(pending, None)
    for place, character in enumerate(text):
        while mark is not None and place >= mark[1]:
            mark = next(pending, None)
        inside = mark is not None and mark[0] <= place
        shown = clean(character)
        if shown.isspace():
            shown = " "
            if not found or found[-1][0] == " ":
                continue
        if shown:
            found.append((shown, inside))
    while found and found[-1][0] == " ":
        found.pop()
    return found


def _without_part_of_word(shown: list[tuple[str, bool]], following: str) -> list[tuple[str, bool]]:
    if following == " ":
        return shown
    last = next((place for place in range(len(shown) - 1, -1, -1) if shown[place][0] == " "), -1)
    # A text without spaces, such as Chinese, may be cut anywhere.
    return shown[:last] if last >= max(len(shown) - 20, 1) else shown


def _joined(flagged: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    for character, marked in flagged:
        if pieces and pieces[-1][1] == marked:
            pieces[-1] = (pieces[-1][0] + character, marked)
        else:
            pieces.append((character, marked))
    return pieces
