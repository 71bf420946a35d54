"""Batches of texts of similar length, so that little of a batch is padding.

Where a model is trained and in which precision, and how batches get there.

Running means of losses that stay on the device until they are asked for: reading one would make a GPU wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal_lab.models.training.checkpoint import make_generator

__all__ = [
    "LossMeter",
    "autocast",
    "batches_by_length",
    "build_scaler",
    "get_device_name",
    "move_batch",
    "select_device",
]


#: How many batches are sorted by length together. More means less padding and less chance in what meets what.
_POOL = 50


def batches_by_length(
    lengths: Sequence[int],
    batch_size: int | None = None,
    max_tokens: int | None = None,
    *,
    seed: int,
    epoch: int = 0,
) -> list[list[int]]:
    """Which rows make a batch: every row once, rows of similar length together, batches in random order.

    A batch has at most `batch_size` rows, and at most `max_tokens` tokens with its padding (a single row may be
    longer); give one or both. The same seed and epoch give the same batches. By `batch_size` alone there are always
    as many batches; by `max_tokens` epochs may differ by a few.
    """
    for name, value in (("batch_size", batch_size), ("max_tokens", max_tokens)):
        if value is not None and value < 1:
            raise EpochalError(f"{name} is {value}; accepted: a whole number from 1, or None")
    if batch_size is None and max_tokens is None:
        raise EpochalError("neither batch_size nor max_tokens says how large a batch may be; give one of them")
    random = make_generator(seed, epoch)
    rows = random.permutation(len(lengths)).tolist()
    pool = _POOL * _estimate_batch_rows(lengths, batch_size, max_tokens)
    batches: list[list[int]] = []
    for start in range(0, len(rows), pool):
        # Longest first: where memory does not suffice, one learns it from the first batches of a pool.
        together = sorted(rows[start : start + pool], key=lambda row: -lengths[row])
        batches.extend(_split_batches(together, lengths, batch_size, max_tokens))
    return [batches[place] for place in random.permutation(len(batches)).tolist()]


def _estimate_batch_rows(lengths: Sequence[int], batch_size: int | None, max_tokens: int | None) -> int:
    """About how many rows a batch has, to make pools of so many batches."""
    if batch_size is not None:
        return batch_size
    mean = max(1, sum(lengths) // max(1, len(lengths)))
    return max(1, (max_tokens or 1) // mean)


def _split_batches(
    rows: Sequence[int], lengths: Sequence[int], batch_size: int | None, max_tokens: int | None
) -> Iterator[list[int]]:
    """Rows that were sorted longest first, cut where a batch is full: its first row is what all are padded to."""
    batch: list[int] = []
    for row in rows:
        full = batch_size is not None and len(batch) == batch_size
        heavy = max_tokens is not None and batch and (len(batch) + 1) * lengths[batch[0]] > max_tokens
        if full or heavy:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


_TYPES: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


def select_device(name: str) -> torch.device:
    """The device of that name; "auto" is the first GPU where there is one, and else the processor."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise EpochalError(f"device is {name!r}; accepted: auto, cpu, cuda, cuda:N, mps") from error
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise EpochalError(f"device is {name!r}, but torch sees {torch.cuda.device_count()} GPUs; accepted: auto, cpu")
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise EpochalError(f"device is {name!r}, which torch cannot use on this machine; accepted: auto, cpu")
    return device


def get_device_name(device: torch.device) -> str:
    """What to call a device in a report."""
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else str(device.type)


def autocast(precision: str, device: torch.device) -> AbstractContextManager[Any]:
    """What to compute in: matrix products in bf16 or fp16 where that is the precision, and all else as it comes."""
    if precision == "fp32":
        return nullcontext()
    found: AbstractContextManager[Any] = torch.autocast(device.type, dtype=_TYPES[precision])
    return found


def build_scaler(precision: str, device: torch.device) -> Any:
    """What keeps small gradients from vanishing in fp16; it does nothing in the other precisions."""
    if precision == "fp16" and device.type != "cuda":
        raise EpochalError(f"precision is 'fp16' on {device.type}; accepted: fp32 or bf16 there, fp16 on a GPU")
    return torch.amp.GradScaler("cuda", enabled=precision == "fp16")


def move_batch(batch: Any, device: torch.device) -> Any:
    """A batch with every tensor in it on the device; what is no tensor stays as it is."""
    if hasattr(batch, "to"):
        return batch.to(device)
    if isinstance(batch, Mapping):
        return {name: move_batch(value, device) for name, value in batch.items()}
    if isinstance(batch, tuple):
        values = [move_batch(value, device) for value in batch]
        return type(batch)(*values) if hasattr(batch, "_fields") else tuple(values)
    if isinstance(batch, list):
        return [move_batch(value, device) for value in batch]
    if is_dataclass(batch) and not isinstance(batch, type):
        return replace(batch, **{field.name: move_batch(getattr(batch, field.name), device) for field in fields(batch)})
    return batch


class LossMeter:
    """Means of losses by name, over as many batches as were added since it was cleared.

    A loss that is no number is an error that names the step: at once on a processor, on a GPU when means are read.
    """

    def __init__(self) -> None:
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = {}
        self._bad: Tensor | None = None  # the first step whose loss was no number, or -1
        self._shown = "-"

    @property
    def latest(self) -> str:
        """The loss as it was when means were last read, to show beside a bar."""
        return self._shown

    def add(self, losses: Mapping[str, Tensor], step: int) -> None:
        """Add the losses of one batch."""
        for name, value in losses.items():
            number = value.detach().float()
            self._sums[name] = self._sums[name] + number if name in self._sums else number.clone()
            self._counts[name] = self._counts.get(name, 0) + 1
        loss = losses["loss"].detach()
        if loss.device.type == "cpu":
            _check_finite(step, float(loss))
            return
        if self._bad is None:
            self._bad = torch.full((), -1, device=loss.device)
        self._bad = torch.where((self._bad < 0) & ~torch.isfinite(loss), step, self._bad)

    def means(self) -> dict[str, float]:
        """The means by name; {} where nothing was added."""
        found = {name: float(total) / self._counts[name] for name, total in self._sums.items()}
        if self._bad is not None and (step := int(self._bad)) >= 0:
            _check_finite(step, math.nan)
        if "loss" in found:
            self._shown = f"{found['loss']:.4f}"
        return found

    def clear(self) -> None:
        """Forget what was added."""
        self._sums, self._counts, self._bad = {}, {}, None

    def pour(self, other: LossMeter) -> None:
        """Add what was added here to another meter, and forget it."""
        self.means()  # a loss that is no number must not go unseen
        for name, total in self._sums.items():
            other._sums[name] = other._sums[name] + total if name in other._sums else total
            other._counts[name] = other._counts.get(name, 0) + self._counts[name]
        self.clear()

    def dump(self) -> dict[str, Any]:
        """What was added, as JSON can hold it."""
        self.means()  # a loss that is no number must not get into a saved state
        return {name: [float(total), self._counts[name]] for name, total in self._sums.items()}

    def load(self, record: Mapping[str, Any]) -> None:
        """Go on from what `dump` gave."""
        self.clear()
        for name, (total, count) in record.items():
            self._sums[name], self._counts[name] = torch.tensor(total), count


def _check_finite(step: int, loss: float) -> None:
    if not math.isfinite(loss):
        raise EpochalError(
            f"the loss of step {step} is {loss}; lower the rate, clip the gradients, or look at the data"
        )
