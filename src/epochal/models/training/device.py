"""Where a model is trained and in which precision, and how batches get there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

import torch

from epochal.errors import EpochalError

__all__ = ["autocast", "chosen_device", "device_name", "gradient_scaler", "moved"]

_TYPES: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


def chosen_device(name: str) -> torch.device:
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


def device_name(device: torch.device) -> str:
    """What to call a device in a report."""
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else str(device.type)


def autocast(precision: str, device: torch.device) -> AbstractContextManager[Any]:
    """What to compute in: matrix products in bf16 or fp16 where that is the precision, and all else as it comes."""
    if precision == "fp32":
        return nullcontext()
    found: AbstractContextManager[Any] = torch.autocast(device.type, dtype=_TYPES[precision])
    return found


def gradient_scaler(precision: str, device: torch.device) -> Any:
    """What keeps small gradients from vanishing in fp16; it does nothing in the other precisions."""
    if precision == "fp16" and device.type != "cuda":
        raise EpochalError(f"precision is 'fp16' on {device.type}; accepted: fp32 or bf16 there, fp16 on a GPU")
    return torch.amp.GradScaler("cuda", enabled=precision == "fp16")


def moved(batch: Any, device: torch.device) -> Any:
    """A batch with every tensor in it on the device; what is no tensor stays as it is."""
    if hasattr(batch, "to"):
        return batch.to(device)
    if isinstance(batch, Mapping):
        return {name: moved(value, device) for name, value in batch.items()}
    if isinstance(batch, tuple):
        values = [moved(value, device) for value in batch]
        return type(batch)(*values) if hasattr(batch, "_fields") else tuple(values)
    if isinstance(batch, list):
        return [moved(value, device) for value in batch]
    if is_dataclass(batch) and not isinstance(batch, type):
        return replace(batch, **{field.name: moved(getattr(batch, field.name), device) for field in fields(batch)})
    return batch
