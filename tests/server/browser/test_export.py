"""What is taken away: files and citations."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest


def download(page, name):
    with page.expect_download() as started:
        page.get_by_role("button", name=name, exact=True).click()
    return started.value.suggested_filename, Path(started.value.path()).read_text(encoding="utf-8")


def test_json_has_everything_that_the_server_said(page, expect, papers):
    page.goto(papers(q="What did a transfer abroad cost in 2009?"))
    expect(page.locator(".card").first).to_be_visible()
    name, message = download(page, "JSON")
    assert name == "epochal-what-did-a-transfer-abroad-cost-in-2009.json"
    record = json.loads(message)
    assert record["address"] == page.url
    assert record["hits"][0]["id"] == "fees-2"
    assert record["hits"][0]["superseded_by"] == "fees-3"
    assert record["understanding"]["periods"][0]["span"] == "2009"


def test_csv_has_a_row_a_hit_and_no_formulas(page, expect, papers):
    page.goto(papers(q="the telegram of June 1977"))
    expect(page.locator(".card").first).to_contain_text("telegram")
    name, message = download(page, "CSV")
    assert name.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(message)))
    assert len(rows) == page.locator(".card").count()
    assert rows[0]["id"] == "sums"
    assert rows[0]["title"] == "'=cmd|' /C calc'!A0"
    assert rows[0]["passage"].startswith("'=1+1 was the whole telegram")
    assert rows[0]["time"].startswith("1977-06")
    assert rows[0]["published"] == "1977-06-09"


def test_a_comparison_exports_its_periods(page, expect, demo):
    page.goto(demo(q="the exploration of Mars", compare="2004|2021"))
    expect(page.locator(".column")).to_have_count(2)
    _, message = download(page, "CSV")
    assert {row["period"] for row in csv.DictReader(io.StringIO(message))} == {"2004", "2021"}
    _, message = download(page, "JSON")
    assert [side["period"] for side in json.loads(message)["compared"]] == ["2004", "2021"]


@pytest.mark.parametrize("secure", [True, False], ids=["clipboard", "selection"])
def test_a_citation_names_document_date_and_evidence(new_page, expect, papers, secure):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    if not secure:
        page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page.goto(papers(q="What did the bank do to its rate in 2003?", as_of="2010"))
    page.locator(".copy").first.click()
    expect(page.locator("#toast")).to_have_text("The citation is copied.")
    message = page.evaluate("navigator.clipboard.readText()")
    for part in ("2 July 2003 (2003-07-02)", "document rate-2003", "seen as of 2010", "“last month” (2003-06)"):
        assert part in message
