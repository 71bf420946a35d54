"""Batches of passages with questions: each passage with one question it answers and some that it does not answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.matryoshka import Groups
from epochal.models.tmrl.rows import TemporalQuestion, TemporalRow
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.spans import anchor_of, passage_places, question_places
from epochal.models.tmrl.texts import MOST_SPANS, TextBatch, TimedTexts, timed_texts
from epochal.models.training.seeds import generator

__all__ = ["Drawn", "Examples", "TMRLBatch", "examples_of"]

Ints = npt.NDArray[np.int64]

#: Passages of so many batches are sorted by length together. Few, so that what meets in a batch stays a matter of
#: chance; yet with four, most of the padding is gone.
_POOL: Final = 4
_PERMUTED: Final = 1


@dataclass(frozen=True, slots=True)
class TMRLBatch:
    """A batch: passages, the questions drawn for them, and whose each question is.

    >>> from epochal.models.backbone import Batch
    >>> rows = torch.ones(1, 2, dtype=torch.long)
    >>> texts = TextBatch(Batch(rows, rows, 2), torch.full((1, 1, 2), -1))
    >>> TMRLBatch(texts, texts, Groups(torch.tensor([0]), torch.tensor([0]))).tokens
    4
    """

    passages: TextBatch
    questions: TextBatch
    groups: Groups

    @property
    def tokens(self) -> int:
        """How many tokens there are in all.

        >>> from epochal.models.backbone import Batch
        >>> rows = torch.ones(1, 3, dtype=torch.long)
        >>> texts = TextBatch(Batch(rows, rows, 3), torch.full((1, 1, 2), -1))
        >>> TMRLBatch(texts, texts, Groups(torch.tensor([0]), torch.tensor([0]))).tokens
        6
        """
        return self.passages.tokens + self.questions.tokens

    def to(self, device: torch.device | str) -> TMRLBatch:
        """The same batch on a device.

        >>> from epochal.models.backbone import Batch
        >>> rows = torch.ones(1, 2, dtype=torch.long)
        >>> texts = TextBatch(Batch(rows, rows, 2), torch.full((1, 1, 2), -1))
        >>> TMRLBatch(texts, texts, Groups(torch.tensor([0]), torch.tensor([0]))).to("cpu").tokens
        4
        """
        return TMRLBatch(self.passages.to(device), self.questions.to(device), self.groups.to(device))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of passages and of the questions drawn for them: whose each question is, and which one each passage answers.

    >>> Drawn(np.array([4]), np.array([7, 9]), np.array([0, 0]), np.array([0])).questions.tolist()
    [7, 9]
    """

    passages: Ints
    questions: Ints
    owner: Ints
    targets: Ints

    def longest_first(self, lengths: Ints) -> Drawn:
        """The same with its questions in the order of their lengths.

        >>> made = Drawn(np.array([4]), np.array([0, 1]), np.array([0, 0]), np.array([0]))
        >>> made = made.longest_first(np.array([3, 9]))
        >>> made.questions.tolist(), made.targets.tolist()
        ([1, 0], [1])
        """
        order = np.argsort(-lengths[self.questions], kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return Drawn(self.passages, self.questions[order], self.owner[order], place[self.targets])


@dataclass(frozen=True, slots=True)
class Examples:
    """Passages and questions as tokens. Those that passage n answers are the questions `positives[n]` to
    `positives[n + 1]`, and those that it does not answer `negatives[n]` to `negatives[n + 1]`. `anchors`, where given,
    are which time expression of its passage each of the former is about.

    >>> row = TemporalRow("p", "rain", (), (TemporalQuestion("rain"),), (TemporalQuestion("snow"),))
    >>> made = examples_of(Backbone.tiny(["rain", "snow"]), [row], TMRLSettings(), seed=1)
    >>> len(made), made.positives.tolist(), made.negatives.tolist()
    (1, [0, 1], [1, 2])
    """

    passages: TimedTexts
    questions: TimedTexts
    positives: Ints
    negatives: Ints
    anchors: Ints | None = None

    def __len__(self) -> int:
        return len(self.passages)

    def draw(self, rows: Ints, epoch: int, negatives: int) -> Drawn:
        """The questions of some passages in an epoch: the next one that each answers, and the next that it does not.

        Both go round: after the last comes the first again. A passage that has fewer has fewer.

        >>> questions = tuple(TemporalQuestion(word) for word in ("rain", "snow", "hail"))
        >>> row = TemporalRow("p", "rain", (), questions[:2], questions[2:])
        >>> made = examples_of(Backbone.tiny(["rain", "snow", "hail"]), [row], TMRLSettings(), seed=1)
        >>> [made.draw(np.array([0]), epoch, 4).questions.tolist() for epoch in range(3)]
        [[0, 2], [1, 2], [0, 2]]
        """
        first = self.positives[rows]
        right = first + epoch % (self.positives[rows + 1] - first)
        begin = self.negatives[rows]
        there = self.negatives[rows + 1] - begin
        counted = np.arange(negatives)
        wrong = begin[:, None] + (epoch * negatives + counted) % np.maximum(there, 1)[:, None]
        kept = np.concatenate([np.ones((len(rows), 1), bool), counted < there[:, None]], axis=1)
        both = np.concatenate([right[:, None], wrong], axis=1)
        owner = np.repeat(np.arange(len(rows)), kept.sum(axis=1))
        targets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))[:-1]])
        return Drawn(rows, both[kept], owner, targets.astype(np.int64))

    def batches(self, epoch: int, batch_size: int, negatives: int, seed: int) -> Iterator[TMRLBatch]:
        """The batches of an epoch: every passage once, passages of similar length together as far as chance allows.

        >>> rows = [TemporalRow(str(n), "rain", (), (TemporalQuestion("rain"),)) for n in range(5)]
        >>> made = examples_of(Backbone.tiny(["rain"]), rows, TMRLSettings(), seed=1)
        >>> sorted(len(batch.groups.targets) for batch in made.batches(0, 2, 4, seed=1))
        [1, 2, 2]
        """
        for rows in _pooled(self.passages.texts.lengths, batch_size, seed, epoch):
            yield self.batch(self.draw(rows, epoch, negatives).longest_first(self.questions.texts.lengths))

    def batch(self, drawn: Drawn) -> TMRLBatch:
        """What was drawn, as tensors.

        >>> rows = [TemporalRow("p", "rain", (), (TemporalQuestion("rain"),))]
        >>> made = examples_of(Backbone.tiny(["rain"]), rows, TMRLSettings(), seed=1)
        >>> made.batch(made.draw(np.array([0]), 0, 4)).groups.owner.tolist()
        [0]
        """
        groups = Groups(torch.from_numpy(drawn.owner), torch.from_numpy(drawn.targets))
        passages = self.passages.batch(drawn.passages)
        if self.anchors is not None:
            chosen = torch.from_numpy(self.anchors[drawn.questions[drawn.targets]])
            passages = replace(passages, spans=passages.spans[torch.arange(len(chosen)), chosen].unsqueeze(1))
        return TMRLBatch(passages, self.questions.batch(drawn.questions), groups)


