"""The masked language model as a task of the trainer: passages with some characters covered, which it has to guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.models.annals.masking import IGNORED, masked
from epochal.models.annals.reading import PIECE, Passages, framed, full_batches, pieces
from epochal.models.annals.settings import Shape, TaskSettings
from epochal.models.annals.vocabulary import Vocabulary
from epochal.models.training.seeds import generator
from epochal.models.training.settings import TrainSettings

__all__ = ["Guessing", "MaskedTask", "guessing", "made_model", "seeded"]

#: What the measured passages are covered by, the same in every evaluation of every run.
_MEASURED: Final = 7
_MEASURED_ROWS: Final = 64


@dataclass(frozen=True, slots=True)
class Guessing:
    """One batch: the numbers of passages, what to draw by, the width to read, and whether to cut them in pieces.

    >>> Guessing(torch.tensor([0, 1]), 3, 256, -1, 512).tokens
    512
    """

    numbers: Tensor
    seed: int
    width: int
    offset: int
    tokens: int


class MaskedTask:
    """What is trained, on which passages, and how well it guesses those that were held out.

    Passages that several editions share may be on both sides, so the held-out loss tells how training goes, and not
    how well the model reads what it has never seen.

    >>> words = Vocabulary.of(["元年春，王正月。"], 1)
    >>> shape = Shape(layers=1, width=16, heads=2, inner=32)
    >>> task = MaskedTask(["元年春，王正月。"] * 8, words, shape, TaskSettings(held_out=0.25))
    >>> task.steps_per_epoch(TrainSettings(batch_size=3))
    2
    >>> sorted(task.evaluate())
    ['accuracy', 'loss', 'perplexity']
    """

    def __init__(
        self,
        texts: Sequence[str],
        vocabulary: Vocabulary,
        shape: Shape,
        settings: TaskSettings,
        *,
        model: Any = None,
        compiled: bool = False,
    ) -> None:
        self.settings = settings
        self.vocabulary = vocabulary
        self.passages = Passages(texts, vocabulary, settings.held_out, shape.positions - 2)
        self.model: Any = made_model(len(vocabulary), shape) if model is None else model
        # Only what is called is compiled, not what is saved: the names of parameters stay as they are.
        self.encode: Callable[..., Any] = torch.compile(self.model.bert, dynamic=False) if compiled else self.model.bert

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """Full batches of passages."""
        return max(1, len(self.passages.training) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Guessing]:
        """The passages in random order, those of like length together; some batches in short pieces."""
        draw = generator(settings.seed, epoch)
        passages = self.passages
        for numbers in full_batches(passages.training, passages.lengths, settings.batch_size, draw):
            longest = int(passages.lengths[numbers].max())
            cut = longest > 2 * PIECE and draw.random() < self.settings.short
            offset = int(draw.integers(longest % PIECE + 1)) if cut else -1
            count = int(passages.lengths[numbers].sum())
            yield Guessing(torch.from_numpy(numbers), int(draw.integers(2**62)), longest, offset, count)

    def loss(self, batch: Guessing) -> Mapping[str, Tensor]:
        """How far the guesses are off, as cross-entropy, and how many are right."""
        content = self.passages.rows(batch.numbers)[:, : batch.width]
        ids = framed(content) if batch.offset < 0 else framed(pieces(content, batch.offset))
        told = guessing(self, ids, seeded(batch.seed, ids.device))
        return {name: told[name] for name in ("loss", "accuracy")}

    def evaluate(self) -> Mapping[str, float]:
        """Loss, perplexity and share of right guesses on the passages held out, covered the same way every time."""
        device = next(self.model.parameters()).device
        drawn = seeded(_MEASURED, device)
        numbers = torch.from_numpy(self.passages.measured).to(device)
        sums: dict[str, float] = {"loss": 0.0, "accuracy": 0.0}
        for first in range(0, len(numbers), _MEASURED_ROWS):
            rows = numbers[first : first + _MEASURED_ROWS]
            told = guessing(self, framed(self.passages.rows(rows)), drawn, encode=self.model.bert)
            for name in sums:
                sums[name] += told[name].item() * len(rows)
        means = {name: value / len(numbers) for name, value in sums.items()}
        return {**means, "perplexity": math.exp(min(means["loss"], 50.0))}


def guessing(
    task: MaskedTask, ids: Tensor, drawn: torch.Generator, encode: Callable[..., Any] | None = None
) -> dict[str, Tensor]:
    """The losses of one batch of ids, some of which are covered here, and the hidden states it came by.

    >>> words = Vocabulary.of(["元年春，王正月。"], 1)
    >>> shape = Shape(layers=1, width=16, heads=2, inner=32)
    >>> task = MaskedTask(["元年春，王正月。"] * 8, words, shape, TaskSettings())
    >>> sorted(guessing(task, framed(task.passages.rows(torch.arange(4))), seeded(1, torch.device("cpu"))))
    ['accuracy', 'hidden', 'loss', 'read']
    """
    settings = task.settings
    inputs, labels = masked(ids, len(task.vocabulary), drawn, settings.rate, settings.span)
    read = ids != 0
    hidden = (encode or task.encode)(input_ids=inputs, attention_mask=read).last_hidden_state
    # Only what is to be guessed goes through the large output layer: a seventh of the work and of the memory.
    guessed = labels != IGNORED
    truth = labels[guessed]
    logits = task.model.cls(hidden[guessed]).float()
    count = max(len(truth), 1)
    loss = functional.cross_entropy(logits, truth, reduction="sum") / count
    right = (logits.argmax(dim=-1) == truth).sum() / count
    return {"loss": loss, "accuracy": right.detach(), "hidden": hidden, "read": read}


def seeded(seed: int, device: torch.device) -> torch.Generator:
    """A generator on a device.

    >>> seeded(3, torch.device("cpu")).initial_seed()
    3
    """
    return torch.Generator(device=device).manual_seed(seed)


def made_model(vocabulary: int, shape: Shape) -> nn.Module:
    """A model of that shape with random weights, its output layer tied to its embeddings.

    >>> tiny = made_model(50, Shape(layers=1, width=16, heads=2, inner=32))
    >>> tiny.cls.predictions.decoder.weight is tiny.bert.embeddings.word_embeddings.weight
    True
    """
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        type_vocab_size=2,
        hidden_dropout_prob=shape.dropout,
        attention_probs_dropout_prob=shape.dropout,
        pad_token_id=0,
        tie_word_embeddings=True,
    )
    made: nn.Module = BertForMaskedLM(config)
    return made
