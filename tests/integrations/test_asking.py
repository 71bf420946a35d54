"""What all integrations rest on: opening, asking, and hits as plain values."""

from __future__ import annotations

import json

import pytest

from epochal import EpochalError, Span
from epochal.integrations.common import get_content, make_hit_record, open_index, search_index
from epochal.times import FixedClock


def test_an_open_index_is_taken_as_it_is(index):
    assert open_index(index) is index


def test_a_folder_is_opened_to_be_read(folder):
    with open_index(str(folder)) as opened:
        assert len(opened) == 8


def test_later_wishes_go_before_earlier_ones(index):
    assert len(search_index(index, "bank", {"k": 5}, None, {"k": 2})) == 2


def test_the_present_is_today_a_clock_or_none(index):
    clock = FixedClock(Span.parse("2009-03-01"))
    query = "What did the bank do to its rate last year?"
    assert search_index(index, query, {"now": None}, clock=clock).now is None
    assert search_index(index, query, clock=clock).now == index.clock.now()
    response = search_index(index, query, {"now": "clock"}, clock=clock)
    assert response.now == clock.present
    assert response[0].id == "rate-2008"


def test_without_a_clock_of_ones_own_it_is_the_machines(index, monkeypatch):
    stopped = FixedClock(Span.parse("2009-03-01"))
    monkeypatch.setattr("epochal.integrations.common.SystemClock", lambda: stopped)
    assert search_index(index, "bank", {"now": "clock"}).now == stopped.present


def test_an_unknown_wish_is_named(index):
    with pytest.raises(EpochalError, match="search does not know spam"):
        search_index(index, "bank", {"spam": 1})


def test_a_record_is_plain_json_and_says_when(index):
    response = search_index(index, "What did the bank do to its rate in 2003?")
    record = make_hit_record(response[0], response)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert (record["id"], record["published"], record["time"], record["outcome"]) == (
        *("rate-2003", "2003-07-02", "2003-06"),
        "recorded",
    )
    (evidence,) = record["evidence"]
    assert (evidence["text"], evidence["axis"]) == ("last month", "content")
    assert sum(record["parts"].values()) == pytest.approx(record["score"])


def test_metadata_of_a_document_cannot_pass_for_what_epochal_says(index):
    response = search_index(index, "What did the bank do to its rate in 1998?")
    record = make_hit_record(response[0], response)
    assert record["source"] == "wire"
    assert (record["id"], record["score"], record["outcome"]) == ("rate-1998", response[0].score, "recorded")


def test_content_is_the_passage_or_the_whole_text(index):
    hit = search_index(index, "Which mill did the bank buy in 1977?")[0]
    assert hit.id == "long"
    assert get_content(hit, full_text=True) == hit.document.text
    passage = get_content(hit, full_text=False)
    assert "bought a mill" in passage
    assert len(passage) < len(hit.document.text)
    assert hit.document.text[hit.passage_start :].startswith(passage)
