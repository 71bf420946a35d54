"""Times in words, and the differences of their vectors: the encoding of gaps that the Re3 paper calls BGE-Diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epochal.encoders.base import Vectors
from epochal.ranking.baselines.encoding import zeros_or_vectors
from epochal.ranking.baselines.times import published_of
from epochal.ranking.learned.gaps import gaps_of, reference_of, spoken_of
from epochal.ranking.learned.inputs import Differences
from epochal.ranking.pool import Pool

__all__ = ["TimeWords", "differences_of", "time_words_of"]


@dataclass(frozen=True, slots=True)
class TimeWords:
    """The times of a pool in words: what is asked for and the nearest of each candidate, the reference and each date.

    What is not known is the empty text.

    >>> TimeWords("1998", ("1997", ""), "", ("", "2 May 1999")).rel[0]
    '1997'
    """

    asked: str
    rel: tuple[str, ...]
    reference: str
    rec: tuple[str, ...]


def time_words_of(pool: Pool) -> TimeWords:
    """The times of a pool in words.

    >>> time_words_of.__name__
    'time_words_of'
    """
    gaps, reference = gaps_of(pool), reference_of(pool)
    spoken, dated = spoken_of(pool), published_of(pool)
    rel, rec = [""] * len(pool), [""] * len(pool)
    for place, at in enumerate([] if gaps.nearest is None else gaps.nearest.tolist()):
        if at >= 0:
            here = at < len(spoken.places)
            rel[place] = (spoken.spans[at] if here else dated.spans[at - len(spoken.places)]).describe()
    for place, at in zip(dated.places.tolist(), range(len(dated.places)), strict=True):
        rec[place] = dated.spans[at].describe()
    asked = ", ".join(window.span.describe() for window in pool.windows)
    return TimeWords(asked, tuple(rel), "" if reference is None else reference.describe(), tuple(rec))


def differences_of(
    words: TimeWords,
    questions: Callable[[Sequence[str]], Vectors],
    documents: Callable[[Sequence[str]], Vectors],
    dim: int,
) -> Differences:
    """The vector of each candidate's time less that of the question's; zeros where either is not known.

    >>> lengths = lambda texts: np.array([[len(text)] for text in texts], dtype=np.float32)
    >>> differences_of(TimeWords("1998", ("May 1997", ""), "", ("1", "2")), lengths, lengths, 1).rel.tolist()
    [[4.0], [0.0]]
    """
    made = []
    for asked, stated in ((words.asked, words.rel), (words.reference, words.rec)):
        found = zeros_or_vectors(stated if asked else [""] * len(stated), documents, dim)
        if asked and any(stated):
            known = np.array([bool(text) for text in stated])
            found[known] -= questions([asked])[0]
        made.append(found.astype(np.float32))
    return Differences(*made)
