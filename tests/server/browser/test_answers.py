"""The panel of answers: shown where the service has them, as they are written and when they are done.

The service's part is tested where it lives; here its replies are real records, given to the page in the browser.
"""

from __future__ import annotations

import json

import pytest

from epochal import Span
from epochal.answers.answer import Answer, Citation, Claim, Missing, Part, Quote

ASKED = "Who won the Nobel Prize in Literature in 2016?"
DYLAN = Citation(
    1, "2016-10-13-1", "", "Bob Dylan wins the Nobel Prize.", 0, 31, Span.parse("2016-10-13"), "published", "within"
)
QUOTED = Answer(
    ASKED,
    "recorded",
    (Part(Span.year(2016), "recorded", "", (1,)), Part(Span.year(1850), "not_covered", "Not covered: no records.")),
    (DYLAN,),
    missing=(Missing("Nothing is known of <b>1850</b>.", Span.year(1850), "not_covered"),),
    as_of=Span.year(2020),
)
WRITTEN = Answer(
    ASKED,
    "recorded",
    (Part(Span.year(2016), "recorded", "", (1,)),),
    (DYLAN,),
    (Claim("It was Bob Dylan.", (Quote(1, "Bob Dylan", 0, 9),)),),
    model="a-model",
)


def told(page, body, kind):
    """Let the page believe that the service answers, and what it says."""

    def info(route):
        reply = route.fetch()
        route.fulfill(json={**reply.json(), "answers": True})

    page.route("**/api/v1/info", info)
    page.route("**/api/v1/answer", lambda route: route.fulfill(body=body, content_type=kind))


def events(*pairs):
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs)


def test_the_service_answers_with_quotes(page, expect, demo):
    page.goto(demo(q=ASKED))
    page.get_by_role("button", name="Answer").click()
    panel = page.locator("#answer")
    expect(panel.locator("h3")).to_have_text("2016")
    expect(panel.locator("li q").first).to_contain_text("Nobel Prize")
    expect(panel.locator(".answer-foot")).to_contain_text("quoted from the records, without a model")
    page.fill("#q", "What happened in July 2014?")
    page.press("#q", "Enter")
    expect(panel).to_contain_text("Not covered")
    page.get_by_role("button", name="Close the answer").click()
    expect(panel).to_be_hidden()
    assert "answer" not in page.url


def test_without_answers_there_is_no_button(page, expect, demo):
    def without(route):
        reply = route.fetch()
        route.fulfill(response=reply, body=reply.text().replace('"answers":true', '"answers":false'))

    page.route("**/?*", without)
    page.goto(demo(q=ASKED, answer="1"))
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator("#answer")).to_be_hidden()


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "at once"])
def test_quotes_by_period_and_what_is_missing(page, expect, demo, streamed):
    record = QUOTED.to_dict()
    if streamed:
        told(page, events(("answer", record)), "text/event-stream")
    else:
        told(page, json.dumps(record), "application/json")
    page.goto(demo(q=ASKED))
    page.get_by_role("button", name="Answer").click()
    panel = page.locator("#answer")
    expect(panel.locator("h3")).to_have_text(["2016", "1850"])
    expect(panel.locator("li q")).to_have_text("Bob Dylan wins the Nobel Prize.")
    expect(panel.locator(".citation-date")).to_have_text("13 October 2016")
    expect(panel.locator(".missing")).to_have_text("Nothing is known of <b>1850</b>.")
    expect(panel.locator(".answer-foot")).to_have_text("As of 2020; quoted from the records, without a model.")
    expect(panel).not_to_have_attribute("aria-busy", "true")
    assert "answer=1" in page.url


def test_claims_point_to_their_sources(page, expect, demo):
    told(page, events(("timeline", QUOTED.to_dict()), ("answer", WRITTEN.to_dict())), "text/event-stream")
    page.goto(demo(q=ASKED, answer="1"))
    panel = page.locator("#answer")
    expect(panel.locator(".answer-text")).to_have_text("It was Bob Dylan.[1]")
    expect(panel.locator(".reference")).to_have_attribute("href", "#citation-1")
    expect(panel.locator("#citation-1")).to_contain_text("13 October 2016")
    expect(panel.locator(".answer-foot")).to_contain_text("Written by a-model")


def test_a_model_that_fails_leaves_the_quotes(page, expect, demo):
    problem = {"title": "No answer", "detail": "It broke.", "status": 502}
    told(page, events(("timeline", QUOTED.to_dict()), ("problem", problem)), "text/event-stream")
    page.goto(demo(q=ASKED, answer="1"))
    expect(page.locator("#answer .problem")).to_have_text("No answer. It broke.")
    expect(page.locator("#answer li q")).to_have_text("Bob Dylan wins the Nobel Prize.")
    expect(page.locator(".card").first).to_be_visible()
