"""Terms: what each word of a question weighs, and how near it stands to the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.ranking.pool import get_terms, get_windows
from epochal.ranking.terms import Terms, read_terms, weigh_tokens
from epochal.reading.questions import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.records import Document


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with Index.create(tmp_path, encoder=None) as made:
        made.add(Document(f"d{number}", f"The prize of entry {number}.") for number in range(9))
        made.add([Document("rare", "A prize for peace, won by a chemist.")])
        yield made


def asked_with(index: Index, question: str) -> Terms:
    return read_terms(index.view(), question, understand(question).expressions)


def weights(terms: Terms) -> dict[str, float]:
    return dict(zip(terms.tokens, terms.weights.tolist(), strict=True))


def nearness(terms: Terms) -> dict[str, float]:
    return dict(zip(terms.tokens, terms.nearness.tolist(), strict=True))


def test_times_and_the_words_of_every_question_are_no_terms(index: Index) -> None:
    assert asked_with(index, "Who was it that won the prize in May 1998?").tokens == ("won", "prize")
    assert asked_with(index, "What was there in 1998?").tokens == ()


def test_rare_words_weigh_more_and_unknown_ones_nothing(index: Index) -> None:
    found = weights(asked_with(index, "peace prize for zebras"))
    assert found["peac"] > found["prize"] > 0
    assert found["zebra"] == 0


def test_words_next_to_the_time_are_nearer_than_those_of_another_clause(index: Index) -> None:
    found = nearness(asked_with(index, "Who was born in the 1860s and won the prize?"))
    assert found["born"] > found["won"] > found["prize"] > 0
    assert set(nearness(asked_with(index, "born won prize")).values()) == {1.0}


def test_shares_lie_between_nothing_and_all() -> None:
    terms = Terms(("born", "won"), np.array([1.0, 2.0]), np.ones(2))
    shares = terms.shares_around(np.array([[True, True], [False, True], [True, False], [False, False]]))
    assert shares[0] == pytest.approx(1.0)
    assert shares[0] > shares[1] > shares[2] > shares[3] == 0
    assert terms.shares(np.array([[False, False]])).tolist() == [0.0]
    # Where nothing is asked but the time, the time alone answers.
    assert Terms((), np.empty(0), np.empty(0)).shares_around(np.empty((1, 0), dtype=np.bool_)).tolist() == [1.0]
    assert terms.shares_around(np.empty((0, 2), dtype=np.bool_)).tolist() == []


def test_words_are_weighed_after_documents_were_deleted(index: Index) -> None:
    index.delete([f"d{number}" for number in range(9)])
    found = weights(asked_with(index, "peace prize"))
    assert all(np.isfinite(list(found.values())))


def test_the_words_of_a_pool_are_read_once(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([Document("a", "Wool fell in 1998."), Document("b", "Wool rose in 1999.")])
        asked = understand("What did wool do in 1998?")
        pool = collect_candidates(
            index.view(), None, "What did wool do in 1998?", asked, None, get_windows(asked), None, 10
        )
        expected = read_terms(pool.view, pool.question, pool.times)
        first = get_terms(pool)
        assert first.tokens == expected.tokens == ("wool",)
        assert first.weights.tolist() == expected.weights.tolist()
        assert get_terms(pool.at(np.array([0]))) is first
        assert get_terms(replace(pool, question="What did flax do in 1998?")).tokens == ("flax",)


def test_common_and_unknown_words_weigh_nothing(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([Document("a", "The wool fell."), Document("b", "The grain rose."), Document("c", "The wool rose.")])
        weights = weigh_tokens(index.view(), ["the", "wool", "grain", "quark"])
    assert weights["the"] == weights["quark"] == 0.0
    assert 0.0 < weights["wool"] < weights["grain"]
