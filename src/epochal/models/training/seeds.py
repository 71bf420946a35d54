"""Random numbers: seeded, saved, and put back where they were."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

__all__ = ["RandomState", "generator", "seed_all"]


def seed_all(seed: int) -> None:
    """Seed the generators of Python, numpy and torch. Call it before a model is made, so that it begins the same."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def generator(seed: int, *parts: int) -> np.random.Generator:
    """A generator of one's own for a seed and what it is for, such as the epoch; others do not disturb it."""
    return np.random.default_rng([seed, *parts])


@dataclass(frozen=True, slots=True)
class RandomState:
    """Where the generators of Python, numpy and torch stand, as JSON can hold (`record`) and as `tensors`."""

    record: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    @classmethod
    def current(cls) -> RandomState:
        """Where the generators stand."""
        version, words, gauss = random.getstate()
        kind, keys, place, has_gauss, cached = np.random.get_state(legacy=True)
        tensors = {
            "python": torch.tensor(words),
            "numpy": torch.from_numpy(np.asarray(keys).astype(np.int64)),
            "torch": torch.get_rng_state(),
        }
        if torch.cuda.is_initialized():
            tensors |= {f"cuda.{number}": state for number, state in enumerate(torch.cuda.get_rng_state_all())}
        record = {
            "python": [version, gauss],
            "numpy": [str(kind), int(place), int(has_gauss), float(cached)],
        }
        return cls(record, tensors)

    def put_back(self) -> None:
        """Let the generators stand there again; those of GPUs only where they are in use, and were."""
        version, gauss = self.record["python"]
        random.setstate((version, tuple(self.tensors["python"].tolist()), gauss))
        kind, place, has_gauss, cached = self.record["numpy"]
        np.random.set_state((kind, self.tensors["numpy"].numpy().astype(np.uint32), place, has_gauss, cached))
        torch.set_rng_state(self.tensors["torch"])
        for number in range(torch.cuda.device_count() if torch.cuda.is_initialized() else 0):
            if f"cuda.{number}" in self.tensors:
                torch.cuda.set_rng_state(self.tensors[f"cuda.{number}"], number)
