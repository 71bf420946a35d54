"""What a question is trained with: one of its answers, drawn anew each epoch, and hard negatives from its own pool.

The pool begins with the commentaries on the months asked for and goes on with others drawn at random. Where a folder
has no commentaries, hard negatives are answers of the months next before and after. Nothing is ever drawn from a split
that is not trained on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.models.ctd.data import ANSWERS, COMMENT, Collection, Question
from epochal.models.training.seeds import generator

__all__ = ["Drawn", "Sampler"]

Ints = npt.NDArray[np.int64]

#: How far the months lie that hard negatives come from where there are no commentaries.
_NEIGHBOURS = 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows for one batch: questions, a positive record each, and hard negatives (several a question, in their order).

    >>> Drawn(np.array([0]), np.array([4]), np.array([7, 8])).negatives.tolist()
    [7, 8]
    """

    questions: Ints
    positives: Ints
    negatives: Ints


class Sampler:
    """Draws batches for the questions of a split.

    >>> from epochal.models.ctd.axis import MonthAxis, Months
    >>> from epochal.models.ctd.data import Record
    >>> records = (Record("a", "x", "event", "train", Months(2, 2)), Record("b", "y", COMMENT, "train", Months(2, 2)))
    >>> questions = tuple(Question(f"q{n}", "?", "train", Months(2, 2), (0,), "point", False) for n in range(2))
    >>> sampler = Sampler(Collection("own", MonthAxis.lu(), records, questions), "train", pool=16, seed=1)
    >>> [batch.negatives.tolist() for batch in sampler.batches(0, 2, 1)]
    [[1, 1]]
    """

    def __init__(self, collection: Collection, split: str, pool: int, seed: int) -> None:
        self.seed = seed
        self.questions = [
            number
            for number, question in enumerate(collection.questions)
            if question.split == split and self._answers(collection, question, split)
        ]
        if not self.questions:
            raise EpochalError(f"{collection.name} has no question of the split {split!r} with an answer in that split")
        self._positives = {
            number: np.array(self._answers(collection, collection.questions[number], split))
            for number in self.questions
        }
        self._pools = _pools(collection, split, self.questions, pool, seed)

    @property
    def has_negatives(self) -> bool:
        """Whether there are hard negatives at all.

        >>> from epochal.models.ctd.axis import MonthAxis, Months
        >>> from epochal.models.ctd.data import Record
        >>> records = (Record("a", "x", "event", "train", Months(2, 2)),)
        >>> asked = (Question("q", "?", "train", Months(2, 2), (0,), "point", False),)
        >>> Sampler(Collection("own", MonthAxis.lu(), records, asked), "train", 16, 1).has_negatives
        False
        """
        return any(len(pool) for pool in self._pools.values())

    def count(self, size: int) -> int:
        """How many batches an epoch has: the last is dropped unless it is full."""
        return len(self.questions) // size

    def batches(self, epoch: int, size: int, negatives: int) -> list[Drawn]:
        """The batches of an epoch, the same for the same seed and epoch."""
        if self.count(size) == 0:
            raise EpochalError(f"a batch of {size} questions is more than the {len(self.questions)} there are")
        draw = generator(self.seed, epoch)
        order = draw.permutation(np.array(self.questions))
        made = []
        for start in range(0, self.count(size) * size, size):
            chosen = order[start : start + size]
            right = np.array([draw.choice(self._positives[int(number)]) for number in chosen])
            wrong = [
                draw.choice(pool, negatives, replace=len(pool) < negatives)
                for number in chosen
                if negatives and len(pool := self._pools[int(number)])
            ]
            made.append(Drawn(chosen, right, np.concatenate(wrong) if wrong else np.zeros(0, np.int64)))
        return made

    @staticmethod
    def _answers(collection: Collection, question: Question, split: str) -> list[int]:
        return [row for row in question.answers if collection.records[row].split == split]


def _pools(collection: Collection, split: str, questions: list[int], size: int, seed: int) -> dict[int, Ints]:
    comments = np.array(collection.rows(split, COMMENT), dtype=np.int64)
    candidates = comments if len(comments) else np.array(collection.rows(split, *ANSWERS), dtype=np.int64)
    candidates = candidates[collection.first[candidates] >= 0]
    candidates = candidates[np.argsort(collection.first[candidates], kind="stable")]
    first = collection.first[candidates]
    draw = generator(seed, 1 << 20)
    reach = 0 if len(comments) else _NEIGHBOURS
    pools = {}
    for number in questions:
        asked = collection.questions[number]
        low = np.searchsorted(first, asked.months.first - reach, side="left")
        high = np.searchsorted(first, asked.months.last + reach, side="right")
        near = candidates[low:high]
        if not len(comments):
            right = (collection.first[near] <= asked.months.last) & (collection.last[near] >= asked.months.first)
            near = np.setdiff1d(near[~right], asked.answers)
        if len(near) > size:
            near = draw.choice(near, size, replace=False)
        elif len(near) < size and len(comments):
            others = draw.choice(candidates, min(size - len(near), len(candidates)), replace=False)
            near = np.unique(np.concatenate([near, others]))
        pools[number] = near.astype(np.int64)
    return pools
