"""The how-to pages of PostgreSQL and of shards show what happens, on real servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs_pages import SAMPLE, build_sample, replace, run_page, write_files

pytest.importorskip("psycopg", reason="PostgreSQL needs psycopg: pip install 'epochal[postgres]'")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    build_sample(folder)
    return folder


def test_the_page_of_postgres(sample: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    run_page(SAMPLE.with_name("postgres.md"), {"postgresql://db.example/news?namespace=wire": address})


def test_the_page_of_shards(sample: Path, postgres_server, namespaces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    page = SAMPLE.with_name("shards.md")
    write_files(page, sample)
    cluster = sample / "cluster.toml"
    servers = {
        f"postgresql://{name}.example/news": postgres_server.address(next(namespaces)) for name in ("north", "south")
    }
    text = re.sub(r"^replicas.*\n", "", cluster.read_text(encoding="utf-8"), flags=re.MULTILINE)
    cluster.write_text(replace(text, servers), encoding="utf-8")
    run_page(page)
