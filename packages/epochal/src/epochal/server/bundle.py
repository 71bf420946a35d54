"""The scripts and styles of a page: a page of thirty modules would cost as many requests.

The sources stay as they are, and are served beside. Styles, and the scripts that the first view needs, become a part of
the page, since a slow network is then waited for once; styles for later come behind that view, and all other modules
become one script. Modules are put one after
another, each as a function that returns what it exports; comments and indentation are left out, and a source map leads
back to the lines of the sources.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from epochal.errors import EpochalError

_IMPORT: Final = re.compile(r'^import \{(?P<names>[^}]*)\} from "\./(?P<module>[^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(
    r"^export (?P<rest>(?:async function\*?|function\*?|class|const|let) (?P<name>\w+))", re.MULTILINE
)
_NO_EXPORT: Final = re.compile(r"^export \{\};\n", re.MULTILINE)
#: A comment on lines of its own.
_COMMENT: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
#: The indentation of lines, and blanks of style sheets that are not needed.
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_BLANKS: Final = re.compile(r"\s+")
_STYLE_SPACE: Final = re.compile(" ?([{};,]) ?")
_DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A script, its source map, and the modules in it."""

    script: str
    source_map: str
    modules: tuple[str, ...] = ()


def bundle_modules(entry: str, sources: Mapping[str, str], without: Collection[str] = ()) -> Bundle:
    """Put a module and all that it imports into one script, without modules that another script of the page has.

    >>> sources = {"a.js": 'import { b } from "./b.js";\\nb();\\n', "b.js": "export function b() {}\\n"}
    >>> print(bundle_modules("a.js", sources).script)
    const $b = (() => {
    function b() {}
    return { b };
    })();
    const $a = (() => {
    const { b } = $b;
    b();
    return {  };
    })();
    <BLANKLINE>
    """
    order: list[str] = []
    _collect(entry, sources, order, ())
    order = [name for name in order if name not in without]
    lines: list[str] = []
    places: list[tuple[int, int] | None] = []
    for position, name in enumerate(order):
        body, numbers = _strip_comments(sources[name])
        lines += [f"const {_make_name(name)} = (() => {{", *_translate(body), "})();"]
        places += [None, *((position, number) for number in numbers), None, None]
    return Bundle("\n".join(lines) + "\n", _make_map(order, places), tuple(order))


