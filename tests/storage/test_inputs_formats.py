"""Files as people have them: JSON lists, reStructuredText, HTML, mail, feeds; dates that a text states itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.errors import InputError, UnknownNameError
from epochal.storage.importers.read import read
from epochal.storage.importers.text_dates import find_date
from epochal.times import Span

MAIL = """From: Ada <ada@example.org>
To: list@example.org
Subject: =?utf-8?q?The_caf=C3=A9_is_closed?=
Date: Tue, 14 May 2024 10:15:00 +0200
Message-ID: <1@example.org>

It opens again on Friday.
"""
RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>Rain</title><guid>n1</guid><pubDate>Tue, 14 May 2024 10:15:00 GMT</pubDate>
<description>&lt;p&gt;It &lt;b&gt;rained&lt;/b&gt;.&lt;/p&gt;</description><link>https://example.org/1</link></item>
</channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><id>n2</id><title>Sun</title><updated>2024-05-15T08:00:00Z</updated><link href="https://example.org/2"/>
<summary>The sun shone.</summary></entry></feed>"""


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"id": "a", "text": "Rain."}, {"id": "b", "text": "Sun."}]),
        json.dumps({"count": 2, "articles": [{"id": "a", "text": "Rain."}, {"id": "b", "text": "Sun."}]}),
        '{"id": "a", "text": "Rain."}\n{"id": "b", "text": "Sun."}\n',
    ],
)
def test_json_files(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    assert [document.id for document in read(tmp_path / "a.json")] == ["a", "b"]


def test_a_json_file_with_one_document_and_with_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": "a", "text": "Rain."}')
    assert [document.text for document in read(tmp_path / "a.json")] == ["Rain."]
    (tmp_path / "b.json").write_text("[1, 2]")
    reading = read(tmp_path / "b.json")
    assert list(reading) == []
    assert reading.bad == 2


def test_a_folder_of_pages_and_mail(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "a.rst").write_text("Release 2.1\n===========\n\n:release-date: 2015-04-22 05:30 p.m. UTC\n\nNew.\n")
    (tmp_path / "b.html").write_text(
        "<html><head><title>Fees</title><meta property='article:published_time' content='2019-03-01'></head>"
        "<body><script>x</script><p>The fee is 4 euros.</p></body></html>"
    )
    (tmp_path / "c.eml").write_text(MAIL)
    a, b, c = read(tmp_path)
    assert (a.title, a.published.edtf()) == ("Release 2.1", "2015-04-22T17:30Z")  # type: ignore[union-attr]
    assert (b.title, b.text, b.published) == ("Fees", "The fee is 4 euros.", Span.day(2019, 3, 1))
    assert (c.id, c.title, c.text.strip()) == ("1@example.org", "The café is closed", "It opens again on Friday.")
    assert c.published == Span.parse("2024-05-14T08:15:00Z")
    assert c.meta["from"] == "Ada <ada@example.org>"


def test_mbox(tmp_path: Path) -> None:
    second = MAIL.replace("<1@", "<2@").replace("Friday", "Monday")
    (tmp_path / "list.mbox").write_text(f"From ada Tue May 14 10:15:00 2024\n{MAIL}\nFrom ada x\n{second}")
    assert [document.id for document in read(tmp_path / "list.mbox")] == ["1@example.org", "2@example.org"]


def test_feeds(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text(RSS)
    (tmp_path / "b.atom").write_text(ATOM)
    (rain,) = read(tmp_path / "a.rss")
    assert (rain.id, rain.title, rain.text) == ("n1", "Rain", "It rained.")
    assert rain.published == Span.parse("2024-05-14T10:15:00Z")
    (sun,) = read(tmp_path / "b.atom")
    assert (sun.id, sun.text, sun.meta["link"]) == ("n2", "The sun shone.", "https://example.org/2")
    (tmp_path / "c.xml").write_text("<a/>")
    with pytest.raises(InputError, match="is no feed"):
        list(read(tmp_path / "c.xml"))


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("# A visit\n\n*4 May 2020*\n\nWe went.", "a.md", ("2020-05-04", "text")),
        ("Title\n=====\n\n:Date: 2020-05-04\n", "a.rst", ("2020-05-04", "text")),
        ("# A\n\nPublished: May 4, 2020 by Ada\n", "a.md", ("2020-05-04", "text")),
        ("# A\n\nPosted on 04 May 2020 | 3 min read\n", "a.md", ("2020-05-04", "text")),
        ("# A\n\n**Last updated:** 2020-05-04\n", "a.md", ("2020-05-04", "text")),
        (":release-date: 2020-05-04 8.55 P.M UTC+6:00\n", "a.rst", ("2020-05-04T14:55Z", "text")),
        (":release-date: 2020-05-04 10:10 P.M GMT+2\n", "a.rst", ("2020-05-04T20:10Z", "text")),
        ("# A\n\nVeröffentlicht\n\n4. Mai 2020\n", "a.md", ("2020-05-04", "text")),
        ("# 2.1\n\n(bugfix release, released on May 4th 2020)\n- New.", "a.md", ("2020-05-04", "text")),
        ("# 2.1\n\n[by Ada; updated May 4, 2020]\n", "a.md", ("2020-05-04", "text")),
        ("# Ada\n\n(an engineer, born on 4 May 2020)\n", "a.md", None),
        ("# Ada\n\nThe first album, released on 4 May 2020\n", "a.md", None),
        ("## 2.1.0 (2020-05-04)\n\n- New.", "changes.md", ("2020-05-04", "heading")),
        ("v2.1 - 4 May 2020\n\n- New.", "changes.txt", ("2020-05-04", "heading")),
        ("# The storm of 3 May 2019\n\nIt blew.", "2020-01-02-storm.md", ("2020-01-02", "file name")),
        ("# The storm\n\nPublished 3 May 2019", "2020-01-02-storm.md", ("2019-05-03", "text")),
        ("We went.", "journal/2020/03/04/visit.md", ("2020-03-04", "path")),
        ("We went.", "2020-03/visit.md", ("2020-03", "path")),
        ("We went.", "2020/visit.md", ("2020", "path")),
        ("It was on 4 May 2020 that we went to the harbour.\nIt rained.", "a.md", None),
        ("We went.\n\nIt was on 4 May 2020 that we went to the harbour.", "a.md", None),
        ("Version 2020 is out.", "a.md", None),
        ("We went.", "visit-12345678.md", None),
    ],
)
def test_the_date_that_a_text_states(text: str, path: str, expected: tuple[str, str] | None) -> None:
    found = find_date(text, path)
    assert (None if found is None else (found.span.edtf(), found.where)) == expected


