"""A small run of the study of parity: the three stores return the same hits."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from paths import STUDIES


@pytest.fixture
def parity(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDIES))
    yield importlib.import_module("backend_parity")
    for path in STUDIES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_the_three_find_the_same(parity, postgres_servers, capsys):
    results = STUDIES / "results" / "backend_parity.json"
    before = results.read_bytes() if results.exists() else None
    parity.main(["--quick", "--servers", *(server.url for server in postgres_servers(3))])
    assert (results.read_bytes() if results.exists() else None) == before
    embedded, node, shards, _, again, held = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in (embedded, node, shards)] == list(parity.NAMES)
    for row in (node, shards, again):
        assert row["same hits up to ties"] == row["same BM25 ranking up to ties"] == row["questions"] == 8
        assert row["most BM25 apart"] <= 1e-4
        assert row["different"] == []
    assert again["same order"] == 8, "stored in the same order, nothing may have changed places"
    assert held["named as missing"] == held["questions"] == 8
