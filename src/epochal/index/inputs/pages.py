"""Pages on disk as documents: Markdown, text and HTML, each with its date in the front matter, a tag or its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from epochal.errors import EpochalError, InputError
from epochal.index.inputs.dates import DateReader
from epochal.index.inputs.fields import Fields, row_document
from epochal.index.inputs.frontmatter import FrontMatterError, front_matter
from epochal.index.inputs.notes import NOTE_ENDINGS, date_in_name, note_rows
from epochal.index.inputs.rows import Meter
from epochal.index.records import Document
from epochal.times import Span

__all__ = ["html_text", "read_pages"]

_HTML: Final = (".html", ".htm")
_DATE_KEYS: Final = ("published", "date", "created")
_DATE_TAGS: Final = frozenset(
    ("article:published_time", "datepublished", "date", "dc.date", "dcterms.date", "pubdate", "dcterms.created")
)
_SILENT: Final = frozenset(("script", "style", "noscript", "template", "nav", "svg"))
_BLOCKS: Final = frozenset(
    "p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article blockquote pre header footer main dd dt".split()
)


def read_pages(folder: Path) -> list[Document]:
    """The pages below a folder; the id of each is its place there, without the ending.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "fees.md").write_text("---\\ndate: 2017-05-01\\n---\\n# Fees\\nFees rose.")
    >>> _ = (folder / "rain.html").write_text("<title>Rain</title><meta name=date content=2018-02><p>It rained.</p>")
    >>> [(page.id, page.title, page.published.edtf()) for page in read_pages(folder)]
    [('fees', 'Fees', '2017-05-01'), ('rain', 'Rain', '2018-02')]
    """
    if not folder.is_dir():
        raise EpochalError(f"the folder {str(folder)!r} with the pages is not there")
    found: dict[str, Document] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        ending = path.suffix.lower()
        if path.name.startswith(".") or ending not in (*NOTE_ENDINGS, *_HTML) or not path.is_file():
            continue
        if name in found:
            raise InputError(str(path), 0, f"a page called {name!r} is there with another ending too")
        if ending in _HTML:
            found[name] = _html_page(path, name)
        else:
            row = next(note_rows(path, str(path), path.name, Meter(0)))
            page = row_document(row, Fields(), DateReader())
            found[name] = Document(name, page.text, page.title, page.published, page.valid, page.series, page.meta)
    if not found:
        raise EpochalError(f"the folder {str(folder)!r} has no page; accepted: {', '.join((*NOTE_ENDINGS, *_HTML))}")
    return list(found.values())


def _html_page(path: Path, name: str) -> Document:
    try:
        values, source = front_matter(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(str(path), 0, "the file is no UTF-8") from None
    except FrontMatterError as error:
        raise InputError(str(path), error.line, error.problem) from None
    parser = _Parser()
    parser.feed(source)
    parser.close()
    told = next((str(values[key]) for key in _DATE_KEYS if values.get(key)), parser.date)
    text = "".join(parser.parts)
    if not text.strip():
        raise InputError(str(path), 0, "the page has no text")
    return Document(name, _tidy(text), str(values.get("title") or parser.title.strip()), _date(told, path))


def _date(told: str, path: Path) -> Span | None:
    if not told:
        return date_in_name(path.name)
    try:
        return DateReader().read(told, "date")
    except EpochalError as error:
        raise InputError(str(path), 0, str(error)) from None


def html_text(source: str) -> str:
    """The text of a stretch of HTML: blocks in paragraphs, nothing of scripts, styles and menus.

    >>> html_text("<p>Fees <b>rose</b>.</p><script>x()</script><p>Then they fell.</p>")
    'Fees rose.\\n\\nThen they fell.'
    """
    parser = _Parser()
    parser.feed(source)
    parser.close()
    return _tidy("".join(parser.parts))


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip()


class _Parser(HTMLParser):
    """Collects text, title and date; where two dates are told, the first counts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title = ""
        self.date = ""
        self._silent = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        self._in_title = self._in_title or tag == "title"
        if tag in _BLOCKS:
            self.parts.append("\n\n")
        for date in self._dates(tag, attrs):
            self.date = self.date or date

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag == "title":
            self._in_title = False
        if tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            # A line break in the source is a space; blocks bring the real ones.
            self.parts.append(re.sub(r"\s+", " ", data))

    def _dates(self, tag: str, attrs: list[tuple[str, str | None]]) -> Iterator[str]:
        told = {name: value or "" for name, value in attrs}
        name = told.get("property") or told.get("name") or told.get("itemprop") or ""
        if tag == "meta" and name.lower() in _DATE_TAGS:
            yield told.get("content", "")
        if tag == "time":
            yield told.get("datetime", "")
