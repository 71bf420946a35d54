"""German: its words are in `words.toml`, its rules in `rules.py`, functions of its own in `functions.py`."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.german.rules import LAYERS, MACROS
from epochal.reading.shared.language import Language

__all__ = ["GERMAN"]

#: The language as the shared reader takes it.
GERMAN = Language(Path(__file__).parent, LAYERS, MACROS)
