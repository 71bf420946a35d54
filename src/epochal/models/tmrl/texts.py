"""Texts as tokens, with the tokens that state a time, made once before training and put together to batches by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from epochal.models.backbone import Backbone, Batch
from epochal.models.ctd.texts import Texts
from epochal.models.tmrl.spans import Place, token_span

__all__ = ["MOST_SPANS", "TextBatch", "TimedTexts", "timed_texts"]

#: The most time expressions of one text that are read, where more than the first are.
MOST_SPANS: Final = 8

_AT_ONCE: Final = 2048
#: Lengths are made a multiple of this: attention is quicker then, and fewer sizes of memory are asked for.
_MULTIPLE: Final = 8
#: Fewer texts than this are no part of their own: reading them apart would cost more than their padding.
_PART: Final = 128


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Some texts: their tokens; `spans` (texts, expressions, 2), the tokens that state a time; and, for a second
    encoder, the tokens of the time expressions by themselves.

    >>> rows = torch.ones(1, 2, dtype=torch.long)
    >>> TextBatch(Batch(rows, rows, 2), torch.full((1, 1, 2), -1)).to("cpu").tokens
    2
    """

    texts: Batch
    spans: Tensor
    times: Batch | None = None

    @property
    def tokens(self) -> int:
        """How many tokens there are in all.

        >>> rows = torch.ones(1, 2, dtype=torch.long)
        >>> TextBatch(Batch(rows, rows, 2), torch.full((1, 1, 2), -1), Batch(rows, rows, 2)).tokens
        4
        """
        return self.texts.tokens + (0 if self.times is None else self.times.tokens)

    def to(self, device: torch.device | str) -> TextBatch:
        """The same batch on a device.

        >>> rows = torch.ones(1, 2, dtype=torch.long)
        >>> TextBatch(Batch(rows, rows, 2), torch.full((1, 1, 2), -1)).to("cpu").spans.device.type
        'cpu'
        """
        times = None if self.times is None else self.times.to(device)
        return TextBatch(self.texts.to(device), self.spans.to(device, non_blocking=True), times)


@dataclass(frozen=True, slots=True)
class TimedTexts:
    """Texts as tokens; `spans` (texts, expressions, 2) are the tokens that state a time, -1 for none.

    >>> made = timed_texts(Backbone.tiny(["rain", "in", "1998"]), ["rain in 1998"], [[(8, 12)]], spans=1)
    >>> made.batch([0]).spans.tolist()
    [[[3, 4]]]
    """

    texts: Texts
    spans: npt.NDArray[np.int32]
    times: Texts | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> TextBatch:
        """Some texts, padded on the right.

        >>> made = timed_texts(Backbone.tiny(["rain"]), ["rain", "rain rain"])
        >>> made.batch([1, 0]).texts.ids.shape
        torch.Size([2, 8])
        """
        chosen = np.asarray(rows, dtype=np.int64)
        times = None if self.times is None else _padded(self.times.batch(chosen), self.times.padding)
        return TextBatch(
            _padded(self.texts.batch(chosen), self.texts.padding),
            torch.from_numpy(self.spans[chosen].astype(np.int64)),
            times,
        )


def timed_texts(
    backbone: Backbone,
    texts: Sequence[str],
    places: Sequence[Sequence[Place]] | None = None,
    *,
    prefix: str = "",
    max_length: int | None = None,
    spans: int = 0,
    times: bool = False,
) -> TimedTexts:
    """Texts as a backbone's tokenizer makes them, behind a prefix, cut to `max_length` tokens.

    `places` are where each text states times, in characters. The first `spans` of them are kept as tokens; with
    `times`, the expressions themselves, joined by commas, are tokens of their own.

    >>> tiny = Backbone.tiny(["rain", "in", "1998", "and", "2001", ","])
    >>> made = timed_texts(tiny, ["rain in 1998 and 2001"], [[(8, 12), (17, 21)]], spans=2, times=True)
    >>> made.spans.tolist(), made.times.row(0).tolist()
    ([[[3, 4], [5, 6]]], [2, 7, 10, 9, 3])
    """
    limit = min(max_length or backbone.max_length, backbone.max_length)
    found: npt.NDArray[np.int32] = np.full((len(texts), max(1, spans), 2), -1, np.int32)
    rows: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(texts), _AT_ONCE):
        part = [f"{prefix}{text}" for text in texts[start : start + _AT_ONCE]]
        made = backbone.tokenizer(part, truncation=True, max_length=limit, return_offsets_mapping=spans > 0)
        rows += [np.array(ids, np.int32) for ids in made["input_ids"]]
        if spans and places is not None:
            for number, offsets in enumerate(made["offset_mapping"], start):
                for place, (low, high) in enumerate(places[number][:spans]):
                    span = token_span(offsets, (low + len(prefix), high + len(prefix)))
                    if span is not None:
                        found[number, place] = span
    told = None
    if times and places is not None:
        said = [", ".join(text[low:high] for low, high in here) for text, here in zip(texts, places, strict=True)]
        told = timed_texts(backbone, said, max_length=limit).texts
    return TimedTexts(_together(rows, backbone.padding), found, told)


def _together(rows: Sequence[npt.NDArray[np.int32]], padding: int) -> Texts:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Texts(np.concatenate(rows) if len(rows) else np.zeros(1, np.int32), starts, padding)


def _padded(batch: Batch, padding: int) -> Batch:
    """A batch with columns in a round number, in parts where its texts come longest first."""
    lengths = batch.mask.sum(dim=1).numpy()
    more = -batch.ids.shape[1] % _MULTIPLE
    ids, mask = functional.pad(batch.ids, (0, more), value=padding), functional.pad(batch.mask, (0, more))
    return Batch(ids, mask, batch.tokens, _parts(lengths) if (np.diff(lengths) <= 0).all() else ())


def _parts(lengths: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Runs of texts that come longest first: a new one where fewer columns do, if the one before is long enough."""
    widths = -(-lengths // _MULTIPLE) * _MULTIPLE
    found: list[tuple[int, int]] = []
    first = 0
    for after in [*(np.flatnonzero(np.diff(widths)) + 1), len(widths)]:
        if after - first >= _PART or after == len(widths):
            found.append((int(after), int(widths[first])))
            first = after
    return tuple(found)
