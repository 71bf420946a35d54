"""`epochal mcp` before it serves: what it refuses. tests/integrations/test_mcp.py speaks with it."""

from __future__ import annotations

import pytest

from epochal.cli import main

pytest.importorskip("mcp", reason="needs the extra mcp")


def test_a_folder_without_an_index_is_refused(complaint, tmp_path):
    assert "is not an index" in complaint("mcp", tmp_path)


def test_a_present_that_is_no_time_is_refused(complaint, news):
    assert "--now" in complaint("mcp", news, "--now", "soonish")


def test_it_serves_the_index_with_the_present(news, monkeypatch, capsys):
    served = []

    class Server:
        def run(self, transport: str) -> None:
            served.append(transport)

    def make_server(index, *, now):
        served.append((len(index), now.edtf()))
        return Server()

    monkeypatch.setattr("epochal.integrations.mcp.make_server", make_server)
    assert main(["mcp", str(news), "--now", "2026-03-28"]) == 0
    assert served == [(4, "2026-03-28"), "stdio"]
    assert capsys.readouterr().out == ""


def test_it_serves_a_memory_that_may_be_written(tmp_path, monkeypatch):
    served = []

    class Server:
        def run(self, transport: str) -> None:
            served.append(transport)

    def make_memory_server(memory, *, writable, now):
        served.append((memory.user, writable, now))
        return Server()

    monkeypatch.setattr("epochal.integrations.mcp_memory.make_memory_server", make_memory_server)
    assert main(["mcp", str(tmp_path / "m"), "--memory", "ana", "--writable"]) == 0
    assert main(["mcp", str(tmp_path / "m"), "--memory", "ben"]) == 0
    assert served == [("ana", True, None), "stdio", ("ben", False, None), "stdio"]


def test_a_memory_to_read_must_be_there(complaint, tmp_path, news):
    assert "does not exist" in complaint("mcp", tmp_path / "m", "--memory", "ana")
    assert "--memory USER" in complaint("mcp", news, "--writable")
