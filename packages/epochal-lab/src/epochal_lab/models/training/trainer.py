"""`train`: the training loop, which can be interrupted and resumed exactly; and model cards of its runs."""

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

#: Called with the steps done, the total steps, and a note on the state of the run.
TrainProgress = Callable[[int, int, str], None]

_LOG: Final = "log.jsonl"
_RUN: Final = "run.json"
_BEST: Final = "best"
_LAST: Final = "last"


@dataclass(frozen=True, slots=True)
class TrainRun:
    """The result of training. `stopped` is why it ended: "epochs", "patience", "steps" or "time".

    `best` are the metrics of the best evaluation, after `best_step` steps; `history` holds the lines of the log.
    `epochs` counts completed epochs, and `tokens_per_second` excludes the time of evaluations.

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
    """Train a task's model, and leave the best parameters of all evaluations in it, by `settings.metric`.

    The metric "loss" is the task's own if it measures one, else the mean training loss since the last evaluation. The
    folder gets log.jsonl, best/ (the parameters), last/ (what resuming needs) and run.json. With `resume` a run
    continues from its folder, with exactly the parameters of an uninterrupted run, or starts if there is nothing yet.
    A run that its time limit ends is evaluated once more.

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
    """One run: its state, and its steps."""

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
        self.position = RunPosition()
        self.best: dict[str, Tensor] = {}
        self.journal = Journal(None)
        self.logged = LossMeter()  # since the last line of the log
        self.window = LossMeter()  # since the last evaluation
        self.random: RandomState | None = None  # restored once the batches of an interrupted epoch are skipped
        self.begun = 0.0  # on the stopwatch
        self.before = 0.0  # seconds before the run was resumed

    # --- the run

    def run(self, resume: bool) -> TrainRun:
        seed_all(self.settings.seed)
        self._open(resume)
        self.before, self.begun = self.position.seconds, stopwatch()
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        if self.position.stopped in ("", "time"):
            self.position.stopped = self._run_loop()
            self._evaluate_once()
            self._update_seconds()
            self._save()
        self.model.load_state_dict(self.best)
        self.model.eval()
        result = self._make_result()
        if self.folder is not None:
            write_json(self.folder / _RUN, result.to_dict())
        return result

    def _run_loop(self) -> str:
        """Train until there is a reason to stop, and return the reason."""
        self.model.train()
        while self.position.epoch < self.settings.epochs:
            for batches in self._iterate_groups():
                self._step(batches)
                self._update_seconds()
                self._finish_step()
                if reason := self._find_stop_reason():
                    return reason
            self.position.epoch, self.position.batch = self.position.epoch + 1, 0
            if self.settings.evaluate_every is None:
                self._evaluate_once()
                self._save()
                if self._is_out_of_patience():
                    return "patience"
        return "epochs"

    def _iterate_groups(self) -> Iterator[list[Any]]:
        """Yield the rest of the present epoch, in groups of batches that make an optimiser step."""
        batches = iter(self.task.batches(self.position.epoch, self.settings))
        if self.position.batch:
            skipped = sum(1 for _ in islice(batches, self.position.batch))
            if skipped < self.position.batch:
                self._raise_batch_count(skipped)
        if self.random is not None:
            self.random.restore()
            self.random = None
        while group := list(islice(batches, self.settings.accumulate)):
            self.position.batch += len(group)
            if self.position.batch > self.batches_per_epoch * 1.1 + 1:
                self._raise_batch_count(self.position.batch)
            yield group
        if self.position.batch < self.batches_per_epoch * 0.9 - 1:
            self._raise_batch_count(self.position.batch)

    def _raise_batch_count(self, count: int) -> None:
        raise EpochalError(
            f"epoch {self.position.epoch} gave {count} batches where steps_per_epoch gave {self.batches_per_epoch}; "
            f"it must count batches, not steps of the optimiser, and may be wrong by a tenth"
        )

    # --- one step

    def _step(self, batches: list[Any]) -> None:
        """Take one optimiser step on the mean loss of some batches."""
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * compute_rate_factor(self.position.step, self.total, self.settings)
        step = self.position.step + 1
        for batch in batches:
            self.position.tokens += count_tokens(batch) or 0
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
        self.position.step = step

    def _finish_step(self) -> None:
        """Log, evaluate and save when due."""
        settings, step = self.settings, self.position.step
        evaluated = settings.evaluate_every is not None and step % settings.evaluate_every == 0
        if evaluated:
            self._evaluate()
        elif step % settings.log_every == 0:
            self._log(self.logged.means())
            self.logged.drain_into(self.window)
        if evaluated or (settings.save_every is not None and step % settings.save_every == 0):
            self._save()
        if self.progress is not None:
            self.progress(step, self.total, f"epoch {self.position.epoch + 1}, loss {self.logged.latest}")

    def _update_seconds(self) -> None:
        self.position.seconds = self.before + stopwatch() - self.begun

    def _find_stop_reason(self) -> str:
        settings = self.settings
        if self._is_out_of_patience():
            return "patience"
        if settings.max_steps is not None and self.position.step >= settings.max_steps:
            return "steps"
        if settings.max_seconds is not None and stopwatch() - self.begun >= settings.max_seconds:
            return "time"
        return ""

    def _is_out_of_patience(self) -> bool:
        return self.settings.patience is not None and self.position.waited >= self.settings.patience

    # --- evaluation

    def _evaluate_once(self) -> None:
        if self.position.evaluated_at != self.position.step:
            self._evaluate()

    def _evaluate(self) -> None:
        """Evaluate, keep the parameters if they are the best so far, and write a line of the log."""
        self.logged.drain_into(self.window)
        losses = self.window.means()
        self.window.clear()
        watch = stopwatch()
        random = RandomState.capture()
        self.model.eval()
        with torch.no_grad():
            metrics = {name: float(value) for name, value in self.task.evaluate().items()}
        self.model.train()
        random.restore()  # so that the frequency of evaluations does not change training
        self.position.idle += stopwatch() - watch
        value = self._get_deciding_value(metrics, losses)
        position = self.position
        position.evaluated_at = position.step
        # A run that was interrupted between writing best/ and last/ reaches its best step again.
        if position.best_step in (None, position.step) or self._is_gain(value):
            position.best_step, position.waited = position.step, 0
            position.best_value = value
            position.best = {name: metric for name, metric in metrics.items() if math.isfinite(metric)} or {
                "loss": value
            }
            self.best = {name: tensor.detach().cpu().clone() for name, tensor in self.model.state_dict().items()}
            if self.folder is not None:
                save_tensors(self.folder / _BEST / "model.safetensors", self.best, describe_best(position))
        else:
            position.waited += 1
        self._log(losses, metrics)

    def _get_deciding_value(self, metrics: dict[str, float], losses: dict[str, float]) -> float:
        name = self.settings.metric
        if name not in metrics and name != "loss":
            raise EpochalError(f"the task measures no {name!r}, which is to decide; it measures: {', '.join(metrics)}")
        value = metrics[name] if name in metrics else losses["loss"]
        if not math.isfinite(value):
            raise EpochalError(f"after step {self.position.step} {name!r} is {value}, which cannot decide what is best")
        return value

    def _is_gain(self, value: float) -> bool:
        best = self.position.best_value
        return value < best if self.settings.lower_is_better else value > best

    def _log(self, losses: dict[str, float], metrics: dict[str, float] | None = None) -> None:
        """Write a line of the log; that of an evaluation has the mean losses since the last evaluation."""
        row: LogRow = {
            "step": self.position.step,
            "epoch": round(
                (self.position.epoch * self.batches_per_epoch + self.position.batch) / self.batches_per_epoch, 4
            ),
            "rate": self.rates[0] * compute_rate_factor(self.position.step - 1, self.total, self.settings),
            "losses": losses,
            "seconds": round(self.position.seconds, 3),
            "tokens": self.position.tokens or None,
        }
        if metrics is not None:
            row["metrics"] = metrics
            row["best"] = self.position.best_step == self.position.step
        self.journal.write(row)

    # --- saving

    def _open(self, resume: bool) -> None:
        if self.folder is None:
            if resume:
                raise EpochalError("a run without a folder cannot be resumed; name the folder it was saved to")
            return
        log = self.folder / _LOG
        saved = load_run(self.folder / _LAST, self.folder / _BEST, self.settings) if resume else None
        if saved is not None:
            self._restore(saved, self.folder / _LAST)
            self.journal = Journal(log, keep=self.position.rows)
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
        self.position, self.best, self.random = saved.position, saved.best, saved.random

    def _save(self) -> None:
        if self.folder is None:
            return
        self.position.rows = len(self.journal.rows)
        save_run(
            self.folder / _LAST,
            self.settings,
            self.position,
            self.model,
            self.optimiser,
            self.scaler.state_dict(),
            {"logged": self.logged.dump(), "window": self.window.dump()},
            RandomState.capture(),
        )

    def _make_result(self) -> TrainRun:
        position = self.position
        busy = position.seconds - position.idle
        return TrainRun(
            settings=self.settings,
            steps=position.step,
            epochs=position.epoch + (position.batch >= self.batches_per_epoch),
            best_step=position.best_step or 0,
            best=dict(position.best),
            history=tuple(self.journal.rows),
            seconds=position.seconds,
            tokens_per_second=position.tokens / busy if position.tokens and busy > 0 else None,
            peak_memory_bytes=torch.cuda.max_memory_allocated(self.device) if self.device.type == "cuda" else None,
            device=get_device_name(self.device),
            torch=str(torch.__version__),
            stopped=position.stopped,
        )


