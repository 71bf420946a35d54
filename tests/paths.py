"""Where the tests find the repository, the studies, and the real data that some of them measure on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

__all__ = ["DATA", "READS_SOURCES", "ROOT", "STUDIES", "needs_data"]

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "studies"
#: Public data that is not in the repository; tests that need it are skipped where it is absent.
DATA = Path(os.environ.get("EPOCHAL_DATA", ROOT.parent / "shared" / "data"))

#: Tests that parse every source file run in one worker, which parses each file once.
READS_SOURCES = pytest.mark.xdist_group("source files")

TestT = TypeVar("TestT", bound=Callable[..., object])


def needs_data(name: str) -> Callable[[TestT], TestT]:
    """Mark a test that reads public data: it runs with `make test-slow`, where that data is."""

    def mark(test: TestT) -> TestT:
        marked = pytest.mark.slow(test)
        return pytest.mark.skipif(not (DATA / name).exists(), reason=f"{DATA / name} is absent")(marked)

    return mark
