"""The languages that a tagger covers, and where each is."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from epochal.reading.shared.language import Language
from epochal.reading.shared.tokens import Tokeniser

__all__ = ["COVERED", "SHARED_LANGUAGES", "load_language", "load_tokeniser"]

#: The languages of the shared reader: the package of each; its `Language` has the name of the package in capitals.
SHARED_LANGUAGES = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "ja": "japanese",
    "ko": "korean",
    "ru": "russian",
    "ar": "arabic",
}
#: All codes that a tagger covers.
COVERED = ("en", "zh", *SHARED_LANGUAGES)


@cache
def load_language(code: str) -> Language:
    """The language of a code of `SHARED_LANGUAGES`."""
    name = "neutral" if not code else SHARED_LANGUAGES[code]
    language: Language = getattr(import_module(f"epochal.reading.{name}"), name.upper())
    return language


@cache
def load_tokeniser(code: str) -> Tokeniser:
    """The tokeniser of a language."""
    return Tokeniser(load_language(code))
