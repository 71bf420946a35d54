"""The joint loss of the heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from torch import Tensor
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.models.re3.times.label import HEADS, IGNORED

__all__ = ["ABSENT", "LossSettings", "joint_loss"]

#: What month and day learn from a text that states none: the class 0, or nothing.
ABSENT: Final = ("class", "masked")


@dataclass(frozen=True, slots=True)
class LossSettings:
    """How much each head counts, and what month and day learn where there is none.

    Century and decade count for more, since a mistake there is off by more. The parts of a year are never learnt from
    a text that states no year. With `absent` "masked", month and day are not learnt either where there is none: then
    no head can say so. With "class" they learn the class 0, which tells "1998" from "March 1998" and "June 9" from
    texts without a date.

    >>> LossSettings().century, LossSettings().decade, LossSettings().month
    (1.5, 1.25, 1.0)
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
        """As JSON has it.

        >>> LossSettings(absent="masked").to_dict()["absent"]
        'masked'
        """
        return asdict(self)


def joint_loss(logits: Mapping[str, Tensor], classes: Tensor, settings: LossSettings) -> dict[str, Tensor]:
    """The weighted sum of the heads' cross-entropies, under "loss", and each of them under its head's name.

    `classes` has a row a text and a column a head, as `Label.classes` gives them. Each head's is the mean over the
    texts that it learns from, 0 where there are none.

    >>> import torch
    >>> logits = {head: torch.zeros(1, count) for head, count in HEADS.items()}
    >>> found = joint_loss(logits, torch.tensor([[IGNORED, IGNORED, IGNORED, 6, 9, 0]]), LossSettings())
    >>> round(found["month"].exp().item()), found["century"].item()
    (13, 0.0)
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
