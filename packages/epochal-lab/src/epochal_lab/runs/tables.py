"""Tables of results as Markdown: one per set, systems in rows, the papers' figures (`published/*.json`) beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np

from epochal_lab.runs.tasks import Result, Task, Value


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One row of a paper's table; measures go by our names, as shares of 1. `kind` is a class of questions."""

    name: str
    paper: str
    table: str
    set: str
    system: str
    measures: Mapping[str, float]
    variant: str = "baseline"
    protocol: str = ""
    kind: str = ""
    note: str = ""


def find_published(
    set_id: str, variant: str = "baseline", protocol: str = "", kind: str = ""
) -> tuple[PublishedResult, ...]:
    """What papers print of a set, asked in one way, in the order of their tables."""
    key = (set_id, variant, protocol, kind)
    return tuple(row for row in _read_published() if (row.set, row.variant, row.protocol, row.kind) == key)


@cache
def _read_published() -> tuple[PublishedResult, ...]:
    rows = []
    for file in sorted(files("epochal_lab.runs").joinpath("published").iterdir(), key=lambda item: item.name):
        if file.name.endswith(".json"):
            table = json.loads(file.read_text(encoding="utf-8"))
            records = [*table["rows"], *_expand_matrices(table.get("matrices", ()))]
            rows += [PublishedResult(table["name"], table["paper"], **row) for row in records]
    return tuple(rows)


def list_published(name: str) -> tuple[PublishedResult, ...]:
    """All rows of a paper's tables that are kept here, by the name of the paper."""
    return tuple(row for row in _read_published() if row.name == name)


