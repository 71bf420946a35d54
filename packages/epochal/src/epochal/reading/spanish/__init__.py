"""Spanish: its words are in `words.toml`, its own rules in `rules.py`, the others in `reading/romance`."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.shared.language import Language
from epochal.reading.spanish.rules import LAYERS, MACROS

__all__ = ["SPANISH"]

#: The language as the shared reader takes it.
SPANISH = Language(Path(__file__).parent, LAYERS, MACROS)
