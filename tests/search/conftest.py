"""Indexes of a few documents, made for one test and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from epochal import Document, Index


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
