"""Readers in other processes see whole documents only, and no error, while one process writes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.storage.store import Store
from storage.whole import DIM, entry

READER = Path(__file__).with_name("busy_reader.py")


def read_while_writing(folder: Path, readers: int, writes: int) -> list[int]:
    """How many generations each of the readers saw."""
    rng = random.Random(4)
    environment = {**os.environ, "PYTHONPATH": str(READER.parents[1])}
    with Store.create(folder, "test", DIM) as store:
        store.add([entry(f"d{number}", 0) for number in range(20)])
        children = [
            subprocess.Popen(
                [sys.executable, str(READER), str(folder)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for _ in range(readers)
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for version in range(1, writes):
            ids = rng.sample([f"d{number}" for number in range(30)], 5)
            if version % 17 == 0:
                store.compact()
            elif version % 5 == 0:
                store.delete(ids)
            else:
                store.add([entry(id, version) for id in ids])
        store.add([entry("last", 1)])
        outputs = [child.communicate() for child in children]
    for child, (_, errors) in zip(children, outputs, strict=True):
        assert (child.returncode, errors) == (0, "")
    return [int(output) for output, _ in outputs]


def test_three_readers_while_one_writes(tmp_path):
    assert min(read_while_writing(tmp_path / "index", 3, 40)) > 1


@pytest.mark.slow
def test_eight_readers_while_one_writes_much(tmp_path):
    assert min(read_while_writing(tmp_path / "index", 8, 800)) > 20
