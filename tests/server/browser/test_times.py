"""The page's own reckoning of time against the package's, over eras and grains."""

from __future__ import annotations

import random

import pytest

from epochal import Span

CALL = """async ([name, rows]) => {
  const times = await import("/static/times.js");
  return rows.map((row) => times[name](...row));
}"""


@pytest.fixture
def call(page, demo):
    page.goto(demo())
    return lambda name, rows: page.evaluate(CALL, [name, rows])


def edtf_texts():
    selected = random.Random(7)
    years = [selected.randint(-4000, 3000) for _ in range(150)] + [-1, 0, 1, 4, 100, 400, 1582, 1900, 2000, 9999, -9999]
    for year in years:
        text = f"{'-' if year < 0 else ''}{abs(year):04}"
        yield text
        yield f"{text}-{selected.randint(1, 12):02}"
        yield f"{text}-{selected.randint(1, 12):02}-{selected.randint(1, 28):02}"
    yield from (
        "2000-02-29",
        "1900-02-28",
        "Y12000",
        "Y-12000",
        "2010-03/2011-06",
        "-0721/-0480",
        "1999-12-31/2000-01-01",
    )


def test_edtf_is_read_as_the_package_reads_it(call):
    texts = list(edtf_texts())
    read = call("plainRange", [[text] for text in texts])
    for text, range_ in zip(texts, read, strict=True):
        span = Span.parse(text)
        assert range_ == {"start": span.start, "end": span.end}, text


def test_edtf_is_written_as_the_package_writes_it(call):
    texts = [text for text in edtf_texts() if "/" not in text]
    grains = {0: "year", 1: "month", 2: "day"}
    rows = [[Span.parse(text).start, grains[text.lstrip("-").count("-") if "Y" not in text else 0]] for text in texts]
    assert call("edtfOf", rows) == [Span.parse(text).edtf() for text in texts]


@pytest.mark.parametrize("text", ["2000-02-30", "2001-13", "1984~", "156X", "..", "2004/", "2005/2004", "words", ""])
def test_other_forms_are_left_to_the_server(call, text):
    assert call("plainRange", [[text]]) == [None]


def test_words_are_those_of_the_package(call):
    texts = list(edtf_texts())
    rows = [[Span.parse(text).start, Span.parse(text).end] for text in texts]
    for text, words in zip(texts, call("spanWords", rows), strict=True):
        assert words == Span.parse(text).describe().removeprefix("from "), text


def test_open_and_doubtful_spans_in_words(call):
    rows = [[None, Span.year(2001).end], [Span.year(2001).start, None], [None, None]]
    assert call("spanWords", rows) == ["until 2001", "since 2001", "any time"]
    year = Span.year(1984)
    assert call("spanWords", [[year.start, year.end, "1984~"], [year.start, year.end, "1984?"]]) == [
        "about 1984",
        "perhaps 1984",
    ]


def test_ticks_are_units_and_never_crowd(page, demo):
    page.goto(demo())
    selected = random.Random(3)
    views = []
    for _ in range(200):
        size = 86400 * 10 ** selected.uniform(0.5, 7)
        start = selected.uniform(-3e11, 5e10)
        views.append([start, start + size])
    result = page.evaluate(
        """async (views) => {
          const { ticks } = await import("/static/axis.js");
          return views.map(([start, end]) => ticks(start, end, 12));
        }""",
        views,
    )
    for (start, end), row in zip(views, result, strict=True):
        positions = [tick["at"] for tick in row]
        assert positions == sorted(set(positions))
        assert all(start <= at < end and at % 86400 == 0 for at in positions)
        assert 2 <= len(row) <= 17, (start, end, len(row))
        assert all(tick["label"] for tick in row)
