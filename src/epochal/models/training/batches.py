"""Batches of texts of similar length, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.errors import EpochalError
from epochal.models.training.seeds import generator

__all__ = ["batches_by_length"]

#: How many batches are sorted by length together. More means less padding and less chance in what meets what.
_POOL = 50


def batches_by_length(
    lengths: Sequence[int],
    batch_size: int | None = None,
    max_tokens: int | None = None,
    *,
    seed: int,
    epoch: int = 0,
) -> list[list[int]]:
    """Which rows make a batch: every row once, rows of similar length together, batches in random order.

    A batch has at most `batch_size` rows, and at most `max_tokens` tokens with its padding (a single row may be
    longer); give one or both. The same seed and epoch give the same batches. By `batch_size` alone there are always
    as many batches; by `max_tokens` epochs may differ by a few.
    """
    for name, value in (("batch_size", batch_size), ("max_tokens", max_tokens)):
        if value is not None and value < 1:
            raise EpochalError(f"{name} is {value}; accepted: a whole number from 1, or None")
    if batch_size is None and max_tokens is None:
        raise EpochalError("neither batch_size nor max_tokens says how large a batch may be; give one of them")
    random = generator(seed, epoch)
    rows = random.permutation(len(lengths)).tolist()
    pool = _POOL * _rows_at_most(lengths, batch_size, max_tokens)
    batches: list[list[int]] = []
    for start in range(0, len(rows), pool):
        # Longest first: where memory does not suffice, one learns it from the first batches of a pool.
        together = sorted(rows[start : start + pool], key=lambda row: -lengths[row])
        batches.extend(_cut(together, lengths, batch_size, max_tokens))
    return [batches[place] for place in random.permutation(len(batches)).tolist()]


def _rows_at_most(lengths: Sequence[int], batch_size: int | None, max_tokens: int | None) -> int:
    """About how many rows a batch has, to make pools of so many batches."""
    if batch_size is not None:
        return batch_size
    mean = max(1, sum(lengths) // max(1, len(lengths)))
    return max(1, (max_tokens or 1) // mean)


def _cut(
    rows: Sequence[int], lengths: Sequence[int], batch_size: int | None, max_tokens: int | None
) -> Iterator[list[int]]:
    """Rows that were sorted longest first, cut where a batch is full: its first row is what all are padded to."""
    batch: list[int] = []
    for row in rows:
        full = batch_size is not None and len(batch) == batch_size
        heavy = max_tokens is not None and batch and (len(batch) + 1) * lengths[batch[0]] > max_tokens
        if full or heavy:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
