"""The time reader: an encoder with a linear head for each part of a date; its loss, folder and training task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError, InputError
from epochal.times.span import Span
from epochal_lab.models.backbone import Backbone, Batch, load_backbone
from epochal_lab.models.re3.times.labels import HEADS, IGNORED, Label, LabelledSentence, decode_scores, label_accuracy
from epochal_lab.models.training.checkpoint import CONFIG, fill_model, load_state, save_state
from epochal_lab.models.training.device import batches_by_length
from epochal_lab.models.training.settings import TrainSettings

#: What month and day learn from a text without them: class 0, or nothing.
ABSENT: Final = ("class", "masked")

_KIND: Final = "re3-times"
_BACKBONE: Final = "backbone"


@dataclass(frozen=True, slots=True)
class LossSettings:
    """The weights of the heads, and what month and day learn from a text without them.

    Century and decade have higher weights, since an error there is larger. The parts of a year are never learned from a
    text without a year. With `absent` "masked", month and day are not learned from a text without them, so that no head
    can predict "none". With "class" they learn class 0, which separates "1998" from "March 1998" and "June 9" from
    texts without a date.
    """

    century: float = 1.5
    decade: float = 1.25
    year: float = 1.0
    month: float = 1.0
    day: float = 1.0
    exists: float = 1.0
    absent: str = "class"

    def __post_init__(self) -> None:
        for head in HEADS:
            if not getattr(self, head) >= 0:
                raise EpochalError(f"the weight of the head {head} is {getattr(self, head)}; accepted: 0 or more")
        if self.absent not in ABSENT:
            raise EpochalError(f"absent is {self.absent!r}; accepted: {', '.join(ABSENT)}")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def joint_loss(logits: Mapping[str, Tensor], classes: Tensor, settings: LossSettings) -> dict[str, Tensor]:
    """Return the weighted sum of the heads' cross-entropies as "loss", and each of them under its head's name.

    `classes` has one row per text and one column per head, as in `Label.classes`. A head's loss is the mean over the
    texts that it learns from, 0 if there are none.
    """
    losses = {}
    for column, head in enumerate(HEADS):
        target = classes[:, column]
        if settings.absent == "masked" and head in ("month", "day"):
            target = target.masked_fill(target == 0, IGNORED)
        total = functional.cross_entropy(logits[head].float(), target, ignore_index=IGNORED, reduction="sum")
        losses[head] = total / (target != IGNORED).sum().clamp(min=1)
    loss = sum((getattr(settings, head) * losses[head] for head in HEADS), start=losses["exists"].new_zeros(()))
    return {"loss": loss, **losses}


class TimeReader(nn.Module):
    """A backbone with a linear head on its pooled vector for each of the `HEADS`.

    `absent` is how it was trained on texts without a month or day; see `LossSettings`.
    """

    def __init__(self, backbone: Backbone, absent: str = "class") -> None:
        super().__init__()
        self.backbone = backbone
        self.absent = absent
        self.heads = nn.ModuleDict({head: nn.Linear(backbone.width, count) for head, count in HEADS.items()})

    def forward(self, ids: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Return the scores of all classes, by head."""
        vector = self.backbone(ids, mask)
        return {name: head(vector) for name, head in self.heads.items()}

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokenize texts, truncated to the backbone's limit and not padded."""
        if not texts:
            return []
        limit = self.backbone.max_length
        rows = self.backbone.tokenizer(list(texts), padding=False, truncation=True, max_length=limit)["input_ids"]
        return [list(row) for row in rows]

    def compute_scores(self, rows: Sequence[Sequence[int]], batch_size: int = 256) -> dict[str, NDArray[Any]]:
        """Return the scores of tokenized texts, computed in batches of similar length, in the order of the rows."""
        results = {head: np.zeros((len(rows), count), np.float32) for head, count in HEADS.items()}
        device = next(self.parameters()).device
        was_training = self.training
        self.eval()
        with torch.no_grad():
            for indices, batch in self._iterate_batches(rows, batch_size):
                here = batch.to(device)
                for head, scores in self(here.ids, here.mask).items():
                    results[head][indices] = scores.float().cpu().numpy()
        self.train(was_training)
        return results

    def _iterate_batches(self, rows: Sequence[Sequence[int]], batch_size: int) -> Iterator[tuple[list[int], Batch]]:
        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        for start in range(0, len(order), batch_size):
            indices = order[start : start + batch_size]
            yield indices, pad_rows([rows[index] for index in indices], self.backbone.tokenizer.pad_token_id)

    def save(self, folder: Path, *, half: bool = False) -> None:
        """Write config.json, model.safetensors (the heads) and backbone/, the latter in half precision if `half`."""
        try:
            if half:
                self.backbone.half()
            self.backbone.save(folder / _BACKBONE)
        finally:
            self.backbone.float()
        save_state(folder, self.heads, {"kind": _KIND, "absent": self.absent, "heads": dict(HEADS)})

    @classmethod
    def load(cls, folder: Path) -> TimeReader:
        """Load the model of a folder that `save` wrote."""
        state = load_state(folder)
        kind, absent, heads = (state.config.get(name) for name in ("kind", "absent", "heads"))
        if kind != _KIND or absent not in ABSENT or heads != HEADS:
            raise InputError(str(folder / CONFIG), 0, f"describes a {kind!r}; accepted: a model of the kind {_KIND!r}")
        reader: TimeReader = cls(load_backbone(folder / _BACKBONE), absent)
        fill_model(reader.heads, state.tensors, folder)
        reader.eval()
        return reader


