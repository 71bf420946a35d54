"""Learning curves of a run, drawn from its log by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, MissingExtraError
from epochal.models.training.checkpoint import whole_file
from epochal.models.training.journal import Row, read_journal

__all__ = ["draw_curves", "series"]

_INK, _MARK = "#333333", "#1b6ca8"
_HEIGHT: Final = 2.2


def series(rows: Sequence[Row], kind: str) -> dict[str, list[tuple[int, float]]]:
    """The points of each "losses" or "metrics" of a log, by name: steps and values."""
    found: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        for name, value in row.get(kind, {}).items():
            if value is not None:
                found.setdefault(name, []).append((row["step"], value))
    return found


def draw_curves(log: Path, out: Path, title: str = "") -> None:
    """Draw the losses, the metrics and the rate of a log over its steps, as PNG; a line marks the best evaluation."""
    rows = read_journal(log)
    if not rows:
        raise EpochalError(f"{log} has no lines; there is nothing to draw")
    panels = [(f"{name} (training)", points) for name, points in series(rows, "losses").items()]
    panels += list(series(rows, "metrics").items())
    panels.append(("rate", [(row["step"], row["rate"]) for row in rows]))
    best = [row["step"] for row in rows if row.get("best")]
    figure = _figure(len(panels))
    for place, (name, points) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, place + 1)
        # A single point has no line to be seen by.
        axes.plot(*zip(*points, strict=True), color=_MARK, linewidth=1.4, marker="o" if len(points) < 20 else None)
        if best:
            axes.axvline(best[-1], color=_INK, linewidth=0.8, linestyle=":")
        axes.set_ylabel(name, color=_INK, fontsize=9)
        axes.margins(x=0.02)
        axes.grid(alpha=0.25)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.axes[-1].set_xlabel("steps" if not best else f"steps (dotted: the best, {best[-1]:,})", color=_INK)
    if title:
        figure.suptitle(title, fontsize=10)
    with whole_file(out) as part:
        figure.savefig(part, format="png", dpi=110)


def _figure(panels: int) -> Any:
    try:
        # A figure of its own, not pyplot's: nothing is kept after the call, and no display is asked for.
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise MissingExtraError("drawing learning curves", "matplotlib", "bench") from None
    return Figure(figsize=(7, _HEIGHT * panels), layout="constrained")
