"""The benchmark of load, for a moment: it runs, and what it says of a service that is asked little is right."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

from paths import STUDIES


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of processes as Linux tells it")
def test_the_load_of_a_moment(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(STUDIES))
    before = set(os.listdir(STUDIES / "results"))
    try:
        importlib.import_module("service_load").main(["--quick"])
    finally:
        for name in ("service_load", "search_cost", "_record"):
            sys.modules.pop(name, None)
    alone, reading, writing = json.loads(capsys.readouterr().out)
    assert alone["p50 of what http adds to each search ms"] > 0
    for row in (reading, writing):
        assert row["failed"] == 0
        assert row["statuses"] == {"200": row["answers"]}
        assert row["p50 ms"] <= row["p95 ms"] <= row["p99 ms"]
        assert row["memory MB, last third"] > 10
    assert writing["documents added"] >= 100
    assert writing["writes failed"] == 0
    assert set(os.listdir(STUDIES / "results")) == before
