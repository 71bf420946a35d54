"""Fixtures of the tests of the laboratory's command line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from command_fixtures import complaint, run, write_rows
from paths import ROOT

__all__ = ["complaint", "run", "write_rows"]


@pytest.fixture
def documented_keys() -> Callable[[str], list[str]]:
    """Gives the JSON keys of a command as docs/reference/json.md lists them: they are a contract."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")

    def get(command: str) -> list[str]:
        section = page.split(f"\n## {command}\n", 1)[1].split("\n## ", 1)[0]
        return [line.split("|")[1].strip(" `") for line in section.splitlines() if line.startswith("| `")]

    return get
