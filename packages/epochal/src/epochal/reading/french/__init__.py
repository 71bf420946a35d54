"""French: its words are in `words.toml`, its own rules in `rules.py`, the others in `reading/romance`."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.french.rules import LAYERS, MACROS
from epochal.reading.shared.language import Language

__all__ = ["FRENCH"]

#: The language as the shared reader takes it.
FRENCH = Language(Path(__file__).parent, LAYERS, MACROS)
