"""Text to time: taggers, carry-over through sequences of texts, and what questions ask of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.reading.expr import Tagger as Tagger
    from epochal.reading.expr import TimeExpr as TimeExpr
    from epochal.reading.ranges import Stretch as Stretch
    from epochal.reading.ranges import stretches as stretches
    from epochal.reading.sequences.carry import read_sequence as read_sequence
    from epochal.reading.tagger import tag as tag
    from epochal.reading.tagger import tag_batch as tag_batch

__all__ = ["Stretch", "Tagger", "TimeExpr", "read_sequence", "stretches", "tag", "tag_batch"]

_HOMES = {
    "Stretch": "epochal.reading.ranges",
    "Tagger": "epochal.reading.expr",
    "TimeExpr": "epochal.reading.expr",
    "read_sequence": "epochal.reading.sequences.carry",
    "stretches": "epochal.reading.ranges",
    "tag": "epochal.reading.tagger",
    "tag_batch": "epochal.reading.tagger",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
