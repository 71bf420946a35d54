"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from epochal.bench.report.tables import Line, Table

__all__ = ["figure", "markdown"]


def markdown(tables: Iterable[Table], level: int = 2) -> str:
    """The tables one after another; the best of our own values in bold, the papers' rows in italics with their table.

    >>> ours, theirs = Line("a", {"R@1": 0.5}), Line("B", {"R@1": 0.6}, "A paper, Table 1")
    >>> print(markdown([Table("tnp", ("R@1",), (ours, theirs))]))
    ## tnp
    <BLANKLINE>
    | system | R@1 |
    |---|---|
    | a | **.500** |
    | *B (A paper, Table 1)* | *.600* |
    <BLANKLINE>
    """
    return "\n".join(_table(table, level) for table in tables)


def _table(table: Table, level: int) -> str:
    lines = [f"{'#' * level} {table.title}", ""]
    lines += [f"| system | {' | '.join(map(_safe, table.columns))} |", "|---" * (len(table.columns) + 1) + "|"]
    lines += [_row(table, line) for line in table.lines]
    lines += ["", "; ".join(table.notes) + "."] if table.notes else []
    return "\n".join(lines) + "\n"


def _row(table: Table, line: Line) -> str:
    cells = []
    for column in table.columns:
        value = line.values.get(column)
        text = "" if value is None else figure(value)
        if text and line.source:
            text = f"*{text}*"
        elif text and value == table.best(column):
            text = f"**{text}**"
        cells.append(text)
    name = _safe(line.system)
    if line.source:
        name = f"*{name} ({_safe(line.source)}{f'; {_safe(line.note)}' if line.note else ''})*"
    return f"| {name} | {' | '.join(cells)} |"


def figure(value: float) -> str:
    """A value as tables show it.

    >>> figure(0.98342), figure(1.0), figure(2.171), figure(1234.5)
    ('.983', '1.000', '2.17', '1234')
    """
    if value <= 1:
        return f"{value:.3f}".removeprefix("0")
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _safe(text: str) -> str:
    return text.replace("|", "\\|")
