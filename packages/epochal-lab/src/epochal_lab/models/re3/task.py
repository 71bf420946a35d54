"""Training of Re3: the network in torch (`epochal_lab.models.re3.model` has it in numpy), and its listwise task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.metrics.functions import measure_rankings
from epochal_lab.models.re3.features import STANDING, NetworkInputs, build_inputs, get_code_width, get_question_width
from epochal_lab.models.re3.model import NumpyNetwork, get_shapes
from epochal_lab.models.re3.pools import Candidates, Pools
from epochal_lab.models.re3.settings import Re3Settings
from epochal_lab.models.training.checkpoint import make_generator
from epochal_lab.models.training.settings import TrainSettings

#: The weight of BM25 relative to the similarity before training: softplus(-2) = 0.13.
_WORDS = -2.0
_TINY = 1e-12

#: The learning rate of the gate relative to that of the projection.
_GATE_RATE: Final = 10.0
#: The maximum share of a query's times that are hidden.
_MAX_DROPPED: Final = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class PoolBatch:
    """The inputs of several queries, padded to the same number of candidates; `target` sums to 1 over a query's
    answers.
    """

    question: Tensor
    vectors: Tensor
    semantic: Tensor
    lexical: Tensor
    rel: Tensor
    rec: Tensor
    unknown: Tensor
    standing: Tensor
    present: Tensor
    target: Tensor

    @classmethod
    def of(cls, items: list[tuple[NetworkInputs, npt.NDArray[np.bool_]]]) -> PoolBatch:
        """Build a batch from the inputs of queries and which of their candidates are answers."""
        most = max(len(inputs) for inputs, _ in items)
        first = items[0][0]
        columns: dict[str, npt.NDArray[np.float32]] = {
            field.name: np.zeros((len(items), most, *getattr(first, field.name).shape[1:]), np.float32)
            for field in fields(first)
        }
        columns["question"] = np.stack([inputs.question for inputs, _ in items])
        columns["present"] = np.zeros((len(items), most), np.float32)
        columns["target"] = np.zeros((len(items), most), np.float32)
        for line, (inputs, answers) in enumerate(items):
            count = len(inputs)
            for field in fields(inputs):
                if field.name != "question":
                    columns[field.name][line, :count] = getattr(inputs, field.name)
            columns["present"][line, :count] = 1.0
            columns["target"][line, :count] = answers / max(int(answers.sum()), 1)
        return cls(**{name: torch.from_numpy(values) for name, values in columns.items()})


class _Gate(nn.Module):
    """The weight of text against time."""

    def __init__(self, width: int | None) -> None:
        super().__init__()
        self.weight = None if width is None else nn.Parameter(torch.zeros(1, width))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, question: Tensor) -> Tensor:
        if self.weight is None:
            return torch.sigmoid(self.bias).expand(len(question), 1)
        return torch.sigmoid(question @ self.weight.T + self.bias)


class _Head(nn.Module):
    """A score of the times alone; 0 before training."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, hidden), nn.Linear(hidden, 1)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, times: Tensor) -> Tensor:
        scores: Tensor = self.second(torch.relu(self.first(times)))
        return scores.squeeze(-1)


