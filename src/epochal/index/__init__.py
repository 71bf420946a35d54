"""Documents on disk, and what is derived from them to find them fast: words, vectors, spans."""

from epochal.index.records import Document

__all__ = ["Document"]
