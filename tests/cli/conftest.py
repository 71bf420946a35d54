"""What the tests of the command line share: a few documents, and an index of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_fixtures import complaint, run, write_rows
from epochal.cli import main

__all__ = ["complaint", "run", "write_rows"]

ROWS = [
    {
        "id": "raised",
        "title": "Steel tariffs",
        "text": "Tariffs on steel were raised in May 1998. They were much discussed.",
        "published": "1998-05-20",
    },
    {"id": "lowered", "title": "Lower tariffs", "text": "Tariffs on steel fell last month.", "published": "2003-07-02"},
    {"id": "zh", "title": "鋼鐵關稅", "text": "2003年6月,鋼鐵關稅降低。", "published": "2003-07-03"},
    {"id": "alloy", "text": "Steel is an alloy of iron and carbon."},
]


@pytest.fixture
def rows() -> list[dict[str, str]]:
    return [dict(row) for row in ROWS]


@pytest.fixture
def rows_file(tmp_path, rows, write_rows) -> Path:
    return write_rows(tmp_path / "news.jsonl", rows)


@pytest.fixture
def news(tmp_path, rows_file, capsys) -> Path:
    """An index that searches by words and times alone."""
    folder = tmp_path / "news"
    assert main(["index", str(folder), "--from", str(rows_file), "--encoder", "none"]) == 0
    capsys.readouterr()
    return folder
