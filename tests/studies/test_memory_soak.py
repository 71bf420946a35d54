"""A memory that is killed again and again loses nothing that it acknowledged, and still recalls it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from epochal.memory import Memory


@pytest.mark.slow
def test_nothing_acknowledged_is_lost(load_study: Callable[[str], ModuleType], tmp_path: Path) -> None:
    (row,) = load_study("memory_soak").soak(tmp_path / "memory", turns=900, kills=6)
    assert (row["lost"], row["problems"]) == (0, 0)
    assert row["stored"] >= row["acknowledged"] >= 900
    with Memory.open(tmp_path / "memory", encoder="static") as memory:
        last = max((turn for turn in memory if turn.id.startswith("5-")), key=lambda turn: int(turn.id[2:]))
        number = last.id[2:]
        assert last.id in memory.recall(f"Which bird was number {number} in run 5?", now="2023-06-01", k=50).ids
