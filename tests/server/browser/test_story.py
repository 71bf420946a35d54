"""The hits as a story in time, the files that it makes, and trends of topics."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import threading
import xml.etree.ElementTree as ElementTree
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import epochal
from epochal import Document, Span
from server.browser.conftest import filled
from server.browser.test_looks import WIDE, violations

ASKED = "Who won the Nobel Prize in Literature?"


def saved(page, name):
    with page.expect_download() as started:
        page.locator(".story-tools").get_by_role("button", name=name).click()
    return started.value.suggested_filename, started.value.path().read_text(encoding="utf-8")


def test_a_story_tells_the_hits_in_the_order_of_time(page, expect, demo):
    page.goto(demo(q=ASKED))
    page.get_by_role("button", name="Story").click()
    page.wait_for_url(re.compile("look=story"))
    expect(page.locator(".event")).to_have_count(10)
    years = [int(text) for text in page.locator(".story h2").all_inner_texts()]
    assert years == sorted(set(years))
    page.reload()
    expect(page.locator(".event")).to_have_count(10)
    expect(page.locator(".card")).to_have_count(0)
    page.get_by_role("button", name="List").click()
    expect(page.locator(".card")).to_have_count(10)


def test_a_memory_is_a_story_with_what_its_words_mean(page, expect, serve, tmp_path):
    turns = [
        {"speaker": "Olga", "session": "1", "at": "2023-06-09", "text": "Olga gave a talk at a school."},
        {"speaker": "Ana", "session": "2", "at": "2023-05-08", "text": "My sister Olga visited me yesterday."},
    ]
    with epochal.Memory.open(tmp_path / "memory", encoder="static") as memory:
        memory.remember_many(turns)
    site = serve(tmp_path / "memory")
    page.goto(site(q="Olga", look="story"))
    expect(page.locator(".event")).to_have_count(2)
    assert page.locator(".event h3").all_inner_texts() == ["Ana", "Olga"]
    expect(page.locator(".event").first).to_contain_text("8 May 2023")
    expect(page.locator(".event").first.locator(".card-times")).to_contain_text("7 May 2023")


def test_a_story_is_taken_along_in_five_forms(page, expect, demo):
    page.goto(demo(q=ASKED, look="story"))
    expect(page.locator(".event")).to_have_count(10)
    titles = page.locator(".event h3").all_inner_texts()
    _, text = saved(page, "CSV")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["title"] for row in rows] == titles
    assert [row["first_day"] for row in rows] == sorted(row["first_day"] for row in rows)
    name, text = saved(page, "TimelineJS")
    assert name.endswith(".timeline.json")
    events = json.loads(text)["events"]
    assert [event["text"]["headline"] for event in events] == [re.sub("&", "&amp;", title) for title in titles]
    assert str(events[0]["start_date"]["year"]) == rows[0]["first_day"][:4]
    _, text = saved(page, "iCalendar")
    assert text.startswith("BEGIN:VCALENDAR\n") or text.startswith("BEGIN:VCALENDAR\r\n")
    assert text.count("BEGIN:VEVENT") == len(titles)
    assert f"DTSTART;VALUE=DATE:{rows[0]['first_day'].replace('-', '')}" in text
    assert all(len(line.encode()) <= 75 for line in text.splitlines())
    with page.expect_download() as started:
        page.locator(".story-tools").get_by_role("button", name="PNG").click()
    png = started.value.path().read_bytes()
    assert started.value.suggested_filename.endswith(".png")
    assert (png[:8], int.from_bytes(png[16:20], "big")) == (b"\x89PNG\r\n\x1a\n", 1600)
    _, text = saved(page, "SVG")
    picture = ElementTree.fromstring(text)
    assert len(picture.findall("{http://www.w3.org/2000/svg}circle")) == len(titles)


def test_events_before_the_common_era_are_left_out_of_a_calendar(page, expect, annals):
    page.goto(annals(q="Who defeated whom in 632 BCE?", look="story"))
    expect(page.locator(".event", has_text="632 BCE")).to_have_count(1)
    _, text = saved(page, "iCalendar")
    assert "0632" not in text
    _, text = saved(page, "TimelineJS")
    assert -631 in [event["start_date"]["year"] for event in json.loads(text)["events"]]


def test_topics_are_drawn_over_time_and_lead_to_their_documents(page, expect, demo):
    page.goto(demo(q="earthquake"))
    page.get_by_role("button", name="Trends").click()
    expect(page.locator(".trend")).to_have_count(1)
    page.fill("#topics", "earthquake, pope, wibble")
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".trend polyline")).to_have_count(3)
    expect(page.locator(".trend-legend li").last).to_have_text("wibble 0")
    page.locator(".trend-table summary").click()
    rows = page.locator(".trend-table tbody tr")
    counts = [[int(cell) for cell in row.locator("td").all_inner_texts()] for row in rows.all()]
    assert all(quakes or popes for quakes, popes, _ in counts)
    legend = page.locator(".trend-legend li").first.inner_text()
    assert sum(quakes for quakes, _, _ in counts) == int(legend.split()[-1].replace(",", ""))
    page.check("#share")
    expect(rows.first.locator("td").first).to_have_text(re.compile("%$"))
    page.locator(".trend-table summary").click()
    page.locator(".trend-table tbody tr").first.get_by_role("button").first.press("Enter")
    expect(page.locator(".card").first).to_be_visible()
    page.go_back()
    page.locator(".trend").nth(1).locator("circle").first.click()
    expect(page.locator("#q")).to_have_value("pope")
    expect(page.locator("#during")).to_have_value(re.compile("20"))
    expect(page.locator(".card").first).to_contain_text(re.compile("pope", re.IGNORECASE))


def test_trends_count_what_the_search_counts_and_say_where_they_cannot(page, expect, demo):
    page.goto(demo(q="pope resigns"))
    total = re.match(r"[\d,]+", page.locator("#count").inner_text())[0]
    page.get_by_role("button", name="Trends").click()
    expect(page.locator(".trend-legend li")).to_have_text(f"pope resigns {total}")
    expect(page.locator(".trend-notes")).to_have_count(0)

    def count_by_words(route):
        told = route.fetch().json()
        if "q=" in route.request.url:
            told |= {"counted": "words", "undated": 2}
        route.fulfill(json=told)

    page.route("**/api/v1/coverage?*", count_by_words)
    page.fill("#topics", "earthquake")
    page.get_by_role("button", name="Draw").click()
    notes = page.locator(".trend-notes li")
    expect(notes).to_have_text([re.compile("2 documents without a time"), re.compile("all of its words")])
    assert violations(page) == []


def test_trends_keep_the_filters_of_the_search(page, expect, serve, tmp_path):
    desks = ["home", "home, north", "world"]
    documents = [
        Document(f"{year}", "Floods in the valley.", "Floods", Span.year(year), meta={"desk": desks[year % 3]})
        for year in range(1990, 2002)
    ]
    site = serve(filled(tmp_path / "index", documents))
    for desk, count in (("home, north", 4), ("world", 4)):
        page.goto(site(q="floods", look="trends", where=f"desk={desk}"))
        expect(page.locator(".trend-legend li")).to_have_text(f"floods {count}")


def test_topics_are_counted_by_year_month_or_reign(page, expect, annals, demo):
    page.goto(annals(q="the army was defeated", look="trends", topics="army"))
    page.select_option("#by", label="reign: The twelve dukes of Lu (Spring and Autumn Annals)")
    rows = page.locator(".trend-table tbody tr")
    expect(rows).to_have_text([re.compile("Duke Zhuang"), re.compile("Duke Xi"), re.compile("Duke Xuan")])
    page.locator(".trend circle").first.click()
    expect(page.locator("#during")).to_have_value("693 BCE to 662 BCE")
    expect(page.locator(".card").first).to_contain_text("Changshao")
    page.goto(demo(q="earthquake", look="trends", by="year"))
    expect(rows.first.locator("th")).to_have_text(re.compile(r"^20\d\d$"))
    page.select_option("#by", "month")
    expect(rows.first.locator("th")).to_have_text(re.compile(r"^[A-Z][a-z]+ 20\d\d$"))


@pytest.mark.parametrize("look", ["story", "trends"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_axe_finds_nothing_and_phones_need_not_scroll(new_page, expect, demo, look, width, scheme):
    page = new_page(width, 844, color_scheme=scheme)
    page.goto(demo(q="earthquake", look=look))
    expect(page.locator(".event, .trend").first).to_be_visible()
    assert violations(page) == []
    assert page.evaluate(WIDE) == []


@pytest.fixture
def other_site():
    """A site of another origin, with one page, and that page's content to be set."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(site.content.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        site.content = ""
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        yield site
        site.shutdown()
        thread.join()


