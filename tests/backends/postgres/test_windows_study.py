"""A small run of the study of windows over PostgreSQL."""

from __future__ import annotations

from epochal.backends.postgres.provider import exists


def test_windows_over_postgres(load_study, run_quick, postgres_server, has_whole_pgvector: bool, monkeypatch) -> None:
    windows = load_study("postgres_windows")
    monkeypatch.setattr(windows, "SHARES", (0.01, 0.1, 1.0))
    options = ["--server", postgres_server.url, *([] if has_whole_pgvector else ["--no-hnsw"])]
    rows = run_quick("postgres_windows", *options)
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
