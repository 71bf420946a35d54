"""A memory works over PostgreSQL and over shards as it does over a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epochal.memory import Memory

NAMES = ("Ana", "Ben")
LINES = (
    "Hey Ben! Good to see you.",
    "Hi Ana! Did your sister visit you?",
    "Yes, last Friday! It was lovely.",
    "I bought a red bicycle yesterday.",
    "What colour do you like best?",
    "Green, like the sea in May.",
)
TURNS: list[dict[str, Any]] = [
    {"id": f"t{number}", "speaker": NAMES[number % 2], "session": "s", "at": "2023-05-08", "text": text}
    for number, text in enumerate(LINES)
]
QUESTIONS = ("When did Ana's sister visit?", "What did Ben buy?", "What colour does Ben like?")


def check_memory(path: str | Path, folder: Path) -> None:
    with Memory.open(folder, encoder="static") as local, Memory.open(path, encoder="static") as memory:
        for one in (local, memory):
            one.remember_many(TURNS)
            one.remember("The bicycle is blue, sorry.", at="2023-05-09", speaker="Ben", corrects="t3", id="c")
        assert [turn.id for turn in memory] == [turn.id for turn in local]
        for question in QUESTIONS:
            found, expected = (one.recall(question, now="2023-06-01") for one in (memory, local))
            assert (found.ids, str(found)) == (expected.ids, str(expected))
        assert memory.forget(speaker="Ben") == 4
        assert [turn.id for turn in memory] == ["t0", "t2", "t4"]


def test_postgresql(address: str, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    check_memory(address, tmp_path / "local")


def test_shards(address: str, postgres_server: Any, namespaces: Any, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    urls = [address, *(postgres_server.address(next(namespaces)) for _ in range(2))]
    nodes = "".join(f'[[node]]\nname = "n{number}"\nurl = "{url}"\n' for number, url in enumerate(urls))
    (tmp_path / "cluster.toml").write_text(nodes, encoding="utf-8")
    check_memory(tmp_path / "cluster.toml", tmp_path / "local")
