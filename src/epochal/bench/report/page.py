"""The whole report: every table that the results allow, under a heading a family of sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from epochal.bench.report.markdown import markdown
from epochal.bench.report.tables import Table, breakdown_tables, domain_tables, published_rows, set_tables
from epochal.bench.running.results import Result

__all__ = ["markdown_page", "report_tables"]

#: The measure that parts of sets are compared by, unless a set lacks it.
_MAIN: Final = "nDCG@10"
_FAMILIES: Final = ("tempo/",)


def report_tables(results: Sequence[Result]) -> dict[str, list[Table]]:
    """All tables, by the first part of the sets' ids.

    >>> from epochal.bench.running.results import Value
    >>> from epochal.bench.running.tasks import Task
    >>> found = report_tables([Result(Task("re2bench/rel", "bm25"), 9, 4, {"nDCG@10": Value(0.75, 4)})])
    >>> {name: len(tables) for name, tables in found.items()}
    {'re2bench': 1}
    """
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.task.set.partition("(")[0].partition("/")[0], []).append(result)
    found = {}
    for name, group in groups.items():
        tables = set_tables(group)
        for by in ("kind", "granularity"):
            tables += breakdown_tables(group, by, _MAIN)
        for prefix in _FAMILIES:
            if name == prefix.rstrip("/"):
                tables += domain_tables(group, prefix, (_MAIN, "TP@10", "TR@10", "TC@10", "nDCG|FC@10"))
        found[name] = tables
    return found


def markdown_page(results: Sequence[Result], title: str = "Results", notes: str = "") -> str:
    """The report as Markdown; `notes`, Markdown too, stand before the tables.

    >>> from epochal.bench.running.results import Value
    >>> from epochal.bench.running.tasks import Task
    >>> page = markdown_page([Result(Task("own", "bm25"), 9, 4, {"nDCG@10": Value(0.75, 4)})])
    >>> page.splitlines()[0]
    '# Results'
    """
    told = (
        "Made by `epochal bench report` from the JSON of `epochal bench run`. The best of our own figures in a column "
        "is bold; rows in italics are what papers print, measured by their authors, often on other builds of a set."
    )
    parts = [f"# {title}", "", told, "", *([notes.strip(), ""] if notes else [])]
    for name, tables in report_tables(results).items():
        parts += [f"## {name}", "", markdown(tables, level=3)]
    papers = dict.fromkeys((row.name, row.paper) for result in results for row in published_rows(result.task))
    if papers:
        parts += ["## Papers", "", *(f"- {name}: *{paper}*" for name, paper in papers), ""]
    return "\n".join(parts)
