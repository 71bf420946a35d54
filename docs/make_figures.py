"""Draw the figures of the documentation: docs/images/{demo,align,freshness}.svg.

Run it as `python docs/make_figures.py`. Everything drawn is computed by Epochal itself. The same versions of Epochal
and matplotlib give the same bytes: no dates, no random ids, and text as outlines, so that no font has to be installed.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import blended_transform_factory

from epochal.times import Exponential, Gaussian, Grain, Linear, Span, SpanSet, Steps, align, freshness, resolve
from epochal.times.axis import DAY, OPEN_END, to_seconds

IMAGES = Path(__file__).parent / "images"
RESULTS = Path(__file__).parents[1] / "studies" / "results"

INK, SOFT, RULE, PAPER = "#1f2933", "#66717d", "#d9dee3", "#ffffff"
BLUE, ORANGE, GREEN, PURPLE, RED = "#2563a8", "#c8590e", "#2b8a4b", "#7b4fa3", "#b3303a"

STYLE = {
    "svg.hashsalt": "epochal",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.labelcolor": SOFT,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#eceff2",
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "lines.linewidth": 1.9,
}

#: Expressions, in Latin letters, from many calendars.
EXPRESSIONS = (
    "Duke Yin's 1st year, 12th month",
    "15 March 44 BC O.S.",
    "between 27 BC and 476",
    "Yongming 3",
    "9.12.11.5.18",
    "Ramadan 400 AH",
    "the 14th century",
    "12 Henry VIII",
    "156X",
    "5 Thermidor II",
    "Meiji 10",
    "25 October 1917 (Russia)",
    "1984~/2004-06",
    "2015/..",
)
COLOURS = {
    "gregorian": BLUE,
    "julian": PURPLE,
    "civil/soviet-russia": PURPLE,
    "lu": RED,
    "chinese": RED,
    "nengo": RED,
    "british": GREEN,
}
TICKS = (
    (-750, "750 BCE"),
    (1, "1 CE"),
    (500, "500"),
    (1000, "1000"),
    (1400, "1400"),
    (1700, "1700"),
    (1900, "1900"),
    (2000, "2000"),
)
LAST_YEAR = 2030
#: The columns of text, as shares of the figure's width.
EXPRESSION_AT, CALENDAR_AT, EDTF_AT = 0.022, 0.255, 0.818


def main() -> None:
    """Draw all figures."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in (
        ("demo", demo),
        ("align", align_figure),
        ("freshness", freshness_figure),
        ("reliability", reliability_figure),
    ):
        with plt.rc_context(STYLE):
            figure = draw()
            figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None, "Creator": None})
            plt.close(figure)
        print(f"wrote docs/images/{name}.svg")


# ---------------------------------------------------------------- expressions on one axis


def place(year: float) -> float:
    """Where a year is drawn, 0 to 1: the axis bends, so that near times get more room."""
    years = LAST_YEAR + 800.0
    return 1 - (max(LAST_YEAR - year, 0.0) / years) ** 0.62


def year_at(second: int) -> float:
    """A point of the axis as a fraction of years."""
    return 1970 + second / Grain.YEAR.seconds


