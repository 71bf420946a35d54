"""ChunQiuTR built again: months of the Spring and Autumn Annals, asked for in the way of its reigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.datasets.chunqiutr.queries import family as family
    from epochal_lab.datasets.chunqiutr.queries import protocol as protocol

__all__ = ["family", "protocol"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.datasets.chunqiutr.queries": "family protocol",
    },
)
