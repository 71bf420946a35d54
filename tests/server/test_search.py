"""Searches over HTTP: the same as those of the library, with what was read in the question corrected where asked."""

from __future__ import annotations

import json

import pytest

from epochal import Document, Index, Span
from epochal.server.search_schemas import SearchModel
from epochal.server.settings import MAX_HITS, MAX_QUESTION

ASKED = "What happened to steel tariffs in 2003?"


def ids(reply):
    assert reply.status == 200, reply.body
    return [hit["id"] for hit in reply.json()["hits"]]


def test_the_answer_is_that_of_the_library(client, never_changed):
    result = client.get("/api/v1/search", q=ASKED, k=3).json()
    with Index.open(never_changed) as index:
        expected = index.search(ASKED, k=3, now="2026-11-15").to_dict()
        generation = index.generation
    assert result.pop("generation") == generation
    assert result.pop("took_ms") > 0
    assert result == json.loads(json.dumps(expected))


def test_the_answer_has_the_shape_that_is_described(client):
    SearchModel.model_validate(client.get("/api/v1/search", q=ASKED).json())


def test_without_now_the_clock_of_the_service_counts(client):
    result = client.get("/api/v1/search", q="tariffs last year").json()
    assert result["now"] == "2026-11-15"
    assert [item["span"] for item in result["understanding"]["periods"]] == ["2025"]
    result = client.get("/api/v1/search", q="tariffs last year", now="1999").json()
    assert [item["span"] for item in result["understanding"]["periods"]] == ["1998"]


def test_each_wish_reaches_the_engine(client):
    assert ids(client.get("/api/v1/search", q="transfer abroad", as_of="2010"))[0] == "fees-2"
    assert ids(client.get("/api/v1/search", q="transfer abroad", valid_at="2005"))[0] == "fees-1"
    assert ids(client.get("/api/v1/search", q="tariffs", during="May 1998", strict="true")) == ["raised"]
    assert set(ids(client.get("/api/v1/search", q="tariffs", before="1999", strict="true"))) == {"caesar", "raised"}
    result = client.get("/api/v1/search", q="tariffs", after="2002", strict="true")
    assert "raised" not in ids(result)
    assert "alloy" not in ids(client.get("/api/v1/search", q="steel in 2003", undated="exclude"))
    assert client.get("/api/v1/search", q=ASKED, time="false").json()["outcome"] == "no_window"
    assert len(ids(client.get("/api/v1/search", q="transfer abroad", fold="false", k=3))) == 3
    assert client.get("/api/v1/search", q=ASKED, scorer="bm25").json()["hits"][0]["parts"].keys() == {"lexical"}
    inside = client.get("/api/v1/search", q="tariffs", during="1998", relation="during", strict="true")
    assert ids(inside) == ["raised"]


def test_an_overview_describes_all_documents_that_answer(opened, folder):
    with Index.open(folder, write=True) as index:
        index.add(
            Document(f"toll-{year}", "The toll was raised. 關稅提高。", published=Span.year(year), meta={"land": land})
            for year, land in ((1901, "Baden"), (1902, "Baden"), (1903, "Bern"))
        )
    client = opened()
    result = client.get("/api/v1/search", q="the toll", k=1, overview="true").json()
    SearchModel.model_validate(result)
    overview = result["overview"]
    assert overview["times"] == [[Span.year(year).start, Span.year(year).end] for year in (1901, 1902, 1903)]
    assert overview["fields"] == {"land": [{"value": "Baden", "count": 2}, {"value": "Bern", "count": 1}]}
    assert overview["words"] == [[[4, 8]]]
    assert client.get("/api/v1/search", q="關稅", k=1, overview="true").json()["overview"]["words"] == [[[21, 23]]]
    assert "overview" not in client.get("/api/v1/search", q="the toll").json()


def test_explaining_tells_how_long_each_step_took(client):
    assert client.get("/api/v1/search", q=ASKED).json()["timings"] == {}
    assert {"understand", "gather", "score"} <= client.get("/api/v1/search", q=ASKED, explain="true").json()[
        "timings"
    ].keys()


def test_empty_texts_are_as_if_not_given(client):
    assert ids(client.get("/api/v1/search", q=ASKED, now="", as_of="", during="", relation="")) == ids(
        client.get("/api/v1/search", q=ASKED)
    )


# ---------------------------------------------------------------- corrected readings


def test_a_constraint_can_be_dropped(client):
    whole = client.post("/api/v1/search", {"question": ASKED}).json()
    assert [item["span"] for item in whole["understanding"]["constraints"]] == ["2003"]
    dropped = client.post("/api/v1/search", {"question": ASKED, "drop": [0]}).json()
    assert dropped["understanding"]["constraints"] == []
    assert dropped["outcome"] == "no_window"
    assert not [step for step in dropped["applied"] if step["name"] == "constraint"]