class Re3Network(nn.Module):
    """A network with the settings of a model, for vectors of `dim` dimensions."""

    def __init__(self, settings: Re3Settings, dim: int) -> None:
        super().__init__()
        self.settings, self.dim = settings, dim
        code = get_code_width(settings, dim)
        times = 2 * code + 2 + (len(STANDING) if settings.standing else 0)
        self.first, self.second = nn.Linear(dim + times, settings.hidden), nn.Linear(settings.hidden, dim)
        if settings.residual:
            # The projection starts as the text's own vector.
            nn.init.zeros_(self.second.weight)
            nn.init.zeros_(self.second.bias)
        if settings.missing:
            self.missing = nn.ParameterDict({name: nn.Parameter(0.02 * torch.randn(code)) for name in ("rel", "rec")})
        if settings.norm:
            self.norm = nn.LayerNorm(dim)
        if settings.gate != "off":
            self.gate = _Gate(get_question_width(dim) if settings.gate == "query" else None)
        if settings.words:
            self.words = nn.Parameter(torch.full((1,), _WORDS))
        if settings.head:
            self.head = _Head(times, settings.head)

    def forward(self, batch: PoolBatch) -> Tensor:
        """Return the scores, one row per query; those of padding are arbitrary."""
        settings = self.settings
        times = self._make_time_columns(batch)
        projected = self.second(torch.relu(self.first(torch.cat([batch.vectors, times], dim=-1))))
        if settings.residual:
            projected = projected + batch.vectors
        if settings.norm:
            projected = self.norm(projected)
        question = batch.question[:, : self.dim]
        time = torch.einsum("bkd,bd->bk", projected, question)
        time = time / (projected.norm(dim=-1) * question.norm(dim=-1, keepdim=True).clamp(min=_TINY)).clamp(min=_TINY)
        if settings.head:
            time = time + self.head(times)
        text = batch.semantic
        if settings.words:
            text = text + functional.softplus(self.words) * batch.lexical
        if settings.gate == "off":
            return text + time
        share = self.gate(batch.question)
        scores: Tensor = share * text + (1 - share) * time
        return scores

    def _make_time_columns(self, batch: PoolBatch) -> Tensor:
        rel, rec = batch.rel, batch.rec
        if self.settings.missing:
            rel = torch.where(batch.unknown[..., :1] > 0, self.missing["rel"], rel)
            rec = torch.where(batch.unknown[..., 1:] > 0, self.missing["rec"], rec)
        columns = [rel, rec, batch.unknown]
        return torch.cat([*columns, batch.standing] if self.settings.standing else columns, dim=-1)

    def loss(self, batch: PoolBatch) -> Tensor:
        """The cross-entropy of the answers with the softmax of scores / temperature, over each query's candidates."""
        scores = self(batch) / self.settings.temperature
        scores = scores.masked_fill(batch.present == 0, float("-inf"))
        shares = functional.log_softmax(scores, dim=-1).masked_fill(batch.present == 0, 0.0)
        return -(batch.target * shares).sum(dim=-1).mean()

    def numpy(self) -> NumpyNetwork:
        """Return the same network for searching."""
        state = {name: value.detach().cpu().numpy().astype(np.float32) for name, value in self.state_dict().items()}
        return NumpyNetwork(
            self.settings, self.dim, {name: state[name] for name in get_shapes(self.settings, self.dim)}
        )


