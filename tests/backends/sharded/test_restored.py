"""One node is restored to an older state than the others: it is named until somebody accepts it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from backend_entries import made_entry
from epochal.backends.sharded import Node, Server, ShardedBackend
from epochal.backends.sharded.acknowledged import NodeRecord
from epochal.storage.store import Store

IDS = [f"d{number}" for number in range(12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("north", "south"):
        Store.create(tmp_path / name, "", 0).close()
    return tmp_path


def open_cluster(folder: Path) -> ShardedBackend:
    nodes = [Node(name, [Server(name, partial(Store.open, folder / name))]) for name in ("north", "south")]
    return ShardedBackend(nodes, record=NodeRecord(folder / "cluster.toml"))


def write(folder: Path, text: str) -> None:
    with open_cluster(folder) as backend:
        backend.add([made_entry(id, text) for id in IDS])


def restore_south(folder: Path) -> None:
    """Two writes later, one node is put back to where it was; what it knows of its own writes goes with it."""
    write(folder, "rain")
    shutil.copytree(folder / "south", folder / "saved")
    write(folder, "snow")
    write(folder, "hail")
    shutil.rmtree(folder / "south")
    shutil.move(folder / "saved", folder / "south")


def list_losses(folder: Path) -> list[str]:
    with open_cluster(folder) as backend:
        return backend.repairs


def test_a_node_that_is_older_than_what_was_acknowledged_is_named(folder):
    restore_south(folder)
    for _ in range(2):
        (sentence,) = list_losses(folder)
        assert "2 writes are missing from node 'south' that were acknowledged (generations 2 to 3)" in sentence
    for text in ("sun", "wind", "fog"):  # beyond what was lost
        write(folder, text)
    assert len(list_losses(folder)) == 1
    record = NodeRecord(folder / "cluster.toml")
    record.accept("south", 4)
    assert list_losses(folder) == []


def test_nodes_that_are_as_they_were_left_are_not_named(folder):
    write(folder, "rain")
    with open_cluster(folder) as backend, backend.bulk():
        backend.add([made_entry("new", "snow")])
        backend.delete(IDS[:6])
    with open_cluster(folder) as backend:
        backend.compact()
        assert backend.repairs == []
    write(folder, "hail")
    assert list_losses(folder) == []


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b'{"south": [9, []]}\n00000000\n'])
def test_a_damaged_record_claims_nothing(folder, content):
    write(folder, "rain")
    (folder / "cluster.toml.acknowledged.json").write_bytes(content)
    assert list_losses(folder) == []
    restore_south(folder)
    assert len(list_losses(folder)) == 1


def test_a_record_that_cannot_be_written_stops_no_write(folder):
    (folder / "cluster.toml.acknowledged.json").mkdir()
    write(folder, "rain")
    assert list_losses(folder) == []
