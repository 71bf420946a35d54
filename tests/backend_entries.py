"""Entries for tests of backends: documents of one passage, with the years that they name as times."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from epochal.storage.records import Dating, Document, Entry, Passage
from epochal.times import Span


def made_entry(id: str, text: str, title: str = "", *, dim: int = 0, **fields: Any) -> Entry:
    """A document as one passage, with a time at each year, and a vector that its text draws."""
    datings = tuple(
        Dating(Span.year(int(word)), text.index(word), text.index(word) + len(word), 0.75)
        for word in dict.fromkeys(text.split())
        if word.isascii() and word.isdigit() and 3 <= len(word) <= 4
    )
    vectors = None
    if dim:
        rng = np.random.default_rng(zlib.crc32(f"{title}\n{text}".encode()))
        vectors = rng.standard_normal((1, dim)).astype(np.float32)
    return Entry(Document(id, text, title, **fields), (Passage(0, len(text), datings),), vectors)
