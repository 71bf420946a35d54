"""The report as one HTML file: tables and plots, nothing fetched from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from epochal.bench.report.markdown import figure
from epochal.bench.report.page import report_tables
from epochal.bench.report.plots import class_heat_map, coverage_plot, latency_plot
from epochal.bench.report.tables import Line, Table, breakdown_tables
from epochal.bench.running.results import Result

__all__ = ["html_page"]

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
    """The report. `plots` need matplotlib; without them it is tables alone.

    >>> from epochal.bench.running.results import Value
    >>> from epochal.bench.running.tasks import Task
    >>> page = html_page([Result(Task("a<b", "bm25"), 9, 4, {"nDCG@10": Value(0.75, 4)})], plots=False)
    >>> "<h3>a&lt;b, test</h3>" in page, "http" in page
    (True, False)
    """
    parts = []
    for name, tables in report_tables(results).items():
        parts.append(f"<h2>{escape(name)}</h2>")
        parts += [_table(table) for table in tables]
        if plots:
            parts += _plots([result for result in results if _family(result) == name])
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _family(result: Result) -> str:
    return result.task.set.partition("(")[0].partition("/")[0]


def _plots(results: Sequence[Result]) -> list[str]:
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        task = result.task
        groups.setdefault((task.set, task.split, task.variant, task.protocol), []).append(result)
    drawn = []
    for key, group in groups.items():
        title = ", ".join(part for part in key if part and part != "baseline")
        drawn += [(title, plot) for plot in (coverage_plot(group), latency_plot(group)) if plot is not None]
    maps = [class_heat_map(table) for table in breakdown_tables(results, "kind", "nDCG@10")]
    drawn += [("", plot) for plot in maps if plot is not None]
    return [f"<figure>{plot}<figcaption>{escape(title)}</figcaption></figure>" for title, plot in drawn]


def _table(table: Table) -> str:
    head = "".join(f"<th scope=col>{escape(column)}</th>" for column in ("system", *table.columns))
    rows = "\n".join(_row(table, line) for line in table.lines)
    note = f'<p class="note">{escape("; ".join(table.notes))}</p>' if table.notes else ""
    return (
        f"<h3>{escape(table.title)}</h3>\n"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>\n{note}'
    )


def _row(table: Table, line: Line) -> str:
    cells = []
    for column in table.columns:
        value = line.values.get(column)
        text = "" if value is None else figure(value)
        if text and not line.source and value == table.best(column):
            text = f"<strong>{text}</strong>"
        cells.append(f"<td>{text}</td>")
    told = "; ".join(part for part in (line.source, line.note) if part)
    name = escape(line.system) + (f" ({escape(told)})" if told else "")
    return f"<tr{' class=paper' if line.source else ''}><td>{name}</td>{''.join(cells)}</tr>"
