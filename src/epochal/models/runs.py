"""A backbone without a transformer: vectors of runs of one to three characters, added up.

It reads a text in microseconds and is trained on a CPU in minutes, knows every name by itself, and nothing of order
beyond three characters. It is what a transformer has to beat, and what remains where there is no GPU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from epochal.errors import EpochalError, InputError
from epochal.models.backbone import Backbone, Batch, right_padded
from epochal.models.ngrams import Ngrams
from epochal.models.training.checkpoint import fill, load_state, save_state, write_json
from epochal.ranking.dating.runs import PAD, Characters

__all__ = ["RunsBackbone"]

_KIND: Final = "runs"
_SPREAD: Final = 0.02


class RunsBackbone(Backbone):
    """Vectors of the runs of characters that training texts share.

    >>> runs = RunsBackbone.of(["春秋春", "春秋冬"], width=8)
    >>> batch = runs.tokenize(["春秋春", "夏"])
    >>> batch.ids.tolist(), tuple(runs(batch.ids, batch.mask).shape)
    ([[2, 4, 5, 4, 3], [2, 1, 3, 0, 0]], (2, 8))
    """

    def __init__(
        self, characters: str, *, most: int = 40_000, width: int = 256, dropout: float = 0.0, max_length: int = 256
    ) -> None:
        nn.Module.__init__(self)
        if max_length < 3:
            raise EpochalError(f"max_length is {max_length}; accepted: a whole number from 3")
        self.characters = characters
        self._numbered = Characters(characters)
        self.pooling, self.max_length = "mean", max_length
        self.table = Ngrams(most, width, dropout)
        # Unlike a table beside a transformer, this one is all there is: texts must differ before anything is learned.
        nn.init.normal_(self.table.table.weight, std=_SPREAD)

    @classmethod
    def of(
        cls, texts: Iterable[str], *, least: int = 2, most: int = 40_000, width: int = 256, dropout: float = 0.0
    ) -> RunsBackbone:
        """One that knows the characters and the runs which `least` of the texts have.

        >>> RunsBackbone.of(["春秋", "春夏"]).characters
        '春'
        """
        kept = list(texts)
        counts = Counter(sign for text in kept for sign in set("".join(text.split())))
        signs = "".join(sign for sign, count in sorted(counts.items()) if count >= least)
        made = cls(signs, most=most, width=width, dropout=dropout)
        made.table.know([np.array(row) for row in made._numbered.rows(kept, made.max_length)], least)
        return made

    @property
    def width(self) -> int:
        """How many numbers a vector has.

        >>> RunsBackbone("春", width=16).width
        16
        """
        return int(self.table.table.embedding_dim)

    @property
    def padding(self) -> int:
        """The number that stands for no character.

        >>> RunsBackbone("春").padding
        0
        """
        return PAD

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Texts as numbers of characters, between one for the beginning and one for the end; blanks are left out.

        >>> RunsBackbone("春秋").tokenize(["春 秋秋"], max_length=4).ids.tolist()
        [[2, 4, 5, 3]]
        """
        rows = self._numbered.rows(texts, min(max_length or self.max_length, self.max_length))
        longest = max(map(len, rows), default=0)
        ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)
        mask = (ids != PAD).long()
        return Batch(ids, mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a row.

        >>> runs = RunsBackbone.of(["春秋", "春秋"]).eval()
        >>> left, right = torch.tensor([[0, 2, 4, 3]]), torch.tensor([[2, 4, 3, 0]])
        >>> torch.equal(runs(left, (left > 0).long()), runs(right, (right > 0).long()))
        True
        """
        vectors: Tensor = self.table(*right_padded(ids, mask))
        return vectors

    def save(self, folder: Path) -> None:
        """Write model.safetensors and config.json.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> RunsBackbone("春秋", most=100, width=8).save(place)
        >>> Backbone.load(place).width
        8
        """
        shape = {"most": self.table.most, "width": self.width, "dropout": self.table.dropout}
        save_state(
            folder, self.table, {"kind": _KIND, "characters": self.characters, "max_length": self.max_length, **shape}
        )
        write_json(folder / "backbone.json", {"kind": _KIND, "pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> RunsBackbone:
        """One from the folder that `save` wrote; `pooling` can be the mean only.

        >>> RunsBackbone.load("no/such/folder")
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder/config.json: cannot be read: No such file or directory
        """
        if pooling not in (None, "mean"):
            raise EpochalError(f"pooling is {pooling!r}; accepted with runs of characters: mean")
        place = Path(folder)
        state = load_state(place)
        try:
            made = cls(
                str(state.config["characters"]),
                most=int(state.config["most"]),
                width=int(state.config["width"]),
                dropout=float(state.config["dropout"]),
                max_length=max_length or int(state.config["max_length"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(str(place), 0, f"has a config that lacks its shape: {error}") from error
        fill(made.table, state.tensors, place)
        return made
