from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from epochal.errors import StorageError
from epochal_lab.systems.base import select_top_hits
from epochal_lab.systems.bm25 import Postings, count_terms
from epochal_lab.systems.token_level import ArrayCache


def test_each_text_is_computed_once_and_arrays_read_back(tmp_path):
    requests: list[str] = []

    def compute(texts):
        requests.extend(texts)
        return [(np.arange(len(text), dtype=np.int32), np.full((len(text), 2), 0.1, np.float16)) for text in texts]

    texts = ["a", "bb", "", "a"] + [f"text {number}" for number in range(300)]
    first = ArrayCache(tmp_path / "deep" / "rows.db").get("one", texts, compute)
    again = ArrayCache(tmp_path / "deep" / "rows.db").get("one", texts, compute)
    assert len(requests) == len(set(texts))
    for one, two in zip(first, again, strict=True):
        for left, right in zip(one, two, strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
    ArrayCache(tmp_path / "deep" / "rows.db").get("another", ["a"], compute)
    assert requests[-1] == "a"


def test_what_was_done_before_a_failure_is_kept(tmp_path):
    rows = ArrayCache(tmp_path / "rows.db")

    def compute(texts):
        if "text 200" in texts:
            raise RuntimeError("out of memory")
        return [(np.zeros(1),) for _ in texts]

    with pytest.raises(RuntimeError, match="out of memory"):
        rows.get("one", [f"text {number}" for number in range(300)], compute)
    assert len(rows) == 128


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "rows.db").write_text("nothing of the kind, and long enough to be looked at")
    with pytest.raises(StorageError, match="cannot be used: file is not a database; delete it"):
        ArrayCache(tmp_path / "rows.db").get("one", ["a"], lambda texts: [])
    assert sqlite3.sqlite_version


def test_postings_are_inner_products():
    chance = np.random.default_rng(0)
    matrix = chance.random((6, 4)) * (chance.random((6, 4)) > 0.5)
    rows, terms = np.nonzero(matrix)
    postings = Postings.of(4, 6, terms, rows, matrix[rows, terms])
    question = chance.random(4)
    np.testing.assert_allclose(postings.score(dict(enumerate(question))), matrix @ question)
    assert count_terms([]).lengths.tolist() == []


def test_ties_fall_to_the_first_and_k_is_kept():
    scores = np.array([1.0, 3.0, 1.0, 2.0, 1.0, 0.0, -1.0])
    ids = list("abcdefg")
    assert [id for id, _ in select_top_hits(ids, scores, 4)] == ["b", "d", "a", "c"]
    assert [id for id, _ in select_top_hits(ids, scores, 9)] == ["b", "d", "a", "c", "e", "f", "g"]
    assert [id for id, _ in select_top_hits(ids, scores, 9, above=0.0)] == ["b", "d", "a", "c", "e"]
    assert select_top_hits([], np.zeros(0), 3) == ()