def test_one_of_two_constraints_can_be_dropped(client):
    question = "Compare the steel tariffs of 1998 with those of 2003"
    result = client.post("/api/v1/search", {"question": question, "drop": [0]}).json()
    assert [item["span"] for item in result["understanding"]["constraints"]] == ["2003"]
    assert [item["span"] for item in result["understanding"]["periods"]] == ["2003"]
    assert result["hits"][0]["id"] == "lowered"


def test_periods_replace_those_of_the_question(client):
    result = client.post("/api/v1/search", {"question": ASKED, "periods": ["1998"]}).json()
    assert result["hits"][0]["id"] == "raised"
    assert [step["span"]["span"] for step in result["applied"] if step["name"] == "constraint"] == ["1998"]
    none = client.post("/api/v1/search", {"question": ASKED, "periods": []}).json()
    assert none["outcome"] == "no_window"


def test_several_periods_are_covered(client):
    result = client.post(
        "/api/v1/search", {"question": "steel tariffs", "periods": ["2003", "May 1998"], "k": 2}
    ).json()
    assert {hit["id"]: hit["period"]["span"] for hit in result["hits"]} == {"raised": "1998-05", "lowered": "2003"}
    assert "coverage" in [step["name"] for step in result["applied"]]


def test_periods_without_reading_the_question(client):
    result = client.post("/api/v1/search", {"question": ASKED, "time": False, "periods": ["1998"]}).json()
    assert result["hits"][0]["id"] == "raised"
    refused = client.post("/api/v1/search", {"question": ASKED, "time": False, "drop": [0]})
    assert refused.status == 422


def test_no_edits_are_as_a_plain_search(client):
    plain = client.get("/api/v1/search", q=ASKED).json()
    same = client.post("/api/v1/search", {"question": ASKED}).json()
    edited = client.post("/api/v1/search", {"question": ASKED, "periods": ["2003"]}).json()
    assert same["hits"] == plain["hits"]
    assert [hit["id"] for hit in edited["hits"]] == [hit["id"] for hit in plain["hits"]]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({}, "q"),
        ({"q": "  "}, "q"),
        ({"q": "x" * (MAX_QUESTION + 1)}, "q"),
        ({"q": "x", "k": "0"}, "k"),
        ({"q": "x", "k": str(MAX_HITS + 1)}, "k"),
        ({"q": "x", "k": "1.5"}, "k"),
        ({"q": "x", "k": "9" * 40}, "k"),
        ({"q": "x", "strict": "yes"}, "strict"),
        ({"q": "x", "strict": ""}, "strict"),
        ({"q": "x", "k": ""}, "k"),
        ({"q": "x", "undated": ""}, "undated"),
        ({"q": ""}, "q"),
        ({"q": "x", "undated": "maybe"}, "undated"),
        ({"q": "x", "during": "1" * 300}, "during"),
        ({"q": "x", "spam": "1"}, "spam"),
    ],
)
def test_what_is_out_of_bounds_is_named(client, query, where):
    reply = client.get("/api/v1/search", **query)
    assert reply.status == 422
    assert [item["where"] for item in reply.json()["errors"]] == [where]
    assert reply.json()["detail"].startswith(where)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"during": "soonish"}, "during: 'soonish' is not a time"),
        ({"now": "永和元年"}, "may be any of several times"),
        ({"after": "2019", "before": "2018"}, "no time is both after 2019 and before 2018"),
        ({"relation": "contains"}, "give during"),
        ({"relation": "beside", "during": "1998"}, "beside"),
        ({"scorer": "gate:/etc/passwd"}, "no scorer is called"),
        ({"scorer": "re3:/tmp"}, "no scorer is called"),
    ],
)
def test_what_the_engine_refuses_is_said_in_its_words(client, query, words):
    reply = client.get("/api/v1/search", q="steel", **query)
    assert reply.status == 422
    assert words in reply.json()["detail"]


def test_a_value_given_twice_is_refused(client):
    reply = client.call("GET", "/api/v1/search", query="q=steel&k=1&k=2")
    assert (reply.status, reply.json()["errors"][0]["where"]) == (422, "k")


def test_values_of_a_body_are_not_in_the_address(client):
    headers = {"content-type": "application/json"}
    body = json.dumps({"question": "steel"}).encode()
    reply = client.call("POST", "/api/v1/search", query={"q": "tin"}, headers=headers, body=body)
    assert (reply.status, "in the body" in reply.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    "record",
    [
        {"question": "x", "k": "5"},
        {"question": "x", "k": True},
        {"question": "x", "strict": 1},
        {"question": 7},
        {"question": "x", "drop": [-1]},
        {"question": "x", "drop": [0]},
        {"question": "x", "drop": "0"},
        {"question": "x", "periods": ["soonish"]},
        {"question": "x", "periods": [""]},
        {"question": "x", "periods": ["1998"] * 21},
        {"q": "x"},
        [],
        "x",
        None,
    ],
)
def test_bodies_are_taken_strictly(client, record):
    reply = client.post("/api/v1/search", record)
    assert (reply.status, reply.headers["content-type"]) == (422, "application/problem+json")
