"""The text, the title and the date of HTML pages, without menus, banners, sidebars and comments.

A page is parsed to a tree. Parts that HTML or their names mark as no content are left out, and lists of links, which
are menus; where most of the text is in one `article` or `main`, only that is read. The date is that of the metadata
(Open Graph, JSON-LD, Dublin Core) or of a `time` element; of the elements one that is marked as the publication, else
the first outside of lists of other pages.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final, NamedTuple


class Page(NamedTuple):
    """The contents of a page: its text, its title and its date of publication, as it is written; each may be empty."""

    text: str
    title: str
    date: str


_SILENT: Final = frozenset("script style noscript template svg iframe object head title select button textarea".split())
_BLOCKS: Final = frozenset(
    "p div br li ul ol dl tr table h1 h2 h3 h4 h5 h6 section article blockquote pre header footer main dd dt hr figure "
    "figcaption aside nav form fieldset address details summary body html".split()
)
_CELLS: Final = frozenset(("td", "th"))
_VOID: Final = frozenset("area base br col embed hr img input link meta param source track wbr".split())
#: Elements that end an open paragraph, list item or row where their end tags were left out.
_ENDED_BY: Final = {
    **dict.fromkeys(_BLOCKS - {"br", "li", "dd", "dt", "tr"}, frozenset(("p",))),
    "li": frozenset(("p", "li")),
    "dd": frozenset(("p", "dd", "dt")),
    "dt": frozenset(("p", "dd", "dt")),
    "tr": frozenset(("p", "td", "th", "tr")),
    "td": frozenset(("p", "td", "th")),
    "th": frozenset(("p", "td", "th")),
}
_BARRIERS: Final = frozenset("table ul ol dl body html div section article blockquote".split())

_NO_CONTENT: Final = frozenset(("nav", "aside", "footer", "dialog", "menu"))
_ROLES: Final = frozenset("navigation banner contentinfo complementary search dialog alertdialog menu menubar".split())
_NAMED: Final = re.compile(
    r"(?:^|[\s_-])(?:side-?bar|related|recirc|recommend\w*|shar(?:e|ing)|social|cookies?|consent|breadcrumbs?|newsletter"
    r"|promo\w*|advert\w*|ads?|sponsor\w*|nav(?:igation|bar)?|menu|pagination|pager|footer|comments?|disqus|respond"
    r"|skip-?link|toolbar|pop-?up|modal|subscri\w+|sign-?up|masthead|outbrain|taboola|mw-editsection|navbox"
    r"|catlinks|printfooter|toc)(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Names that a part with content has beside those of `_NAMED`, such as "main-with-sidebar".
_CONTENT: Final = re.compile(r"article|body|content|main|entry|post|story|page|text|column", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_DATE_TAGS: Final = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_date",
    "pubdate",
    "publishdate",
    "publish-date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date",
    "dcterms.date",
    "date",
)
_JSON_DATES: Final = tuple(
    re.compile(rf'"{name}"\s*:\s*"([^"]+)"') for name in ("datePublished", "dateCreated", "uploadDate")
)
#: What a date has at least: a time of day alone is none.
_DATE: Final = re.compile(r"[0-9]{4}|[0-9]{1,2}[-/. ][0-9]{1,2}[-/. ][0-9]{2}")
#: The part of a page's text that its article must have to be all that is read.
_MOST: Final = 0.4
#: The longest list of links that is left out as a menu, in characters outside of links.
_MENU: Final = 0.3


class _Node:
    """An element, with its children and texts in order."""

    __slots__ = ("attributes", "children", "counts", "tag")

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[_Node | str] = []
        self.counts: tuple[int, int, int] | None = None

    def walk(self) -> Iterator[_Node]:
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += (child for child in reversed(node.children) if isinstance(child, _Node))


class _Parser(HTMLParser):
    """Builds the tree of a page; end tags without a start tag are passed over."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Node("html", {})
        self._open = [self.root]
        self._has_data_end = True

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Pass over <![if ...]> and <![CDATA[...]]>; Python's own method fails at names that it does not know."""
        if self._has_data_end and self.rawdata.startswith("<![CDATA[", i):
            end = self.rawdata.find("]]>", i)
            self._has_data_end = end >= 0
            if self._has_data_end:
                return end + 3
        return self.rawdata.find(">", i) + 1 or -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_implied(tag)
        if tag == "title" and any(node.tag == "svg" for node in self._open):
            return  # of a picture, not of the page
        node = _Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        # A tree as deep as a hostile page likes would end the process when it is walked.
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(_Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].tag == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _end_implied(self, tag: str) -> None:
        ended = _ENDED_BY.get(tag, frozenset())
        for place in range(len(self._open) - 1, 0, -1):
            name = self._open[place].tag
            if name in ended:
                del self._open[place:]
            elif name in _BARRIERS:
                return


