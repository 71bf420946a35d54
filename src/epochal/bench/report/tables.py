"""Tables of results: a set at a time, systems below one another, the papers' rows beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from epochal.bench.report.published import Published, published
from epochal.bench.running.results import Result, Value
from epochal.bench.running.tasks import Task

__all__ = ["Line", "Table", "breakdown_tables", "domain_tables", "is_less_better", "published_rows", "set_tables"]

#: Sets of ours that rebuild a published one: where its papers' figures are looked up.
_REBUILT: Final[Mapping[str, str]] = {"chunqiutr/traditional": "chunqiutr", "chunqiutr/simplified": "chunqiutr"}
_PREFIXES: Final = ("zztj/",)
_NOT_SHOWN: Final = ("", "baseline")


@dataclass(frozen=True, slots=True)
class Line:
    """A row: a system, its values by measure, and whose figures they are; empty `source` for our own.

    >>> Line("bm25", {"nDCG@10": 0.3}).source
    ''
    """

    system: str
    values: Mapping[str, float | None]
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results with what a reader must know to read it.

    >>> Table("tnp", ("nDCG@10",), (Line("bm25", {"nDCG@10": 0.3}),)).best("nDCG@10")
    0.3
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = field(default=())

    def best(self, column: str) -> float | None:
        """The best value of our own rows; of times and distances the least is best.

        >>> Table("tnp", ("p50 ms",), (Line("a", {"p50 ms": 9.0}), Line("b", {"p50 ms": 5.0}))).best("p50 ms")
        5.0
        """
        found = [value for line in self.lines if not line.source and (value := line.values.get(column)) is not None]
        if not found:
            return None
        return min(found) if is_less_better(column) else max(found)


def is_less_better(column: str) -> bool:
    """Whether a smaller value of a column is a better one.

    >>> is_less_better("TimeVar@5"), is_less_better("nDCG@10")
    (True, False)
    """
    return column.startswith(("TimeVar", "MFG")) or column.endswith(" ms")


def set_tables(results: Sequence[Result]) -> list[Table]:
    """One table a set, split, variant and protocol, in the order of the results.

    >>> from epochal.bench.running.tasks import Task
    >>> table = set_tables([Result(Task("tnp", "bm25"), 989, 1671, {"nDCG@10": Value(0.3, 1671)})])[0]
    >>> table.title, [line.system for line in table.lines][:2]
    ('tnp, test', ['bm25', 'BM25'])
    """
    tables = []
    for (name, split, variant, protocol), group in _grouped(results).items():
        columns = _columns(group)
        lines = [Line(result.task.system, _values(result)) for result in group]
        known = published_rows(group[0].task)
        lines += [_published_line(row) for row in known if any(column in row.measures for column in columns)]
        title = ", ".join([name, split, *(way for way in (variant, protocol) if way not in _NOT_SHOWN)])
        tables.append(Table(title, (*columns, *_latency_columns(group)), tuple(lines), _notes(group)))
    return tables


def published_rows(task: Task) -> tuple[Published, ...]:
    """What papers print of the set of a task, or of the one that it rebuilds, asked in the same way.

    >>> {row.name for row in published_rows(Task("zztj/tag", "bm25"))}
    {'ChunQiuTR'}
    """
    name = task.set.partition("(")[0]
    known = "zztj/qi" if name.startswith(_PREFIXES) else _REBUILT.get(name, name)
    return published(known, task.variant, task.protocol)


def breakdown_tables(results: Sequence[Result], by: str, measure: str) -> list[Table]:
    """One table a set whose questions fall into parts: systems below one another, parts beside one another.

    >>> from epochal.bench.running.tasks import Task
    >>> parts = {"kind": {"point": {"R@1": Value(1.0, 2)}, "window": {"R@1": Value(0.5, 2)}}}
    >>> result = Result(Task("own", "bm25"), 9, 4, {"R@1": Value(0.75, 4)}, parts)
    >>> breakdown_tables([result], "kind", "R@1")[0].columns
    ('point (2)', 'window (2)')
    """
    tables = []
    for (name, split, variant, protocol), group in _grouped(results).items():
        parted = [result for result in group if by in result.breakdowns and measure in result.measures]
        if not parted:
            continue
        parts = list(dict.fromkeys(part for result in parted for part in result.breakdowns[by]))
        counts = {part: _count(parted[0].breakdowns[by].get(part, {}).get(measure)) for part in parts}
        headed = {part: f"{part} ({counts[part]:,})" for part in parts}
        lines = [
            Line(
                result.task.system,
                {headed[part]: _mean(result.breakdowns[by].get(part, {}).get(measure)) for part in parts},
            )
            for result in parted
        ]
        title = ", ".join([name, split, *(way for way in (variant, protocol) if way not in _NOT_SHOWN)])
        tables.append(Table(f"{title}: {measure} by {by}", tuple(headed.values()), tuple(lines)))
    return tables


def domain_tables(results: Sequence[Result], prefix: str, measures: Iterable[str]) -> list[Table]:
    """For sets of one family, such as tempo/DOMAIN, the mean of domains and the mean of all questions, a table each.

    >>> from epochal.bench.running.tasks import Task
    >>> one = Result(Task("tempo/law", "bm25"), 9, 35, {"nDCG@10": Value(0.4, 35)})
    >>> two = Result(Task("tempo/iota", "bm25"), 9, 10, {"nDCG@10": Value(0.1, 10)})
    >>> line = domain_tables([one, two], "tempo/", ["nDCG@10"])[0].lines[0]
    >>> [round(value, 3) for value in line.values.values()]
    [0.25, 0.333, 0.4, 0.1]
    """
    tables = []
    family = [result for result in results if result.task.set.startswith(prefix)]
    for measure in measures:
        systems: dict[str, dict[str, Value]] = {}
        for result in family:
            if measure in result.measures and result.task.variant == "baseline" and not result.task.protocol:
                systems.setdefault(result.task.system, {})[result.task.set] = result.measures[measure]
        domains = tuple(dict.fromkeys(name for values in systems.values() for name in values))
        if len(domains) < 2:
            continue
        lines = [_domain_line(system, values, domains, prefix) for system, values in systems.items()]
        for row in published(prefix.rstrip("/")):
            if measure in row.measures:
                lines.append(Line(row.system, {"mean of domains": row.measures[measure]}, _source(row), row.note))
        columns = ("mean of domains", "questions pooled", *(name.removeprefix(prefix) for name in domains))
        tables.append(Table(f"{prefix.rstrip('/')}: {measure} by domain", columns, tuple(lines)))
    return tables


def _domain_line(system: str, values: Mapping[str, Value], domains: Sequence[str], prefix: str) -> Line:
    known = {name: value for name, value in values.items() if value.mean is not None}
    means = np.array([value.mean for value in known.values()], dtype=np.float64)
    counts = np.array([value.queries for value in known.values()], dtype=np.float64)
    # A mean over other domains than the rest of the table would mislead.
    whole = len(known) == len(domains)
    shown: dict[str, float | None] = {
        "mean of domains": float(means.mean()) if whole else None,
        "questions pooled": float(means @ counts / counts.sum()) if whole else None,
    }
    shown |= {name.removeprefix(prefix): values[name].mean if name in values else None for name in domains}
    return Line(system, shown)


def _grouped(results: Iterable[Result]) -> dict[tuple[str, str, str, str], list[Result]]:
    groups: dict[tuple[str, str, str, str], list[Result]] = {}
    for result in results:
        task = result.task
        groups.setdefault((task.set, task.split, task.variant, task.protocol), []).append(result)
    return groups


def _columns(group: Sequence[Result]) -> tuple[str, ...]:
    """The measures that have a value for any system."""
    names = dict.fromkeys(name for result in group for name in result.measures)
    return tuple(name for name in names if any(result.mean(name) is not None for result in group))


def _latency_columns(group: Sequence[Result]) -> tuple[str, ...]:
    return ("p50 ms",) if any(result.latency_ms for result in group) else ()


def _values(result: Result) -> dict[str, float | None]:
    values = {name: value.mean for name, value in result.measures.items()}
    return {**values, "p50 ms": result.latency_ms.get("p50")}


def _published_line(row: Published) -> Line:
    return Line(row.system, dict(row.measures), _source(row), row.note)


def _source(row: Published) -> str:
    return f"{row.name}, {row.table}"


def _notes(group: Sequence[Result]) -> tuple[str, ...]:
    first = group[0]
    notes = [f"{first.documents:,} documents, {first.queries:,} questions, k {first.task.k}"]
    if made := ", ".join(dict.fromkeys(text for result in group for text in result.made.values())):
        notes.append(made)
    for result in group:
        gaps = {name: value.gaps for name, value in result.measures.items() if value.gaps}
        notes += [f"{result.task.system}: {count:,} gaps in {name}" for name, count in gaps.items()]
    return tuple(notes)


def _mean(value: Value | None) -> float | None:
    return None if value is None else value.mean


def _count(value: Value | None) -> int:
    return 0 if value is None else value.queries
