"""What an audit finds: findings with examples and advice, and the report that holds them.

A report as a page: HTML with its pictures drawn in it and nothing loaded from anywhere, or Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from html import escape
from typing import Any, Final

from epochal.errors import UnknownNameError
from epochal.times.span import Span

#: How many documents a finding names.
SHOWN: Final = 3
#: The two ways to search that are compared for stale versions.
PLAIN: Final = "plain hybrid search"
WITH_TIME: Final = "Epochal"


class Severity(IntEnum):
    """How much a finding matters: a note is worth knowing, a warning costs answers, an error gives wrong ones."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        """Its name in small letters."""
        return self.name.lower()

    @classmethod
    def named(cls, name: str) -> Severity:
        """The severity of a name."""
        for severity in cls:
            if severity.label == name:
                return severity
        raise UnknownNameError("severity", name, [severity.label for severity in cls])


@dataclass(frozen=True, slots=True)
class Example:
    """A document that shows what a finding means, and a few words on it."""

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing that was found: how many documents or groups have it, some of them, and what to do about it."""

    code: str
    severity: Severity
    title: str
    count: int
    examples: tuple[Example, ...]
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "code": self.code,
            "severity": self.severity.label,
            "title": self.title,
            "count": self.count,
            "examples": [{"id": example.id, "words": example.words} for example in self.examples],
            "advice": self.advice,
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """How many documents fall into each of a row of periods."""

    periods: tuple[Span, ...]
    counts: tuple[int, ...]

    @property
    def most(self) -> int:
        """The largest count; 0 where there is none."""
        return max(self.counts, default=0)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What is known of a collection in time, findings by severity, and the shares of chains that rank stale.

    `facts` are counts by name, `spread` is by date of publication (or by content where no document has one), `stale`
    says for each way to search in how many of the tried chains an older version ranked above the newest.
    """

    source: str
    now: Span | None
    facts: Mapping[str, int | float | str]
    spread: Spread
    findings: tuple[AuditFinding, ...]
    stale: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding."""
        return max((finding.severity for finding in self.findings), default=None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "source": self.source,
            "now": None if self.now is None else self.now.edtf(),
            "facts": dict(self.facts),
            "spread": {
                "periods": [span.edtf() for span in self.spread.periods],
                "counts": list(self.spread.counts),
            },
            "findings": [finding.to_dict() for finding in self.findings],
            "stale": dict(self.stale),
        }


_WIDTH: Final = 900
_HEIGHT: Final = 150
_LABELS: Final = 6
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #667; --bar: #3b6ea5; --line: #d7dbe0;
  --note: #5b7083; --warning: #b26a00; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --paper: #16191d; --soft: #9aa3ad; --bar: #7fb0e6;
  --line: #343a42; --note: #9bb0c3; --warning: #f0a94a; --error: #f2857d; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
article { border-left: .3rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1rem 0; }
article.note { border-color: var(--note); } article.warning { border-color: var(--warning); }
article.error { border-color: var(--error); }
article h3 { font-size: 1rem; margin: .2rem 0; } .level { font-size: .8rem; text-transform: uppercase; }
.note .level { color: var(--note); } .warning .level { color: var(--warning); } .error .level { color: var(--error); }
.soft, li { color: var(--soft); } code { overflow-wrap: anywhere; color: var(--ink); }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
svg rect { fill: var(--bar); } svg line { stroke: var(--line); }
"""


def format_html(report: AuditReport) -> str:
    """The report as one HTML file."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Audit of {escape(report.source)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Audit of {escape(report.source)}</h1>",
        f'<p class="soft">{escape(_format_summary(report))}</p>',
        _draw_bars(report.spread),
        "<h2>What there is</h2><table>",
        *(
            f'<tr><td>{escape(name)}</td><td class="number">{escape(_format_number(value))}</td></tr>'
            for name, value in report.facts.items()
        ),
        "</table>",
        _draw_stale_bars(report),
        "<h2>What was found</h2>",
        *(_render_finding(finding) for finding in report.findings),
        "" if report.findings else "<p>Nothing that needs attention.</p>",
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def format_markdown(report: AuditReport) -> str:
    """The report as Markdown."""
    lines = [f"# Audit of {report.source}", "", _format_summary(report), "", "| | |", "|---|---:|"]
    lines += [
        f"| {_escape_cell(name)} | {_escape_cell(_format_number(value))} |" for name, value in report.facts.items()
    ]
    if report.stale:
        lines += ["", f"| of {report.stale['chains']} documents with versions, asked for by name | stale first |"]
        lines += ["|---|---:|", *(f"| {way} | {report.stale[way]} |" for way in (PLAIN, WITH_TIME))]
    for finding in report.findings:
        lines += [
            "",
            f"## {finding.severity.label}: {finding.count:,} {_escape_cell(finding.title)}",
            "",
            finding.advice,
            "",
        ]
        lines += [f"- `{example.id}`: {_escape_cell(example.words)}" for example in finding.examples]
    return "\n".join(lines) + "\n"


