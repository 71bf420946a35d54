"""Addresses: a folder is a folder, and whatever else is named is loaded only when it is asked."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from epochal.errors import StorageError
from epochal.storage import addresses
from epochal.storage.addresses import get_provider, is_address, provides, shown
from epochal.storage.records import Document, Entry


def test_folders(tmp_path: Path) -> None:
    folder = tmp_path / "news"
    provider = get_provider(folder)
    assert not provider.exists(folder)
    backend = provider.create(folder, "", 0)
    backend.add([Entry(Document("a", "Rain."), ())])
    backend.close()
    assert provider.exists(folder)
    backend = provider.open(folder)
    assert (backend.view().document_count, backend.repairs) == (1, [])
    backend.close()
    assert provider.check(folder, repair=False).documents == 1
    assert provider.size(folder) == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert shown(folder) == str(folder)
    provider.remove(folder)
    assert not folder.exists()


def test_a_folder_may_be_called_like_a_cluster_file(tmp_path: Path) -> None:
    folder = tmp_path / "old.toml"
    assert is_address(folder)
    folder.mkdir()
    assert not is_address(folder)
    assert not get_provider(folder).exists(folder)


@pytest.mark.parametrize("address", ["mysql://u:pw@localhost/x", "http://localhost", "s3://archive/news"])
def test_other_kinds_are_refused(address: str) -> None:
    assert is_address(address)
    assert not provides(address)
    with pytest.raises(StorageError, match=r"is no address of an index; accepted: a folder, .*postgresql://") as caught:
        get_provider(address)
    assert "pw" not in str(caught.value)


def test_folders_need_nothing_of_servers(tmp_path: Path) -> None:
    code = (
        "import sys; from epochal import Index; Index.create(sys.argv[1], encoder=None).close();"
        "print([name for name in sys.modules if name.partition('.')[0] in ('psycopg', 'ray', 'psycopg_pool')])"
    )
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_other_packages_add_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_load_provider", addresses._load_provider.__wrapped__)
    point = EntryPoint("shelf", "shelves:provider", addresses.GROUP)
    made = SimpleNamespace(shown=lambda address: "a shelf")
    monkeypatch.setattr(EntryPoint, "load", lambda self: made)
    monkeypatch.setattr(addresses, "entry_points", lambda group: [point] if group == "epochal.backends" else [])
    assert provides("shelf://top/news")
    assert get_provider("SHELF://top/news") is made
    assert shown("shelf://top/news") == "a shelf"
    with pytest.raises(StorageError, match=r"'ftp://…' is no address of an index; accepted: a folder, shelf://…$"):
        get_provider("ftp://top/news")


def test_the_kinds_of_this_package() -> None:
    for address in ("postgresql://localhost/news", "POSTGRES://localhost/news"):
        assert get_provider(address).__name__ == "epochal.backends.postgres.provider"
    assert get_provider("cluster.toml").__name__ == "epochal.backends.sharded.provider"
