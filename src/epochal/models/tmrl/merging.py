"""Models merged into one: TSM, a baseline, by the mean of their weights; and adapters, by the sum of what they add.

TSM is one model a time specifier ("before", "in late", ...): Han et al., 2025.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal.models.tmrl.rows import TemporalQuestion, TemporalRow

__all__ = ["SPECIFIERS", "mean_state", "rows_by_specifier", "specifier_of", "summed_matrices"]

_TIME: Final = r"(?:the\s+)?(?:[a-z.]+\s+)?(?:\d|[a-z]+\s+\d)"
_PATTERNS: Final = (
    ("between_and", re.compile(r"\bbetween\b.*\band\b", re.IGNORECASE)),
    ("from_to", re.compile(r"\bfrom\b.*\b(?:to|until|till|through)\b", re.IGNORECASE)),
    ("in_early", re.compile(r"\bin\s+(?:the\s+)?early\b", re.IGNORECASE)),
    ("in_late", re.compile(r"\bin\s+(?:the\s+)?late\b", re.IGNORECASE)),
    ("after", re.compile(rf"\b(?:after|since)\s+{_TIME}", re.IGNORECASE)),
    ("before", re.compile(rf"\b(?:before|until|by)\s+{_TIME}", re.IGNORECASE)),
    ("in", re.compile(rf"\b(?:in|on|during)\s+{_TIME}", re.IGNORECASE)),
)
#: The specifiers of the paper.
SPECIFIERS: Final = tuple(sorted(name for name, _ in _PATTERNS))


def specifier_of(question: TemporalQuestion | str) -> str | None:
    """By which words a question states its time; None where by none of them.

    >>> [specifier_of(text) for text in ("Who led it in late 1998?", "Who led it from 1998 to 2001?", "Who led it?")]
    ['in_late', 'from_to', None]
    """
    text = question if isinstance(question, str) else question.text
    return next((name for name, pattern in _PATTERNS if pattern.search(text)), None)


def rows_by_specifier(rows: Iterable[TemporalRow]) -> dict[str, list[TemporalRow]]:
    """Rows with only those questions that they answer which have a specifier, one list for each that there is.

    >>> asked = (TemporalQuestion("Who led it in 1998?"), TemporalQuestion("Who led it after 1998?"))
    >>> found = rows_by_specifier([TemporalRow("p", "Ann led it.", (), asked)])
    >>> {name: [one.text for one in part[0].positives] for name, part in found.items()}
    {'after': ['Who led it after 1998?'], 'in': ['Who led it in 1998?']}
    """
    found: dict[str, list[TemporalRow]] = {name: [] for name in SPECIFIERS}
    for row in rows:
        parts: dict[str, list[TemporalQuestion]] = {}
        for one in row.positives:
            if (name := specifier_of(one)) is not None:
                parts.setdefault(name, []).append(one)
        for name, asked in parts.items():
            found[name].append(replace(row, positives=tuple(asked)))
    return {name: part for name, part in found.items() if part}


def mean_state(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of the parameters of models of one shape.

    >>> mean_state([{"a": torch.tensor([1.0])}, {"a": torch.tensor([3.0])}])
    {'a': tensor([2.])}
    """
    if not states:
        raise EpochalError("no models to merge; accepted: one or more")
    if any(set(state) != set(states[0]) for state in states):
        raise EpochalError("the models to merge have parameters of other names; accepted: models of one shape")
    return {
        name: torch.stack([state[name].double() for state in states]).mean(dim=0).to(first.dtype)
        for name, first in states[0].items()
    }


def summed_matrices(
    adapters: Sequence[Mapping[str, Tensor]], scales: Sequence[float], shares: Sequence[float], rank: int | None = None
) -> dict[str, Tensor]:
    """The matrices of LoRA, `NAME.down` and `NAME.up`, that add the given share of what each of some adapters adds.

    `scales` are what the products of their matrices are multiplied by; of those that come back, it is 1. Their rank is
    the sum of all ranks; with a smaller `rank` they are the nearest of that rank to it.

    >>> one = {"a.down": torch.tensor([[1.0, 0.0]]), "a.up": torch.tensor([[2.0]])}
    >>> other = {"a.down": torch.tensor([[0.0, 1.0]]), "a.up": torch.tensor([[4.0]])}
    >>> both = summed_matrices([one, other], [1.0, 1.0], [0.5, 0.5])
    >>> (both["a.up"] @ both["a.down"]).tolist(), both["a.down"].shape
    ([[1.0, 2.0]], torch.Size([2, 2]))
    >>> near = summed_matrices([one, other], [1.0, 1.0], [0.5, 0.5], rank=1)
    >>> [round(value, 4) for value in (near["a.up"] @ near["a.down"])[0].tolist()]
    [1.0, 2.0]
    """
    if not adapters or len(adapters) != len(shares):
        raise EpochalError(
            f"{len(adapters)} adapters have {len(shares)} shares; accepted: one share for each, of one or more"
        )
    if rank is not None and rank < 1:
        raise EpochalError(f"rank is {rank}; accepted: a whole number from 1")
    if any(set(one) != set(adapters[0]) for one in adapters):
        raise EpochalError("the adapters to merge have matrices of other names; accepted: adapters of one backbone")
    found: dict[str, Tensor] = {}
    for name in (key.removesuffix(".down") for key in adapters[0] if key.endswith(".down")):
        down = torch.cat([one[f"{name}.down"].double() for one in adapters])
        parts = zip(adapters, scales, shares, strict=True)
        up = torch.cat([one[f"{name}.up"].double() * (scale * share) for one, scale, share in parts], dim=1)
        if rank is not None and rank < len(down):
            # Orthogonal sides first, so that what is decomposed is no larger than the ranks.
            left, inner = torch.linalg.qr(up)
            right, outer = torch.linalg.qr(down.T)
            u, sizes, v = torch.linalg.svd(inner @ outer.T)
            root = sizes[:rank].sqrt()
            up, down = left @ u[:, :rank] * root, (right @ v[:rank].T * root).T
        found[f"{name}.down"], found[f"{name}.up"] = down.float().contiguous(), up.float().contiguous()
    return found
