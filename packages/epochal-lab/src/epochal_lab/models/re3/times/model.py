"""The joint loss of the heads.

TimeReader: an encoder with a linear head for each part of a date, and its folder.

Texts to spans with a trained model.

What the trainer needs of the time reader: batches of labelled sentences, their loss, and how good it is.
"""

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

__all__ = [
    "ABSENT",
    "LabelledBatch",
    "LossSettings",
    "TimeExtractor",
    "TimeReader",
    "TimesTask",
    "joint_loss",
    "pad_rows",
]


#: What month and day learn from a text that states none: the class 0, or nothing.
ABSENT: Final = ("class", "masked")


@dataclass(frozen=True, slots=True)
class LossSettings:
    """How much each head counts, and what month and day learn where there is none.

    Century and decade count for more, since a mistake there is off by more. The parts of a year are never learnt from
    a text that states no year. With `absent` "masked", month and day are not learnt either where there is none: then
    no head can say so. With "class" they learn the class 0, which tells "1998" from "March 1998" and "June 9" from
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
        """As JSON has it."""
        return asdict(self)


def joint_loss(logits: Mapping[str, Tensor], classes: Tensor, settings: LossSettings) -> dict[str, Tensor]:
    """The weighted sum of the heads' cross-entropies, under "loss", and each of them under its head's name.

    `classes` has a row a text and a column a head, as `Label.classes` gives them. Each head's is the mean over the
    texts that it learns from, 0 where there are none.
    """
    found = {}
    for column, head in enumerate(HEADS):
        wanted = classes[:, column]
        if settings.absent == "masked" and head in ("month", "day"):
            wanted = wanted.masked_fill(wanted == 0, IGNORED)
        total = functional.cross_entropy(logits[head].float(), wanted, ignore_index=IGNORED, reduction="sum")
        found[head] = total / (wanted != IGNORED).sum().clamp(min=1)
    loss = sum((getattr(settings, head) * found[head] for head in HEADS), start=found["exists"].new_zeros(()))
    return {"loss": loss, **found}


_KIND: Final = "re3-times"
_BACKBONE: Final = "backbone"


class TimeReader(nn.Module):
    """A backbone and, on its pooled vector, one linear head for each of the `HEADS`.

    `absent` is how it was trained where a text states no month or day; see `LossSettings`.
    """

    def __init__(self, backbone: Backbone, absent: str = "class") -> None:
        super().__init__()
        self.backbone = backbone
        self.absent = absent
        self.heads = nn.ModuleDict({head: nn.Linear(backbone.width, count) for head, count in HEADS.items()})

    def forward(self, ids: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """The scores of every class, by head."""
        vector = self.backbone(ids, mask)
        return {name: head(vector) for name, head in self.heads.items()}

    def encoded(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of texts, cut to what the backbone bears and not padded."""
        if not texts:
            return []
        limit = self.backbone.max_length
        rows = self.backbone.tokenizer(list(texts), padding=False, truncation=True, max_length=limit)["input_ids"]
        return [list(row) for row in rows]

    def scores(self, rows: Sequence[Sequence[int]], batch_size: int = 256) -> dict[str, NDArray[Any]]:
        """The scores of texts as numbers, in batches of similar length; the order is that of the rows."""
        found = {head: np.zeros((len(rows), count), np.float32) for head, count in HEADS.items()}
        device = next(self.parameters()).device
        was_training = self.training
        self.eval()
        with torch.no_grad():
            for places, batch in self._batches(rows, batch_size):
                here = batch.to(device)
                for head, scores in self(here.ids, here.mask).items():
                    found[head][places] = scores.float().cpu().numpy()
        self.train(was_training)
        return found

    def _batches(self, rows: Sequence[Sequence[int]], batch_size: int) -> Iterator[tuple[list[int], Batch]]:
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            yield places, pad_rows([rows[place] for place in places], self.backbone.tokenizer.pad_token_id)

    def save(self, folder: Path, *, half: bool = False) -> None:
        """Write the folder: config.json, model.safetensors (the heads) and backbone/, that in half precision if
        asked.
        """
        try:
            if half:
                self.backbone.half()
            self.backbone.save(folder / _BACKBONE)
        finally:
            self.backbone.float()
        save_state(folder, self.heads, {"kind": _KIND, "absent": self.absent, "heads": dict(HEADS)})

    @classmethod
    def load(cls, folder: Path) -> TimeReader:
        """The model of a folder that `save` wrote."""
        state = load_state(folder)
        kind, absent, heads = (state.config.get(name) for name in ("kind", "absent", "heads"))
        if kind != _KIND or absent not in ABSENT or heads != HEADS:
            raise InputError(str(folder / CONFIG), 0, f"describes a {kind!r}; accepted: a model of the kind {_KIND!r}")
        reader: TimeReader = cls(load_backbone(folder / _BACKBONE), absent)
        fill_model(reader.heads, state.tensors, folder)
        reader.eval()
        return reader


