"""Centres of a few vectors: k-means, seeded, in numpy."""

from __future__ import annotations

import numpy as np

from epochal.encoders.base import Vectors, unit_rows

__all__ = ["centres"]

_ROUNDS = 100


def centres(vectors: Vectors, count: int, seed: int = 0) -> Vectors:
    """At most `count` centres of the vectors, of length 1; the vectors themselves where there are no more than that.

    >>> points = unit_rows([[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
    >>> sorted((100 * centres(points, 2)).round().tolist())
    [[5.0, 100.0], [100.0, 5.0]]
    """
    if len(vectors) <= count:
        return vectors
    found = _first(vectors, count, np.random.default_rng(seed))
    nearest = np.full(len(vectors), -1)
    for _ in range(_ROUNDS):
        away = ((vectors[:, None] - found[None]) ** 2).sum(-1)
        now = away.argmin(1)
        if (now == nearest).all():
            break
        nearest = now
        for number in range(len(found)):
            if (own := nearest == number).any():
                found[number] = vectors[own].mean(0)
    return unit_rows(found)


def _first(vectors: Vectors, count: int, chance: np.random.Generator) -> Vectors:
    """Centres to begin with, each drawn by its squared distance from those before (k-means++)."""
    rows = [int(chance.integers(len(vectors)))]
    while len(rows) < count:
        away = ((vectors[:, None] - vectors[rows][None]) ** 2).sum(-1).min(1).astype(np.float64)
        total = away.sum()
        if total <= 0:  # fewer different vectors than centres
            break
        rows.append(int(chance.choice(len(vectors), p=away / total)))
    return np.array(vectors[rows])
