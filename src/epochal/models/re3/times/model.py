"""TimeReader: an encoder with a linear head for each part of a date, and its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from epochal.errors import InputError
from epochal.models.backbone import Backbone, Batch, load_backbone
from epochal.models.re3.times.label import HEADS
from epochal.models.re3.times.losses import ABSENT
from epochal.models.training.checkpoint import CONFIG, fill, load_state, save_state

__all__ = ["TimeReader", "padded"]

_KIND: Final = "re3-times"
_BACKBONE: Final = "backbone"


class TimeReader(nn.Module):
    """A backbone and, on its pooled vector, one linear head for each of the `HEADS`.

    `absent` is how it was trained where a text states no month or day; see `LossSettings`.

    >>> reader = TimeReader(Backbone.tiny(["in", "1998"]))
    >>> batch = reader.backbone.tokenize(["in 1998"])
    >>> {head: tuple(scores.shape) for head, scores in reader(batch.ids, batch.mask).items()}["month"]
    (1, 13)
    """

    def __init__(self, backbone: Backbone, absent: str = "class") -> None:
        super().__init__()
        self.backbone = backbone
        self.absent = absent
        self.heads = nn.ModuleDict({head: nn.Linear(backbone.width, count) for head, count in HEADS.items()})

    def forward(self, ids: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """The scores of every class, by head.

        >>> reader = TimeReader(Backbone.tiny(["in"]))
        >>> list(reader(torch.tensor([[2, 5, 3]]), torch.ones(1, 3, dtype=torch.long)))
        ['century', 'decade', 'year', 'month', 'day', 'exists']
        """
        vector = self.backbone(ids, mask)
        return {name: head(vector) for name, head in self.heads.items()}

    def encoded(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of texts, cut to what the backbone bears and not padded.

        >>> TimeReader(Backbone.tiny(["in"])).encoded(["in in", "in"])
        [[2, 5, 5, 3], [2, 5, 3]]
        """
        if not texts:
            return []
        limit = self.backbone.max_length
        rows = self.backbone.tokenizer(list(texts), padding=False, truncation=True, max_length=limit)["input_ids"]
        return [list(row) for row in rows]

    def scores(self, rows: Sequence[Sequence[int]], batch_size: int = 256) -> dict[str, NDArray[Any]]:
        """The scores of texts as numbers, in batches of similar length; the order is that of the rows.

        >>> TimeReader(Backbone.tiny(["in"])).scores([[2, 5, 3], [2, 3]])["day"].shape
        (2, 32)
        """
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
            yield places, padded([rows[place] for place in places], self.backbone.tokenizer.pad_token_id)

    def save(self, folder: Path, *, half: bool = False) -> None:
        """Write the folder: config.json, model.safetensors (the heads) and backbone/, that in half precision if asked.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> TimeReader(Backbone.tiny(["in"])).save(folder)
        >>> sorted(path.name for path in folder.iterdir())
        ['backbone', 'config.json', 'model.safetensors']
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
        """The model of a folder that `save` wrote.

        >>> TimeReader.load(Path("no/such/folder"))
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder/config.json: cannot be read: No such file or directory
        """
        state = load_state(folder)
        kind, absent, heads = (state.config.get(name) for name in ("kind", "absent", "heads"))
        if kind != _KIND or absent not in ABSENT or heads != HEADS:
            raise InputError(str(folder / CONFIG), 0, f"describes a {kind!r}; accepted: a model of the kind {_KIND!r}")
        reader: TimeReader = cls(load_backbone(folder / _BACKBONE), absent)
        fill(reader.heads, state.tensors, folder)
        reader.eval()
        return reader


def padded(rows: Sequence[Sequence[int]], pad: int) -> Batch:
    """Rows of tokens as one batch, padded on the right.

    >>> padded([[2, 5, 3], [2, 3]], 0).mask.tolist()
    [[1, 1, 1], [1, 1, 0]]
    """
    longest = max(map(len, rows), default=0)
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return Batch(torch.from_numpy(ids), torch.from_numpy(mask), int(mask.sum()))
