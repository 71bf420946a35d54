"""The pages as they are sent: one script each, named by content, and all that the first view needs."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from epochal.errors import EpochalError
from epochal.server.app import create_app
from epochal.server.bundle import bundle_modules
from epochal.server.pages import build_pages, read_page_files
from epochal.server.settings import Settings
from epochal.server.telemetry import POLICY
from server.asgi import Client

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
def test_a_page_asks_for_one_script_that_never_changes(client, path):
    page = client.get(path).body.decode()
    (address,) = re.findall(r'<script type="module" src="([^"]+)"', page)
    assert not re.search(r'rel="stylesheet"|modulepreload|<script src=', page)
    name, _, tag = address.partition("?v=")
    assert name == f"static/{PAGES[path]}.page.js"
    reply = client.get(f"/{name}", v=tag)
    assert (reply.status, reply.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
    assert client.get(f"/{name}", v="another").headers["cache-control"] == "no-cache"
    assert not re.search(r"^(import|export) ", reply.body.decode() + page, re.MULTILINE)
    assert re.findall(r'"static/[^"?]+"', page) == []


@pytest.mark.parametrize("path", PAGES)
def test_the_policy_names_what_is_within_a_page_and_nothing_else(client, path):
    reply = client.get(path)
    policy = reply.headers["content-security-policy"]
    assert policy.startswith(POLICY)
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        within = re.findall(rf"<{kind}>(.*?)</{kind}>", reply.body.decode(), re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in within]
        (listed,) = re.findall(rf"{kind}-src 'self' ([^;]+)", policy)
        assert listed == " ".join(f"'sha256-{text}'" for text in hashes)


def test_the_script_of_a_page_leaves_out_what_is_within_the_page():
    built = build_pages(read_page_files())
    modules = {
        name: re.findall(r"^const (\$\w+) = \(\(\) =>", built[name].body.decode(), re.MULTILINE)
        for name in ("index.html", "index.page.js")
    }
    assert {"$cards", "$first"} <= set(modules["index.html"])
    assert "$app" in modules["index.page.js"]
    assert not set(modules["index.html"]) & set(modules["index.page.js"])


def read_given(reply, name="given"):
    (text,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', reply.body.decode(), re.DOTALL)
    return json.loads(text)


def test_a_page_brings_the_hits_of_its_question(client):
    given = read_given(client.get("/", q=" bank rate ", as_of="2010", k="3", sort="oldest", view="1990/2000"))
    body = {"question": "bank rate", "k": 3, "overview": True, "as_of": "2010", "sort": "oldest"}
    assert given["search"]["body"] == body
    assert {**given["search"]["answer"], "took_ms": 0} == {**client.post("/api/v1/search", body).json(), "took_ms": 0}
    assert given["info"] == client.get("/api/v1/info").json()


def test_a_page_without_a_question_brings_what_the_index_holds(client):
    given = read_given(client.get("/"))
    counted = client.get("/api/v1/coverage", bins=400, calendar="true").json()
    assert "search" not in given
    assert [item["count"] for item in given["coverage"]["bins"]] == [item["count"] for item in counted["bins"]]


@pytest.mark.parametrize(
    "state",
    [{"drop": "0"}, {"periods": "1998"}, {"compare": "1998|2003"}, {"where": "a=b"}, {"as_of": "no such time"}],
    ids=str,
)
def test_a_page_asks_by_itself_where_its_address_says_more_or_is_wrong(client, state):
    reply = client.get("/", q="bank rate", **state)
    assert reply.status == 200
    assert "search" not in read_given(reply)


def test_no_text_ends_the_element_that_brings_it(client):
    question = "</script><script>evil()</script>"
    reply = client.get("/", q=question)
    assert "evil()</script>" not in reply.body.decode()
    assert read_given(reply)["search"]["body"]["question"] == question


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
            assert re.sub(r"\s*/\*\*.*?\*/\s?", " ", source.removeprefix("export ")).strip() == line.strip()
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


def test_only_named_sites_may_show_results_in_a_frame(never_changed):
    with Client(create_app(Settings(never_changed, frames=("https://a.example", "http://b.example:81")))) as client:
        framed, whole = client.get("/embed", q="bank rate"), client.get("/", q="bank rate")
    assert "frame-ancestors https://a.example http://b.example:81;" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    assert '<html class="embedded"' in framed.body.decode()
    assert "search" in read_given(framed)
    assert "frame-ancestors 'none';" in whole.headers["content-security-policy"]
    assert whole.headers["x-frame-options"] == "DENY"


def test_without_a_site_there_is_nothing_to_embed(client):
    assert client.get("/embed", q="bank rate").status == 404
