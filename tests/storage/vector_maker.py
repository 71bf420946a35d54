"""A process that makes pending vectors in small batches, telling of each that is stored; to be killed at any moment.

With a third argument it waits for a line after each batch: so it gets no further than it is let.
"""

from __future__ import annotations

import sys

from epochal import ingest
from epochal.api import Index
from storage.letters import Letters


def main(folder: str, size: str, *waits: str) -> None:
    ingest._PENDING_BATCH = int(size)

    def report(count: int) -> None:
        print(count, flush=True)
        if waits:
            sys.stdin.readline()

    with Index.open(folder, Letters()) as index:
        index.make_vectors(progress=report)


if __name__ == "__main__":
    main(*sys.argv[1:])
