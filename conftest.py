"""What is collected: files with examples, and rooms whose packages are installed. The rest is named in the summary."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

# Haystack asks for it when it is imported: else it writes a file to the home folder, and reports every pipeline.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# Temporary folders in memory, where there is room and no other folder is named: the tests make hundreds of indexes, and
# waiting for the disk takes longer than everything else.
_MEMORY = "/dev/shm"
if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 4 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = _MEMORY

ROOT = Path(__file__).parent
_ENGINE, _LAB = "packages/epochal/src/epochal", "packages/epochal-lab/src/epochal_lab"
#: Rooms that need a package of others, and how to get it.
NEEDS = {
    f"{_LAB}/models": ("torch", "epochal-lab[train]"),
    f"{_LAB}/cli/train.py": ("torch", "epochal-lab[train]"),
    "tests/lab/models": ("torch", "epochal-lab[train]"),
    "tests/lab/systems": ("torch", "epochal-lab[train]"),
    f"{_ENGINE}/server": ("fastapi", "epochal[serve]"),
    f"{_LAB}/runs/pages.py": ("fastapi", "epochal[serve]"),
    "tests/server": ("fastapi", "epochal[serve]"),
    f"{_ENGINE}/backends/postgres": ("psycopg", "epochal[postgres]"),
    "tests/backends/postgres": ("psycopg", "epochal[postgres]"),
    f"{_ENGINE}/backends/ray": ("ray", "epochal[ray]"),
    f"{_LAB}/runs/ray.py": ("ray", "epochal[ray]"),
    "tests/backends/ray": ("ray", "epochal[ray]"),
    f"{_ENGINE}/integrations/haystack.py": ("haystack", "epochal[haystack]"),
    f"{_ENGINE}/integrations/langchain.py": ("langchain_core", "epochal[langchain]"),
    f"{_ENGINE}/integrations/llamaindex.py": ("llama_index", "epochal[llamaindex]"),
    f"{_ENGINE}/integrations/mcp.py": ("mcp", "epochal[mcp]"),
}


@cache
def _is_missing(module: str) -> bool:
    return find_spec(module) is None


_SKIPPED: dict[str, str] = {}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules without an example, and rooms whose package is missing; None leaves the choice to pytest."""
    path = collection_path.relative_to(ROOT).as_posix() if collection_path.is_relative_to(ROOT) else ""
    for room, (module, extra) in NEEDS.items():
        if (path == room or path.startswith(f"{room}/")) and _is_missing(module):
            _SKIPPED[room] = f"{module} is not installed; get it with: pip install '{extra}'"
            return True
    if path.startswith("packages/") and path.endswith(".py"):
        return ">>> " not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the examples of the packages; tests have none, and looking for them takes as long as reading them."""
    is_source = file_path.suffix == ".py" and file_path.is_relative_to(ROOT / "packages")
    return DoctestModule.from_parent(parent, path=file_path) if is_source else None


def pytest_terminal_summary(terminalreporter: object) -> None:
    """Say what was left out, so that nobody takes a green run for a whole one."""
    for room, reason in sorted(_SKIPPED.items()):
        terminalreporter.write_line(f"SKIPPED {room}: {reason}", yellow=True)  # type: ignore[attr-defined]


@pytest.fixture(scope="session", autouse=True)
def _fixed_today() -> Iterator[None]:
    """Tests that give no `now` all have the same one."""
    import epochal.api
    from epochal.times.span import FixedClock, Span

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epochal.api, "CLOCK", FixedClock(Span.parse("2026-11-15")))
        yield
