"""HTML pages as they are on the web, and PDF files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epochal.errors import InputError, MissingExtraError
from epochal.storage.importers import read
from epochal.storage.importers.html_pages import html_text, parse_html

PAGE = """<!doctype html>
<html><head><title>Fees rise | The Herald</title>
<meta property="og:title" content="Fees rise">
<meta property="article:published_time" content="2019-03-01T10:00:00Z">
<style>p {}</style></head>
<body>
<header><a href="/">The Herald</a></header>
<nav><a href="/">Home</a><a href="/news">News</a></nav>
<div class="cookie-banner">We use cookies.</div>
<svg><title>Arrow</title></svg>
<article><h1>Fees rise</h1><p class="byline">By Ann <time datetime="2018-01-01">1 January</time></p>
<p>The fee is 4 euros,
 says the <b>council</b>.<p>It was 3 euros.
<table><tr><td>Dogs</td><td>9</td></tr></table>
<pre>one
two</pre>
<div class="related"><a href="a">Ten more dogs</a></div>
<ul><li><a href="a">Share this page</a><li><a href="b">Mail this page</a><li><a href="c">Print this page</a></ul>
<div hidden>Never shown.</div></article>
<aside>Most read</aside><footer>Imprint</footer></body></html>"""


def test_page_without_its_surroundings() -> None:
    page = parse_html(PAGE)
    assert page.text == (
        "Fees rise\n\nBy Ann 1 January\n\nThe fee is 4 euros, says the council.\n\nIt was 3 euros.\n\nDogs 9\n\n"
        "one\ntwo"
    )
    assert page.title == "Fees rise"
    assert page.date == "2019-03-01T10:00:00Z"


@pytest.mark.parametrize(
    ("head", "body", "date"),
    [
        ('<meta name="date" content="2001-02-03">', "", "2001-02-03"),
        # JSON-LD is often no valid JSON, and says more of a page than a plain date.
        (
            '<meta name="date" content="2001-02-03"><script type="application/ld+json">{"@graph": [{"datePublished": '
            '"2004-05-06", "text": "a\nb",}]}</script>',
            "",
            "2004-05-06",
        ),
        ("", '<span itemprop="datePublished" content="2004-05-06">May</span>', "2004-05-06"),
        ("", '<time datetime="2004-05-06">6 May</time><time datetime="2003-01-01"></time>', "2004-05-06"),
        ("", '<nav><time datetime="2003-01-01"></time></nav><time datetime="2004-05-06"></time>', "2004-05-06"),
        ("", '<time datetime="2003-01-01"></time><time pubdate datetime="2004-05-06"></time>', "2004-05-06"),
        ("", '<time datetime="12:06"></time>', ""),
        ("", "<p>2004</p>", ""),
    ],
)
def test_date_of_a_page(head: str, body: str, date: str) -> None:
    assert parse_html(f"<html><head>{head}</head><body>{body}<p>Text.</p></body></html>").date == date


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title>Fees &amp; dogs</title>", "Fees & dogs"),
        ("<title>Fees - The Herald</title><h1>Fees</h1>", "Fees"),
        ("<title>The Herald</title><h1>Fees</h1>", "The Herald"),
        ("<h1>Fees</h1><p>Text.</p>", "Fees"),
        ("<svg><title>Arrow</title></svg><p>Text.</p>", ""),
    ],
)
def test_title_of_a_page(source: str, title: str) -> None:
    assert parse_html(source).title == title


def test_page_without_an_article() -> None:
    assert parse_html("<div class='main-content sidebar'><p>Rain.</p></div><p>Sun.").text == "Rain.\n\nSun."
    # Where all seems to be a menu, the page is one, and its text is all that there is.
    assert parse_html("<ul><li><a>One</a><li><a>Two</a><li><a>Three</a></ul>").text == "One\n\nTwo\n\nThree"
    assert html_text("<nav>Menu</nav><p>Text</p>") == "Menu\n\nText"
    assert parse_html("<div>" * 5000 + "deep").text == "deep"


def test_encodings(tmp_path: Path) -> None:
    page = "<html><head><meta charset=iso-8859-1></head><body><p>Café – 4 €</p></body></html>"
    (tmp_path / "a.html").write_bytes(page.encode("cp1252"))
    (document,) = read(tmp_path / "a.html", strict=True)
    assert document.text == "Café – 4 €"
    (tmp_path / "b.html").write_bytes("<p>Café</p>".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        list(read(tmp_path / "b.html", strict=True))


def make_pdf(lines: list[str], info: str = "") -> bytes:
    """A PDF of one page."""
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    content = f"BT /F1 12 Tf 72 720 Td {shown}ET" if lines else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {info} >>",
    ]
    text, places = "%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{item}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 7\n0000000000 65535 f \n{table}trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\n"
    return f"{text}{end}startxref\n{len(text)}\n%%EOF\n".encode("latin-1")


def test_pdf(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    info = "/Title (The fees) /Author (Ann) /CreationDate (D:20190301120000Z)"
    (tmp_path / "made.pdf").write_bytes(make_pdf(["The fee is 4 eu-", "ros for dogs."], info))
    (tmp_path / "dated.pdf").write_bytes(make_pdf(["Fees", "Published: 4 May 2018", "The fee is 3 euros."], info))
    (tmp_path / "scan.pdf").write_bytes(make_pdf([]))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (tmp_path / "note.md").write_text("# Note")
    reading = read(tmp_path)
    documents = {document.id: document for document in reading}
    assert list(documents) == ["dated.pdf", "made.pdf", "note.md"]
    made = documents["made.pdf"]
    assert (made.text, made.title, made.meta) == ("The fee is 4 euros for dogs.", "The fees", {"author": "Ann"})
    # What the text states counts before the metadata.
    assert [str(documents[id].published) for id in ("made.pdf", "dated.pdf")] == ["2019-03-01", "2018-05-04"]
    assert ("made.pdf", made.published, "CreationDate of the PDF: 2019-03-01") in reading.dated_examples
    assert sorted(problem.problem.partition(":")[0] for problem in reading.problems) == [
        "cannot be read as PDF",
        "the PDF has no text; pages that are pictures must go through OCR first",
    ]
    (undated,) = read(tmp_path / "made.pdf", dates_from="none")
    assert undated.published is None


def test_pdf_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tmp_path / "a.pdf").write_bytes(make_pdf(["The fee"]))
    for source in (tmp_path, tmp_path / "a.pdf"):
        with pytest.raises(MissingExtraError, match=r"pip install 'epochal\[pdf\]'"):
            read(source)
    # Beside other files it is a bad row, and they are read.
    (tmp_path / "b.md").write_text("B.")
    reading = read(tmp_path)
    assert [document.id for document in reading] == ["b.md"]
    assert "epochal[pdf]" in str(reading.problems[0])
