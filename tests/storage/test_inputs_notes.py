from __future__ import annotations

from pathlib import Path

import pytest

from epochal.errors import InputError
from epochal.storage.importers import read
from epochal.storage.importers.pages import FrontMatterError, front_matter
from epochal.storage.importers.text_dates import date_in_name

FULL = """---
# a comment
title: "Rain: a \\"history\\""
date: 2024-05-01  # the day
tags: [rain, 'the sea', 3]
authors:
  - Ann
  - Bob
places:
- Paris
draft: false
weight: 1.5
empty:
quote: 'it''s'
summary: >
  long
  text
lines: |
  one
    two
image:
  url: a.png
  sizes:
    - 1
    - 2
link: http://example.com/a#b
folded: one
  two
---
It rains.
"""


def test_front_matter() -> None:
    values, text = front_matter(FULL)
    assert text == "It rains.\n"
    assert values == {
        "title": 'Rain: a "history"',
        "date": "2024-05-01",
        "tags": ["rain", "the sea", 3],
        "authors": ["Ann", "Bob"],
        "places": ["Paris"],
        "draft": False,
        "weight": 1.5,
        "empty": None,
        "quote": "it's",
        "summary": "long text",
        "lines": "one\n  two",
        "image": {"url": "a.png", "sizes": [1, 2]},
        "link": "http://example.com/a#b",
        "folded": "one two",
    }


@pytest.mark.parametrize("text", ["no front", "---\nonly a rule\n", "----\na: b\n---\n", "a\n---\nb: c\n---\n", ""])
def test_no_front_matter(text: str) -> None:
    assert front_matter(text) == ({}, text)


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("authors:\n  - name: Ann\n    age: 7\n", {"authors": [{"name": "Ann", "age": 7}]}),
        ("tags: [rain, 'sun, moon']", {"tags": ["rain", "sun, moon"]}),
        ("size: {wide: 3}", {"size": {"wide": 3}}),
        ("  a: b", {"a": "b"}),
        ("2024: 012\ntime: 1:30\ncountry: NO\nday: 2024-05-01", None),
        ("", {}),
    ],
)
def test_front_matter_of_yaml(block: str, values: dict[str, object] | None) -> None:
    wanted = {"2024": "012", "time": "1:30", "country": "NO", "day": "2024-05-01"} if values is None else values
    assert front_matter(f"---\n{block}\n---\ntext") == (wanted, "text")


@pytest.mark.parametrize(
    "value",
    [
        "Rain: a history", "*starred*", "@somebody", "[Draft] Rain", "{{ page.title }}", "'it", "'don't'", '"A" and b',
        "%20", "`code`", "&amp", "&amp; so on", "!important", "- b: c", "[a: b",
    ],
)  # fmt: skip
def test_values_that_are_no_yaml_are_text(value: str) -> None:
    assert front_matter(f"---\ndate: 1998\ntitle: {value}\nkind: x\n---\n")[0] == {
        "date": 1998,
        "title": value,
        "kind": "x",
    }


def test_values_over_several_lines_that_are_no_yaml_are_text() -> None:
    block = 'a: one: two\n  three\nb: four\n  five: six\nc: "C:\\dir"\nd: |\n  x: y: z'
    assert front_matter(f"---\n{block}\n---\n")[0] == {
        "a": "one: two three",
        "b": "four five: six",
        "c": "C:\\dir",
        "d": "x: y: z",
    }


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("a: b\nwhat is this", 3),
        ("a: b\n- c", 3),
        ("- a", 2),
        ("just words", 2),
        ("a:\n  - &x b\n  - *x", 3),
        ("a: b\nc: \x07", 3),
        ("a:\n  - !!python/name:os.system x", 3),
        ("a:\n " + "[" * 100_000, 3),
        ("a:\n " + "[" * 60 + "]" * 60, 3),
    ],
)
def test_front_matter_that_cannot_be_read_names_its_line(block: str, line: int) -> None:
    with pytest.raises(FrontMatterError, match="accepted: ") as caught:
        front_matter(f"---\n{block}\n---\ntext")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("2024-05-01-title.md", "2024-05-01"),
        ("2024_05_01.md", "2024-05-01"),
        ("20240501_x.txt", "2024-05-01"),
        ("Meeting 2024-05-01.md", "2024-05-01"),
        ("2024-05.md", "2024-05"),
        ("2024-05-title.md", "2024-05"),
        ("1984.md", "1984"),
        ("1984-notes.md", "1984"),
        ("rain.md", None),
        ("2024-02-30-x.md", None),
        ("12345678.txt", None),
        ("4031 notes.md", None),
        ("202405011.md", None),
        ("a2024.md", None),
    ],
)
def test_dates_in_names(name: str, wanted: str | None) -> None:
    span = date_in_name(name)
    assert (None if span is None else span.edtf()) == wanted


def test_a_folder_of_notes(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("hidden")
    (tmp_path / "2024-05-01-a.md").write_text("\ufeff# Rain #\r\n\r\nIt rains.\r\n", encoding="utf-8")
    (tmp_path / "b" / "c.txt").write_text("---\nid: 7\ndate: 1998-03\nvalid: 1998/2001\nkind: x\n---\nSun.")
    (tmp_path / "b" / "d.md").write_text("---\ndate: 2023-02-30\n---\nNever.")
    (tmp_path / "b" / "e.md").write_bytes(b"one\ncaf\xe9")
    (tmp_path / "b" / "f.md").write_text("---\na: b\n---\n \n")
    (tmp_path / "b" / "g.md").write_text("---\na: b\n- c\n---\nx")
    (tmp_path / "picture.png").write_bytes(b"\xff")
    reading = read(tmp_path)
    first, second, third = list(reading)
    assert (third.published, third.meta) == (None, {"date": "2023-02-30"})
    assert (first.id, first.title, str(first.published)) == ("2024-05-01-a.md", "Rain", "2024-05-01")
    assert first.text == "# Rain\n\nIt rains.\n".replace("# Rain", "# Rain #")
    assert (second.id, second.text, str(second.published), str(second.valid)) == ("7", "Sun.", "1998-03", "1998/2001")
    assert second.meta == {"kind": "x"}
    assert (reading.bad, reading.unreadable) == (3, 1)
    assert [Path(problem.file).name for problem in reading.problems] == ["e.md", "f.md", "g.md"]
    assert [problem.line for problem in reading.problems] == [2, 0, 3]
    assert reading.bytes_read == reading.bytes_total > 0


def test_one_text_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("Rain.")
    assert [document.id for document in read(path)] == ["x.txt"]
    with pytest.raises(InputError, match="longer than the 3 bytes"):
        list(read(path, strict=True, longest=3))
