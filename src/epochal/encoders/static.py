"""Static vectors: a table of one vector a token, distilled from all-MiniLM-L6-v2. Fast, and blind to word order.

A text's vector is the sum of the rows of its tokens, made to length 1. The rows carry weights already: frequent tokens
count for little. `tools/build_encoder.py` makes the table and says by which recipe.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from epochal.encoders.base import Vectors, checked_texts, checked_vectors, unit_rows
from epochal.encoders.packaged import card, data_file, tokenizer

__all__ = ["StaticEncoder"]

#: Rows of the table added at a time, so that a book needs no more memory than a page.
_ROWS = 4096


class StaticEncoder:
    """Vectors of 256 numbers from a table; about a hundred times as fast as the model it comes from, and coarser.

    Reads the whole text, however long. The table is loaded when the first text is encoded. An encoder may be used by
    several threads at once, and pickled.

    >>> static = StaticEncoder()
    >>> news = static.encode_documents(["The parliament passed the law.", "Heavy rain fell all night.", ""])
    >>> likeness = news @ static.encode_queries(["new legislation"])[0]
    >>> bool(likeness[0] > 0.5), bool(likeness[1] < 0.2), float(likeness[2])
    (True, True, 0.0)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Vectors, Any] | None = None

    def __reduce__(self) -> tuple[type[StaticEncoder], tuple[()]]:
        return StaticEncoder, ()

    @property
    def name(self) -> str:
        """The version of the bundled table.

        >>> StaticEncoder().name.startswith("static-")
        True
        """
        return f"static-{card('static').version}"

    @property
    def dim(self) -> int:
        """256.

        >>> StaticEncoder().dim
        256
        """
        return card("static").dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text.

        >>> StaticEncoder().encode_documents(["a text", " "]).any(axis=1).tolist()
        [True, False]
        """
        found = checked_texts(self.name, texts)
        sums = np.zeros((len(found), self.dim), np.float32)
        if found:
            table, tokens = self._load()
            for row, text in enumerate(found):
                # One text at a time: the tokenizer's own batches start threads, which do not survive a fork.
                ids = tokens.encode(text, add_special_tokens=False).ids
                for first in range(0, len(ids), _ROWS):
                    sums[row] += np.add.reduce(table.take(ids[first : first + _ROWS], axis=0))
        return checked_vectors(self.name, self.dim, len(found), unit_rows(sums))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents.

        >>> StaticEncoder().encode_queries(["Who?"]).shape
        (1, 256)
        """
        return self.encode_documents(texts)

    def _load(self) -> tuple[Vectors, Any]:
        """The table in float32 and the tokenizer, made once."""
        with self._lock:
            if self._loaded is None:
                with np.load(data_file("static", "table.npz"), allow_pickle=False) as file:
                    table = file["rows"] * file["scale"][:, None]
                self._loaded = table, tokenizer()
            return self._loaded
