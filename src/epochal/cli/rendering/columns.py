"""Text in the columns of a terminal: Chinese characters take two, and control characters are kept out."""

from __future__ import annotations

import unicodedata

__all__ = ["bar", "clean", "cropped", "padded", "wide"]

_EIGHTHS = " ▏▎▍▌▋▊▉"


def wide(text: str) -> int:
    """How many columns a terminal gives a text.

    >>> wide("魯隱公 1")
    8
    """
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """A text with spaces after it, or before it when it goes to the right, up to a width.

    >>> padded("魯 1", 6) + "|"
    '魯 1  |'
    """
    space = " " * (width - wide(text))
    return space + text if right else text + space


def cropped(text: str, width: int) -> str:
    """A text that takes at most so many columns; what is cut off is marked.

    >>> cropped("A magnitude-9 earthquake", 12), cropped("魯隱公元年", 7)
    ('A magnitude…', '魯隱公…')
    """
    if wide(text) <= width:
        return text
    taken, room = "", width - 1
    for character in text:
        room -= wide(character)
        if room < 0:
            break
        taken += character
    return f"{taken.rstrip()}…"


def clean(text: str) -> str:
    """A text without anything that could steer a terminal: controls become spaces, invisible marks go.

    >>> clean("red\\x1b[31m and\\nmore")
    'red [31m and more'
    """
    if text.isprintable():
        return text
    return "".join(_cleaned(character) for character in text)


def _cleaned(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    return "" if kind in ("Cf", "Cs") else character


def bar(share: float, width: int) -> str:
    """A bar that fills a share of a width, to an eighth of a column.

    >>> bar(0.5, 5), bar(1.0, 3)
    ('██▌', '███')
    """
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
