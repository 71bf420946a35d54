"""Fills an index on a cluster, and dies by its own hand once so many documents are stored."""

from __future__ import annotations

import os
import signal
import sys

from epochal.api import Index
from epochal.backends.ray import LoadReport, connected, load


def main(address: str, folder: str, source: str, after: str) -> None:
    def report_progress(loaded: LoadReport) -> None:
        if loaded.read >= int(after):
            os.kill(os.getpid(), signal.SIGKILL)

    with connected(address, 2) as workers, Index.create(folder, encoder="static") as index:
        load(index, source, workers, part_bytes=20_000, progress=report_progress)


if __name__ == "__main__":
    main(*sys.argv[1:])
