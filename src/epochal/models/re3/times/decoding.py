"""Scores of the heads to a date that exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epochal.models.re3.times.label import HEADS, NONE, Label, days_in_month

__all__ = ["decoded"]


def decoded(scores: Mapping[str, NDArray[Any]], *, absent: str = "class") -> list[Label]:
    """The label of each row of scores: the best class of each head, and of the day the best that the month has.

    With `absent` "masked" the heads of month and day never learnt to say that there is none: then a text without a
    year states nothing.

    >>> scores = {head: np.zeros((1, count)) for head, count in HEADS.items()}
    >>> for head, best in zip(HEADS, (20, 1, 4, 2, 31, 1)):
    ...     scores[head][0, best] = 2.0
    >>> scores["day"][0, 28] = 1.0
    >>> decoded(scores)
    [Label(year=2014, month=2, day=28)]
    """
    best = np.stack([np.asarray(scores[head]).argmax(axis=1) for head in HEADS], axis=1)
    found = []
    for row, classes in enumerate(best.tolist()):
        century, decade, year, month, day, exists = classes
        if not exists and absent == "masked":
            found.append(NONE)
            continue
        if month:
            stated = (100 * century + 10 * decade + year) if exists else None
            day = int(np.asarray(scores["day"][row])[: 1 + days_in_month(stated or None, month)].argmax())
        found.append(Label.of_classes((century, decade, year, month, day, exists)))
    return found
