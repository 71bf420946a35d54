"""The timeline: bands, marks, brushing, zooming, and the table beside it."""

from __future__ import annotations

import re


def box(page):
    return page.locator("#plot").bounding_box()


def drag(page, start, end, high=0.3):
    """Drag over the plot, from one share of its width to another."""
    area = box(page)
    y = area["y"] + area["height"] * high
    page.mouse.move(area["x"] + area["width"] * start, y)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * (start + end) / 2, y)
    page.mouse.move(area["x"] + area["width"] * end, y)
    page.mouse.up()


def during(page):
    return page.locator("#during").input_value()


def labels(page):
    return page.locator(".tick-label").all_text_contents()


def test_the_whole_corpus_is_a_histogram(page, expect, demo):
    page.goto(demo())
    expect(page.locator(".bars")).to_have_attribute("d", re.compile(r"^M"))
    assert page.locator(".bars").get_attribute("d").count("M") > 100
    expect(page.locator("#view-words")).to_have_text("2002 to 2026")
    assert {"2004", "2014", "2024"} <= set(labels(page))


def test_brushing_filters(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".hit").first).to_be_visible()
    drag(page, 0.30, 0.40)
    expect(page.locator("#during")).to_have_value(re.compile(r"^\w+ 20\d\d to \w+ 20\d\d$"))
    first, last = re.findall(r"\d{4}", during(page))
    expect(page.locator(".account")).to_contain_text("hidden")
    page.wait_for_url(re.compile("during=20"))
    dates = [title.split()[-1] for title in page.locator(".card h2").all_inner_texts()]
    assert dates
    assert all(int(first) - 1 <= int(year) <= int(last) + 1 for year in dates)
    page.get_by_role("button", name="Take the filter off").click()
    expect(page.locator(".brush")).to_have_count(0)
    assert "during" not in page.url


def test_a_filter_is_resized_and_moved_by_the_pointer(page, expect, demo):
    page.goto(demo(q="earthquakes", during="2010-01/2011-12"))
    expect(page.locator(".handle.end")).to_be_visible()
    area = box(page)
    handle = page.locator(".handle.end").bounding_box()
    share = (handle["x"] + handle["width"] / 2 - area["x"]) / area["width"]
    drag(page, share, share + 0.1)
    expect(page.locator("#during")).to_have_value(re.compile(r"^January 2010 to \w+ 201[3-6]$|^2010 to 201[3-6]$"))
    before = during(page)
    drag(page, share - 0.02, share + 0.08)
    expect(page.locator("#during")).not_to_have_value(before)
    assert not re.match("2010|January 2010", during(page))


def test_a_filter_may_only_prefer(page, expect, demo):
    page.goto(demo(q="earthquakes", during="2011"))
    expect(page.locator(".account summary")).to_contain_text("hidden")
    page.locator("#options summary").click()
    page.uncheck("#strict")
    expect(page.locator(".account")).to_contain_text("prefers what is about or was published in 2011")
    expect(page.locator(".account summary")).not_to_contain_text("hidden")


def test_a_filter_is_typed_in_words(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    page.fill("#during", "March 2011")
    page.press("#during", "Enter")
    page.wait_for_url(re.compile("during=2011-03"))
    expect(page.locator("#during")).to_have_value("March 2011")
    expect(page.locator(".brush")).to_have_count(1)
    page.fill("#during", "blursday")
    page.press("#during", "Enter")
    expect(page.locator("#during-read")).to_contain_text("blursday")
    expect(page.locator("#during")).to_have_attribute("aria-invalid", "true")
    assert "during=2011-03" in page.url


def test_zooming_reaches_days_and_centuries(page, expect, demo):
    page.goto(demo(q="the earthquake in Japan in March 2011"))
    expect(page.locator(".band-label")).to_have_text("March 2011")
    page.get_by_role("button", name="Zoom to the hits").click()
    for _ in range(7):
        page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".tick-label").first).to_have_text(re.compile(r"^\d+ [A-Z][a-z]{2}$|^[A-Z][a-z]{2}$"))
    expect(page).to_have_url(re.compile("view="))
    for _ in range(18):
        page.get_by_role("button", name="Zoom out").click()
    expect(page.locator(".tick-label", has_text=re.compile("^2200$"))).to_have_count(1)
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#view-words")).to_have_text("2002 to 2026")
    expect(page).not_to_have_url(re.compile("view="))


def test_finer_bars_are_loaded_on_zooming(page, expect, demo):
    page.goto(demo(q="the earthquake in Japan in March 2011", view="2011-02-20/2011-04-10"))
    expect(page.locator("#view-words")).to_have_text("20 February 2011 to 10 April 2011")
    expect(page.locator(".bars").first).to_have_attribute("d", re.compile(r"(M[^M]*){25}"))
    area = box(page)
    page.mouse.move(area["x"] + area["width"] * 0.4, area["y"] + 50)
    expect(page.locator("#readout")).to_have_text(
        re.compile(r"^\d+ March 2011: \d+ documents?, (at least )?\d+ of which answer$")
    )


