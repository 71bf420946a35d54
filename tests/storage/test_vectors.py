"""The greatest dot products, whatever the rows are restricted to, equal those of comparing all."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.protocol import intersect_rows, subtract_rows, union_rows
from epochal.storage.store import Store
from epochal.storage.vectors import VectorSearcher
from storage.whole import DIM, entry


def brute_force(vectors, query, k, rows):
    scores = (vectors[rows].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    order = np.lexsort((rows, -scores))[:k]
    return rows[order].tolist(), scores[order].tolist()


def searcher(vectors):
    return VectorSearcher(vectors, float(np.linalg.norm(vectors.astype(np.float64), axis=1).max(initial=0)))


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 300),
    dim=st.integers(1, 70),
    k=st.integers(1, 50),
    coarse=st.booleans(),
    scale=st.sampled_from([1e-20, 1.0, 1e15]),
    data=st.data(),
)
def test_restrictions_are_exact(seed, count, dim, k, coarse, scale, data):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, dim))
    if coarse:  # many equal vectors, so that ties must be settled by row
        vectors = np.round(vectors)
    vectors, query = (vectors * scale).astype(np.float32), rng.standard_normal(dim).astype(np.float32)
    found = searcher(vectors).search_vectors(query, k)
    assert (found.rows.tolist(), found.scores.tolist()) == brute_force(vectors, query, k, np.arange(count))
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, max(count - 1, 0)), max_size=count))), dtype=np.int64)
    rows = rows[rows < count]
    found = searcher(vectors).search_vectors(query, k, rows)
    assert (found.rows.tolist(), found.scores.tolist()) == brute_force(vectors, query, k, rows)


def test_similarities_are_the_scores_of_a_search():
    rng = np.random.default_rng(1)
    vectors, query = rng.standard_normal((9000, 33)).astype(np.float32), rng.standard_normal(33).astype(np.float32)
    found = searcher(vectors).search_vectors(query, 9000)
    assert searcher(vectors).score_vectors(query, found.rows).tolist() == found.scores.tolist()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (np.ones(4, np.float32), r"must have 3 numbers, but has the shape \(4,\)"),
        (np.ones((1, 3), np.float32), "must have 3 numbers"),
        (np.array([1, np.nan, 0], np.float32), "not finite"),
        (np.array([1, np.inf, 0], np.float32), "not finite"),
    ],
)
def test_wrong_queries_are_refused(query, message):
    with pytest.raises(EpochalError, match=message):
        searcher(np.eye(3, dtype=np.float32)).search_vectors(query, 1)
    with pytest.raises(EpochalError, match=message):
        searcher(np.eye(3, dtype=np.float32)).score_vectors(query, np.array([0]))


def test_k_must_be_positive():
    with pytest.raises(EpochalError, match="k must be at least 1, but is -2"):
        searcher(np.eye(3, dtype=np.float32)).search_vectors(np.ones(3, np.float32), -2)


ROWS = st.lists(st.integers(0, 60), max_size=30).map(lambda rows: np.array(rows, dtype=np.int64))


@given(ROWS, ROWS, ROWS)
def test_joined_is_the_union(first, second, third):
    assert union_rows(first, second, third).tolist() == np.unique(np.concatenate([first, second, third])).tolist()


@given(ROWS, ROWS)
def test_shared_and_without_part_the_rows_and_keep_their_order(rows, others):
    kept = np.isin(rows, others)
    assert intersect_rows(rows, others).tolist() == rows[kept].tolist()
    assert subtract_rows(rows, others).tolist() == rows[~kept].tolist()


def test_nothing_joined_is_nothing():
    assert union_rows().tolist() == []


READER = Path(__file__).with_name("busy_reader.py")


def read_while_writing(folder: Path, readers: int, writes: int) -> list[int]:
    """How many generations each of the readers saw."""
    rng = random.Random(4)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(READER.parents[1]), *sys.path])}
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
