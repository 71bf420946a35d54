"""Text to time: taggers, carry-over through sequences of texts, and what questions ask of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.reading.expression import StatedRange as StatedRange
    from epochal.reading.expression import Tagger as Tagger
    from epochal.reading.expression import TimeExpr as TimeExpr
    from epochal.reading.expression import stated_ranges as stated_ranges
    from epochal.reading.sequences import read_sequence as read_sequence
    from epochal.reading.tagger import tag as tag
    from epochal.reading.tagger import tag_batch as tag_batch

__all__ = ["StatedRange", "Tagger", "TimeExpr", "read_sequence", "stated_ranges", "tag", "tag_batch"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.reading.expression": "StatedRange Tagger TimeExpr stated_ranges",
        "epochal.reading.sequences": "read_sequence",
        "epochal.reading.tagger": "tag tag_batch",
    },
    {"Stretch": "StatedRange", "stretches": "stated_ranges"},
)
