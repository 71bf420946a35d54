"""Text in terminal columns, and Page, which prints it coloured in a terminal and plain elsewhere."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_EIGHTHS = " ▏▎▍▌▋▊▉"


def measure_width(text: str) -> int:
    """Measure the columns that a text takes: Chinese characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with spaces to a width; on its left side with `right`."""
    space = " " * (width - measure_width(text))
    return space + text if right else text + space


def crop(text: str, width: int) -> str:
    """Crop a text to a number of columns, with an ellipsis."""
    if measure_width(text) <= width:
        return text
    cropped, room = "", width - 1
    for character in text:
        room -= measure_width(character)
        if room < 0:
            break
        cropped += character
    return f"{cropped.rstrip()}…"


def clean(text: str) -> str:
    """Remove everything that could control a terminal: controls become spaces, invisible characters go."""
    if text.isprintable():
        return text
    return "".join(_clean_character(character) for character in text)


def _clean_character(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    return "" if kind in ("Cf", "Cs") else character


def bar(share: float, width: int) -> str:
    """Draw a bar over a share of a width, to an eighth of a column."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


#: A text and its style; an empty style is plain.
Piece = tuple[str, str]

_WORD = re.compile(r"\s*\S+\s*")
_PLAIN_WIDTH = 100
_NARROWEST, _WIDEST = 50, 120


class Page:
    """Prints lines of styled pieces.

    In a terminal it has the terminal's width (50 to 120 columns), and colours unless NO_COLOR is set. Elsewhere it is
    100 columns wide and plain.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        out = sys.stdout if file is None else file
        console = _make_console(out) if _may_be_terminal(out) else None
        self.is_terminal = console is not None and console.is_terminal
        self.width = _PLAIN_WIDTH
        if console is not None and console.is_terminal:
            self.width = max(_NARROWEST, min(console.width, _WIDEST))
        self._console = console
        self._file = out

    def line(self, *pieces: Piece) -> None:
        """Print one line."""
        if self._console is None:
            self._file.write("".join(words for words, _ in pieces).rstrip() + "\n")
            return
        from rich.text import Text

        text = Text()
        for words, style in pieces:
            text.append(words, style or None)
        text.rstrip()
        with self._console.capture() as printed:
            self._console.print(text)
        self._file.write(printed.get())

    def print_labelled(self, label: str, pieces: Sequence[Piece], *, indent: int = 12) -> None:
        """Print pieces after a label, wrapped so that their lines start in one column."""
        for number, row in enumerate(self.wrap(pieces, self.width - indent)):
            self.line((f"{'' if number else label:{indent}}", "cyan"), *row)

    def wrap(self, pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
        """Wrap pieces into rows of at most `width` columns, between words."""
        text = "".join(words for words, _ in pieces)
        ends = list(accumulate(len(words) for words, _ in pieces))
        rows = []
        for start, end in _break_lines(text, max(width, 1)):
            parts = zip([0, *ends], ends, (style for _, style in pieces), strict=False)
            row = [(text[max(low, start) : min(high, end)], style) for low, high, style in parts]
            rows.append([piece for piece in row if piece[0]])
        return rows


def _break_lines(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where the rows of a text start and end, without the space around them; words of more than a row are cut."""
    position = 0
    for line in text.split("\n"):
        start, columns = position, 0
        for word in _WORD.finditer(line):
            at = position + word.start()
            size = measure_width(word[0].rstrip())
            if columns and columns + size > width:
                yield start, start + len(text[start:at].rstrip())
                start, columns = at, 0
            while size > width:  # nothing is before it in this row
                cut = len(_cut(text[start : position + word.end()], width))
                yield start, start + cut
                start += cut
                size = measure_width(text[start : position + word.end()].rstrip())
            columns += measure_width(text[max(at, start) : position + word.end()])
        position += len(line) + 1
        yield start, start + len(text[start : position - 1].rstrip())


def _cut(text: str, width: int) -> str:
    """As much of a text as fits into a row, at least one character."""
    for length, columns in enumerate(accumulate(measure_width(sign) for sign in text)):
        if columns > width:
            return text[: max(length, 1)]
    return text


def _may_be_terminal(out: TextIO) -> bool:
    """Whether Rich, which takes long to import, may find colours of use."""
    return out.isatty() or bool(os.environ.get("FORCE_COLOR")) or os.environ.get("TTY_COMPATIBLE") == "1"


def _make_console(out: TextIO) -> Console:
    from rich.console import Console

    class Piped(Console):
        """Rich exits when the reader of a pipe is gone; the command line handles that itself."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(file=out, highlight=False, markup=False, emoji=False, soft_wrap=True)
