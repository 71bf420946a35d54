"""The two pretraining tasks of the encoder: masked characters, and then a contrast of spans of one passage.

Masks and spans are sampled on the device for a whole batch at once, from ids of all passages in one tensor. The number
of steps that fit into a time is measured before a run, so that its learning rate reaches zero at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.times.span import stopwatch
from epochal_lab.models.annals.vocabulary import SPECIAL, ModelShape, TaskSettings, Vocabulary
from epochal_lab.models.backbone import pool_states
from epochal_lab.models.training.checkpoint import make_generator
from epochal_lab.models.training.device import autocast, build_scaler, move_batch, select_device
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.task import TrainTask

#: The label of a character that is not predicted.
IGNORED: Final = -100
#: The maximum length of a masked span.
_MAX_SPAN: Final = 10
_MASK: Final = SPECIAL.index("[MASK]")
#: Shares of the selected characters that are masked, and that are replaced by another; the rest stay.
_COVERED: Final = 0.8
_REPLACED: Final = 0.1

#: Warm-up batches, in which every shape is compiled, and timed batches.
_WARM: Final = 24
_TIMED: Final = 24
#: Factor for the time of the optimiser, the log, evaluations and saving.
_OVERHEAD: Final = 1.15
#: Characters of a short piece: 64 positions less [CLS] and [SEP].
PIECE: Final = 62
_START: Final = SPECIAL.index("[CLS]")
_END: Final = SPECIAL.index("[SEP]")
#: Widths are multiples of this, so that few shapes of batches come up and each is compiled once.
_STEP: Final = 64
#: The number of batches that are sorted by length together.
_POOL: Final = 32
#: The seed of the split into training and held-out passages, independent of the seed of a run.
_SPLIT: Final = 20
#: The seed of the masks of held-out passages.
_MEASURED: Final = 7
_MEASURED_ROWS: Final = 64
#: The minimum length of a span; passages have at least four times as many characters.
_MIN_SPAN: Final = 8
_MEASURED_SPANS: Final = 11
_MEASURED_SPAN_ROWS: Final = 256


class MaskedIds(NamedTuple):
    """The model's inputs, and the ids to predict (`IGNORED` elsewhere)."""

    inputs: Tensor
    labels: Tensor


def mask_ids(
    ids: Tensor, vocabulary: int, generator: torch.Generator, rate: float = 0.15, span: float = 1.0
) -> MaskedIds:
    """Mask some ids: 80 % by [MASK], 10 % by a random character, 10 % unchanged; never special ones."""
    guessed = sample_positions(ids.shape, generator, rate, span) & (ids >= len(SPECIAL))
    how = torch.rand(ids.shape, generator=generator, device=generator.device)
    others = torch.randint(len(SPECIAL), vocabulary, ids.shape, generator=generator, device=generator.device)
    inputs = torch.where(guessed & (how < _COVERED), _MASK, ids)
    inputs = torch.where(guessed & (how >= _COVERED) & (how < _COVERED + _REPLACED), others.to(ids.dtype), inputs)
    return MaskedIds(inputs, torch.where(guessed, ids, IGNORED))


def sample_positions(shape: torch.Size, generator: torch.Generator, rate: float, span: float) -> Tensor:
    """Sample a mask of (rows, width): each position with probability `rate`, in spans of mean length `span`.

    Lengths of spans are geometric; overlapping spans run together.
    """
    rows, width = shape
    device = generator.device
    if span <= 1:
        return torch.rand(rows, width, generator=generator, device=device) < rate
    # Spans may start before the row, so that its first positions are as likely as all others.
    wide = width + _MAX_SPAN - 1
    begins = torch.rand(rows, wide, generator=generator, device=device) < _find_start_rate(rate, span)
    # A length exceeds k with probability (1 - 1 / span) ** k: one draw decides for all k.
    draws = torch.rand(rows, wide, generator=generator, device=device)
    mask = torch.zeros(rows, width, dtype=torch.bool, device=device)
    for further in range(_MAX_SPAN):
        reaching = begins & (draws < (1 - 1 / span) ** further)
        first = _MAX_SPAN - 1 - further
        mask |= reaching[:, first : first + width]
    return mask


def _find_start_rate(rate: float, span: float) -> float:
    """Find by bisection the probability of a span's start that covers `rate` of all positions."""
    reach = [(1 - 1 / span) ** further for further in range(_MAX_SPAN)]
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        free = 1.0
        for share in reach:
            free *= 1 - middle * share
        low, high = (middle, high) if 1 - free < rate else (low, middle)
    return low


