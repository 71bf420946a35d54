"""A small run of the study of parity: the three stores return the same hits."""

from __future__ import annotations


def test_the_three_find_the_same(load_study, run_quick, postgres_servers):
    rows = run_quick("backend_parity", "--servers", *(server.url for server in postgres_servers(3)))
    embedded, node, shards, _, again, held = rows
    assert [row["system"] for row in (embedded, node, shards)] == list(load_study("backend_parity").NAMES)
    for row in (node, shards, again):
        assert row["same hits up to ties"] == row["same BM25 ranking up to ties"] == row["questions"] == 8
        assert row["most BM25 apart"] <= 1e-4
        assert row["different"] == []
    assert again["same order"] == 8, "stored in the same order, nothing may have changed places"
    assert held["named as missing"] == held["questions"] == 8
