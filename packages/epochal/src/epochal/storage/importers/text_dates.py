"""The date of publication that a file states itself: under its title, in its headings, its name or its path.

A line that is a date, or a label and a date ("Published: 4 May 2020", ":release-date: 2015-04-22 05:30 p.m. UTC"), says
when a text appeared, also at the end of a line in brackets ("(bugfix release, released on March 26th 2015)"); a date
within a heading ("2.1.0 (2020-05-04)") does where the name of the file gives no day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from epochal.errors import EpochalError
from epochal.times.axis import Grain
from epochal.times.span import Span
from epochal.times.stamps import read_stamp


class TextDate(NamedTuple):
    """A date, where it was found ("text", "heading", "file name" or "path"), and its words."""

    span: Span
    where: str
    words: str


#: Lines at the beginning of a text in which a date is looked for.
_LINES: Final = 15
_LONGEST: Final = 120
_LABEL: Final = re.compile(
    r"(?:first |originally )?(?:publi(?:shed|cation(?: date)?)|posted|date(?: published| posted)?|dated|released?"
    r"(?:[- ]?date)?|issued?(?: date)?|written|created|sent|effective(?: date)?|(?:last )?(?:updated|modified|revised))"
    r"(?: on| at)?\s*(?P<colon>[:：])?\s*(?P<rest>.+)",
    re.IGNORECASE,
)
#: What ends before a label in a line that stands in brackets: "(bugfix release, released on March 26th 2015)".
_APPOSITION: Final = re.compile(r"[,;:|–—]\s+")
_DECORATION: Final = re.compile(r"^[\s#>*_`=~|:+-]+|(?<![\s#*_`=~|])[\s#*_`=~|]+$")
_TAG: Final = re.compile(r"<[^<>]{1,80}>")
_HEADING: Final = re.compile(r"\s{0,3}#{1,4}\s|\s*<h[1-4]")
_UNDERLINE: Final = re.compile(r"\s*([=\-~^*#])\1{2,}\s*")
_SENTENCE_END: Final = re.compile(r"[.!?。！？]\s*$")
#: What parts a version from its date in a heading.
_PARTS: Final = re.compile(r"\s[-–—|:]+\s|[()\[\]]|,\s(?=\d)")
#: What may follow a date in its line: an author, a place, a time to read.
_BEHIND: Final = re.compile(r"(?:(?<!\s)\s+)?(?:[|·•—–]|\bby\b|\bin\b|, by\b).*$", re.IGNORECASE)

_DAY_NAME: Final = re.compile(r"(?<![0-9])([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})(?![0-9])")
_MONTH_NAME: Final = re.compile(r"([0-9]{4})[-_.]([0-9]{2})(?![0-9])")
_YEAR_NAME: Final = re.compile(r"([0-9]{4})(?![0-9])(?:$|[-_. ](?=[^0-9]))")
_DAY_PATH: Final = re.compile(r"(?:^|/)([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})(?:/|[-_.])")
_MONTH_PATH: Final = re.compile(r"(?:^|/)([0-9]{4})[-/]([0-9]{1,2})/")
_YEAR_PATH: Final = re.compile(r"(?:^|/)([0-9]{4})/")


def find_date(text: str, path: str) -> TextDate | None:
    """The date of publication of a file by its text, its name and its path, as far as one states it.

    >>> find_date("# Release 2.1\\n\\nReleased on 4 May 2020\\n\\nNew: ...", "notes/2.1.md")
    TextDate(span=Span.parse('2020-05-04'), where='text', words='Released on 4 May 2020')
    >>> find_date("# A visit to the harbour", "2020/03/visit.md")
    TextDate(span=Span.parse('2020-03'), where='path', words='2020/03/visit.md')
    """
    name = path.rpartition("/")[2]
    by_name = date_in_name(name)
    found = date_in_text(text)
    if found is not None and (found.where == "text" or by_name is None or by_name.grain > Grain.DAY):
        return found
    if by_name is not None:
        return TextDate(by_name, "file name", name)
    by_path = date_in_path(path)
    return None if by_path is None else TextDate(by_path, "path", path)


def date_in_text(text: str) -> TextDate | None:
    """The date that the first lines of a text state as its own; the first of several."""
    heading: TextDate | None = None
    for line, is_heading in _iterate_lines(text):
        plain = _DECORATION.sub("", _TAG.sub(" ", line)).strip()
        if not plain or len(plain) > _LONGEST or not any(letter.isdigit() for letter in plain):
            continue
        labelled = _read_labelled(plain)
        span = _read_date(plain) if labelled is None else labelled
        if span is not None:
            return TextDate(span, "text", plain)
        if is_heading and heading is None and (within := _read_within(plain)) is not None:
            heading = TextDate(within, "heading", plain)
    return heading


def _iterate_lines(text: str) -> Iterator[tuple[str, bool]]:
    """The first lines that are not blank, each with whether it is a heading."""
    lines = [line for line in text[:8_000].split("\n") if line.strip()][: _LINES + 1]
    for place, line in enumerate(lines[:_LINES]):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        is_first = not place and not _SENTENCE_END.search(line)
        yield line, is_first or bool(_HEADING.match(line)) or bool(_UNDERLINE.fullmatch(below))


def _read_labelled(line: str) -> Span | None:
    """The date behind a label that a line begins with, or, in a line within brackets, a part of it."""
    parts = [line]
    if line[0] + line[-1] in ("()", "[]"):
        inner = line[1:-1]
        parts = [inner, *(inner[match.end() :] for match in _APPOSITION.finditer(inner))]
    for part in parts:
        match = _LABEL.fullmatch(part)
        if match is not None and (span := _read_leading_date(match["rest"].lstrip(" :*_"))) is not None:
            return span
    return None


def _read_date(text: str) -> Span | None:
    """The date that a text is, apart from what may stand behind it; a day, a moment of one, or a month."""
    for part in dict.fromkeys((text, _BEHIND.sub("", text))):
        plain = part.strip(" .,;()[]*_")
        span = read_stamp(plain)
        if span is None and plain and any(letter.isalpha() for letter in plain):
            span = _read_words(plain)
        if span is not None and span.grain <= Grain.MONTH and not span.is_open:
            return span
    return None


def _read_leading_date(text: str) -> Span | None:
    """The date that a text is, or that its first words are: after a label what follows may be anything."""
    if (span := _read_date(text)) is not None:
        return span
    words = text.split()
    stamps = (read_stamp(" ".join(words[:count]).strip(" .,;()")) for count in range(min(len(words), 6), 0, -1))
    return next((span for span in stamps if span is not None and span.grain <= Grain.DAY), None)


def _read_words(text: str) -> Span | None:
    from epochal.reading.resolve import resolve

    try:
        spans = {reading.span for reading in resolve(text)}
    except EpochalError:
        return None
    return spans.pop() if len(spans) == 1 else None


def _read_within(text: str) -> Span | None:
    """The one day that a heading states among other words."""
    from epochal.reading.tagger import tag

    for part in _PARTS.split(text):
        if (span := read_stamp(part.strip())) is not None and span.grain <= Grain.DAY:
            return span
    days = {item.span for item in tag(text) if item.span is not None and item.span.grain <= Grain.DAY}
    return days.pop() if len(days) == 1 else None


def date_in_name(name: str) -> Span | None:
    """The date that a file's name gives: a day anywhere in it, or a month or a year that it begins with."""
    stem = name.rpartition(".")[0]
    try:
        if match := _DAY_NAME.search(stem):
            return Span.day(int(match[1]), int(match[3]), int(match[4]))
        if match := _MONTH_NAME.match(stem):
            return Span.month(int(match[1]), int(match[2]))
    except EpochalError:
        return None  # figures that are no date: a name states nothing, so nothing is wrong with it
    if (match := _YEAR_NAME.match(stem)) and 1000 <= int(match[1]) <= 2100:
        return Span.year(int(match[1]))
    return None


def date_in_path(path: str) -> Span | None:
    """The date that the folders of a path give: 2020/03/04, 2020/03, 2020-03 or 2020."""
    try:
        if match := _DAY_PATH.search(path):
            return Span.day(int(match[1]), int(match[2]), int(match[3]))
        if match := _MONTH_PATH.search(path):
            return Span.month(int(match[1]), int(match[2]))
    except EpochalError:
        return None
    if (match := _YEAR_PATH.search(path)) and 1000 <= int(match[1]) <= 2100:
        return Span.year(int(match[1]))
    return None
