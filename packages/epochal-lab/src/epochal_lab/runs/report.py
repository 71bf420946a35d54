"""Reports: the worst queries with timelines, plots as SVG, and one HTML file with all tables and plots."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import numpy as np

from epochal.errors import MissingExtraError
from epochal.ingest import read_times
from epochal.reading.questions.understand import understand
from epochal.storage.records import Document
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics.runs import Run, stated_times
from epochal_lab.runs.tables import Line, Table, breakdown_tables, format_figure, report_tables
from epochal_lab.runs.tasks import Result

_WIDTH: Final = 60
_FOUND: Final = 5
_SNIPPET: Final = 90
_LABEL: Final = 7


@dataclass(frozen=True, slots=True)
class ExampleDocument:
    """A document as an example shows it: how it begins, and the times that it is known to mention or appeared at."""

    id: str
    text: str
    times: tuple[Span, ...]
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class QuestionExample:
    """A question, what should have been found, and what was."""

    query: BenchQuery
    value: float
    missed: tuple[ExampleDocument, ...]
    found: tuple[ExampleDocument, ...]

    def format_markdown(self) -> str:
        """The example with its time line."""
        periods = ", ".join(span.describe() for span in self.query.periods)
        about = f"{self.query.id}: {self.value:.3f}{f'; asked for {periods}' if periods else ''}"
        head = f"**{_shorten(self.query.text)}** ({about})"
        rows = [("asked", "=", self.query.periods)] if self.query.periods else []
        rows += [("right", "*", item.times) for item in self.missed]
        rows += [(str(position), "#", item.times) for position, item in enumerate(self.found, 1)]
        chart = time_line(rows)
        lines = [head, "", *(f"    {line}" for line in chart), *([""] if chart else [])]
        lines += [f"- missed {_format_document(item)}" for item in self.missed]
        lines += [f"{position}. {_format_document(item)}" for position, item in enumerate(self.found, 1)]
        return "\n".join([*lines, ""])


def worst_examples(
    bench_set: BenchSet, run: Run, values: Mapping[str, float], count: int = 5, *, depth: int = _FOUND
) -> list[QuestionExample]:
    """The questions with the least values, with the relevant documents that are not among the first and the first
    ones.
    """
    queries = {query.id: query for query in bench_set.queries}
    known = [(value, id) for id, value in values.items() if id in queries and not math.isnan(value)]
    worst = [id for _, id in sorted(known)[:count]]
    firsts = {id: _list_top(run.get(id, {}), depth) for id in worst}
    right = {id: [name for name, score in bench_set.qrels.get(id, {}).items() if score > 0] for id in worst}
    needed = {name for id in worst for name in (*firsts[id], *right[id][:depth])}
    documents = {document.id: document for document in bench_set.documents if document.id in needed}
    examples = []
    for id in worst:
        relevant = set(right[id])
        missed = [name for name in right[id] if name not in firsts[id]][:depth]
        examples.append(
            QuestionExample(
                _add_periods(queries[id]),
                values[id],
                tuple(_build_example_document(documents[name], True) for name in missed if name in documents),
                tuple(
                    _build_example_document(documents[name], name in relevant)
                    for name in firsts[id]
                    if name in documents
                ),
            )
        )
    return examples


def time_line(rows: Sequence[tuple[str, str, Sequence[Span]]], width: int = _WIDTH) -> list[str]:
    """Rows of spans under one axis, each with a label and a sign; nothing where no span has an end to draw."""
    edges = [
        edge
        for _, _, spans in rows
        for span in spans
        for edge in (span.start, span.end)
        if edge not in (OPEN_START, OPEN_END)
    ]
    if not edges:
        return []
    low, high = min(edges), max(edges)
    size = max(high - low, 1)

    def place(edge: int) -> int:
        return int(np.clip(round((edge - low) / size * width), 0, width)) if size else 0

    first, last = (
        Span.at(low).edtf()[: _measure_year_width(low)],
        Span.at(high - 1).edtf()[: _measure_year_width(high - 1)],
    )
    lines = [f"{'':<{_LABEL}}{first}{' ' * max(1, width - len(first) - len(last))}{last}"]
    for label, sign, spans in rows:
        cells = [" "] * width
        for span in spans:
            start = 0 if span.start == OPEN_START else place(span.start)
            end = width if span.end == OPEN_END else place(span.end)
            for cell in range(min(start, width - 1), max(end, min(start, width - 1) + 1)):
                cells[cell] = sign
        lines.append(f"{label:<{_LABEL}}{''.join(cells)}".rstrip())
    return lines


def _measure_year_width(second: int) -> int:
    """How many characters of the EDTF of a second name its year."""
    text = Span.at(second).edtf()
    return text.index("-", 1)


def _list_top(scores: Mapping[str, float], count: int) -> list[str]:
    return sorted(scores, key=lambda name: -scores[name])[:count]


def _build_example_document(document: Document, relevant: bool) -> ExampleDocument:
    """Times that the set knows of go before those that are read."""
    published = (document.published,) if document.published is not None else ()
    stated = stated_times(document)
    read = () if stated else tuple(item.span for part in read_times(document) for item in part)
    return ExampleDocument(document.id, _shorten(document.text), (*(stated or read), *published), relevant)


def _add_periods(query: BenchQuery) -> BenchQuery:
    """The question with the periods that the set knows of, or those that are read in it."""
    return query if query.periods else replace(query, periods=tuple(understand(query.text, query.now).periods))


def _format_document(item: ExampleDocument) -> str:
    times = ", ".join(span.describe() for span in item.times[:3])
    mark = ", relevant" if item.is_relevant else ""
    return f"{item.id}: {item.text}{f' ({times}{mark})' if times else ''}"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SNIPPET else f"{line[:_SNIPPET]}..."


_SIZE: Final = (6.4, 4.2)
_INK, _MARK, _PAPER = "#333333", "#1b6ca8", "#b0b0b0"


def coverage_plot(results: Sequence[Result], quality: str = "nDCG@10", coverage: str = "TC@10") -> str | None:
    """Systems of one set by how much of the asked periods they cover and how well they rank; None with fewer than
    two.
    """
    points = [
        (result.task.system, x, y)
        for result in results
        if (x := result.mean(coverage)) is not None and (y := result.mean(quality)) is not None
    ]
    return _scatter(points, coverage, quality) if len(points) > 1 else None


def latency_plot(results: Sequence[Result], quality: str = "nDCG@10") -> str | None:
    """Systems of one set by how long an answer takes, on a logarithmic scale, and how good it is."""
    points = [
        (result.task.system, result.latency_ms["p50"], y)
        for result in results
        if "p50" in result.latency_ms and (y := result.mean(quality)) is not None
    ]
    return _scatter(points, "ms a question (median)", quality, logarithmic=True) if len(points) > 1 else None


def class_heat_map(table: Table) -> str | None:
    """A table of systems by class as a map of colours; None where there is nothing to compare."""
    lines = [line for line in table.lines if not line.source]
    if not lines or len(table.columns) < 2:
        return None
    pyplot = _import_pyplot()
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
    return _render_svg(pyplot, figure)


def _scatter(points: Sequence[tuple[str, float, float]], x: str, y: str, *, logarithmic: bool = False) -> str:
    pyplot = _import_pyplot()
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
    return _render_svg(pyplot, figure)


def _import_pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise MissingExtraError("a report with plots", "matplotlib", "bench") from None
    mpl.use("Agg")
    # Ids that rest on chance would make every report differ.
    mpl.rcParams["svg.hashsalt"] = "epochal"
    from matplotlib import pyplot

    return pyplot


def _render_svg(pyplot: Any, figure: Any) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #8884; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr.paper { font-style: italic; opacity: .75; }
.note { font-size: .85em; opacity: .8; }
figure { margin: 1rem 0; background: #fff; display: inline-block; max-width: 100%; overflow-x: auto; }
"""