def pad_rows(rows: Sequence[Sequence[int]], pad: int) -> Batch:
    """Pad rows of tokens on the right to one batch."""
    longest = max(map(len, rows), default=0)
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return Batch(torch.from_numpy(ids), torch.from_numpy(mask), int(mask.sum()))


class TimeExtractor:
    """Extracts the one date that a text states."""

    def __init__(self, reader: TimeReader, batch_size: int = 256) -> None:
        if batch_size < 1:
            raise EpochalError(f"the size of batches is {batch_size}; accepted: 1 or more")
        self.reader = reader
        self.batch_size = batch_size

    @classmethod
    def load(cls, folder: Path | str, device: str = "cpu") -> TimeExtractor:
        """Load the model of a folder to a device."""
        return cls(TimeReader.load(Path(folder)).to(device))

    def labels(self, texts: Sequence[str]) -> list[Label]:
        """Return the label of each text."""
        scores = self.reader.compute_scores(self.reader.tokenize(texts), self.batch_size)
        return decode_scores(scores, absent=self.reader.absent)

    def spans(self, texts: Sequence[str], references: Sequence[Span | None] | None = None) -> list[Span | None]:
        """Return the year, month or day of each text; None where it states none.

        A date without a year gets the year nearest to the text's reference; None without one.
        """
        present = [None] * len(texts) if references is None else list(references)
        if len(present) != len(texts):
            raise EpochalError(
                f"there are {len(texts)} texts and {len(present)} references; accepted: one (or None) for each text"
            )
        return [label.span(now) for label, now in zip(self.labels(texts), present, strict=True)]


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Tokenized texts, and the class of each head for each text."""

    texts: Batch
    classes: Tensor

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.texts.tokens

    def to(self, device: torch.device | str) -> LabelledBatch:
        return LabelledBatch(self.texts.to(device), self.classes.to(device, non_blocking=True))


class TimesTask:
    """Training of a `TimeReader` on labelled sentences, evaluated on others."""

    def __init__(
        self,
        reader: TimeReader,
        train: Sequence[LabelledSentence],
        held: Sequence[LabelledSentence],
        settings: LossSettings | None = None,
    ) -> None:
        if not train or not held:
            raise EpochalError(f"there are {len(train)} rows to train on and {len(held)} to measure on; both need some")
        self.model = reader
        self.settings = settings or LossSettings(absent=reader.absent)
        if self.settings.absent != reader.absent:
            raise EpochalError(
                f"absent is {self.settings.absent!r}, but {reader.absent!r} for the model; give the same"
            )
        # Tokenized once for all epochs.
        self._rows = reader.tokenize([row.text for row in train])
        self._classes = torch.tensor([row.label.classes for row in train])
        self._held = reader.tokenize([row.text for row in held])
        self._gold = [row.label for row in held]

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return -(-len(self._rows) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[LabelledBatch]:
        """Yield the batches of an epoch, of texts of similar length; the same for the same seed and epoch."""
        lengths = [len(row) for row in self._rows]
        pad = self.model.backbone.tokenizer.pad_token_id
        for indices in batches_by_length(lengths, batch_size=settings.batch_size, seed=settings.seed, epoch=epoch):
            yield LabelledBatch(pad_rows([self._rows[index] for index in indices], pad), self._classes[indices])

    def loss(self, batch: LabelledBatch) -> Mapping[str, Tensor]:
        """Return the joint loss of a batch, and that of each head."""
        return joint_loss(self.model(batch.texts.ids, batch.texts.mask), batch.classes, self.settings)

    def evaluate(self) -> Mapping[str, float]:
        """Return the shares of held-out texts with the right year, month and day, and with all of them right."""
        labels = decode_scores(self.model.compute_scores(self._held), absent=self.model.absent)
        accuracy = label_accuracy(labels, self._gold)
        return {
            "year": accuracy.year,
            "month": accuracy.month or 0.0,
            "day": accuracy.day or 0.0,
            "exact": accuracy.exact,
        }
