"""A running service notices that its index was swapped or restored, and goes on with the new one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from epochal import Document, Index, Span
from server.conftest import TOKEN

HEADERS = {"authorization": f"Bearer {TOKEN}"}
ROW = {"id": "late", "text": "A bridge was closed in 2019."}


def make(folder: Path, encoder: str | None = None, generations: int = 1) -> None:
    with Index.create(folder, encoder=encoder) as index:
        for number in range(generations):
            index.add([Document(f"bridge {number}", "A bridge was opened in May 1998.", published=Span.year(2001))])


def swap(folder: str, following: Path) -> Path:
    old = Path(f"{folder}.old")
    Path(folder).rename(old)
    following.rename(folder)
    return old


def search(client, query: str) -> list[str]:
    result = client.post("/api/v1/search", {"question": query})
    assert result.status == 200, result.json()
    return [hit["id"] for hit in result.json()["hits"]]


@pytest.mark.parametrize("encoder", [None, "static"])
def test_a_service_goes_on_with_the_new_index(opened, folder, tmp_path, encoder):
    client = opened()
    make(tmp_path / "next", encoder)
    assert "raised" in search(client, "steel tariffs")
    before = client.get("/api/v1/coverage", bins=4, **{"from": "1990", "to": "2010"}).json()
    swap(folder, tmp_path / "next")
    assert search(client, "bridge in 1998") == ["bridge 0"]
    assert client.get("/api/v1/info").json()["documents"] == 1
    after = client.get("/api/v1/coverage", bins=4, **{"from": "1990", "to": "2010"}).json()
    assert after["generation"] == before["generation"]
    assert after != before


def test_a_service_answers_while_the_folder_is_away(opened, folder, tmp_path):
    client = opened()
    assert "raised" in search(client, "steel tariffs")
    Path(folder).rename(tmp_path / "away")
    assert "raised" in search(client, "steel tariffs")


def test_a_writing_service_writes_to_the_new_index(opened, folder, tmp_path):
    client = opened(writable=True, token=TOKEN)
    assert client.post("/api/v1/documents", {"documents": [ROW]}, HEADERS).status == 200
    make(tmp_path / "next")
    old = swap(folder, tmp_path / "next")
    assert client.post("/api/v1/documents", {"documents": [{**ROW, "id": "later"}]}, HEADERS).status == 200
    assert sorted(search(client, "bridge")) == ["bridge 0", "later"]
    with Index.open(old) as index:
        assert "late" in index
        assert "later" not in index
    with Index.open(folder) as index:
        assert {document.id for document in index} == {"bridge 0", "later"}


def test_a_service_notices_a_restored_backup(opened, folder, tmp_path):
    client = opened(writable=True, token=TOKEN)
    with Index.open(folder) as index:
        index.backup(tmp_path / "backup")
    assert client.post("/api/v1/documents", {"documents": [ROW]}, HEADERS).status == 200
    assert search(client, "bridge") == ["late"]
    swap(folder, shutil.copytree(tmp_path / "backup", tmp_path / "copy"))
    assert search(client, "bridge") == []
