"""What the page weighs, how fast it is there, and what its files may hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import epochal.server
import epochal_lab.runs

FOLDERS = [Path(package.__file__).parent / "page" for package in (epochal.server, epochal_lab.runs)]
FILES = sorted(path for folder in FOLDERS for path in folder.iterdir())
NAMES = [path.name for path in FILES]
_MAX_BYTES = 300_000


def text(name):
    return next(path for path in FILES if path.name == name).read_text(encoding="utf-8")


def test_the_whole_page_weighs_less_than_300_kb():
    assert sum(path.stat().st_size for path in FILES) < _MAX_BYTES


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".html")])
def test_pages_have_no_script_or_style_of_their_own(name):
    page = text(name)
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", page)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)
    named = re.findall(r'(?:src|href)="/static/([^"#]+)', page)
    assert named
    assert set(named) <= set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".js")])
def test_scripts_never_read_text_as_markup(name):
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser", text(name)
    )
    imported = re.findall(r'from "\./([^"]+)"', text(name))
    assert set(imported) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_files_name_nothing_outside(name):
    matches = re.findall(r"https?://[^\s\"')]+", text(name))
    assert [address for address in matches if not address.startswith("http://www.w3.org/")] == []


@pytest.mark.parametrize("name", ["index.html", "document.html", "bench.html"])
def test_every_module_is_fetched_ahead(name):
    """A chain of imports would cost a round trip for each of its links."""
    page = text(name)
    needed, waiting = set(), re.findall(r'type="module" src="/static/([^"]+)"', page)
    while waiting:
        for other in re.findall(r'from "\./([^"]+)"', text(waiting.pop())):
            if other not in needed:
                needed.add(other)
                waiting.append(other)
    assert needed == set(re.findall(r'modulepreload" href="/static/([^"]+)"', page))


def test_what_comes_over_the_wire_is_small(page, expect, demo):
    sizes = []
    page.on(
        "response", lambda reply: sizes.append(reply) if "/static/" in reply.url or reply.url.endswith("/") else None
    )
    page.goto(demo())
    expect(page.locator(".examples")).to_be_visible()
    total = sum(len(reply.body()) for reply in sizes)
    assert len(sizes) > 10
    assert total < _MAX_BYTES
