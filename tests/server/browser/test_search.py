"""A search from the question to the cards."""

from __future__ import annotations

import re


def test_a_question_brings_dated_hits(page, expect, demo):
    page.goto(demo())
    expect(page.locator("#held")).to_contain_text("2,373 documents")
    page.fill("#now", "2026-03-28")
    page.fill("#q", "Who won the Nobel Prize in Literature in 2016?")
    page.press("#q", "Enter")
    first = page.locator(".card").first
    expect(first).to_contain_text("Bob Dylan")
    expect(first.locator("h2")).to_contain_text("13 October 2016")
    expect(page.locator(".card")).to_have_count(10)
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ documents? answers?, 10 hits in [\d.]+ ms$"))
    expect(page).to_have_title("Who won the Nobel Prize in Literature in 2016? – Epochal")
    assert "q=Who+won+the+Nobel+Prize+in+Literature+in+2016" in page.url
    expect(page.locator(".band-label")).to_have_text("2016")
    expect(page.locator(".banner")).to_have_count(0)


def test_the_words_that_state_the_time_are_marked(page, expect, papers):
    page.goto(papers(q="What did the bank do to its rate in 2003?"))
    first = page.locator(".card").first
    expect(first.locator("mark.time")).to_have_text("last month")
    expect(first.locator(".card-times")).to_have_text("last month→June 2003")
    expect(first.locator("mark.word")).to_have_text(["bank", "rate"])


def test_marks_count_characters_as_the_server_does(page, expect, papers):
    """Letters beyond the basic plane are one character to the server, and two units to a browser."""
    page.goto(papers(q="comet over Basel in March 1984"))
    expect(page.locator(".card").first.locator("mark.time")).to_have_text("March 1984")


def test_a_long_passage_is_cut_around_its_evidence(page, expect, papers):
    page.goto(papers(q="Which mill burned down in 1951?"))
    first = page.locator(".card").first
    expect(first.locator("mark.time")).to_have_text("May 1951")
    short = len(first.locator(".passage").inner_text())
    assert short < 600
    first.get_by_role("button", name="Whole passage").click()
    expect(first.get_by_role("button", name="Less")).to_have_attribute("aria-expanded", "true")
    assert len(first.locator(".passage").inner_text()) > short
    expect(first.locator("mark.time")).to_have_text("May 1951")


def test_the_parts_of_a_score_are_drawn_reported_and_sum_up(page, expect, papers):
    page.goto(papers(q="What did the bank do to its rate in 2003?"))
    first = page.locator(".card").first
    expect(first.locator(".scorebar")).to_have_attribute("aria-label", re.compile(r"Score [\d.]+: lexical \+[\d.]+"))
    first.locator(".why summary").click()
    values = [float(text.replace("−", "-")) for text in first.locator(".part-value").all_inner_texts()]
    assert len(values) > 1
    assert abs(sum(values) - float(first.locator(".score").inner_text())) < 0.02
    sample = first.locator(".scorebar rect:not(.track)").evaluate_all("all => all.map(one => one.width.baseVal.value)")
    assert len(sample) == len([value for value in values if value > 0])


def test_a_superseded_version_says_so_and_shows_its_chain(page, expect, papers):
    page.goto(papers(q="What did a transfer abroad cost in 2009?"))
    first = page.locator(".card").first
    notes = first.locator(".versions")
    expect(notes.locator("summary")).to_have_text("Superseded by fees-3")
    notes.locator("summary").click()
    expect(notes.locator("li")).to_have_count(3)
    expect(notes.locator("li").nth(1)).to_contain_text("this one")
    expect(notes.locator("li").nth(2)).to_contain_text("the newest")
    notes.locator("li").nth(2).get_by_role("link", name="Difference").click()
    expect(page.locator("del")).to_have_text(["12", "by phone"])
    expect(page.locator("ins")).to_have_text(["4", "now"])


def test_the_newest_version_lists_what_it_hides(page, expect, papers):
    page.goto(papers(q="What does a transfer abroad cost?"))
    expect(page.locator(".card").first.locator(".versions summary")).to_have_text("2 versions or copies behind it")


def test_as_of_sees_only_what_was_known_then(page, expect, demo):
    page.goto(demo(q="A new pope is elected"))
    expect(page.locator(".card").first).to_be_visible()
    page.fill("#as_of", "2012")
    page.press("#as_of", "Enter")
    expect(page.locator(".line-label.as-of")).to_have_text("as of 2012")
    expect(page.locator(".account summary")).to_contain_text("hidden")
    dates = page.locator(".card h2").all_inner_texts()
    assert dates
    assert all(int(re.search(r"\d{4}$", date)[0]) <= 2012 for date in dates)
    assert "as_of=2012" in page.url


def test_in_force_and_undated_are_asked_for_under_more(page, expect, papers):
    page.goto(papers(q="What does a transfer abroad cost?"))
    page.locator("#options summary").click()
    page.fill("#valid_at", "2005")
    page.press("#valid_at", "Enter")
    expect(page.locator(".card").first.locator(".doc-id")).to_have_text("fees-1")
    page.fill("#valid_at", "")
    page.fill("#q", "the rate of the bank in 1998")
    page.press("#q", "Enter")
    expect(page.locator("code.doc-id, .card h2", has_text="rate-note").first).to_be_attached()
    page.select_option("#undated", "exclude")
    expect(page.locator(".card", has_text="overnight")).to_have_count(0)
    assert "undated=exclude" in page.url


def test_time_can_be_switched_off(page, expect, papers):
    page.goto(papers(q="the rate of the bank in 1998"))
    expect(page.locator(".chip.time")).to_have_count(1)
    page.locator("#options summary").click()
    page.uncheck("#time")
    expect(page.locator(".chip.note").first).to_have_text("time switched off")
    expect(page.locator(".chip.time")).to_have_count(0)


def test_none_recorded_and_not_covered_are_distinguished(page, expect, demo):
    page.goto(demo(q="a tsunami in January 2015"))
    expect(page.locator(".banner.none")).to_contain_text("None recorded. The index has records of January 2015")
    page.goto(demo(q="What happened in July 2014?"))
    expect(page.locator(".banner.uncovered")).to_contain_text("Not covered. The index has no records of July 2014")
    expect(page.locator(".banner.uncovered")).to_contain_text("from 30 September 2002 to 24 March 2026")


def test_what_documents_and_questions_say_is_never_markup(page, expect, papers):
    page.goto(papers(q="What did the newsletter of 2011 say?"))
    first = page.locator(".card").first
    expect(first.locator("h2")).to_contain_text("<script>window.evil = 1</script>")
    expect(first.locator(".passage")).to_contain_text("<img src=x onerror='window.evil = 2'>")
    page.fill("#q", "<img src=x onerror='window.evil = 3'> in 2011")
    page.press("#q", "Enter")
    expect(page.locator(".chip.note").last).to_contain_text("<img")
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert page.evaluate("window.evil") is None
    assert page.locator("main img, main script").count() == 0


def test_the_first_page_offers_questions_that_the_index_can_answer(page, expect, demo):
    page.goto(demo())
    page.locator(".examples a").first.click()
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#q")).not_to_have_value("")
