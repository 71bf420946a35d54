"""The calls that a newcomer types work over PostgreSQL and over shards as they do over a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.times import FixedClock
from test_first_steps import TODAY, WORKS, make_names

#: What is about the folder of an index.
STEPS = [step for step in WORKS if "tmp / 'db'" not in WORKS[step]]


@pytest.fixture
def open_names(
    postgres_server: Any, namespaces: Iterator[str], tmp_path: Path
) -> Iterator[Callable[[str], dict[str, Any]]]:
    opened: list[epochal.Index] = []

    def open_store(kind: str) -> dict[str, Any]:
        address: str | Path = postgres_server.address(next(namespaces))
        if kind == "shards":
            urls = [address, postgres_server.address(next(namespaces))]
            address = tmp_path / "cluster.toml"
            address.write_text("".join(f'[[node]]\nurl = "{url}"\n' for url in urls), encoding="utf-8")
        opened.append(epochal.open(address, encoder=None, clock=FixedClock(TODAY)))
        return make_names(opened[-1], tmp_path)

    yield open_store
    for db in opened:
        db.close()


@pytest.mark.parametrize("kind", ["postgresql", "shards"])
@pytest.mark.parametrize("step", STEPS)
def test_works(step: str, kind: str, open_names: Callable[[str], dict[str, Any]]) -> None:
    if "to_pandas" in WORKS[step]:
        pytest.importorskip("pandas")
    assert eval(WORKS[step], open_names(kind)), WORKS[step]