def examples_of(backbone: Backbone, rows: Sequence[TemporalRow], settings: TMRLSettings, *, seed: int) -> Examples:
    """Rows as tokens. Questions that come twice in a row count once, and one that is answered is no negative.

    A row without a question that it answers is left out. Negatives are put into an order that the seed decides.

    >>> examples_of(Backbone.tiny(["rain"]), [TemporalRow("p", "rain")], TMRLSettings(), seed=1)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: none of 1 rows has a question that its passage answers; accepted: one row or more
    """
    random = generator(seed, _PERMUTED)
    kept = [row for row in rows if row.positives]
    if not kept:
        raise EpochalError(
            f"none of {len(rows):,} rows has a question that its passage answers; accepted: one row or more"
        )
    right = [list({one.text: one for one in row.positives}.values()) for row in kept]
    wrong: list[list[TemporalQuestion]] = []
    for row, answered in zip(kept, right, strict=True):
        known = {one.text for one in answered}
        other = list({one.text: one for one in row.negatives if one.text not in known}.values())
        wrong.append([other[place] for place in random.permutation(len(other))])
    questions = [one for part in (*right, *wrong) for one in part]
    times, spans = settings.has_two_encoders, 0
    if settings.needs_spans:
        spans = 1 if settings.spans == "first" else MOST_SPANS
    where = [passage_places(row) for row in kept] if times or spans else None
    anchors = None
    if where is not None and settings.needs_spans and settings.spans == "anchored":
        about = (
            min(anchor_of(row, one, here), MOST_SPANS - 1)
            for row, answered, here in zip(kept, right, where, strict=True)
            for one in answered
        )
        anchors = np.fromiter(about, np.int64)
    answered_count = sum(map(len, right))
    return Examples(
        timed_texts(
            backbone,
            [row.passage for row in kept],
            where,
            prefix=settings.passage_prefix,
            max_length=settings.max_length,
            spans=spans,
            times=times,
        ),
        timed_texts(
            backbone,
            [one.text for one in questions],
            [question_places(one) for one in questions] if where is not None else None,
            prefix=settings.question_prefix,
            max_length=settings.max_length,
            spans=spans,
            times=times,
        ),
        _starts(right, 0),
        _starts(wrong, answered_count),
        anchors,
    )


def _starts(parts: Sequence[Sequence[object]], first: int) -> Ints:
    return first + np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def _pooled(lengths: Ints, batch_size: int, seed: int, epoch: int) -> Iterator[Ints]:
    random = generator(seed, epoch)
    order = random.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), _POOL * batch_size):
        pool = order[start : start + _POOL * batch_size]
        pool = pool[np.argsort(-lengths[pool], kind="stable")]
        batches += [pool[first : first + batch_size] for first in range(0, len(pool), batch_size)]
    for place in random.permutation(len(batches)):
        yield batches[place]
