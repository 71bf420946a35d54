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
    named = re.findall(r'(?:src|href)="static/([^"#]+)', page)
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


def test_what_comes_over_the_wire_is_small(page, expect, demo):
    replies = []
    page.on("response", lambda reply: replies.extend([reply]))
    page.goto(demo(q="earthquakes in Japan in 2011"))
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert len(replies) <= 6
    packed = [reply for reply in replies if reply.headers.get("content-encoding") == "gzip"]
    assert {"script", "document"} <= {reply.request.resource_type for reply in packed}
    # The first search came with the page.
    assert not [reply.url for reply in replies if "/api/" in reply.url]
    assert sum(reply.request.sizes()["responseBodySize"] for reply in replies) < 80_000


def test_icons_stay_when_the_server_is_gone(page, expect, demo, troubles):
    troubles.allow("ERR_INTERNET_DISCONNECTED")
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").first).to_be_visible()
    fetch_icon = "fetch(document.querySelector('use').getAttribute('href')).then((reply) => reply.status)"
    assert page.evaluate(fetch_icon) == 200  # the icons may still be on their way
    page.context.set_offline(True)
    page.locator(".chip.add").click()
    assert page.evaluate(fetch_icon) == 200


@pytest.mark.parametrize("state", [{}, {"q": "Who won the Nobel Prize in Literature in 2016?"}], ids=["start", "hits"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_view_is_there_without_the_script_and_does_not_move(new_page, expect, demo, state, width):
    page = new_page(width)
    waiting, released = [], []
    page.route("**/index.page.js*", lambda route: route.continue_() if released else waiting.append(route))
    page.goto(demo(**state), wait_until="commit")
    wanted = page.locator(".card" if state else ".examples").first
    expect(wanted).to_be_visible()
    before = wanted.bounding_box()
    text = page.locator("#results").inner_text()
    released.append(True)  # a request that comes only now is let through
    for route in waiting:
        route.continue_()
    expect(page.locator(".bars[d]").first).to_be_attached()
    assert wanted.bounding_box() == before
    assert page.locator("#results").inner_text() == text
