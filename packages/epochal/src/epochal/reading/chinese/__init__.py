"""The Chinese tagger: `tagger` finds where time is spoken of, the other files know one kind of expression each."""

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
