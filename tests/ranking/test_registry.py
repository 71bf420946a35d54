"""Scorers by name."""

from __future__ import annotations

import pytest

from epochal.errors import UnknownNameError
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import DEFAULT, scorer, scorer_names


@pytest.mark.parametrize("name", scorer_names())
def test_every_name_makes_a_scorer(name: str) -> None:
    made = scorer(name)
    assert isinstance(made, Scorer)
    assert made.name


def test_the_default_is_the_gate() -> None:
    assert DEFAULT == "gate"
    assert scorer().name == scorer("").name == "gate"


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnknownNameError, match="no scorer is called 'nope'; known: gate, bm25"):
        scorer("nope")
