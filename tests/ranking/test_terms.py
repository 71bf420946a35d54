"""Terms: what each word of a question weighs, and how near it stands to the time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from epochal.engine import Index
from epochal.index.records import Document
from epochal.ranking.terms import Terms, read_terms
from epochal.reading.questions import understand


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with Index.create(tmp_path, encoder=None) as made:
        made.add(Document(f"d{number}", f"The prize of entry {number}.") for number in range(9))
        made.add([Document("rare", "A prize for peace, won by a chemist.")])
        yield made


def terms_of(index: Index, question: str) -> Terms:
    return read_terms(index.view(), question, understand(question).expressions)


def weights(terms: Terms) -> dict[str, float]:
    return dict(zip(terms.tokens, terms.weights.tolist(), strict=True))


def nearness(terms: Terms) -> dict[str, float]:
    return dict(zip(terms.tokens, terms.nearness.tolist(), strict=True))


def test_times_and_the_words_of_every_question_are_no_terms(index: Index) -> None:
    assert terms_of(index, "Who was it that won the prize in May 1998?").tokens == ("won", "prize")
    assert terms_of(index, "What was there in 1998?").tokens == ()


def test_rare_words_weigh_more_and_unknown_ones_nothing(index: Index) -> None:
    found = weights(terms_of(index, "peace prize for zebras"))
    assert found["peac"] > found["prize"] > 0
    assert found["zebra"] == 0


def test_words_next_to_the_time_are_nearer_than_those_of_another_clause(index: Index) -> None:
    found = nearness(terms_of(index, "Who was born in the 1860s and won the prize?"))
    assert found["born"] > found["won"] > found["prize"] > 0
    assert set(nearness(terms_of(index, "born won prize")).values()) == {1.0}


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
    found = weights(terms_of(index, "peace prize"))
    assert all(np.isfinite(list(found.values())))
