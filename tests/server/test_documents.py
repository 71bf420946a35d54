"""Documents over HTTP: looked at by anybody, changed by those who have the token, whole or not at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

import epochal
from epochal import Document, Index, Span
from epochal.server.document_schemas import (
    AddedModel,
    CoverageModel,
    DeletedModel,
    DocumentModel,
    HealthModel,
    InfoModel,
)
from epochal.server.settings import MAX_BINS, MAX_DOCUMENTS_BODY, MAX_ID
from server.conftest import TOKEN

ROW = {"id": "p9", "text": "Rain fell in May 1998.", "published": "1998-06-01", "source": "wire"}


def add(client, rows, headers):
    return client.post("/api/v1/documents", {"documents": rows}, headers)


def lines(client, text: str, headers):
    given = {"content-type": "application/x-ndjson", **headers}
    return client.call("POST", "/api/v1/documents", headers=given, body=text.encode())


def count(client) -> int:
    return client.get("/health").json()["documents"]


def test_a_document_with_its_times(client):
    result = client.get("/api/v1/documents/raised").json()
    DocumentModel.model_validate(result)
    assert result["document"]["title"] == "Steel tariffs"
    (time,) = result["times"]
    assert (time["text"], time["span"], time["words"]) == ("May 1998", "1998-05", "May 1998")
    assert result["document"]["text"][time["start_char"] : time["end_char"]] == "May 1998"
    assert result["series"] == []


def test_a_document_with_its_neighbours(client):
    result = client.get("/api/v1/documents/lowered").json()
    assert (result["previous"]["id"], result["next"]["id"]) == ("raised", "fees-1")
    assert result["previous"]["published"] == "1998-05-20"
    assert client.get("/api/v1/documents/raised").json()["previous"] is None
    assert client.get("/api/v1/documents/evil").json()["next"] is None


def test_coverage_of_documents_with_all_words_of_a_topic(client):
    def count(words):
        return client.get("/api/v1/coverage", q="tariffs on steel", bins=1, words=words).json()["documents"]

    assert (count("any"), count("all")) == (4, 2)
    assert client.get("/api/v1/coverage", q="wibble steel", bins=1, words="all").json()["documents"] == 0


def test_coverage_of_documents_that_pass_the_relevance_floor(client):
    result = client.get("/api/v1/coverage", q="tariffs on steel", words="relevant", by="year").json()
    CoverageModel.model_validate(result)
    total = client.get("/api/v1/search", q="tariffs on steel", overview="true").json()["total"]
    assert (result["documents"], result["counted"], result["is_lower_bound"]) == (total, "relevance", False)
    assert client.get("/api/v1/coverage").json()["counted"] == "all"
    assert client.get("/api/v1/coverage", q="tariffs").json()["counted"] == "words"


def test_coverage_within_filters(client):
    asked = {"q": "tariffs on steel", "words": "relevant"}
    assert client.get("/api/v1/coverage", **asked, as_of="1999").json()["last"] == "1998-05-20"
    assert client.get("/api/v1/coverage", as_of="1999").json()["documents"] < 9
    for words in ("any", "relevant"):
        assert client.get("/api/v1/coverage", q="tariffs", words=words, where="lang=xx").json()["documents"] == 0


def test_a_document_with_its_versions(client):
    result = client.get("/api/v1/documents/fees-2").json()
    assert [(item["id"], item["published"]) for item in result["series"]] == [
        ("fees-1", "2001-01-01"),
        ("fees-2", "2009-01-01"),
        ("fees-3", "2020-03-01"),
    ]


def test_times_of_the_title_are_listed_once(writable, bearer):
    row = {"id": "long", "title": "Report of 1998", "text": "Rain fell on the plain. " * 200}
    assert add(writable, [row], bearer).json()["added"] == 1
    times = writable.get("/api/v1/documents/long").json()["times"]
    assert [(item["axis"], item["text"], item["start_char"]) for item in times] == [("title", "Report of 1998", -1)]


def test_any_id_can_be_asked_for(client):
    assert client.get("/api/v1/documents/a/b c?").json()["document"]["id"] == "a/b c?"
    assert client.get("/api/v1/documents/nobody").kind == "not-found"
    assert client.get("/api/v1/documents/").status in (404, 422)
    assert client.get("/api/v1/documents/" + "x" * (MAX_ID + 1)).status == 422
    assert quote("a/b c?", safe="") == "a%2Fb%20c%3F"  # what a browser sends, and the server unpacks


def test_documents_are_added_and_found(writable, bearer):
    reply = add(writable, [ROW, {"id": 7, "title": "Only a title"}], bearer)
    AddedModel.model_validate(reply.json())
    assert (reply.json()["added"], reply.json()["given"]) == (2, 2)
    result = writable.get("/api/v1/search", q="rain in May 1998").json()
    assert result["hits"][0]["id"] == "p9"
    assert result["generation"] == reply.json()["generation"]
    assert writable.get("/api/v1/documents/p9").json()["document"]["meta"] == {"source": "wire"}
    assert writable.get("/api/v1/documents/7").json()["document"]["title"] == "Only a title"


def test_what_has_not_changed_is_not_added_again(writable, bearer):
    assert add(writable, [ROW], bearer).json()["added"] == 1
    assert add(writable, [ROW], bearer).json()["added"] == 0
    assert add(writable, [{**ROW, "text": "Snow."}], bearer).json()["added"] == 1


def test_lines_of_json_are_read(writable, bearer):
    text = f"{json.dumps(ROW)}\n\n{json.dumps({'_id': 'p10', 'body': 'Snow.'})}\r\n"
    before = count(writable)
    reply = lines(writable, text, bearer)
    assert reply.status == 422  # an id must stand under `id` here
    text = f"{json.dumps(ROW)}\n\n{json.dumps({'id': 'p10', 'text': 'Snow.'})}\r\n"
    assert lines(writable, text, bearer).json()["added"] == 2
    assert count(writable) == before + 2


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ROW, {"id": "bad", "text": "x", "published": "2003-02-30"}], "documents.1: the date under 'published'"),
        ([ROW, {"id": "bad"}], "has no text"),
        ([ROW, {"text": "x"}], "documents.1.id"),
        ([ROW, {"id": "", "text": "x"}], "documents.1.id"),
        ([ROW, {"id": "x" * (MAX_ID + 1), "text": "x"}], "documents.1.id"),
        ([ROW, {"id": "nul\x00", "text": "x"}], "NUL"),
        ([ROW, {"id": "bad", "text": ["x"]}], "documents.1.text"),
        ([ROW, {"id": "bad", "text": "x", "title": False}], "documents.1.title"),
        ([ROW, 7], "documents.1"),
        ([ROW, {"id": "bad", "text": "x", "valid_from": "2001", "valid_to": "1999"}], "which is earlier"),
    ],
)
def test_where_one_is_wrong_none_is_stored(writable, bearer, rows, words):
    before = count(writable)
    reply = add(writable, rows, bearer)
    assert reply.status == 422
    assert words in reply.json()["detail"]
    assert count(writable) == before
    assert writable.get("/api/v1/documents/p9").status == 404


def test_of_many_wrong_ones_the_first_are_named(writable, bearer):
    reply = add(writable, [{"id": f"p{position}"} for position in range(100)], bearer)
    assert len(reply.json()["errors"]) == 20
    assert "99 more" in reply.json()["detail"]


@pytest.mark.parametrize("text", ['{"id": "a", "text": "x"}\nnonsense', "[1", '{"id": "a", "text": NaN}', "\xff"])
def test_lines_that_are_no_json_store_nothing(writable, bearer, text):
    before = count(writable)
    reply = lines(writable, text, bearer)
    assert reply.status in (400, 422)
    assert count(writable) == before


def test_a_document_is_deleted_once(writable, bearer):
    reply = writable.call("DELETE", "/api/v1/documents/a/b c?", headers=bearer)
    DeletedModel.model_validate(reply.json())
    assert (reply.status, reply.json()["deleted"]) == (200, 1)
    assert writable.get("/api/v1/documents/a/b c?").status == 404
    assert writable.call("DELETE", "/api/v1/documents/a/b c?", headers=bearer).kind == "not-found"


def test_what_was_acknowledged_is_there_after_a_restart(opened, bearer, folder):
    with Index.open(folder) as index:
        before = len(index)
    client = opened(writable=True, token=TOKEN)
    assert add(client, [ROW], bearer).status == 200
    with Index.open(folder) as index:  # what others see while the service still runs
        assert (len(index), index.get("p9").published) == (before + 1, Span.parse("1998-06-01"))


# ---------------------------------------------------------------- who may


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer  "},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": TOKEN},
        {"authorization": f"Bearer {TOKEN.upper()}"},
        {"authorization": "Bearer \xe9" * 16},
        {"x-token": TOKEN},
    ],
)
def test_without_the_token_nothing_is_changed(writable, headers):
    before = count(writable)
    for reply in (
        add(writable, [ROW], headers),
        lines(writable, json.dumps(ROW), headers),
        writable.call("DELETE", "/api/v1/documents/raised", headers=headers),
    ):
        assert (reply.status, reply.kind) == (401, "no-token")
        assert reply.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in reply.body.decode()
    assert count(writable) == before


def test_the_token_is_asked_for_before_the_body_is_read(writable):
    body = (b"x" for _ in range(3))
    reply = writable.call("POST", "/api/v1/documents", headers={"content-type": "nonsense"}, body=body)
    assert reply.status == 401


def test_a_service_that_only_reads_takes_no_token(client, bearer):
    for headers in ({}, bearer):
        for reply in (add(client, [ROW], headers), client.call("DELETE", "/api/v1/documents/raised", headers=headers)):
            assert (reply.status, reply.kind) == (403, "read-only")


def test_a_token_in_the_address_is_no_token(writable):
    reply = writable.call("DELETE", "/api/v1/documents/raised", query={"token": TOKEN})
    assert reply.status == 401


# ---------------------------------------------------------------- limits


def test_documents_may_be_longer_than_other_bodies(writable, bearer):
    long = {"id": "long", "text": "Rain. " * 250_000}
    assert add(writable, [long], bearer).json()["added"] == 1
    reply = writable.call(
        "POST",
        "/api/v1/documents",
        headers={"content-type": "application/x-ndjson", **bearer},
        body=[b"x" * (1 << 20)] * (MAX_DOCUMENTS_BODY // (1 << 20) + 1),
    )
    assert (reply.status, reply.kind) == (413, "too-large")


def test_another_writer_keeps_a_writable_service_from_starting(folder, opened):
    with Index.open(folder, write=True), pytest.raises(Exception, match="another writer has the index"):
        opened(writable=True, token=TOKEN)
    assert opened(writable=True, token=TOKEN).get("/health").status == 200


def test_the_index_of_the_tests_is_as_it_should_be(folder):
    with Index.open(folder) as index:
        assert index.get("evil") is not None
        assert isinstance(index.get("raised"), Document)


def test_the_whole_collection_with_years_before_our_era(client):
    result = client.get("/api/v1/coverage", bins=10).json()
    CoverageModel.model_validate(result)
    assert (result["first"], result["last"]) == ("-0043-03-15", "2020-03-01")
    assert (result["documents"], result["undated"]) == (9, 1)
    assert sum(item["count"] for item in result["bins"]) == 8
    assert (result["bins"][0]["count"], result["bins"][-1]["count"]) == (1, 7)
    assert result["bins"][0]["start_edtf"] == "-0043"
    assert len(result["bins"]) == 10


def test_ranges_follow_one_another(client):
    bins = client.get("/api/v1/coverage", bins=37).json()["bins"]
    assert [item["end"] for item in bins[:-1]] == [item["start"] for item in bins[1:]]
    assert all(item["start"] < item["end"] for item in bins)


def test_zoomed_to_days(client):
    result = client.get("/api/v1/coverage", bins=31, **{"from": "1998-05-01", "to": "1998-05-31"}).json()
    assert [item["start_edtf"] for item in result["bins"] if item["count"]] == ["1998-05-20"]
    assert result["bins"][0]["start"] == Span.parse("1998-05-01").start
    assert result["bins"][-1]["end"] == Span.parse("1998-05-31").end


def test_zoomed_to_where_nothing_lies(client):
    for bounds in ({"from": "1800", "to": "1899"}, {"from": "2200"}, {"to": "-0500"}):
        result = client.get("/api/v1/coverage", bins=4, **bounds).json()
        assert sum(item["count"] for item in result["bins"]) == 0
        assert result["documents"] == 9
        assert result["bins"]


def test_what_texts_mention_instead_of_when_they_appeared(client):
    result = client.get("/api/v1/coverage", bins=1, axis="content", **{"from": "1998-05", "to": "1998-05"}).json()
    assert result["bins"][0]["count"] == 1
    assert client.get("/api/v1/coverage", axis="published").json()["first"] == "1998-05-20"


def test_by_months_years_and_reigns(client):
    def count(by, **bounds):
        bins = client.get("/api/v1/coverage", by=by, **bounds).json()["bins"]
        return [(item["start_edtf"], item.get("name"), item["count"]) for item in bins if item["count"]]

    assert count("month", **{"from": "1998", "to": "1998"}) == [("1998-05", None, 1)]
    assert count("year", **{"from": "1998", "to": "1998"}) == [("1998", None, 1)]
    assert count("british", **{"from": "1998", "to": "1998"}) == [("1998-01-01", "Elizabeth II", 1)]
    assert count("lu") == []
    offered = [item["name"] for item in client.get("/api/v1/info").json()["reigns"]]
    assert {"british", "chinese", "nengo"} <= set(offered)
    assert "lu" not in offered


def test_only_what_has_the_words_of_a_question(client):
    result = client.get("/api/v1/coverage", q="steel tariffs in 2003").json()
    assert result["documents"] == 3
    assert (result["first"], result["last"], result["undated"]) == ("1998-05-20", "2003-07-02", 1)
    assert client.get("/api/v1/coverage", q="zebra").json()["documents"] == 0


def test_a_change_is_seen(writable, bearer):
    assert writable.get("/api/v1/coverage").json()["documents"] == 9
    row = {"id": "new", "text": "Rain.", "published": "2030"}
    added = writable.post("/api/v1/documents", {"documents": [row]}, bearer).json()
    result = writable.get("/api/v1/coverage").json()
    assert (result["documents"], result["last"], result["generation"]) == (10, "2030", added["generation"])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"bins": 0}, "bins"),
        ({"bins": MAX_BINS + 1}, "bins"),
        ({"from": "2000", "to": "1990"}, "invalid interval"),
        ({"from": "soonish"}, "from"),
        ({"axis": "valid"}, "axis"),
        ({"by": "julian"}, "without reigns"),
        ({"by": "decade"}, "accepted: month, year"),
        ({"by": "wibble"}, "wibble"),
    ],
)
def test_what_is_refused(client, query, words):
    reply = client.get("/api/v1/coverage", **query)
    assert reply.status == 422
    assert words in reply.json()["detail"]


def test_info(client, writable):
    result = client.get("/api/v1/info").json()
    InfoModel.model_validate(result)
    assert result["version"] == epochal.__version__
    assert (result["documents"], result["undated"], result["encoder"]) == (9, 1, "")
    assert (result["first"], result["last"]) == ("-0043-03-15", "2020-03-01")
    assert result["writable"] is False
    assert writable.get("/api/v1/info").json()["writable"] is True
    assert result["limits"]["k"] == 200
    assert result["scorers"][0] == "gate"


def test_a_service_that_is_well(client):
    reply = client.get("/health")
    HealthModel.model_validate(reply.json())
    assert (reply.status, reply.json()["ready"]) == (200, True)


def test_a_service_that_cannot_read_its_index(opened, folder):
    client = opened()
    with Index.open(folder, write=True) as index:
        index.add([Document("new", "Rain.")])
    shutil.rmtree(Path(folder) / "derived")
    Path(folder, "derived").write_text("in the way")
    reply = client.get("/health")
    assert (reply.status, reply.json()["ready"]) == (503, False)
    refused = client.get("/api/v1/search", q="steel")
    assert (refused.status, refused.kind) == (503, "unavailable")
    assert folder not in refused.body.decode()
    assert "retry-after" in refused.headers


def test_metrics_count_requests_by_route_and_status(opened):
    client = opened()
    client.get("/api/v1/search", q="steel")
    client.get("/api/v1/search", q="steel", k=0)
    client.get("/nowhere")
    text = client.get("/metrics").body.decode()
    assert 'epochal_requests_total{route="search",status="200"} 1' in text
    assert 'epochal_requests_total{route="search",status="422"} 1' in text
    assert 'epochal_requests_total{route="other",status="404"} 1' in text
    assert 'epochal_request_seconds_count{route="search"} 2' in text
    assert "epochal_documents 9" in text
    assert "epochal_requests_in_flight 1" in text


def test_metrics_count_changes(writable, bearer):
    rows = [{"id": f"n{position}", "text": "Rain."} for position in range(3)]
    writable.post("/api/v1/documents", {"documents": rows}, bearer)
    writable.call("DELETE", "/api/v1/documents/n1", headers=bearer)
    text = writable.get("/metrics").body.decode()
    assert "epochal_documents_added_total 3" in text
    assert "epochal_documents_deleted_total 1" in text


def test_what_another_process_writes_is_seen(opened, folder):
    client = opened()
    before = client.get("/health").json()
    with Index.open(folder, write=True) as index:
        index.add([Document("new", "Hail fell in 1999.")])
    after = client.get("/health").json()
    assert (after["documents"], after["generation"]) == (before["documents"] + 1, before["generation"] + 1)
    assert client.get("/api/v1/search", q="hail in 1999").json()["hits"][0]["id"] == "new"
