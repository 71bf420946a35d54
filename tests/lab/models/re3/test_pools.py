"""Pools of questions: what they hold, and the file that they are kept in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from epochal.api import Index
from epochal.errors import EpochalError, InputError
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.importers import QueryRow
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.models.re3.pools import collect_pools, read_pools, write_pools

DOCUMENTS = [
    Document("a", "The prize of 1901 went to Anna.", published=Span.parse("1902-03-04")),
    Document("b", "The prize of 1904 went to Bert."),
    Document("c", "A bridge fell."),
]
QUERIES = [QueryRow("q1", "Who got the prize in 1904?", None), QueryRow("q2", "bridge", Span.parse("1910-01-01"))]
ANSWERS = {"q1": {"b": 1, "a": 0}, "q2": {"c": 2, "gone": 1}}


@pytest.fixture
def index(tmp_path: Path):
    with Index.create(tmp_path / "index", encoder="static") as result:
        result.add(DOCUMENTS)
        yield result


def test_pools_hold_what_a_search_gathers(index: Index) -> None:
    messages: list[int] = []
    pools = collect_pools(index, QUERIES, ANSWERS, words=True, progress=messages.append)
    assert (len(pools), pools.dim, pools.encoder, messages) == (2, 256, index.encoder.name, [1, 1])
    first, second = pools[0], pools[1]
    assert first.answers.tolist() == [False, True, False]
    assert first.gaps.rel[1] == 0
    assert first.gaps.rel[0] == pytest.approx(-3 * 365.2425, abs=2)
    assert (first.gaps.timed, second.gaps.timed) == (True, False)
    assert first.semantic == pytest.approx(first.vectors @ first.question, abs=1e-5)
    assert not first.forced.any()
    assert first.differences is not None
    words = index.encoder.encode_documents(["1904", "1901"])
    assert first.differences.rel[1] == pytest.approx(np.zeros(256), abs=1e-6)
    assert first.differences.rel[0] == pytest.approx(words[1] - words[0], abs=1e-6)
    assert not first.differences.rel[2].any()
    assert second.differences is not None
    assert not second.differences.rel.any()
    assert WeightedScorer().name == "gate"
    assert pools[0].gate.argmax() == 1


def test_answers_that_are_not_found_are_forced(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal_lab.models.re3 import pools as module

    whole = module.collect_candidates
    monkeypatch.setattr(module, "collect_candidates", lambda *given: whole(*given).at(np.array([0], dtype=np.int64)))
    result = collect_pools(index, QUERIES, ANSWERS)[0]
    assert result.forced.tolist() == [False, True]
    assert result.answers.tolist() == [False, True]
    assert result.semantic == pytest.approx(result.vectors @ result.question, abs=1e-5)
    assert result.retrieved.answers.tolist() == [False]


def test_a_file_of_pools(index: Index, tmp_path: Path) -> None:
    pools = collect_pools(index, QUERIES, ANSWERS, words=True)
    write_pools(tmp_path / "p.npz", pools)
    again = read_pools(tmp_path / "p.npz")
    assert again.encoder == pools.encoder
    assert again.ids.tolist() == ["q1", "q2"]
    assert again[0].gaps.rel == pytest.approx(pools[0].gaps.rel, nan_ok=True)
    assert again[1].vectors.tolist() == pools[1].vectors.tolist()


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("nothing")
    with pytest.raises(InputError, match="holds no pools"):
        read_pools(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    with pytest.raises(InputError, match=r"other\.npz: holds no pools"):
        read_pools(tmp_path / "other.npz")
    with pytest.raises(InputError, match="cannot be read"):
        read_pools(tmp_path / "none.npz")


def test_what_cannot_be_collected(index: Index, tmp_path: Path) -> None:
    with pytest.raises(EpochalError, match="no questions"):
        collect_pools(index, [], {})
    with Index.create(tmp_path / "words", encoder=None) as bare, pytest.raises(EpochalError, match="without an encod"):
        collect_pools(bare, QUERIES, ANSWERS)
