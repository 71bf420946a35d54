"""The languages that a tagger covers, and where each is."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from epochal.reading.shared.language import Language

__all__ = ["COVERED", "SHARED_LANGUAGES", "load_language"]

#: The languages of the shared reader: the package of each; its `Language` has the name of the package in capitals.
SHARED_LANGUAGES = {
    "de": "german",
}
#: All codes that a tagger covers.
COVERED = ("en", "zh", *SHARED_LANGUAGES)


@cache
def load_language(code: str) -> Language:
    """The language of a code of `SHARED_LANGUAGES`."""
    name = "neutral" if not code else SHARED_LANGUAGES[code]
    language: Language = getattr(import_module(f"epochal.reading.{name}"), name.upper())
    return language
