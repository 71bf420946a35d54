"""Nothing found, something refused, a busy server, no server at all."""

from __future__ import annotations

import json
import re

import pytest

#: Collects the texts of problems, also of those that are shown for a moment only.
BANNERS = """window.banners = [];
new MutationObserver(() => {
  for (const banner of document.querySelectorAll(".banner.problem")) window.banners.push(banner.textContent);
}).observe(document, { childList: true, subtree: true });"""


def test_a_time_that_cannot_be_read_is_reported_in_the_servers_words(page, expect, demo, troubles):
    troubles.allow(r"status of 4\d\d")
    page.goto(demo(q="a new pope", now="blursday"))
    expect(page.locator(".banner.problem")).to_contain_text("blursday")
    expect(page.locator(".banner.problem")).to_have_attribute("role", "alert")
    expect(page.locator(".card")).to_have_count(0)
    page.fill("#now", "2026-03-28")
    page.press("#now", "Enter")
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator(".banner.problem")).to_have_count(0)


def test_nothing_fits(page, expect, papers):
    page.goto(papers(q="rates", during="1850"))
    expect(page.locator(".empty")).to_have_text("No document fits. Take the filter off, or widen it.")
    expect(page.locator("#count")).to_have_text(re.compile("^No hit"))
    page.get_by_role("button", name="Take the filter off").click()
    expect(page.locator(".card").first).to_be_visible()


def test_an_empty_index_is_no_error(page, expect, serve, tmp_path):
    from epochal import Index

    with Index.create(tmp_path / "none", encoder=None):
        pass
    site = serve(tmp_path / "none")
    page.goto(site())
    expect(page.locator("#held")).to_contain_text("0 documents")
    expect(page.locator(".welcome")).to_contain_text("This index is empty.")
    expect(page.locator(".welcome pre")).to_have_text("epochal index none FILES")
    expect(page.locator("#file")).to_have_count(0)
    page.fill("#q", "What happened in 1998?")
    page.press("#q", "Enter")
    expect(page.locator("#count")).to_contain_text("No hit")
    expect(page.locator(".welcome")).to_contain_text("This index is empty.")


@pytest.mark.parametrize("is_read", [False, True], ids=["at once", "read before"])
def test_a_fault_keeps_what_was_found_and_can_be_tried_again(page, expect, demo, troubles, is_read):
    troubles.allow("status of 500")
    page.goto(demo(q="a new pope"))
    expect(page.locator(".card").first).to_be_visible()
    asked = []
    fault = {"type": "about:blank", "title": "A fault", "status": 500, "detail": "The index cannot be read."}
    page.route(
        "**/api/v1/search",
        lambda route: (
            asked.append(route.request.post_data_json.get("as_of")),
            route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(fault)),
        ),
    )
    page.fill("#as_of", "2012")
    if is_read:
        expect(page.locator("#as_of-read")).to_have_text("2012")
    page.press("#as_of", "Enter")
    expect(page.locator(".banner.problem")).to_contain_text("A fault. The index cannot be read.")
    expect(page.locator(".card").first).to_be_visible()
    page.unroute("**/api/v1/search")
    assert asked == ["2012"]
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".line-label.as-of")).to_have_count(1)
    expect(page.locator(".banner.problem")).to_have_count(0)


def test_a_busy_server_is_asked_again_by_itself(page, expect, demo, troubles):
    troubles.allow("status of 429")
    turned_away = []

    def first_time(route):
        if turned_away:
            route.continue_()
            return
        turned_away.append(route)
        route.fulfill(status=429, headers={"Retry-After": "1"}, content_type="application/problem+json", body="{}")

    page.route("**/api/v1/search", first_time)
    page.add_init_script(BANNERS)
    page.goto(demo())
    page.fill("#q", "a new pope")
    page.press("#q", "Enter")
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator(".banner.problem")).to_have_count(0)
    assert any("The server is busy" in text for text in page.evaluate("window.banners"))


def test_with_the_network_cut_what_is_there_still_works(page, expect, demo, troubles):
    troubles.allow("ERR_INTERNET_DISCONNECTED")
    page.goto(demo(q="a new pope in 2013"))
    expect(page.locator(".card").first).to_be_visible()
    page.get_by_role("button", name="Leave out: in 2013").click()
    expect(page.locator(".chip.dropped")).to_have_count(1)
    page.context.set_offline(True)
    page.go_back()
    expect(page.locator(".chip.dropped")).to_have_count(0)
    expect(page.locator(".card").first).to_be_visible()
    page.locator(".why summary").first.click()
    expect(page.locator(".parts").first).to_be_visible()
    page.get_by_role("button", name="Table").click()
    expect(page.locator("#timeline-tables table").first).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("button", name="JSON").click()
    assert started.value.suggested_filename.endswith(".json")
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator("#view-words")).not_to_have_text("2002 to 2026")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.fill("#q", "another question")
    page.press("#q", "Enter")
    expect(page.locator(".banner.problem")).to_contain_text("The server cannot be reached")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".banner.problem")).to_have_count(0)
    expect(page.locator(".card").first).to_be_visible()


def test_only_the_last_of_quick_questions_is_shown(page, expect, demo):
    held = []
    page.route("**/api/v1/search", lambda route: held.append(route) if not held else route.continue_())
    page.goto(demo())
    page.fill("#q", "a new pope in 2005")
    page.press("#q", "Enter")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "true")
    page.fill("#q", "Who won the Nobel Prize in Literature in 2016?")
    page.press("#q", "Enter")
    expect(page.locator(".card").first).to_contain_text("Bob Dylan")
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert len(held) == 1
