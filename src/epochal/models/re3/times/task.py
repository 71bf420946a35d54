"""What the trainer needs of the time reader: batches of labelled sentences, their loss, and how good it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal.models.backbone import Batch
from epochal.models.re3.times.decoding import decoded
from epochal.models.re3.times.losses import LossSettings, joint_loss
from epochal.models.re3.times.measures import label_accuracy
from epochal.models.re3.times.model import TimeReader, padded
from epochal.models.re3.times.rows import Row
from epochal.models.training.batches import batches_by_length
from epochal.models.training.settings import TrainSettings

__all__ = ["LabelledBatch", "TimesTask"]


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Texts as numbers, and the class of each head a text.

    >>> LabelledBatch(padded([[2, 3]], 0), torch.zeros(1, 6, dtype=torch.long)).tokens
    2
    """

    texts: Batch
    classes: Tensor

    @property
    def tokens(self) -> int:
        """How many tokens it holds.

        >>> LabelledBatch(padded([[2, 3], [2]], 0), torch.zeros(2, 6, dtype=torch.long)).tokens
        3
        """
        return self.texts.tokens

    def to(self, device: torch.device | str) -> LabelledBatch:
        """The same batch on a device.

        >>> LabelledBatch(padded([[2, 3]], 0), torch.zeros(1, 6, dtype=torch.long)).to("cpu").classes.device.type
        'cpu'
        """
        return LabelledBatch(self.texts.to(device), self.classes.to(device, non_blocking=True))


class TimesTask:
    """Training of a `TimeReader` on labelled sentences, measured on others.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.re3.times.label import Label
    >>> reader = TimeReader(Backbone.tiny(["in", "1998"]))
    >>> task = TimesTask(reader, [Row("in 1998", Label(1998))], [Row("in", Label())])
    >>> sorted(task.evaluate())
    ['day', 'exact', 'month', 'year']
    """

    def __init__(
        self, reader: TimeReader, train: Sequence[Row], held: Sequence[Row], settings: LossSettings | None = None
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
        """How many batches an epoch has.

        >>> from epochal.models.backbone import Backbone
        >>> from epochal.models.re3.times.label import Label
        >>> rows = [Row("in 1998", Label(1998))] * 5
        >>> TimesTask(TimeReader(Backbone.tiny(["in"])), rows, rows).steps_per_epoch(TrainSettings(batch_size=2))
        3
        """
        return -(-len(self._rows) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[LabelledBatch]:
        """The batches of an epoch, of texts of similar length; the same for the same seed and epoch.

        >>> from epochal.models.backbone import Backbone
        >>> from epochal.models.re3.times.label import Label
        >>> rows = [Row("in 1998", Label(1998))] * 5
        >>> task = TimesTask(TimeReader(Backbone.tiny(["in"])), rows, rows)
        >>> sum(len(batch.classes) for batch in task.batches(0, TrainSettings(batch_size=2)))
        5
        """
        lengths = [len(row) for row in self._rows]
        pad = self.model.backbone.tokenizer.pad_token_id
        for places in batches_by_length(lengths, batch_size=settings.batch_size, seed=settings.seed, epoch=epoch):
            yield LabelledBatch(padded([self._rows[place] for place in places], pad), self._classes[places])

    def loss(self, batch: LabelledBatch) -> Mapping[str, Tensor]:
        """The joint loss of a batch, and that of each head.

        >>> from epochal.models.backbone import Backbone
        >>> from epochal.models.re3.times.label import Label
        >>> rows = [Row("in 1998", Label(1998))]
        >>> task = TimesTask(TimeReader(Backbone.tiny(["in"])), rows, rows)
        >>> list(task.loss(next(task.batches(0, TrainSettings()))))
        ['loss', 'century', 'decade', 'year', 'month', 'day', 'exists']
        """
        return joint_loss(self.model(batch.texts.ids, batch.texts.mask), batch.classes, self.settings)

    def evaluate(self) -> Mapping[str, float]:
        """The shares of held-out texts with the right year, month, day, and all of them; stated years only.

        >>> from epochal.models.backbone import Backbone
        >>> from epochal.models.re3.times.label import Label
        >>> rows = [Row("in 1998", Label(1998))]
        >>> TimesTask(TimeReader(Backbone.tiny(["in"])), rows, rows).evaluate()["exact"] <= 1
        True
        """
        found = decoded(self.model.scores(self._held), absent=self.model.absent)
        told = label_accuracy(found, self._gold)
        return {"year": told.year, "month": told.month or 0.0, "day": told.day or 0.0, "exact": told.exact}