def count_fitting_steps(
    task: TrainTask, settings: TrainSettings, seconds: float, *, warm: int = _WARM, timed: int = _TIMED
) -> int:
    """Return how many optimiser steps fit into `seconds`, less the time of measuring; the model stays unchanged."""
    begun = stopwatch()
    device = select_device(settings.device)
    model = task.model.to(device).train()
    scaler = build_scaler(settings.precision, device)
    batches = _repeat_epochs(task, settings)
    watches = []
    for number, batch in enumerate(islice(batches, warm + timed)):
        if number >= warm:
            watches.append(_get_synchronised_time(device))
        with autocast(settings.precision, device):
            loss = task.loss(move_batch(batch, device))["loss"]
        scaler.scale(loss).backward()
        model.zero_grad(set_to_none=True)
    now = _get_synchronised_time(device)
    # The median: compiling a shape that occurs late takes a hundred times as long as a step.
    each = median(later - one for one, later in pairwise([*watches, now])) * settings.accumulate * _OVERHEAD
    steps = int((seconds - (now - begun)) / each)
    if steps < 1:
        raise EpochalError(
            f"not one step fits into {seconds:g} s, of which measuring took {now - begun:.1f}; give more"
        )
    return steps


def _repeat_epochs(task: TrainTask, settings: TrainSettings) -> Iterator[Any]:
    epoch = 0
    while True:
        yield from task.batches(epoch, settings)
        epoch += 1


def _get_synchronised_time(device: torch.device) -> float:
    """Return the time once the device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return stopwatch()


class Passages:
    """The ids of passages, padded with zeros, without [CLS] and [SEP]; some of them held out."""

    def __init__(self, texts: Sequence[str], vocabulary: Vocabulary, held_out: float, longest: int = 254) -> None:
        if len(texts) < 2:
            raise EpochalError(f"there are {len(texts)} passages; training needs 2 or more, to hold one out")
        self._make_ids = torch.from_numpy(vocabulary.rows(texts, longest))
        self.lengths = np.array([min(len(text), longest) for text in texts])
        order = make_generator(_SPLIT).permutation(len(texts))
        count = min(max(1, round(held_out * len(texts))), len(texts) - 1)
        self.measured: npt.NDArray[np.int64] = np.sort(order[:count])
        self.training: npt.NDArray[np.int64] = np.sort(order[count:])

    @property
    def characters(self) -> int:
        """The number of characters to train on."""
        return int(self.lengths[self.training].sum())

    def rows(self, numbers: Tensor) -> Tensor:
        """Return the ids of passages by number; the table moves to the numbers' device once."""
        if self._make_ids.device != numbers.device:
            self._make_ids = self._make_ids.to(numbers.device)
        return self._make_ids[numbers].long()