def test_the_wheel_zooms_with_control_and_scrolls_without(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").nth(9)).to_be_attached()
    area = box(page)
    page.mouse.move(area["x"] + 600, area["y"] + 60)
    page.mouse.wheel(0, 200)
    expect(page.locator(".brand")).not_to_be_in_viewport()
    expect(page.locator("#view-words")).to_have_text("2002 to 2026")
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_function("window.scrollY === 0")
    page.mouse.move(area["x"] + 601, area["y"] + 60)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    expect(page.locator("#view-words")).not_to_have_text("2002 to 2026")


def test_dragging_the_axis_moves_the_view(page, expect, demo):
    page.goto(demo(q="earthquakes", view="2010-01-01/2011-12-31"))
    expect(page.locator(".card").nth(9)).to_be_attached()
    expect(page.locator("#view-words")).to_have_text("2010 to 2011")
    drag(page, 0.7, 0.2, high=0.95)
    expect(page.locator("#view-words")).to_have_text("2011 to 2012")
    assert during(page) == ""


def test_a_mark_leads_to_its_card(page, expect, demo):
    page.goto(demo(q="Who won the Nobel Prize in Literature in 2016?"))
    expect(page.locator(".card")).to_have_count(10)
    sign = page.locator("[data-mark~='1']")
    best = sign.get_attribute("data-mark").split()[0]
    sign.click()
    expect(page.locator(f"#card-{best}")).to_be_focused()
    expect(page.locator(f"[data-mark~='{best}']")).to_have_class(re.compile("chosen"))


def test_dense_marks_are_counted_and_none_covers_another(page, expect, demo):
    page.goto(demo(q="earthquakes", k="120"))
    expect(page.locator(".card")).to_have_count(120)
    # Read at once, since the picture is drawn again when finer bars come.
    ids = [mark.split() for mark in page.locator(".hit").evaluate_all("all => all.map((one) => one.dataset.mark)")]
    assert sorted(int(id) for group in ids for id in group) == list(range(1, 121))
    many = page.locator(".hit.many text").all_text_contents()
    assert many == [f"×{len(group)}" for group in ids if len(group) > 1]
    assert many
    circles = page.locator(".hit circle").evaluate_all("all => all.map((one) => one.getBoundingClientRect().toJSON())")
    for place, one in enumerate(circles):
        for other in circles[place + 1 :]:
            near = abs(one["x"] - other["x"]) < 17 and abs(one["y"] - other["y"]) < 17
            assert not near


def test_documents_that_answer_are_drawn_in_front_of_all(page, expect, demo):
    page.goto(demo(q="Who won the Nobel Prize in Literature in 2016?"))
    expect(page.locator(".bars.matched")).to_have_attribute("d", re.compile("^M"))
    assert page.locator(".bars.faint").get_attribute("d").count("M") > 100


def test_years_before_the_common_era(page, expect, annals):
    page.goto(annals(q="Who defeated whom in 632 BCE?"))
    expect(page.locator(".card").first).to_contain_text("Chengpu")
    expect(page.locator(".band-label")).to_have_text("632 BCE")
    assert {"600 BCE", "200 BCE", "1 CE"} <= set(labels(page))
    page.fill("#during", "-0699/-0599")
    page.press("#during", "Enter")
    expect(page.locator(".card h2")).to_have_text([re.compile("632 BCE"), re.compile("684 BCE")])
    page.get_by_role("button", name="Take the filter off").click()
    page.get_by_role("button", name="Zoom to the hits").click()
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
    page.wait_for_url(re.compile(r"view=-0\d\d\d"))
    assert all(label.endswith("BCE") for label in labels(page))


def test_brushing_before_the_common_era(page, expect, annals):
    page.goto(annals(q="armies and covenants", view="-0730-01-01/-0470-01-01"))
    expect(page.locator(".tick-label", has_text="600 BCE")).to_have_count(1)
    drag(page, 0.25, 0.75)
    expect(page.locator("#during")).to_have_value(re.compile(r"^\d{3} BCE to \d{3} BCE$"))
    first, last = (int(year) for year in re.findall(r"\d+", during(page)))
    assert 690 > first > 640
    assert 560 > last > 510
    page.wait_for_url(re.compile(f"during=-0{first - 1}%2F-0{last - 1}"))
    expect(page.locator(".card").first).to_be_visible()


def test_centuries_are_zoomed_out_to(page, expect, annals):
    page.goto(annals())
    expect(page.locator(".bars[d]").first).to_be_attached()
    for _ in range(3):
        page.get_by_role("button", name="Zoom out").click()
    expect(page.locator(".tick-label", has_text="1000 BCE")).to_have_count(1)
    expect(page.locator(".tick-label", has_text="1 CE")).to_have_count(1)


def test_the_same_is_in_a_table(page, expect, annals):
    page.goto(annals(q="Who defeated whom in 632 BCE?"))
    expect(page.locator(".card").first).to_be_visible()
    page.get_by_role("button", name="Table").click()
    tables = page.locator("#timeline-tables table")
    expect(tables).to_have_count(3)
    rows = [row.locator("td").all_inner_texts() for row in tables.nth(0).locator("tbody tr").all()]
    assert sum(int(count) for count, _ in rows) == 10
    assert 0 < sum(int(answering) for _, answering in rows) < 10
    expect(tables.nth(1)).to_contain_text("632 BCE")
    expect(tables.nth(2).locator("tbody tr").first).to_contain_text("722 BCE")
    expect(page.locator("#timeline-summary")).to_contain_text("10 documents over time. Asked for: 632 BCE.")


def test_what_lies_outside_the_view_is_counted_at_its_rims(page, expect, annals):
    page.goto(annals(q="armies in 632 BCE", view="-0700-01-01/-0600-01-01"))
    expect(page.locator(".beyond").last).to_have_text(re.compile(r"^\d+ ▸$"))


def test_zooming_leaves_alone_what_is_being_typed(page, expect, demo):
    page.goto(demo(q="earthquakes"))
    expect(page.locator(".card").first).to_be_visible()
    page.get_by_role("button", name="Zoom in").click()
    page.fill("#q", "half a quest")
    expect(page).to_have_url(re.compile("view="))
    expect(page.locator("#q")).to_have_value("half a quest")
