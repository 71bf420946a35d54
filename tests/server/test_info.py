"""What the service tells of itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import epochal
from epochal import Document, Index
from epochal.server.document_schemas import HealthModel, InfoModel


def test_info(client, writable):
    found = client.get("/api/v1/info").json()
    InfoModel.model_validate(found)
    assert found["version"] == epochal.__version__
    assert (found["documents"], found["undated"], found["encoder"]) == (9, 1, "")
    assert (found["first"], found["last"]) == ("-0043-03-15", "2020-03-01")
    assert found["writable"] is False
    assert writable.get("/api/v1/info").json()["writable"] is True
    assert found["limits"]["k"] == 200
    assert found["scorers"][0] == "gate"


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
    rows = [{"id": f"n{place}", "text": "Rain."} for place in range(3)]
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