class Re3Task:
    """Training on the pools of one or more sets of queries; sets have equal weight in the evaluation.

    `candidates` is the number of candidates per query and step: its answers, the best by similarity and by words, and
    random ones. `dropout` is the share of queries that are trained on with some of their times hidden. `repeat` is how
    often an epoch uses each set.
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
            for number in select_trainable(pools)
            for _ in range(times[which])
        ]
        if not self._numbers:
            raise EpochalError(
                "none of the questions has both an answer and another candidate; there is nothing to learn"
            )
        self.model = Re3Network(settings, self.train[0].dim)

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return -(-len(self._numbers) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[PoolBatch]:
        """Yield the batches of an epoch; order and candidates depend on seed and epoch."""
        random = make_generator(settings.seed, epoch)
        order = random.permutation(len(self._numbers))
        for low in range(0, len(order), settings.batch_size):
            some = [self._numbers[at] for at in order[low : low + settings.batch_size]]
            yield PoolBatch.of([self._make_example(self.train[which][number], random) for which, number in some])

    def _make_example(
        self, candidates: Candidates, random: np.random.Generator
    ) -> tuple[NetworkInputs, npt.NDArray[np.bool_]]:
        candidates = select_candidates(candidates, self.settings.depth)
        gaps = candidates.gaps
        if self.dropout and random.random() < self.dropout:
            rate = _MAX_DROPPED * random.random()
            gaps = gaps.hide(random.random(len(candidates)) < rate, random.random(len(candidates)) < rate)
        positions = _sample_candidates(candidates, self.candidates, random)
        inputs = build_inputs(
            self.settings,
            candidates.question,
            candidates.vectors,
            candidates.semantic,
            candidates.lexical,
            gaps,
            candidates.differences,
            positions,
        )
        return inputs, candidates.answers[positions]

    def loss(self, batch: PoolBatch) -> Mapping[str, Tensor]:
        """The listwise loss."""
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
    def _dev(self) -> list[list[tuple[NetworkInputs, npt.NDArray[np.bool_]]]]:
        return [build_dev_inputs(self.settings, pools) for pools in self.dev]

    def evaluate(self) -> Mapping[str, float]:
        """Return hit@1 and MRR over the development queries."""
        measures: dict[str, float] = {}
        for which, items in enumerate(self._dev):
            scores = [self._compute_scores(inputs, answers) for inputs, answers in items]
            values = measure_candidates(scores, [answers for _, answers in items], "hit@1 MRR")
            measures |= {f"{name} {which}": float(value.mean()) for name, value in values.items()}
        if not self._dev:
            return {}
        means = {
            name: float(np.mean([value for key, value in measures.items() if key.startswith(name)]))
            for name in ("hit@1", "MRR")
        }
        return means if len(self._dev) == 1 else {**means, **measures}

    def _compute_scores(self, inputs: NetworkInputs, answers: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        if not answers.any():  # missed in any order
            return np.zeros(len(answers))
        device = next(self.model.parameters()).device
        batch = PoolBatch.of([(inputs, answers)])
        moved = PoolBatch(**{name: getattr(batch, name).to(device) for name in PoolBatch.__slots__})
        with torch.no_grad():
            scores: npt.NDArray[np.float64] = self.model(moved)[0].cpu().numpy().astype(np.float64)
        return scores


def select_trainable(pools: Pools) -> list[int]:
    """Return the queries that have both an answer and another candidate."""
    low, high = pools.offsets[:-1], pools.offsets[1:]
    right = np.concatenate([[0], np.cumsum(pools.answers)])
    counts = right[high] - right[low]
    return [int(number) for number in np.flatnonzero((counts > 0) & (counts < high - low))]


def build_dev_inputs(settings: Re3Settings, pools: Pools) -> list[tuple[NetworkInputs, npt.NDArray[np.bool_]]]:
    """Return the inputs and answers of queries as a search sees them: without the answers that it missed."""
    examples = []
    for index in range(len(pools)):
        candidates = select_candidates(pools[index].retrieved, settings.depth, answers=False)
        inputs = build_inputs(
            settings,
            candidates.question,
            candidates.vectors,
            candidates.semantic,
            candidates.lexical,
            candidates.gaps,
            candidates.differences,
        )
        examples.append((inputs, candidates.answers))
    return examples


def measure_candidates(
    scores: Sequence[npt.NDArray[np.float64]], answers: Sequence[npt.NDArray[np.bool_]], measures: str
) -> dict[str, npt.NDArray[np.float64]]:
    """Measure the rankings of the candidates of queries by score; 0 if no candidate is an answer.

    Of equal scores the earlier candidate comes first.
    """
    ranked = [np.argsort(-row, kind="stable") for row in scores]
    # An answer that is not among the candidates is missed: no candidate is -1.
    relevant = [set(np.flatnonzero(right).tolist()) or {-1} for right in answers]
    return measure_rankings(ranked, relevant, measures)


def select_candidates(candidates: Candidates, depth: int | None, *, answers: bool = True) -> Candidates:
    """Return the `depth` most similar candidates; with `answers`, all answers too."""
    if depth is None or len(candidates) <= depth:
        return candidates
    first = np.argsort(-candidates.semantic, kind="stable")[:depth]
    return candidates.at(np.union1d(first, np.flatnonzero(candidates.answers)) if answers else np.sort(first))


def _sample_candidates(candidates: Candidates, most: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Sample positions: the answers, the best others by similarity and by words, and random ones."""
    if len(candidates) <= most:
        return np.arange(len(candidates), dtype=np.int64)
    first = np.argsort(-candidates.semantic, kind="stable")[: most // 2]
    named = np.argsort(-candidates.lexical, kind="stable")[: most // 4]
    right = np.flatnonzero(candidates.answers)[:most]
    selected = np.union1d(right, np.union1d(first, named)[: most - len(right)])
    others = np.setdiff1d(np.arange(len(candidates)), selected)
    sampled = random.choice(others, max(min(most - len(selected), len(others)), 0), replace=False)
    return np.sort(np.concatenate([selected, sampled])).astype(np.int64)
