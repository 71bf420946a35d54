"""Certainty: how far a stated end of a span can be trusted, in the terms of EDTF."""

from __future__ import annotations

from enum import IntEnum

from epochal.errors import UnknownNameError

__all__ = ["Certainty"]


class Certainty(IntEnum):
    """Certain, approximate (`~`, "circa"), uncertain (`?`, "perhaps"), or both (`%`).

    An approximate end lies near what is stated; an uncertain one may be wrong altogether.

    >>> Certainty.of_mark("~") | Certainty.of_mark("?")
    Certainty.BOTH
    """

    CERTAIN = 0
    APPROXIMATE = 1
    UNCERTAIN = 2
    BOTH = 3

    def __repr__(self) -> str:
        return f"Certainty.{self.name}"

    __str__ = __repr__

    def __or__(self, other: int) -> Certainty:
        return Certainty(int(self) | int(other))

    @property
    def mark(self) -> str:
        """The EDTF qualifier: nothing, `~`, `?` or `%`.

        >>> Certainty.BOTH.mark
        '%'
        """
        return "~?%"[self - 1] if self else ""

    @property
    def label(self) -> str:
        """The name in lower case, as JSON and the command line write it.

        >>> Certainty.APPROXIMATE.label
        'approximate'
        """
        return self.name.lower()

    @property
    def is_approximate(self) -> bool:
        """Whether the end lies only near what is stated.

        >>> Certainty.BOTH.is_approximate, Certainty.UNCERTAIN.is_approximate
        (True, False)
        """
        return bool(self & 1)

    @property
    def is_uncertain(self) -> bool:
        """Whether the end may be wrong altogether.

        >>> Certainty.BOTH.is_uncertain, Certainty.APPROXIMATE.is_uncertain
        (True, False)
        """
        return bool(self & 2)

    @classmethod
    def of_mark(cls, mark: str) -> Certainty:
        """The certainty that an EDTF qualifier stands for.

        >>> Certainty.of_mark("")
        Certainty.CERTAIN
        """
        marks = {"": cls.CERTAIN, "~": cls.APPROXIMATE, "?": cls.UNCERTAIN, "%": cls.BOTH}
        if mark not in marks:
            raise UnknownNameError("certainty mark", mark, [key or "(none)" for key in marks])
        return marks[mark]