_DEEPEST: Final = 200


_CHARSET: Final = re.compile(rb"<meta[^>]{1,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)


def decode_html(content: bytes) -> str:
    """The source of a page, in UTF-8 or in the encoding that it names; UnicodeDecodeError where it is in neither."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = _CHARSET.search(content[:2_048])
        if named is None:
            raise
        try:
            codec = codecs.lookup(named[1].decode("ascii")).name
        except LookupError:
            codec = "utf-8"
        # What calls itself Latin-1 is read as browsers read it.
        return content.decode({"iso8859-1": "cp1252"}.get(codec, codec))


def parse_html(source: str) -> Page:
    """The text, the title and the date of a page."""
    root = _build_tree(source)
    content = _choose_content(root)
    text = _read_text(content)
    return Page(text or _read_text(root, whole=True), _find_title(root, content), _find_date(root, content))


def html_text(source: str) -> str:
    """The text of a part of HTML, such as that of a mail: blocks in paragraphs, nothing of scripts and styles."""
    return _read_text(_build_tree(source), whole=True)


def _build_tree(source: str) -> _Node:
    parser = _Parser()
    parser.feed(_close_markup(source))
    parser.close()
    return parser.root


def _close_markup(source: str) -> str:
    """A page without comments and tags that are never closed: Python's parser reads to the end for each of them."""
    comments = max(source.rfind("-->"), source.rfind("-- >")) + 1
    source = source[:comments] + source[comments:].replace("<!--", "")
    tags = source.rfind(">") + 1
    return source[:tags] + source[tags:].replace("<", "&lt;")


def _choose_content(root: _Node) -> _Node:
    """The element with the content: an article or a main part with most of the text, else the page."""
    total = len(_read_text(root))
    best, most = root, _MOST * total
    for node in root.walk():
        if node.tag in ("article", "main") or node.attributes.get("role") in ("main", "article"):
            length = len(_read_text(node))
            # Of an article within a main part, the article, where it has about as much.
            if length > most:
                best, most = node, max(most, 0.8 * length)
    return best


def _read_text(node: _Node, *, whole: bool = False) -> str:
    parts: list[str] = []
    _collect(node, parts, whole=whole, is_plain=False)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip()


def _collect(node: _Node, parts: list[str], *, whole: bool, is_plain: bool) -> None:
    is_block = node.tag in _BLOCKS
    if is_block:
        parts.append("\n\n")
    is_plain = is_plain or node.tag == "pre"
    for child in node.children:
        if isinstance(child, str):
            # A line break in the source is a space; blocks bring the real ones.
            parts.append(child if is_plain else re.sub(r"\s+", " ", child))
        elif child.tag not in _SILENT and (whole or not _is_boilerplate(child)):
            _collect(child, parts, whole=whole, is_plain=is_plain)
    if is_block:
        parts.append("\n\n")
    elif node.tag in _CELLS:
        parts.append(" ")


def _is_boilerplate(node: _Node) -> bool:
    """Whether an element is no content: by its kind, its role, its name, because it is hidden, or as a menu."""
    attributes = node.attributes
    if node.tag in _NO_CONTENT or attributes.get("role", "").lower() in _ROLES:
        return True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or _HIDDEN.search(attributes.get("style", "")):
        return True
    if node.tag in ("body", "html", "main", "article", "p", "a", "h1"):
        return False
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    if _NAMED.search(names) and not _CONTENT.search(names):
        return True
    return node.tag in ("ul", "ol", "div", "section", "table", "form") and _is_menu(node)


def _is_menu(node: _Node) -> bool:
    """Whether an element has little text beside several links."""
    links, linked, total = _count_links(node)
    return links >= 3 and total - linked < _MENU * linked


def _count_links(node: _Node) -> tuple[int, int, int]:
    """Links, the letters within them, and all letters of an element."""
    if node.counts is not None:  # the elements around it have asked before
        return node.counts
    links = linked = total = 0
    for child in node.children:
        if isinstance(child, str):
            total += len(child.strip())
        elif child.tag not in _SILENT:
            inner_links, inner_linked, inner_total = _count_links(child)
            total += inner_total
            links += inner_links + (child.tag == "a")
            linked += inner_total if child.tag == "a" else inner_linked
    node.counts = links, linked, total
    return node.counts


def _find_title(root: _Node, content: _Node) -> str:
    """The title of the page, without the name of the site where a heading or the metadata show what that is."""
    stated = [_get_plain(node) for node in root.walk() if node.tag == "title"][:1]
    title = stated[0] if stated else ""
    shared = next((text for text in _list_metadata(root, ("og:title", "twitter:title", "dc.title")) if text), "")
    headings = [_get_plain(node) for node in content.walk() if node.tag == "h1"]
    if shared and (not title or shared in title or any(shared == heading for heading in headings)):
        return shared
    heading = next((heading for heading in headings if heading and heading in title), None)
    return heading or title or shared or (headings[0] if len(headings) == 1 else "")


def _get_plain(node: _Node) -> str:
    return " ".join("".join(_list_texts(node)).split())


def _list_texts(node: _Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        else:
            yield from _list_texts(child)


def _list_metadata(root: _Node, names: tuple[str, ...]) -> Iterator[str]:
    """The values of `meta` elements with these names, in the order of the names."""
    found: dict[str, str] = {}
    for node in root.walk():
        if node.tag == "meta":
            name = next(
                (node.attributes[key] for key in ("property", "name", "itemprop") if node.attributes.get(key)), ""
            )
            found.setdefault(name.strip().lower(), " ".join(node.attributes.get("content", "").split()))
    return (found[name] for name in names if found.get(name))


def _find_date(root: _Node, content: _Node) -> str:
    shared = _list_metadata(root, _DATE_TAGS[:2])
    own = _list_metadata(root, _DATE_TAGS[2:])
    elements = _list_times(root, content)
    return next((date for source in (shared, _list_json_dates(root), own, elements) for date in source if date), "")


def _list_json_dates(root: _Node) -> Iterator[str]:
    """The dates of JSON-LD. Many pages have some that is no valid JSON, so it is not parsed."""
    scripts = [
        "".join(_list_texts(node))
        for node in root.walk()
        if node.tag == "script" and node.attributes.get("type", "").lower() == "application/ld+json"
    ]
    return (match[1] for pattern in _JSON_DATES for script in scripts for match in pattern.finditer(script))


def _list_times(root: _Node, content: _Node) -> Iterator[str]:
    """Dates of `time` elements: those marked as the publication, then those of the content."""
    marked = [
        node.attributes.get("datetime") or node.attributes.get("content") or _get_plain(node)
        for node in root.walk()
        if node.attributes.get("itemprop", "").lower() == "datepublished" or "pubdate" in node.attributes
    ]
    others = (node.attributes.get("datetime", "") for node in _walk_content(content) if node.tag == "time")
    return (date for dates in (marked, others) for date in dates if _DATE.search(date))


def _walk_content(node: _Node) -> Iterator[_Node]:
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner is not node:
            yield inner
        waiting += (
            child for child in reversed(inner.children) if isinstance(child, _Node) and not _is_boilerplate(child)
        )
