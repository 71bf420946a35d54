"""A timeline in text: the histogram of the index, an axis with ticks, query windows, and the hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epochal.cli.rendering.terminal import Piece
from epochal.ranking.histogram import spread_over_columns
from epochal.times.axis import DAY, OPEN_END, OPEN_START, civil_date, to_seconds
from epochal.times.span import Span
from epochal.times.words import MONTHS, format_year

_DAYS: Final = (1, 2, 5, 10)
_MONTHS: Final = (1, 2, 3, 6)
_YEARS: Final = tuple(factor * 10**power for power in range(12) for factor in (1, 2, 5))
_GAP: Final = 2


def find_ticks(start: int, end: int, columns: int) -> list[tuple[int, str]]:
    """Find the ticks from start to before end, as seconds and labels: the finest whose labels fit the columns."""
    for step in _DAYS:
        if ticks := _keep_if_fitting(_list_day_ticks(start, end, step, columns), columns):
            return ticks
    for step in (*_MONTHS, *(12 * years for years in _YEARS)):
        if ticks := _keep_if_fitting(_list_month_ticks(start, end, step, columns), columns):
            return ticks
    return []


def _keep_if_fitting(ticks: list[tuple[int, str]], columns: int) -> list[tuple[int, str]]:
    return ticks if sum(len(label) + _GAP for _, label in ticks) <= columns else []


def _list_day_ticks(start: int, end: int, step: int, columns: int) -> list[tuple[int, str]]:
    first, last = -(-start // DAY), -(-end // DAY)
    if (last - first) // step > columns:
        return []
    ticks: list[tuple[int, str]] = []
    for day in range(first, last):
        year, month, number = civil_date(day)
        if (number - 1) % step == 0 and (step == 1 or number <= 28):
            named = f"{number} {MONTHS[month - 1][:3]}"
            ticks.append((day * DAY, named if ticks else f"{named} {format_year(year)}"))
    return ticks


def _list_month_ticks(start: int, end: int, step: int, columns: int) -> list[tuple[int, str]]:
    year, month, _ = civil_date(start // DAY)
    first = year * 12 + month - 1
    year, month, _ = civil_date((end - 1) // DAY)
    last = year * 12 + month - 1
    if (last - first) // step > columns:
        return []
    ticks = []
    for position in range(first + -first % step, last + 1, step):
        second = to_seconds(position // 12, position % 12 + 1)
        if start <= second < end:
            ticks.append((second, _format_month(position) if step % 12 else format_year(position // 12)))
    return ticks


def _format_month(position: int) -> str:
    return f"{MONTHS[position % 12][:3]} {format_year(position // 12)}"


_LEVELS: Final = " ▁▂▃▄▅▆▇█"
_HEIGHT: Final = 3
_MAX_ROWS: Final = 5
_LABEL: Final = 12
#: Below this share of the whole range, the timeline zooms in to the windows and hits.
_SMALL: Final = 1 / 8


@dataclass(frozen=True, slots=True)
class Timeline:
    """The range that is drawn, the histogram in it, named bands, and hits with their ranks."""

    window: Span
    edges: tuple[Span, ...]
    counts: tuple[int, ...]
    bands: tuple[tuple[str, Span], ...] = ()
    marks: tuple[tuple[int, Span], ...] = ()

    def rows(self, width: int) -> list[list[Piece]]:
        """The lines of the timeline, at most `width` columns wide."""
        columns = width - _LABEL
        labels = ["", "documents", ""]
        rows: list[list[Piece]] = [
            _make_row(labels[number], text, "blue") for number, text in enumerate(self._draw_histogram(columns))
        ]
        rows += [_make_row("", text, "dim") for text in self._draw_axis(columns)]
        before = ""
        for label, band in self.bands:
            rows.append(_make_row("" if label == before else label, self._draw_band(band, columns), "green"))
            before = label
        mark_rows, left = self._draw_marks(columns)
        rows += [_make_row("" if number else "hits", text, "bold yellow") for number, text in enumerate(mark_rows)]
        if left:
            rows.append(_make_row("", f"and {left} more at the same place" + ("s" if left > 1 else ""), "dim"))
        return rows

    # ---------------------------------------------------------------- parts of the picture

    def _find_edge(self, second: int, columns: int) -> int:
        """Find the edge between columns that is nearest to a second."""
        inside = max(self.window.start, min(second, self.window.end)) - self.window.start
        return (2 * inside * columns + self.window.seconds) // (2 * self.window.seconds)

    def _find_columns(self, span: Span, columns: int) -> tuple[int, int] | None:
        """Find the first and the last column of a span; None if it is outside."""
        if not span.overlaps(self.window):
            return None
        first = min(self._find_edge(span.start, columns), columns - 1)
        return first, max(self._find_edge(span.end, columns) - 1, first)

    def _draw_histogram(self, columns: int) -> list[str]:
        heights = spread_over_columns(self.edges, self.counts, self.window, columns)
        most = max(heights, default=0.0)
        levels = [max(1, round(height / most * 8 * _HEIGHT)) if height else 0 for height in heights]
        return [
            "".join(_LEVELS[max(0, min(level - 8 * row, 8))] for level in levels) for row in range(_HEIGHT - 1, -1, -1)
        ]

    def _draw_axis(self, columns: int) -> tuple[str, str]:
        line, names = ["─"] * columns, [" "] * (columns + 12)
        free = 0
        for second, label in find_ticks(self.window.start, self.window.end, columns):
            position = min(self._find_edge(second, columns), columns - 1)
            line[position] = "┬"
            if position >= free:
                names[position : position + len(label)] = label
                free = position + len(label) + 1
        return "".join(line), "".join(names).rstrip()

    def _draw_band(self, band: Span, columns: int) -> str:
        reach, words = self._find_columns(band, columns), band.describe()
        if reach is None:
            later = band.start >= self.window.end
            return f"{words} →".rjust(columns) if later else f"← {words}"
        first, last = reach
        line = " " * first + "━" * (last - first + 1)
        if last + 2 + len(words) <= columns:
            return f"{line} {words}"
        if len(words) + 1 <= first:
            return f"{words} ".rjust(first) + "━" * (last - first + 1)
        return line

    def _draw_marks(self, columns: int) -> tuple[list[str], int]:
        """Draw rows with the ranks of hits at their times; count those without room."""
        rows: list[list[str]] = []
        left = 0
        for rank, span in self.marks:
            reach = self._find_columns(span, columns)
            if reach is None:
                continue
            label = str(rank)
            first, last = reach
            if last - first < len(label) + 2:
                first = min((first + last) // 2, columns - len(label))
                mark = label
            else:
                mark = label.center(last - first + 1, "─")
            row = next((row for row in rows if _is_free(row, first, len(mark))), None)
            if row is None and len(rows) < _MAX_ROWS:
                row = [" "] * columns
                rows.append(row)
            if row is None:
                left += 1
                continue
            row[first : first + len(mark)] = mark
        return ["".join(row) for row in rows], left


def choose_window(whole: Span, spans: Sequence[Span]) -> Span:
    """Choose the range to draw: all of the index with the windows and hits, or only those if they are close together.

    Times far outside the index are ignored.
    """
    bounded = [span & whole or span for span in spans]
    bounded = [span for span in bounded if not span.is_open and abs(whole.gap(span)) < whole.seconds]
    if not bounded:
        return whole
    near = bounded[0]
    for span in bounded[1:]:
        near = near.hull(span)
    if near not in whole or near.seconds >= whole.seconds * _SMALL:
        return whole if near in whole else whole.hull(near)
    step = max(near.seconds, whole.seconds // 100)
    grain = near.coarsest_grain
    around = Span(max(near.start - step, OPEN_START + 1), min(near.end + step, OPEN_END - 1), grain)
    return around.widen(grain)


def _is_free(row: list[str], first: int, length: int) -> bool:
    return all(cell == " " for cell in row[max(first - 1, 0) : first + length + 1])


def _make_row(label: str, text: str, style: str) -> list[Piece]:
    return [(f"{label:{_LABEL}}", "cyan"), (text, style)]