def pad_rows(rows: Sequence[Sequence[int]], pad: int) -> Batch:
    """Rows of tokens as one batch, padded on the right."""
    longest = max(map(len, rows), default=0)
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return Batch(torch.from_numpy(ids), torch.from_numpy(mask), int(mask.sum()))


class TimeExtractor:
    """Reads the one date that a text states."""

    def __init__(self, reader: TimeReader, batch_size: int = 256) -> None:
        if batch_size < 1:
            raise EpochalError(f"the size of batches is {batch_size}; accepted: 1 or more")
        self.reader = reader
        self.batch_size = batch_size

    @classmethod
    def load(cls, folder: Path | str, device: str = "cpu") -> TimeExtractor:
        """The model of a folder, on a device."""
        return cls(TimeReader.load(Path(folder)).to(device))

    def labels(self, texts: Sequence[str]) -> list[Label]:
        """What each text states."""
        scores = self.reader.scores(self.reader.encoded(texts), self.batch_size)
        return decode_scores(scores, absent=self.reader.absent)

    def spans(self, texts: Sequence[str], references: Sequence[Span | None] | None = None) -> list[Span | None]:
        """The year, month or day of each text; None where it states none.

        A date without a year is that of the year nearest to the text's reference, and None without one.
        """
        present = [None] * len(texts) if references is None else list(references)
        if len(present) != len(texts):
            raise EpochalError(
                f"there are {len(texts)} texts and {len(present)} references; accepted: one (or None) for each text"
            )
        return [label.span(now) for label, now in zip(self.labels(texts), present, strict=True)]


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Texts as numbers, and the class of each head a text."""

    texts: Batch
    classes: Tensor

    @property
    def tokens(self) -> int:
        """How many tokens it holds."""
        return self.texts.tokens

    def to(self, device: torch.device | str) -> LabelledBatch:
        """The same batch on a device."""
        return LabelledBatch(self.texts.to(device), self.classes.to(device, non_blocking=True))


class TimesTask:
    """Training of a `TimeReader` on labelled sentences, measured on others."""

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
        # Tokenized once: an epoch then costs the transformer alone.
        self._rows = reader.encoded([row.text for row in train])
        self._classes = torch.tensor([row.label.classes for row in train])
        self._held = reader.encoded([row.text for row in held])
        self._gold = [row.label for row in held]

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has."""
        return -(-len(self._rows) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[LabelledBatch]:
        """The batches of an epoch, of texts of similar length; the same for the same seed and epoch."""
        lengths = [len(row) for row in self._rows]
        pad = self.model.backbone.tokenizer.pad_token_id
        for places in batches_by_length(lengths, batch_size=settings.batch_size, seed=settings.seed, epoch=epoch):
            yield LabelledBatch(pad_rows([self._rows[place] for place in places], pad), self._classes[places])

    def loss(self, batch: LabelledBatch) -> Mapping[str, Tensor]:
        """The joint loss of a batch, and that of each head."""
        return joint_loss(self.model(batch.texts.ids, batch.texts.mask), batch.classes, self.settings)

    def evaluate(self) -> Mapping[str, float]:
        """The shares of held-out texts with the right year, month, day, and all of them; stated years only."""
        found = decode_scores(self.model.scores(self._held), absent=self.model.absent)
        told = label_accuracy(found, self._gold)
        return {"year": told.year, "month": told.month or 0.0, "day": told.day or 0.0, "exact": told.exact}
