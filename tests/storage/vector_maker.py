"""A process that makes pending vectors in small batches, telling of each that is stored; to be killed at any moment."""

from __future__ import annotations

import sys

from epochal import ingest
from epochal.api import Index
from storage.letters import Letters


def main(folder: str, size: str) -> None:
    ingest._PENDING_BATCH = int(size)
    with Index.open(folder, Letters()) as index:
        index.make_vectors(progress=lambda count: print(count, flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
