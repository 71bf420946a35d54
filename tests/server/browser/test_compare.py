"""Periods side by side."""

from __future__ import annotations

import re

ASKED = "How did the exploration of Mars in 2004 differ from 2021?"


def test_a_question_of_two_periods_suggests_to_compare_them(page, expect, demo):
    page.goto(demo(q=ASKED))
    button = page.get_by_role("button", name="Compare periods")
    expect(button).to_have_class(re.compile("suggested"))
    expect(page.locator(".band")).to_have_count(2)
    button.click()
    expect(page.locator("#compare-a")).to_have_value("2004")
    expect(page.locator("#compare-b")).to_have_value("2021")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column-head h2")).to_have_text(["2004", "2021"])
    for position, year in enumerate(("2004", "2021")):
        first = page.locator(".column").nth(position).locator(".card").first
        expect(first.locator("h3")).to_contain_text(year)
    assert "compare=2004%7C2021" in page.url
    expect(page.locator(".hit.tone-a").first).to_be_visible()
    expect(page.locator(".hit.tone-b").first).to_be_visible()


def test_three_periods_each_with_its_own_outcome(page, expect, demo):
    page.goto(demo(q="papal conclaves", compare="2005|2013|0500"))
    expect(page.locator(".column")).to_have_count(3)
    expect(page.locator(".column").nth(0)).to_contain_text("2005")
    expect(page.locator(".column").nth(2).locator(".banner.uncovered")).to_contain_text("Not covered")
    expect(page.locator(".column").nth(0).locator(".banner")).to_have_count(0)
    expect(page.locator("#count")).to_have_text("30 hits in 3 periods")


def test_periods_in_words_and_an_end_to_comparing(page, expect, demo):
    page.goto(demo(q="the exploration of Mars"))
    page.get_by_role("button", name="Compare periods").click()
    page.fill("#compare-a", "early 2004")
    page.fill("#compare-b", "March 2021")
    page.press("#compare-b", "Enter")
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column-head h2").nth(1)).to_have_text("March 2021")
    page.get_by_role("button", name="Leave out: March 2021").click()
    expect(page.locator(".column")).to_have_count(0)
    expect(page.locator(".card").first).to_be_visible()
    page.go_back()
    expect(page.locator(".column")).to_have_count(2)
    page.get_by_role("button", name="Stop comparing").click()
    expect(page.locator(".column")).to_have_count(0)


def test_a_period_that_cannot_be_read_is_named(page, expect, demo, troubles):
    troubles.allow(r"status of 4\d\d")
    page.goto(demo(q="the exploration of Mars"))
    page.get_by_role("button", name="Compare periods").click()
    page.fill("#compare-a", "2004")
    page.fill("#compare-b", "blursday")
    page.press("#compare-b", "Enter")
    expect(page.locator("#compare-panel .problem")).to_contain_text("blursday")
