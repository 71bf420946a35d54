"""Pool and Scorer: any object with a name and a method score can rank, and its order is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from epochal.api import Index
from epochal.ranking.pool import Pool, Scored, Scorer
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