def html_page(results: Sequence[Result], title: str = "Results", *, plots: bool = True) -> str:
    """The report. `plots` need matplotlib; without them it is tables alone."""
    parts = []
    for name, tables in report_tables(results).items():
        parts.append(f"<h2>{escape(name)}</h2>")
        parts += [_render_table(table) for table in tables]
        if plots:
            parts += _draw_plots([result for result in results if _get_family(result) == name])
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _get_family(result: Result) -> str:
    return result.task.set.partition("(")[0].partition("/")[0]


def _draw_plots(results: Sequence[Result]) -> list[str]:
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        task = result.task
        groups.setdefault((task.set, task.split, task.variant, task.protocol), []).append(result)
    plots = []
    for key, group in groups.items():
        title = ", ".join(part for part in key if part and part != "baseline")
        plots += [(title, plot) for plot in (coverage_plot(group), latency_plot(group)) if plot is not None]
    maps = [class_heat_map(table) for table in breakdown_tables(results, "kind", "nDCG@10")]
    plots += [("", plot) for plot in maps if plot is not None]
    return [f"<figure>{plot}<figcaption>{escape(title)}</figcaption></figure>" for title, plot in plots]


def _render_table(table: Table) -> str:
    head = "".join(f"<th scope=col>{escape(column)}</th>" for column in ("system", *table.columns))
    rows = "\n".join(_render_row(table, line) for line in table.lines)
    note = f'<p class="note">{escape("; ".join(table.notes))}</p>' if table.notes else ""
    return (
        f"<h3>{escape(table.title)}</h3>\n"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>\n{note}'
    )


def _render_row(table: Table, line: Line) -> str:
    cells = []
    for column in table.columns:
        value = line.values.get(column)
        text = "" if value is None else format_figure(value)
        if text and not line.source and value == table.best(column):
            text = f"<strong>{text}</strong>"
        cells.append(f"<td>{text}</td>")
    note = "; ".join(part for part in (line.source, line.note) if part)
    name = escape(line.system) + (f" ({escape(note)})" if note else "")
    return f"<tr{' class=paper' if line.source else ''}><td>{name}</td>{''.join(cells)}</tr>"