def demo() -> Figure:
    """A row an expression: what it says, where it lies, and its EDTF text."""
    figure, axes = plt.subplots(figsize=(10.4, 5.2))
    figure.subplots_adjust(left=0.395, right=0.795, top=0.93, bottom=0.07)
    axes.grid(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    rows = len(EXPRESSIONS)
    axes.set_xlim(0, 1)
    axes.set_ylim(rows - 0.5, -0.5)
    across = blended_transform_factory(figure.transFigure, axes.transData)
    for row in range(0, rows, 2):
        stripe = Rectangle((0.01, row - 0.5), 0.98, 1, transform=across, color="#f4f6f8", lw=0, zorder=0, clip_on=False)
        axes.add_patch(stripe)
    axes.set_xticks([place(year) for year, _ in TICKS], [label for _, label in TICKS], fontsize=8.5)
    axes.set_yticks([])
    for year, _ in TICKS:
        axes.axvline(place(year), color=RULE, lw=0.8, zorder=1)
    for row, text in enumerate(EXPRESSIONS):
        reading = resolve(text)[0]
        colour = COLOURS.get(reading.calendar, ORANGE)
        for x, words, size, ink in (
            (EXPRESSION_AT, text, 10, INK),
            (CALENDAR_AT, reading.calendar, 8.5, colour),
            (EDTF_AT, reading.span.edtf(), 9, INK),
        ):
            axes.text(x, row, words, transform=across, va="center", fontsize=size, color=ink, clip_on=False)
        draw_span(axes, row, reading.span, colour)
    for x, label in ((EXPRESSION_AT, "expression"), (CALENDAR_AT, "calendar"), (EDTF_AT, "span, as EDTF")):
        axes.text(x, -0.78, label, transform=across, va="center", fontsize=8.5, color=SOFT, clip_on=False)
    return figure


def draw_span(axes: Axes, row: int, span: Span, colour: str) -> None:
    """A bar, or a dot for what is too short; hollow or fading where it is approximate, an arrow where it is open."""
    left = place(year_at(span.start))
    right = place(float(LAST_YEAR)) if span.end == OPEN_END else place(year_at(span.end))
    bar = {"color": colour, "lw": 7.5, "solid_capstyle": "butt", "zorder": 3, "clip_on": False}
    if right - left < 0.015:
        fill = PAPER if span.certainty.is_approximate else colour
        axes.plot([(left + right) / 2], [row], "o", ms=7.5, color=colour, markerfacecolor=fill, mew=1.8, zorder=3)
        return
    axes.plot([left, right], [row, row], **bar)
    if span.certainty.is_approximate:
        for step in range(8):
            low = left - 0.005 * (step + 1)
            axes.plot([low, low + 0.005], [row, row], **(bar | {"alpha": 0.8 - 0.1 * step}))
    if span.end == OPEN_END:
        axes.plot([right + 0.005], [row], ">", ms=9, color=colour, zorder=3, clip_on=False, mew=0)


# ---------------------------------------------------------------- the kernel


def moving(days: float, first: int, last: int, grain: Grain, mark: str = "") -> tuple[np.ndarray, SpanSet]:
    """Documents of one length whose middles move from one year to another; their middles in years."""
    middles = np.linspace(to_seconds(first), to_seconds(last), 1201).astype(np.int64)
    half = int(days * DAY / 2)
    certainty = Span.parse(f"1998{mark}").certainty
    docs = SpanSet(middles - half, middles + half, grains=grain, certainties=certainty)
    return 1970 + middles / Grain.YEAR.seconds, docs


def align_figure() -> Figure:
    """Four panels: what grain, certainty, length and relation do to the score."""
    figure, panels = plt.subplots(2, 2, figsize=(10.4, 6.6), sharey=True)
    figure.subplots_adjust(left=0.065, right=0.985, top=0.94, bottom=0.085, hspace=0.36, wspace=0.07)
    year = Span.year(1998)

    axes = panels[0, 0]
    axes.set_title("The grain of the question sets the reach of the score")
    for text, colour in (("199X", BLUE), ("1998", ORANGE), ("1998-07", GREEN)):
        years, docs = moving(1, 1980, 2018, Grain.DAY)
        axes.plot(years, align(Span.parse(text), docs), color=colour, label=f"asked for {text}")
    axes.set_xlabel("day of the document")

    axes = panels[0, 1]
    axes.set_title("Doubt flattens the fall and lowers the top")
    for query, mark, colour, label in (
        ("1998", "", ORANGE, "1998 against a certain year"),
        ("1998~", "", PURPLE, "1998~ against a certain year"),
        ("1998", "~", BLUE, "1998 against an approximate year"),
        ("1998", "?", GREEN, "1998 against an uncertain year"),
    ):
        years, docs = moving(365.2425, 1985, 2022, Grain.YEAR, mark)
        axes.plot(years, align(Span.parse(query), docs), color=colour, label=label)
    axes.set_xlabel("middle of the document's year")

    axes = panels[1, 0]
    axes.set_title("A longer document says less about 1998")
    for length, colour in ((1, BLUE), (3, ORANGE), (9, GREEN)):
        years, docs = moving(365.2425 * length, 1985, 2022, Grain.YEAR)
        label = "1 year long" if length == 1 else f"{length} years long"
        axes.plot(years, align(year, docs), color=colour, label=f"document {label}")
    axes.set_xlabel("middle of the document")

    axes = panels[1, 1]
    axes.set_title("Before and after keep their direction")
    for relation, colour in (("during", ORANGE), ("before", BLUE), ("after", GREEN), ("around", PURPLE)):
        years, docs = moving(365.2425, 1985, 2022, Grain.YEAR)
        axes.plot(years, align(year, docs, relation), color=colour, label=f"{relation} 1998")
    axes.set_xlabel("middle of the document's year")

    for axes in panels.flat:
        axes.axvspan(1998, 1999, color="#eef1f4", zorder=0, lw=0)
        axes.set_ylim(0, 1.04)
        axes.margins(x=0)
        axes.legend(loc="upper right", handlelength=1.5)
    panels[1, 1].legend(loc="center right", handlelength=1.5)
    for axes in panels[:, 0]:
        axes.set_ylabel("align")
    return figure


# ---------------------------------------------------------------- freshness


def freshness_figure() -> Figure:
    """Two panels: the four curves, and the three policies for the future."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 3.7), sharey=True)
    figure.subplots_adjust(left=0.065, right=0.985, top=0.9, bottom=0.15, wspace=0.07)
    now = Span.day(2026, 11, 15)
    ages = np.linspace(0, 120, 1201)
    docs = SpanSet((now.start - ages * DAY).astype(np.int64) - DAY, (now.start - ages * DAY).astype(np.int64))
    left.set_title("Four curves, scale 30 days")
    for curve, colour in (
        (Exponential(scale=30 * DAY), BLUE),
        (Gaussian(scale=30 * DAY), ORANGE),
        (Linear(scale=30 * DAY), GREEN),
        (Steps(((7 * DAY, 0.7), (30 * DAY, 0.3), (90 * DAY, 0.1))), PURPLE),
    ):
        left.plot(ages, freshness(docs, now, curve), color=colour, label=type(curve).__name__)
    left.axvline(30, color=RULE, lw=1, zorder=0)
    left.axhline(0.5, color=RULE, lw=1, zorder=0)
    left.set_xlabel("age in days")
    left.set_ylabel("freshness")
    right.set_title("Three policies for the future, Gaussian, offset 7 days")
    edges = (now.start + np.linspace(-90, 90, 1801) * DAY).astype(np.int64)
    around = SpanSet(edges, edges + DAY)
    for future, colour, style in (
        ("as_new", BLUE, "-"),
        ("mirror", ORANGE, (0, (5, 1.5))),
        ("zero", GREEN, (0, (1.5, 1))),
    ):
        scores = freshness(around, now, Gaussian(scale=30 * DAY, offset=7 * DAY), future=future)
        right.plot(np.linspace(-90, 90, 1801), scores, color=colour, ls=style, label=future)
    right.axvline(0, color=RULE, lw=1, zorder=0)
    right.set_xlabel("days from now (the future to the right)")
    for axes in (left, right):
        axes.set_ylim(0, 1.05)
        axes.margins(x=0)
    left.legend(loc="upper right", handlelength=1.7)
    right.legend(loc="center right", handlelength=2.2)
    return figure


# ---------------------------------------------------------------- reliability


def reliability_figure() -> Figure:
    """For each corpus left out: how often hits answer, by the probability that is stated for them."""
    rows = json.loads((RESULTS / "order_and_truth.json").read_text(encoding="utf-8"))["rows"]
    measured = [row for row in rows if row["what"] == "Epochal" and row["kind"] == "all" and "hit bins" in row]
    figure, panels = plt.subplots(3, 4, figsize=(10.4, 7.6), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.06, right=0.985, top=0.95, bottom=0.07, wspace=0.08, hspace=0.25)
    for axes in panels.flat[len(measured) :]:
        axes.set_visible(False)
    for axes, row in zip(panels.flat, measured, strict=False):
        bins = [(mean, share, count) for _, _, count, mean, share in row["hit bins"] if count]
        means, shares, counts = zip(*bins, strict=True)
        axes.plot([0, 1], [0, 1], color=RULE, lw=1, zorder=0)
        axes.plot(means, shares, color=BLUE, lw=1)
        axes.scatter(means, shares, s=[6 + 90 * count / sum(counts) for count in counts], color=BLUE, zorder=3)
        axes.set_title(f"{row['corpus']} (error {row['hit calibration error']:.3f})", fontsize=9)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
    figure.supxlabel("stated probability that a hit answers", fontsize=9)
    figure.supylabel("share that does", fontsize=9)
    return figure


FIGURES = {"demo": demo, "align": align_figure, "freshness": freshness_figure, "reliability": reliability_figure}

if __name__ == "__main__":
    main()
