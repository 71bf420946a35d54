"""What lies between the blanks of a text, in small letters: its language and its tokens are read from that."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["SHORT_CHARS", "lower_letters", "split_chunks"]

#: Texts of so many characters are split once for all who ask one after the other.
SHORT_CHARS = 2000


def lower_letters(text: str) -> str:
    """A text in small letters, each at its own place."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters, such as a dotted capital I, grow when they are made small
        return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return lowered


def split_chunks(text: str) -> list[str]:
    """The chunks of a text: what its blanks and ends of lines separate; empty ones between two of them.

    >>> split_chunks("In May,  1998")
    ['in', 'may,', '', '1998']
    """
    return _split_short(text) if len(text) <= SHORT_CHARS else _split(text)


def _split(text: str) -> list[str]:
    return lower_letters(text).replace("\n", " ").split(" ")


_split_short = lru_cache(maxsize=1)(_split)
