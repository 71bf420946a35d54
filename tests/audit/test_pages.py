"""A report as a page: nothing is loaded from elsewhere, and nothing of a document can break it."""

from __future__ import annotations

from html.parser import HTMLParser

from epochal.audit.audit import audit
from epochal.audit.report import AuditFinding, AuditReport, Example, Severity, Spread, format_html, format_markdown
from epochal.storage.records import Document
from epochal.times import Span

NASTY = "<script>alert('x')</script> | `a`"
REPORT = AuditReport(
    NASTY,
    Span.parse("2026-11-15"),
    {"documents": 1200, "first published": "1998"},
    Spread((Span.year(1998), Span.year(1999)), (3, 1)),
    (AuditFinding("gaps", Severity.WARNING, NASTY, 2, (Example(NASTY, NASTY),), "Mend it."),),
    {"chains": 10, "plain hybrid search": 9, "Epochal": 1},
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "line", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in ("rect",):
            assert self.open.pop() == tag


def test_html_is_whole_and_loads_nothing():
    tags = Tags()
    tags.feed(format_html(REPORT))
    assert tags.open == []
    names = [name for name, _ in tags.seen]
    assert "script" not in names
    assert names.count("svg") == 2
    assert not {"src", "href"} & {key for _, keys in tags.seen for key in keys}


def test_bars_are_as_high_as_their_counts():
    tags = Tags()
    tags.feed(format_html(REPORT))
    heights = [float(keys["height"]) for name, keys in tags.seen if name == "rect" and "y" in keys][:2]
    assert heights[0] == 3 * heights[1]


def test_markdown_keeps_its_tables():
    text = format_markdown(REPORT)
    assert "| documents | 1,200 |" in text
    assert "| plain hybrid search | 9 |" in text
    assert "## warning: 2 " in text
    assert "\\|" in text


def test_a_healthy_collection_says_so():
    documents = [Document(str(day), f"Rain {day}.", published=Span.day(2024, 5, day)) for day in range(1, 9)]
    report = audit(documents, now=Span.parse("2026-11-15"), search=False)
    assert report.findings == ()
    assert "Nothing that needs attention" in format_html(report)
    assert "Nothing that needs attention" in format_markdown(report)
