"""Text in terminal columns, and Page, which prints it coloured in a terminal and plain elsewhere."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
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

_PLAIN_WIDTH = 100
_NARROWEST, _WIDEST = 50, 120


class Page:
    """Prints lines of styled pieces.

    In a terminal it has the terminal's width (50 to 120 columns), and colours unless NO_COLOR is set. Elsewhere it is
    100 columns wide and plain.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        out = sys.stdout if file is None else file
        console = _make_console(out)
        self.is_terminal = console.is_terminal
        self.width = max(_NARROWEST, min(console.width, _WIDEST)) if self.is_terminal else _PLAIN_WIDTH
        self._make_console: Console = console
        self._file = out

    def line(self, *pieces: Piece) -> None:
        """Print one line."""
        from rich.text import Text

        text = Text()
        for words, style in pieces:
            text.append(words, style or None)
        text.rstrip()
        with self._make_console.capture() as printed:
            self._make_console.print(text)
        self._file.write(printed.get())

    def print_labelled(self, label: str, pieces: Sequence[Piece], *, indent: int = 12) -> None:
        """Print pieces after a label, wrapped so that their lines start in one column."""
        for number, row in enumerate(self.wrap(pieces, self.width - indent)):
            self.line((f"{'' if number else label:{indent}}", "cyan"), *row)

    def wrap(self, pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
        """Wrap pieces into rows of at most `width` columns, between words."""
        from rich.text import Text

        text = Text()
        for words, style in pieces:
            text.append(words, style or None)
        rows = []
        for row in text.wrap(self._make_console, max(width, 1), no_wrap=False, overflow="fold"):
            row.rstrip()
            rows.append(_split_styles(row.plain, [(span.start, span.end, str(span.style)) for span in row.spans]))
        return rows


def _split_styles(text: str, spans: list[tuple[int, int, str]]) -> list[Piece]:
    """Split a text at the edges of its styles, which do not overlap."""
    pieces: list[Piece] = []
    position = 0
    for start, end, style in sorted(spans):
        pieces += [(text[position:start], ""), (text[start:end], style)]
        position = end
    return [piece for piece in [*pieces, (text[position:], "")] if piece[0]]


def _make_console(out: TextIO) -> Console:
    from rich.console import Console

    class Piped(Console):
        """Rich exits when the reader of a pipe is gone; the command line handles that itself."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(file=out, highlight=False, markup=False, emoji=False, soft_wrap=True)
