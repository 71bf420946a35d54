"""Markdown, text and HTML files as documents, dated by their front matter, a tag or their names.

Front matter is read by PyYAML with fewer types than YAML has: a plain word is a number, true, false or null, and
otherwise text. So dates stay text, as they are read elsewhere, and `NO` is a country. A value that is not valid YAML
because it has a colon or begins with a YAML sign (`title: Rain: a history`) is taken as text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.storage.importers.fields import DateReader, Fields, row_document
from epochal.storage.importers.html_pages import decode_html, parse_html
from epochal.storage.importers.rows import LONGEST, Meter, Row, not_utf8, open_input
from epochal.storage.importers.text_dates import date_in_name, find_date
from epochal.storage.records import Document
from epochal.times.span import Span

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
#: A line `key: value` at the margin whose value may be put in quotes; after `|` and `>` lines are text anyway.
_LINE = re.compile(
    r"""(?P<key>[^\s'"\[\]{}#&*!|>%@`,-][^:#]*:)[ \t]+(?P<value>(?![|>]\S{0,2}$)\S.*?)(?:(?<!\s)\s+#.*)?"""
)
#: The most values of one front matter that are put in quotes.
_QUOTED: Final = 50
_DEEPEST: Final = 50


class FrontMatterError(ValueError):
    """A front matter that is not YAML, or not one mapping. Carries the `line` and the `problem`."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The values of a text's front matter, and the text after it; no values when it does not begin with `---`."""
    if not text.startswith("---"):
        return {}, text
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    close = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if close is None:  # a rule across the page, not a front matter
        return {}, text
    return _parse([line.rstrip() for line in lines[1:close]]), "\n".join(lines[close + 1 :])


def _parse(lines: list[str]) -> dict[str, Any]:
    """The mapping that lines hold. A value that YAML cannot read is put in quotes, and the lines are read again."""
    quoted: dict[int, str] = {}
    while True:
        try:
            return _load("\n".join(quoted.get(number, line) for number, line in enumerate(lines)))
        except _YamlError as error:
            for number in error.lines:
                changed = _quote(lines, number)
                if changed and len(quoted) < _QUOTED and not changed.keys() & quoted.keys():
                    quoted.update(changed)
                    break
            else:
                number = min(error.lines[0], len(lines) - 1)
                problem = f"the front matter has the line {lines[number].strip()[:60]!r}: {error}"
                raise FrontMatterError(
                    number + 2, f"{problem}; accepted: YAML with a 'key: value' in each line"
                ) from None


def _quote(lines: list[str], number: int) -> dict[int, str]:
    """The lines of the value that a line belongs to, by number, with that value in quotes; none where it has none."""
    first = min(number, len(lines) - 1)
    while first > 0 and (not lines[first] or lines[first][0].isspace()):
        first -= 1
    match = _LINE.fullmatch(lines[first])
    if match is None:
        return {}
    last = first + 1
    while last < len(lines) and lines[last][:1].isspace():
        last += 1
    value = " ".join([match["value"], *(line.strip() for line in lines[first + 1 : last])])
    if len(value) > 1 and value[0] == value[-1] == '"':  # an escape that YAML does not have, as in "C:\\dir"
        value = value[1:-1].replace('\\"', '"')
    value = value.replace("'", "''")
    return {first: f"{match['key']} '{value}'", **dict.fromkeys(range(first + 1, last), "")}


class _YamlError(ValueError):
    """What PyYAML complains of, and the lines, from 0, that may be at fault, the likeliest first."""

    def __init__(self, problem: str, *lines: int) -> None:
        super().__init__(problem)
        self.lines = lines


def _load(block: str) -> dict[str, Any]:
    import yaml

    try:
        # The parser in C where the package was built with it: ten times faster.
        return _build(yaml.parse(block, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        marks = [mark.line for mark in (error.problem_mark, error.context_mark) if mark is not None]
        # A key without its colon and a quote without its end are noticed only further down.
        lines = marks[::-1] if error.context and "scanning" in error.context else marks
        raise _YamlError(str(error.problem or error.context), *(lines or [0])) from None
    except yaml.YAMLError as error:  # a character that no YAML has
        place = getattr(error, "position", 0) or 0
        raise _YamlError("it has a character that YAML does not allow", block.count("\n", 0, place)) from None


def _build(events: Iterable[Any]) -> dict[str, Any]:
    """The mapping of a stream of events. PyYAML's own loaders recurse, and a deep file would end the process."""
    import yaml

    root: dict[str, Any] = {}
    open_values: list[Any] = [[root]]  # the outermost list takes the whole, which must be a mapping
    keys: list[str | None] = [None]
    for event in events:
        line = event.start_mark.line
        if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            open_values.pop()
            keys.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        if event.anchor is not None or getattr(event, "tag", None) is not None:
            # More often words than YAML, such as "!important" and "*new*"; and aliases make millions of a few values.
            raise _YamlError("it has a tag, an anchor or an alias", line)
        if len(open_values) > _DEEPEST:
            raise _YamlError("it is nested too deeply", line)
        if len(open_values) == 1:
            if not isinstance(event, yaml.MappingStartEvent):
                raise _YamlError("it is not a mapping", line)
            value: Any = root
        elif isinstance(open_values[-1], dict) and keys[-1] is None:
            if not isinstance(event, yaml.ScalarEvent):
                raise _YamlError("it has a key that is not a word", line)
            keys[-1] = event.value
            continue
        else:
            value = _read_value(event)
            if isinstance(open_values[-1], list):
                open_values[-1].append(value)
            else:
                open_values[-1][keys[-1]] = value
                keys[-1] = None
        if not isinstance(event, yaml.ScalarEvent):
            open_values.append(value)
            keys.append(None)
    return root


def _read_value(event: Any) -> Any:
    import yaml

    if isinstance(event, yaml.SequenceStartEvent):
        return []
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    if event.style in ("|", ">"):
        return event.value.strip()
    return event.value if event.style else _parse_scalar(event.value)


def _parse_scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


NOTE_ENDINGS = (".md", ".markdown", ".txt", ".text", ".rst")
_HTML: Final = (".html", ".htm")
#: Files with one document each.
PAGE_ENDINGS = (*NOTE_ENDINGS, *_HTML, ".eml", ".pdf")

_HEADING = re.compile(r"\s*#[ \t]+(\S.*?)[ \t]*#*[ \t]*(?:\n|$)")
#: Targets and comments of reStructuredText, which may come before a title.
_TARGETS = re.compile(r"(?:\s*\.\. [^\n]*\n)*\s*")
#: A title that is underlined and perhaps overlined, as in reStructuredText, Markdown and plain text.
_UNDERLINED = re.compile(
    r"(?P<over>(?P<sign>[=\-~^*#+])(?P=sign){2,}[ \t]*\n)?[ \t]*(?P<title>\S(?:[^\n]*\S)?)[^\S\n]*\n"
    r"(?P<under>(?P<below>[=\-~^*#+])(?P=below){2,})[ \t]*(?:\n|$)"
)
#: How many signs a line below a title may be longer or shorter than it.
_UNEVEN: Final = 4


def find_title(text: str) -> str:
    """The title with which a text opens, if it is marked as one; otherwise the empty text.

    >>> find_title("Release 4.2\\n===========\\n\\nFixed bugs."), find_title("So it goes.")
    ('Release 4.2', '')
    """
    if heading := _HEADING.match(text):
        return heading[1]
    targets = _TARGETS.match(text)
    heading = _UNDERLINED.match(text, targets.end() if targets else 0)
    # A rule below a paragraph does not care how long its last line is.
    if heading and (heading["over"] or abs(len(heading["under"]) - len(heading["title"])) <= _UNEVEN):
        return heading["title"]
    return ""


def note_files(folder: Path) -> Iterator[Path]:
    """Files below a folder with one document each, in the order of their names, without hidden files and folders."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root) / name
            # A pipe or a device among them would be read without end; a link that leads nowhere is a bad row.
            if (
                name.lower().endswith(PAGE_ENDINGS)
                and not name.startswith(".")
                and (path.is_file() or is_dangling(path))
            ):
                yield path


def is_dangling(path: Path) -> bool:
    """Whether a path is a link that leads nowhere, or to itself."""
    try:
        return path.is_symlink() and not path.exists()
    except (OSError, RuntimeError):
        return True


def read_whole(path: Path, name: str, meter: Meter, longest: int) -> bytes | Row:
    """The bytes of a file, or a row that says that it is too long."""
    with open_input(path, name) as file:
        content = file.read(longest + 1) or b""
        # A raw file may give less than it was asked for.
        while len(content) <= longest and (more := file.read(longest + 1 - len(content))):
            content += more
    meter.add(len(content))
    if len(content) > longest:
        return Row(name, 0, problem=f"the file is longer than the {longest:,} bytes that are read")
    return content


def note_rows(
    path: Path, name: str, own: str, meter: Meter, longest: int = LONGEST, *, dates_from_text: bool = True
) -> Iterator[Row]:
    """The one row of a file: its front matter, its text, and what its first lines, its name and its path give."""
    content = read_whole(path, name, meter, longest)
    yield content if isinstance(content, Row) else make_note_row(content, name, own, dates_from_text=dates_from_text)


def make_note_row(content: bytes, name: str, own: str, *, dates_from_text: bool = True) -> Row:
    """The row of a file of text with this content; `own` is its path within the source, `name` the one in messages."""
    ending = os.path.splitext(own)[1].lower()
    try:
        source = decode_html(content) if ending in _HTML else content.decode("utf-8-sig")
        values, text = front_matter(source.replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        return Row(name, content.count(b"\n", 0, error.start) + 1, problem=not_utf8(error))
    except FrontMatterError as error:
        return Row(name, error.line, problem=error.problem)
    fields: dict[str, Any] = {"id": own}
    if ending in _HTML:
        text, fields["title"], date = parse_html(text)
        if date and not any(values.get(key) for key in _DATE_KEYS):
            values["published"] = date
    elif title := find_title(text):
        fields["title"] = title
    if dates_from_text and (found := find_date(text, own)):
        fields["published"], fields["found"] = found.span, found
    if not text.strip():
        return Row(name, 0, problem="the file has no text")
    return Row(name, 0, {**values, "text": text}, given=fields)


_DATE_KEYS: Final = ("published", "date", "created")


def read_pages(folder: Path) -> list[Document]:
    """The pages below a folder; the id of each is its place there, without the ending."""
    if not folder.is_dir():
        raise EpochalError(f"the folder {str(folder)!r} with the pages is not there")
    documents: dict[str, Document] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        ending = path.suffix.lower()
        if path.name.startswith(".") or ending not in (*NOTE_ENDINGS, *_HTML) or not path.is_file():
            continue
        if name in documents:
            raise InputError(str(path), 0, f"a page called {name!r} is there with another ending too")
        if ending in _HTML:
            documents[name] = _read_html_page(path, name)
        else:
            row = next(note_rows(path, str(path), path.name, Meter(0)))
            page = row_document(row, Fields(), DateReader())
            documents[name] = Document(name, page.text, page.title, page.published, page.valid, page.series, page.meta)
    if not documents:
        raise EpochalError(f"the folder {str(folder)!r} has no page; accepted: {', '.join((*NOTE_ENDINGS, *_HTML))}")
    return list(documents.values())


def _read_html_page(path: Path, name: str) -> Document:
    try:
        values, source = front_matter(decode_html(path.read_bytes()).replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise InputError(str(path), 0, "the file is no UTF-8") from None
    except FrontMatterError as error:
        raise InputError(str(path), error.line, error.problem) from None
    text, title, stated = parse_html(source)
    date = next((str(values[key]) for key in _DATE_KEYS if values.get(key)), stated)
    if not text.strip():
        raise InputError(str(path), 0, "the page has no text")
    return Document(name, text, str(values.get("title") or title), _read_page_date(date, path))


def _read_page_date(date: str, path: Path) -> Span | None:
    if not date:
        return date_in_name(path.name)
    try:
        return DateReader().read(date, "date")
    except EpochalError as error:
        raise InputError(str(path), 0, str(error)) from None
