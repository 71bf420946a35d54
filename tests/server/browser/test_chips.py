"""How a question was read, and how that is corrected."""

from __future__ import annotations

ASKED = "earthquakes in Japan before 2011"


def test_a_time_is_left_out_and_put_back(page, expect, demo):
    page.goto(demo(q=ASKED))
    chip = page.locator(".chip.time")
    expect(chip).to_contain_text("until 2010")
    expect(page.locator(".band")).to_have_count(1)
    page.get_by_role("button", name="Leave out: until 2010").click()
    expect(page.locator(".chip.dropped s")).to_have_text("until 2010")
    expect(page.locator(".band")).to_have_count(0)
    expect(page.locator(".parts").first).not_to_contain_text("alignment")
    assert "drop=0" in page.url
    page.get_by_role("button", name="Put back: until 2010").click()
    expect(page.locator(".chip.dropped")).to_have_count(0)
    expect(page.locator(".band")).to_have_count(1)


def test_a_time_is_changed_in_words(page, expect, demo):
    page.goto(demo(q="the earthquake in Japan in 2004"))
    page.locator(".chip-main").click()
    expect(page.locator("#chip-text")).to_be_focused()
    page.fill("#chip-text", "March 2011")
    page.press("#chip-text", "Enter")
    expect(page.locator(".chip.time")).to_contain_text("in March 2011")
    expect(page.locator(".band-label")).to_have_text("March 2011")
    assert "periods=2011-03" in page.url
    page.get_by_role("button", name="As read").click()
    expect(page.locator(".chip.time")).to_contain_text("in 2004")
    assert "periods" not in page.url


def test_a_relation_is_changed(page, expect, demo):
    page.goto(demo(q="earthquakes in Japan in 2011"))
    page.locator(".chip-main").click()
    page.select_option("#chip-relation", "since")
    page.get_by_role("button", name="Change").click()
    expect(page.locator(".chip.time")).to_contain_text("since 2011")


def test_a_time_is_added(page, expect, demo):
    page.goto(demo(q="the exploration of Mars"))
    page.get_by_role("button", name="Time", exact=True).click()
    page.fill("#chip-text", "2004")
    page.press("#chip-text", "Enter")
    expect(page.locator(".chip.time")).to_have_count(1)
    page.get_by_role("button", name="Time", exact=True).click()
    page.fill("#chip-text", "2021")
    page.press("#chip-text", "Enter")
    expect(page.locator(".chip.time")).to_have_count(2)
    expect(page.locator(".band")).to_have_count(2)


def test_the_last_time_can_go(page, expect, demo):
    page.goto(demo(q="the exploration of Mars", periods="2004"))
    page.get_by_role("button", name="Leave out: in 2004").click()
    expect(page.locator(".chip.time")).to_have_count(0)
    expect(page.locator(".band")).to_have_count(0)
    assert page.url.endswith("periods=")


def test_an_era_that_may_be_several_is_asked_back(page, expect, demo, troubles):
    page.goto(demo(q="floods in 2004"))
    page.locator(".chip-main").click()
    page.fill("#chip-text", "永和元年")
    page.press("#chip-text", "Enter")
    choices = page.locator("#chip-panel .problem button")
    expect(choices.first).to_be_visible()
    assert choices.count() > 1
    choices.first.click()
    expect(page.locator(".chip.time")).to_contain_text("CE")


def test_a_time_that_cannot_be_read_says_what_can(page, expect, demo, troubles):
    troubles.allow(r"status of 4\d\d")
    page.goto(demo(q="floods in 2004"))
    page.locator(".chip-main").click()
    page.fill("#chip-text", "blursday")
    page.press("#chip-text", "Enter")
    expect(page.locator("#chip-panel .problem")).to_contain_text("blursday")
    page.press("#chip-text", "Escape")
    expect(page.locator("#chip-panel")).to_be_hidden()
    expect(page.locator(".chip-main")).to_be_focused()


def test_only_a_question_for_a_time_asks_when(page, expect, demo):
    page.goto(demo(q="Who won the Nobel Prize in Literature in 2016?"))
    expect(page.locator("#chips")).to_contain_text("topic")
    expect(page.locator("#chips")).not_to_contain_text("asks when")
    page.goto(demo(q="When did Pope John Paul II die?"))
    expect(page.locator("#chips")).to_contain_text("asks when")


def test_every_part_of_a_score_has_a_meaning(page, expect, demo):
    page.goto(demo(q="the latest earthquake in Japan"))
    page.locator(".why summary").first.click()
    parts = page.locator(".parts").first.locator("li")
    expect(parts.first).to_be_visible()
    assert all(row.locator(".part-words").inner_text().strip() for row in parts.all())