def _collect(name: str, sources: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    """Add a module to the order, after all that it imports."""
    if name in above:
        raise EpochalError(f"modules import one another in a circle: {' -> '.join([*above, name])}")
    if name in order:
        return
    for match in _IMPORT.finditer(sources[name]):
        _collect(match["module"], sources, order, (*above, name))
    order.append(name)


def _make_name(module: str) -> str:
    return "$" + re.sub(r"\W", "_", module.removesuffix(".js"))


def _strip_comments(text: str) -> tuple[str, list[int]]:
    """The text without comments on lines of their own and with imports on one line; and the number of each line."""
    kept: list[str] = []
    numbers: list[int] = []
    at = line = 0
    for match in sorted([*_COMMENT.finditer(text), *_IMPORT.finditer(text)], key=lambda item: item.start()):
        if match.start() < at:
            continue
        before = text[at : match.start()]
        kept.append(before)
        numbers += range(line, line + before.count("\n"))
        line += before.count("\n")
        if match.re is _IMPORT:
            kept.append(" ".join(match[0].split()) + "\n")
            numbers.append(line)
        line += match[0].count("\n")
        at = match.end()
    kept.append(text[at:])
    numbers += range(line, line + text[at:].count("\n"))
    return "".join(kept), numbers


def _translate(body: str) -> list[str]:
    """The lines of a module, with its imports and exports as values; one line more, which returns what it exports."""
    exported = [match["name"] for match in _EXPORT.finditer(body)]
    text = _EXPORT.sub(lambda match: match["rest"], _NO_EXPORT.sub("\n", body))
    text = _IMPORT.sub(lambda match: f"const {{{match['names']}}} = {_make_name(match['module'])};\n", text)
    text = _INDENT.sub("", _drop_asides(text))
    return [*text.removesuffix("\n").split("\n"), f"return {{ {', '.join(exported)} }};"]


def _make_map(order: list[str], places: list[tuple[int, int] | None]) -> str:
    """A source map, version 3, that leads each line to a line of a source."""
    mappings: list[str] = []
    last = (0, 0)
    for place in places:
        mappings.append("" if place is None else _encode(0, place[0] - last[0], place[1] - last[1], 0))
        last = last if place is None else place
    sources = list(order)
    return json.dumps({"version": 3, "sources": sources, "names": [], "mappings": ";".join(mappings)})


def _encode(*values: int) -> str:
    """Numbers in base 64, of variable length, the sign in the lowest bit."""
    text = ""
    for value in values:
        rest = abs(value) << 1 | (value < 0)
        while True:
            digit, rest = rest & 31, rest >> 5
            text += _DIGITS[digit | (32 if rest else 0)]
            if not rest:
                break
    return text


# ---------------------------------------------------------------- pages

_MODULE: Final = re.compile(r'<script type="module" src="static/(?P<name>[^"]+)"(?P<inline> data-inline)?></script>')
_SCRIPT: Final = re.compile(r'<script src="static/(?P<name>[^"]+)"></script>')
_STYLE: Final = re.compile(r'^[ \t]*<link rel="stylesheet" href="static/(?P<name>[^"]+)">\n', re.MULTILINE)
#: A style sheet that what comes before it does not need; it stays in its place.
_LATE_STYLE: Final = re.compile(r'<link rel="stylesheet" href="static/(?P<name>[^"]+)" data-inline>')
_REFERENCE: Final = re.compile(r'(?<=["`])static/(?P<name>[\w.-]+)(?=["#`])')


def bundle_page(name: str, sources: Mapping[str, str], tags: Mapping[str, str]) -> dict[str, str]:
    """A page with its styles and its first scripts inside, and the script of all other modules: both by name.

    `tags` are hashes of files. Where the page refers to one of them its address gets the hash, so that it can be kept
    for ever.
    """
    stem = name.removesuffix(".html")
    page = _SCRIPT.sub(lambda match: f"<script>{_shorten_script(sources[match['name']])}</script>", sources[name])
    page = _inline_styles(page, sources)
    made: dict[str, str] = {}
    present: tuple[str, ...] = ()
    for match in sorted(_MODULE.finditer(page), key=lambda item: item["inline"] is None):
        bundle = bundle_modules(match["name"], sources, present)
        if match["inline"]:
            # The modules are constants of the page, which its other script can use.
            present += bundle.modules
            page = page.replace(match[0], f'<script>"use strict";\n{bundle.script}</script>')
            continue
        made[f"{stem}.page.js"] = f"{add_tags(bundle.script, tags)}//# sourceMappingURL={stem}.page.js.map\n"
        made[f"{stem}.page.js.map"] = bundle.source_map
        page = page.replace(match[0], match[0].replace(match["name"], f"{stem}.page.js"))
    return {name: page, **made}


def _shorten_script(text: str) -> str:
    return _INDENT.sub("", _drop_asides(_strip_comments(text)[0]))


def _drop_asides(text: str) -> str:
    """Leave out types and comments within lines."""
    first, *rest = text.split("/**")
    kept = [first]
    for part in rest:
        comment, end, code = part.partition("*/")
        if not end or "\n" in comment:
            kept.append(f"/**{part}")
            continue
        kept[-1] = kept[-1].rstrip(" \t")
        kept.append(f" {code[1:] if code[:1] in (' ', chr(9)) else code}")
    return "".join(kept)


def _shorten_style(text: str) -> str:
    first, *rest = text.split("/*")
    code = first + "".join(part.partition("*/")[2] for part in rest)
    return _STYLE_SPACE.sub(r"\1", _BLANKS.sub(" ", code)).strip()


def _inline_styles(page: str, sources: Mapping[str, str]) -> str:
    """Put the style sheets of a page in place of the first link; those that are needed later stay where they are."""
    page = _LATE_STYLE.sub(lambda match: f"<style>{_shorten_style(sources[match['name']])}</style>", page)
    names = [match["name"] for match in _STYLE.finditer(page)]
    if not names:
        return page
    styles = "".join(_shorten_style(sources[style]) + "\n" for style in names)
    first = next(_STYLE.finditer(page)).start()
    return f"{page[:first]}<style>{styles}</style>\n{_STYLE.sub('', page[first:])}"


def make_policy(page: str, policy: str) -> str:
    """A content security policy that lets a page run the scripts and use the styles that are a part of it.

    >>> make_policy("<style>p{}</style>", "default-src 'self'")
    "default-src 'self'; style-src 'self' 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='"
    """
    found: dict[str, list[str]] = {}
    for kind in ("script", "style"):
        for part in page.split(f"<{kind}>")[1:]:
            digest = base64.b64encode(hashlib.sha256(part.partition(f"</{kind}>")[0].encode()).digest()).decode()
            found.setdefault(kind, []).append(f"'sha256-{digest}'")
    return "; ".join([policy, *(f"{kind}-src 'self' {' '.join(hashes)}" for kind, hashes in found.items())])


def add_tags(text: str, tags: Mapping[str, str]) -> str:
    """Add the hash of each file to its addresses in a text."""
    return _REFERENCE.sub(lambda match: match[0] + (f"?v={tags[match[1]]}" if match[1] in tags else ""), text)
