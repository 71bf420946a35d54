"""The description: complete, true, and with examples that can be asked."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from epochal.server.pages import read_page_files
from epochal.server.settings import MAX_HITS

#: What every operation is called in logs and metrics.
NAMES = {
    "GET /api/v1/search": "search",
    "POST /api/v1/search": "search_edited",
    "GET /api/v1/understand": "understand",
    "GET /api/v1/tag": "tag",
    "POST /api/v1/tag": "tag_text",
    "GET /api/v1/when": "when",
    "POST /api/v1/answer": "answer",
    "GET /api/v1/documents/{id}": "document",
    "DELETE /api/v1/documents/{id}": "delete_document",
    "POST /api/v1/documents": "add_documents",
    "GET /api/v1/coverage": "coverage",
    "GET /api/v1/info": "info",
    "GET /health": "health",
    "GET /metrics": "metrics",
    "GET /api/v1/bench": "bench",
    "GET /api/v1/bench/{name}": "bench_result",
    "GET /api/v1/bench/{name}/questions": "bench_questions",
    "GET /api/v1/bench/{name}/questions/{id}": "bench_question",
}
WRITES = {"delete_document", "add_documents"}


@pytest.fixture(scope="module")
def described(client):
    reply = client.get("/openapi.json")
    assert reply.headers["content-type"] == "application/json"
    return reply.json()


@pytest.fixture(scope="module")
def operations(described):
    return {
        f"{method.upper()} {path}": about
        for path, methods in described["paths"].items()
        for method, about in methods.items()
    }


def test_every_operation_is_described_under_its_name(described, operations):
    assert described["openapi"].startswith("3.1")
    assert {label: about["operationId"] for label, about in operations.items()} == NAMES
    for about in operations.values():
        assert about["description"].endswith(".")
        assert about["tags"]
        assert "422" in about["responses"]


def test_every_reference_leads_somewhere(described):
    text = json.dumps(described)
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', text)):
        assert name in described["components"]["schemas"]
    assert "HTTPValidationError" not in text  # problems are described, and nothing of the framework's own


def test_problems_are_of_their_type(operations):
    for about in operations.values():
        for status, response in about["responses"].items():
            if not status.startswith("2") and about["operationId"] != "health":
                assert list(response["content"]) == ["application/problem+json"]


def test_bounds_are_stated(described, operations):
    parameters = {item["name"]: item for item in operations["GET /api/v1/search"]["parameters"]}
    assert parameters["k"]["schema"]["maximum"] == MAX_HITS
    assert parameters["q"]["schema"]["maxLength"] == 2000
    assert parameters["q"]["required"]
    assert (parameters["now"]["schema"]["type"], parameters["now"]["schema"]["maxLength"]) == ("string", 200)
    assert parameters["fold"]["schema"]["deprecated"]
    body = described["components"]["schemas"]["SearchBody"]
    assert body["additionalProperties"] is False
    assert body["properties"]["k"]["maximum"] == MAX_HITS
    assert {item["name"] for item in operations["GET /api/v1/coverage"]["parameters"]} >= {"from", "to", "bins"}


def test_changes_need_the_token(described, operations):
    assert described["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    for about in operations.values():
        assert ("security" in about) == ("401" in about["responses"]) == (about["operationId"] in WRITES)
    kinds = operations["POST /api/v1/documents"]["requestBody"]["content"]
    assert sorted(kinds) == ["application/json", "application/x-ndjson"]


def test_examples_are_answered(client, operations):
    """Whatever has an example for all that it needs can be asked with these."""
    request = 0
    for label, about in operations.items():
        method, path = label.split()
        parameters = about.get("parameters", [])
        if method != "GET" or "{" in path or "/bench" in path:
            continue
        query = {item["name"]: item["schema"]["examples"][0] for item in parameters if item["required"]}
        assert client.get(path, **query).status == 200, label
        request += 1
    assert request == 8


FILES = sorted(read_page_files())


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_with_its_type(client, name):
    reply = client.get(f"/static/{name}", headers={"accept-encoding": "identity"})
    file = read_page_files()[name]
    assert (reply.status, reply.body) == (200, file.body)
    assert reply.headers["content-type"] == file.media_type
    assert reply.headers["etag"] == file.etag
    assert "content-encoding" not in reply.headers


@pytest.mark.parametrize("name", FILES)
def test_text_is_packed_for_those_who_take_it(client, name):
    reply = client.get(f"/static/{name}", headers={"accept-encoding": "br, gzip;q=0.8"})
    packed = reply.headers.get("content-encoding") == "gzip"
    assert packed == (read_page_files()[name].packed is not None)
    assert (gzip.decompress(reply.body) if packed else reply.body) == read_page_files()[name].body
    assert reply.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("header", ["gzip;q=0", "br", "identity, gzip;q=0.0", "xgzip"])
def test_text_is_not_packed_for_those_who_do_not(client, header):
    assert "content-encoding" not in client.get("/static/api.js", headers={"accept-encoding": header}).headers


@pytest.mark.parametrize("known", ["{}", "W/{}", '"other", {}', "*"])
def test_what_has_not_changed_is_not_sent_again(client, known):
    tag = read_page_files()["api.js"].etag
    reply = client.get("/static/api.js", headers={"if-none-match": known.format(tag)})
    assert (reply.status, reply.body) == (304, b"")
    assert reply.headers["etag"] == tag
    assert client.get("/static/api.js", headers={"if-none-match": '"other"'}).status == 200


def test_the_page_is_at_the_root(client):
    reply = client.get("/")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.headers["cache-control"] == "no-cache"


def test_unknown_files_are_problems(client):
    assert client.get("/static/nothing.js").kind == "not-found"
    assert client.get("/nothing.html").kind == "not-found"


def test_the_files_together_are_light():
    assert sum(len(file.body) for file in read_page_files().values()) < 300_000