def _format_summary(report: AuditReport) -> str:
    if not report.findings:
        return "Nothing that needs attention was found."
    counts: dict[str, int] = {}
    for finding in report.findings:
        counts[finding.severity.label] = counts.get(finding.severity.label, 0) + 1
    caption = ", ".join(f"{count} {label}{'s' if count > 1 else ''}" for label, count in counts.items())
    present = f"; the present is {report.now}" if report.now is not None else ""
    return f"{caption}{present}."


def _format_number(value: int | float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _render_finding(finding: AuditFinding) -> str:
    examples = "".join(
        f"<li><code>{escape(example.id)}</code> {escape(example.words)}</li>" for example in finding.examples
    )
    label = finding.severity.label
    return (
        f'<article class="{label}"><span class="level">{label}</span>'
        f"<h3>{finding.count:,} {escape(finding.title)}</h3>"
        f"<p>{escape(finding.advice)}</p><ul>{examples}</ul></article>"
    )


def _draw_bars(spread: Spread) -> str:
    """The documents over time."""
    if not spread.periods:
        return ""
    step = _WIDTH / len(spread.periods)
    rects = []
    for position, (period, count) in enumerate(zip(spread.periods, spread.counts, strict=True)):
        if count:
            high = max(1.0, count / spread.most * _HEIGHT)
            rects.append(
                f'<rect x="{position * step:.1f}" y="{_HEIGHT - high:.1f}" width="{max(step - 1, 0.5):.1f}" '
                f'height="{high:.1f}"><title>{escape(period.describe())}: {count:,}</title></rect>'
            )
    every = max(1, len(spread.periods) // _LABELS)
    labels = [
        f'<text x="{position * step:.1f}" y="{_HEIGHT + 18}">{escape(spread.periods[position].describe())}</text>'
        for position in range(0, len(spread.periods) - every // 2, every)
    ]
    axis = f'<line x1="0" y1="{_HEIGHT}" x2="{_WIDTH}" y2="{_HEIGHT}"/>'
    caption = f"Documents over time; at most {spread.most:,} in one bar"
    return (
        f'<h2>{caption}</h2><svg viewBox="0 0 {_WIDTH} {_HEIGHT + 26}" role="img" aria-label="{caption}">'
        f"{''.join(rects)}{axis}{''.join(labels)}</svg>"
    )


def _draw_stale_bars(report: AuditReport) -> str:
    """For each way to search the share of chains of which an older version came first."""
    if not report.stale:
        return ""
    chains = int(report.stale["chains"])
    rows = []
    for position, way in enumerate((PLAIN, WITH_TIME)):
        count = int(report.stale[way])
        width = count / chains * (_WIDTH - 330)
        rows.append(
            f'<text x="0" y="{position * 30 + 19}">{escape(way)}</text>'
            f'<rect x="180" y="{position * 30 + 5}" width="{width:.1f}" height="20"/>'
            f'<text x="{190 + width:.1f}" y="{position * 30 + 19}">{count} of {chains}</text>'
        )
    return (
        "<h2>Asked for by name, an older version comes first</h2>"
        f'<svg viewBox="0 0 {_WIDTH} 64" role="img" aria-label="stale versions">{"".join(rows)}</svg>'
    )
