"""The weight of a model beside the gate, chosen by searches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from epochal.api import Index
from epochal.storage.importers import QueryRow
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.metrics import measure_rankings
from epochal_lab.models.re3.features import STANDING
from epochal_lab.models.re3.model import NumpyNetwork, Re3Model, get_shapes
from epochal_lab.models.re3.settings import Re3Settings
from epochal_lab.models.re3.training import WEIGHTS, HoldoutSet, fit_mixing_weights, select_weight, split_by_kind

BOTH = "hit@1 MRR@10"
NOW = Span.parse("2020-01-01")


def of_ranks(*sets: list[int]) -> list[dict[str, np.ndarray]]:
    """The measures of sets whose questions have their answer at these ranks; 0 where it is not found."""
    return [measure_rankings([range(1, 11)] * len(ranks), [{rank} for rank in ranks], BOTH) for ranks in sets]


def test_the_weight_that_is_right_most_often() -> None:
    tried = []

    def values(weight: float) -> list[dict[str, np.ndarray]]:
        tried.append(weight)
        return of_ranks([1, 1 if weight >= 2 else 3], [1 if weight < 8 else 2])

    assert select_weight(values) == 2.0
    # All is right with 2, so that 4 and 8 need not be tried.
    assert tried == [0.0, 0.5, 1.0, 2.0]


def test_equals_are_distinguished_by_reciprocal_ranks_and_then_by_the_weight() -> None:
    assert select_weight(lambda weight: of_ranks([1, 4 if weight < 1 else 2])) == 1.0
    assert select_weight(lambda weight: of_ranks([1, 4])) == 0.0
    assert select_weight(lambda weight: of_ranks([0])) == 0.0
    assert select_weight(lambda weight: of_ranks([], [])) == 0.0


def test_sets_count_alike() -> None:
    # One question that is won against one of four that is lost.
    assert select_weight(lambda weight: of_ranks([1 if weight else 2], [1, 1, 1, 2 if weight else 1])) == 0.5


def test_kinds() -> None:
    result = split_by_kind([QueryRow("a", "rain in 2004"), QueryRow("b", "rain"), QueryRow("c", "rain on 3 May 2014")])
    assert [query.id for query in result["timed"]] == ["a", "c"]
    assert [query.id for query in result["plain"]] == ["b"]


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HoldoutSet]:
    """Notes that say less of the topic the newer they are; the newest is right."""
    documents, queries, answers = [], [], {}
    for number, name in enumerate(("Omaha", "Tulsa", "Reno")):
        for age in range(3):
            text = (
                f"The {name} bridge is open to all." if age else f"Bridge news of {name}, with a remark on the river."
            )
            published = Span.parse(f"20{19 - age}-0{number + 1}-02")
            documents.append(Document(f"{name}-{age}", text, published=published))
        queries.append(QueryRow(name, f"Is the {name} bridge open to all?", NOW))
        answers[name] = {f"{name}-0": 1}
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(documents)
        yield HoldoutSet(index, queries, answers)


def newest_first(index: Index, sign: float) -> Re3Model:
    """A model made by hand that looks at nothing but whether anything of the pool is newer."""
    settings = Re3Settings.improved(hidden=1, width=2, head=1, words=False, gate="off")
    dim = index.encoder.dim
    tensors = {name: np.zeros(shape, np.float32) for name, shape in get_shapes(settings, dim).items()}
    times = tensors["head.first.weight"].shape[1]
    tensors["head.first.weight"][0, times - len(STANDING) + STANDING.index("behind")] = 1.0
    tensors["head.second.weight"][0, 0] = -8.0 * sign
    return Re3Model(NumpyNetwork(settings, dim, tensors), index.encoder.name)


def test_a_model_that_helps_counts_and_one_that_harms_does_not(held: HoldoutSet) -> None:
    requests: list[int] = []
    result = fit_mixing_weights(newest_first(held.index, 1.0), [held], progress=requests.append)
    assert result["plain"] in WEIGHTS[1:]
    assert result["timed"] == 0.0
    assert len(requests) >= 6
    assert fit_mixing_weights(newest_first(held.index, -1.0), [held]) == {"plain": 0.0, "timed": 0.0}
