"""What runs are worth, as tables: one for a single run, one a measure where runs are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from epochal.cli.rendering.columns import clean, padded, wide
from epochal.cli.rendering.page import Page

__all__ = ["number_text", "show_scores", "table_lines"]

#: Below this, a difference is marked as more than chance.
_ALPHA: Final = 0.05
_NONE: Final = "–"


def show_scores(told: Mapping[str, Any], page: Page) -> None:
    """Print what `epochal eval` found, which is given as its JSON has it.

    >>> import sys
    >>> measured = {"measure": "R@1", "mean": 0.5, "low": 0.0, "high": 1.0, "questions": 2, "undefined": 0}
    >>> measured |= {"unanswered": 0, "gaps": 0, "comparison": None, "kinds": {}}
    >>> runs = [{"run": "a.trec", "unjudged": 0, "measures": [measured]}]
    >>> show_scores({"qrels": "q.tsv", "split": None, "questions": 2, "against": None, "runs": runs}, Page(sys.stdout))
    a.trec against q.tsv: 2 questions
    measure   mean  95 % interval    questions
    R@1      0.500  0.000 to 1.000           2
    """
    runs = told["runs"]
    names = clean(runs[0]["run"]) if len(runs) == 1 else f"{len(runs)} runs"
    split = f", split {told['split']}" if told["split"] else ""
    page.line((f"{names} against {clean(told['qrels'])}{split}: {told['questions']:,} questions", "bold"))
    if told["against"] is not None:
        page.line((f"differences are from {clean(told['against'])}", ""))
    if len(runs) == 1:
        _show_one(runs[0], page)
    else:
        _show_several(runs, page)
    for line in _notes(runs):
        page.line((line, "dim"))
    questions = [
        [clean(run["run"]), measured["measure"], clean(query), number_text(value, 6)]
        for run in runs
        for measured in run["measures"]
        for query, value in measured.get("per_query", {}).items()
    ]
    if questions:
        page.line()
        _print(page, [["run", "measure", "question", "value"], *questions], [False, False, False, True])


def table_lines(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Rows of cells as lines with the cells in columns, some of them to the right; the first row is the heading.

    >>> table_lines([["run", "mean"], ["a", "0.5"]], [False, True])
    ['run  mean', 'a     0.5']
    """
    widths = [max(wide(row[column]) for row in rows) for column in range(len(right))]
    return [
        "  ".join(padded(cell, width, right=to) for cell, width, to in zip(row, widths, right, strict=True)).rstrip()
        for row in rows
    ]


def number_text(value: float | None, digits: int = 3) -> str:
    """A number with so many digits after the point, or a dash.

    >>> number_text(0.12345), number_text(None)
    ('0.123', '–')
    """
    return _NONE if value is None else f"{value:.{digits}f}"


def _show_one(run: Mapping[str, Any], page: Page) -> None:
    rows = [["measure", "mean", "95 % interval", "questions"]]
    for measured in run["measures"]:
        rows.append([measured["measure"], *_mean_cells(measured), f"{measured['questions']:,}"])
        rows += _kind_rows(measured)
    _print(page, rows, [False, True, False, True])


def _show_several(runs: Sequence[Mapping[str, Any]], page: Page) -> None:
    heads = ["mean", "95 % interval", "questions", "difference", "95 % interval", "p", "Holm's p", "compared"]
    rows = []
    for place, first in enumerate(runs[0]["measures"]):
        rows.append([first["measure"], *(heads if not place else [""] * len(heads))])
        for run in runs:
            measured = run["measures"][place]
            cells = [*_mean_cells(measured), f"{measured['questions']:,}", *_comparison_cells(measured["comparison"])]
            rows.append([f"  {clean(run['run'])}", *cells])
            rows += [[*row, *[""] * 5] for row in _kind_rows(measured, "    ")]
    _print(page, rows, [False, True, False, True, True, False, True, True, True])


def _print(page: Page, rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    for row, line in zip(rows, table_lines(rows, right), strict=True):
        heading = row is rows[0] or not any(row[1:])
        page.line((line, "cyan" if heading else ""))


def _mean_cells(measured: Mapping[str, Any]) -> list[str]:
    return [number_text(measured["mean"]), _interval(measured["low"], measured["high"], "")]


def _interval(low: float | None, high: float | None, sign: str) -> str:
    return "" if low is None or high is None else f"{low:{sign}.3f} to {high:{sign}.3f}"


def _kind_rows(measured: Mapping[str, Any], indent: str = "  ") -> list[list[str]]:
    return [
        [f"{indent}{clean(kind) or '(no kind)'}", number_text(found["mean"]), "", f"{found['questions']:,}"]
        for kind, found in measured["kinds"].items()
    ]


def _comparison_cells(found: Mapping[str, Any] | None) -> list[str]:
    if found is None or found["difference"] is None:
        return [""] * 5
    mark = " *" if found["adjusted"] < _ALPHA else "  "
    return [
        f"{found['difference']:+.3f}",
        _interval(found["low"], found["high"], "+"),
        f"{found['p']:.4f}",
        f"{found['adjusted']:.4f}{mark}",
        f"{found['questions']:,}",
    ]


def _notes(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    if any((found := item["comparison"]) and found["adjusted"] < _ALPHA for run in runs for item in run["measures"]):
        lines.append(f"* more than chance: Holm's p below {_ALPHA}")
    for run in runs:
        before = f"{clean(run['run'])}: " if len(runs) > 1 else ""
        if run["unjudged"]:
            lines.append(f"{before}{_counted(run['unjudged'], 'question')} of the run without judgements, left out")
        for key, what, words in (
            ("unanswered", "question", "without an answer, counted as a miss"),
            ("undefined", "question", "for which there is no value, left out"),
            ("gaps", "document", "without what is needed to know"),
        ):
            counts: dict[int, list[str]] = {}
            for measured in run["measures"]:
                counts.setdefault(measured[key], []).append(measured["measure"])
            for count, names in counts.items():
                if count:
                    of = "" if len(names) == len(run["measures"]) else f"{', '.join(names)}: "
                    lines.append(f"{before}{of}{_counted(count, what)} {words}")
    return lines


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
