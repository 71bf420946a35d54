"""Pools of the tests' own, whose answers only time can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def made_pools() -> Callable[..., Any]:
    """Makes pools: of each question's candidates, all alike by text, the answer is the one of the time asked for, or,
    with `newest`, the newest."""
    pytest.importorskip("torch")
    from epochal_lab.models.re3.pools import Pools

    def make(questions: int, candidates: int = 10, *, newest: bool = False, seed: int = 0, dim: int = 8) -> Any:
        random = np.random.default_rng(seed)
        total = questions * candidates
        topics = random.normal(size=(questions, dim)).astype(np.float32)
        topics /= np.linalg.norm(topics, axis=1, keepdims=True)
        vectors = np.repeat(topics, candidates, axis=0) + 0.05 * random.normal(size=(total, dim)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rel = np.concatenate(
            [365.0 * random.permutation(candidates) * random.choice([-1, 1]) for _ in range(questions)]
        )
        rec = np.concatenate([30.0 * (1 + random.permutation(candidates)) for _ in range(questions)])
        answers = rec == 30.0 if newest else rel == 0.0
        unknown = np.full(total, np.nan)
        empty = np.zeros((0, dim), np.float32)
        return Pools(
            encoder="made-1",
            ids=np.array([f"q{number}" for number in range(questions)]),
            offsets=np.arange(0, total + 1, candidates),
            questions=topics,
            asked=np.full(questions, not newest),
            vectors=vectors,
            places=np.arange(total, dtype=np.int32),
            semantic=np.einsum("ij,ij->i", vectors, np.repeat(topics, candidates, axis=0)).astype(np.float64),
            lexical=random.random(total),
            rel=unknown if newest else rel,
            overlap=np.zeros(total) if newest else (rel == 0).astype(np.float64),
            rec=rec if newest else unknown,
            gate=random.random(total),
            answers=answers,
            forced=np.zeros(total, dtype=np.bool_),
            time_vectors=empty,
            rel_times=np.zeros(0, np.int32),
            rec_times=np.zeros(0, np.int32),
            asked_times=empty,
            reference_times=empty,
        )

    return make


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small matrices are multiplied faster than threads are woken for them."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
