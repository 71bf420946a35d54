"""Fields for times: what people write is understood while they type, and applied when they leave the field."""

from __future__ import annotations

import re

import pytest


@pytest.mark.parametrize(
    ("written", "understood", "edtf"),
    [
        ("657 to 611 BCE", "657 BCE to 611 BCE", "-0656%2F-0610"),
        ("600-550 BCE", "600 BCE to 550 BCE", "-0599%2F-0549"),
        ("the 550s BCE", "559 BCE to 550 BCE", "-0558%2F-0549"),
        ("since 2001", "since 2001", r"2001%2F\.\."),
    ],
)
def test_what_people_write_is_understood_while_typing(page, expect, annals, written, understood, edtf):
    page.goto(annals(q="Who defeated whom?"))
    page.locator("#during").press_sequentially(written)
    expect(page.locator("#during-read")).to_have_text(understood)
    page.locator("#q").focus()
    page.wait_for_url(re.compile(f"during={edtf}"))
    expect(page.locator("#during")).to_have_value(understood)
    expect(page.locator("#during-read")).to_be_hidden()


def test_what_the_page_prints_can_be_written(page, expect, annals):
    page.goto(annals(q="Who defeated whom?", during="-0656/-0610"))
    field = page.locator("#during")
    expect(field).to_have_value("657 BCE to 611 BCE")
    field.press("End")
    field.press("Space")
    field.press("Enter")
    expect(page.locator(".card").first).to_be_visible()
    assert "during=-0656%2F-0610" in page.url


def test_as_of_applies_on_leaving_the_field(page, expect, demo):
    page.goto(demo(q="A new pope is elected"))
    expect(page.locator(".card").first).to_be_visible()
    page.fill("#as_of", "end of 2012")
    page.fill("#as_of", "2012")
    page.press("#as_of", "Tab")
    expect(page.locator(".line-label.as-of")).to_have_text("as of 2012")


def test_a_time_that_is_applied_leaves_the_question_that_is_being_typed(page, expect, demo):
    page.goto(demo(q="A new pope is elected"))
    expect(page.locator(".card").first).to_be_visible()
    page.fill("#as_of", "2012")
    page.fill("#q", "half a question")
    expect(page.locator(".line-label.as-of")).to_have_text("as of 2012")
    expect(page.locator("#q")).to_have_value("half a question")


def test_an_error_is_beside_its_field_and_changes_nothing(page, expect, demo):
    page.goto(demo(q="A new pope is elected"))
    expect(page.locator(".card").first).to_be_visible()
    page.fill("#as_of", "blursday")
    page.press("#as_of", "Tab")
    message = page.locator("#as_of-read")
    expect(message).to_contain_text("blursday")
    field, shown = page.locator("#as_of").bounding_box(), message.bounding_box()
    assert 0 <= shown["y"] - field["y"] - field["height"] < 20
    expect(page.locator("#as_of")).to_have_accessible_description(re.compile("blursday"))
    expect(page.locator(".card").first).to_be_visible()
    page.fill("#as_of", "")
    page.press("#as_of", "Tab")
    expect(message).to_be_hidden()


def test_an_era_that_may_be_several_offers_them(page, expect, annals):
    page.goto(annals(q="Who defeated whom?"))
    page.fill("#during", "永和元年")
    choices = page.locator("#during-read button")
    expect(choices.first).to_be_visible()
    choices.first.click()
    page.wait_for_url(re.compile("during="))
