"""Markdown and text files, one document each; the date may stand in the front matter or in the file's name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError
from epochal.index.inputs.frontmatter import FrontMatterError, front_matter
from epochal.index.inputs.jsonl import not_utf8
from epochal.index.inputs.rows import LONGEST, Meter, Row, opened
from epochal.times.span import Span

__all__ = ["NOTE_ENDINGS", "date_in_name", "note_files", "note_rows"]

NOTE_ENDINGS = (".md", ".markdown", ".txt", ".text")

_DAY = re.compile(r"(?<![0-9])([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})(?![0-9])")
_MONTH = re.compile(r"([0-9]{4})[-_.]([0-9]{2})(?![0-9])")
_YEAR = re.compile(r"([0-9]{4})(?![0-9])(?:$|[-_. ](?=[^0-9]))")
_HEADING = re.compile(r"\s*#[ \t]+(\S.*?)[ \t]*#*[ \t]*(?:\n|$)")


def note_files(folder: Path) -> Iterator[Path]:
    """The Markdown and text files below a folder, in the order of their names; hidden files and folders are left out.

    >>> list(note_files(Path("no/such/folder")))
    []
    """
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(NOTE_ENDINGS) and not name.startswith("."):
                yield Path(root) / name


def note_rows(path: Path, name: str, own: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The one row of a file: its front matter, its text, and what its name and first heading give.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "2024-05-01-rain.md"
    >>> _ = path.write_text("# Rain\\nIt rains.")
    >>> row = next(note_rows(path, path.name, path.name, Meter(0)))
    >>> row.given["id"], row.given["title"], row.given["published"].edtf()
    ('2024-05-01-rain.md', 'Rain', '2024-05-01')
    """
    with opened(path, name) as file:
        content = file.read(longest + 1) or b""
        # A raw file may give less than it was asked for.
        while len(content) <= longest and (more := file.read(longest + 1 - len(content))):
            content += more
    meter.add(len(content))
    if len(content) > longest:
        yield Row(name, 0, problem=f"the file is longer than the {longest:,} bytes that are read")
        return
    try:
        values, text = front_matter(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        yield Row(name, content.count(b"\n", 0, error.start) + 1, problem=not_utf8(error))
        return
    except FrontMatterError as error:
        yield Row(name, error.line, problem=error.problem)
        return
    given: dict[str, Any] = {"id": own}
    if heading := _HEADING.match(text):
        given["title"] = heading[1]
    if published := date_in_name(path.name):
        given["published"] = published
    if not text.strip():
        yield Row(name, 0, problem="the file has no text")
        return
    yield Row(name, 0, {**values, "text": text}, given=given)


def date_in_name(name: str) -> Span | None:
    """The date that a file's name gives: a day anywhere in it, or a month or a year that it begins with.

    >>> [str(date_in_name(name)) for name in ("2024-05-01-rain.md", "20240501_x.txt", "2024-05.md", "1984.md")]
    ['2024-05-01', '2024-05-01', '2024-05', '1984']
    >>> date_in_name("12345678.txt") is None
    True
    """
    stem = name.rpartition(".")[0]
    try:
        if match := _DAY.search(stem):
            return Span.day(int(match[1]), int(match[3]), int(match[4]))
        if match := _MONTH.match(stem):
            return Span.month(int(match[1]), int(match[2]))
    except EpochalError:
        return None  # figures that are no date: a name states nothing, so nothing is wrong with it
    if (match := _YEAR.match(stem)) and 1000 <= int(match[1]) <= 2100:
        return Span.year(int(match[1]))
    return None
