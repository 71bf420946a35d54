"""A memory for conversations: what was said, by whom, when it was said, and when it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.memory.memory import Memory as Memory
    from epochal.memory.recall import Evidence as Evidence
    from epochal.memory.recall import Recall as Recall
    from epochal.memory.turns import Happening as Happening
    from epochal.memory.turns import Turn as Turn

__all__ = ["Evidence", "Happening", "Memory", "Recall", "Turn"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.memory.memory": "Memory",
        "epochal.memory.recall": "Evidence Recall",
        "epochal.memory.turns": "Happening Turn",
    },
)
