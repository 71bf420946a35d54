"""Two indexes of the same documents: the embedded store and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from epochal.backends.postgres.store import PostgresStore
from epochal.storage.records import Entry
from epochal.storage.store import Store


@dataclass
class Pair:
    """Two backends that are told the same."""

    embedded: Store
    postgres: PostgresStore

    def add(self, entries: list[Entry]) -> None:
        assert self.embedded.add(entries) == self.postgres.add(entries) == len(entries)

    def delete(self, ids: list[str]) -> None:
        assert self.embedded.delete(ids) == self.postgres.delete(ids)

    def compact(self) -> None:
        self.embedded.compact()
        self.postgres.compact()


@pytest.fixture
def make_pair(tmp_path: Path, address: str) -> Iterator[Callable[[int], Pair]]:
    results: list[Pair] = []

    def make(dim: int = 0) -> Pair:
        name = "made-up" if dim else ""
        results.append(Pair(Store.create(tmp_path / "embedded", name, dim), PostgresStore.create(address, name, dim)))
        return results[-1]

    yield make
    for pair in results:
        pair.embedded.close()
        pair.postgres.close()


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    with PostgresStore.create(address) as result:
        yield result
