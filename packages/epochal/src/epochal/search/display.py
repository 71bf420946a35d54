"""Hits as pictures and tables: HTML for notebooks, data frames, and a plot. Takes plain rows and spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.times.span import Span

_WIDTH: Final = 720
_ROW: Final = 16
_YEAR: Final = 31_556_952  # seconds of a mean Gregorian year
_SHOWN: Final = 300
#: The first columns of a table; metadata follow.
_COLUMNS: Final = ("id", "score", "relevance", "date", "text", "title", "published", "valid", "times", "series")


#: A heading of Markdown at the start of a passage.
_HEADING = lazy_regex(r"\s*#{1,6}[ \t]+([^\n]*?)(?:(?<![ \t#])[ \t#]+)?(?:\n\s*|\Z)")


def measure_heading(passage: str, title: str) -> int:
    """How many characters at the start of a passage are not displayed: the marks of a heading, or all of the title.

    >>> measure_heading("# Fees\\n\\nThe fee is 12 euros.", "Fees"), measure_heading("## In May\\n\\nRain.", "Fees")
    (8, 3)
    """
    match = _HEADING.match(passage)
    if match is None:
        return 0
    repeats = match[1].strip() == title.strip() and match.end() < len(passage)
    return match.end() if repeats else match.start(1)


def make_frame(rows: Sequence[Mapping[str, Any]], library: str) -> Any:
    """A data frame of pandas or polars with a row for each hit."""
    try:
        module: Any = import_module(library)
    except ImportError:
        raise EpochalError(f"{library} is not installed; get it with: pip install {library}") from None
    names = list(dict.fromkeys([*_COLUMNS, *(name for row in rows for name in row)]))
    return module.DataFrame({name: [row.get(name) for row in rows] for name in names})


def render_heading(text: str) -> str:
    """A line above a table, as HTML."""
    return f"<p><b>{escape(text)}</b></p>"


def render_hits(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of hits as a table of HTML."""
    head = "".join(f"<th style='text-align:left'>{name}</th>" for name in ("", "date", "id", "score", "text"))
    body = []
    for rank, row in enumerate(rows, 1):
        passage = str(row["text"])
        text = " ".join(passage[measure_heading(passage, str(row["title"] or "")) :].split())
        text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        title = f"<b>{escape(str(row['title']))}</b><br>" if row["title"] else ""
        cells = (str(rank), escape(row["date"] or "undated"), escape(row["id"]), f"{row['score']:.3f}")
        columns = "".join(f"<td style='text-align:left;vertical-align:top'>{cell}</td>" for cell in cells)
        body.append(f"<tr>{columns}<td style='text-align:left'>{title}{escape(text)}</td></tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def render_timeline(spans: Sequence[tuple[str, Span]]) -> str:
    """Named spans on one axis, as SVG; empty where none has two ends."""
    closed = [(name, span) for name, span in spans if not span.is_open]
    if not closed:
        return ""
    first = min(span.start for _, span in closed)
    last = max(span.end for _, span in closed)
    scale = (_WIDTH - 20) / max(last - first, 1)
    rows = []
    for number, (name, span) in enumerate(closed):
        left, width = 10 + (span.start - first) * scale, max(4.0, (span.end - span.start) * scale)
        label = escape(f"{name}: {span.describe()}")
        rows.append(
            f"<rect x='{min(left, _WIDTH - 14):.1f}' y='{number * _ROW + 4}' width='{width:.1f}' height='{_ROW - 6}' "
            f"rx='2' fill='#4477aa'><title>{label}</title></rect>"
        )
    height = len(closed) * _ROW + 22
    ends = _render_ends(closed, height)
    return f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}'>{''.join(rows)}{ends}</svg>"


def _render_ends(spans: Sequence[tuple[str, Span]], height: int) -> str:
    first = min((span for _, span in spans), key=lambda span: span.start)
    last = max((span for _, span in spans), key=lambda span: span.end)
    place = f"y='{height - 6}' font-size='11'"
    return (
        f"<text x='10' {place}>{escape(first.describe())}</text>"
        f"<text x='{_WIDTH - 10}' {place} text-anchor='end'>{escape(last.describe())}</text>"
    )


def plot_spans(spans: Sequence[tuple[str, Span]], title: str) -> Any:
    """Named spans on an axis of years, by matplotlib; returns the axes."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise EpochalError("matplotlib is not installed; get it with: pip install matplotlib") from None
    closed = [(name, span) for name, span in spans if not span.is_open]
    _, axes = pyplot.subplots(figsize=(8, 0.6 + 0.3 * max(len(closed), 1)))
    for number, (_, span) in enumerate(closed):
        start = 1970 + span.start / _YEAR
        axes.barh(number, max((span.end - span.start) / _YEAR, 0.02), left=start, height=0.6)
    axes.set_yticks(range(len(closed)), [name for name, _ in closed])
    axes.invert_yaxis()
    axes.set_xlabel("year")
    axes.set_title(title)
    return axes
