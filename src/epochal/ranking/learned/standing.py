"""Standing: what the newer candidates of a pool say against an older one.

How old a document is says little; whether a newer one says the same says much. A candidate is *followed* by those of
the pool that appeared later and lie at least as near to the time that is asked for. Of these the one that is most like
it counts, and the one that answers the question best.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.index.backend import Rows
from epochal.ranking.learned.gaps import Gaps
from epochal.ranking.pool import Floats

__all__ = ["STANDING", "standing_of"]

#: The columns of `standing_of`.
STANDING: Final = ("likeness", "meaning", "words", "unfollowed", "behind", "rival", "rival words")
_DAY_SCALE: Final = 16.0
#: Days that count as the same: rounding must not make one of two equal gaps the nearer.
_SAME: Final = 1e-6


def standing_of(
    gaps: Gaps, vectors: npt.NDArray[np.float32], semantic: Floats, lexical: Floats, places: Rows | None = None
) -> Floats:
    """How each candidate, or each of those at some places, stands among all that follow it, in the order of `STANDING`.

    likeness: the greatest cosine with a follower, 0 without any. meaning, words: by how much the best follower beats
    it, by cosine and by share of BM25, -1 without any. unfollowed: 1 where its date is known and nothing follows it.
    behind: log(1 + days to the newest follower) / 16. rival, rival words: the greatest cosine with a follower, less
    what that one lacks of its own meaning, or words; -1 without any.

    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    >>> gaps = Gaps(np.full(3, np.nan), np.zeros(3), np.array([9.0, 2.0, 2.0]), False)
    >>> standing_of(gaps, vectors, np.array([0.5, 0.4, 0.1]), np.zeros(3)).round(2)[:2].tolist()
    [[1.0, -0.1, 0.0, 0.0, 0.13, 0.9, 1.0], [0.0, -1.0, -1.0, 1.0, 0.0, -1.0, -1.0]]
    """
    asked = np.arange(len(semantic)) if places is None else places
    found = np.zeros((len(asked), len(STANDING)))
    if not len(asked):
        return found
    follows = _follows(gaps, asked)
    followed = follows.any(axis=1)
    found[:, [1, 2, 5, 6]] = -1.0
    found[:, 3] = ~followed & ~np.isnan(gaps.rec[asked])
    if not followed.any():
        return found
    few, own = follows[followed], asked[followed]
    alike = vectors[own] @ vectors.T
    found[followed, 0] = np.where(few, alike, -np.inf).max(axis=1)
    for column, scores in ((1, semantic), (2, lexical)):
        ahead = scores[None, :] - scores[own, None]
        found[followed, column] = np.where(few, ahead, -np.inf).max(axis=1)
        found[followed, column + 4] = np.where(few, alike + np.minimum(ahead, 0.0), -np.inf).max(axis=1)
    newest = np.where(few, gaps.rec[None, :], np.inf).min(axis=1)
    found[followed, 4] = np.log1p(gaps.rec[own] - newest) / _DAY_SCALE
    return found


def _follows(gaps: Gaps, places: Rows) -> npt.NDArray[np.bool_]:
    """A line a place and a column a candidate: whether the one of the column follows the one of the line."""
    age = np.where(np.isnan(gaps.rec), np.inf, gaps.rec)
    newer = (age[None, :] < age[places, None] - _SAME) & np.isfinite(age)[places, None]
    # A time that is not known is nearer than none, and farther than all.
    far = np.where(np.isnan(gaps.rel), np.inf, np.abs(gaps.rel))
    return np.asarray(newer & (far[None, :] <= far[places, None] + _SAME))
