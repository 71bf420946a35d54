"""`epochal train gate`: fit the weights of the default scorer to questions with known answers."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError

__all__ = ["add"]

_HELP = """examples:
  epochal train gate --from timeqa --from scifact -o gate.json
  epochal search news "Who owned the house from 1916 to 1920?" --scorer gate:gate.json

Each folder has corpus.jsonl, queries.jsonl and qrels/ (the split test unless --split names another). Questions that
ask for a time are fitted apart from those that do not; a kind without questions keeps the weights that it had.
"""


def add(models: Any) -> None:
    """Add the model to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["gate", "--from", "timeqa", "-o", "gate.json"]).source
    ['timeqa']
    """
    gate = models.add_parser(
        "gate",
        help="the weights of the default scorer",
        description="Fit the weights of the default scorer to questions with known answers.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    gate.add_argument("--from", dest="source", action="append", required=True, metavar="BEIR_DIR", help="questions")
    gate.add_argument("-o", "--out", required=True, metavar="FILE", help="the weights to write, as JSON")
    gate.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors; none for none")
    gate.add_argument("--index", metavar="DIR", help="keep the indexes in this folder, or use those that are there")
    gate.add_argument("--split", default="test", metavar="NAME", help="which file of qrels/ to use; test unless given")
    gate.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import check_output, filled, ingest
    from epochal.cli.progress import progress_bar
    from epochal.engine.train import collect, train_gate
    from epochal.files import StagedFiles
    from epochal.index.inputs import read, read_qrels, read_queries
    from epochal.ranking.gate import default_weights
    from epochal.ranking.training import Example

    check_output(arguments.out)
    found: dict[str, list[Example]] = {"plain": [], "timed": []}
    with ExitStack() as stack:
        home = arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-"))
        for source in arguments.source:
            queries = read_queries(source)
            answers = read_qrels(Path(source) / "qrels" / f"{arguments.split}.tsv")
            judged = [query for query in queries if answers.get(query.id)]
            if not judged:
                raise EpochalError(f"none of the {len(queries):,} questions of {source} has an answer in qrels")
            with filled(Path(home) / Path(source).resolve().name, arguments.encoder) as index:
                print(f"epochal: {ingest(index, read(source, format='beir'), 'indexing')}", file=sys.stderr)
                with progress_bar("gathering", len(judged)) as tell:
                    done = 0

                    def told(count: int, tell: Any = tell, total: int = len(judged)) -> None:
                        nonlocal done
                        done += count
                        tell(done, f"{done:,} of {total:,} questions")

                    for kind, examples in collect(index, judged, answers, progress=told).items():
                        found[kind] += examples
    weights = train_gate(found, default_weights())
    with StagedFiles() as staged, staged.open(Path(arguments.out)) as file:
        file.write(f"{json.dumps(weights.to_dict(), indent=2)}\n".encode())
    for kind, group in weights.to_dict().items():
        shown = ", ".join(f"{name} {value:g}" for name, value in group.items())
        print(f"{kind:6} {shown or 'nothing'}  ({len(found.get(kind, []))} questions)")
    return 0
