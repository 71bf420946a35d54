"""The network of Re3 in torch, for training; `epochal.ranking.learned.network` runs the same in numpy."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.ranking.learned.inputs import Inputs, code_width, question_width
from epochal.ranking.learned.network import Network, shapes_of
from epochal.ranking.learned.settings import Re3Settings
from epochal.ranking.learned.standing import STANDING

__all__ = ["Batch", "Re3Network"]

#: The weight of words beside meaning before training: softplus(-2) = 0.13.
_WORDS = -2.0
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Inputs of several questions, padded to one number of candidates; `target` sums to 1 over a question's answers.

    >>> Batch.__slots__[-2:]
    ('present', 'target')
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
    def of(cls, items: list[tuple[Inputs, npt.NDArray[np.bool_]]]) -> Batch:
        """A batch of questions, each with its inputs and which of its candidates answer.

        >>> Batch.of.__name__
        'of'
        """
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
    """The weight of text beside time, as the input of a sigmoid."""

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
    """A network with the settings of a model, for vectors of `dim` numbers.

    >>> network = Re3Network(Re3Settings.parity(hidden=4, width=2), 3)
    >>> network.numpy().dim
    3
    """

    def __init__(self, settings: Re3Settings, dim: int) -> None:
        super().__init__()
        self.settings, self.dim = settings, dim
        code = code_width(settings, dim)
        times = 2 * code + 2 + (len(STANDING) if settings.standing else 0)
        self.first, self.second = nn.Linear(dim + times, settings.hidden), nn.Linear(settings.hidden, dim)
        if settings.residual:
            # The text's own vector is what the projection starts from.
            nn.init.zeros_(self.second.weight)
            nn.init.zeros_(self.second.bias)
        if settings.missing:
            self.missing = nn.ParameterDict({name: nn.Parameter(0.02 * torch.randn(code)) for name in ("rel", "rec")})
        if settings.norm:
            self.norm = nn.LayerNorm(dim)
        if settings.gate != "off":
            self.gate = _Gate(question_width(dim) if settings.gate == "query" else None)
        if settings.words:
            self.words = nn.Parameter(torch.full((1,), _WORDS))
        if settings.head:
            self.head = _Head(times, settings.head)

    def forward(self, batch: Batch) -> Tensor:
        """The score of each candidate, a line a question; those that only fill a line have any score.

        >>> Re3Network.forward.__name__
        'forward'
        """
        settings = self.settings
        times = self._times(batch)
        made = self.second(torch.relu(self.first(torch.cat([batch.vectors, times], dim=-1))))
        if settings.residual:
            made = made + batch.vectors
        if settings.norm:
            made = self.norm(made)
        question = batch.question[:, : self.dim]
        time = torch.einsum("bkd,bd->bk", made, question)
        time = time / (made.norm(dim=-1) * question.norm(dim=-1, keepdim=True).clamp(min=_TINY)).clamp(min=_TINY)
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

    def _times(self, batch: Batch) -> Tensor:
        rel, rec = batch.rel, batch.rec
        if self.settings.missing:
            rel = torch.where(batch.unknown[..., :1] > 0, self.missing["rel"], rel)
            rec = torch.where(batch.unknown[..., 1:] > 0, self.missing["rec"], rec)
        columns = [rel, rec, batch.unknown]
        return torch.cat([*columns, batch.standing] if self.settings.standing else columns, dim=-1)

    def loss(self, batch: Batch) -> Tensor:
        """The cross-entropy of the answers and the softmax of scores / temperature, over each question's candidates.

        >>> Re3Network.loss.__name__
        'loss'
        """
        scores = self(batch) / self.settings.temperature
        scores = scores.masked_fill(batch.present == 0, float("-inf"))
        shares = functional.log_softmax(scores, dim=-1).masked_fill(batch.present == 0, 0.0)
        return -(batch.target * shares).sum(dim=-1).mean()

    def numpy(self) -> Network:
        """The same network for searching.

        >>> Re3Network(Re3Settings.parity(hidden=4, width=2), 3).numpy().settings.gate
        'scalar'
        """
        state = {name: value.detach().cpu().numpy().astype(np.float32) for name, value in self.state_dict().items()}
        return Network(self.settings, self.dim, {name: state[name] for name in shapes_of(self.settings, self.dim)})
