"""What the tests of the command line share: a few documents, and an index of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.cli import main

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
def write_rows():
    """Writes rows as JSON Lines."""

    def write(path: Path, rows: list[dict[str, str]]) -> Path:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


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


@pytest.fixture
def run(capsys):
    """Runs a command; its exit code, its output, and what it said on stderr."""

    def call(*words: object) -> tuple[int, str, str]:
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def complaint(run):
    """Runs a command that must fail, with exit code 2, one line on stderr, and nothing on stdout; the line."""

    def call(*words: object) -> str:
        code, out, err = run(*words)
        assert (code, out) == (2, ""), (code, out, err)
        assert err.startswith("epochal")
        assert err.count("\n") == 1, err
        return err

    return call
