"""The first minute: what an index says of itself, and how an empty one is filled."""

from __future__ import annotations

import json
import re

from epochal import Document, Index, Span
from server.browser.conftest import filled
from server.browser.test_looks import violations


def test_an_index_says_what_it_holds_and_offers_its_own_texts(page, expect, serve, tmp_path):
    documents = [
        Document(f"c{year}", f"魯公{year}年與齊侯盟。", published=Span.year(-year)) for year in range(700, 720)
    ]
    page.goto(serve(filled(tmp_path / "annals", documents))())
    welcome = page.locator(".welcome")
    expect(welcome.get_by_role("heading")).to_have_text("annals")
    expect(welcome).to_contain_text("20 documents from 720 BCE to 701 BCE, mostly in Chinese.")
    examples = welcome.locator(".examples a")
    expect(examples).to_have_count(3)
    expect(welcome).not_to_contain_text("latest")
    examples.first.click()
    expect(page.locator(".card").first).to_contain_text("與齊侯盟")


def test_a_year_is_asked_for_rather_than_a_week(page, expect, serve, tmp_path):
    days = ["2015-01-01", "2018-05-25", "2021-03-01"]
    documents = [Document(day, "Refunds are granted.", "Terms", Span.parse(day)) for day in days]
    page.goto(serve(filled(tmp_path / "index", documents))())
    expect(page.locator(".examples")).to_contain_text("What happened in 2015?")


def test_examples_lead_to_what_they_name(page, expect, demo):
    page.goto(demo())
    expect(page.locator(".welcome")).to_contain_text("mostly in English")
    text = page.locator(".examples a").first.inner_text()
    page.locator(".examples a").first.click()
    expect(page.locator("#q")).to_have_value(text)
    expect(page.locator("#count")).to_have_text(re.compile("answer"))


def test_a_question_to_an_empty_index_is_answered_by_how_to_fill_it(page, expect, serve, tmp_path):
    page.goto(serve(filled(tmp_path / "index", []))(q="floods"))
    expect(page.locator("#results-body")).to_contain_text("This index is empty.")


def test_an_empty_index_takes_a_file(page, expect, serve, tmp_path, monkeypatch):
    monkeypatch.setenv("EPOCHAL_TOKEN", "a-token-for-tests-0123456789")
    with Index.create(tmp_path / "new", encoder=None):
        pass
    page.goto(serve(tmp_path / "new", "--writable")())
    expect(page.locator(".welcome")).to_contain_text("This index is empty.")
    assert violations(page) == []
    rows = [{"id": f"d{number}", "text": f"The cup of {1900 + number} was won."} for number in range(700)]
    page.fill("#token", "a-token-for-tests-0123456789")
    lines = "\n".join(json.dumps(row) for row in rows)
    page.set_input_files("#file", {"name": "cups.jsonl", "mimeType": "application/jsonl", "buffer": lines.encode()})
    expect(page.locator(".drop [role=status]")).to_contain_text("700 documents are stored.")
    page.get_by_role("link", name="Search them").click()
    expect(page.locator("#held")).to_contain_text("700 documents")


def test_a_file_that_cannot_be_read_is_named(page, expect, serve, tmp_path, monkeypatch):
    monkeypatch.setenv("EPOCHAL_TOKEN", "a-token-for-tests-0123456789")
    with Index.create(tmp_path / "new", encoder=None):
        pass
    page.goto(serve(tmp_path / "new", "--writable")())
    page.set_input_files("#file", {"name": "bad.json", "mimeType": "application/json", "buffer": b"{no"})
    expect(page.locator(".drop [role=status]")).to_contain_text("bad.json is not JSON")
