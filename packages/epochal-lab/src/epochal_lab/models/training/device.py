"""Devices and precision, batches of texts of similar length, and running means of losses."""

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

#: The number of batches that are sorted by length together: more means less padding and less random batches.
_POOL = 50

_TYPES: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


def batches_by_length(
    lengths: Sequence[int],
    batch_size: int | None = None,
    max_tokens: int | None = None,
    *,
    seed: int,
    epoch: int = 0,
) -> list[list[int]]:
    """Group rows into batches: every row once, rows of similar length together, batches in random order.

    A batch has at most `batch_size` rows, and at most `max_tokens` tokens including padding (a single row may be
    longer); give one or both. The same seed and epoch give the same batches. With `batch_size` alone every epoch has
    the same number of batches; with `max_tokens` epochs may differ by a few.
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
        # Longest first: a lack of memory shows in the first batches of a pool.
        together = sorted(rows[start : start + pool], key=lambda row: -lengths[row])
        batches.extend(_split_batches(together, lengths, batch_size, max_tokens))
    return [batches[index] for index in random.permutation(len(batches)).tolist()]


def _estimate_batch_rows(lengths: Sequence[int], batch_size: int | None, max_tokens: int | None) -> int:
    """Estimate the rows of a batch, for the size of a pool."""
    if batch_size is not None:
        return batch_size
    mean = max(1, sum(lengths) // max(1, len(lengths)))
    return max(1, (max_tokens or 1) // mean)


def _split_batches(
    rows: Sequence[int], lengths: Sequence[int], batch_size: int | None, max_tokens: int | None
) -> Iterator[list[int]]:
    """Split rows, sorted longest first, into batches: all rows of a batch are padded to its first."""
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


def select_device(name: str) -> torch.device:
    """Return the device of that name; "auto" is the first GPU if there is one, else the CPU."""
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
    """Return the name of a device for a report."""
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else str(device.type)


def autocast(precision: str, device: torch.device) -> AbstractContextManager[Any]:
    """Return the autocast context of a precision; fp32 needs none."""
    if precision == "fp32":
        return nullcontext()
    context: AbstractContextManager[Any] = torch.autocast(device.type, dtype=_TYPES[precision])
    return context


def build_scaler(precision: str, device: torch.device) -> Any:
    """Build the gradient scaler that fp16 needs against underflow; it is disabled in other precisions."""
    if precision == "fp16" and device.type != "cuda":
        raise EpochalError(f"precision is 'fp16' on {device.type}; accepted: fp32 or bf16 there, fp16 on a GPU")
    return torch.amp.GradScaler("cuda", enabled=precision == "fp16")


def move_batch(batch: Any, device: torch.device) -> Any:
    """Move every tensor of a batch to a device; other values stay."""
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
    """Running means of losses by name, kept on the device: reading a value would make a GPU wait.

    A loss that is not finite is an error that names the step: at once on a CPU, on a GPU when the means are read.
    """

    def __init__(self) -> None:
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = {}
        self._bad: Tensor | None = None  # the first step whose loss was not finite, or -1
        self._shown = "-"

    @property
    def latest(self) -> str:
        """The loss when means were last read, for a progress bar."""
        return self._shown

    def add(self, losses: Mapping[str, Tensor], step: int) -> None:
        """Add the losses of one batch."""
        for name, value in losses.items():
            loss_value = value.detach().float()
            self._sums[name] = self._sums[name] + loss_value if name in self._sums else loss_value.clone()
            self._counts[name] = self._counts.get(name, 0) + 1
        loss = losses["loss"].detach()
        if loss.device.type == "cpu":
            _check_finite(step, float(loss))
            return
        if self._bad is None:
            self._bad = torch.full((), -1, device=loss.device)
        self._bad = torch.where((self._bad < 0) & ~torch.isfinite(loss), step, self._bad)

    def means(self) -> dict[str, float]:
        """Return the means by name; {} if nothing was added."""
        means = {name: float(total) / self._counts[name] for name, total in self._sums.items()}
        if self._bad is not None and (step := int(self._bad)) >= 0:
            _check_finite(step, math.nan)
        if "loss" in means:
            self._shown = f"{means['loss']:.4f}"
        return means

    def clear(self) -> None:
        self._sums, self._counts, self._bad = {}, {}, None

    def drain_into(self, other: LossMeter) -> None:
        """Add the sums to another meter and clear this one."""
        self.means()  # raises an error for a loss that is not finite
        for name, total in self._sums.items():
            other._sums[name] = other._sums[name] + total if name in other._sums else total
            other._counts[name] = other._counts.get(name, 0) + self._counts[name]
        self.clear()

    def dump(self) -> dict[str, Any]:
        """Return the sums in a form for JSON."""
        self.means()  # a loss that is not finite must not be saved
        return {name: [float(total), self._counts[name]] for name, total in self._sums.items()}

    def load(self, record: Mapping[str, Any]) -> None:
        """Restore the sums that `dump` returned."""
        self.clear()
        for name, (total, count) in record.items():
            self._sums[name], self._counts[name] = torch.tensor(total), count


def _check_finite(step: int, loss: float) -> None:
    if not math.isfinite(loss):
        raise EpochalError(
            f"the loss of step {step} is {loss}; lower the rate, clip the gradients, or look at the data"
        )
