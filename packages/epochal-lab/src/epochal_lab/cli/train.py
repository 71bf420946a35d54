"""`epochal train gate`, and what the commands that train with torch share: options, progress, files of a run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from epochal.cli.common import check_output, ingest, open_for_adding, progress_bar
from epochal.errors import EpochalError, MissingExtraError
from epochal_lab.models.training.settings import PRECISIONS, TrainSettings

if TYPE_CHECKING:
    from epochal_lab.models.training.task import TrainTask
    from epochal_lab.models.training.trainer import TrainRun

_GATE_HELP = """examples:
  epochal train gate --from timeqa --from scifact -o gate.json
  epochal search news "Who owned the house from 1916 to 1920?" --scorer gate:gate.json

Each folder has corpus.jsonl, queries.jsonl and qrels/ (the split test unless --split names another). Questions that
ask for a time are fitted apart from those that do not; a kind without questions keeps the weights that it had.
"""


def add_gate(models: Any) -> None:
    """Add the model to the parser."""
    gate = models.add_parser(
        "gate",
        help="the weights of the default scorer",
        description="Fit the weights of the default scorer to questions with known answers.",
        epilog=_GATE_HELP,
    )
    gate.add_argument("--from", dest="source", action="append", required=True, metavar="BEIR_DIR", help="questions")
    gate.add_argument("-o", "--out", required=True, metavar="FILE", help="the weights to write, as JSON")
    gate.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors; none for none")
    gate.add_argument("--index", metavar="DIR", help="keep the indexes in this folder, or use those that are there")
    gate.add_argument("--split", default="test", metavar="NAME", help="which file of qrels/ to use; test unless given")
    gate.set_defaults(run=_run_gate)


def _run_gate(arguments: argparse.Namespace) -> int:
    from epochal.files import StagedFiles
    from epochal.ranking.scorer import load_default_weights
    from epochal.storage.importers.beir import read_qrels, read_queries
    from epochal.storage.importers.read import read
    from epochal_lab.models.gate import GateExample, collect_examples, train_gate

    check_output(arguments.out)
    by_kind: dict[str, list[GateExample]] = {"plain": [], "timed": []}
    with ExitStack() as stack:
        home = arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-"))
        for source in arguments.source:
            queries = read_queries(source)
            answers = read_qrels(Path(source) / "qrels" / f"{arguments.split}.tsv")
            judged = [query for query in queries if answers.get(query.id)]
            if not judged:
                raise EpochalError(f"none of the {len(queries):,} questions of {source} has an answer in qrels")
            with open_for_adding(Path(home) / Path(source).resolve().name, arguments.encoder) as index:
                print(f"epochal: {ingest(index, read(source, format='beir'), 'indexing')}", file=sys.stderr)
                with progress_bar("gathering", len(judged)) as move_bar:
                    done = 0

                    def report(count: int, move_bar: Any = move_bar, total: int = len(judged)) -> None:
                        nonlocal done
                        done += count
                        move_bar(done, f"{done:,} of {total:,} questions")

                    for kind, examples in collect_examples(index, judged, answers, progress=report).items():
                        by_kind[kind] += examples
    weights = train_gate(by_kind, load_default_weights())
    with StagedFiles() as staged, staged.open(Path(arguments.out)) as file:
        file.write(f"{json.dumps(weights.to_dict(), indent=2)}\n".encode())
    for kind, group in weights.to_dict().items():
        output = ", ".join(f"{name} {value:g}" for name, value in group.items())
        print(f"{kind:6} {output or 'nothing'}  ({len(by_kind.get(kind, []))} questions)")
    return 0


#: A frozen dataclass of settings.
Settings = TypeVar("Settings")

#: The options that are settings of the trainer, by the name that argparse gives them.
_SETTINGS = (
    "epochs",
    "batch_size",
    "rate",
    "seed",
    "device",
    "precision",
    "max_steps",
    "max_seconds",
    "evaluate_every",
)


def add_options(parser: argparse.ArgumentParser, defaults: TrainSettings) -> None:
    """Add the options of the trainer; what is left out is as the model's `defaults` say."""
    group = parser.add_argument_group("training")
    group.add_argument("--epochs", type=int, metavar="N", help=f"times over the data; {defaults.epochs} unless given")
    group.add_argument(
        "--batch-size", type=int, metavar="N", help=f"rows of a batch; {defaults.batch_size} unless given"
    )
    group.add_argument(
        "--rate", type=float, metavar="RATE", help=f"highest rate of learning; {defaults.rate:g} unless given"
    )
    group.add_argument("--seed", type=int, metavar="N", help=f"of all random numbers; {defaults.seed} unless given")
    group.add_argument("--device", metavar="NAME", help="auto (a GPU where there is one), cpu, cuda, cuda:N or mps")
    group.add_argument("--precision", choices=PRECISIONS, help=f"what to compute in; {defaults.precision} unless given")
    group.add_argument("--max-steps", type=int, metavar="N", help="end after so many steps of the optimiser")
    group.add_argument("--evaluate-every", type=int, metavar="N", help="measure after so many steps, not each epoch")
    group.add_argument("--max-seconds", type=float, metavar="S", help="end after so long; --resume goes on from there")
    group.add_argument("--resume", action="store_true", help="go on from what the output folder holds")


