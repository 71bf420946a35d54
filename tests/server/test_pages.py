"""The pages as they are sent: one script and one style sheet each, named by content, with a way to the sources."""

from __future__ import annotations

import json
import re

import pytest

from epochal.errors import EpochalError
from epochal.server.bundle import bundle_modules
from epochal.server.pages import build_pages, read_page_files

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
PAGES = {"/": "index", "/document": "document"}


def decode(text):
    """The numbers of a segment of a source map."""
    numbers, shift, value = [], 0, 0
    for letter in text:
        digit = DIGITS.index(letter)
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            shift = value = 0
    return numbers


def follow(source_map):
    """The file and the line that each line of a script comes from."""
    file = line = 0
    for segment in source_map["mappings"].split(";"):
        if not segment:
            yield None
            continue
        _, files, lines, _ = decode(segment)
        file, line = file + files, line + lines
        yield source_map["sources"][file], line


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_for_one_script_and_one_style_sheet_that_never_change(client, path):
    page = client.get(path).body.decode()
    assert "modulepreload" not in page
    for kind, found in (
        ("js", re.findall(r'type="module" src="([^"]+)"', page)),
        ("css", re.findall(r'rel="stylesheet" href="([^"]+)"', page)),
    ):
        (address,) = found
        name, _, tag = address.partition("?v=")
        assert name == f"static/{PAGES[path]}.page.{kind}"
        reply = client.get(f"/{name}", v=tag)
        assert (reply.status, reply.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        assert client.get(f"/{name}", v="another").headers["cache-control"] == "no-cache"
        assert not re.search(r"^(import|export) ", reply.body.decode(), re.MULTILINE)
    assert re.findall(r'"static/[^"?]+"', page) == []


@pytest.mark.parametrize("name", PAGES.values())
def test_a_source_map_leads_to_the_lines_of_the_sources(name):
    files = read_page_files()
    built = build_pages(files)
    script = built[f"{name}.page.js"].body.decode().split("\n")
    places = list(follow(json.loads(built[f"{name}.page.js.map"].body)))
    compared = 0
    for line, place in zip(script, places, strict=False):
        if place is None or "?v=" in line:
            continue
        source = files[place[0]].body.decode().split("\n")[place[1]]
        if not source.startswith(("import", "export {")):
            assert source.removeprefix("export ") == line
            compared += 1
    assert compared > 500


def test_modules_that_import_one_another_are_refused():
    sources = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(EpochalError, match=r"in a circle: a.js -> b.js -> a.js"):
        bundle_modules("a.js", sources)


def test_names_of_different_modules_do_not_meet():
    sources = {
        "a.js": 'import { take } from "./b.js";\nconst MOST = 1;\ntake(MOST);\n',
        "b.js": "// A comment.\nconst MOST = 2;\n/** Another one. */\nexport function take() {\n  return MOST;\n}\n",
    }
    script = bundle_modules("a.js", sources).script
    assert script.count("const MOST") == 2
    assert "omment" not in script


@pytest.mark.parametrize("name", PAGES.values())
def test_addresses_are_relative_so_that_a_page_works_below_a_path(name):
    built = build_pages(read_page_files())
    texts = [
        file.body.decode() for item, file in built.items() if item.startswith(name) and item.endswith(("html", "js"))
    ]
    assert not [
        found
        for text in texts
        for found in re.findall(r"""(?:href|src)(?:=|: )["`]/[^"`]*|["`]/(?:api|static)/""", text)
    ]
