"""Test sets by id, from a data folder, from a built folder, or from the hub."""

from __future__ import annotations

from epochal.bench.sets.base import Loaded as Loaded
from epochal.bench.sets.base import SetEntry as SetEntry
from epochal.bench.sets.base import Source as Source
from epochal.bench.sets.facts import describe as describe
from epochal.bench.sets.registry import entries as entries
from epochal.bench.sets.registry import load as load
from epochal.bench.sets.registry import open_set as open_set

__all__ = ["Loaded", "SetEntry", "Source", "describe", "entries", "load", "open_set"]
