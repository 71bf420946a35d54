"""Plots of results as SVG, by matplotlib: coverage against quality, quality against latency, quality by class."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any, Final

from epochal.bench.report.tables import Table
from epochal.bench.running.results import Result
from epochal.errors import MissingExtraError

__all__ = ["class_heat_map", "coverage_plot", "latency_plot"]

_SIZE: Final = (6.4, 4.2)
_INK, _MARK, _PAPER = "#333333", "#1b6ca8", "#b0b0b0"


def coverage_plot(results: Sequence[Result], quality: str = "nDCG@10", coverage: str = "TC@10") -> str | None:
    """Systems of one set by how much of the asked periods they cover and how well they rank; None with fewer than two.

    >>> coverage_plot([]) is None
    True
    """
    points = [
        (result.task.system, x, y)
        for result in results
        if (x := result.mean(coverage)) is not None and (y := result.mean(quality)) is not None
    ]
    return _scatter(points, coverage, quality) if len(points) > 1 else None


def latency_plot(results: Sequence[Result], quality: str = "nDCG@10") -> str | None:
    """Systems of one set by how long an answer takes, on a logarithmic scale, and how good it is.

    >>> latency_plot([]) is None
    True
    """
    points = [
        (result.task.system, result.latency_ms["p50"], y)
        for result in results
        if "p50" in result.latency_ms and (y := result.mean(quality)) is not None
    ]
    return _scatter(points, "ms a question (median)", quality, logarithmic=True) if len(points) > 1 else None


def class_heat_map(table: Table) -> str | None:
    """A table of systems by class as a map of colours; None where there is nothing to compare.

    >>> class_heat_map(Table("empty", (), ())) is None
    True
    """
    lines = [line for line in table.lines if not line.source]
    if not lines or len(table.columns) < 2:
        return None
    pyplot = _pyplot()
    width = max(_SIZE[0], 0.7 * len(table.columns) + 2)
    figure, axes = pyplot.subplots(figsize=(width, 0.45 * len(lines) + 1.6), layout="constrained")
    cells = [
        [float("nan") if (value := line.values.get(name)) is None else value for name in table.columns]
        for line in lines
    ]
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(table.columns)), table.columns, rotation=40, ha="right")
    axes.set_yticks(range(len(lines)), [line.system for line in lines])
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            if not math.isnan(value):
                axes.text(
                    column,
                    row,
                    f"{value:.2f}".removeprefix("0"),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if value > 0.6 else _INK,
                )
    axes.set_title(table.title, fontsize=10)
    return _svg(pyplot, figure)


def _scatter(points: Sequence[tuple[str, float, float]], x: str, y: str, *, logarithmic: bool = False) -> str:
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=_SIZE, layout="constrained")
    for name, across, up in points:
        axes.plot(across, up, "o", color=_MARK if name.startswith("epochal") else _PAPER)
        axes.annotate(name, (across, up), textcoords="offset points", xytext=(5, 4), fontsize=8, color=_INK)
    if logarithmic:
        axes.set_xscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.margins(0.12)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return _svg(pyplot, figure)


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise MissingExtraError("a report with plots", "matplotlib", "bench") from None
    mpl.use("Agg")
    # Ids that rest on chance would make every report differ.
    mpl.rcParams["svg.hashsalt"] = "epochal"
    from matplotlib import pyplot

    return pyplot


def _svg(pyplot: Any, figure: Any) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]
