"""Long texts, read in bounded time: without endless runs of one kind of character, and in pieces.

The patterns of the readers look at what is around a word, blanks included; over a run of ten thousand blanks or digits
each of them would look at all of the run from every place in it. No time has such a run inside, so its middle is left
out, and the places in the text are put back afterwards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from epochal.reading.expression import TimeExpr

#: The longest run of blanks, and of letters, digits or one sign without a blank.
_BLANKS, _SIGNS = 60, 200
_LONG_BLANK = re.compile(r"\s{61}")
#: Every so many characters one is looked at first; of 61 blanks it meets 15.
_STEP = 4
_BLANKS_IN_SAMPLE = 15
_LONG_IN_SAMPLE = re.compile(rf"\s{{{_BLANKS_IN_SAMPLE}}}")
#: Letters of scripts that have blanks between words: any sign of Chinese may begin a time.
_RUN = re.compile(r"\s{61,}|\d{201,}|[A-Za-zÀ-ӿ]{201,}|(.)\1{200,}", re.DOTALL)

#: Pieces of about this many characters keep memory small and time linear.
PIECE_CHARS = 30_000
#: What may come after the end of a piece and belong to a time in it.
_MARGIN = 500
_ENDS = ("\n\n", "\n", ". ", "。", " ")


def read_shortened(text: str, read: Callable[[str], list[TimeExpr]]) -> list[TimeExpr]:
    """Read a text without the middle of endless runs; the expressions have their places in the whole text."""
    short, removed = shorten_runs(text)
    if not removed:
        return read(text)
    starts = [place for place, _ in removed]
    shifts = [0, *accumulate(count for _, count in removed)]

    def find_place(place: int) -> int:
        return place + shifts[bisect_right(starts, place)]

    found = []
    for item in read(short):
        start = find_place(item.start_char)
        end = find_place(item.end_char - 1) + 1
        found.append(replace(item, text=text[start:end], start_char=start, end_char=end))
    return found


def has_long_runs(text: str) -> bool:
    """Whether a text may have endless runs."""
    if len(text) <= _BLANKS:
        return False
    sample = text[::_STEP]  # a run that is too long is long there, too
    words = sample.split()
    signs = len("".join(words))
    has_blanks = len(sample) - signs >= _BLANKS_IN_SAMPLE and _LONG_IN_SAMPLE.search(sample) is not None
    if has_blanks and _LONG_BLANK.search(text) is not None:
        return True
    longest = _SIGNS // _STEP
    return signs >= longest and max(map(len, words)) >= longest and max(map(len, text.split())) > _SIGNS


def shorten_runs(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without the middle of endless runs; and where in it how many characters were left out.

    >>> short, removed = shorten_runs("1998" + 100 * " " + "2003")
    >>> len(short), removed
    (68, [(34, 40)])
    """
    parts: list[str] = []
    removed: list[tuple[int, int]] = []
    place = length = 0
    for match in _RUN.finditer(text):
        most = _BLANKS if match[0].isspace() else _SIGNS
        start, end = match.start() + most // 2, match.end() - most // 2
        if end <= start:
            continue
        parts.append(text[place:start])
        length += start - place
        removed.append((length, end - start))
        place = end
    parts.append(text[place:])
    return "".join(parts), removed


def read_in_pieces(text: str, read: Callable[[str], list[TimeExpr]]) -> list[TimeExpr]:
    """Read a long text piece by piece. A piece ends where no expression is, with a paragraph if possible."""
    expressions: list[TimeExpr] = []
    start = 0
    while len(text) - start > PIECE_CHARS:
        piece = text[start : start + PIECE_CHARS]
        here = read(piece)
        cut = _find_cut(piece, here)
        expressions += (item.shift(start) for item in here if item.end_char <= cut)
        start += cut
    if not start:
        return read(text)
    return expressions + [item.shift(start) for item in read(text[start:])]


def _find_cut(piece: str, expressions: Sequence[TimeExpr]) -> int:
    starts = [item.start_char for item in expressions]
    for mark in _ENDS:
        end = len(piece) - _MARGIN
        while (place := piece.rfind(mark, len(piece) // 2, end)) >= 0:
            cut = place + len(mark)
            before = expressions[: bisect_right(starts, cut - 1)]
            if not before or max(item.end_char for item in before[-3:]) <= place:
                return cut
            end = place
    return len(piece)
