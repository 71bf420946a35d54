"""The English tagger: `lexicon` classifies the words, `patterns` matches them, the other files compute the values."""

from __future__ import annotations

# Importing these registers the functions that work out the rules.
import epochal.reading.english.clocks
import epochal.reading.english.codes
import epochal.reading.english.composites
import epochal.reading.english.dates
import epochal.reading.english.durations
import epochal.reading.english.hours
import epochal.reading.english.offsets
import epochal.reading.english.relative
import epochal.reading.english.years  # noqa: F401
from epochal.reading.english.tagger import EnglishTagger

__all__ = ["EnglishTagger"]
