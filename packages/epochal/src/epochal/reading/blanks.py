"""Endless runs of blanks: words on their two sides do not bind one another, and no pattern looks through them."""

from __future__ import annotations

import re

#: What the middle of a run is filled with: neither a blank nor part of a word, so that every place stays what it is.
_FILL = "\u2060"
_RUN = re.compile(r"(?<=\s\s)\s{6,}(?=\s\s)")


def fill_blanks(text: str) -> str:
    """A text of the same length whose runs of blanks are short.

    >>> len(fill_blanks("May 1998" + 50 * " " + "to now"))
    64
    >>> fill_blanks("May 1998  to now")
    'May 1998  to now'
    """
    return _RUN.sub(lambda match: _FILL * len(match[0]), text)


def drop_fill(text: str) -> str:
    """A part of a filled text as people write it."""
    return " ".join(text.replace(_FILL, " ").split()) if _FILL in text else text
