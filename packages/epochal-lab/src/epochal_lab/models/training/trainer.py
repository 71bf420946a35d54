"""`train`: the loop that turns a task and settings into a trained model, and can be broken off and resumed.

Model cards: what a model is, what it was trained on and how, and what it reached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from epochal.errors import EpochalError, StorageError
from epochal.times.span import stopwatch
from epochal_lab.models.training.checkpoint import (
    RandomState,
    RunPosition,
    SavedRun,
    describe_best,
    fill_model,
    load_run,
    save_run,
    save_tensors,
    seed_all,
    write_json,
)
from epochal_lab.models.training.device import (
    LossMeter,
    autocast,
    build_scaler,
    get_device_name,
    move_batch,
    select_device,
)
from epochal_lab.models.training.journal import Journal, LogRow
from epochal_lab.models.training.settings import TrainSettings, compute_rate_factor, count_steps
from epochal_lab.models.training.task import TrainTask, build_optimiser, count_tokens

__all__ = ["TrainProgress", "TrainRun", "format_model_card", "train"]


#: Told how many steps are done, of how many, and a note of where the run stands.
TrainProgress = Callable[[int, int, str], None]

_LOG: Final = "log.jsonl"
_RUN: Final = "run.json"
_BEST: Final = "best"
_LAST: Final = "last"


@dataclass(frozen=True, slots=True)
class TrainRun:
    """What came of training. `stopped` is why it ended: "epochs", "patience", "steps" or "time".

    `best` are the metrics of the best evaluation, after `best_step` steps; `history` holds the lines of the log.
    `epochs` counts those that were finished, and `tokens_per_second` leaves out the time of evaluations.

    >>> run = TrainRun(TrainSettings(), 40, 2, 20, {"loss": 0.5}, (), 3.5, None, None, "cpu", "2.4.0", "epochs")
    >>> run.to_dict()["best_step"]
    20
    """

    settings: TrainSettings
    steps: int
    epochs: int
    best_step: int
    best: dict[str, float]
    history: tuple[LogRow, ...]
    seconds: float
    tokens_per_second: float | None
    peak_memory_bytes: int | None
    device: str
    torch: str
    stopped: str

    def to_dict(self) -> dict[str, Any]:
        """The run as JSON can hold it, without its history, which is in the log.

        >>> run = TrainRun(TrainSettings(), 1, 1, 1, {}, (), 3.5, None, None, "cpu", "2.4.0", "epochs")
        >>> "history" in run.to_dict()
        False
        """
        return {name: value for name, value in asdict(self).items() if name != "history"}


def train(
    task: TrainTask,
    settings: TrainSettings,
    folder: Path | None,
    *,
    progress: TrainProgress | None = None,
    resume: bool = False,
) -> TrainRun:
    """Train a task's model. At the end it has the best parameters of all evaluations, by `settings.metric`.

    The metric "loss" is the task's own where it measures one, and the mean loss of training since the last evaluation
    where it does not. The folder gets log.jsonl, best/ (the parameters), last/ (what resuming needs) and run.json.
    With `resume` a run goes on from what its folder holds, with the same parameters as if it had not been broken off,
    or begins where there is nothing yet. A run that its time limit ends is measured there, as one more evaluation.

    >>> import torch
    >>> class Line:
    ...     def __init__(self):
    ...         self.model = torch.nn.Linear(1, 1, bias=False)
    ...         torch.nn.init.zeros_(self.model.weight)
    ...     def steps_per_epoch(self, settings):
    ...         return 8
    ...     def batches(self, epoch, settings):
    ...         return (torch.tensor([[float(x)]]) for x in range(8))
    ...     def loss(self, batch):
    ...         return {"loss": (self.model(batch) - 2 * batch).square().mean()}
    ...     def evaluate(self):
    ...         return {"slope off": abs(float(self.model.weight) - 2)}
    >>> run = train(Line(), TrainSettings(rate=0.1, epochs=40, metric="slope off", device="cpu"), None)
    >>> run.stopped, run.steps, run.best["slope off"] < 0.1
    ('epochs', 320, True)
    """
    return _Training(task, settings, folder, progress).run(resume)


class _Training:
    """One run: what it works with, where it stands, and the steps it takes."""

    def __init__(
        self, task: TrainTask, settings: TrainSettings, folder: Path | None, progress: TrainProgress | None
    ) -> None:
        self.task = task
        self.settings = settings
        self.folder = folder
        self.progress = progress
        self.device = select_device(settings.device)
        self.model = task.model.to(self.device)
        self.optimiser = build_optimiser(task, settings, self.device)
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        self.scaler = build_scaler(settings.precision, self.device)
        self.batches_per_epoch = task.steps_per_epoch(settings)
        if self.batches_per_epoch < 1:
            raise EpochalError(f"the task has {self.batches_per_epoch} batches an epoch; there is nothing to train on")
        self.total = count_steps(settings, self.batches_per_epoch)
        self.at = RunPosition()
        self.best: dict[str, Tensor] = {}
        self.journal = Journal(None)
        self.logged = LossMeter()  # since the last line of the log
        self.window = LossMeter()  # since the last evaluation
        self.random: RandomState | None = None  # to be put back once the batches of a broken epoch are passed over
        self.begun = 0.0  # on the stopwatch
        self.before = 0.0  # seconds that the run had taken when it was resumed

    # --- the run

    def run(self, resume: bool) -> TrainRun:
        seed_all(self.settings.seed)
        self._open(resume)
        self.before, self.begun = self.at.seconds, stopwatch()
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        if self.at.stopped in ("", "time"):
            self.at.stopped = self._loop()
            self._evaluate_once()
            self._count_time()
            self._save()
        self.model.load_state_dict(self.best)
        self.model.eval()
        found = self._result()
        if self.folder is not None:
            write_json(self.folder / _RUN, found.to_dict())
        return found

    def _loop(self) -> str:
        """Go on until there is a reason to stop, and give it."""
        self.model.train()
        while self.at.epoch < self.settings.epochs:
            for batches in self._grouped_batches():
                self._step(batches)
                self._count_time()
                self._after_step()
                if reason := self._reason_to_stop():
                    return reason
            self.at.epoch, self.at.batch = self.at.epoch + 1, 0
            if self.settings.evaluate_every is None:
                self._evaluate_once()
                self._save()
                if self._out_of_patience():
                    return "patience"
        return "epochs"

    def _grouped_batches(self) -> Iterator[list[Any]]:
        """What is left of the present epoch, as many batches at a time as make a step."""
        batches = iter(self.task.batches(self.at.epoch, self.settings))
        if self.at.batch:
            skipped = sum(1 for _ in islice(batches, self.at.batch))
            if skipped < self.at.batch:
                self._complain_of_count(skipped)
        if self.random is not None:
            self.random.put_back()
            self.random = None
        while group := list(islice(batches, self.settings.accumulate)):
            self.at.batch += len(group)
            if self.at.batch > self.batches_per_epoch * 1.1 + 1:
                self._complain_of_count(self.at.batch)
            yield group
        if self.at.batch < self.batches_per_epoch * 0.9 - 1:
            self._complain_of_count(self.at.batch)

    def _complain_of_count(self, count: int) -> None:
        raise EpochalError(
            f"epoch {self.at.epoch} gave {count} batches where steps_per_epoch said {self.batches_per_epoch}; "
            f"it must count batches, not steps of the optimiser, and may be wrong by a tenth"
        )

    # --- one step

    def _step(self, batches: list[Any]) -> None:
        """One step of the optimiser, on the mean of the losses of some batches."""
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * compute_rate_factor(self.at.step, self.total, self.settings)
        step = self.at.step + 1
        for batch in batches:
            self.at.tokens += count_tokens(batch) or 0
            with autocast(self.settings.precision, self.device):
                losses = self.task.loss(move_batch(batch, self.device))
            if "loss" not in losses:
                raise EpochalError(f"the task gave the losses {', '.join(losses) or 'none'}; one must be called loss")
            self.logged.add(losses, step)
            self.scaler.scale(losses["loss"] / len(batches)).backward()
        if self.settings.clip is not None:
            self.scaler.unscale_(self.optimiser)
            trained = [parameter for group in self.optimiser.param_groups for parameter in group["params"]]
            torch.nn.utils.clip_grad_norm_(trained, self.settings.clip)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.optimiser.zero_grad(set_to_none=True)
        self.at.step = step

    def _after_step(self) -> None:
        """What is due after a step: telling, evaluating, saving."""
        settings, step = self.settings, self.at.step
        evaluated = settings.evaluate_every is not None and step % settings.evaluate_every == 0
        if evaluated:
            self._evaluate()
        elif step % settings.log_every == 0:
            self._log(self.logged.means())
            self.logged.pour(self.window)
        if evaluated or (settings.save_every is not None and step % settings.save_every == 0):
            self._save()
        if self.progress is not None:
            self.progress(step, self.total, f"epoch {self.at.epoch + 1}, loss {self.logged.latest}")

    def _count_time(self) -> None:
        self.at.seconds = self.before + stopwatch() - self.begun

    def _reason_to_stop(self) -> str:
        settings = self.settings
        if self._out_of_patience():
            return "patience"
        if settings.max_steps is not None and self.at.step >= settings.max_steps:
            return "steps"
        if settings.max_seconds is not None and stopwatch() - self.begun >= settings.max_seconds:
            return "time"
        return ""

    def _out_of_patience(self) -> bool:
        return self.settings.patience is not None and self.at.waited >= self.settings.patience

    # --- measuring

    def _evaluate_once(self) -> None:
        if self.at.evaluated_at != self.at.step:
            self._evaluate()

    def _evaluate(self) -> None:
        """Measure, remember the parameters if they are the best so far, and write a line of the log."""
        self.logged.pour(self.window)
        losses = self.window.means()
        self.window.clear()
        watch = stopwatch()
        random = RandomState.current()
        self.model.eval()
        with torch.no_grad():
            metrics = {name: float(value) for name, value in self.task.evaluate().items()}
        self.model.train()
        random.put_back()  # so that how often one measures does not change what is learnt
        self.at.idle += stopwatch() - watch
        value = self._deciding(metrics, losses)
        at = self.at
        at.evaluated_at = at.step
        # The step that was the best already comes again where a run was broken off between best/ and last/.
        if at.best_step in (None, at.step) or self._is_gain(value):
            at.best_step, at.waited = at.step, 0
            at.best_value = value
            at.best = {name: number for name, number in metrics.items() if math.isfinite(number)} or {"loss": value}
            self.best = {name: tensor.detach().cpu().clone() for name, tensor in self.model.state_dict().items()}
            if self.folder is not None:
                save_tensors(self.folder / _BEST / "model.safetensors", self.best, describe_best(at))
        else:
            at.waited += 1
        self._log(losses, metrics)

    def _deciding(self, metrics: dict[str, float], losses: dict[str, float]) -> float:
        name = self.settings.metric
        if name not in metrics and name != "loss":
            raise EpochalError(f"the task measures no {name!r}, which is to decide; it measures: {', '.join(metrics)}")
        value = metrics[name] if name in metrics else losses["loss"]
        if not math.isfinite(value):
            raise EpochalError(f"after step {self.at.step} {name!r} is {value}, which cannot decide what is best")
        return value

    def _is_gain(self, value: float) -> bool:
        best = self.at.best_value
        return value < best if self.settings.lower_is_better else value > best

    def _log(self, losses: dict[str, float], metrics: dict[str, float] | None = None) -> None:
        """A line of the log; one of an evaluation tells the losses since the last evaluation."""
        row: LogRow = {
            "step": self.at.step,
            "epoch": round((self.at.epoch * self.batches_per_epoch + self.at.batch) / self.batches_per_epoch, 4),
            "rate": self.rates[0] * compute_rate_factor(self.at.step - 1, self.total, self.settings),
            "losses": losses,
            "seconds": round(self.at.seconds, 3),
            "tokens": self.at.tokens or None,
        }
        if metrics is not None:
            row["metrics"] = metrics
            row["best"] = self.at.best_step == self.at.step
        self.journal.write(row)

    # --- keeping

    def _open(self, resume: bool) -> None:
        if self.folder is None:
            if resume:
                raise EpochalError("a run without a folder cannot be resumed; name the folder it was saved to")
            return
        log = self.folder / _LOG
        saved = load_run(self.folder / _LAST, self.folder / _BEST, self.settings) if resume else None
        if saved is not None:
            self._restore(saved, self.folder / _LAST)
            self.journal = Journal(log, keep=self.at.rows)
        elif not resume and (self.folder / _LAST).exists():
            raise StorageError(f"{self.folder} holds a run already; resume it, or name another folder")
        else:
            self.journal = Journal(log, keep=0)

    def _restore(self, saved: SavedRun, source: Path) -> None:
        fill_model(self.model, saved.model, source)
        saved.fill_optimiser(self.optimiser, source)
        self.scaler.load_state_dict(saved.scaler)
        self.logged.load(saved.meters["logged"])
        self.window.load(saved.meters["window"])
        self.at, self.best, self.random = saved.position, saved.best, saved.random

    def _save(self) -> None:
        if self.folder is None:
            return
        self.at.rows = len(self.journal.rows)
        save_run(
            self.folder / _LAST,
            self.settings,
            self.at,
            self.model,
            self.optimiser,
            self.scaler.state_dict(),
            {"logged": self.logged.dump(), "window": self.window.dump()},
            RandomState.current(),
        )

    def _result(self) -> TrainRun:
        at = self.at
        busy = at.seconds - at.idle
        return TrainRun(
            settings=self.settings,
            steps=at.step,
            epochs=at.epoch + (at.batch >= self.batches_per_epoch),
            best_step=at.best_step or 0,
            best=dict(at.best),
            history=tuple(self.journal.rows),
            seconds=at.seconds,
            tokens_per_second=at.tokens / busy if at.tokens and busy > 0 else None,
            peak_memory_bytes=torch.cuda.max_memory_allocated(self.device) if self.device.type == "cuda" else None,
            device=get_device_name(self.device),
            torch=str(torch.__version__),
            stopped=at.stopped,
        )


def format_model_card(name: str, run: TrainRun, facts: Mapping[str, Any], *, about: str = "") -> str:
    """A model card as Markdown. `facts` are what else is known, by heading: a text, or a mapping, shown as a table."""
    parts = [f"# {name}", about]
    for heading, told in facts.items():
        parts += [f"## {heading}", _format_table(told) if isinstance(told, Mapping) else str(told)]
    parts += ["## Results", f"Of the best evaluation, after {run.best_step:,} of {run.steps:,} steps:"]
    parts += [_format_table({key: f"{value:.4f}" for key, value in run.best.items()})]
    parts += ["## Training", _format_training(run), "### Settings"]
    parts += [_format_table({field.name: getattr(run.settings, field.name) for field in fields(run.settings)})]
    return "\n\n".join(part for part in parts if part) + "\n"


def _format_training(run: TrainRun) -> str:
    why = {
        "epochs": "all epochs were done",
        "patience": "evaluations brought no more gain",
        "steps": "its limit of steps was reached",
        "time": "its limit of time was reached",
    }
    told: dict[str, Any] = {
        "steps": f"{run.steps:,}, in {run.epochs:,} whole epochs",
        "ended because": why[run.stopped],
        "time": f"{run.seconds:,.0f} s",
        "device": run.device,
        "torch": run.torch,
    }
    if run.tokens_per_second is not None:
        told["tokens a second"] = f"{run.tokens_per_second:,.0f}"
    if run.peak_memory_bytes is not None:
        told["memory of the GPU at most"] = f"{run.peak_memory_bytes / 2**30:.2f} GiB"
    return _format_table(told)


def _format_table(rows: Mapping[str, Any]) -> str:
    shown = (f"| {_format_cell(name)} | {_format_cell(value)} |" for name, value in rows.items())
    return "\n".join(["| | |", "|---|---|", *shown])


def _format_cell(value: Any) -> str:
    text = "none" if value is None else str(value)
    return " ".join(text.replace("|", "\\|").split())
