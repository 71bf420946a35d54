"""TimeML in and out: every byte outside the new tags stays as it was.

`read_timeml` gives the plain text of a document, its date (DCT) and the TIMEX3 that are already there, the gold ones.
`write_timeml` removes those and inserts others. Nothing else changes: entities, CDATA, white space, comments, the
header, EVENT and SIGNAL are copied. A scanner keeps the position of every character in the source, which an XML parser
forgets; it is lenient, and treats what is no markup as text, such as the "<3" of a tweet. Three cases need a rule:

- A tag that starts or ends where an element does goes inside it, unless only outside it the two nest.
- A tag that crosses an EVENT or a SIGNAL, which share some of its words and not others, wins: the two tags of that
  element are removed, its words stay. An expression that crosses any other element is not written. So the output is
  well-formed whenever the input is.
- Inside a CDATA section, the section is closed before a new tag and opened again after it.

Links (TLINK, SLINK, MAKEINSTANCE) are copied too; those that name a gold `tid` then refer to the new tag with that id.
"""

from __future__ import annotations

import html.entities
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import AnyStr, Generic, Literal, Protocol
from xml.sax.saxutils import quoteattr

from epochal.errors import EpochalError, TimeParseError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.expression import KINDS, TimeExpr
from epochal.times.span import Span

__all__ = [
    "Element",
    "Scan",
    "Tag",
    "TaggedExpression",
    "TimemlDocument",
    "Timex",
    "read_timeml",
    "scan",
    "unescape",
    "write_timeml",
]


_MARK = lazy_regex(r"<!--|<!\[CDATA\[|<\?|<!(?=[A-Z])|</?(?=[A-Za-z_:])")
_TAG = lazy_regex(r"""</?([A-Za-z_:][\w:.-]*)[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")
_DECLARATION = lazy_regex(r"<![A-Z][^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ATTRIBUTE = lazy_regex(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = lazy_regex(r"&(?:#[0-9]{1,8}|#x[0-9A-Fa-f]{1,7}|[A-Za-z][A-Za-z0-9]{0,30});")
_UNIT = lazy_regex(rf"\r\n?|{_REFERENCE.pattern}")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}

Form = Literal["open", "close", "empty"]


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: `source[start:end]`; in the text it comes before the character at `offset`."""

    name: str
    form: Form
    start: int
    end: int
    offset: int
    raw: str

    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes by name, references resolved."""
        return {name: unescape(double or single) for name, double, single in _ATTRIBUTE.findall(self.raw)}


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the text: its two tags, which are one and the same when it is written `<X/>`."""

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
    """Text of the TEXT element, the place of its characters, the tags within it (`tags`) and outside (`outside`)."""

    source: str
    text: str = ""
    tags: list[Tag] = field(default_factory=list)
    outside: list[Tag] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _pieces: list[tuple[int, int, bool]] = field(default_factory=list)
    _next: int = 0

    def get_start(self, offset: int) -> int:
        """Where the character at an offset of the text starts in the source."""
        piece = bisect_right(self._offsets, offset) - 1
        return self._pieces[piece][0] + offset - self._offsets[piece]

    def get_end(self, offset: int) -> int:
        """Where the character at an offset of the text ends in the source."""
        piece = bisect_right(self._offsets, offset) - 1
        following = self._offsets[piece + 1] if piece + 1 < len(self._offsets) else len(self.text)
        if offset + 1 == following:
            return self._pieces[piece][1]
        return self._pieces[piece][0] + offset + 1 - self._offsets[piece]

    def in_cdata(self, offset: int) -> bool:
        """Whether the character at an offset of the text is in a CDATA section."""
        return self._pieces[bisect_right(self._offsets, offset) - 1][2]

    def elements(self) -> list[Element]:
        """The elements within the text, in the order of their closing tags; tags without a partner are left out."""
        scanned, waiting = [], list[Tag]()
        names: dict[str, int] = {}
        for tag in self.tags:
            if tag.form == "empty":
                scanned.append(Element(tag, tag))
            elif tag.form == "open":
                waiting.append(tag)
                names[tag.name] = names.get(tag.name, 0) + 1
            elif names.get(tag.name):
                while True:
                    opened = waiting.pop()
                    names[opened.name] -= 1
                    if opened.name == tag.name:
                        break
                scanned.append(Element(opened, tag))
        return scanned

    def add(self, start: int, end: int, *, cdata: bool = False) -> list[str]:
        """Take `source[start:end]` as text; returns its characters."""
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
            parts.append("\n" if unit[0] == "\r" else unescape(unit))
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
    """Read a document. The text is that of its first TEXT element, with line ends as XML has them."""
    scanned = Scan(source)
    parts: list[str] = []
    state = "before"
    position = 0
    while match := _MARK.search(source, position):
        start = match.start()
        if state == "inside":
            parts += scanned.add(position, start)
        end, tag = _markup(source, start, match.group(), scanned.offset)
        position = end
        if tag is None:
            if state == "inside" and match.group() == "<![CDATA[":
                parts += scanned.add(start + len("<![CDATA["), end - len("]]>"), cdata=True)
        elif tag.name == "TEXT" and tag.form == "open" and state == "before":
            state = "inside"
        elif tag.name == "TEXT" and tag.form == "close" and state == "inside":
            state = "after"
        else:
            (scanned.tags if state == "inside" else scanned.outside).append(tag)
    if state != "after":
        what = "has no TEXT element" if state == "before" else "has a TEXT element that is never closed"
        raise EpochalError(f"the TimeML document {what}; accepted: <TimeML> with <TEXT>...</TEXT> in it")
    scanned.text = "".join(parts)
    return scanned


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


def unescape(text: str) -> str:
    """A text with its references resolved; an unknown one becomes the replacement character U+FFFD."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match.group()[1:-1]
    if name[0] != "#":
        code = 39 if name == "apos" else html.entities.name2codepoint.get(name, 0xFFFD)
    else:
        code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or not code else chr(code)


_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z][\w.-]*)["']""")
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
#: Elements whose tags give way to a TIMEX3 that crosses them.
_YIELDING = frozenset({"EVENT", "SIGNAL"})


