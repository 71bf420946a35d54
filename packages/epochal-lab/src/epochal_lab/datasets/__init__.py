"""Test sets by id, from a data folder, from a built folder, or from the hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.datasets.cards import describe as describe
    from epochal_lab.datasets.catalogue import entries as entries
    from epochal_lab.datasets.catalogue import load as load
    from epochal_lab.datasets.catalogue import open_set as open_set
    from epochal_lab.datasets.sources import LoadedSet as LoadedSet
    from epochal_lab.datasets.sources import SetEntry as SetEntry
    from epochal_lab.datasets.sources import Source as Source

__all__ = ["LoadedSet", "SetEntry", "Source", "describe", "entries", "load", "open_set"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.datasets.cards": "describe",
        "epochal_lab.datasets.catalogue": "entries load open_set",
        "epochal_lab.datasets.sources": "LoadedSet SetEntry Source",
    },
)