def format_model_card(name: str, run: TrainRun, facts: Mapping[str, Any], *, about: str = "") -> str:
    """Format a model card as Markdown. `facts` are further sections by heading: a text, or a mapping, formatted as a
    table.
    """
    parts = [f"# {name}", about]
    for heading, content in facts.items():
        parts += [f"## {heading}", _format_table(content) if isinstance(content, Mapping) else str(content)]
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
    rows: dict[str, Any] = {
        "steps": f"{run.steps:,}, in {run.epochs:,} whole epochs",
        "ended because": why[run.stopped],
        "time": f"{run.seconds:,.0f} s",
        "device": run.device,
        "torch": run.torch,
    }
    if run.tokens_per_second is not None:
        rows["tokens a second"] = f"{run.tokens_per_second:,.0f}"
    if run.peak_memory_bytes is not None:
        rows["memory of the GPU at most"] = f"{run.peak_memory_bytes / 2**30:.2f} GiB"
    return _format_table(rows)


def _format_table(rows: Mapping[str, Any]) -> str:
    lines = (f"| {_format_cell(name)} | {_format_cell(value)} |" for name, value in rows.items())
    return "\n".join(["| | |", "|---|---|", *lines])


def _format_cell(value: Any) -> str:
    text = "none" if value is None else str(value)
    return " ".join(text.replace("|", "\\|").split())
