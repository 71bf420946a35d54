"""The histogram over HTTP, zoomed and filtered."""

from __future__ import annotations

import pytest

from epochal import Span
from epochal.server.document_schemas import CoverageModel
from epochal.server.settings import MAX_BINS


def test_the_whole_collection_with_years_before_our_era(client):
    found = client.get("/api/v1/coverage", bins=10).json()
    CoverageModel.model_validate(found)
    assert (found["first"], found["last"]) == ("-0043-03-15", "2020-03-01")
    assert (found["documents"], found["undated"]) == (9, 1)
    assert sum(item["count"] for item in found["bins"]) == 8
    assert (found["bins"][0]["count"], found["bins"][-1]["count"]) == (1, 7)
    assert found["bins"][0]["start_edtf"] == "-0043"
    assert len(found["bins"]) == 10


def test_stretches_follow_one_another(client):
    bins = client.get("/api/v1/coverage", bins=37).json()["bins"]
    assert [item["end"] for item in bins[:-1]] == [item["start"] for item in bins[1:]]
    assert all(item["start"] < item["end"] for item in bins)


def test_zoomed_to_days(client):
    found = client.get("/api/v1/coverage", bins=31, **{"from": "1998-05-01", "to": "1998-05-31"}).json()
    assert [item["start_edtf"] for item in found["bins"] if item["count"]] == ["1998-05-20"]
    assert found["bins"][0]["start"] == Span.parse("1998-05-01").start
    assert found["bins"][-1]["end"] == Span.parse("1998-05-31").end


def test_zoomed_to_where_nothing_lies(client):
    for bounds in ({"from": "1800", "to": "1899"}, {"from": "2200"}, {"to": "-0500"}):
        found = client.get("/api/v1/coverage", bins=4, **bounds).json()
        assert sum(item["count"] for item in found["bins"]) == 0
        assert found["documents"] == 9
        assert found["bins"]


def test_what_texts_speak_of_instead_of_when_they_appeared(client):
    found = client.get("/api/v1/coverage", bins=1, axis="content", **{"from": "1998-05", "to": "1998-05"}).json()
    assert found["bins"][0]["count"] == 1
    assert client.get("/api/v1/coverage", axis="published").json()["first"] == "1998-05-20"


def test_only_what_has_the_words_of_a_question(client):
    found = client.get("/api/v1/coverage", q="steel tariffs in 2003").json()
    assert found["documents"] == 3
    assert (found["first"], found["last"], found["undated"]) == ("1998-05-20", "2003-07-02", 1)
    assert client.get("/api/v1/coverage", q="zebra").json()["documents"] == 0


def test_a_change_is_seen(writable, bearer):
    assert writable.get("/api/v1/coverage").json()["documents"] == 9
    row = {"id": "new", "text": "Rain.", "published": "2030"}
    added = writable.post("/api/v1/documents", {"documents": [row]}, bearer).json()
    found = writable.get("/api/v1/coverage").json()
    assert (found["documents"], found["last"], found["generation"]) == (10, "2030", added["generation"])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"bins": 0}, "bins"),
        ({"bins": MAX_BINS + 1}, "bins"),
        ({"from": "2000", "to": "1990"}, "invalid interval"),
        ({"from": "soonish"}, "from"),
        ({"axis": "valid"}, "axis"),
    ],
)
def test_what_is_refused(client, query, words):
    reply = client.get("/api/v1/coverage", **query)
    assert reply.status == 422
    assert words in reply.json()["detail"]
