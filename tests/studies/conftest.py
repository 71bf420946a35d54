"""Studies are scripts, not a package: a test loads one by name, and no module of theirs stays loaded afterwards."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from paths import STUDIES


@pytest.fixture
def load_study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
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
