"""The page of a document: its text and times, its versions, and what changed between them."""

from __future__ import annotations

import random
import re

import pytest

from epochal import Document, Span
from server.browser.conftest import EVIL, filled
from server.browser.test_looks import WIDE, violations

OLD = """The terms of the bank.
A transfer abroad costs 20 euros.
This paragraph on complaints is long enough to be known again elsewhere.
Cards are free.
Accounts are closed in May 1998.
"""
NEW = """The terms of the bank.
A transfer abroad costs 4 euros.
Cards are free.
Accounts are closed in May 1998.
This paragraph on complaints is long enough to be known again elsewhere.
The bank answers within a week.
"""


@pytest.fixture(scope="module")
def terms(tmp_path_factory, serve):
    long = "\n".join(f"Clause {number} has not changed at all." for number in range(40))
    documents = [
        Document("terms-1", OLD, "Terms", Span.parse("2001-01-01T08:00:00Z"), series="terms", meta={"bank": "North"}),
        Document("terms-2", OLD.replace("20", "12"), "Terms", Span.parse("2009-01-01"), series="terms"),
        Document("terms-3", NEW, "Terms", Span.parse("2020-03-01"), series="terms"),
        Document("long-1", f"One.\n{long}\nLast words of 2001.", published=Span.year(2001), series="long"),
        Document("long-2", f"Two.\n{long}\nLast words of 2002.", published=Span.year(2002), series="long"),
        Document("a/b c?", f"It said {EVIL} in 1998 and 2003.", EVIL, Span.year(2003)),
    ]
    return serve(filled(tmp_path_factory.mktemp("terms") / "index", documents))


def test_a_hit_leads_to_its_document(page, expect, terms):
    page.goto(terms(q="What did a transfer abroad cost in 2001?"))
    page.locator(".card h2 a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Terms")
    expect(page.locator("#dates time")).to_have_text("1 January 2001, 08:00:00 UTC")
    expect(page.locator("#text")).to_contain_text("Accounts are closed in May 1998.")
    expect(page.locator("#text mark.time")).to_have_text("May 1998")
    expect(page.locator(".about")).to_contain_text("North")
    page.get_by_role("link", name="Search").click()
    expect(page.locator("#q")).to_have_value("What did a transfer abroad cost in 2001?")


def test_an_odd_id_and_a_hostile_text_are_shown_as_they_are(page, expect, terms):
    page.goto(terms("/document", id="a/b c?"))
    expect(page.get_by_role("heading", level=1)).to_have_text(EVIL)
    expect(page.locator("#text")).to_contain_text(EVIL)
    expect(page.locator("#text mark")).to_have_text(["1998", "2003"])
    assert page.evaluate("window.evil") is None
    page.get_by_role("navigation", name="Documents beside").get_by_role("link").click()
    expect(page.locator("#text")).to_contain_text("Last words of 2002.")


def test_a_document_that_is_not_there_is_said_to_be_missing(page, expect, terms, troubles):
    troubles.allow("status of 404")
    page.goto(terms("/document", id="nobody"))
    expect(page.locator("#text .problem")).to_contain_text("no document has the id 'nobody'")


def test_versions_and_what_held_on_a_date(page, expect, terms):
    page.goto(terms("/document", id="terms-2"))
    expect(page.locator(".strip li")).to_have_text(["1 January 2001", "1 January 2009", "1 March 2020"])
    expect(page.locator(".strip .here")).to_have_text("1 January 2009")
    page.fill("#held-on", "Christmas 2019")
    page.fill("#held-on", "May 2019")
    page.press("#held-on", "Tab")
    expect(page.locator(".held-result")).to_have_text("On May 2019 held the version of 1 January 2009.")
    page.fill("#held-on", "1999")
    page.press("#held-on", "Tab")
    expect(page.locator(".held-result")).to_contain_text("No version is known")


def test_any_two_versions_are_compared_by_words(page, expect, terms):
    page.goto(terms("/document", id="terms-3"))
    page.select_option("#from", "terms-1")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".difference-result p")).to_have_text("Paragraphs: 1 changed, 1 added, 1 moved.")
    changed = page.locator(".diff-row.changed")
    expect(changed.locator("del")).to_have_text("20")
    expect(changed.locator("ins")).to_have_text("4")
    expect(changed.locator(".cell")).to_have_count(2)
    moved = page.locator(".diff-row.moved")
    expect(moved).to_have_count(2)
    link = moved.first.get_by_role("link")
    assert link.get_attribute("href") == f"#{moved.last.get_attribute('id')}"
    page.select_option("#view", "inline")
    expect(changed.locator(".cell")).to_have_text("A transfer abroad costs 204 euros.")
    page.reload()
    expect(changed.locator(".cell")).to_have_text("A transfer abroad costs 204 euros.")


def test_what_stayed_is_folded(page, expect, terms):
    page.goto(terms("/document", id="long-2", **{"from": "long-1", "to": "long-2"}))
    expect(page.locator(".unchanged summary")).to_have_text("38 unchanged")
    expect(page.locator(".unchanged .diff-row").first).to_be_hidden()
    page.locator(".unchanged summary").click()
    expect(page.locator(".unchanged .diff-row")).to_have_count(38)


def test_a_difference_gives_both_texts_back(page, terms):
    """Whatever was changed, the left side is the old text and the right side the new one."""
    chosen = random.Random(5)
    texts = []
    for _ in range(300):
        old = [" ".join(chosen.choices("abcdefg", k=chosen.randint(1, 9))) for _ in range(chosen.randint(0, 12))]
        new = [line for line in old if chosen.random() < 0.7] + ["x y z"] * chosen.randint(0, 2)
        if chosen.random() < 0.4:
            chosen.shuffle(new)
        texts.append(["\n".join(old), "\n".join(new)])
    page.goto(terms("/document", id="terms-1"))
    sides = page.evaluate(
        """async (texts) => {
          const { compareTexts } = await import("/static/diff.js");
          const side = (rows, name) => rows.map((row) => (row[name] ?? []).map((part) => part.text).join(""))
            .filter(Boolean).join("\\n");
          return texts.map(([old, now]) => {
            const rows = compareTexts(old, now);
            return [side(rows, "left"), side(rows, "right")];
          });
        }""",
        texts,
    )
    assert sides == texts


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_axe_finds_nothing_and_phones_need_not_scroll(new_page, expect, terms, width, scheme):
    page = new_page(width, 844, color_scheme=scheme)
    page.goto(terms("/document", id="terms-3", **{"from": "terms-1", "to": "terms-3"}))
    expect(page.locator("#text")).to_contain_text("May 1998")
    assert violations(page) == []
    assert page.evaluate(WIDE) == []
    expect(page).to_have_title(re.compile("^Terms"))
