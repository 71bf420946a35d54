"""Everything without a mouse."""

from __future__ import annotations

import re


def test_a_search_from_the_question_to_the_citation(new_page, expect, demo):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(demo())
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("Who won the Nobel Prize in Literature in 2016?")
    page.keyboard.press("Enter")
    expect(page.locator(".card").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("button.primary").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#card-1")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#card-2")).to_be_focused()
    expect(page.locator("[data-mark~='2']")).to_have_class(re.compile("chosen"))
    page.keyboard.press("k")
    page.keyboard.press("y")
    expect(page.locator("#toast")).to_have_text("The citation is copied.")
    assert "Bob Dylan" in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("jkt?")
    expect(page.locator("#q")).to_have_value(re.compile(r"jkt\?$"))


def test_a_filter_is_placed_moved_and_taken_off(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").first).to_be_visible()
    page.locator("#view-words").click()
    page.keyboard.press("t")
    expect(page.locator("#plot")).to_be_focused()
    page.keyboard.press("Enter")
    start, end = page.locator(".handle.start"), page.locator(".handle.end")
    expect(start).to_be_focused()
    before = int(start.get_attribute("aria-valuenow"))
    words = start.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight")
    assert int(start.get_attribute("aria-valuenow")) > before
    assert start.get_attribute("aria-valuetext") != words
    page.keyboard.press("PageUp")
    page.keyboard.press("Tab")
    expect(end).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"during=20\d\d"))
    expect(page.locator(".account summary")).to_contain_text("hidden")
    expect(end).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator("#plot")).to_be_focused()
    expect(page.locator(".brush")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("during"))


def test_the_view_is_moved_and_zoomed(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").first).to_be_visible()
    page.locator("#plot").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.locator("#view-words")).to_have_text(re.compile(r"^20\d\d to 20\d\d$|^\w+ 20\d\d to \w+ 20\d\d$"))
    zoomed = page.locator("#view-words").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#view-words")).not_to_have_text(zoomed)
    expect(page.locator("#view-status")).to_contain_text("The timeline shows")
    page.keyboard.press("0")
    expect(page.locator("#view-words")).to_have_text("2002 to 2026")


def test_chips_are_reached_changed_and_left(page, expect, demo):
    page.goto(demo(q="the earthquake in Japan in 2004"))
    chip = page.locator(".chip-main")
    expect(chip).to_be_visible()
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chip-text")).to_be_focused()
    page.keyboard.type("2011")
    page.keyboard.press("Enter")
    expect(page.locator(".chip.time")).to_contain_text("in 2011")
    page.locator(".chip-drop").focus()
    page.keyboard.press("Space")
    expect(page.locator(".chip.time")).to_have_count(0)


def test_every_control_can_be_reached_and_is_seen_to_have_the_focus(page, expect, papers):
    page.goto(papers(q="What did a transfer abroad cost in 2009?"))
    expect(page.locator(".card").first).to_be_visible()
    page.locator("#q").focus()
    reached, hidden = [], []
    for _ in range(60):
        page.keyboard.press("Tab")
        message = page.evaluate(
            """() => {
              const node = document.activeElement, style = getComputedStyle(node);
              return [node.id || node.className.baseVal || node.className || node.tagName,
                      style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0, node === document.body];
            }"""
        )
        if message[2]:
            break
        reached.append(message[0])
        if not message[1]:
            hidden.append(message[0])
    assert hidden == []
    for name in ("now", "as_of", "chip-main", "chip-drop", "plot", "during", "sort", "compare", "export-csv"):
        assert name in reached, f"{name} is not reached by Tab: {reached}"
    assert any("copy" in name for name in reached)


def test_the_list_of_keys_and_their_switch(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").first).to_be_visible()
    page.locator("#plot").focus()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.get_by_role("checkbox", name="Single keys are on").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.locator("#whole").focus()
    page.keyboard.press("d")
    expect(page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))
    page.reload()
    expect(page.locator("#keys-on")).not_to_be_checked()
