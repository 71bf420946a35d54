"""What systems with a score for every document share: the text of a document, and the best of the scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from epochal.index.records import Document

__all__ = ["best_hits", "text_of"]


def text_of(document: Document) -> str:
    r"""The text that models and word counts get: the title, where there is one, on a line before the text.

    >>> text_of(Document("d", "It rained.", "May 1998"))
    'May 1998\nIt rained.'
    >>> text_of(Document("d", "It rained."))
    'It rained.'
    """
    return f"{document.title}\n{document.text}" if document.title else document.text


def best_hits(
    ids: Sequence[str], scores: npt.NDArray[np.floating], k: int, *, above: float | None = None
) -> tuple[tuple[str, float], ...]:
    """The k documents with the highest scores, of equal ones those that came first; with `above`, none that is not.

    >>> best_hits(["a", "b", "c"], np.array([0.5, 0.9, 0.5]), 2)
    (('b', 0.9), ('a', 0.5))
    >>> best_hits(["a", "b", "c"], np.array([0.0, 0.9, 0.5]), 3, above=0.0)
    (('b', 0.9), ('c', 0.5))
    """
    rows = np.arange(len(scores)) if above is None else np.flatnonzero(scores > above)
    if len(rows) > k:
        # Everything as good as the k-th is sorted, so that ties do not fall as the partition pleases.
        least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= least]
    rows = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return tuple((ids[row], float(scores[row])) for row in rows.tolist())
