"""Loading from the hub, with something in the hub's place that serves files from a folder."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from epochal.errors import EpochalError, MissingExtraError
from epochal_lab.datasets.catalogue import load
from epochal_lab.datasets.sources import make_hub_fetch
from epochal_lab.datasets.tempo_files import REPOSITORY, REVISIONS
from tempo_files import DOCUMENTS, EXAMPLES, IDS, NESTED, write_parquet


@pytest.fixture
def published(tmp_path) -> Path:
    pytest.importorskip("pyarrow")
    for config, rows in (("documents", DOCUMENTS), ("examples", EXAMPLES), ("steps", NESTED)):
        write_parquet(tmp_path / "hub" / config / "law.parquet", rows)
    return tmp_path / "hub"


@pytest.fixture
def hub(monkeypatch, published):
    """Stands for the package huggingface_hub; remembers what it was asked for."""
    module = types.ModuleType("huggingface_hub")
    module.errors = types.SimpleNamespace(EntryNotFoundError=type("EntryNotFoundError", (Exception,), {}))
    module.asked = []

    def hf_hub_download(repository, name, *, repo_type, revision, cache_dir):
        module.asked.append((repository, name, repo_type, revision))
        if not (published / name).is_file():
            raise module.errors.EntryNotFoundError(f"404: no {name}\nmore")
        return str(published / name)

    module.hf_hub_download = hf_hub_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return module


def test_any_function_may_bring_the_files(published):
    requests = []

    def fetch(name: str) -> Path:
        requests.append(name)
        return published / name

    bench_set = load("tempo/law", fetch=fetch)
    assert requests == ["documents/law.parquet", "examples/law.parquet", "steps/law.parquet"]
    assert [query.id for query in bench_set.queries] == ["10_1", "11_2", "12_3"]
    assert [document.id for document in bench_set.documents] == IDS
    assert len(load("tempo/law/steps", fetch=fetch).queries) == 2


def test_the_hub_is_asked_for_pinned_revisions(hub):
    bench_set = load("tempo/law", hub=True)
    assert bench_set.queries[0].excluded
    assert hub.asked == [
        (REPOSITORY, "documents/law.parquet", "dataset", REVISIONS[""]),
        (REPOSITORY, "examples/law.parquet", "dataset", REVISIONS["examples"]),
        (REPOSITORY, "steps/law.parquet", "dataset", REVISIONS[""]),
    ]
    assert all(len(revision) == 40 for revision in REVISIONS.values())


def test_what_the_hub_has_not_is_one_sentence(hub):
    expected = (
        r"^documents/iota.parquet of tempo26/Tempo at f9df06c0 could not be fetched: 404: no documents/iota.parquet$"
    )
    with pytest.raises(EpochalError, match=expected):
        load("tempo/iota", hub=True)


def test_no_connection_is_one_sentence(hub):
    def fail(*_, **__):
        raise ConnectionError("no route to huggingface.co")

    hub.hf_hub_download = fail
    with pytest.raises(EpochalError, match=r"could not be fetched: no route to huggingface.co$"):
        load("tempo/law", hub=True)


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"loading from the hub needs the package huggingface_hub; .*\[hub\]"):
        make_hub_fetch(REPOSITORY, REVISIONS)("documents/law.parquet")
