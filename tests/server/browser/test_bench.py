"""The measurements: results of `epochal bench run`, two systems question by question, and one question in time."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

import pytest

from epochal import Document, Index, Span
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import parse_measure
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.registry import make_system
from server.browser.test_looks import WIDE, violations

SYSTEMS = ("epochal(encoder=none)", "bm25")
YEARS = range(1990, 2006)


@dataclass
class Measured:
    """A served folder of results."""

    full: object
    without_set: object
    without_values: object


def made_set():
    documents = tuple(
        Document(f"d{year}", f"The cup was won by team {year % 7} on Sunday.", published=Span.year(year))
        for year in YEARS
    )
    queries = tuple(BenchQuery(f"q{year}", f"Who won the cup in {year}?", periods=(Span.year(year),)) for year in YEARS)
    return BenchSet("cup", documents, queries, {f"q{year}": {f"d{year}": 1} for year in YEARS})


def measure(folder, out):
    """Results of both systems on a set in a folder."""
    runner = Runner(out, tuple(map(parse_measure, ("nDCG@10", "R@1"))))
    for name in SYSTEMS:
        task = Task(str(folder), name)
        runner.run(task, SetLoader().load(task), make_system(name))
    return out


@pytest.fixture(scope="module")
def measured(tmp_path_factory, serve):
    place = tmp_path_factory.mktemp("bench")
    with Index.create(place / "index", encoder=None):
        pass
    for name in ("cup", "gone"):
        write_folder(place / name, made_set(), Manifest(name))
        measure(place / name, place / f"{name}-results")
    shutil.rmtree(place / "gone")
    shutil.copytree(place / "cup-results", place / "means")
    shutil.rmtree(place / "means" / "values")
    return Measured(
        *(serve(place / "index", "--reports", str(place / name)) for name in ("cup-results", "gone-results", "means"))
    )


def choose(page, expect):
    page.get_by_role("radio", name=f"A: {SYSTEMS[0]}").check()
    page.get_by_role("radio", name=f"B: {SYSTEMS[1]}").check()
    expect(page.locator(".versus h2")).to_contain_text("against")


def test_the_search_page_leads_to_the_measurements(page, expect, measured):
    page.goto(measured.full())
    page.get_by_role("link", name="Measurements").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Systems, measured")


def test_systems_are_ranked_by_a_measure(page, expect, measured):
    page.goto(measured.full("/bench"))
    rows = page.locator("#measured tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("epochal")
    expect(rows.first.locator(".best").first).to_have_text("1.000")
    expect(page.locator("#measured caption")).to_have_text("16 questions, 16 documents")
    page.select_option("#measure", "R@1")
    expect(page.locator("[aria-sort]")).to_have_text("R@1")
    expect(page).to_have_url(re.compile("measure=R%401"))


def test_two_systems_question_by_question(page, expect, measured):
    page.goto(measured.full("/bench"))
    choose(page, expect)
    expect(page.locator(".versus p").first).to_contain_text("over 16 questions that both answered")
    expect(page.locator(".questions tbody tr")).to_have_count(12)
    page.get_by_role("button", name="After").click()
    expect(page.locator(".questions tbody tr")).to_have_count(4)
    page.get_by_role("button", name="B ahead").click()
    assert "only=b" in page.url


def test_one_question_in_time(page, expect, measured):
    page.goto(measured.full("/bench"))
    choose(page, expect)
    page.get_by_role("button", name="Who won the cup in", exact=False).first.click()
    expect(page.locator("#question h2")).to_contain_text("Who won the cup in")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator(".lane")).to_have_count(4)
    expect(page.locator(".lanes .right rect").first).to_be_visible()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side").first.locator("li.right")).to_have_count(1)
    address = page.url
    page.goto(measured.full())
    page.goto(address)
    expect(page.locator(".lane")).to_have_count(4)
    expect(page.get_by_role("radio", name=f"A: {SYSTEMS[0]}")).to_be_checked()


def test_without_the_files_of_the_set_values_still_compare(page, expect, measured, troubles):
    troubles.allow("status of 404")
    page.goto(measured.without_set("/bench"))
    choose(page, expect)
    page.get_by_role("button", name=re.compile("^q")).first.click()
    expect(page.locator("#question .banner")).to_be_visible()
    expect(page.locator(".questions tbody tr")).to_have_count(12)


def test_without_values_only_means_compare(page, expect, measured):
    page.goto(measured.without_values("/bench"))
    page.get_by_role("radio", name=f"A: {SYSTEMS[0]}").check()
    page.get_by_role("radio", name=f"B: {SYSTEMS[1]}").check()
    expect(page.locator("#compared .banner")).to_contain_text("No values")


def test_without_a_folder_the_page_says_so(page, expect, papers, troubles):
    troubles.allow("status of 404")
    page.goto(papers("/bench"))
    expect(page.locator("#told .banner")).to_contain_text("--reports")
    expect(page.locator("#pick")).to_be_hidden()
    page.goto(papers())
    expect(page.locator("#held")).to_contain_text("documents")
    expect(page.locator("#bench-link")).to_be_hidden()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_axe_finds_nothing_and_phones_need_not_scroll(new_page, expect, measured, width, scheme):
    page = new_page(width, 900, color_scheme=scheme)
    page.goto(measured.full("/bench"))
    choose(page, expect)
    page.get_by_role("button", name="Who won the cup in", exact=False).first.click()
    expect(page.locator(".lane")).to_have_count(4)
    assert violations(page) == []
    assert page.evaluate(WIDE) == []