def test_dates_from_text_are_counted_and_can_be_switched_off(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nPublished: 4 May 2020\n")
    (tmp_path / "b.md").write_text("---\ndate: 2019-01-01\n---\n# B\n\nPublished: 4 May 2020\n")
    (tmp_path / "c.md").write_text("# C\n\nNothing.\n")
    reading = read(tmp_path)
    assert [str(document.published) for document in reading] == ["2020-05-04", "2019-01-01", "None"]
    assert (reading.dated_by_text, reading.undated) == (1, 1)
    assert reading.dated_examples == [("a.md", Span.day(2020, 5, 4), "Published: 4 May 2020")]
    assert next(iter(read(tmp_path, dates_from="none"))).published is None
    with pytest.raises(UnknownNameError, match="no source of dates is called 'name'"):
        read(tmp_path, dates_from="name")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.txt", "============\nDjango 5.0.4\n============\n\n*April 3, 2024*\n", "Django 5.0.4"),
        ("a.txt", "Minutes of May\n--------------\nPresent: all.\n", "Minutes of May"),
        ("a.md", "Minutes of May\n==============\n", "Minutes of May"),
        ("a.rst", ".. _release:\n.. comment\n\nRelease 2.1\n===========\n", "Release 2.1"),
        ("a.txt", "Yes.\n--------------------------------\nOn Monday she wrote:\n", ""),
        ("a.txt", "Minutes of May\n\nPresent: all.\n", ""),
    ],
)
def test_titles_that_are_underlined(tmp_path: Path, name: str, text: str, title: str) -> None:
    (tmp_path / name).write_text(text)
    assert [document.title for document in read(tmp_path)] == [title]
