"""The task of Re3: a listwise loss over the candidates of questions, and how often the first is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from epochal.bench.metrics import measure_rankings
from epochal.errors import EpochalError
from epochal.models.re3.network import Batch, Re3Network
from epochal.models.re3.pools import Candidates, Pools
from epochal.models.training.seeds import generator
from epochal.models.training.settings import TrainSettings
from epochal.ranking.learned.inputs import Inputs, inputs_of
from epochal.ranking.learned.settings import Re3Settings

__all__ = ["Re3Task", "chosen", "dev_inputs", "measure_candidates", "useful"]

#: The gate learns faster than the projection: 1e-2 beside 1e-3.
_GATE_RATE: Final = 10.0
#: Timestamps are dropped from half of the questions, up to this share of them.
_MOST_DROPPED: Final = 0.8


class Re3Task:
    """Training on the pools of one or more sets of questions; sets count alike in what is measured.

    `candidates` is how many of a question's are learned from at a time: its answers, the best by meaning and by words,
    and others by chance. With `dropout` that share of questions is seen with some of their timestamps taken away.
    `repeat` says how often an epoch goes over each set.

    >>> Re3Task.__name__
    'Re3Task'
    """

    def __init__(
        self,
        settings: Re3Settings,
        train: Sequence[Pools],
        dev: Sequence[Pools],
        *,
        candidates: int = 50,
        dropout: float = 0.0,
        repeat: Sequence[int] | None = None,
    ) -> None:
        if not train or len({pools.dim for pools in (*train, *dev)}) > 1:
            raise EpochalError(
                f"Re3 is trained on pools with vectors of one length, but was given "
                f"{sorted({pools.dim for pools in (*train, *dev)})}; accepted: sets indexed with one encoder"
            )
        if candidates < 2 or not 0 <= dropout <= 1:
            raise EpochalError(
                f"Re3 cannot be trained on {candidates} candidates with dropout {dropout}; accepted: 2 or more, and a "
                "share from 0 to 1"
            )
        self.settings, self.train, self.dev = settings, tuple(train), tuple(dev)
        self.candidates, self.dropout = candidates, dropout
        times = repeat or [1] * len(self.train)
        self._numbers = [
            (which, number)
            for which, pools in enumerate(self.train)
            for number in useful(pools)
            for _ in range(times[which])
        ]
        if not self._numbers:
            raise EpochalError(
                "none of the questions has both an answer and another candidate; there is nothing to learn"
            )
        self.model = Re3Network(settings, self.train[0].dim)

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has.

        >>> Re3Task.steps_per_epoch.__name__
        'steps_per_epoch'
        """
        return -(-len(self._numbers) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Batch]:
        """The batches of an epoch, in an order and with candidates that seed and epoch decide.

        >>> Re3Task.batches.__name__
        'batches'
        """
        random = generator(settings.seed, epoch)
        order = random.permutation(len(self._numbers))
        for low in range(0, len(order), settings.batch_size):
            some = [self._numbers[at] for at in order[low : low + settings.batch_size]]
            yield Batch.of([self._example(self.train[which][number], random) for which, number in some])

    def _example(self, found: Candidates, random: np.random.Generator) -> tuple[Inputs, npt.NDArray[np.bool_]]:
        found = chosen(found, self.settings.depth)
        gaps = found.gaps
        if self.dropout and random.random() < self.dropout:
            rate = _MOST_DROPPED * random.random()
            gaps = gaps.without(random.random(len(found)) < rate, random.random(len(found)) < rate)
        places = _sampled(found, self.candidates, random)
        made = inputs_of(
            self.settings,
            found.question,
            found.vectors,
            found.semantic,
            found.lexical,
            gaps,
            found.differences,
            places,
        )
        return made, found.answers[places]

    def loss(self, batch: Batch) -> Mapping[str, Tensor]:
        """The listwise loss.

        >>> Re3Task.loss.__name__
        'loss'
        """
        return {"loss": self.model.loss(batch)}

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """The gate's parameters learn ten times as fast as the others; only matrices decay."""
        named = dict(self.model.named_parameters())
        gate = [value for name, value in named.items() if name.startswith(("gate.", "words"))]
        rest = [value for name, value in named.items() if not name.startswith(("gate.", "words"))]
        return [
            {
                "params": [value for value in rest if value.ndim > 1],
                "lr": settings.rate,
                "weight_decay": settings.decay,
            },
            {"params": [value for value in rest if value.ndim < 2], "lr": settings.rate, "weight_decay": 0.0},
            *([{"params": gate, "lr": _GATE_RATE * settings.rate, "weight_decay": 0.0}] if gate else []),
        ]

    @cached_property
    def _dev(self) -> list[list[tuple[Inputs, npt.NDArray[np.bool_]]]]:
        return [dev_inputs(self.settings, pools) for pools in self.dev]

    def evaluate(self) -> Mapping[str, float]:
        """hit@1 and MRR over the development questions."""
        found: dict[str, float] = {}
        for which, items in enumerate(self._dev):
            scores = [self._scores(inputs, answers) for inputs, answers in items]
            values = measure_candidates(scores, [answers for _, answers in items], "hit@1 MRR")
            found |= {f"{name} {which}": float(value.mean()) for name, value in values.items()}
        if not self._dev:
            return {}
        means = {
            name: float(np.mean([value for key, value in found.items() if key.startswith(name)]))
            for name in ("hit@1", "MRR")
        }
        return means if len(self._dev) == 1 else {**means, **found}

    def _scores(self, inputs: Inputs, answers: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        if not answers.any():  # missed in any order
            return np.zeros(len(answers))
        device = next(self.model.parameters()).device
        batch = Batch.of([(inputs, answers)])
        moved = Batch(**{name: getattr(batch, name).to(device) for name in Batch.__slots__})
        with torch.no_grad():
            scores: npt.NDArray[np.float64] = self.model(moved)[0].cpu().numpy().astype(np.float64)
        return scores


def useful(pools: Pools) -> list[int]:
    """The questions that have both an answer and another candidate."""
    low, high = pools.offsets[:-1], pools.offsets[1:]
    right = np.concatenate([[0], np.cumsum(pools.answers)])
    counts = right[high] - right[low]
    return [int(number) for number in np.flatnonzero((counts > 0) & (counts < high - low))]


def dev_inputs(settings: Re3Settings, pools: Pools) -> list[tuple[Inputs, npt.NDArray[np.bool_]]]:
    """The questions of pools as a search sees them: without the answers that it did not find."""
    made = []
    for number in range(len(pools)):
        found = chosen(pools[number].found, settings.depth, answers=False)
        inputs = inputs_of(
            settings, found.question, found.vectors, found.semantic, found.lexical, found.gaps, found.differences
        )
        made.append((inputs, found.answers))
    return made


def measure_candidates(
    scores: Sequence[npt.NDArray[np.float64]], answers: Sequence[npt.NDArray[np.bool_]], measures: str
) -> dict[str, npt.NDArray[np.float64]]:
    """Measures of the candidates of questions, ranked by score; 0 where no candidate is an answer.

    Of equal scores the earlier candidate comes first.

    >>> measure_candidates([np.array([0.1, 0.9, 0.9])], [np.array([False, False, True])], "hit@1 MRR")
    {'hit@1': array([0.]), 'MRR': array([0.5])}
    """
    ranked = [np.argsort(-row, kind="stable") for row in scores]
    # An answer that is not among the candidates is missed: no candidate has the number -1.
    relevant = [set(np.flatnonzero(right).tolist()) or {-1} for right in answers]
    return measure_rankings(ranked, relevant, measures)


def chosen(found: Candidates, depth: int | None, *, answers: bool = True) -> Candidates:
    """The `depth` best candidates by meaning; with `answers`, all of those too."""
    if depth is None or len(found) <= depth:
        return found
    first = np.argsort(-found.semantic, kind="stable")[:depth]
    return found.at(np.union1d(first, np.flatnonzero(found.answers)) if answers else np.sort(first))


def _sampled(found: Candidates, most: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """The places of the answers, of the best others by meaning and by words, and of others by chance."""
    if len(found) <= most:
        return np.arange(len(found), dtype=np.int64)
    first = np.argsort(-found.semantic, kind="stable")[: most // 2]
    named = np.argsort(-found.lexical, kind="stable")[: most // 4]
    right = np.flatnonzero(found.answers)[:most]
    kept = np.union1d(right, np.union1d(first, named)[: most - len(right)])
    others = np.setdiff1d(np.arange(len(found)), kept)
    drawn = random.choice(others, max(min(most - len(kept), len(others)), 0), replace=False)
    return np.sort(np.concatenate([kept, drawn])).astype(np.int64)
