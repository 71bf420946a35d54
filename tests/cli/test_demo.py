"""`epochal demo`, and the corpus that it asks."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from collections import Counter

import pytest

from epochal.cli import demo, main
from epochal.times import Span, resolve
from paths import DATA, ROOT, needs_data

EVENTS = DATA / "current_events" / "events.jsonl.gz"


@pytest.fixture
def rows() -> list[dict[str, str]]:
    with demo.open_corpus() as path:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def builder():
    spec = importlib.util.spec_from_file_location("build_demo_corpus", ROOT / "tools" / "build_demo_corpus.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_whole_demo(capsys):
    assert main(["demo", "--encoder", "none"]) == 0
    out, err = capsys.readouterr()
    # A slow machine reports how far it is.
    assert [line for line in err.splitlines() if not line.startswith("epochal: indexing: ")] == []
    scenes = re.split(r"^── \d+\. ", out, flags=re.MULTILINE)[1:]
    assert len(scenes) == len(demo.SCENES) + 1
    for scene, text in zip(demo.SCENES, scenes[:-1], strict=True):
        assert text.startswith(scene.title)
        assert f"$ {scene.command} -k 4 --now {demo.NOW}" in text
        assert f"question    {scene.question}" in text
        assert re.search(r"^ 1  \d{4}-\d\d-\d\d ", text, re.MULTILINE), scene.title
        assert ("\ndocuments" in text) == scene.picture
        assert ("Why the first:" in text) == scene.explained
    (gap,) = (text for text in scenes if text.startswith("A time of which the index has no records"))
    assert "Not covered: " in gap
    (past,) = (text for text in scenes if text.startswith("What was known by then"))
    assert re.search(r"hidden      1,\d{3} documents: ", past)
    years = [int(year) for year in re.findall(r"^ \d  (\d{4})-", past, re.MULTILINE)]
    assert max(years) <= 2012


def test_every_expression_has_its_span(capsys):
    from epochal.cli.rendering.terminal import Page

    demo._show_calendars(Page())
    lines = capsys.readouterr().out.splitlines()
    for text in demo._EXPRESSIONS:
        span = resolve(text)[0].span
        row = next(line for line in lines if line.startswith(f"{text} "))
        assert f" {span.edtf()} " in row
        assert row.endswith(span.describe())


# ---------------------------------------------------------------- the corpus


def test_the_corpus_is_sound(rows):
    assert 2_000 <= len(rows) <= 3_000
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(Span.parse(row["published"]).days == 1 for row in rows)
    assert rows == sorted(rows, key=lambda row: row["published"])
    assert max(row["published"] for row in rows) <= demo.NOW
    assert not any(re.search(r"https?:|\[\[|<ref", row["text"]) for row in rows)


def test_the_number_that_is_reported_is_the_number(rows, capsys):
    with pytest.raises(SystemExit):
        main(["demo", "--help"])
    assert f"{len(rows):,} news items" in " ".join(capsys.readouterr().out.split())
    licence = (ROOT / "packages" / "epochal" / "src" / "epochal" / "cli" / "demo_data" / "LICENCE.txt").read_text(
        encoding="utf-8"
    )
    assert f"{len(rows):,} news items" in licence
    assert "https://creativecommons.org/licenses/by-sa/4.0/" in licence


def test_months_that_were_left_out_are_empty(rows, builder):
    months = Counter(row["published"][:7] for row in rows)
    assert not set(builder.LEFT_OUT) & set(months)
    assert {"2014-04", "2014-10"} <= set(months)


def test_what_is_taken(builder):
    items = [
        {
            "date": "2010-01-12",
            "text": "A magnitude 7.0 earthquake strikes Haiti, the largest there in years. (BBC) (AP)",
        },
        {"date": "2010-01-12", "text": "A magnitude 7.0 earthquake strikes Haiti, the largest there in years. (CNN)"},
        {
            "date": "2010-01-12",
            "text": "A magnitude 5.9 earthquake follows the first one, say geologists. https://a.org/b",
        },
        {"date": "2010-01-12", "text": "Parliament debates the budget for the coming year at great length today."},
        {"date": "2014-07-01", "text": "A volcano erupts on an island, and thousands of people leave their homes."},
        {"date": "2010-01-13", "text": "Volcano erupts."},
    ]
    assert list(builder.chosen(items)) == [
        {
            "id": "2010-01-12-1",
            "text": "A magnitude 7.0 earthquake strikes Haiti, the largest there in years.",
            "published": "2010-01-12",
            "topic": "earth",
        },
        {
            "id": "2010-01-12-2",
            "text": "A magnitude 5.9 earthquake follows the first one, say geologists.",
            "published": "2010-01-12",
            "topic": "earth",
        },
    ]


@needs_data("current_events/events.jsonl.gz")
def test_the_corpus_is_what_its_builder_makes(rows, builder):
    with gzip.open(EVENTS, "rt", encoding="utf-8") as lines:
        assert list(builder.chosen(json.loads(line) for line in lines)) == rows
