"""Where the characters of a TimeML document's text lie in its source, and where its tags do.

An XML parser gives the text but forgets how it was written. This scanner keeps both: entities, CDATA sections, line
ends and comments stay where they are, and every character of the text knows its place. It is lenient: what is no markup
is text, as the "<3" of a tweet.
"""

from __future__ import annotations

import html.entities
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from epochal.errors import EpochalError

__all__ = ["Element", "Scan", "Tag", "scan", "unescaped"]

_MARK = re.compile(r"<!--|<!\[CDATA\[|<\?|<!(?=[A-Z])|</?(?=[A-Za-z_:])")
_TAG = re.compile(r"""</?([A-Za-z_:][\w:.-]*)[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")
_DECLARATION = re.compile(r"<![A-Z][^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#x[0-9A-Fa-f]{1,7}|[A-Za-z][A-Za-z0-9]{0,30});")
_UNIT = re.compile(rf"\r\n?|{_REFERENCE.pattern}")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}

Form = Literal["open", "close", "empty"]


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: `source[start:end]`; in the text it stands before the character at `offset`.

    >>> Tag("EVENT", "open", 0, 16, 0, '<EVENT eid="e1">').attributes
    {'eid': 'e1'}
    """

    name: str
    form: Form
    start: int
    end: int
    offset: int
    raw: str

    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes by name, references resolved.

        >>> Tag("T", "empty", 0, 18, 0, "<T a='R&amp;D' />").attributes
        {'a': 'R&D'}
        """
        return {name: unescaped(double or single) for name, double, single in _ATTRIBUTE.findall(self.raw)}


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the text: its two tags, which are one and the same when it is written `<X/>`.

    >>> found = scan("<TEXT>on <EVENT>Friday</EVENT></TEXT>").elements()[0]
    >>> found.name, found.first, found.last
    ('EVENT', 3, 9)
    """

    opened: Tag
    closed: Tag

    @property
    def name(self) -> str:
        """Its name, as EVENT."""
        return self.opened.name

    @property
    def first(self) -> int:
        """The offset of its first character."""
        return self.opened.offset

    @property
    def last(self) -> int:
        """The offset after its last character."""
        return self.closed.offset


@dataclass(slots=True)
class Scan:
    """The text of the TEXT element, the place of its characters, the tags within it (`tags`) and outside (`outside`).

    >>> found = scan("<TEXT>AT&amp;T</TEXT>")
    >>> found.text, found.start_of(2), found.end_of(2)
    ('AT&T', 8, 13)
    """

    source: str
    text: str = ""
    tags: list[Tag] = field(default_factory=list)
    outside: list[Tag] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _pieces: list[tuple[int, int, bool]] = field(default_factory=list)
    _next: int = 0

    def start_of(self, offset: int) -> int:
        """Where the character at an offset of the text starts in the source."""
        piece = bisect_right(self._offsets, offset) - 1
        return self._pieces[piece][0] + offset - self._offsets[piece]

    def end_of(self, offset: int) -> int:
        """Where the character at an offset of the text ends in the source."""
        piece = bisect_right(self._offsets, offset) - 1
        following = self._offsets[piece + 1] if piece + 1 < len(self._offsets) else len(self.text)
        if offset + 1 == following:
            return self._pieces[piece][1]
        return self._pieces[piece][0] + offset + 1 - self._offsets[piece]

    def in_cdata(self, offset: int) -> bool:
        """Whether the character at an offset of the text stands in a CDATA section."""
        return self._pieces[bisect_right(self._offsets, offset) - 1][2]

    def elements(self) -> list[Element]:
        """The elements within the text, in the order of their closing tags; tags without a partner are left out.

        >>> [element.name for element in scan("<TEXT><S>a <EVENT>b</EVENT></S></i></TEXT>").elements()]
        ['EVENT', 'S']
        """
        found, waiting = [], list[Tag]()
        names: dict[str, int] = {}
        for tag in self.tags:
            if tag.form == "empty":
                found.append(Element(tag, tag))
            elif tag.form == "open":
                waiting.append(tag)
                names[tag.name] = names.get(tag.name, 0) + 1
            elif names.get(tag.name):
                while True:
                    opened = waiting.pop()
                    names[opened.name] -= 1
                    if opened.name == tag.name:
                        break
                found.append(Element(opened, tag))
        return found

    def add(self, start: int, end: int, *, cdata: bool = False) -> list[str]:
        """Take `source[start:end]` as text; gives the characters it stands for."""
        parts: list[str] = []
        offset = self._next
        position = start
        for match in _UNIT.finditer(self.source, start, end):
            unit = match.group()
            if cdata and unit[0] == "&":
                continue
            if position < match.start():
                parts.append(self.source[position : match.start()])
                offset = self._put(offset, position, match.start(), match.start() - position, cdata)
            parts.append("\n" if unit[0] == "\r" else unescaped(unit))
            offset = self._put(offset, *match.span(), 1, cdata)
            position = match.end()
        if position < end:
            parts.append(self.source[position:end])
            offset = self._put(offset, position, end, end - position, cdata)
        self._next = offset
        return parts

    def _put(self, offset: int, start: int, end: int, length: int, cdata: bool) -> int:
        self._offsets.append(offset)
        self._pieces.append((start, end, cdata))
        return offset + length

    @property
    def offset(self) -> int:
        """How many characters of text were taken so far."""
        return self._next


def scan(source: str) -> Scan:
    """Read a document. The text is that of its first TEXT element, with line ends as XML has them.

    >>> scan("<TimeML><TEXT>1 &lt; 2\\r\\n<![CDATA[a & b]]></TEXT></TimeML>").text
    '1 < 2\\na & b'
    """
    found = Scan(source)
    parts: list[str] = []
    state = "before"
    position = 0
    while match := _MARK.search(source, position):
        start = match.start()
        if state == "inside":
            parts += found.add(position, start)
        end, tag = _markup(source, start, match.group(), found.offset)
        position = end
        if tag is None:
            if state == "inside" and match.group() == "<![CDATA[":
                parts += found.add(start + len("<![CDATA["), end - len("]]>"), cdata=True)
        elif tag.name == "TEXT" and tag.form == "open" and state == "before":
            state = "inside"
        elif tag.name == "TEXT" and tag.form == "close" and state == "inside":
            state = "after"
        else:
            (found.tags if state == "inside" else found.outside).append(tag)
    if state != "after":
        what = "has no TEXT element" if state == "before" else "has a TEXT element that is never closed"
        raise EpochalError(f"the TimeML document {what}; accepted: <TimeML> with <TEXT>...</TEXT> in it")
    found.text = "".join(parts)
    return found


def _markup(source: str, start: int, mark: str, offset: int) -> tuple[int, Tag | None]:
    """The end of the markup at `start`, and the tag if it is one."""
    if mark in _ENDS:
        end = source.find(_ENDS[mark], start + len(mark))
        if end >= 0:
            return end + len(_ENDS[mark]), None
    elif mark == "<!":
        if match := _DECLARATION.match(source, start):
            return match.end(), None
    elif match := _TAG.match(source, start):
        raw = match.group()
        form: Form = "close" if raw[1] == "/" else "empty" if raw[-2] == "/" else "open"
        return match.end(), Tag(match[1], form, start, match.end(), offset, raw)
    line = source.count("\n", 0, start) + 1
    raise EpochalError(
        f"line {line} of the TimeML document: {source[start : start + 30]!r} starts markup without an end"
    )


def unescaped(text: str) -> str:
    """A text with its references resolved; an unknown one becomes the replacement character U+FFFD.

    >>> unescaped("AT&amp;T&#8217;s &eacute; &unheard; & so on")
    'AT&T’s é � & so on'
    """
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match.group()[1:-1]
    if name[0] != "#":
        code = 39 if name == "apos" else html.entities.name2codepoint.get(name, 0xFFFD)
    else:
        code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or not code else chr(code)