class TaggedExpression(Protocol):
    """An expression that can be written and scored: TimeExpr, Timex, or anything else with these fields."""

    @property
    def text(self) -> str:
        """Its words."""
        ...

    @property
    def start_char(self) -> int:
        """The offset of its first character."""
        ...

    @property
    def end_char(self) -> int:
        """The offset after its last character."""
        ...

    @property
    def kind(self) -> str:
        """DATE, TIME, DURATION or SET."""
        ...

    @property
    def value(self) -> str:
        """Its TIMEX3 value."""
        ...

    @property
    def mod(self) -> str:
        """Its TIMEX3 mod, or nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Timex:
    """A TIMEX3 as a document has it, at `text[start_char:end_char]`."""

    tid: str
    kind: str
    value: str
    mod: str
    text: str
    start_char: int
    end_char: int

    def expression(self) -> TimeExpr:
        """The same as a TimeExpr, without a span."""
        if self.kind not in KINDS:
            raise EpochalError(f"TIMEX3 {self.tid!r} has type {self.kind!r}; accepted: {', '.join(KINDS)}")
        return TimeExpr(self.text, self.start_char, self.end_char, self.kind, self.value, mod=self.mod)


@dataclass(frozen=True)
class TimemlDocument(Generic[AnyStr]):
    """A document: what was read (`data`), its plain `text`, its date, and its gold expressions.

    `dct_value` is the value as written; `dct` is None where there is none or it is no time.
    """

    data: AnyStr
    docid: str
    dct: Span | None
    dct_value: str
    text: str
    gold: tuple[Timex, ...]
    scan: Scan
    encoding: str


def read_timeml(data: AnyStr) -> TimemlDocument[AnyStr]:
    """Read a document, from bytes (UTF-8 unless they say otherwise) or text.

    A TIMEX3 without words in it is not among the gold ones. An element without a partner is ignored.
    """
    source, encoding = (data, "") if isinstance(data, str) else _decode(data)
    scanned = scan(source)
    value = _find_dct(scanned)
    gold = []
    for element in scanned.elements():
        if element.name == "TIMEX3" and element.first < element.last:
            names = element.opened.attributes
            tid, kind, value_here, mod = (names.get(name, "") for name in ("tid", "type", "value", "mod"))
            words = scanned.text[element.first : element.last]
            gold.append(Timex(tid, kind, value_here, mod, words, element.first, element.last))
    gold.sort(key=lambda item: (item.start_char, -item.end_char))
    docid = re.search(r"<DOCID[^<>]*>([^<]*)</DOCID>", source)
    return TimemlDocument(
        data,
        unescape(docid[1]).strip() if docid else "",
        _parse_dct(value),
        value,
        scanned.text,
        tuple(gold),
        scanned,
        encoding,
    )


def write_timeml(document: TimemlDocument[AnyStr], expressions: Iterable[TaggedExpression]) -> AnyStr:
    """The document with these expressions in place of its gold ones; bytes for bytes and text for text.

    They must lie in the text and not overlap. Their `tid` are t1, t2, ... in order, without those in use elsewhere.
    """
    scanned = document.scan
    # Each edit replaces source[start:end]; of those at one place, what closes comes before what opens.
    edits: list[tuple[int, int, int, str]] = [
        (tag.start, 2, tag.end, "") for tag in scanned.tags if tag.name == "TIMEX3"
    ]
    elements = [item for item in scanned.elements() if item.name != "TIMEX3"]
    nest = _Nest(elements)
    taken = {tag.attributes.get("tid") for tag in scanned.outside if tag.name == "TIMEX3"}
    number = 0
    for item in _check_order(document.text, expressions):
        crossing = nest.crossing(item.start_char, item.end_char)
        if any(element.name not in _YIELDING for element in crossing):
            continue
        for element in crossing:
            edits += [(tag.start, 2, tag.end, "") for tag in (element.opened, element.closed)]
        number += 1
        while f"t{number}" in taken:
            number += 1
        edits += _make_edits(scanned, nest, item, f"t{number}")
    source = _apply_edits(scanned.source, sorted(set(edits)))
    return source if isinstance(document.data, str) else source.encode(document.encoding, "xmlcharrefreplace")


class _Nest:
    """The elements of a text, found by the offsets of their tags."""

    def __init__(self, elements: list[Element]) -> None:
        at = [(place, element) for element in elements for place in {element.first, element.last}]
        at.sort(key=lambda pair: (pair[0], pair[1].opened.start))
        self._places = [place for place, _ in at]
        self._elements = [element for _, element in at]

    def between(self, first: int, last: int) -> list[Element]:
        """Those with a tag at an offset from `first` to `last`, both counted, and words in them."""
        near = self._elements[bisect_left(self._places, first) : bisect_left(self._places, last + 1)]
        return [element for element in dict.fromkeys(near) if element.first < element.last]

    def crossing(self, first: int, last: int) -> list[Element]:
        """Those that overlap the range without nesting."""
        return [
            element
            for element in self.between(first, last)
            if element.first < first < element.last < last or first < element.first < last < element.last
        ]


def _make_edits(scanned: Scan, nest: _Nest, item: TaggedExpression, tid: str) -> list[tuple[int, int, int, str]]:
    """The two edits that put one expression in."""
    first, last = item.start_char, item.end_char
    near = nest.between(first, last)
    # Elements that start with the expression and end before it does must be inside; the outermost says where.
    before = [element.opened.start for element in near if element.first == first and element.last < last]
    behind = [element.closed.end for element in near if element.last == last and element.first > first]
    mod = f" mod={quoteattr(item.mod)}" if item.mod else ""
    start = f'<TIMEX3 tid="{tid}" type={quoteattr(item.kind)} value={quoteattr(item.value)}{mod}>'
    end = "</TIMEX3>"
    if not before and scanned.in_cdata(first):
        start = f"]]>{start}<![CDATA["
    if not behind and scanned.in_cdata(last - 1):
        end = f"]]>{end}<![CDATA["
    opens = min(before, default=scanned.get_start(first))
    closes = max(behind, default=scanned.get_end(last - 1))
    return [(opens, 1, opens, start), (closes, 0, closes, end)]


def _check_order(text: str, expressions: Iterable[TaggedExpression]) -> list[TaggedExpression]:
    """The expressions in order, if they fit the text."""
    ordered = sorted(expressions, key=lambda item: (item.start_char, item.end_char))
    reached = 0
    for item in ordered:
        place = f"characters {item.start_char} to {item.end_char}"
        if not 0 <= item.start_char < item.end_char <= len(text):
            raise EpochalError(f"{item.text!r} at {place} lies outside the text of {len(text)} characters")
        if text[item.start_char : item.end_char] != item.text:
            raise EpochalError(f"the text has {text[item.start_char : item.end_char]!r} at {place}, not {item.text!r}")
        if item.start_char < reached:
            raise EpochalError(f"{item.text!r} at {place} overlaps the expression before it, which TIMEX3 cannot")
        reached = item.end_char
    return ordered


def _apply_edits(source: str, edits: list[tuple[int, int, int, str]]) -> str:
    parts, position = [], 0
    for start, _, end, new in edits:
        parts += [source[position:start], new]
        position = max(position, end)
    return "".join([*parts, source[position:]])


def _decode(data: bytes) -> tuple[str, str]:
    """The text of the bytes and the encoding that gives the very bytes back."""
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "")
    if not encoding:
        declared = _DECLARED.match(data[:200])
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        source = data.decode(encoding)
        if source.encode(encoding) == data:
            return source, encoding
    except LookupError as error:
        raise EpochalError(f"the TimeML document names an unknown encoding, {encoding!r}; accepted: utf-8") from error
    except UnicodeError as error:
        raise EpochalError(f"the TimeML document is not valid {encoding}: {error}") from error
    raise EpochalError(f"the TimeML document in {encoding} does not survive reading and writing; save it as utf-8")


def _find_dct(scanned: Scan) -> str:
    """The value of the TIMEX3 in DCT, or else of the first that says it is the creation time."""
    in_dct = False
    dct_value = ""
    for tag in scanned.outside:
        if tag.name == "DCT":
            in_dct = tag.form == "open"
        elif tag.name == "TIMEX3" and tag.form != "close":
            names = tag.attributes
            if in_dct and names.get("value"):
                return names["value"]
            if names.get("functionInDocument") in ("CREATION_TIME", "PUBLICATION_TIME"):
                dct_value = dct_value or names.get("value", "")
    for tag in scanned.tags:
        if not dct_value and tag.name == "TIMEX3" and tag.form != "close" and "CREATION_TIME" in tag.raw:
            dct_value = tag.attributes.get("value", "")
    return dct_value


def _parse_dct(value: str) -> Span | None:
    """A DCT's span; where its time of day is unreadable, its day."""
    for text in (value, value.partition("T")[0]):
        try:
            return Span.parse(text)
        except (TimeParseError, TimeRangeError):
            continue
    return None
