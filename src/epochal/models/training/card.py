"""Model cards: what a model is, what it was trained on and how, and what it reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from epochal.models.training.trainer import TrainRun

__all__ = ["model_card"]


def model_card(name: str, run: TrainRun, facts: Mapping[str, Any], *, about: str = "") -> str:
    """A model card as Markdown. `facts` are what else is known, by heading: a text, or a mapping, shown as a table.

    >>> from epochal.models.training.settings import TrainSettings
    >>> run = TrainRun(TrainSettings(), 40, 2, 20, {"hit@1": 0.5}, (), 3.5, None, None, "cpu", "2.4.0", "epochs")
    >>> card = model_card("ctd", run, {"Data": "1,203 questions", "Licence": {"weights": "CC BY 4.0"}})
    >>> print(card[: card.index("## Training")])
    # ctd
    <BLANKLINE>
    ## Data
    <BLANKLINE>
    1,203 questions
    <BLANKLINE>
    ## Licence
    <BLANKLINE>
    | | |
    |---|---|
    | weights | CC BY 4.0 |
    <BLANKLINE>
    ## Results
    <BLANKLINE>
    Of the best evaluation, after 20 of 40 steps:
    <BLANKLINE>
    | | |
    |---|---|
    | hit@1 | 0.5000 |
    <BLANKLINE>
    <BLANKLINE>
    """
    parts = [f"# {name}", about]
    for heading, told in facts.items():
        parts += [f"## {heading}", _table(told) if isinstance(told, Mapping) else str(told)]
    parts += ["## Results", f"Of the best evaluation, after {run.best_step:,} of {run.steps:,} steps:"]
    parts += [_table({key: f"{value:.4f}" for key, value in run.best.items()})]
    parts += ["## Training", _training(run), "### Settings"]
    parts += [_table({field.name: getattr(run.settings, field.name) for field in fields(run.settings)})]
    return "\n\n".join(part for part in parts if part) + "\n"


def _training(run: TrainRun) -> str:
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
    return _table(told)


def _table(rows: Mapping[str, Any]) -> str:
    shown = (f"| {_cell(name)} | {_cell(value)} |" for name, value in rows.items())
    return "\n".join(["| | |", "|---|---|", *shown])


def _cell(value: Any) -> str:
    text = "none" if value is None else str(value)
    return " ".join(text.replace("|", "\\|").split())
