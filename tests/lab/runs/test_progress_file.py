from __future__ import annotations

from pathlib import Path

import pytest

from epochal.errors import EpochalError
from epochal_lab.runs.runner import ProgressFile
from epochal_lab.systems.base import QueryAnswer, trim_answer

ONE, TWO = QueryAnswer("q1", (("d1", 0.5),), {"outcome": "recorded"}), QueryAnswer("q2", (("d2", 1 / 3),))


def test_answers_come_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "a.part"
    with ProgressFile(path, "run") as file:
        file.put(ONE, 1.5)
        file.put(TWO, None)
    with ProgressFile(path, "run") as file:
        assert file.known == {"q1": (ONE, 1.5), "q2": (TWO, None)}


@pytest.mark.parametrize("cut_off", [1, 5, 20])
def test_a_line_cut_short_is_written_over(tmp_path: Path, cut_off: int) -> None:
    path = tmp_path / "a.part"
    with ProgressFile(path, "run") as file:
        file.put(ONE, 1.5)
        file.put(TWO, 2.5)
    path.write_bytes(path.read_bytes()[:-cut_off])
    with ProgressFile(path, "run") as file:
        assert set(file.known) == {"q1"}
        file.put(TWO, 3.5)
    with ProgressFile(path, "run") as file:
        assert file.known["q2"] == (TWO, 3.5)


def test_another_runs_file_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "a.part"
    with ProgressFile(path, "one run") as file:
        file.put(ONE, 1.5)
    with ProgressFile(path, "another") as file:
        assert file.known == {}
    with ProgressFile(path, "one run") as file:
        assert file.known == {}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(EpochalError, match="cannot write"):
        ProgressFile(tmp_path / "no" / "a.part", "run")


def test_cutting_leaves_out_what_is_excluded() -> None:
    answer = QueryAnswer("q", (("a", 3.0), ("b", 2.0), ("c", 1.0)))
    assert trim_answer(answer, ["b", "not there"], 5).hits == (("a", 3.0), ("c", 1.0))
    assert trim_answer(answer, [], 2).hits == (("a", 3.0), ("b", 2.0))