@pytest.mark.parametrize("look", ["list", "story", "trends"])
def test_results_are_embedded_in_another_page(new_page, expect, serve, other_site, troubles, tmp_path, look):
    troubles.allow("404")  # the icon of the other site
    days = [f"2001-0{month}-11" for month in range(1, 8)]
    documents = [Document(day, "Floods in the valley.", f"Floods of {day}", Span.parse(day)) for day in days]
    outside = f"http://127.0.0.1:{other_site.server_port}"
    site = serve(filled(tmp_path / "index", documents), "--frame", outside)
    page = new_page(600)
    page.goto(site("/embed", q="floods", look=look))
    expect(page.locator(".card, .event, .trend").first).to_be_visible()
    for hidden in (".top", "#search", "#chips", ".bottom"):
        expect(page.locator(hidden)).to_be_hidden()
    assert violations(page) == []
    assert page.evaluate(WIDE) == []
    other_site.content = f'<!doctype html><iframe width="580" height="700" src="{html.escape(page.url)}"></iframe>'
    page.goto(outside)
    frame = page.frame_locator("iframe")
    expect(frame.locator(".card, .event, .trend").first).to_be_visible()
    with page.context.expect_page() as opened:
        frame.locator("#embedded-link").click()
    expect(opened.value.locator("#q")).to_have_value("floods")
