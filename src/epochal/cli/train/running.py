"""What the models that torch trains share on the command line: their options, their bar, and the files of a run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from epochal.errors import EpochalError, MissingExtraError
from epochal.models.training.settings import PRECISIONS, TrainSettings

if TYPE_CHECKING:
    from epochal.models.training.task import Task
    from epochal.models.training.trainer import TrainRun

__all__ = ["add_options", "changed", "need_torch", "settings_of", "train_shown", "write_report"]

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
    """Add the options of the trainer; what is left out is as the model's `defaults` say.

    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser, TrainSettings(epochs=3))
    >>> settings_of(parser.parse_args(["--rate", "0.001"]), TrainSettings(epochs=3)).epochs
    3
    """
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


def settings_of(arguments: argparse.Namespace, defaults: TrainSettings) -> TrainSettings:
    """The model's settings with what was given on the command line.

    >>> given = argparse.Namespace(epochs=None, batch_size=8, rate=None, seed=None, device=None, precision=None,
    ...                            max_steps=None, max_seconds=None, evaluate_every=None, resume=False)
    >>> settings_of(given, TrainSettings()).batch_size
    8
    """
    given = {name: getattr(arguments, name) for name in _SETTINGS if getattr(arguments, name) is not None}
    return replace(defaults, **given)


def changed(settings: Settings, changes: Sequence[str]) -> Settings:
    """A model's settings with what was given as NAME=JSON; what is no JSON is a text.

    >>> changed(TrainSettings(), ["epochs=3", "schedule=cosine"]).schedule
    'cosine'
    """
    known = [field.name for field in fields(cast("Any", settings))]
    given: dict[str, Any] = {}
    for change in changes:
        name, sign, value = change.partition("=")
        if not sign or name not in known:
            raise EpochalError(f"--set is {change!r}; accepted: NAME=JSON with one of {', '.join(sorted(known))}")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    made: Settings = replace(cast("Any", settings), **given)
    return made


def need_torch(what: str) -> None:
    """Complain, before anything is read, where the packages of the extra `train` are missing.

    >>> need_torch("training ctd")
    """
    for package in ("torch", "transformers", "safetensors"):
        if find_spec(package) is None:
            raise MissingExtraError(what, package, "train")


def train_shown(task: Task, settings: TrainSettings, folder: Path, *, resume: bool, label: str) -> TrainRun:
    """Train with a bar on stderr, and say there in a line what came of it.

    >>> import tempfile, torch
    >>> class Line:
    ...     model = torch.nn.Linear(1, 1)
    ...     def steps_per_epoch(self, settings):
    ...         return 2
    ...     def batches(self, epoch, settings):
    ...         return iter([torch.ones(1, 1)] * 2)
    ...     def loss(self, batch):
    ...         return {"loss": self.model(batch).square().mean()}
    ...     def evaluate(self):
    ...         return {}
    >>> settings = TrainSettings(epochs=1, device="cpu")
    >>> train_shown(Line(), settings, Path(tempfile.mkdtemp()), resume=False, label="line").steps
    2
    """
    from epochal.cli.progress import progress_bar
    from epochal.models.training.schedule import total_steps
    from epochal.models.training.trainer import train

    with progress_bar(label, total_steps(settings, task.steps_per_epoch(settings))) as tell:
        run = train(
            task,
            settings,
            folder,
            resume=resume,
            progress=lambda done, total, note: tell(done, f"{note}, {done:,}/{total:,}"),
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
    """Write card.md, and curves.png where matplotlib is installed, into a run's folder.

    >>> import tempfile
    >>> from epochal.models.training.trainer import TrainRun
    >>> run = TrainRun(TrainSettings(), 4, 2, 2, {"hit@1": 0.5}, (), 3.5, None, None, "cpu", "2.4.0", "epochs")
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_report(run, folder, "ctd", {"Data": "1,203 questions"})
    >>> sorted(path.name for path in folder.iterdir())
    ['card.md']
    """
    from epochal.models.training.card import model_card
    from epochal.models.training.curves import draw_curves

    try:
        (folder / "card.md").write_text(model_card(name, run, facts, about=about), encoding="utf-8")
    except OSError as error:
        raise EpochalError(f"cannot write {folder / 'card.md'}: {error.strerror}") from error
    log = folder / "log.jsonl"
    if find_spec("matplotlib") is None:
        print("epochal: the learning curves are not drawn, for want of the package matplotlib", file=sys.stderr)
    elif log.exists():
        draw_curves(log, folder / "curves.png", title=name)
