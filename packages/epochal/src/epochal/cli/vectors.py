"""The vectors that `epochal index --fast` leaves: made in the background, or by `epochal index --vectors`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, Final

from epochal.cli.common import check_index, format_count, open_index, progress_bar
from epochal.errors import EpochalError

#: In the folder of an index: why the process in the background has failed.
LOG: Final = "vectors.log"
#: Searches go before a process in the background.
_NICENESS: Final = 10
#: What that process runs, with the packages of this one, wherever it was started.
_COMMAND: Final = """
import sys
sys.path[:] = {path!r}
from epochal.cli.vectors import make_in_background
make_in_background({folder!r})
"""


def add_vector_options(parser: argparse.ArgumentParser) -> None:
    """Add --fast and --vectors to `epochal index`."""
    parser.add_argument(
        "--fast",
        action="store_true",
        help="return as soon as the documents are found by their words and times; their vectors are made in the "
        "background",
    )
    parser.add_argument(
        "--vectors",
        action="store_true",
        help="take no SOURCE, and make the vectors that --fast has left and no process in the background makes",
    )


def check_vector_options(arguments: argparse.Namespace) -> None:
    """Raise an error where --fast or --vectors does not go with the other arguments."""
    from epochal.storage.addresses import is_address, shown

    if arguments.vectors:
        if arguments.fast or arguments.given is not None or arguments.source is not None:
            given = "--fast" if arguments.fast else repr(arguments.source or arguments.given)
            raise EpochalError(f"--vectors makes vectors of what is stored, so it does not go with {given}")
        check_index(arguments.index)
    for name in ("fast", "vectors"):
        if getattr(arguments, name) and is_address(arguments.index):
            raise EpochalError(f"--{name} goes with an index in a folder, not with {shown(arguments.index)}")
    if arguments.fast and arguments.ray is not None:
        raise EpochalError("--fast makes vectors in one process, and --ray in several; leave out one of them")


def run_vectors(arguments: argparse.Namespace) -> int:
    """Make the vectors that an index lacks, and say how many."""
    print(f"{arguments.index}: {_make_vectors(arguments.index)}")
    return 0


def make_in_background(folder: str) -> None:
    """Make the vectors that an index lacks; why that failed is written into its folder."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    log = Path(folder) / LOG
    try:
        _make_vectors(folder)
    except BaseException as error:
        message = f"epochal: {error}\n" if isinstance(error, EpochalError) else traceback.format_exc()
        log.write_text(message, encoding="utf-8")
        raise
    log.unlink(missing_ok=True)


def _make_vectors(path: str) -> str:
    """Make the vectors; a sentence of what was done."""
    from epochal.storage.pending import wait_for_maker
    from epochal.storage.protocol import list_pending

    def report_waiting() -> None:
        print(f"epochal: another process makes the vectors of {path}; waiting until it ends", file=sys.stderr)

    with wait_for_maker(Path(path), report_waiting) as is_maker:
        if not is_maker:
            return "another process is waiting to make the vectors"
        with open_index(path) as index:
            total = len(list_pending(index.view()))
            done = 0
            with progress_bar("making vectors", total) as report_progress:

                def count_passages(count: int) -> None:
                    nonlocal done
                    done += count
                    report_progress(done, format_count(done, "passage"))

                made = index.make_vectors(progress=count_passages)
    return f"vectors of {format_count(made, 'passage')} made" if made else "all passages have their vectors"


def start_in_background(path: str, pending: int) -> None:
    """Start a process that makes the vectors of an index and outlives this one; say so."""
    program = _COMMAND.format(path=[os.path.abspath(part) for part in sys.path], folder=os.path.abspath(path))
    settings: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        settings = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    for stream in ("stdin", "stdout", "stderr"):
        settings[stream] = subprocess.DEVNULL
    _started.append(subprocess.Popen([sys.executable, "-c", program], **settings))
    print(f"{path}: search works now; the vectors of {format_count(pending, 'passage')} are made in the background")


#: Whoever lets go of a process that runs is warned.
_started: Final[list[subprocess.Popen[bytes]]] = []
