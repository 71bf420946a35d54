"""Training of CTD: the n-gram table, which is fitted first, and the task for the trainer.

The table is a linear model of the time with a convex loss. In batches, the few records that share a rare n-gram would
move it alone and soon be memorised. Fitted to all records at once it needs about a hundred steps, and what it learns of
a name holds for unseen records. After that the table stays fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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

_RATE: Final = 0.06
_DECAY: Final = 1e-3
_BLOCK: Final = 512

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NgramBags:
    """The n-grams of texts, concatenated: their table rows, their weights, and where each text starts."""

    rows: Tensor
    weights: Tensor
    starts: Tensor

    def sums(self, table: Tensor) -> Tensor:
        """Return the weighted sum of the rows of each text."""
        return functional.embedding_bag(
            self.rows, table, self.starts, mode="sum", per_sample_weights=self.weights, include_last_offset=False
        )


@torch.no_grad()
def build_bags(table: Ngrams, texts: TokenizedTexts, rows: Sequence[int]) -> NgramBags:
    """Look up the n-grams of some texts, weighted as the table does without dropout."""
    device = table.keys.device
    table_rows, weights, counts = [], [], []
    for start in range(0, len(rows), _BLOCK):
        batch = texts.batch(rows[start : start + _BLOCK]).to(device)
        found_rows, rare = table.look_up(batch.ids, batch.mask)
        present = rare > 0
        table_rows.append(found_rows[present])
        weights.append(scale_rows(rare)[present])
        counts.append(present.sum(dim=1))
    lengths = torch.cat(counts)
    return NgramBags(torch.cat(table_rows), torch.cat(weights), lengths.cumsum(0) - lengths)


def fit_ngram_table(model: CTD, collection: Collection, texts: TokenizedTexts, split: str = "train") -> int:
    """Fit the n-gram table of a model to the records of a split, freeze it, and return its number of n-grams.

    The heads start from what all records have in common, and add to the table.
    """
    parts, settings = model.temporal, model.settings
    heads, table = parts.heads, parts.wide
    if table is None or not isinstance(heads, JointHeads):
        raise RuntimeError("a model without an n-gram table has nothing to fit")
    rows = [row for row in collection.select_rows(split) if collection.records[row].months is not None]
    count = table.select_ngrams([texts.row(row) for row in rows])
    device = table.keys.device
    months = torch.from_numpy(np.stack([collection.first[rows], collection.last[rows]], axis=1)).to(device)
    right = torch.tensor([collection.records[row].type in ANSWERS for row in rows], device=device).float()
    bags = build_bags(table, texts, rows)
    # Rows beyond the n-grams that were selected are never looked up: they stay zero.
    weight, bias = _fit_rows(heads, bags, months, right, max(count, 1), settings.ngram_steps)
    with torch.no_grad():
        table.table.weight.zero_()
        table.table.weight[: len(weight)] = weight
        table.table.weight.requires_grad_(requires_grad=False)
        maps = [*heads.linear_layers(), *([] if parts.worth is None else [parts.worth])]
        for linear, own_bias in zip(maps, bias.split([one.out_features for one in maps]), strict=False):
            linear.weight.zero_()
            linear.bias.copy_(own_bias)
    return count


def _fit_rows(
    heads: JointHeads, bags: NgramBags, months: Tensor, right: Tensor, size: int, steps: int
) -> tuple[Tensor, Tensor]:
    """Fit `size` table rows and a common bias that make the times and the answer values of records likely."""
    count = sum(one.out_features for one in heads.linear_layers())
    targets = heads.targets(months[:, 0], months[:, 1])
    weight = torch.zeros(size, count + 1, device=months.device, requires_grad=True)
    bias = torch.zeros(count + 1, device=months.device, requires_grad=True)
    optimiser = torch.optim.Adam([weight, bias], lr=_RATE)
    for _ in range(steps):
        flat = bags.sums(weight) + bias
        # Commentaries mention people of other times: their times are not learned, only that they are commentaries.
        loss = len(targets) * time_loss(heads.combine(flat[:, :-1]), targets, right)
        loss = loss + functional.binary_cross_entropy_with_logits(flat[:, -1], right)
        loss = loss + _DECAY * weight.square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return weight.detach(), bias.detach()


@dataclass(frozen=True, slots=True)
class CTDBatch:
    """A batch: questions, and records of which the first are the questions' answers and the rest hard negatives.

    `question_months` and `record_months` are first and last months, one row per text; -1 if unknown.
    """

    questions: Batch
    records: Batch
    question_months: Tensor
    record_months: Tensor
    worth: Tensor
    tokens: int


class CTDTask:
    """Training on a collection by the settings of the model.

    Evaluation searches the whole gallery in the mode `mode` for the questions of `split`; without such questions
    nothing is measured. It uses the search mode `search`, by default with the context if the model has one. The n-gram
    table is fitted here, on `device`.

    >>> from epochal_lab.models.backbone import Backbone
    >>> from epochal.ranking.dating.months import MonthAxis, Months
    >>> from epochal_lab.models.ctd.data import CTDQuestion, CTDRecord
    >>> from epochal_lab.models.ctd.settings import CTDSettings
    >>> rows = (("rain", 2), ("snow", 3))
    >>> records = tuple(CTDRecord(text, text, "event", "train", Months(month, month)) for text, month in rows)
    >>> asked = tuple(CTDQuestion(f"q{n}", "rain", "train", Months(2, 2), (0,), "point", False) for n in range(4))
    >>> made = Collection("own", MonthAxis.lu(), records, asked)
    >>> tiny = CTD(Backbone.tiny(["rain", "snow"]), made.axis, CTDSettings.official())
    >>> task = CTDTask(tiny, made, tiny.tokenize(["rain"] * 4, ["rain", "snow"]), seed=1)
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
        self._intervals: Ints = np.stack([collection.first, collection.last], axis=1)

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return self.sampler.count_batches(settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[CTDBatch]:
        """The batches of an epoch."""
        for sampled in self.sampler.batches(epoch, settings.batch_size, self.model.settings.negatives):
            yield self.batch(sampled)

    def batch(self, sampled: SampledRows) -> CTDBatch:
        """Convert sampled rows to tensors."""
        rows = np.concatenate([sampled.positives, sampled.negatives])
        questions, records = self.tokens.questions.batch(sampled.questions), self.tokens.records.batch(rows)
        worth = torch.zeros(len(rows))
        worth[: len(sampled.positives)] = 1
        return CTDBatch(
            questions,
            records,
            torch.from_numpy(self._asked[sampled.questions]),
            torch.from_numpy(self._intervals[rows]),
            worth,
            questions.tokens + records.tokens,
        )

    def loss(self, batch: CTDBatch) -> Mapping[str, Tensor]:
        """Return the contrastive loss, the loss of times, and others by the settings."""
        questions: CTDOutput = self.model(batch.questions.ids, batch.questions.mask, "question")
        records: CTDOutput = self.model(batch.records.ids, batch.records.mask, "record")
        with torch.autocast(records.hidden.device.type, enabled=False):
            return self._compute_losses(batch, questions, records)

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """The backbone's parameters at the base rate, and new ones at a higher rate, if so set.

        The n-gram table is already fitted and stays fixed.
        """
        rest = nn.ModuleList(module for name, module in self.model.temporal.named_children() if name != "wide")
        return [
            {**group, "lr": settings.rate * faster}
            for module, faster in ((self.model.backbone, 1.0), (rest, self.model.settings.head_rate))
            for group in build_parameter_groups(module, settings.decay)
        ]

    def evaluate(self) -> Mapping[str, float]:
        """Return means over the questions of the split: those with events in the default mode."""
        if not self.mode.select_questions(self.collection, self.split):
            return {}
        encoded = encode_split(self.model, self.collection, self.tokens, self.split, self.precision)
        _, outcome = select_mixing_weight(self.model, encoded, self.mode, self.search)
        return {name: outcome.mean(name) for name in ("hit@1", "hit@10", "MRR@10", "nDCG@10")}

    def _compute_losses(self, batch: CTDBatch, questions: CTDOutput, records: CTDOutput) -> dict[str, Tensor]:
        settings, parts = self.model.settings, self.model.temporal
        count = len(batch.question_months)
        right, wrong = records[:count], records[count:]
        scores = parts.compute_scores(questions, right)
        # The bias is for answers only, as published: hard negatives are of the query's months.
        against = parts.compute_scores(questions, wrong, bias=False) if len(wrong.hidden) else None
        first, last = batch.record_months[:count].T
        mask = build_overlap_mask(batch.question_months[:, 0], batch.question_months[:, 1], first, last)
        contrast = (
            multi_positive_loss(scores, mask, against) if settings.multi_positive else symmetric_loss(scores, against)
        )
        losses = {"contrast": contrast}
        total = contrast
        if settings.time_weight and questions.logits is not None:
            losses["time"] = self._compute_time_loss(batch, questions, records)
            total = total + settings.time_weight * losses["time"]
        if settings.alone_weight:
            losses["alone"] = self._compute_time_contrast(questions, records, count, mask)
            total = total + settings.alone_weight * losses["alone"]
        if records.worth is not None and len(wrong.hidden):
            losses["worth"] = functional.binary_cross_entropy_with_logits(records.worth, batch.worth)
            total = total + settings.time_weight * losses["worth"]
        return {"loss": total, **losses}

    def _compute_time_loss(self, batch: CTDBatch, questions: CTDOutput, records: CTDOutput) -> Tensor:
        """The loss of times: of the answers, and by the settings of hard negatives and of questions."""
        settings = self.model.settings
        heads, question_heads = (self.model.temporal.get_heads(side) for side in ("record", "question"))
        if heads is None or question_heads is None or records.logits is None or questions.logits is None:
            raise RuntimeError("a loss of time needs heads")
        count = len(records.hidden) if settings.supervise_negatives else len(batch.question_months)
        months = batch.record_months[:count]
        known = (months[:, 0] >= 0).float()
        targets = heads.targets(months[:, 0].clamp(min=0), months[:, 1].clamp(min=0))
        loss = time_loss([part[:count] for part in records.logits], targets, known)
        if settings.supervise_questions:
            loss = loss + time_loss(
                questions.logits, question_heads.targets(batch.question_months[:, 0], batch.question_months[:, 1])
            )
        return loss

    def _compute_time_contrast(self, questions: CTDOutput, records: CTDOutput, count: int, mask: Tensor) -> Tensor:
        """The contrastive loss of the time part alone, so that words of memorised records cannot do all the work."""
        width, parts = self.model.backbone.width, self.model.temporal
        question_vectors = parts.compute_vectors(questions, "question")[:, width:]
        record_vectors = parts.compute_vectors(records, "record")[:, width:]
        scores = question_vectors @ record_vectors.T / self.model.settings.temperature
        return multi_positive_loss(scores[:, :count], mask, scores[:, count:] if scores.shape[1] > count else None)
