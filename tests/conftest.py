"""What all tests share: property tests draw the same examples on every run, and studies are loaded by name."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from paths import STUDIES

# Few examples while one works, more where there is time: HYPOTHESIS_PROFILE=heavy, or CI.
settings.register_profile("light", derandomize=True, deadline=None, database=None, max_examples=25)
settings.register_profile("heavy", derandomize=True, deadline=None, database=None, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "heavy" if os.environ.get("CI") else "light"))


@pytest.fixture
def load_study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Import a study by its name; no module of a study stays loaded afterwards."""
    monkeypatch.syspath_prepend(str(STUDIES))
    yield importlib.import_module
    for path in STUDIES.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture
def run_quick(
    load_study: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> Callable[..., list[dict[str, Any]]]:
    """Run `NAME.py --quick`, which must leave the committed results alone; returns the rows that it prints."""

    def run(name: str, *options: str) -> list[dict[str, Any]]:
        def read_times() -> dict[str, int]:
            return {path.name: path.stat().st_mtime_ns for path in (STUDIES / "results").glob(f"{name}.*")}

        before = read_times()
        load_study(name).main(["--quick", *options])
        assert read_times() == before
        return json.loads(capsys.readouterr().out)

    return run