def _expand_matrices(matrices: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of tables of one measure with sets below and systems beside one another, a row each set and system.

    Measures of one table are put together.
    """
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for matrix in matrices:
        ways = {name: matrix[name] for name in ("table", "variant", "kind") if name in matrix}
        for set_id, values in matrix["values"].items():
            for system, value in zip(matrix["systems"], values, strict=True):
                if value is not None:
                    key = (set_id, system, *ways.values())
                    row = rows.setdefault(key, {**ways, "set": set_id, "system": system, "measures": {}})
                    row["measures"][matrix["measure"]] = value
    return list(rows.values())


#: Sets of ours that rebuild a published one: where its papers' figures are looked up.
_REBUILT: Final[Mapping[str, str]] = {"chunqiutr/traditional": "chunqiutr", "chunqiutr/simplified": "chunqiutr"}
_PREFIXES: Final = ("zztj/",)
_NOT_SHOWN: Final = ("", "baseline")


@dataclass(frozen=True, slots=True)
class Line:
    """A row: a system, its values by measure, and whose figures they are; empty `source` for our own."""

    system: str
    values: Mapping[str, float | None]
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results with what a reader must know to read it."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = field(default=())

    def best(self, column: str) -> float | None:
        """The best value of our own rows; of times and distances the least is best."""
        values = [value for line in self.lines if not line.source and (value := line.values.get(column)) is not None]
        if not values:
            return None
        return min(values) if is_lower_better(column) else max(values)


def is_lower_better(column: str) -> bool:
    """Whether a smaller value of a column is a better one."""
    return column.startswith(("TimeVar", "MFG")) or column.endswith(" ms")


def set_tables(results: Sequence[Result]) -> list[Table]:
    """One table a set, split, variant and protocol, in the order of the results."""
    tables = []
    for (name, split, variant, protocol), group in _group_results(results).items():
        columns = _list_columns(group)
        lines = [Line(result.task.system, _get_values(result)) for result in group]
        known = published_rows(group[0].task)
        lines += [
            Line(row.system, dict(row.measures), _format_source(row), row.note)
            for row in known
            if any(column in row.measures for column in columns)
        ]
        title = ", ".join([name, split, *(way for way in (variant, protocol) if way not in _NOT_SHOWN)])
        tables.append(Table(title, (*columns, *_list_latency_columns(group)), tuple(lines), _list_notes(group)))
    return tables


def published_rows(task: Task) -> tuple[PublishedResult, ...]:
    """What papers print of the set of a task, or of the one that it rebuilds, asked in the same way."""
    name = task.set.partition("(")[0]
    known = "zztj/qi" if name.startswith(_PREFIXES) else _REBUILT.get(name, name)
    return find_published(known, task.variant, task.protocol)


def breakdown_tables(results: Sequence[Result], by: str, measure: str) -> list[Table]:
    """One table a set whose questions fall into parts: systems below one another, parts beside one another."""
    tables = []
    for (name, split, variant, protocol), group in _group_results(results).items():
        parted = [result for result in group if by in result.breakdowns and measure in result.measures]
        if not parted:
            continue
        parts = list(dict.fromkeys(part for result in parted for part in result.breakdowns[by]))
        counts = {part: _count(parted[0].breakdowns[by].get(part, {}).get(measure)) for part in parts}
        headed = {part: f"{part} ({counts[part]:,})" for part in parts}
        lines = [
            Line(
                result.task.system,
                {headed[part]: _get_mean(result.breakdowns[by].get(part, {}).get(measure)) for part in parts},
            )
            for result in parted
        ]
        title = ", ".join([name, split, *(way for way in (variant, protocol) if way not in _NOT_SHOWN)])
        tables.append(Table(f"{title}: {measure} by {by}", tuple(headed.values()), tuple(lines)))
    return tables


def domain_tables(results: Sequence[Result], prefix: str, measures: Iterable[str]) -> list[Table]:
    """For sets of one family, such as tempo/DOMAIN, the mean of domains and the mean of all questions, a table each."""
    tables = []
    family = [
        result for result in results if result.task.set.startswith(prefix) and "averaging" not in result.breakdowns
    ]
    for measure in measures:
        systems: dict[str, dict[str, Value]] = {}
        for result in family:
            if measure in result.measures and result.task.variant == "baseline" and not result.task.protocol:
                systems.setdefault(result.task.system, {})[result.task.set] = result.measures[measure]
        domains = tuple(dict.fromkeys(name for values in systems.values() for name in values))
        if len(domains) < 2:
            continue
        lines = [_make_domain_line(system, values, domains, prefix) for system, values in systems.items()]
        for row in find_published(prefix.rstrip("/")):
            if measure in row.measures:
                column = "questions pooled" if row.table in _POOLED else "mean of domains"
                lines.append(Line(row.system, {column: row.measures[measure]}, _format_source(row), row.note))
        columns = ("mean of domains", "questions pooled", *(name.removeprefix(prefix) for name in domains))
        tables.append(Table(f"{prefix.rstrip('/')}: {measure} by domain", columns, tuple(lines)))
    return tables


def _make_domain_line(system: str, values: Mapping[str, Value], domains: Sequence[str], prefix: str) -> Line:
    known = {name: value for name, value in values.items() if value.mean is not None}
    means = np.array([value.mean for value in known.values()], dtype=np.float64)
    counts = np.array([value.queries for value in known.values()], dtype=np.float64)
    # A mean over other domains than the rest of the table would mislead.
    whole = len(known) == len(domains)
    output: dict[str, float | None] = {
        "mean of domains": float(means.mean()) if whole else None,
        "questions pooled": float(means @ counts / counts.sum()) if whole else None,
    }
    output |= {name.removeprefix(prefix): values[name].mean if name in values else None for name in domains}
    return Line(system, output)


def _group_results(results: Iterable[Result]) -> dict[tuple[str, str, str, str], list[Result]]:
    groups: dict[tuple[str, str, str, str], list[Result]] = {}
    for result in results:
        task = result.task
        groups.setdefault((task.set, task.split, task.variant, task.protocol), []).append(result)
    return groups


def _list_columns(group: Sequence[Result]) -> tuple[str, ...]:
    """The measures that have a value for any system."""
    names = dict.fromkeys(name for result in group for name in result.measures)
    return tuple(name for name in names if any(result.mean(name) is not None for result in group))


def _list_latency_columns(group: Sequence[Result]) -> tuple[str, ...]:
    return ("p50 ms",) if any(result.latency_ms for result in group) else ()


def _get_values(result: Result) -> dict[str, float | None]:
    values = {name: value.mean for name, value in result.measures.items()}
    return {**values, "p50 ms": result.latency_ms.get("p50")}


def _format_source(row: PublishedResult) -> str:
    return f"{row.name}, {row.table}"


def _list_notes(group: Sequence[Result]) -> tuple[str, ...]:
    first = group[0]
    notes = [f"{first.documents:,} documents, {first.queries:,} questions, k {first.task.k}"]
    if environment := ", ".join(dict.fromkeys(text for result in group for text in result.made.values())):
        notes.append(environment)
    if not any(result.task.system.startswith("shortcut") for result in group):
        notes.append("no ranking that reads no time was run here: epochal bench run --baselines")
    for result in group:
        gaps = {name: value.gaps for name, value in result.measures.items() if value.gaps}
        notes += [f"{result.task.system}: {count:,} gaps in {name}" for name, count in gaps.items()]
    return tuple(notes)


def _get_mean(value: Value | None) -> float | None:
    return None if value is None else value.mean


def _count(value: Value | None) -> int:
    return 0 if value is None else value.queries


def format_markdown(tables: Iterable[Table], level: int = 2) -> str:
    """Tables one after another; the best of our own values in bold, the papers' rows in italics with their table."""
    return "\n".join(_format_table(table, level) for table in tables)


def _format_table(table: Table, level: int) -> str:
    lines = [f"{'#' * level} {table.title}", ""]
    lines += [f"| system | {' | '.join(map(_escape_pipes, table.columns))} |", "|---" * (len(table.columns) + 1) + "|"]
    lines += [_format_row(table, line) for line in table.lines]
    lines += ["", "; ".join(table.notes) + "."] if table.notes else []
    return "\n".join(lines) + "\n"


def _format_row(table: Table, line: Line) -> str:
    cells = []
    for column in table.columns:
        value = line.values.get(column)
        text = "" if value is None else format_figure(value)
        if text and line.source:
            text = f"*{text}*"
        elif text and value == table.best(column):
            text = f"**{text}**"
        cells.append(text)
    name = _escape_pipes(line.system)
    if line.source:
        name = f"*{name} ({_escape_pipes(line.source)}{f'; {_escape_pipes(line.note)}' if line.note else ''})*"
    return f"| {name} | {' | '.join(cells)} |"


def format_figure(value: float) -> str:
    """A value as tables show it."""
    if value <= 1:
        return f"{value:.3f}".removeprefix("0")
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _escape_pipes(text: str) -> str:
    return text.replace("|", "\\|")


#: The measure that parts of sets are compared by, unless a set lacks it.
_MAIN: Final = "nDCG@10"
_FAMILIES: Final = ("tempo/",)
#: Tables of TEMPO whose averages are over all questions, not over domains.
_POOLED: Final = ("Table 4",)


def report_tables(results: Sequence[Result]) -> dict[str, list[Table]]:
    """All tables, by the first part of the sets' ids."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.task.set.partition("(")[0].partition("/")[0], []).append(result)
    by_name = {}
    for name, group in groups.items():
        tables = set_tables(group)
        for by in ("kind", "granularity", "averaging"):
            tables += breakdown_tables(group, by, _MAIN)
        by_name[name] = [*tables, *family_tables(group)]
    return by_name


def family_tables(results: Sequence[Result]) -> list[Table]:
    """For each family of sets, such as the domains of TEMPO, the means over its sets and over all their questions."""
    measures = (_MAIN, "TP@10", "TR@10", "TC@10", "nDCG|FC@10")
    return [table for prefix in _FAMILIES for table in domain_tables(results, prefix, measures)]


def markdown_page(results: Sequence[Result], title: str = "Results", notes: str = "") -> str:
    """The report as Markdown; `notes`, Markdown too, come before the tables."""
    introduction = (
        "Made by `epochal bench report` from the JSON of `epochal bench run`. The best of our own figures in a column "
        "is bold; rows in italics are what papers print, measured by their authors, often on other builds of a set."
    )
    parts = [f"# {title}", "", introduction, "", *([notes.strip(), ""] if notes else [])]
    for name, tables in report_tables(results).items():
        parts += [f"## {name}", "", format_markdown(tables, level=3)]
    papers = dict.fromkeys((row.name, row.paper) for result in results for row in published_rows(result.task))
    if papers:
        parts += ["## Papers", "", *(f"- {name}: *{paper}*" for name, paper in papers), ""]
    return "\n".join(parts)
