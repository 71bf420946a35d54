"""Indexes of a few documents, made for one test, or for all of a file, and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from epochal import Document, Index
from epochal.times import Span


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Callable[..., Index]]:
    opened: list[Index] = []

    def fill(documents: list[Document], encoder: str | None = None) -> Index:
        result = Index.create(tmp_path / str(len(opened)), encoder=encoder)
        opened.append(result)
        result.add(documents)
        return result

    yield fill
    for result in opened:
        result.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Index]]:
    """An index by its name, made when it is first asked for: the tests of a file only search it."""
    opened: dict[str, Index] = {}

    def get(name: str, texts: list[tuple[str, str, str]]) -> Index:
        if name not in opened:
            opened[name] = Index.create(tmp_path_factory.mktemp("shared") / "index", encoder=None)
            opened[name].add([Document(id, text, published=Span.parse(day)) for id, day, text in texts])
        return opened[name]

    yield get
    for index in opened.values():
        index.close()
