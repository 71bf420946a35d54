"""Documents on disk, and what is derived from them to find them fast: words, vectors, spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.storage.records import Document as Document

__all__ = ["Document"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.storage.records": "Document",
    },
)
