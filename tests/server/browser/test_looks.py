"""Phones, light and dark, and what axe-core finds."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

STATES = {
    "start": {},
    "hits": {"q": "Who won the Nobel Prize in Literature in 2016?"},
    "filter": {"q": "earthquakes", "during": "2010-03/2011-06", "as_of": "2020"},
    "dropped": {"q": "earthquakes in Japan before 2011", "drop": "0"},
    "uncovered": {"q": "What happened in July 2014?"},
    "unknown": {"q": "the wibblezorb of 2011"},
    "newest": {"q": "floods", "sort": "newest", "k": "30"},
    "compared": {"q": "the exploration of Mars", "compare": "2004|2012|2021"},
}
WIDE = """() => [...document.querySelectorAll("body *")].filter((node) => {
  const box = node.getBoundingClientRect();
  const room = document.documentElement.clientWidth + 1;
  return box.width && box.right > room && !node.closest(".scroll, .unseen-text, svg");
}).map((node) => node.id || node.className || node.tagName)"""


def ready(page, expect, state):
    if state.get("q"):
        expect(page.locator(".card").first).to_be_visible()
    else:
        expect(page.locator(".examples")).to_be_visible()
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")


def violations(page):
    """What axe-core finds, of every impact."""
    source = Path(find_spec("axe_playwright_python").submodule_search_locations[0]) / "axe.min.js"
    # By the debugger, not as a script element: the page's policy lets no other script in.
    page.evaluate(source.read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [
        (rule["id"], rule["impact"], node["target"], node["failureSummary"])
        for rule in result["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_phone_scrolls_in_one_direction_only(new_page, expect, demo, state):
    page = new_page(390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    page.goto(demo(**state))
    ready(page, expect, state)
    assert page.evaluate(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_nothing_is_cut_off_at_twice_the_size(new_page, expect, demo, state):
    # What a browser does at 200 %: half as many pixels of the page in each direction.
    page = new_page(640, 360, device_scale_factor=2)
    page.goto(demo(**state))
    ready(page, expect, state)
    assert page.evaluate(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 640
    # Letters alone of twice the size.
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
    assert page.evaluate(WIDE) == []


def test_a_phone_can_do_what_a_desk_can(new_page, expect, demo):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(demo(q="the exploration of Mars in 2004"))
    ready(page, expect, {"q": "x"})
    page.locator(".chip-main").tap()
    page.fill("#chip-text", "2021")
    page.get_by_role("button", name="Change").tap()
    expect(page.locator(".chip.time")).to_contain_text("in 2021")
    page.get_by_role("button", name="Compare periods").tap()
    page.fill("#compare-a", "2004")
    page.fill("#compare-b", "2021")
    page.get_by_role("button", name="Compare", exact=True).tap()
    expect(page.locator(".column")).to_have_count(2)
    first, second = (page.locator(".column").nth(position).bounding_box() for position in (0, 1))
    assert second["y"] > first["y"] + first["height"] - 1
    assert page.evaluate(WIDE) == []


def test_two_fingers_zoom(new_page, expect, demo):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(demo(q="earthquakes"))
    ready(page, expect, {"q": "x"})
    before = page.evaluate("document.querySelectorAll('.tick-label')[1].textContent")
    area = page.locator("#plot").bounding_box()
    fingers = page.context.new_cdp_session(page)
    y = area["y"] + 60

    def touch(kind, *positions):
        points = [{"x": area["x"] + x, "y": y, "id": number} for number, x in enumerate(positions)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 150, 200)
    for step in range(1, 8):
        touch("touchMove", 150 - 15 * step, 200 + 15 * step)
    touch("touchEnd")
    page.wait_for_url(re.compile("view="))
    assert page.evaluate("document.querySelectorAll('.tick-label')[1].textContent") != before
    assert "during" not in page.url


def test_a_finger_brushes(new_page, expect, demo):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(demo(q="earthquakes"))
    ready(page, expect, {"q": "x"})
    area = page.locator("#plot").bounding_box()
    fingers = page.context.new_cdp_session(page)

    def touch(kind, *positions):
        points = [{"x": area["x"] + x, "y": area["y"] + 60} for x in positions]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 120)
    for x in range(130, 220, 10):
        touch("touchMove", x)
    touch("touchEnd")
    expect(page.locator("#during")).to_have_value(re.compile(r"^20\d\d"))


def lightness(page, name):
    result = page.evaluate(f"getComputedStyle(document.body).{name}")
    return sum(int(part) for part in re.findall(r"\d+", result)[:3])


def test_dark_follows_the_system_and_can_be_chosen(new_page, expect, demo):
    dark = new_page(color_scheme="dark")
    dark.goto(demo())
    assert lightness(dark, "backgroundColor") < 150 < 500 < lightness(dark, "color")
    light = new_page(color_scheme="light")
    light.goto(demo())
    assert lightness(light, "color") < 150 < 500 < lightness(light, "backgroundColor")
    button = light.get_by_role("button", name="Dark")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert lightness(light, "backgroundColor") < 150
    light.reload()
    assert lightness(light, "backgroundColor") < 150


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_axe_finds_nothing(new_page, expect, demo, state, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(demo(**state))
    ready(page, expect, state)
    assert violations(page) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_in_what_opens(new_page, expect, papers, width):
    page = new_page(width, 900)
    page.goto(papers(q="What did a transfer abroad cost in 2009?"))
    ready(page, expect, {"q": "x"})
    for opener in ("#table-button", ".versions summary", ".why summary", ".chip-main", "#options summary"):
        page.locator(opener).first.click()
    expect(page.locator(".chain li")).to_have_count(3)
    assert violations(page) == []
    page.locator("#options summary").click()
    page.get_by_role("button", name="Compare periods").click()
    assert violations(page) == []
    page.get_by_role("button", name="Keys").click()
    assert violations(page) == []


def test_structure_for_screen_readers(page, expect, demo):
    page.goto(demo(q="Who won the Nobel Prize in Literature in 2016?"))
    ready(page, expect, {"q": "x"})
    expect(page.get_by_role("search")).to_be_visible()
    expect(page.get_by_role("banner")).to_be_visible()
    expect(page.get_by_role("main")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Search by time")
    expect(page.get_by_role("status").filter(has_text="10 hits")).to_have_count(1)
    expect(page.get_by_role("article").first).to_have_accessible_name(re.compile("^1. 13 October 2016"))
    expect(page.locator("#plot")).to_have_accessible_description(re.compile("10 hits marked"))