def read_train_settings(arguments: argparse.Namespace, defaults: TrainSettings) -> TrainSettings:
    """The model's settings with what was given on the command line."""
    values = {name: getattr(arguments, name) for name in _SETTINGS if getattr(arguments, name) is not None}
    return replace(defaults, **values)


def apply_changes(settings: Settings, changes: Sequence[str]) -> Settings:
    """A model's settings with what was given as NAME=JSON; what is no JSON is a text."""
    known = [field.name for field in fields(cast("Any", settings))]
    values: dict[str, Any] = {}
    for change in changes:
        name, sign, value = change.partition("=")
        if not sign or name not in known:
            raise EpochalError(f"--set is {change!r}; accepted: NAME=JSON with one of {', '.join(sorted(known))}")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    result: Settings = replace(cast("Any", settings), **values)
    return result


def need_torch(what: str) -> None:
    """Complain, before anything is read, where the packages of the extra `train` are missing."""
    for package in ("torch", "transformers", "safetensors"):
        if find_spec(package) is None:
            raise MissingExtraError(what, package, "train")


def train_with_progress(
    task: TrainTask, settings: TrainSettings, folder: Path, *, resume: bool, label: str
) -> TrainRun:
    """Train with a bar on stderr, and say there in a line what came of it."""
    from epochal_lab.models.training.settings import count_steps
    from epochal_lab.models.training.trainer import train

    with progress_bar(label, count_steps(settings, task.steps_per_epoch(settings))) as move_bar:
        run = train(
            task,
            settings,
            folder,
            resume=resume,
            progress=lambda done, total, note: move_bar(done, f"{note}, {done:,}/{total:,}"),
        )
    reached = ", ".join(f"{name} {value:.4f}" for name, value in run.best.items())
    speed = "" if run.tokens_per_second is None else f", {run.tokens_per_second:,.0f} tokens/s"
    print(
        f"epochal: {run.steps:,} steps in {run.seconds:,.0f} s on {run.device}{speed}; "
        f"best after {run.best_step:,}: {reached}; ended by {run.stopped}",
        file=sys.stderr,
    )
    return run


def write_report(run: TrainRun, folder: Path, name: str, facts: Mapping[str, Any], *, about: str = "") -> None:
    """Write card.md, and curves.png where matplotlib is installed, into a run's folder."""
    from epochal_lab.models.training.journal import draw_curves
    from epochal_lab.models.training.trainer import format_model_card

    try:
        (folder / "card.md").write_text(format_model_card(name, run, facts, about=about), encoding="utf-8")
    except OSError as error:
        raise EpochalError(f"cannot write {folder / 'card.md'}: {error.strerror}") from error
    log = folder / "log.jsonl"
    if find_spec("matplotlib") is None:
        print("epochal: the learning curves are not drawn, for want of the package matplotlib", file=sys.stderr)
    elif log.exists():
        draw_curves(log, folder / "curves.png", title=name)
