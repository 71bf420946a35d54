"""The checksums that a document is stored with."""

from __future__ import annotations

import numpy as np

from epochal.storage.checksums import sum_passages, sum_vectors
from epochal.storage.records import Entry, pack_datings


def compute_sums(entry: Entry) -> list[int]:
    """The checksum of the passages of a document with their times, and that of its vectors."""
    passages = sum_passages(
        (0, passage.start_char, passage.end_char, pack_datings(passage.datings)) for passage in entry.passages
    )
    numbers = b"" if entry.vectors is None else np.ascontiguousarray(entry.vectors, dtype="<f4").tobytes()
    return [passages.get(0, 0), sum_vectors([(0, numbers)]).get(0, 0)]