def build_full_batches(
    numbers: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], size: int, draw: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield passage numbers in random order, in batches of exactly `size` with passages of similar length.

    Incomplete batches are dropped, unless there is only one.
    """
    order = draw.permutation(numbers)
    if len(order) <= size:
        yield order
        return
    order = order[: len(order) // size * size]
    batches = []
    for first in range(0, len(order), size * _POOL):
        pool = order[first : first + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[begin : begin + size] for begin in range(0, len(pool), size)]
    for position in draw.permutation(len(batches)):
        yield batches[position]


def frame_rows(content: Tensor, width: int | None = None) -> Tensor:
    """Put rows of characters between [CLS] and [SEP], padded to a multiple of 64 or to a width."""
    longest = content.shape[1]
    wide = width or -(-(longest + 2) // _STEP) * _STEP
    rows = content.new_zeros(len(content), wide)
    rows[:, 0] = _START
    rows[:, 1 : longest + 1] = content
    ends = (content != 0).sum(dim=1, keepdim=True) + 1
    return rows.scatter_(1, ends, _END)


def cut_pieces(content: Tensor, offset: int) -> Tensor:
    """Cut rows into pieces of `PIECE` characters from an offset on; the rest is dropped."""
    count = (content.shape[1] - offset) // PIECE
    return content[:, offset : offset + count * PIECE].reshape(-1, PIECE)


@dataclass(frozen=True, slots=True)
class MaskedBatch:
    """One batch: passage numbers, a seed, the width to read, and the offset of pieces (-1: not cut)."""

    numbers: Tensor
    seed: int
    width: int
    offset: int
    tokens: int


class MaskedTask:
    """The masked language model as a task of the trainer, evaluated on held-out passages.

    Passages that several editions share may be on both sides, so the held-out loss shows the progress of training, not
    the quality on unseen text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        vocabulary: Vocabulary,
        shape: ModelShape,
        settings: TaskSettings,
        *,
        model: Any = None,
        compiled: bool = False,
    ) -> None:
        self.settings = settings
        self.vocabulary = vocabulary
        self.passages = Passages(texts, vocabulary, settings.held_out, shape.positions - 2)
        self.model: Any = build_model(len(vocabulary), shape) if model is None else model
        # Only the called module is compiled, so that the names of saved parameters stay.
        self.encode: Callable[..., Any] = torch.compile(self.model.bert, dynamic=False) if compiled else self.model.bert

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        return max(1, len(self.passages.training) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[MaskedBatch]:
        """Yield passages in random order, those of similar length together; some batches in short pieces."""
        draw = make_generator(settings.seed, epoch)
        passages = self.passages
        for numbers in build_full_batches(passages.training, passages.lengths, settings.batch_size, draw):
            longest = int(passages.lengths[numbers].max())
            cut = longest > 2 * PIECE and draw.random() < self.settings.short
            offset = int(draw.integers(longest % PIECE + 1)) if cut else -1
            count = int(passages.lengths[numbers].sum())
            yield MaskedBatch(torch.from_numpy(numbers), int(draw.integers(2**62)), longest, offset, count)

    def loss(self, batch: MaskedBatch) -> Mapping[str, Tensor]:
        """Return the cross-entropy and the accuracy."""
        content = self.passages.rows(batch.numbers)[:, : batch.width]
        ids = frame_rows(content) if batch.offset < 0 else frame_rows(cut_pieces(content, batch.offset))
        losses = compute_masked_losses(self, ids, build_generator(batch.seed, ids.device))
        return {name: losses[name] for name in ("loss", "accuracy")}

    def evaluate(self) -> Mapping[str, float]:
        """Return loss, perplexity and accuracy on held-out passages, masked the same way every time."""
        device = next(self.model.parameters()).device
        generator = build_generator(_MEASURED, device)
        numbers = torch.from_numpy(self.passages.measured).to(device)
        sums: dict[str, float] = {"loss": 0.0, "accuracy": 0.0}
        for first in range(0, len(numbers), _MEASURED_ROWS):
            rows = numbers[first : first + _MEASURED_ROWS]
            losses = compute_masked_losses(
                self, frame_rows(self.passages.rows(rows)), generator, encode=self.model.bert
            )
            for name in sums:
                sums[name] += losses[name].item() * len(rows)
        means = {name: value / len(numbers) for name, value in sums.items()}
        return {**means, "perplexity": math.exp(min(means["loss"], 50.0))}


def compute_masked_losses(
    task: MaskedTask, ids: Tensor, generator: torch.Generator, encode: Callable[..., Any] | None = None
) -> dict[str, Tensor]:
    """Mask a batch of ids, and return its losses and hidden states."""
    settings = task.settings
    inputs, labels = mask_ids(ids, len(task.vocabulary), generator, settings.rate, settings.span)
    read = ids != 0
    hidden = (encode or task.encode)(input_ids=inputs, attention_mask=read).last_hidden_state
    # Only predicted positions go through the large output layer: a seventh of the work and of the memory.
    guessed = labels != IGNORED
    truth = labels[guessed]
    logits = task.model.cls(hidden[guessed]).float()
    count = max(len(truth), 1)
    loss = functional.cross_entropy(logits, truth, reduction="sum") / count
    right = (logits.argmax(dim=-1) == truth).sum() / count
    return {"loss": loss, "accuracy": right.detach(), "hidden": hidden, "read": read}


def build_generator(seed: int, device: torch.device) -> torch.Generator:
    """Return a seeded generator on a device."""
    return torch.Generator(device=device).manual_seed(seed)


def build_model(vocabulary: int, shape: ModelShape) -> nn.Module:
    """Build a randomly initialised model of that shape, with tied input and output embeddings."""
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
    model: nn.Module = BertForMaskedLM(config)
    return model


@dataclass(frozen=True, slots=True)
class SpanBatch:
    """One batch: passage numbers, and the seed of their spans."""

    numbers: Tensor
    seed: int
    tokens: int


class SpansTask:
    """Continues a masked language model with InfoNCE between two spans, one from each half of a passage.

    The masked loss continues on the same spans (`TaskSettings.covered`), so that nothing is forgotten.
    """

    def __init__(self, first: MaskedTask) -> None:
        self.first = first
        self.model = first.model
        lengths = first.passages.lengths
        self._training = first.passages.training[lengths[first.passages.training] >= 4 * _MIN_SPAN]
        self._measured = first.passages.measured[lengths[first.passages.measured] >= 4 * _MIN_SPAN]
        if len(self._training) < 2 or len(self._measured) < 1:
            raise EpochalError(
                f"{len(self._training)} passages to learn from and {len(self._measured)} to measure on have "
                f"{4 * _MIN_SPAN} characters; spans need 2 and 1 of them"
            )

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        return max(1, len(self._training) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[SpanBatch]:
        """Yield passages in random order, those of similar length together."""
        draw = make_generator(settings.seed, epoch)
        tokens = self.first.settings.longest_span
        for numbers in build_full_batches(self._training, self.first.passages.lengths, settings.batch_size, draw):
            yield SpanBatch(torch.from_numpy(numbers), int(draw.integers(2**62)), len(numbers) * tokens)

    def loss(self, batch: SpanBatch) -> Mapping[str, Tensor]:
        """Return InfoNCE in both directions, and a share of the masked loss."""
        settings = self.first.settings
        generator = build_generator(batch.seed, batch.numbers.device)
        losses = compute_masked_losses(self.first, self._make_ids(batch.numbers, generator), generator)
        near, right = span_contrast_loss(*self._pool_pairs(losses["hidden"], losses["read"]), settings.temperature)
        loss = near + settings.covered * losses["loss"]
        return {"loss": loss, "near": near.detach(), "covered": losses["loss"].detach(), "hit@1": right}

    def evaluate(self) -> Mapping[str, float]:
        """Return InfoNCE, and how often the other span of a passage is the nearest of 256, on held-out passages."""
        device = next(self.model.parameters()).device
        generator = build_generator(_MEASURED_SPANS, device)
        numbers = torch.from_numpy(self._measured).to(device)
        sums = [0.0, 0.0]
        for first in range(0, len(numbers), _MEASURED_SPAN_ROWS):
            rows = numbers[first : first + _MEASURED_SPAN_ROWS]
            ids = self._make_ids(rows, generator)
            hidden = self.model.bert(input_ids=ids, attention_mask=ids != 0).last_hidden_state
            near, right = span_contrast_loss(*self._pool_pairs(hidden, ids != 0), self.first.settings.temperature)
            sums = [sums[0] + near.item() * len(rows), sums[1] + right.item() * len(rows)]
        return {"loss": sums[0] / len(numbers), "hit@1": sums[1] / len(numbers)}

    def _make_ids(self, numbers: Tensor, generator: torch.Generator) -> Tensor:
        content = self.first.passages.rows(numbers)
        return frame_rows(torch.cat(cut_spans(content, generator, self.first.settings.longest_span)))

    @staticmethod
    def _pool_pairs(hidden: Tensor, read: Tensor) -> tuple[Tensor, Tensor]:
        rows = pool_states(hidden.float(), read, "mean")
        one, other = rows.chunk(2)
        return one, other


def cut_spans(content: Tensor, generator: torch.Generator, longest: int) -> tuple[Tensor, Tensor]:
    """Cut a random span from each half of each row, of 8 to `longest` characters, padded with zeros."""
    device = content.device
    halves = (content != 0).sum(dim=1) // 2
    spans = []
    for begin in (torch.zeros_like(halves), halves):
        draw = torch.rand(2, len(content), generator=generator, device=device)
        most = halves.clamp(max=longest)
        length = _MIN_SPAN + (draw[0] * (most - _MIN_SPAN + 1)).long()
        start = begin + (draw[1] * (halves - length + 1)).long()
        columns = torch.arange(longest, device=device)
        picked = content.gather(1, (start[:, None] + columns).clamp(max=content.shape[1] - 1))
        spans.append(torch.where(columns < length[:, None], picked, 0))
    return spans[0], spans[1]


def span_contrast_loss(one: Tensor, other: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """InfoNCE in both directions between paired rows, by cosine; and the accuracy."""
    with torch.autocast(one.device.type, enabled=False):
        scores = functional.normalize(one.float(), dim=1) @ functional.normalize(other.float(), dim=1).T / temperature
        truth = torch.arange(len(scores), device=scores.device)
        loss = (functional.cross_entropy(scores, truth) + functional.cross_entropy(scores.T, truth)) / 2
        return loss, (scores.argmax(dim=1) == truth).float().mean()
