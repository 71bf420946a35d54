"""The table of runs fitted to all training records at once, before anything else is trained.

What a run of characters says of the time is a linear model, and its loss convex. In batches, the few records that have
a rare run move it alone, and are soon known by heart; over all records at once a hundred steps are enough, and what is
learned of a name holds for records that were never seen. The table then stays as it is.

CTDTask: questions with an answer and hard negatives each, for the trainer; measured on the validation questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal_lab.models.backbone import Batch, Ngrams, scale_rows
from epochal_lab.models.ctd.data import ANSWERS, Collection, ProtocolMode, SampledRows, Sampler
from epochal_lab.models.ctd.heads import JointHeads
from epochal_lab.models.ctd.model import (
    CTD,
    CTDOutput,
    build_overlap_mask,
    multi_positive_loss,
    symmetric_loss,
    time_loss,
)
from epochal_lab.models.ctd.searching import encode_split, select_mixing_weight
from epochal_lab.models.texts import CollectionTokens, TokenizedTexts
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.task import build_parameter_groups

__all__ = ["CTDBatch", "CTDTask", "NgramBags", "build_bags", "fit_ngram_table"]


_RATE: Final = 0.06
_DECAY: Final = 1e-3
_BLOCK: Final = 512


@dataclass(frozen=True, slots=True)
class NgramBags:
    """The known runs of texts in one line: their rows of the table, their weights, and where each text begins."""

    places: Tensor
    weights: Tensor
    starts: Tensor

    def sums(self, table: Tensor) -> Tensor:
        """What the rows of each text add up to."""
        return functional.embedding_bag(
            self.places, table, self.starts, mode="sum", per_sample_weights=self.weights, include_last_offset=False
        )


@torch.no_grad()
def build_bags(table: Ngrams, texts: TokenizedTexts, rows: Sequence[int]) -> NgramBags:
    """The known runs of some texts, as the table weighs them when nothing is left out."""
    device = table.keys.device
    places, weights, counts = [], [], []
    for start in range(0, len(rows), _BLOCK):
        batch = texts.batch(rows[start : start + _BLOCK]).to(device)
        where, rare = table.found(batch.ids, batch.mask)
        known = rare > 0
        places.append(where[known])
        weights.append(scale_rows(rare)[known])
        counts.append(known.sum(dim=1))
    lengths = torch.cat(counts)
    return NgramBags(torch.cat(places), torch.cat(weights), lengths.cumsum(0) - lengths)


def fit_ngram_table(model: CTD, collection: Collection, texts: TokenizedTexts, split: str = "train") -> int:
    """Fit the table of a model to the records of a split, and freeze it; the count of runs that it knows.

    Heads begin at what all records have in common, and add to the table from there.
    """
    parts, settings = model.temporal, model.settings
    heads, table = parts.heads, parts.wide
    if table is None or not isinstance(heads, JointHeads):
        raise RuntimeError("a model without a table of runs has nothing to fit")
    rows = [row for row in collection.rows(split) if collection.records[row].months is not None]
    known = table.know([texts.row(row) for row in rows])
    device = table.keys.device
    told = torch.from_numpy(np.stack([collection.first[rows], collection.last[rows]], axis=1)).to(device)
    right = torch.tensor([collection.records[row].type in ANSWERS for row in rows], device=device).float()
    bags = build_bags(table, texts, rows)
    fitted = _fit(heads, bags, told, right, table.most, settings.ngram_steps)
    _install(fitted, table, [*heads.maps(), *([] if parts.worth is None else [parts.worth])])
    return known


class _TableWeights(NamedTuple):
    weight: Tensor
    bias: Tensor


def _fit(heads: JointHeads, bags: NgramBags, told: Tensor, right: Tensor, most: int, steps: int) -> _TableWeights:
    """Rows of the table, and what all texts have in common, that make the times and the worth of records likely."""
    count = sum(one.out_features for one in heads.maps())
    targets = heads.targets(told[:, 0], told[:, 1])
    weight = torch.zeros(most, count + 1, device=told.device, requires_grad=True)
    bias = torch.zeros(count + 1, device=told.device, requires_grad=True)
    optimiser = torch.optim.Adam([weight, bias], lr=_RATE)
    for _ in range(steps):
        flat = bags.sums(weight) + bias
        # Commentaries name people of other times, so what they say of the time is not learned, only that they are some.
        loss = len(targets) * time_loss(heads.joined(flat[:, :-1]), targets, right)
        loss = loss + functional.binary_cross_entropy_with_logits(flat[:, -1], right)
        loss = loss + _DECAY * weight.square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return _TableWeights(weight.detach(), bias.detach())


@torch.no_grad()
def _install(fitted: _TableWeights, table: Ngrams, maps: list[nn.Linear]) -> None:
    table.table.weight.copy_(fitted.weight)
    table.table.weight.requires_grad_(requires_grad=False)
    for linear, bias in zip(maps, fitted.bias.split([one.out_features for one in maps]), strict=False):
        linear.weight.zero_()
        linear.bias.copy_(bias)


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CTDBatch:
    """A batch: questions, and records of which the first are the questions' answers and the rest hard negatives.

    `asked` and `told` are first and last months, a row a text; -1 where they are not known.
    """

    questions: Batch
    records: Batch
    asked: Tensor
    told: Tensor
    worth: Tensor
    tokens: int


class CTDTask:
    """What is trained on a collection, by the settings of the model.

    The evaluation asks the questions of `split` of the whole gallery in the mode `mode`; without such questions there
    is nothing to measure. It searches as `search` says, or else with the context where the model has one. A table of
    runs is fitted here, on `device`.

    >>> from epochal_lab.models.backbone import Backbone
    >>> from epochal.ranking.dating.months import MonthAxis, Months
    >>> from epochal_lab.models.ctd.data import Question, Record
    >>> from epochal_lab.models.ctd.settings import CTDSettings
    >>> rows = (("rain", 2), ("snow", 3))
    >>> records = tuple(Record(text, text, "event", "train", Months(month, month)) for text, month in rows)
    >>> asked = tuple(Question(f"q{n}", "rain", "train", Months(2, 2), (0,), "point", False) for n in range(4))
    >>> made = Collection("own", MonthAxis.lu(), records, asked)
    >>> tiny = CTD(Backbone.tiny(["rain", "snow"]), made.axis, CTDSettings.official())
    >>> task = CTDTask(tiny, made, tiny.tokenized(["rain"] * 4, ["rain", "snow"]), seed=1)
    >>> batch = next(task.batches(0, TrainSettings(batch_size=4)))
    >>> sorted(task.loss(batch)), task.evaluate()
    (['contrast', 'loss', 'time'], {})
    """

    def __init__(
        self,
        model: CTD,
        collection: Collection,
        tokens: CollectionTokens,
        *,
        seed: int,
        mode: ProtocolMode | None = None,
        split: str = "val",
        search: str | None = None,
        precision: str = "fp32",
        device: str = "cpu",
    ) -> None:
        self.model = model
        self.collection = collection
        self.tokens = tokens
        self.mode = mode or ProtocolMode(neg=True, ne=False, dq=True)
        self.split = split
        self.search = search or ("enc_only" if model.temporal.context is None else "ctx")
        self.precision = precision
        self.sampler = Sampler(collection, "train", model.settings.pool, seed)
        if model.temporal.wide is not None:
            model.to(device)
            fit_ngram_table(model, collection, tokens.records)
        self._asked: Ints = np.array([question.months for question in collection.questions], dtype=np.int64)
        self._told: Ints = np.stack([collection.first, collection.last], axis=1)

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return self.sampler.count(settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[CTDBatch]:
        """The batches of an epoch."""
        for drawn in self.sampler.batches(epoch, settings.batch_size, self.model.settings.negatives):
            yield self.batch(drawn)

    def batch(self, drawn: SampledRows) -> CTDBatch:
        """What was drawn, as tensors."""
        rows = np.concatenate([drawn.positives, drawn.negatives])
        questions, records = self.tokens.questions.batch(drawn.questions), self.tokens.records.batch(rows)
        worth = torch.zeros(len(rows))
        worth[: len(drawn.positives)] = 1
        return CTDBatch(
            questions,
            records,
            torch.from_numpy(self._asked[drawn.questions]),
            torch.from_numpy(self._told[rows]),
            worth,
            questions.tokens + records.tokens,
        )

    def loss(self, batch: CTDBatch) -> Mapping[str, Tensor]:
        """The contrast, the times read, and what else the settings ask for."""
        questions: CTDOutput = self.model(batch.questions.ids, batch.questions.mask, "question")
        records: CTDOutput = self.model(batch.records.ids, batch.records.mask, "record")
        with torch.autocast(records.hidden.device.type, enabled=False):
            return self._losses(batch, questions, records)

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """The backbone's parameters at the usual rate, those that begin from nothing at a higher one, if so set.

        The table of runs is fitted already, and stays as it is.
        """
        rest = nn.ModuleList(module for name, module in self.model.temporal.named_children() if name != "wide")
        return [
            {**group, "lr": settings.rate * faster}
            for module, faster in ((self.model.backbone, 1.0), (rest, self.model.settings.head_rate))
            for group in build_parameter_groups(module, settings.decay)
        ]

    def evaluate(self) -> Mapping[str, float]:
        """Means over the questions of the split: of events alone in the default mode."""
        if not self.mode.questions(self.collection, self.split):
            return {}
        asked = encode_split(self.model, self.collection, self.tokens, self.split, self.precision)
        _, outcome = select_mixing_weight(self.model, asked, self.mode, self.search)
        return {name: outcome.mean(name) for name in ("hit@1", "hit@10", "MRR@10", "nDCG@10")}

    def _losses(self, batch: CTDBatch, questions: CTDOutput, records: CTDOutput) -> dict[str, Tensor]:
        settings, parts = self.model.settings, self.model.temporal
        count = len(batch.asked)
        right, wrong = records[:count], records[count:]
        scores = parts.scores(questions, right)
        # The bias stands on the block of answers only, as published: hard negatives are of the months asked for.
        against = parts.scores(questions, wrong, bias=False) if len(wrong.hidden) else None
        first, last = batch.told[:count].T
        mask = build_overlap_mask(batch.asked[:, 0], batch.asked[:, 1], first, last)
        contrast = (
            multi_positive_loss(scores, mask, against) if settings.multi_positive else symmetric_loss(scores, against)
        )
        told = {"contrast": contrast}
        total = contrast
        if settings.time_weight and questions.logits is not None:
            told["time"] = self._time(batch, questions, records)
            total = total + settings.time_weight * told["time"]
        if settings.alone_weight:
            told["alone"] = self._alone(questions, records, count, mask)
            total = total + settings.alone_weight * told["alone"]
        if records.worth is not None and len(wrong.hidden):
            told["worth"] = functional.binary_cross_entropy_with_logits(records.worth, batch.worth)
            total = total + settings.time_weight * told["worth"]
        return {"loss": total, **told}

    def _time(self, batch: CTDBatch, questions: CTDOutput, records: CTDOutput) -> Tensor:
        """How well times are read: of the answers, and where the settings say so of hard negatives and of questions."""
        settings = self.model.settings
        heads, asking = (self.model.temporal.heads_of(side) for side in ("record", "question"))
        if heads is None or asking is None or records.logits is None or questions.logits is None:
            raise RuntimeError("a loss of time needs heads")
        count = len(records.hidden) if settings.supervise_negatives else len(batch.asked)
        told = batch.told[:count]
        known = (told[:, 0] >= 0).float()
        targets = heads.targets(told[:, 0].clamp(min=0), told[:, 1].clamp(min=0))
        loss = time_loss([part[:count] for part in records.logits], targets, known)
        if settings.supervise_questions:
            loss = loss + time_loss(questions.logits, asking.targets(batch.asked[:, 0], batch.asked[:, 1]))
        return loss

    def _alone(self, questions: CTDOutput, records: CTDOutput, count: int, mask: Tensor) -> Tensor:
        """The contrast by time alone, so that the words cannot do all the work on records that are known by heart."""
        width, parts = self.model.backbone.width, self.model.temporal
        asked = parts.vectors(questions, "question")[:, width:]
        told = parts.vectors(records, "record")[:, width:]
        scores = asked @ told.T / self.model.settings.temperature
        return multi_positive_loss(scores[:, :count], mask, scores[:, count:] if scores.shape[1] > count else None)
