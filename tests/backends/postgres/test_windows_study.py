"""A small run of the study of windows over PostgreSQL."""

from __future__ import annotations

import importlib
import json
import sys
from types import ModuleType

import pytest

from epochal.backends.postgres.provider import exists
from paths import STUDIES


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(STUDIES))
    yield importlib.import_module("postgres_windows")
    for path in STUDIES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_windows_over_postgres(
    windows: ModuleType, postgres_server, has_whole_pgvector: bool, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(windows, "SHARES", (0.01, 0.1, 1.0))
    before = sorted(path.stat().st_mtime_ns for path in (STUDIES / "results").glob("postgres_windows.*"))
    windows.main(["--quick", "--server", postgres_server.url, *([] if has_whole_pgvector else ["--no-hnsw"])])
    rows = json.loads(capsys.readouterr().out)
    assert sorted(path.stat().st_mtime_ns for path in (STUDIES / "results").glob("postgres_windows.*")) == before
    assert not exists(postgres_server.address(windows.NAMESPACE))
    for way in windows.OWN:
        narrow = windows.select_narrow(rows, way)
        assert [row["window keeps"] for row in narrow] == [0.01, 0.1]
        assert {row["least recall"] for row in narrow} == {1}
        assert {row["rows outside the window"] for row in narrow} == {0}
    plain = [row for row in rows if "plain HNSW" in row["what"] and "iterative_scan off" in row["what"]]
    assert bool(plain) == has_whole_pgvector
    if has_whole_pgvector:  # an index that filters what it has found must miss something, or the windows prove nothing
        assert min(row["recall@50"] for row in plain) < 0.9
