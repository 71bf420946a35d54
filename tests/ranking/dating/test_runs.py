"""Runs of characters as numbers: the same here as where a table of them is fitted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.ranking.dating.dater import BASE, Characters, run_keys

TOKENS = st.lists(st.integers(1, BASE - 2), min_size=2, max_size=12)


@given(TOKENS)
def test_keys_are_those_of_a_slow_loop(tokens: list[int]) -> None:
    slow = []
    for size in (1, 2, 3):
        for start in range(len(tokens) - size + 1):
            if size > 1 or 0 < start < len(tokens) - 1:
                key = 0
                for token in tokens[start : start + size]:
                    key = key * BASE + token + 1
                slow.append(key)
    assert run_keys(np.array(tokens)).tolist() == slow


def test_no_two_runs_share_a_key() -> None:
    small = [run_keys(np.array([2, *pair, 3])).tolist() for pair in ((4, 5), (5, 4), (4, 4), (5, 5))]
    assert len({key for keys in small for key in keys}) == len(
        {run for pair in ((4, 5), (5, 4), (4, 4), (5, 5)) for run in runs_by_hand(pair)}
    )


def runs_by_hand(pair: tuple[int, int]) -> set[tuple[int, ...]]:
    whole = (2, *pair, 3)
    return {
        (pair[0],),
        (pair[1],),
        *((whole[at : at + 2]) for at in range(3)),
        *((whole[at : at + 3]) for at in (0, 1)),
    }


def test_a_token_that_is_too_great_is_refused() -> None:
    with pytest.raises(EpochalError, match="a token has the number 1048575; accepted: below 1,048,575"):
        run_keys(np.array([2, BASE - 1, 3]))


def test_characters_are_numbered_as_they_stand_and_cut() -> None:
    known = Characters("春秋")
    assert known.rows(["秋 春\n夏", ""], 5) == [[2, 5, 4, 1, 3], [2, 3]]
    assert known.rows(["秋春夏"], 4) == [[2, 5, 4, 3]]
