"""Results first: where the hits are, how many there are, in which order, and what they are narrowed by."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from epochal import Document, Index, Span
from epochal.ingest import SequenceReader
from server.browser.conftest import filled
from server.browser.test_looks import WIDE

SHIFT = """(() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
})()"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory, serve):
    """Documents as they come: moments, long words and titles, other scripts, deep time, and metadata."""
    day = Span.parse
    documents = [
        Document("moment", "The budget passed.", "Vote", day("2020-05-23T06:06:10Z"), meta={"desk": "home", "page": 1}),
        Document("title", "The budget failed.", "Budget" * 50, day("2019-02-01"), meta={"desk": "home", "page": 2}),
        Document("word", f"{'x' * 4000} budget of 2001", "W" * 300, day("2001"), meta={"desk": "world", "page": 1}),
        Document("ar", "في عام 2011 بدأت الميزانية الجديدة budget", "الميزانية الجديدة", day("2011-03-01T10:00:00Z")),
        Document("deep", "The dinosaurs had no budget.", "Dinosaurs", Span.year(-65_999_999)),
    ]
    return serve(filled(tmp_path_factory.mktemp("odd") / "index", documents))


@pytest.mark.parametrize(("width", "height", "highest"), [(1280, 720, 420), (390, 844, 560)])
def test_hits_are_above_the_fold_and_nothing_moves(new_page, expect, demo, width, height, highest):
    page = new_page(width, height)
    page.add_init_script(SHIFT)
    page.goto(demo(q="earthquakes in Japan in 2011", during="2010/2012", k="20"))
    first = page.locator(".card").first
    expect(first).to_be_visible()
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert first.bounding_box()["y"] < highest
    assert page.evaluate("window.shift") < 0.05


def test_more_hits_follow_the_first(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card")).to_have_count(10)
    titles = page.locator(".card h2").all_inner_texts()
    page.get_by_role("button", name="More hits").click()
    expect(page.locator(".card")).to_have_count(30)
    expect(page.locator("#card-11")).to_be_focused()
    assert page.locator(".card h2").all_inner_texts()[:10] == titles
    assert "k=30" in page.url
    page.fill("#q", "a new pope")
    page.press("#q", "Enter")
    expect(page.locator(".card")).to_have_count(10)


def test_hits_are_sorted_by_date(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    years = []
    for order in ("newest", "oldest"):
        page.select_option("#sort", order)
        page.wait_for_url(re.compile(f"sort={order}"))
        expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
        years.append([int(title[-4:]) for title in page.locator(".card h2").all_inner_texts()])
    assert years[0] == sorted(years[0], reverse=True)
    assert years[1] == sorted(years[1])
    assert years[0][0] > years[1][0]


def test_nonsense_is_not_said_to_answer(page, expect, demo):
    page.goto(demo(q="wibble frobnicate zyxgrub"))
    expect(page.locator("#count")).to_have_text(re.compile("^(Nothing surely answers|No hit)"))


def test_hits_are_narrowed_by_metadata(page, expect, odd):
    page.goto(odd(q="budget"))
    expect(page.locator(".card")).to_have_count(5)
    page.get_by_role("region", name="desk").get_by_role("button", name="home").click()
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_role("region", name="page").get_by_role("button", name="1 1").click()
    expect(page.locator(".card .doc-id")).to_have_text(["moment"])
    page.reload()
    expect(page.locator(".card .doc-id")).to_have_text(["moment"])
    page.get_by_role("button", name="Leave out: desk: home").click()
    expect(page.locator(".card")).to_have_count(2)


def test_a_time_of_day_is_marked_and_told_in_words(page, expect, odd):
    page.goto(odd(q="budget vote", view="2020-01-01/2020-12-31"))
    card = page.locator(".card", has_text="The budget passed.")
    expect(card.locator("time")).to_have_text("23 May 2020, 06:06:10 UTC")
    expect(page.locator(f"[data-mark~='{card.get_attribute('data-rank')}']")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_no_document_breaks_the_page(new_page, expect, odd, width):
    page = new_page(width, 844)
    page.goto(odd(q="budget"))
    expect(page.locator(".card")).to_have_count(5)
    assert page.evaluate(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator(".card", has_text="الميزانية").locator("h2").evaluate(
        "node => [node.getAttribute('dir'), getComputedStyle(node).direction]"
    ) == ["auto", "rtl"]
    boxes = sorted((node.bounding_box() for node in page.locator(".tick-label").all()), key=lambda box: box["x"])
    assert all(one["x"] + one["width"] <= other["x"] for one, other in pairwise(boxes))


def test_times_that_are_carried_over_are_marked_and_name_their_source(page, expect, serve, tmp_path):
    texts = ("12 May 1804. We set out from the camp.", "The hunters brought a bear to the boats.")
    with Index.create(tmp_path / "diary", encoder=None) as index:
        documents = [Document(f"day-{place}", text) for place, text in enumerate(texts)]
        index.add(documents, read=SequenceReader("gregorian"))
    page.goto(serve(tmp_path / "diary")(q="hunters and a bear"))
    card = page.locator(".card").first
    expect(card).to_contain_text("hunters")
    expect(card.locator(".card-times")).to_contain_text("carried over from “12 May 1804” in day-0")
    expect(page.locator("#timeless")).to_be_empty()
    expect(page.locator("[data-mark~='1']")).to_be_visible()
    card.get_by_role("link", name="day-0").click()
    expect(page.locator("#text")).to_contain_text("We set out")


def test_times_are_told_with_where_they_come_from(page, expect, demo, papers):
    page.goto(papers(q="comet over Basel"))
    expect(page.locator(".card").first).not_to_contain_text("fits")
    page.goto(papers(q="What did the bank do to its rate last month?", now="2003-07-15"))
    expect(page.locator(".card-times", has_text="last month").first).to_contain_text("→June 2003")
