"""Arabic: its words are in `words.toml`, its rules in `rules.py`."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.arabic.rules import LAYERS, MACROS
from epochal.reading.shared.language import Language

__all__ = ["ARABIC"]

#: The language as the shared reader takes it.
ARABIC = Language(Path(__file__).parent, LAYERS, MACROS)
