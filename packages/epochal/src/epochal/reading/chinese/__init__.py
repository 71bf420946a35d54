"""The Chinese tagger: `tagger` finds where an expression may start; each other file reads one kind of expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.reading.chinese.tagger import ChineseTagger as ChineseTagger

__all__ = ["ChineseTagger"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.reading.chinese.tagger": "ChineseTagger",
    },
)
