"""The second task: vectors of two spans of one passage lie nearer to each other than to those of other passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.models.annals.reading import framed, full_batches
from epochal.models.annals.task import MaskedTask, guessing, seeded
from epochal.models.backbone import pooled
from epochal.models.training.seeds import generator
from epochal.models.training.settings import TrainSettings

__all__ = ["Spans", "SpansTask", "cut_spans", "nearness_loss"]

#: A span has at least so many characters, and a passage at least four times as many.
_SHORTEST: Final = 8
_MEASURED: Final = 11
_MEASURED_ROWS: Final = 256


@dataclass(frozen=True, slots=True)
class Spans:
    """One batch: the numbers of passages and what to draw their spans by.

    >>> Spans(torch.tensor([0, 1]), 3, 128).tokens
    128
    """

    numbers: Tensor
    seed: int
    tokens: int


class SpansTask:
    """A masked language model that goes on with InfoNCE between spans, one from each half of a passage.

    Its own loss goes on beside it (`TaskSettings.covered`), on the very spans, so that what was learnt stays.

    >>> from epochal.models.annals.settings import Shape, TaskSettings
    >>> from epochal.models.annals.vocabulary import Vocabulary
    >>> texts = ["元年春，王正月。三月，公及邾儀父盟于蔑。夏五月，鄭伯克段于鄢。秋七月，大水。"] * 8
    >>> shape = Shape(layers=1, width=16, heads=2, inner=32)
    >>> task = SpansTask(MaskedTask(texts, Vocabulary.of(texts, 1), shape, TaskSettings(held_out=0.25)))
    >>> sorted(task.evaluate())
    ['hit@1', 'loss']
    """

    def __init__(self, first: MaskedTask) -> None:
        self.first = first
        self.model = first.model
        lengths = first.passages.lengths
        self._training = first.passages.training[lengths[first.passages.training] >= 4 * _SHORTEST]
        self._measured = first.passages.measured[lengths[first.passages.measured] >= 4 * _SHORTEST]
        if len(self._training) < 2 or len(self._measured) < 1:
            raise EpochalError(
                f"{len(self._training)} passages to learn from and {len(self._measured)} to measure on have "
                f"{4 * _SHORTEST} characters; spans need 2 and 1 of them"
            )

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """Full batches of passages that are long enough."""
        return max(1, len(self._training) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Spans]:
        """The passages in random order, those of like length together."""
        draw = generator(settings.seed, epoch)
        tokens = self.first.settings.longest_span
        for numbers in full_batches(self._training, self.first.passages.lengths, settings.batch_size, draw):
            yield Spans(torch.from_numpy(numbers), int(draw.integers(2**62)), len(numbers) * tokens)

    def loss(self, batch: Spans) -> Mapping[str, Tensor]:
        """InfoNCE both ways, and a share of the first task's loss."""
        settings = self.first.settings
        drawn = seeded(batch.seed, batch.numbers.device)
        told = guessing(self.first, self._ids(batch.numbers, drawn), drawn)
        near, right = nearness_loss(*self._vectors(told["hidden"], told["read"]), settings.temperature)
        loss = near + settings.covered * told["loss"]
        return {"loss": loss, "near": near.detach(), "covered": told["loss"].detach(), "hit@1": right}

    def evaluate(self) -> Mapping[str, float]:
        """InfoNCE and how often the other span of a passage is the nearest of 256, on passages held out."""
        device = next(self.model.parameters()).device
        drawn = seeded(_MEASURED, device)
        numbers = torch.from_numpy(self._measured).to(device)
        sums = [0.0, 0.0]
        for first in range(0, len(numbers), _MEASURED_ROWS):
            rows = numbers[first : first + _MEASURED_ROWS]
            ids = self._ids(rows, drawn)
            hidden = self.model.bert(input_ids=ids, attention_mask=ids != 0).last_hidden_state
            near, right = nearness_loss(*self._vectors(hidden, ids != 0), self.first.settings.temperature)
            sums = [sums[0] + near.item() * len(rows), sums[1] + right.item() * len(rows)]
        return {"loss": sums[0] / len(numbers), "hit@1": sums[1] / len(numbers)}

    def _ids(self, numbers: Tensor, drawn: torch.Generator) -> Tensor:
        content = self.first.passages.rows(numbers)
        return framed(torch.cat(cut_spans(content, drawn, self.first.settings.longest_span)))

    @staticmethod
    def _vectors(hidden: Tensor, read: Tensor) -> tuple[Tensor, Tensor]:
        rows = pooled(hidden.float(), read, "mean")
        one, other = rows.chunk(2)
        return one, other


def cut_spans(content: Tensor, drawn: torch.Generator, longest: int) -> tuple[Tensor, Tensor]:
    """A random span of each half of each row, of 8 to `longest` characters, padded with zeros.

    >>> rows = torch.arange(5, 45).repeat(2, 1)
    >>> one, other = cut_spans(rows, torch.Generator().manual_seed(0), 16)
    >>> int(one.max()) < 25, int(other[other > 0].min()) >= 25
    (True, True)
    """
    device = content.device
    halves = (content != 0).sum(dim=1) // 2
    found = []
    for begin in (torch.zeros_like(halves), halves):
        draw = torch.rand(2, len(content), generator=drawn, device=device)
        most = halves.clamp(max=longest)
        length = _SHORTEST + (draw[0] * (most - _SHORTEST + 1)).long()
        start = begin + (draw[1] * (halves - length + 1)).long()
        places = torch.arange(longest, device=device)
        picked = content.gather(1, (start[:, None] + places).clamp(max=content.shape[1] - 1))
        found.append(torch.where(places < length[:, None], picked, 0))
    return found[0], found[1]


def nearness_loss(one: Tensor, other: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """InfoNCE both ways between rows that belong together, by cosine; and how often the right one is the nearest.

    >>> loss, right = nearness_loss(torch.eye(3), torch.eye(3), 0.05)
    >>> loss.item() < 1e-6, right.item()
    (True, 1.0)
    """
    with torch.autocast(one.device.type, enabled=False):
        scores = functional.normalize(one.float(), dim=1) @ functional.normalize(other.float(), dim=1).T / temperature
        truth = torch.arange(len(scores), device=scores.device)
        loss = (functional.cross_entropy(scores, truth) + functional.cross_entropy(scores.T, truth)) / 2
        return loss, (scores.argmax(dim=1) == truth).float().mean()
