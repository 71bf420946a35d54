"""Where torch is not installed, the floor of trained models is passed over, and the summary says so."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

# Haystack asks for it when it is imported: else it writes a file to the home folder, and reports every pipeline.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

_ROOT = Path(__file__).parent
_NEEDS_TORCH = tuple(
    _ROOT / place
    for place in (
        "packages/epochal-lab/src/epochal_lab/models",
        "packages/epochal-lab/src/epochal_lab/cli/train.py",
        "tests/models",
    )
)
_WHY = "torch is not installed; get it with: pip install 'epochal[train]'"
_HAS_TORCH = find_spec("torch") is not None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass over the files that cannot be imported without torch; None leaves the choice to pytest."""
    # Folders above it count too: one that is named on the command line is not asked about itself.
    needed = any(place in _NEEDS_TORCH for place in (collection_path, *collection_path.parents))
    return True if needed and not _HAS_TORCH else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of other files that were made for one of those modules, such as the check of their names."""
    if _HAS_TORCH:
        return
    for item in items:
        made_for = getattr(item, "callspec", None)
        if made_for is not None and str(made_for.params.get("name", "")).startswith("epochal_lab.models"):
            item.add_marker(pytest.mark.skip(reason=_WHY))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was passed over, so that nobody takes a green run for a whole one."""
    if not _HAS_TORCH:
        shown = ", ".join(str(path.relative_to(_ROOT)) for path in _NEEDS_TORCH)
        terminalreporter.write_line(f"SKIPPED {shown}: {_WHY}", yellow=True)
