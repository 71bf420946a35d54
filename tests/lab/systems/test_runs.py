from __future__ import annotations

import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.systems.registry import make_system

ROWS = "q1 Q0 d1 2 0.25 mine\nq1 Q0 d3 1 0.5 mine\nq2 Q0 d1 1 7 mine\n"


def test_a_run_answers_by_id_best_first(tmp_path):
    (tmp_path / "a.trec").write_text(ROWS)
    queries = [BenchQuery(id, "any words") for id in ("q2", "q1", "q3")]
    with make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path) as ranker:
        found = list(ranker.answer(queries, 1))
    assert [(answer.query, answer.hits) for answer in found] == [
        ("q2", (("d1", 7.0),)),
        ("q1", (("d3", 0.5),)),
        ("q3", ()),
    ]


def test_a_run_of_another_set_is_no_run_of_zeros(tmp_path):
    (tmp_path / "a.trec").write_text(ROWS)
    with (
        make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path) as ranker,
        pytest.raises(EpochalError, match=r"none of the 1 questions; it has such as 'q1', the set such as 'other'$"),
    ):
        list(ranker.answer([BenchQuery("other", "any")], 3))


def test_a_file_that_is_no_run(tmp_path):
    (tmp_path / "a.trec").write_text("q1 d1\n")
    with pytest.raises(InputError, match="line 1"), make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path):
        pass
