"""Ten tasks of people who search by time, and the steps that each takes: docs/how-to/page.md has the same numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from epochal import Document, Span
from server.browser.conftest import filled

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "page.md"
STEPS = {
    int(number): int(steps)
    for number, steps in re.findall(r"^\| (\d+) \| [^|]+ \| [^|]+ \| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
}


@pytest.fixture(scope="module")
def bulletins(tmp_path_factory, serve):
    """Monthly bulletins of two towns over ten years, and three versions of a tariff."""
    documents = [
        Document(
            f"{town}-{year}-{month:02}",
            f"The river rose in {town} and the bridge was closed; {number} barges waited.",
            f"Bulletin of {town}",
            Span.parse(f"{year}-{month:02}-07"),
            meta={"town": town},
        )
        for number, year in enumerate(range(2001, 2011))
        for month in (1, 4, 7, 10)
        for town in ("Ems", "Varel")
    ]
    tariffs = [
        Document(
            f"tariff-{year}", f"A crossing by ferry costs {price} crowns.", "Tariff", Span.year(year), series="tariff"
        )
        for year, price in ((2001, 20), (2005, 12), (2009, 4))
    ]
    return serve(filled(tmp_path_factory.mktemp("bulletins") / "index", [*documents, *tariffs]))


class Hand:
    """Does what a person does, and counts: a click, a drag, or a text with Enter is one step."""

    def __init__(self, page):
        self.page = page
        self.steps = 0

    def click(self, target):
        self.steps += 1
        target.click()

    def write(self, target, text):
        self.steps += 1
        self.page.fill(target, text)
        self.page.press(target, "Enter")

    def type(self, target, text):
        self.steps += 1
        self.page.fill(target, text)

    def choose(self, target, value):
        self.steps += 1
        self.page.select_option(target, value)

    def drag(self, start, end):
        self.steps += 1
        area = self.page.locator("#plot").bounding_box()
        y = area["y"] + area["height"] * 0.3
        self.page.mouse.move(area["x"] + area["width"] * start, y)
        self.page.mouse.down()
        self.page.mouse.move(area["x"] + area["width"] * (start + end) / 2, y)
        self.page.mouse.move(area["x"] + area["width"] * end, y)
        self.page.mouse.up()

    def save(self, name):
        self.steps += 1
        with self.page.expect_download() as started:
            self.page.get_by_role("button", name=name, exact=True).click()
        return started.value.path().read_text(encoding="utf-8")


@pytest.fixture
def hand(page):
    return Hand(page)


@pytest.fixture
def found(page, expect, bulletins):
    """The hits of a question without a time, from which most tasks begin."""
    page.goto(bulletins(q="the river rose"))
    expect(page.locator(".card")).to_have_count(10)
    expect(page.locator(".bars[d]").first).to_be_attached()
    return page


def test_1_find_what_is_from_a_year(page, expect, bulletins, hand):
    page.goto(bulletins())
    hand.write("#q", "Where did the river rise in 2004?")
    expect(page.locator(".card").first.locator("time")).to_have_text(re.compile("2004"))
    assert hand.steps == STEPS[1]


def test_2_put_the_newest_first(found, expect, hand):
    hand.choose("#sort", "newest")
    expect(found.locator(".card").first.locator("time")).to_have_text("7 October 2010")
    assert hand.steps == STEPS[2]


def test_3_keep_only_a_stretch_of_time(found, expect, hand):
    hand.drag(0.35, 0.55)
    expect(found.locator("#clear-filter")).to_be_visible()
    expect(found.locator("#account")).to_contain_text("hidden")
    assert hand.steps == STEPS[3]


def test_4_see_what_was_known_on_a_day(found, expect, hand):
    hand.write("#as_of", "May 2003")
    expect(found.locator("#account")).to_contain_text("hidden")
    expect(found.locator(".line-label.as-of")).to_have_count(1)
    assert hand.steps == STEPS[4]


def test_5_narrow_by_a_field(found, expect, hand):
    hand.click(found.locator(".facet", has_text="Varel"))
    expect(found.locator(".card").first).to_contain_text("Varel")
    expect(found.locator(".card", has_text="Bulletin of Ems")).to_have_count(0)
    assert hand.steps == STEPS[5]


def test_6_compare_two_periods(found, expect, hand):
    hand.click(found.get_by_role("button", name="Compare periods"))
    hand.type("#compare-a", "2001")
    hand.type("#compare-b", "2010")
    hand.click(found.get_by_role("button", name="Compare", exact=True))
    expect(found.locator(".column")).to_have_count(2)
    assert hand.steps == STEPS[6]


def test_7_see_how_often_a_topic_occurs_over_time(found, expect, hand):
    hand.click(found.get_by_role("button", name="Trends"))
    expect(found.locator(".trend polyline")).to_have_count(1)
    assert hand.steps == STEPS[7]


def test_8_see_what_changed_between_two_versions(page, expect, bulletins, hand):
    page.goto(bulletins(q="What does a crossing by ferry cost?"))
    hand.click(page.locator(".card h2 a").first)
    hand.click(page.get_by_role("button", name="Compare"))
    expect(page.locator(".difference-result")).to_contain_text("1 changed")
    assert hand.steps == STEPS[8]


def test_9_take_the_hits_along_as_a_table(found, hand):
    assert len(hand.save("CSV").splitlines()) == 11
    assert hand.steps == STEPS[9]


def test_10_find_out_why_a_document_was_found(found, expect, hand):
    hand.click(found.locator(".why summary").first)
    expect(found.locator(".parts").first).to_be_visible()
    assert hand.steps == STEPS[10]


def test_the_page_lists_ten_tasks():
    assert sorted(STEPS) == list(range(1, 11))
