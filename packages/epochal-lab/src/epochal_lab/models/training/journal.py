"""The log of a run, one JSON object per line so that it can be read while the run continues, and learning curves."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError, MissingExtraError, StorageError
from epochal_lab.models.training.checkpoint import replace_whole_file

#: A line: step, epoch, rate, losses, seconds and tokens; metrics and best for an evaluation.
LogRow = dict[str, Any]

_INK, _MARK = "#333333", "#1b6ca8"
_HEIGHT: Final = 2.2


class Journal:
    """The lines of a log, in `rows` and, where a path is given, in a file.

    A new journal truncates the file to its first `keep` lines: those that a resumed run had when it was saved. Values
    that JSON cannot represent (nan, inf) are written as null.
    """

    def __init__(self, path: Path | None, keep: int = 0) -> None:
        self.path = path
        self.rows: list[LogRow] = []
        if path is None:
            return
        if keep and path.exists():
            self.rows = read_journal(path)[:keep]
        with replace_whole_file(path) as part:
            part.write_text("".join(map(_format_line, self.rows)), encoding="utf-8")

    def write(self, row: LogRow) -> None:
        """Append a line."""
        record: LogRow = _replace_nonfinite(row)
        self.rows.append(record)
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_format_line(record))
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from error


def read_journal(path: Path) -> list[LogRow]:
    """Read the lines of a log. An incomplete last line, as a killed run leaves it, is skipped."""
    rows: list[LogRow] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            if number == len(lines) and not line.endswith("\n"):
                break
            raise InputError(str(path), number, f"is no JSON: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("step"), int):
            raise InputError(str(path), number, "is no line of a log of training; accepted: an object with a step")
        rows.append(row)
    return rows


def _format_line(row: LogRow) -> str:
    return f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n"


def _replace_nonfinite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_nonfinite(inside) for name, inside in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def collect_series(rows: Sequence[LogRow], kind: str) -> dict[str, list[tuple[int, float]]]:
    """Collect the points (step, value) of all "losses" or "metrics" of a log, by name."""
    points: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        for name, value in row.get(kind, {}).items():
            if value is not None:
                points.setdefault(name, []).append((row["step"], value))
    return points


def draw_curves(log: Path, out: Path, title: str = "") -> None:
    """Draw the losses, the metrics and the learning rate of a log as PNG; a dotted line marks the best evaluation."""
    rows = read_journal(log)
    if not rows:
        raise EpochalError(f"{log} has no lines; there is nothing to draw")
    panels = [(f"{name} (training)", points) for name, points in collect_series(rows, "losses").items()]
    panels += list(collect_series(rows, "metrics").items())
    panels.append(("rate", [(row["step"], row["rate"]) for row in rows]))
    best = [row["step"] for row in rows if row.get("best")]
    figure = _build_figure(len(panels))
    for index, (name, points) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, index + 1)
        # A single point would be invisible without a marker.
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
    with replace_whole_file(out) as part:
        figure.savefig(part, format="png", dpi=110)


def _build_figure(panels: int) -> Any:
    try:
        # Not a pyplot figure: no global state, no display.
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise MissingExtraError("drawing learning curves", "matplotlib", "bench") from None
    return Figure(figsize=(7, _HEIGHT * panels), layout="constrained")
