"""The benchmark of load, for a moment: it runs, and what it says of a service that is asked little is right."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of processes as Linux tells it")
def test_the_load_of_a_moment(run_quick):
    alone, reading, writing = run_quick("service_load")
    assert alone["p50 of what http adds to each search ms"] > 0
    for row in (reading, writing):
        assert row["failed"] == 0
        assert row["statuses"] == {"200": row["answers"]}
        assert row["p50 ms"] <= row["p95 ms"] <= row["p99 ms"]
        assert row["memory MB, last third"] > 10
    assert writing["documents added"] >= 100
    assert writing["writes failed"] == 0
