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
        made = Index.create(tmp_path / str(len(opened)), encoder=encoder)
        opened.append(made)
        made.add(documents)
        return made

    yield fill
    for made in opened:
        made.close()
