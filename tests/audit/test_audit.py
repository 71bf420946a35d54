"""Each ill of a collection is found, counted and shown with examples; a healthy one has none."""

from __future__ import annotations

import datetime as dt

import pytest

from epochal.api import Index
from epochal.audit.audit import audit
from epochal.audit.report import PLAIN, WITH_TIME, Severity
from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span

NOW = Span.parse("2026-11-15")
THINGS = (
    "mast sail keel helm rope chart lamp bell oar deck hull stern bow cabin galley flag knot wave tide reef".split()
)


def log(count: int = 60, step: int = 3) -> list[Document]:
    """A healthy collection: a page every third day, each of its own."""
    first = dt.date(2024, 1, 2)
    return [
        Document(
            f"page-{number:02}",
            f"{THINGS[number % 20]} and {THINGS[number * 7 % 20]} were seen to, as {number * 37 % 101} men sang.",
            published=Span.of(first + dt.timedelta(days=number * step)),
        )
        for number in range(count)
    ]


def found(documents, code: str, **options):
    report = audit(documents, now=NOW, search=False, **options)
    return next((finding for finding in report.findings if finding.code == code), None)


def test_a_healthy_collection_has_no_findings():
    report = audit(log(), now=NOW)
    assert report.findings == ()
    assert report.worst is None
    assert report.facts["documents"] == 60
    assert sum(report.spread.counts) == 60
    assert report.facts["first published"] == "2 January 2024"


@pytest.mark.parametrize(("bare", "severity"), [(1, "note"), (10, "warning"), (80, "error")])
def test_undated(bare, severity):
    documents = [*log(), *(Document(f"bare-{number}", f"A bare page, {number}.") for number in range(bare))]
    finding = found(documents, "undated")
    assert (finding.count, finding.severity.label) == (bare, severity)
    assert finding.examples[0].id == "bare-0"
    assert len(finding.examples) == min(3, bare)


def test_stated_but_not_published():
    finding = found([*log(), Document("story", "In 1843 the mast broke.")], "unpublished")
    assert (finding.count, finding.examples[0].id) == (1, "story")


def test_future():
    late = Document("late", "Rain.", published=Span.parse("2027-01-01"))
    finding = found([*log(), late], "future")
    assert (finding.count, finding.severity) == (1, Severity.ERROR)
    assert found([*log(), Document("today", "Rain.", published=NOW)], "future") is None
    assert not [item for item in audit([*log(), late], search=False).findings if item.code == "future"]


def test_speaking_of_the_future():
    plan = Document("plan", "The hull will be painted in 2031.", published=Span.parse("2024-02-02"))
    finding = found([*log(), plan], "ahead")
    assert finding.examples[0].words == "mentions 2031"


@pytest.mark.parametrize("date", ["0002-05-01", "1970-01-01", "9999-12-31"])
def test_implausible(date):
    finding = found([*log(), Document("odd", "Rain.", published=Span.parse(date))], "implausible")
    assert (finding.count, finding.examples[0].id) == (1, "odd")


def test_old_dates_of_an_old_collection_are_believed():
    old = [Document(str(year), f"Rain {year}.", published=Span.year(year)) for year in range(800, 900)]
    assert found(old, "implausible") is None
    seventies = [Document(str(day), f"Sun {day}", published=Span.day(1970, 1, day)) for day in range(1, 29)]
    assert found(seventies, "implausible") is None


def test_titles_at_odds():
    moved = Document("moved", "Rain.", "Report of 3 May 2011", Span.parse("2024-03-01"))
    near = Document("near", "Rain.", "Report of 28 February 2024", Span.parse("2024-03-01"))
    finding = found([*log(), moved, near], "title")
    assert (finding.count, finding.examples[0].id) == (1, "moved")


def test_gaps():
    documents = [*log(), Document("again", "The bell rang anew.", published=Span.parse("2025-06-01"))]
    finding = found(documents, "gaps")
    assert (finding.count, finding.examples[0].id) == (1, "again")
    assert "nothing for 338 days" in finding.examples[0].words


def test_copies_and_their_dates():
    twin = Document("twin", log()[0].text.upper(), published=Span.parse("2024-06-01"))
    finding = found([*log(), twin], "copies")
    assert (finding.count, finding.severity) == (1, Severity.WARNING)
    assert finding.examples[0].words == "like twin, 151 days apart"
    near = Document("twin", log()[0].text, published=Span.parse("2024-01-03"))
    assert found([*log(), near], "copies").severity is Severity.NOTE


def versions(*dates: str | None, texts: str = "abcdef") -> list[Document]:
    return [
        Document(f"v{number}", f"The toll is {text}.", "Toll", date and Span.parse(date), series="toll")
        for number, (date, text) in enumerate(zip(dates, texts, strict=False))
    ]


def test_series():
    assert found([*log(), *versions("2024-01-05", None)], "series-undated").severity is Severity.ERROR
    assert found([*log(), *versions("2024-01-05", "2024-01-05")], "series-equal").count == 1
    assert found([*log(), *versions("2024-01-05", "2024-02-05", texts="aa")], "series-repeated").count == 1
    healthy = [*log(), *versions("2024-01-05", "2024-02-05")]
    assert audit(healthy, now=NOW, search=False).findings == ()


def test_stale_versions():
    documents = [
        Document(
            f"{name}-{year}",
            f"The {name} rules. " * (2020 - year) + f"It costs {year % 100} euros.",
            f"Rules of the {name}",
            Span.year(year),
            series=name,
        )
        for name in THINGS[:10]
        for year in (2010, 2015, 2019)
    ]
    report = audit(documents, now=NOW)
    assert report.stale["chains"] == 10
    # The oldest name their subject most often, so that words alone bring them first.
    assert report.stale[PLAIN] >= 8
    assert report.stale[WITH_TIME] == 0
    (finding,) = [item for item in report.findings if item.code == "stale"]
    assert finding.severity is Severity.NOTE


def test_refused_rows(tmp_path):
    rows = ['{"id": "a", "text": "Rain.", "date": "2024-01-02"}', '{"id": "b", "text": "Sun.", "date": "03/04/2005"}',
            '{"text": "Hail."}', "not json"]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    report = audit(path, now=NOW, search=False)
    counts = {finding.code: finding.count for finding in report.findings}
    assert counts == {"refused-dates": 1, "refused-rows": 2, "undated": 1}
    assert (report.facts["rows passed over"], report.facts["dates that cannot be read"]) == (2, 1)


def test_an_index_is_asked_itself(tmp_path):
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([*log(), *versions("2024-01-05", "2024-02-05")])
    report = audit(tmp_path / "index", now=NOW)
    assert report.facts["documents"] == 62
    assert report.stale["chains"] == 1


def test_nothing_to_look_at():
    with pytest.raises(EpochalError, match="holds no document that can be read"):
        audit([])


def test_worst_first():
    documents = [*log(), Document("bare", "A bare page."), Document("late", "Rain.", published=Span.parse("2029"))]
    severities = [finding.severity for finding in audit(documents, now=NOW, search=False).findings]
    assert severities == sorted(severities, reverse=True)
    assert len(severities) >= 2
