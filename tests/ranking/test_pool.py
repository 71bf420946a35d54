"""Pool and Scorer: any object with a name and a method score can rank, and its order is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.ranking.pool import Pool, Scored, Scorer, score_meaning
from epochal.storage.records import Document


class Backwards:
    """The passages stored last come first."""

    name = "backwards"

    def score(self, pool: Pool) -> Scored:
        return Scored(pool.rows.astype(np.float64))


def test_a_scorer_of_ones_own_ranks(tmp_path: Path) -> None:
    assert isinstance(Backwards(), Scorer)
    assert not isinstance(object(), Scorer)
    with Index.create(tmp_path, encoder="static") as index:
        index.add(Document(f"d{number}", f"Rye {number}, entry of {1990 + number}.") for number in range(5))
        for question in ("rye", "rye in 1992", "How did rye differ between 1990 and 1994?"):
            found = index.search(question, scorer=Backwards())
            assert len(found) == 5
            assert all(hit.evidence == () for hit in found)
        assert [hit.id for hit in index.search("rye", scorer=Backwards())] == ["d4", "d3", "d2", "d1", "d0"]


class Cosines:
    """A view of passages with these cosines, some of which have no vector yet."""

    def __init__(self, cosines: list[float], pending: list[int]) -> None:
        self.cosines, self.pending = np.array(cosines), np.array(pending, dtype=np.int64)

    def score_vectors(self, query: object, rows: np.ndarray) -> np.ndarray:
        return self.cosines[rows]


@pytest.mark.parametrize(
    ("cosines", "pending", "expected"),
    [
        ([0.8, 0.2, 0.6, 0.1], [], [0.8, 0.2, 0.6, 0.1]),
        ([0.8, 0.0, 0.6, 0.0], [1, 3], [0.8, 0.8, 0.6, 0.7]),  # all the words, and few of them
        ([0.8, 0.0, 0.6, 0.1], [1, 9], [0.8, 0.8, 0.6, 0.1]),
        ([0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3], [0.5, 1.0, 0.75, 0.25]),
    ],
)
def test_without_a_vector_words_stand_for_meaning(
    cosines: list[float], pending: list[int], expected: list[float]
) -> None:
    lexical = np.array([2.0, 4.0, 3.0, 1.0])
    rows = np.arange(4)
    vector = np.ones(1, dtype=np.float32)
    assert score_meaning(Cosines(cosines, pending), vector, rows, lexical) == pytest.approx(expected)
    assert not score_meaning(Cosines(cosines, pending), None, rows, lexical).any()
