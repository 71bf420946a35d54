"""The table of runs fitted to all training records at once, before anything else is trained.

What a run of characters says of the time is a linear model, and its loss convex. In batches, the few records that have
a rare run move it alone, and are soon known by heart; over all records at once a hundred steps are enough, and what is
learned of a name holds for records that were never seen. The table then stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.models.ctd.data import ANSWERS, Collection
from epochal.models.ctd.heads import JointHeads
from epochal.models.ctd.losses import time_loss
from epochal.models.ctd.model import CTD
from epochal.models.ctd.texts import Texts
from epochal.models.ngrams import Ngrams, of_one_length

__all__ = ["Bags", "bags_of", "fit_table"]

_RATE: Final = 0.06
_DECAY: Final = 1e-3
_AT_ONCE: Final = 512


@dataclass(frozen=True, slots=True)
class Bags:
    """The known runs of texts in one line: their rows of the table, their weights, and where each text begins.

    >>> bags = Bags(torch.tensor([4, 7, 4]), torch.tensor([6.0, 8.0, 10.0]), torch.tensor([0, 2]))
    >>> bags.sums(torch.arange(8.0)[:, None]).tolist()
    [[80.0], [40.0]]
    """

    places: Tensor
    weights: Tensor
    starts: Tensor

    def sums(self, table: Tensor) -> Tensor:
        """What the rows of each text add up to.

        >>> Bags(torch.tensor([0, 1]), torch.tensor([2.0, 3.0]), torch.tensor([0, 2])).sums(torch.ones(2, 1)).tolist()
        [[5.0], [0.0]]
        """
        return functional.embedding_bag(
            self.places, table, self.starts, mode="sum", per_sample_weights=self.weights, include_last_offset=False
        )


@torch.no_grad()
def bags_of(table: Ngrams, texts: Texts, rows: Sequence[int]) -> Bags:
    """The known runs of some texts, as the table weighs them when nothing is left out.

    >>> table = Ngrams(4, 2)
    >>> table.know([np.array([2, 7, 3])] * 3)
    4
    >>> bags = bags_of(table, Texts(np.array([2, 7, 3, 2, 8, 3], np.int32), np.array([0, 3, 6]), 0), [1, 0])
    >>> bags.starts.tolist(), bags.weights.tolist()
    ([0, 0], [5.0, 5.0, 5.0, 5.0])
    """
    device = table.keys.device
    places, weights, counts = [], [], []
    for start in range(0, len(rows), _AT_ONCE):
        batch = texts.batch(rows[start : start + _AT_ONCE]).to(device)
        where, rare = table.found(batch.ids, batch.mask)
        known = rare > 0
        places.append(where[known])
        weights.append(of_one_length(rare)[known])
        counts.append(known.sum(dim=1))
    lengths = torch.cat(counts)
    return Bags(torch.cat(places), torch.cat(weights), lengths.cumsum(0) - lengths)


def fit_table(model: CTD, collection: Collection, texts: Texts, split: str = "train") -> int:
    """Fit the table of a model to the records of a split, and freeze it; the count of runs that it knows.

    Heads begin at what all records have in common, and add to the table from there.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis, Months
    >>> from epochal.models.ctd.data import Record
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> rows = (("rain", 2), ("snow", 3)) * 3
    >>> made = tuple(Record(str(n), text, "event", "train", Months(m, m)) for n, (text, m) in enumerate(rows))
    >>> own = Collection("own", MonthAxis.gregorian(2000, 2000), made, ())
    >>> tiny = CTD(Backbone.tiny(["rain", "snow"]), own.axis, CTDSettings.improved())
    >>> tokens = tiny.tokenized([], [record.text for record in made])
    >>> fit_table(tiny, own, tokens.records)
    8
    >>> batch = tokens.records.batch([0, 1])
    >>> tiny(batch.ids, batch.mask, "record").logits[1].argmax(dim=1).tolist()
    [2, 3]
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
    bags = bags_of(table, texts, rows)
    fitted = _fitted(heads, bags, told, right, table.most, settings.ngram_steps)
    _install(fitted, table, [*heads.maps(), *([] if parts.worth is None else [parts.worth])])
    return known


class _Fitted(NamedTuple):
    weight: Tensor
    bias: Tensor


def _fitted(heads: JointHeads, bags: Bags, told: Tensor, right: Tensor, most: int, steps: int) -> _Fitted:
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
    return _Fitted(weight.detach(), bias.detach())


@torch.no_grad()
def _install(fitted: _Fitted, table: Ngrams, maps: list[nn.Linear]) -> None:
    table.table.weight.copy_(fitted.weight)
    table.table.weight.requires_grad_(requires_grad=False)
    for linear, bias in zip(maps, fitted.bias.split([one.out_features for one in maps]), strict=False):
        linear.weight.zero_()
        linear.bias.copy_(bias)
