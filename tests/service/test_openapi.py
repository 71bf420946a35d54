"""The description: complete, with examples that work, and true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from epochal.service.limits import MOST_HITS
from epochal.service.openapi import describe
from epochal.service.problems import PROBLEMS
from epochal.service.routes.table import OPERATIONS
from epochal.service.shapes.base import checked

DESCRIBED = describe(OPERATIONS)
EACH = pytest.mark.parametrize("item", OPERATIONS, ids=lambda item: item.name)
DOCS = Path(__file__).parents[2] / "docs" / "service.md"


def test_it_is_served(client):
    reply = client.get("/openapi.json")
    assert reply.headers["content-type"] == "application/json"
    assert reply.json() == json.loads(json.dumps(DESCRIBED))


def test_every_reference_leads_somewhere():
    text = json.dumps(DESCRIBED)
    for name in set(re.findall(r'"#/components/schemas/(\w+)"', text)):
        assert name in DESCRIBED["components"]["schemas"]


def test_no_example_in_python_is_in_it():
    assert ">>>" not in json.dumps(DESCRIBED)


def test_names_are_unique():
    names = [item.name for item in OPERATIONS]
    assert len(set(names)) == len(names)


@EACH
def test_every_operation_has_a_summary_and_examples(item):
    told = DESCRIBED["paths"][item.path][item.method.lower()]
    assert told["summary"].endswith(".")
    (content,) = [value for kind, value in told["responses"]["200"]["content"].items() if kind != "text/event-stream"]
    assert content["example"]
    if item.body is not None:
        for value in told["requestBody"]["content"].values():
            assert value["example"]
    else:
        given = {parameter["name"] for parameter in told["parameters"] if "example" in parameter}
        assert set(item.example) == given
        assert {parameter["name"] for parameter in told["parameters"] if parameter["required"]} <= given


@EACH
def test_examples_of_requests_can_be_asked(item):
    checked(item.asks, dict(item.example))


@EACH
def test_examples_of_answers_have_their_shape(item):
    if not isinstance(item.tells, str):
        item.tells.model_validate(item.told)


@pytest.mark.parametrize("item", [item for item in OPERATIONS if "/bench" not in item.path], ids=lambda item: item.name)
def test_examples_are_answered(item, opened, bearer):
    client = opened(writable=True, token=bearer["authorization"].split()[1])
    seed = {"documents": [{"id": "p2", "text": "Tariffs fell last month.", "published": "2003-07-02"}]}
    client.post("/api/v1/documents", seed, bearer)
    path = item.path.format(**item.example) if "{" in item.path else item.path
    if item.body is not None:
        reply = client.post(path, dict(item.example), bearer)
    else:
        query = {} if "{" in item.path else dict(item.example)
        reply = client.call(item.method, path, query=query, headers=bearer)
    assert reply.status == 200, reply.body
    if not isinstance(item.tells, str):
        item.tells.model_validate(reply.json())


def test_bounds_are_stated():
    parameters = {item["name"]: item for item in DESCRIBED["paths"]["/api/v1/search"]["get"]["parameters"]}
    assert parameters["k"]["schema"]["maximum"] == MOST_HITS
    assert parameters["q"]["schema"]["maxLength"] == 2000
    assert parameters["now"]["schema"] == {"type": "string", "maxLength": 200, "examples": ["2003-07"]}
    body = DESCRIBED["components"]["schemas"]["SearchBody"]
    assert body["additionalProperties"] is False
    assert body["properties"]["k"]["maximum"] == MOST_HITS


def test_changes_need_the_token():
    for item in OPERATIONS:
        told = DESCRIBED["paths"][item.path][item.method.lower()]
        assert ("security" in told) == (item.lane == "write")
        assert ("401" in told["responses"]) == (item.lane == "write")
        assert (item.method in ("POST", "DELETE") and "documents" in item.path) == (item.lane == "write")


def test_every_kind_of_problem_is_documented():
    page = DOCS.read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \|", page, re.MULTILINE)
    assert {name: int(status) for name, status in listed} == {name: status for name, (status, _) in PROBLEMS.items()}


def test_every_path_is_documented():
    page = DOCS.read_text(encoding="utf-8")
    for item in OPERATIONS:
        assert f"`{item.method} {item.path}`" in page
