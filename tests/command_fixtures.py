"""Fixtures of the tests of both command lines: run a command, expect its complaint, write rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.cli import main

__all__ = ["complaint", "run", "write_rows"]


@pytest.fixture
def write_rows():
    """Writes rows as JSON Lines."""

    def write(path: Path, rows: list[dict[str, str]]) -> Path:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


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
