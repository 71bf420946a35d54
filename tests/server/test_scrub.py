"""Damaged documents are found while an index is served, and named."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from epochal import Document, Index
from epochal.server.scrub import Scrub
from epochal.server.telemetry import LOGGER
from epochal.storage import addresses
from epochal.storage.check import check

HARMS: dict[str, str] = {
    "text": "UPDATE documents SET text = 'Tariffs on steel were razed in May 1998.' WHERE id = 'raised'",
    "passages": "UPDATE passages SET end_char = end_char - 1 WHERE document = "
    "(SELECT seq FROM documents WHERE id = 'raised')",
    "metadata": "UPDATE documents SET meta = '{' WHERE id = 'raised'",
}


def harm(folder: str, statement: str) -> None:
    connection = sqlite3.connect(Path(folder) / "epochal.db")
    assert connection.execute(statement).rowcount == 1
    connection.commit()
    connection.close()


def look_through(scrub: Scrub, portion: int = 200) -> list[str]:
    """One pass over all documents."""
    before = scrub.passes
    for _ in range(100):
        scrub.step(portion)
        if scrub.passes > before:
            return scrub.damaged
    raise AssertionError("the pass does not end")


@pytest.mark.parametrize("portion", [1, 4, 9, 200])
@pytest.mark.parametrize("statement", HARMS.values(), ids=HARMS)
def test_a_damaged_document_is_named_once(folder, caplog, statement, portion):
    scrub = Scrub(folder)
    assert look_through(scrub, portion) == []
    harm(folder, statement)
    with caplog.at_level(logging.INFO, LOGGER):
        assert look_through(scrub, portion) == look_through(scrub, portion) == ["raised"]
    assert [record.getMessage() for record in caplog.records] == ["damaged"]


def test_a_document_that_was_repaired_or_removed_is_not_named_any_more(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "backup")
    scrub = Scrub(folder)
    harm(folder, HARMS["text"])
    assert look_through(scrub) == ["raised"]
    assert check(folder, backup=tmp_path / "backup").is_sound
    assert look_through(scrub) == []
    harm(folder, HARMS["text"])
    assert look_through(scrub) == ["raised"]
    with Index.open(folder, write=True) as index:
        index.delete(["raised"])
        index.compact()
    assert look_through(scrub) == []


def test_another_index_is_looked_through_from_its_beginning(folder, tmp_path):
    harm(folder, HARMS["text"])
    scrub = Scrub(folder)
    assert look_through(scrub) == ["raised"]
    with Index.create(tmp_path / "next", encoder=None) as index:
        index.add([Document("bridge", "A bridge was opened.")])
    Path(folder).rename(tmp_path / "old")
    (tmp_path / "next").rename(folder)
    assert look_through(scrub) == []


def test_a_file_that_cannot_be_read_is_logged_once(folder, caplog):
    scrub = Scrub(folder)
    Path(folder, "epochal.db").write_bytes(b"nonsense" * 1000)
    with caplog.at_level(logging.INFO, LOGGER):
        for _ in range(3):
            scrub.step()
    assert [record.getMessage() for record in caplog.records] == ["unread"]
    assert scrub.passes == 0


def test_an_index_of_a_kind_that_cannot_be_looked_through_is_left_alone(monkeypatch):
    monkeypatch.setattr("epochal.server.scrub.get_provider", lambda _: object())
    scrub = Scrub("elsewhere://localhost/news")
    scrub.step()
    assert (scrub.damaged, scrub.passes) == ([], 0)
    asyncio.run(asyncio.wait_for(scrub.run(), 60))  # it ends


def test_the_parts_of_an_index_are_looked_through_one_after_another(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path / "second")
    parts = [folder, str(tmp_path / "second")]
    real = addresses.get_provider
    cluster = types.SimpleNamespace(list_parts=lambda _: parts)
    monkeypatch.setattr("epochal.server.scrub.get_provider", lambda name: real(name) if name in parts else cluster)
    scrub = Scrub("cluster.toml")
    assert look_through(scrub, 4) == []
    harm(parts[1], HARMS["text"])
    assert look_through(scrub, 4) == ["raised"]
    Path(parts[0], "epochal.db").write_bytes(b"nonsense" * 1000)  # one that cannot be read does not hide the other
    assert look_through(scrub, 4) == ["raised"]


def test_the_service_says_what_is_damaged(opened: Callable, folder, monkeypatch):
    scrub = Scrub(folder)
    monkeypatch.setattr("epochal.server.state.Scrub", lambda _: scrub)
    client = opened()
    assert client.get("/health").json()["status"] == "ok"
    harm(folder, HARMS["passages"])
    look_through(scrub)
    health = client.get("/health")
    assert (health.status, health.json()["status"], health.json()["damaged"]) == (200, "damaged", 1)
    assert "raised" not in health.body.decode()  # it is open to everybody
    assert client.get("/api/v1/info").json()["damaged"] == ["raised"]
