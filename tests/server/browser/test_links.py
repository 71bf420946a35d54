"""A link holds all of the state: reloaded, or opened by somebody else, it shows the same."""

from __future__ import annotations

SEEN = """() => ({
    fields: ["q", "now", "as_of", "valid_at", "during", "k", "undated"].map((id) => document.getElementById(id).value),
    checks: ["strict", "time"].map((id) => document.getElementById(id).checked),
    chips: [...document.querySelectorAll(".chip")].map((node) => node.textContent),
    cards: [...document.querySelectorAll(".card h2, .card h3, .column-head h2")].map((node) => node.textContent),
    view: document.getElementById("view-words").textContent,
    brush: document.querySelector(".brush")?.getAttribute("width"),
    bands: [...document.querySelectorAll(".band-label")].map((node) => node.textContent),
})"""


def settled(page, expect):
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    return page.evaluate(SEEN)


def test_a_reload_shows_the_same(page, expect, demo, new_page):
    state = {
        "q": "earthquakes in Japan before 2012",
        "as_of": "2013",
        "during": "2010-03/2011-06",
        "strict": "0",
        "undated": "penalise",
        "k": "7",
        "drop": "0",
        "view": "2009-01-01/2012-12-31",
    }
    page.goto(demo(**state))
    before = settled(page, expect)
    assert before["fields"] == [state["q"], "28 March 2026", "2013", "", "March 2010 to June 2011", "7", "penalise"]
    assert before["checks"] == [False, True]
    assert len(before["cards"]) == 7
    assert before["brush"]
    assert before["view"] == "2009 to 2012"
    page.reload()
    assert settled(page, expect) == before
    other = new_page()
    other.goto(page.url)
    assert settled(other, expect) == before


def test_a_comparison_and_changed_periods_are_in_the_link(page, expect, demo):
    page.goto(demo(q="the exploration of Mars", compare="2004|2021"))
    before = settled(page, expect)
    page.reload()
    assert settled(page, expect) == before
    page.goto(demo(q="the exploration of Mars in 1999", periods="2004|2012"))
    before = settled(page, expect)
    assert before["bands"] == ["2004", "2012"]
    page.reload()
    assert settled(page, expect) == before


def test_going_back_undoes_a_step(page, expect, demo):
    page.goto(demo(q="a new pope in 2013"))
    before = settled(page, expect)
    page.get_by_role("button", name="Leave out: in 2013").click()
    expect(page.locator(".chip.dropped")).to_have_count(1)
    page.fill("#q", "the latest Nobel Prize in Physics")
    page.press("#q", "Enter")
    expect(page.locator(".chip.note", has_text="wants the newest")).to_have_count(1)
    page.go_back()
    expect(page.locator(".chip.dropped")).to_have_count(1)
    page.go_back()
    expect(page.locator(".chip.dropped")).to_have_count(0)
    assert settled(page, expect) == before


def test_a_link_with_nonsense_falls_back_to_the_usual(page, expect, demo):
    page.goto(f"{demo.base}/?q=pope&k=9999&undated=what&drop=x.-1&compare=2004&strict=2&now=2026-03-28")
    after = settled(page, expect)
    assert after["fields"][5:] == ["10", "neutral"]
    assert len(after["cards"]) == 10
